"""Ids are made from what stays, so that edits, feedback and caches can hang on them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from autokb.core.domain import Attribute

# Made once: making one costs more than spelling a short value.
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def digest(*parts: str) -> str:
    """Return a 64-digit hexadecimal SHA-256 over the parts; no two lists of parts can collide by joining."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        h.update(str(len(data)).encode() + b":" + data)
    return h.hexdigest()


def short_id(prefix: str, *parts: str) -> str:
    """Return an id such as ``issue-3f2a...`` (16 hexadecimal digits) made from the parts."""
    return f"{prefix}-{digest(*parts)[:16]}"


def canonical_json(value: Any) -> str:
    """Return the one JSON spelling of a value: sorted keys, no spaces, no escapes; NaN has none (ValueError)."""
    return _ENCODER.encode(value)


def occurrences(keys: Iterable[str]) -> list[int]:
    """Return for each key how often it has been seen before: ``a b a`` gives ``0 0 1``."""
    seen: Counter[str] = Counter()
    result = []
    for key in keys:
        result.append(seen[key])
        seen[key] += 1
    return result


def outside_key(default: Any = None) -> Any:
    """Declare a dataclass field that follows from the others (a vector of a text) and so stays out of the key."""
    return dataclasses.field(default=default, metadata={"key": False}, compare=False, repr=False)


def only_if_other_than(default: Any) -> Any:
    """Declare a dataclass field that stays out of the key while it has this default, so that older keys hold."""
    return dataclasses.field(default=default, metadata={"default_outside_key": True})


_ALWAYS_IN = object()  # the default of a field that is part of the key whatever its value
_LISTS = frozenset({tuple, list})
_ALREADY_JSON = frozenset({str, int, float, bool, type(None)})


@lru_cache(maxsize=256)
def _key_fields(kind: type) -> tuple[tuple[str, Any], ...]:
    """Return the fields that are part of the key, each with the value at which it is left out."""
    return tuple(
        (f.name, f.default if f.metadata.get("default_outside_key") else _ALWAYS_IN)
        for f in dataclasses.fields(kind)
        if f.metadata.get("key", True)
    )


# Complex: one branch for each kind of value, the most frequent first, since every key of a build goes through it.
def key_json(value: Any) -> Any:
    """Return nouns as JSON values with one spelling: sets sorted, fields declared ``outside_key`` left out.

    The result is to be read only: that of a domain's configuration is shared by all that ask for it.
    """
    kind = type(value)
    if kind in _ALREADY_JSON:
        return value
    if kind in _LISTS:
        return [key_json(v) for v in value]
    if dataclasses.is_dataclass(kind):
        fields = ((name, getattr(value, name), default) for name, default in _key_fields(kind))
        return {name: key_json(part) for name, part, default in fields if default is _ALWAYS_IN or part != default}
    if hasattr(kind, "model_dump"):  # a pydantic model; the package itself is imported by who makes one
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        if isinstance(next(iter(value.values()), None), Attribute):
            return _configuration_json(tuple(value.items()))
        return {str(k): key_json(v) for k, v in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(key_json(v) for v in value)
    return value


@lru_cache(maxsize=64)  # a process knows the configurations of a few workspaces
def _configuration_json(attributes: tuple[tuple[str, Attribute], ...]) -> dict[str, Any]:
    """Spell a domain's configuration once: the same one is in thousands of inputs."""
    return {name: key_json(attribute) for name, attribute in attributes}
