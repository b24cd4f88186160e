"""How a model is asked for attribute values: many texts in one request, the values of closed attributes enumerated."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

from autokb.core.attributes import ANY, as_lists, from_lists
from autokb.core.domain import read_domain
from autokb.core.ids import canonical_json
from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.issues.extract_attributes.attribute_fields import (
    attributes_type,
    described,
    is_said,
    tokens_of,
    values_read,
)
from autokb.tasks.issues.extract_attributes.shapes import ExtractAttributes, ExtractedAttributes, check
from autokb.tasks.prompts import Verbatim, examples
from autokb.tasks.task import plain
from autokb.text.lexicon import settled

PACKAGE = "autokb.tasks.issues.extract_attributes"
TOGETHER = 25  # texts in one request: more and models begin to mix them up
READ = 4_000  # characters of a text: who and what it is about stands before that, logs after


def values(items: Sequence[ExtractAttributes]) -> Mapping[str, Any]:
    """Return the template's variables; the configuration stands first and is the same for all."""
    return {
        "kind": items[0].kind,
        "attributes": described(items[0].configuration),
        "texts": [item.text[:READ] for item in items],
        "examples": [_example(entry) for entry in examples(PACKAGE)],
    }


def _example(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    spec = read_domain({"attributes": entry["domain"]}).attributes
    reply = Verbatim(json.dumps(entry["reply"], ensure_ascii=False))
    return {"attributes": described(spec), "texts": entry["texts"], "why": entry["why"], "reply": reply}


def entry(items: Sequence[ExtractAttributes]) -> type[Wire]:
    """Return the type of one entry: the text's number and a list of values for every attribute."""
    numbers = tuple(range(1, len(items) + 1))
    return wire("Entry", number=Literal[numbers], attributes=attributes_type(items[0].configuration))


def read(
    items: Sequence[ExtractAttributes], position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[ExtractedAttributes, tuple[str, ...]]:
    """Turn an entry into the task's answer; a value of an open attribute that the text does not show is left out."""
    item = items[position]
    found = values_read(entry.attributes, item.configuration)
    check(item, ExtractedAttributes(attributes=found))
    complaints = []
    for name in found:
        for value in _unsaid(item, name, found[name]):
            found[name] = [kept for kept in found[name] if kept != value]
            complaints.append(f"Number {position + 1}: {name}: the text does not say {value!r}.")
    return _answer(item, found), tuple(complaints)


def _unsaid(item: ExtractAttributes, name: str, found: Sequence[str]) -> list[str]:
    """Return the values of an open attribute that nobody configured and the text does not show."""
    attribute = item.configuration[name]
    if attribute.kind == "closed":
        return []
    known = {"Any", "NONE", *attribute.values, *attribute.examples, *attribute.synonyms}
    return [v for v in found if v not in known and not is_said(item.text, attribute, v, item.configuration)]


def _answer(item: ExtractAttributes, found: Mapping[str, list[str]]) -> ExtractedAttributes:
    """Spell the values in the one way that offline answers have too, and add what they settle."""
    said = {n: item.configuration[n].normal(v) for n, v in from_lists(found).items() if v}
    if item.kind == "solution":
        said = {name: values for name, values in said.items() if values != ANY}
    return ExtractedAttributes(attributes=as_lists(settled(said, item.configuration)))


def tokens(item: ExtractAttributes) -> tuple[int, int]:
    """Return the most and the usual number of tokens of an entry."""
    most, usual = tokens_of(item.configuration)
    return most + 16, usual * 3 // 4


def together(item: ExtractAttributes) -> Hashable:
    """Texts of one kind that are read against one configuration can share a request."""
    return item.kind, canonical_json(plain(item.configuration))


ASKING = Asking(PACKAGE, values, entry, read, tokens, together, TOGETHER)
