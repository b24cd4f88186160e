"""The one JSON spelling of a question's input, so that the same question is never worked out or paid for twice."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel


def outside_key(default: Any = None) -> Any:
    """Declare a dataclass field that follows from the others (a vector of a text) and so stays out of the key."""
    return dataclasses.field(default=default, metadata={"key": False}, compare=False, repr=False)


_ALREADY_JSON = frozenset({str, int, float, bool, type(None)})
_CONFIGURATIONS_AT_MOST = 64  # a process knows the configurations of a few workspaces
_configurations: dict[int, tuple[object, Any]] = {}


@lru_cache(maxsize=256)
def _key_fields(kind: type) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(kind) if f.metadata.get("key", True))


def key_json(value: Any) -> Any:
    """Return nouns as JSON values with one spelling: sets sorted, fields declared ``outside_key`` left out."""
    kind = type(value)
    if kind in _ALREADY_JSON:
        return value
    if kind is tuple or kind is list:
        return [key_json(v) for v in value]
    if dataclasses.is_dataclass(kind):
        return {name: key_json(getattr(value, name)) for name in _key_fields(kind)}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return _mapping_json(value)
    if isinstance(value, frozenset | set):
        return sorted(key_json(v) for v in value)
    return value


def _mapping_json(value: Mapping[Any, Any]) -> Any:
    """Spell a mapping; one of nouns is the domain's configuration, the same object in thousands of inputs.

    It is spelled once and remembered together with the object itself, so that its ``id`` cannot come to mean another.
    """
    if not dataclasses.is_dataclass(next(iter(value.values()), None)):
        return {str(k): key_json(v) for k, v in value.items()}
    known = _configurations.get(id(value))
    if known is None or known[0] is not value:
        if len(_configurations) >= _CONFIGURATIONS_AT_MOST:
            _configurations.clear()
        known = _configurations[id(value)] = (value, {str(k): key_json(v) for k, v in value.items()})
    return known[1]
