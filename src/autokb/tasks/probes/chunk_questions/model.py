"""How a model is asked for questions: the chunks of one item in a request of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.probes.chunk_questions.shapes import LONGEST, QUESTIONS, AskAboutChunks, ChunkQuestions
from autokb.tasks.prompts import Verbatim, examples, unescaped

PACKAGE = "autokb.tasks.probes.chunk_questions"


def values(items: Sequence[AskAboutChunks]) -> Mapping[str, Any]:
    """Return the template's variables."""
    shown = [{**example, "reply": _spelled(example["reply"])} for example in examples(PACKAGE)]
    return {"chunks": items[0].chunks, "many": QUESTIONS, "examples": shown}


def _spelled(reply: Mapping[str, Any]) -> Verbatim:
    """Return the whole reply of an example as it is to be written."""
    return Verbatim(json.dumps({"answers": [{"number": 1, **reply}]}, ensure_ascii=False))


def entry(_items: Sequence[AskAboutChunks]) -> type[Wire]:
    """Return the type of the one entry: its number and the questions."""
    question = Annotated[str, Field(min_length=1, max_length=LONGEST)]
    questions = Annotated[list[question], Field(min_length=QUESTIONS, max_length=QUESTIONS)]
    return wire("Entry", number=Literal[1], questions=questions)


def read(
    _items: Sequence[AskAboutChunks], _position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[ChunkQuestions, tuple[str, ...]]:
    """Turn the entry into the task's answer."""
    return ChunkQuestions(questions=tuple(unescaped(question).strip() for question in entry.questions)), ()


def tokens(_item: AskAboutChunks) -> tuple[int, int]:
    """Return the most and the usual number of tokens of the questions."""
    return 600, 150


ASKING = Asking(PACKAGE, values, entry, read, tokens)
