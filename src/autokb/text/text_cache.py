"""Results of the last texts, bounded by how long these are: a few books may be asked for as often as many notes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import TypeVar

T = TypeVar("T")
MOST_CHARACTERS = 4_000_000  # of the texts whose results are kept together; a longer text is never kept


def remembered(work: Callable[[str], T], most: int = MOST_CHARACTERS) -> Callable[[str], T]:
    """Return a function that works each text out once while it is among the last ones."""
    kept: OrderedDict[str, T] = OrderedDict()
    held = 0
    lock = Lock()

    @wraps(work)
    def result(text: str) -> T:
        nonlocal held
        with lock:
            if text in kept:
                kept.move_to_end(text)
                return kept[text]
        found = work(text)
        with lock:
            if text not in kept and len(text) <= most:
                kept[text] = found
                held += len(text)
            while held > most:
                held -= len(kept.popitem(last=False)[0])
        return found

    return result
