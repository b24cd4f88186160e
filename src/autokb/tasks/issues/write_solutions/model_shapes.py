"""What a model writes: solutions that issues share, and for each issue the numbers of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, WrapValidator

from autokb.core.domain import Attribute
from autokb.tasks.asking import Wire, said, wire
from autokb.tasks.issues.extract_attributes.attribute_fields import attributes_type, values_read
from autokb.tasks.issues.write_solutions.shapes import Excerpt, WriteSolutions

MOST = 4  # solutions of one issue
MOST_STEPS = 40
LONGEST_TITLE = 120  # characters, as the further ones
LONGEST_QUOTE = 900
LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A part of a reply that does not read; what stands beside it still counts."""

    id: int | None
    reason: str


def passages(items: Sequence[WriteSolutions]) -> tuple[Excerpt, ...]:
    """Return the excerpts of all nodes, each once; a request numbers them in this order, from 1."""
    found: dict[tuple[str, int, str], Excerpt] = {}
    for item in items:
        for excerpt in item.excerpts:
            found.setdefault(place(excerpt), excerpt)
    return tuple(found.values())


def place(excerpt: Excerpt) -> tuple[str, int, str]:
    """Return what makes two excerpts of different nodes the same passage."""
    return excerpt.document, excerpt.offset, excerpt.text


def _or_spoiled(value: Any, handler: Any) -> Any:
    """Keep one part that does not read from spoiling the whole reply, which other issues share."""
    try:
        return handler(value)
    except ValidationError as error:
        found = value.get("id") if isinstance(value, dict) else None
        return Spoiled(found if isinstance(found, int) else None, said(error))


def _extra(**schema: Any) -> Any:
    """Say something in the JSON schema that is checked later, part by part."""
    return Field(json_schema_extra=schema)


def solution_type(items: Sequence[WriteSolutions]) -> Any:
    """Return the type of a solution for these nodes."""
    numbers: Any = list(range(1, len(passages(items)) + 1))
    step: Any = wire(
        "Step",
        passage=Annotated[int, _extra(enum=numbers or [1])],
        quote=Annotated[str, _extra(minLength=1, maxLength=LONGEST_QUOTE)],
        text=Annotated[str, _extra(maxLength=LONGEST_TEXT)],
    )
    steps = Annotated[list[Annotated[step, WrapValidator(_or_spoiled)]], _extra(minItems=1, maxItems=MOST_STEPS)]
    fields: dict[str, Any] = {
        "id": Annotated[int, _extra(minimum=1, maximum=MOST * len(items))],
        "title": Annotated[str, _extra(minLength=1, maxLength=LONGEST_TITLE)],
    }
    if items[0].with_attributes and items[0].configuration:
        fields["attributes"] = attributes_type(items[0].configuration, 1)
    return Annotated[wire("Solution", **fields, steps=steps), WrapValidator(_or_spoiled)]


def attributes_of(draft: Any, configuration: Mapping[str, Attribute]) -> dict[str, frozenset[str]]:
    """Return the attributes that a model gave a solution; none where it was not asked for them."""
    given = getattr(draft, "attributes", None)
    if given is None:
        return {}
    return {name: frozenset(values) for name, values in values_read(given, configuration).items()}


def shared(items: Sequence[WriteSolutions]) -> Mapping[str, Any]:
    """Return the field that stands before the answers: every solution once, whichever issues it serves."""
    solution: Any = solution_type(items)
    return {"solutions": Annotated[list[solution], _extra(maxItems=MOST * len(items))]}


def entry(items: Sequence[WriteSolutions]) -> type[Wire]:
    """Return the type of one entry: the ids of the solutions that serve an issue, best first."""
    numbers = tuple(range(1, len(items) + 1))
    one: Any = Annotated[int, _extra(minimum=1, maximum=MOST * len(items))]
    own: Any = Annotated[list[one], _extra(maxItems=MOST)]
    return wire("Entry", number=Literal[numbers], solutions=own)
