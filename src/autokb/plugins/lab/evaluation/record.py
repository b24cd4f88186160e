"""What an evaluation found has one JSON shape, that of its fields; no report writes its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from typing import Any

from autokb.plugins.lab.evaluation.report import Reported

# Fields whose parts stand in their place, so that the ends of an interval are beside what was counted with it.
INLINE = frozenset({"difference", "gold", "interval", "results", "shares", "source", "spending", "usage"})


@dataclass(frozen=True, slots=True)
class Record(Reported):
    """A frozen dataclass that is its own JSON shape: every field under its name, in the order of the fields.

    An optional field (one with a default) that holds nothing is left out.
    """

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        shape: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            is_optional = field.default is not MISSING or field.default_factory is not MISSING
            if value or not is_optional:
                shape |= _json(value) if field.name in INLINE else {field.name: _json(value)}
        return shape


def _json(value: Any) -> Any:
    if hasattr(value, "as_json"):
        return value.as_json()
    if isinstance(value, Mapping):
        return {str(key): _json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_json(one) for one in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
