"""How a model is asked what it knows by itself: several issues of one domain in a request."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.probes.unaided_solutions.shapes import (
    LONGEST_STEP,
    LONGEST_TITLE,
    MOST_SOLUTIONS,
    MOST_STEPS,
    SolveUnaided,
    UnaidedSolution,
    UnaidedSolutions,
)
from autokb.tasks.prompts import Verbatim, examples, unescaped

PACKAGE = "autokb.tasks.probes.unaided_solutions"
TOGETHER = 4  # issues in one request
READ = 1_500  # characters of an issue


class WireSolution(Wire):
    """One solution of an entry."""

    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    steps: list[Annotated[str, Field(min_length=1, max_length=LONGEST_STEP)]] = Field(
        min_length=1, max_length=MOST_STEPS
    )


def values(items: Sequence[SolveUnaided]) -> Mapping[str, Any]:
    """Return the template's variables; the domain stands first and is the same for all."""
    return {
        "domain": items[0].domain,
        "issues": [item.issue[:READ] for item in items],
        "most": MOST_SOLUTIONS,
        "examples": [{**e, "reply": _spelled(e["reply"])} for e in examples(PACKAGE)],
    }


def _spelled(reply: Mapping[str, Any]) -> Verbatim:
    """Return the whole reply of an example as it is to be written, its fields in the order of the schema."""
    return Verbatim(json.dumps({"answers": [{"number": 1, **reply}]}, ensure_ascii=False))


def entry(items: Sequence[SolveUnaided]) -> type[Wire]:
    """Return the type of one entry: the issue's number and its solutions."""
    numbers = tuple(range(1, len(items) + 1))
    solutions = Annotated[list[WireSolution], Field(min_length=1, max_length=MOST_SOLUTIONS)]
    return wire("Entry", number=Literal[numbers], solutions=solutions)


def read(
    _items: Sequence[SolveUnaided], _position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[UnaidedSolutions, tuple[str, ...]]:
    """Turn an entry into the task's answer."""
    solutions = tuple(
        UnaidedSolution(title=unescaped(s.title).strip(), steps=tuple(unescaped(step).strip() for step in s.steps))
        for s in entry.solutions
    )
    return UnaidedSolutions(solutions=solutions), ()


def tokens(_item: SolveUnaided) -> tuple[int, int]:
    """Return the most and the usual number of tokens of an issue's solutions."""
    return 1_000, 450


def together(item: SolveUnaided) -> Hashable:
    """Issues of one domain can share a request."""
    return item.domain


ASKING = Asking(PACKAGE, values, entry, read, tokens, together, TOGETHER)
