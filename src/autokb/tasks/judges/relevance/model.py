"""How a model is asked to score: all chunks that were found for one question in a request."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.judges.chunk_verdicts import TOGETHER, spelled
from autokb.tasks.judges.relevance.shapes import HIGHEST, LONGEST_REASON, JudgedRelevance, JudgeRelevance
from autokb.tasks.prompts import examples, unescaped

PACKAGE = "autokb.tasks.judges.relevance"


def values(items: Sequence[JudgeRelevance]) -> Mapping[str, Any]:
    """Return the template's variables."""
    shown = [{**example, "reply": spelled(example["reply"])} for example in examples(PACKAGE)]
    return {"query": items[0].query, "chunks": [item.text for item in items], "examples": shown}


def entry(items: Sequence[JudgeRelevance]) -> type[Wire]:
    """Return the type of one entry: the chunk's number, the reason, and then the score."""
    numbers = tuple(range(1, len(items) + 1))
    # A little too long is cut when it is read; only one without end is an error.
    longest = Field(min_length=1, max_length=10 * LONGEST_REASON, json_schema_extra={"maxLength": LONGEST_REASON})
    reason = Annotated[str, longest]
    score = Annotated[int, Field(ge=0, le=HIGHEST)]  # no Literal: that would take true for 1
    return wire("Entry", number=Literal[numbers], reason=reason, score=score)


def read(
    _items: Sequence[JudgeRelevance], _position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[JudgedRelevance, tuple[str, ...]]:
    """Turn an entry into the task's answer."""
    return JudgedRelevance(reason=unescaped(entry.reason).strip()[:LONGEST_REASON], score=entry.score), ()


def tokens(_item: JudgeRelevance) -> tuple[int, int]:
    """Return the most and the usual number of tokens of one entry."""
    return LONGEST_REASON // 2 + 32, 40


def together(item: JudgeRelevance) -> Hashable:
    """Chunks that were found for one question can share a request."""
    return item.query


ASKING = Asking(PACKAGE, values, entry, read, tokens, together, TOGETHER)
