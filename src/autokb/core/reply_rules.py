"""What a domain says of replies to customers: ``reply`` of its domain.yaml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from autokb.core.validation import Entry, read_entries

MOST_WORDS = 30  # of a suggestion; the response prediction paper's
FEWEST_WORDS = 8  # fewer say nothing
OFF_TOPIC = "Nothing here is about that."  # why there is no answer, as everybody reads it
LEFT_OPEN = "The closest pages don't answer this."


def _read_most(value: Any) -> int | None:
    return value if type(value) is int and value >= FEWEST_WORDS else None


def _read_text(value: Any) -> str | None:
    return " ".join(value.split()) if isinstance(value, str) else None


def _read_texts(value: Any) -> tuple[str, ...] | None:
    listed = value or ()
    is_list = isinstance(listed, list | tuple) and all(isinstance(one, str) for one in listed)
    return tuple(filter(None, map(_read_text, listed))) if is_list else None


Text = Annotated[str, Entry("text", _read_text)]
Texts = Annotated[tuple[str, ...], Entry("a list of texts", _read_texts)]


@dataclass(frozen=True)
class ReplyRules:
    """A suggestion has none of the ``negative_words``, and fewer than ``max_words`` words, but for whole solutions.

    A solution of up to six short steps is sent whole, however many words the setting allows.

    ``tone`` is how a model shall write. ``refusal`` is the reply to a question about something else, ``unanswered`` the
    one to a question that the documents leave open, both empty for our own words.
    """

    max_words: Annotated[int, Entry(f"a whole number from {FEWEST_WORDS} on", _read_most)] = MOST_WORDS
    tone: Texts = ()
    negative_words: Texts = ()
    refusal: Text = ""
    unanswered: Text = ""

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
    """Read ``reply`` of a domain.yaml (BadEntryError)."""
    return ReplyRules(**read_entries(ReplyRules, given, "domain.yaml", "reply"))
