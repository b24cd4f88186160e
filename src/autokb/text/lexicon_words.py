"""English words under the names by which the offline engines still import them; ``lexicons`` holds them."""

from __future__ import annotations

from autokb.text.lexicons import language_data
from autokb.text.word_forms import inflections

__all__ = ["COMMON", "SILENT", "inflections", "word_set"]

SILENT = language_data().general_values
COMMON = language_data().value_names


def word_set(text: str) -> frozenset[str]:
    """Read a set of words written in one string."""
    return frozenset(text.split())
