"""Honest replies in odd clothes: JSON in the form that its schema asks for, wherever it is plain what was meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

NUMBER = "number"  # the field of an entry that says which item it is about
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_LOOK_ALIKES = str.maketrans("‘’‚‛“”„‟«»‐‑‒–—−", '\'\'\'\'""""""------')


def normalize_reply(data: Any, schema: Schema) -> Any:
    """Return a reply in the form of its JSON schema; a reply that has this form already comes back as it is.

    Fields that nobody asked for are dropped beside all that were. A list or a text that is null or left out is empty,
    where it may be. A number or a yes or no may stand in quotes, and a name that is enumerated may have other quotes,
    dashes, white space or case. All else stays as it was written, for whoever reads the reply to refuse.
    """
    return _normalized(data, schema, schema.get("$defs", {}))


def _normalized(value: Any, schema: Schema, definitions: Mapping[str, Schema]) -> Any:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    match schema.get("type"):
        case "object" if isinstance(value, dict) and "properties" in schema:
            return _object(value, schema["properties"], definitions)
        case "array" if isinstance(value, list):
            return [_normalized(part, schema.get("items", {}), definitions) for part in value]
        case "array" | "string" if value is None and _may_be_empty(schema):
            return _empty(schema)
        case "string" if isinstance(value, str) and "enum" in schema:
            return _one_of(value, schema["enum"])
        case "integer":
            return _whole(value)
        case "boolean" if isinstance(value, str):
            return {"true": True, "false": False}.get(value.strip().casefold(), value)
    return value


def _object(value: dict[str, Any], parts: Mapping[str, Schema], definitions: Mapping[str, Schema]) -> dict[str, Any]:
    found = {name: _normalized(part, parts[name], definitions) for name, part in value.items() if name in parts}
    if not (missing := parts.keys() - found.keys()):
        return found
    if value.keys() - parts.keys():
        return value  # the field that is missing may be the one that nobody knows, under another name
    if NUMBER in parts and found.keys() <= {NUMBER}:
        return found  # an entry that says nothing about its item is not an empty one
    return found | {name: _empty(parts[name]) for name in parts if name in missing and _may_be_empty(parts[name])}


def _may_be_empty(schema: Schema) -> bool:
    """Return whether a part of a reply is a list or a text that may be empty."""
    if schema.get("type") == "array":
        return not schema.get("minItems")
    return schema.get("type") == "string" and not schema.get("minLength") and not schema.keys() & {"enum", "const"}


def _empty(schema: Schema) -> Any:
    return [] if schema["type"] == "array" else ""


def _one_of(value: str, names: Sequence[str]) -> str:
    if value in names:
        return value
    meant = [name for name in names if _folded(name) == _folded(value)]
    return meant[0] if len(meant) == 1 else value


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).translate(_LOOK_ALIKES).casefold().split())


def _whole(value: Any) -> Any:
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value
