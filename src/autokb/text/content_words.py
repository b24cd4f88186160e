"""The words of a text that name something, so that two texts can be seen to speak of the same."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s")
_COMMON = frozenset(
    """
    a about after again all also am an and any are as at avoid be because been before being below between both but by
    can cannot could did do does doesn't doing don't down during each few for from further had has have having he her
    here how i if in into is isn't it its just may me might more most must my never no nor not now of off on once only
    or other our out over own please same she should so some such than that the their them then there these they this
    those through to too under until up use used using very want was we were what when where which while who whom why
    will with would you your answer customer customers solution solutions step steps suggest suggestion recommend
    recommending recommended tell
    """.split()
)


@lru_cache(maxsize=20_000)
def content_words(text: str) -> frozenset[str]:
    """Return the words that name something, without their endings."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in words if len(word) > 2 and word not in _COMMON)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e")
