"""Attributes as fields of a model's reply: names that providers take, the values of each, and what a prompt says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from autokb.core.attributes import Values
from autokb.core.domain import Attribute
from autokb.tasks.asking import Wire, wire
from autokb.tasks.prompts import unescaped
from autokb.text.lexicon import Spec, lexicon, split_words

OPEN_MOST = 8  # values of an open attribute in one reply
OPEN_LONGEST = 60  # characters of such a value: a name, no sentence
NAME_LONGEST = 40  # characters of a field; providers take 64
ALIKE = 4  # characters that two words share at least when one is a form of the other,
ENDING = 2  # and all but so many of the shorter one: diabetes, diabetic
_UNSAFE = re.compile(r"[^0-9A-Za-z_]+")


def field_names(configuration: Spec) -> dict[str, str]:
    """Return each attribute's field: its name in letters, digits and underscores, as providers ask, no two the same."""
    fields: dict[str, str] = {}
    for name in configuration:
        field = plain = _UNSAFE.sub("_", name).strip("_")[:NAME_LONGEST] or "attribute"
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
        one: Any = Annotated[str, Field(min_length=1, max_length=OPEN_LONGEST)]
        return Annotated[list[one], Field(min_length=least, max_length=OPEN_MOST)]
    names = (*attribute.values, "Any", "NONE")
    bound = Field(max_length=max(OPEN_LONGEST, *map(len, names)))
    enumerated = WithJsonSchema({"enum": list(names), "type": "string"})
    one = Annotated[str, bound, enumerated] if lenient else Literal[names]
    return Annotated[list[one], Field(min_length=least, max_length=len(attribute.values))]


def values_read(read: Any, configuration: Spec) -> dict[str, list[str]]:
    """Return what an object of ``attributes_type`` holds, each value once, without the empty lists."""
    lists = {name: getattr(read, f"field_{n}") for n, name in enumerate(configuration)}
    return {name: list(dict.fromkeys(_clean(v) for v in found)) for name, found in lists.items() if found}


def _clean(value: str) -> str:
    """Undo what a model copied from an escaped prompt, and white space."""
    return " ".join(unescaped(value).split())


def described(configuration: Spec) -> str:
    """Return a few lines on each attribute for a prompt: its field, its values, words for them, what they go with."""
    fields = field_names(configuration)
    return "\n".join(line for name in configuration for line in _lines(configuration[name], fields))


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


def tokens_of(configuration: Spec, values: int = 4) -> tuple[int, int]:
    """Return the most and the usual number of tokens of an object with all attributes.

    The most lets a closed attribute have so many ``values``, an open one names of as much.
    """
    most = usual = 4
    for name, field in field_names(configuration).items():
        attribute = configuration[name]
        longest = sorted((len(v.encode()) for v in attribute.values), reverse=True)[:values]
        # Three bytes a token: no tokenizer does much worse on names of values.
        named = sum(6 + size // 3 for size in longest) if attribute.kind == "closed" else values * OPEN_LONGEST // 3
        most += 8 + len(field) // 3 + max(named, 8)
        usual += 7 + len(field) // 4
    return most, usual


def is_said(text: str, attribute: Attribute, value: str, configuration: Mapping[str, Attribute]) -> bool:
    """Return whether a text shows the value: its name, a word for it, or for an open one another form of its words."""
    names = (value, *attribute.synonyms.get(value, ()))
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names):
        return True
    words = split_words(text)
    if any((m.attribute, m.value) == (attribute.name, value) for m in lexicon(configuration).mentions(words)):
        return True
    return attribute.kind == "open" and _in_other_form(value, frozenset(words.folded))


def _in_other_form(value: str, said: Values) -> bool:
    """Return whether a text has, in some form, more than half of the words of a value."""
    own = split_words(value).folded
    return 2 * sum(any(_akin(word, other) for other in said) for word in own) > len(own)


def _akin(one: str, other: str) -> bool:
    if one == other:
        return True
    needed = max(ALIKE, min(len(one), len(other)) - ENDING)
    return len(one) >= needed and one[:needed] == other[:needed]
