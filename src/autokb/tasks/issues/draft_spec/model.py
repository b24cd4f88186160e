"""How a model is asked for a draft: one request, issues numbered so that each attribute names those that show it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.grounded import visible
from autokb.tasks.issues.draft_spec.reading import Reading
from autokb.tasks.issues.draft_spec.shapes import (
    LONGEST_TEXT,
    LONGEST_VALUE,
    MOST_ATTRIBUTES,
    MOST_EXAMPLES,
    MOST_RULES,
    MOST_VALUES,
    MOST_WORDS,
    NAME,
    RULE_ID,
    DraftedSpec,
    DraftSpec,
)
from autokb.tasks.prompts import Verbatim, examples

PACKAGE = "autokb.tasks.issues.draft_spec"
MOST_NAMED = 12  # issues that an attribute names

Word = Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": LONGEST_VALUE})]
Sentence = Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": LONGEST_TEXT})]


class WireSynonyms(Wire):
    """Other words for one value."""

    value: Word
    words: list[Word] = Field(min_length=1, max_length=MOST_WORDS)


class WireRule(Wire):
    """One proposed rule."""

    id: Annotated[str, Field(json_schema_extra={"pattern": f"^{RULE_ID.pattern}$", "maxLength": 40})]
    text: Sentence
    why: Sentence


def values(items: Sequence[DraftSpec]) -> Mapping[str, Any]:
    """Return the template's variables."""
    (item,) = items
    return {
        "domain": item.domain,
        "attributes": item.attributes,
        "rules": item.rules,
        "issues": [visible(issue) for issue in item.issues],
        "documents": [(visible(title), visible(opening)) for title, opening in item.documents],
        "most_attributes": MOST_ATTRIBUTES,
        "most_values": MOST_VALUES,
        "most_rules": MOST_RULES,
        "examples": [{**e, "reply": _spelled(e["reply"])} for e in examples(PACKAGE)],
    }


def _spelled(reply: Mapping[str, Any]) -> Verbatim:
    """Return the whole reply of an example as it is to be written, its fields in the order of the schema."""
    return Verbatim(json.dumps({"answers": [{"number": 1, **reply}]}, ensure_ascii=False))


def entry(items: Sequence[DraftSpec]) -> type[Wire]:
    """Return the type of the one entry; only the JSON schema bounds the numbers of issues and the names."""
    number: Any = Annotated[
        int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": max(1, len(items[0].issues))})
    ]
    attribute: Any = wire(
        "Attribute",
        called=Annotated[str, Field(alias="name", json_schema_extra={"pattern": f"^{NAME.pattern}$", "maxLength": 40})],
        why=Sentence,
        issues=Annotated[list[number], Field(max_length=MOST_NAMED)],
        kind=Literal["closed", "open"],
        values=Annotated[list[Word], Field(max_length=MOST_VALUES)],
        synonyms=Annotated[list[WireSynonyms], Field(max_length=MOST_VALUES)],
        examples=Annotated[list[Word], Field(max_length=MOST_EXAMPLES)],
    )
    return wire(
        "Entry",
        number=Literal[1],
        attributes=Annotated[list[attribute], Field(max_length=MOST_ATTRIBUTES)],
        rules=Annotated[list[WireRule], Field(max_length=MOST_RULES)],
    )


def read(
    items: Sequence[DraftSpec], _position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[DraftedSpec, tuple[str, ...]]:
    """Turn the entry into a draft; what cannot stand in a domain.yaml is worth one repair and left out after it."""
    reading = Reading(items[0])
    for attribute in entry.attributes:
        reading.add_attribute(attribute)
    for rule in entry.rules:
        reading.add_rule(rule)
    return reading.draft(), tuple(f"{part.part}: {part.reason}" for part in reading.left_out)


def tokens(_item: DraftSpec) -> tuple[int, int]:
    """Return the most and the usual number of tokens of a draft."""
    return 3_600, 1_600


ASKING = Asking(PACKAGE, values, entry, read, tokens)
