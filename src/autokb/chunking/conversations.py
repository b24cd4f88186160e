"""A chunker that asks as it goes: it yields questions, is sent the answers, and returns what it cut."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

from autokb.chunking.cutting import Cut

Q = TypeVar("Q")
A = TypeVar("A")


def hold(conversation: Generator[Q, A, Cut], answer: Callable[[Q], A]) -> Cut:
    """Lead a conversation to its end with one who answers at once."""
    try:
        question = next(conversation)
        while True:
            question = conversation.send(answer(question))
    except StopIteration as end:
        cut: Cut = end.value
        return cut
