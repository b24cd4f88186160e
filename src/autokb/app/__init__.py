"""Use cases behind one front door."""

from autokb.app.support_kb import SupportKB
from autokb.core.nouns import Message

__all__ = ["Message", "SupportKB"]
