"""Whether a reply can be read by somebody who has not read what stood before it in the manual."""

from __future__ import annotations

import re
from functools import cache

from autokb.core.domain import ENGLISH
from autokb.heuristics.conversations.words import ConversationWords
from autokb.heuristics.solutions.procedures import refers_elsewhere
from autokb.text.lexicons import word_lists


def stands_alone(text: str, language: str = ENGLISH, *, opens: bool = True) -> bool:
    """Return whether a text refers to nothing before it; one that ``opens`` a reply may not begin with ``this``."""
    return not refers_elsewhere(text, language) and not (opens and _leaning(language).match(text))


@cache
def _leaning(language: str) -> re.Pattern[str]:
    patterns = word_lists(ConversationWords, language).leaning_openings
    return re.compile("|".join(patterns) or "(?!)", re.IGNORECASE)
