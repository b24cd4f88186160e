"""What a domain says of replies to customers: ``reply`` of its domain.yaml."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autokb.core.errors import BadInputError

MOST_WORDS = 30  # of a suggestion; the response prediction paper's
FEWEST_WORDS = 8  # fewer say nothing
OFF_TOPIC = "Nothing here is about that."  # why there is no answer, as everybody reads it
LEFT_OPEN = "The closest pages don't answer this."
_KNOWN = ("max_words", "tone", "negative_words", "refusal", "unanswered")


@dataclass(frozen=True)
class ReplyRules:
    """A suggestion has none of the ``negative_words``, and fewer than ``max_words`` words, but for whole solutions.

    A solution of up to six short steps is sent whole, however many words the setting allows.

    ``tone`` is how a model shall write. ``refusal`` is the reply to a question about something else, ``unanswered`` the
    one to a question that the documents leave open, both empty for our own words.
    """

    max_words: int = MOST_WORDS
    tone: tuple[str, ...] = ()
    negative_words: tuple[str, ...] = ()
    refusal: str = ""
    unanswered: str = ""

    @cached_property
    def _negative(self) -> re.Pattern[str]:
        words = "|".join(map(re.escape, self.negative_words)) or "(?!)"
        return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)

    def has_negative_words(self, text: str) -> bool:
        """Return whether a text has a word that no reply may have."""
        return self._negative.search(text) is not None

    def fits(self, text: str) -> bool:
        """Return whether a text is short enough and has no such word."""
        return count_words(text) < self.max_words and not self.has_negative_words(text)


def count_words(text: str) -> int:
    """Return how many words a text has, as a person counts: what stands between white space."""
    return len(text.split())


def read_reply_rules(given: Mapping[str, Any]) -> ReplyRules:
    """Read ``reply`` (BadInputError for what is not known, or of another kind)."""
    if unknown := sorted(set(given) - set(_KNOWN)):
        raise BadInputError(f"domain.yaml: reply: {unknown[0]!r} is not known; it takes {', '.join(_KNOWN)}.")
    most = given.get("max_words", MOST_WORDS)
    if not isinstance(most, int) or isinstance(most, bool) or most < FEWEST_WORDS:
        raise BadInputError(f"domain.yaml: reply: max_words must be a whole number from {FEWEST_WORDS} on.")
    refusal, unanswered = _text(given, "refusal"), _text(given, "unanswered")
    return ReplyRules(most, _texts(given, "tone"), _texts(given, "negative_words"), refusal, unanswered)


def _text(given: Mapping[str, Any], name: str) -> str:
    found = given.get(name, "")
    if not isinstance(found, str):
        raise BadInputError(f"domain.yaml: reply: {name} must be a text.")
    return " ".join(found.split())


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = given.get(name) or ()
    if not isinstance(found, Sequence) or isinstance(found, str) or not all(isinstance(one, str) for one in found):
        raise BadInputError(f"domain.yaml: reply: {name} must be a list of texts.")
    return tuple(text for one in found if (text := " ".join(one.split())))
