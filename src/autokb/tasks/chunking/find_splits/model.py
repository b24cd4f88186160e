"""How a model is asked where sections end: the numbered pieces of one window, a list of numbers back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.chunking.find_splits.shapes import FindSplits, FoundSplits
from autokb.tasks.grounded import visible
from autokb.tasks.prompts import Verbatim, examples

PACKAGE = "autokb.tasks.chunking.find_splits"


def values(items: Sequence[FindSplits]) -> Mapping[str, Any]:
    """Return the template's variables; a request is about one window of one document."""
    item = items[0]
    return {
        "title": visible(item.title),
        "pieces": [visible(piece) for piece in item.pieces],
        "examples": [
            {**e, "shown": Verbatim(json.dumps({"answers": [{"number": 1, **e["reply"]}]}))} for e in examples(PACKAGE)
        ],
    }


def entry(items: Sequence[FindSplits]) -> type[Wire]:
    """Return the type of one entry: the numbers of the pieces after which to split."""
    last = max(len(item.pieces) for item in items) - 1
    number: Any = Annotated[int, Field(ge=1, le=last)]
    after = Annotated[list[number], Field(min_length=1, max_length=last)]
    return wire("Entry", number=Literal[tuple(range(1, len(items) + 1))], after=after)


def read(
    _items: Sequence[FindSplits], _position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[FoundSplits, tuple[str, ...]]:
    """Turn an entry into the task's answer; a number that is given twice counts once, in whatever order they come."""
    return FoundSplits(after=tuple(sorted(set(entry.after)))), ()


def tokens(item: FindSplits) -> tuple[int, int]:
    """Return the most and the usual number of tokens of an entry: a number for every piece, for some of them."""
    return 32 + 6 * len(item.pieces), 24 + len(item.pieces)


ASKING = Asking(PACKAGE, values, entry, read, tokens)
