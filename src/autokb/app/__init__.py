"""Use cases behind one front door."""

from autokb.app.support_kb import SupportKB

__all__ = ["SupportKB"]
