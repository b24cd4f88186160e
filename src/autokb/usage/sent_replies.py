"""What a reply that an agent sent makes of the suggestions: used, edited, or not used."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.answering.suggest import Suggestion
from autokb.core.domain import ENGLISH
from autokb.core.in_use import FeedbackVerdict
from autokb.core.step_numbers import marked
from autokb.text.words import content_words

# Share of a suggestion's words that a reply has: from here on it was written from the suggestion. Half of them were
# kept, so an agent who shortened it counts, and one who only speaks of the same device does not.
EDITED = 0.5


def whole_of(one: Suggestion) -> str:
    """Return all steps of the solution that a suggestion is a part of, to be sent; empty where it is all of it."""
    if len(one.steps) < 2:
        return "".join(one.steps)
    return "\n".join(map(marked, one.numbers, one.steps))


def documents_of(one: Suggestion) -> tuple[str, ...]:
    """Return the ids of the documents and tickets that a suggestion cites, each once."""
    places = one.as_json()["evidence"]
    return tuple(dict.fromkeys(place["document"] if "document" in place else place["ticket"] for place in places))


def is_as_offered(sent: str, text: str, whole: str = "") -> bool:
    """Return whether a reply is a suggestion, or the whole of which that is a part, but for the white space."""
    return _folded(sent) in (_folded(text), _folded(whole))


def verdict_of(sent: str, offered: Sequence[tuple[str, str]], language: str = ENGLISH) -> tuple[int, FeedbackVerdict]:
    """Return which of the suggestions (text and whole) a reply was made from, by its place, and what became of it.

    Where it was made from none, the first one was rejected.
    """
    for place, (text, whole) in enumerate(offered):
        if is_as_offered(sent, text, whole):
            return place, "used"
    words = content_words(sent, language)
    shares = [_share(content_words(text, language), words) for text, _ in offered]
    best = max(range(len(shares)), key=shares.__getitem__)
    return (best, "edited") if shares[best] >= EDITED else (0, "rejected")


def _share(words: frozenset[str], of: frozenset[str]) -> float:
    return len(words & of) / len(words) if words else 0.0


def _folded(text: str) -> str:
    return " ".join(text.split())
