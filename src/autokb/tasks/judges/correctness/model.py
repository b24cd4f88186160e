"""How a model is asked to judge: a few solutions in a request, the reason before the verdict."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.judges.correctness.shapes import LONGEST_REASON, JudgeCorrectness, JudgedCorrectness
from autokb.tasks.prompts import Verbatim, examples, unescaped

PACKAGE = "autokb.tasks.judges.correctness"
TOGETHER = 6  # solutions in one request; more of them and a judge begins to repeat itself


def values(items: Sequence[JudgeCorrectness]) -> Mapping[str, Any]:
    """Return the template's variables; the domain stands first and is the same for all."""
    return {
        "domain": items[0].domain,
        "solutions": items,
        "examples": [{**e, "reply": _spelled(e["reply"])} for e in examples(PACKAGE)],
    }


def _spelled(reply: Mapping[str, Any]) -> Verbatim:
    """Return the whole reply of an example as it is to be written, its fields in the order of the schema."""
    return Verbatim(json.dumps({"answers": [{"number": 1, **reply}]}, ensure_ascii=False))


def entry(items: Sequence[JudgeCorrectness]) -> type[Wire]:
    """Return the type of one entry: the solution's number, the reason, and then the verdict."""
    numbers = tuple(range(1, len(items) + 1))
    reason = Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": LONGEST_REASON})]
    return wire("Entry", number=Literal[numbers], reason=reason, verdict=Literal["yes", "no", "unsure"])


def read(
    _items: Sequence[JudgeCorrectness], _position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[JudgedCorrectness, tuple[str, ...]]:
    """Turn an entry into the task's answer."""
    return JudgedCorrectness(reason=unescaped(entry.reason).strip()[:LONGEST_REASON], verdict=entry.verdict), ()


def tokens(_item: JudgeCorrectness) -> tuple[int, int]:
    """Return the most and the usual number of tokens of a verdict with its reason."""
    return LONGEST_REASON // 2 + 32, 60


def together(item: JudgeCorrectness) -> Hashable:
    """Solutions of one domain can share a request."""
    return item.domain


ASKING = Asking(PACKAGE, values, entry, read, tokens, together, TOGETHER)
