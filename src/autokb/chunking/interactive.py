"""The protocol of interactive chunkers, which ask as they go: where a question begins depends on the last answer.

Such a chunker is a generator: it yields questions, is sent their answers, and returns its result. So a build can lead
the sessions of many documents side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

from autokb.chunking.chunk_result import ChunkResult

Q = TypeVar("Q")
A = TypeVar("A")
Session = Generator[Q, A, ChunkResult]


def answer_all(session: Session[Q, A], answer: Callable[[Q], A]) -> ChunkResult:
    """Lead a session to its end with a function that answers at once."""
    try:
        question = next(session)
        while True:
            question = session.send(answer(question))
    except StopIteration as end:
        result: ChunkResult = end.value
        return result
