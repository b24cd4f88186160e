"""Prompts: a strict template a task, in which every value is escaped before it comes between our own tags."""

from __future__ import annotations

import importlib.resources
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from autokb.heuristics.grounding.visible import visible

BREAK = "<!-- user -->"  # a prompt.md is the system turn, this line, the user turn
_ENTITY = re.compile(r"&(?=(?:lt|amp);)")


class Verbatim(str):
    """Text of our own making (tags, JSON of our own) that a template takes as it is."""

    __slots__ = ()


def escaped(text: str) -> str:
    """Return text in which no tag can begin, so that it cannot end the fence it is in; ``unescaped`` undoes it."""
    return _ENTITY.sub("&amp;", text).replace("<", "&lt;")


def unescaped(text: str) -> str:
    """Return what ``escaped`` was made from."""
    return text.replace("&lt;", "<").replace("&amp;", "&")


def _printed(value: Any) -> str:
    """Escape what a template prints, without what nobody but a model would see; lists and mappings become JSON."""
    if isinstance(value, Verbatim):
        return value
    if isinstance(value, str):
        return escaped(visible(value))
    if isinstance(value, Mapping | list | tuple):
        return escaped(visible(json.dumps(value, ensure_ascii=False)))
    return str(value)


def prompt_text(package: str) -> str:
    """Return a task's ``prompt.md`` as it is written."""
    return importlib.resources.files(package).joinpath("prompt.md").read_text("utf-8")


@lru_cache(maxsize=64)
def _templates(package: str) -> tuple[Any, Any]:
    from jinja2 import Environment, StrictUndefined

    system, found, user = prompt_text(package).partition(BREAK)
    if not found:
        raise ValueError(f"{package}: prompt.md needs a line {BREAK} between the system and the user turn")
    environment = Environment(
        undefined=StrictUndefined,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    return environment.from_string(system.strip()), environment.from_string(user.strip())


def render(package: str, values: Mapping[str, Any]) -> tuple[str, str]:
    """Return the system and the user turn of a task's ``prompt.md``.

    Every printed value is escaped, save ``Verbatim`` ones. Raises jinja2.UndefinedError for a variable without a
    value.
    """
    system, user = _templates(package)
    return system.render(values), user.render(values)


@lru_cache(maxsize=64)
def examples(package: str) -> tuple[Mapping[str, Any], ...]:
    """Return those entries of a task's ``examples.yaml`` that show a model's reply (they have ``reply``)."""
    import yaml

    found = yaml.safe_load(importlib.resources.files(package).joinpath("examples.yaml").read_text("utf-8"))
    return tuple(entry for entry in found if "reply" in entry)


def whole_reply(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the whole reply of an example, which may give the entry of its one item only."""
    return reply if "answers" in reply else {"answers": [{"number": 1, **reply}]}


def spelled_reply(reply: Mapping[str, Any]) -> Verbatim:
    """Return the whole reply of an example as a model is to write it, its fields in the order of the schema."""
    return Verbatim(json.dumps(whole_reply(reply), ensure_ascii=False))
