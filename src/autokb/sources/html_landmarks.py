"""Which parts of a page each of its elements stands in: menus, banners, footers, forms, what is hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from autokb.knowledge.marks import MarkKind
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
_NOTHING: frozenset[MarkKind] = frozenset()
_MOST = 0.5  # of the page's text: what holds more of it is no furniture, whatever it is called


def landmarks(root: Any, lengths: dict[Any, int], body: Any) -> dict[Any, frozenset[MarkKind]]:
    """Return for each element the kinds of the parts it stands in; elements in none are left out."""
    whole = lengths.get(body, 0)
    found: dict[Any, frozenset[MarkKind]] = {}
    for element in body.iterdescendants():
        above = found.get(element.getparent(), _NOTHING)
        own = _NOTHING if lengths.get(element, 0) > whole * _MOST else frozenset(_kinds(element))
        if above or own:
            found[element] = above | own
    return found


def _kinds(element: Any) -> Iterator[MarkKind]:
    tag, role = element.tag, (element.get("role") or "").lower()
    kind = _ROLES.get(role) or _TAGS.get(tag)
    if kind and not _is_part_of_the_text(element, kind):
        yield kind
    if _is_hidden(element):
        yield "hidden"
    if _names_furniture(element):
        yield "named"


def _is_part_of_the_text(element: Any, kind: MarkKind) -> bool:
    if element.tag in ("button", "label"):
        return not stands_alone(element)
    if kind == "aside":
        return KEPT_ASIDES.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None
    if kind == "header":
        return holds_any(element, "h1")
    return kind == "footer" and is_inside(element, "blockquote")


def _is_hidden(element: Any) -> bool:
    hidden = element.get("hidden")
    return (
        (hidden is not None and hidden != "until-found")
        or element.get("aria-hidden") == "true"
        or _NOT_SHOWN.search(element.get("style") or "") is not None
    )


def _names_furniture(element: Any) -> bool:
    return any(map(_is_furniture_name, f"{element.get('class') or ''} {element.get('id') or ''}".split()))


@lru_cache(maxsize=4096)
def _is_furniture_name(name: str) -> bool:
    words = LETTERS.findall(name.lower())
    known = [w for w in words if NOISE_WORDS.fullmatch(w) or LINK_WORDS.fullmatch(w)]
    return bool(known) and all(w in known or NEUTRAL_WORDS.fullmatch(w) for w in words)
