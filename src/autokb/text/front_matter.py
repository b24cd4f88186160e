"""What a page says of itself before its text: entries of YAML between lines of ---, or of TOML between lines of +++."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

from autokb.core.errors import BadEntryError
from autokb.core.yaml_text import parse_yaml
from autokb.text.markdown import front_matter_end

_TOML = re.compile(r"\+\+\+[ \t]*\n((?:(?!\+\+\+)[^\n]*\n){0,500})\+\+\+[ \t]*(?:\n|\Z)")
_LONGEST = 20_000  # characters that are read of it: more than people write
_INNER = slice(3, -3)  # without the lines of ---, or its closing ...


def front_matter(text: str) -> Mapping[str, Any]:
    """Return the entries before a text, nothing where there are none or they are no YAML."""
    end = front_matter_end(text[:_LONGEST])
    try:
        found = parse_yaml(text[:end][_INNER], "front matter") if end else {}
    except BadEntryError:
        return {}
    return {str(name): value for name, value in found.items()} if isinstance(found, Mapping) else {}


class Described(NamedTuple):
    """The description and the tags that the front matter of a document gives it."""

    description: str
    tags: tuple[str, ...]


def described(text: str) -> Described:
    """Return what describes a document; tags are a list, or a text with commas between."""
    entries = front_matter(text)
    tags = entries.get("tags")
    several = tags.split(",") if isinstance(tags, str) else tags if isinstance(tags, list) else [tags]
    words = (_words(one.get("label") if isinstance(one, Mapping) else one) for one in several)
    return Described(_words(entries.get("description")), tuple(filter(None, dict.fromkeys(words))))


def _words(value: Any) -> str:
    return " ".join(str(value).split()) if isinstance(value, str | int) else ""


def split_front_matter(text: str) -> tuple[str, str]:
    """Return the front matter of a text, in YAML, and what follows it."""
    if toml := _TOML.match(text):
        try:
            entries = tomllib.loads(toml[1])
        except (tomllib.TOMLDecodeError, RecursionError):
            return "", text
        lines = (f"{name}: {json.dumps(value, ensure_ascii=False, default=str)}\n" for name, value in entries.items())
        return f"---\n{''.join(lines)}---\n", text[toml.end() :]
    end = front_matter_end(text)
    return text[:end], text[end:]
