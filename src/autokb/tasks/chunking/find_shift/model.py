"""How a model is asked where the content shifts: the numbered paragraphs of one window, one number back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.chunking.find_shift.shapes import FindShift, FoundShift
from autokb.tasks.grounded import visible
from autokb.tasks.prompts import Verbatim, examples

PACKAGE = "autokb.tasks.chunking.find_shift"


def values(items: Sequence[FindShift]) -> Mapping[str, Any]:
    """Return the template's variables; a request is about one window of one document."""
    item = items[0]
    return {
        "title": visible(item.title),
        "paragraphs": [visible(paragraph) for paragraph in item.paragraphs],
        "examples": [
            {**e, "shown": Verbatim(json.dumps({"answers": [{"number": 1, **e["reply"]}]}))} for e in examples(PACKAGE)
        ],
    }


def entry(items: Sequence[FindShift]) -> type[Wire]:
    """Return the type of one entry: the number of the paragraph where the content shifts."""
    at = Annotated[int, Field(ge=2, le=max(len(item.paragraphs) for item in items))]
    return wire("Entry", number=Literal[tuple(range(1, len(items) + 1))], at=at)


def read(
    _items: Sequence[FindShift], _position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[FoundShift, tuple[str, ...]]:
    """Turn an entry into the task's answer."""
    return FoundShift(at=entry.at), ()


def tokens(_item: FindShift) -> tuple[int, int]:
    """Return the most and the usual number of tokens of an entry: one number."""
    return 32, 20


ASKING = Asking(PACKAGE, values, entry, read, tokens)
