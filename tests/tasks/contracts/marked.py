"""Every string of a task's input, found and changed wherever it stands, so that a prompt can be searched for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel

Change = Callable[[str], str]


def strings(value: Any, unseen: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Give (where, string) for every string of an item, save fields outside the key, Literal fields and unseen ones."""
    yield from _strings(value, unseen, type(value).__name__)


def changed(value: Any, change: Change) -> Any:
    """Return an item with every string changed (mapping keys too), save Literal fields; equal strings stay equal."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {changed(k, change): changed(v, change) for k, v in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return type(value)(changed(v, change) for v in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **{n: changed(v, change) for n, v in fields(value)})
    if isinstance(value, BaseModel):
        return value.model_copy(update={n: changed(v, change) for n, v in fields(value)})
    return value


def fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Give the fields of a noun that tell something: those of its key whose type is no Literal.

    What is outside of it by default (a language) is shown to no model: the texts show it.
    """
    hints = get_type_hints(type(value))
    if isinstance(value, BaseModel):
        names = list(type(value).model_fields)
    else:
        names = [f.name for f in dataclasses.fields(value) if f.metadata.get("key", True)]
        names = [n for n in names if "default_outside_key" not in value.__dataclass_fields__[n].metadata]
    for name in names:
        if get_origin(hints[name]) is not Literal and not any(get_origin(a) is Literal for a in get_args(hints[name])):
            yield name, getattr(value, name)


def _strings(value: Any, unseen: Mapping[str, str], where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _strings(key, unseen, where)
            yield from _strings(part, unseen, where)
    elif isinstance(value, tuple | list | Set):
        for part in value:
            yield from _strings(part, unseen, where)
    elif isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
        for name, part in fields(value):
            place = f"{type(value).__name__}.{name}"
            if place not in unseen:
                yield from _strings(part, unseen, place)
