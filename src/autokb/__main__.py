"""``python -m autokb`` is the command line."""

from autokb.cli import entry

entry()
