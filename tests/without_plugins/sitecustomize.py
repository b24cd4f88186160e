"""The start of each process of a run with ``AUTOKB_TESTS_WITHOUT_PLUGINS``: no plug-in is built in."""

from autokb.core import plugins

plugins.BUILT_IN = ()
