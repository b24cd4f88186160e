"""The fields that a person named for records: one that no record has is misspelt."""

from __future__ import annotations

from collections.abc import Iterable

from autokb.sources.fields import has_field
from autokb.sources.records import PlacedRecord

_MOST_SHOWN_FIELDS = 20  # that a sentence names: enough to find the right one


def shown_fields(fields: Iterable[str]) -> str:
    """Return the first fields, or columns, of a record in one line."""
    return ", ".join(list(fields)[:_MOST_SHOWN_FIELDS])


def option_of(part: str) -> str:
    """Return the option that names the field of a part of a record."""
    return f"--{part.replace('_', '-')}-field"


class NamedFields:
    """Which of the named fields some record has, over all files that one command reads."""

    def __init__(self, fields: object, *parts: str) -> None:
        """Take the fields of some parts of a record, as a person named them."""
        self._missing: dict[str, str] = {option_of(part): name for part in parts if (name := getattr(fields, part))}
        self._fields: dict[str, None] = {}
        self._files: dict[str, None] = {}

    def look_in(self, records: Iterable[PlacedRecord], relative: str) -> None:
        """Look for the fields that no record had so far."""
        if not self._missing:
            return
        for placed in records:
            self._files[relative] = None
            if len(self._fields) < _MOST_SHOWN_FIELDS:
                self._fields.update(dict.fromkeys(map(str, placed.record)))
            found = [option for option, name in self._missing.items() if has_field(placed.record, name)]
            for option in found:
                del self._missing[option]
            if not self._missing:
                return

    def missing_field(self) -> str:
        """Return a sentence about the first named field that no record has; nothing where all are there.

        Where no record was read nothing is said.
        """
        if not self._missing or not self._files:
            return ""
        option, name = next(iter(self._missing.items()))
        files = list(self._files)
        holder = files[0] if len(files) == 1 else f"the {len(files)} files that have fields"
        fields = shown_fields(self._fields)
        return f"No record of {holder} has the field {name!r} that {option} names; the fields are: {fields}."
