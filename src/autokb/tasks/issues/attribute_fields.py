"""Attributes as fields of a model's reply: names that providers take, the values of each, and what a prompt says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from autokb.core.attributes import Attributes, as_lists
from autokb.core.domain import Attribute
from autokb.tasks.prompts import unescaped
from autokb.tasks.wire import Wire, wire
from autokb.text.lexicon import Spec

MOST_OPEN_VALUES = 8  # of an open attribute in one reply
LONGEST_OPEN_VALUE = 60  # characters: a name, no sentence
LONGEST_FIELD_NAME = 40  # characters; providers take 64
BYTES_A_TOKEN = 3  # no tokenizer does much worse on names of values
_UNSAFE_CHARACTERS = re.compile(r"[^0-9A-Za-z_]+")


def field_names(configuration: Spec) -> dict[str, str]:
    """Return each attribute's field: its name in letters, digits and underscores, as providers ask, no two the same."""
    fields: dict[str, str] = {}
    for name in configuration:
        field = plain = _UNSAFE_CHARACTERS.sub("_", name).strip("_")[:LONGEST_FIELD_NAME] or "attribute"
        count = 1
        while field in fields.values():
            count += 1
            field = f"{plain}_{count}"
        fields[name] = field
    return fields


def attributes_type(
    configuration: Spec, least: int = 0, *, lenient: bool = False, name: str = "Attributes"
) -> type[Wire]:
    """Return the type of an object with a list of values for every attribute, each of ``least`` values or more.

    Where it is ``lenient`` only the JSON schema enumerates values: another value reads, and its part can be left out
    alone. ``name`` is the type's in the schema.
    """
    fields = field_names(configuration)
    kinds: dict[str, Any] = {
        f"field_{n}": Annotated[_values_type(attribute, least, lenient), Field(alias=fields[attribute.name])]
        for n, attribute in enumerate(configuration.values())
    }
    return wire(name, **kinds)


def _values_type(attribute: Attribute, least: int, lenient: bool) -> Any:
    if attribute.kind == "open":
        one: Any = Annotated[str, Field(min_length=1, max_length=LONGEST_OPEN_VALUE)]
        return Annotated[list[one], Field(min_length=least, max_length=MOST_OPEN_VALUES)]
    names = (*attribute.values, "Any", "NONE")
    bound = Field(max_length=max(LONGEST_OPEN_VALUE, *map(len, names)))
    enumerated = WithJsonSchema({"enum": list(names), "type": "string"})
    one = Annotated[str, bound, enumerated] if lenient else Literal[names]
    return Annotated[list[one], Field(min_length=least, max_length=len(attribute.values))]


def read_values(given: Any, configuration: Spec) -> dict[str, list[str]]:
    """Return what an object of ``attributes_type`` holds, each value once, without the empty lists.

    What a model copied from an escaped prompt is undone, and white space is joined.
    """
    lists = {name: getattr(given, f"field_{n}") for n, name in enumerate(configuration)}
    return {
        name: list(dict.fromkeys(" ".join(unescaped(value).split()) for value in values))
        for name, values in lists.items()
        if values
    }


def describe_attributes(configuration: Spec) -> str:
    """Return a few lines on each attribute for a prompt: its field, its values, words for them, what they go with."""
    fields = field_names(configuration)
    return "\n".join(line for name in configuration for line in _lines(configuration[name], fields))


def describe_values(attributes: Attributes, fields: Mapping[str, str] | None = None) -> str:
    """Return the values of attributes as part of a line: ``os: iOS; device: Phone, Tablet``.

    Where ``fields`` are given, attributes have those names, and what is not among them is left out.
    """
    named = {name: name if fields is None else fields.get(name, "") for name in attributes}
    return "; ".join(
        f"{named[name]}: {', '.join(values)}" for name, values in as_lists(attributes).items() if named[name]
    )


def _lines(attribute: Attribute, fields: Mapping[str, str]) -> Iterator[str]:
    field = fields[attribute.name]
    name = field if field == attribute.name else f"{field} (that is {_json(attribute.name)})"
    if attribute.kind == "closed":
        yield f"{name}: closed, one or more of {_json(attribute.values)}"
    else:
        known = dict.fromkeys((*attribute.values, *attribute.examples))
        yield f"{name}: open, for example {_json(known)}" if known else f"{name}: open"
    for value, words in attribute.synonyms.items():
        if words:
            yield f"  {_json(value)} is also called {_json(words)}"
    for value, implied in attribute.implies.items():
        for other, allowed in implied.items():
            yield f"  {_json(value)} goes only with {_json(sorted(allowed))} of {fields.get(other, other)}"


def _json(value: Iterable[str] | str) -> str:
    return json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False)


def attributes_tokens(configuration: Spec, values: int = 4) -> tuple[int, int]:
    """Return the most and the usual number of tokens of an object with all attributes.

    The most lets a closed attribute have so many ``values``, an open one names of as much.
    """
    most = usual = 4
    for name, field in field_names(configuration).items():
        attribute = configuration[name]
        longest = sorted((len(v.encode()) for v in attribute.values), reverse=True)[:values]
        of_closed = sum(6 + size // BYTES_A_TOKEN for size in longest)
        of_values = of_closed if attribute.kind == "closed" else values * LONGEST_OPEN_VALUE // BYTES_A_TOKEN
        most += 8 + len(field) // BYTES_A_TOKEN + max(of_values, 8)
        usual += 7 + len(field) // 4
    return most, usual
