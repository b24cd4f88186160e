"""What each process of a run with ``AUTOKB_TESTS_WITHOUT_PLUGINS`` does first: it forgets which plug-ins are built in."""

from autokb.core import plugins

plugins.BUILT_IN = ()
