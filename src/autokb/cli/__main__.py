"""``python -m autokb.cli`` is the command line."""

from autokb.cli import entry

entry()
