"""What the readers of all trackers share: names, texts and dates out of nested records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from autokb.core.tickets import TicketLink
from autokb.sources.fields import Record, as_text

_NAMES = ("name", "displayName", "login", "value", "key", "title", "id")  # of a nested object, the most readable first


def name_of(value: Any) -> str:
    """Return the name of an object such as ``{"name": "Closed"}``, or a plain value as text; nothing for none."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in _NAMES if value.get(name) not in (None, "", [])), "")
    return " ".join(as_text(value).split())


def names_of(value: Any) -> tuple[str, ...]:
    """Return the names of a list of objects, or of a text with commas or semicolons between them; each once."""
    if isinstance(value, str):
        value = [part for whole in value.split(";") for part in whole.split(",")]
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return tuple(dict.fromkeys(filter(None, map(name_of, values))))


def date_of(value: Any) -> str:
    """Return a date as it is written; ``clean_ticket`` reads it, and an ``add`` says which could not be read."""
    return as_text(value).strip()


def as_mappings(value: Any) -> list[Record]:
    """Return the objects of a list; anything else is left out."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def each_once(links: Iterable[TicketLink]) -> tuple[TicketLink, ...]:
    """Return links without repetition and without such as lead nowhere."""
    return tuple(dict.fromkeys(link for link in links if link.target))
