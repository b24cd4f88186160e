"""Results of the last texts, bounded by how long these are: a few books may be asked for as often as many notes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import TypeVar

T = TypeVar("T")
MOST_CHARACTERS = 4_000_000  # of the texts whose results are kept together; that of a longer text is not kept


def cached_by_text(work: Callable[[str], T], most_characters: int = MOST_CHARACTERS) -> Callable[[str], T]:
    """Return a function that works each text out once while it is among the last ones."""
    results: OrderedDict[str, T] = OrderedDict()
    length = 0
    lock = Lock()

    @wraps(work)
    def cached(text: str) -> T:
        nonlocal length
        with lock:
            if text in results:
                results.move_to_end(text)
                return results[text]
        found = work(text)
        with lock:
            if text not in results and len(text) <= most_characters:
                results[text] = found
                length += len(text)
            while length > most_characters:
                length -= len(results.popitem(last=False)[0])
        return found

    return cached
