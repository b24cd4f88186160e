"""Which parts of a page each of its elements stands in: menus, banners, footers, forms, what is hidden."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from autokb.core.marks import MarkKind
from autokb.sources.html_furniture import (
    KEPT_ASIDES,
    LETTERS,
    LINK_WORDS,
    NEUTRAL_WORDS,
    NOISE_WORDS,
    holds_any,
    is_inside,
    stands_alone,
)
from autokb.sources.html_tree import Node

_TAGS: dict[str, MarkKind] = {
    "nav": "nav",
    "menu": "nav",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "form": "form",
    "fieldset": "form",
    "button": "form",
    "label": "form",
    "dialog": "dialog",
}
_ROLES: dict[str, MarkKind] = {
    "navigation": "nav",
    "menu": "nav",
    "menubar": "nav",
    "toolbar": "nav",
    "search": "form",
    "banner": "header",
    "contentinfo": "footer",
    "complementary": "aside",
    "dialog": "dialog",
    "alertdialog": "dialog",
}
_NOT_SHOWN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
NOWHERE: frozenset[MarkKind] = frozenset()
_MOST = 0.5  # of the page's text: what holds more of it is no furniture, whatever it is called


def landmarks(nodes: Sequence[Node], body: Any) -> dict[Any, frozenset[MarkKind]]:
    """Return for each element of the body the kinds of the parts it stands in."""
    lengths = _text_lengths(nodes)
    most = lengths.get(body, 0) * _MOST
    found = {body: NOWHERE}
    for element, parent, _, _ in nodes:
        above = found.get(parent)
        if above is None:
            continue
        own = _kinds(element)
        found[element] = above | own if own and lengths[element] <= most else above
    return found


def _text_lengths(nodes: Sequence[Node]) -> dict[Any, int]:
    """Return for each element the characters of its text, from the leaves up."""
    lengths: dict[Any, int] = {}
    for element, parent, text, tail in reversed(nodes):
        own = lengths.get(element, 0) + (len(text.strip()) if text else 0)
        lengths[element] = own
        if tail:
            own += len(tail.strip())
        if own:
            lengths[parent] = lengths.get(parent, 0) + own
    return lengths


def _kinds(element: Any) -> frozenset[MarkKind]:
    kind = _TAGS.get(element.tag)
    attributes = dict(element.items())
    if "role" in attributes:
        kind = _ROLES.get(attributes["role"].lower()) or kind
    found: list[MarkKind] = [kind] if kind and not _is_part_of_the_text(element, kind) else []
    if attributes:
        if _is_hidden(attributes):
            found.append("hidden")
        if _names_furniture(attributes.get("class", ""), attributes.get("id", "")):
            found.append("named")
    return frozenset(found) if found else NOWHERE


def _is_part_of_the_text(element: Any, kind: MarkKind) -> bool:
    if element.tag in ("button", "label"):
        return not stands_alone(element)
    if kind == "aside":
        return KEPT_ASIDES.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None
    if kind == "header":
        return holds_any(element, "h1")
    return kind == "footer" and is_inside(element, "blockquote")


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    return (
        attributes.get("hidden", "until-found") != "until-found"
        or attributes.get("aria-hidden") == "true"
        or ("style" in attributes and _NOT_SHOWN.search(attributes["style"]) is not None)
    )


@lru_cache(maxsize=4096)
def _names_furniture(classes: str, name: str) -> bool:
    return any(map(_is_furniture_name, f"{classes} {name}".split()))


@lru_cache(maxsize=4096)
def _is_furniture_name(name: str) -> bool:
    kinds = {_kind_of_word(word) for word in LETTERS.findall(name.lower())}
    return "furniture" in kinds and "other" not in kinds


@lru_cache(maxsize=4096)
def _kind_of_word(word: str) -> str:
    if NOISE_WORDS.fullmatch(word) or LINK_WORDS.fullmatch(word):
        return "furniture"
    return "neutral" if NEUTRAL_WORDS.fullmatch(word) else "other"
