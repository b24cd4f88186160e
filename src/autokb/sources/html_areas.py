"""Which areas of a page each of its elements is in: menus, banners, footers, forms, what is hidden."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from autokb.core.marks import AreaKind
from autokb.sources.html_tree import Node

NEVER_TEXT = (
    *("script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas", "map", "audio", "video"),
    *("head", "title", "link", "meta", "base", "input", "select", "textarea", "datalist", "option", "optgroup"),
    *("frame", "frameset", "applet"),
)
_AREAS: dict[AreaKind, tuple[str, str]] = {  # the tags of each, and the roles
    "nav": ("nav menu", "navigation menu menubar toolbar"),
    "header": ("header", "banner"),
    "footer": ("footer", "contentinfo"),
    "aside": ("aside", "complementary"),
    "form": ("form fieldset button label", "search"),
    "dialog": ("dialog", "dialog alertdialog"),
}
TAGS_OF_AREAS = {tag: area for area, (tags, _) in _AREAS.items() for tag in tags.split()}
_ROLES = {role: area for area, (_, roles) in _AREAS.items() for role in roles.split()}
_NOTES = re.compile(r"note|tip|warning|caution|important|admonition|info|hint|callout|step|example", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
NOWHERE: frozenset[AreaKind] = frozenset()
_MOST = 0.5  # of the page's text: what holds more of it is no area beside the text, whatever it is called


def areas_of(nodes: Sequence[Node], body: Any) -> dict[Any, frozenset[AreaKind]]:
    """Return by element the kinds of areas (navigation, note, ...) that it or an element around it is.

    Only elements of ``body`` are in it. An element that holds more than half of the page's text is no area.
    """
    lengths = _text_lengths(nodes)
    most = lengths.get(body, 0) * _MOST
    found = {body: NOWHERE}
    for element, parent, _, _ in nodes:
        above = found.get(parent)
        if above is None:
            continue
        kinds = _kinds(element)
        found[element] = above | kinds if kinds and lengths[element] <= most else above
    return found


def _text_lengths(nodes: Sequence[Node]) -> dict[Any, int]:
    """Return for each element the characters of its text, from the leaves up."""
    lengths: dict[Any, int] = {}
    for element, parent, text, tail in reversed(nodes):
        length = lengths.get(element, 0) + (len(text.strip()) if text else 0)
        lengths[element] = length
        if tail:
            length += len(tail.strip())
        if length:
            lengths[parent] = lengths.get(parent, 0) + length
    return lengths


def _kinds(element: Any) -> frozenset[AreaKind]:
    kind = TAGS_OF_AREAS.get(element.tag)
    attributes = dict(element.items())
    if "role" in attributes:
        kind = _ROLES.get(attributes["role"].lower()) or kind
    found: list[AreaKind] = [kind] if kind and not _is_part_of_the_text(element, kind) else []
    if attributes and is_hidden(attributes):
        found.append("hidden")
    return frozenset(found) if found else NOWHERE


def _is_part_of_the_text(element: Any, kind: AreaKind) -> bool:
    if element.tag in ("button", "label"):
        return not _is_alone(element)
    if kind == "aside":
        return _NOTES.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None
    if kind == "header":
        return next(element.iterdescendants("h1"), None) is not None
    return kind == "footer" and next(element.iterancestors("blockquote"), None) is not None


def _is_alone(button: Any) -> bool:
    """Return whether a button is a control of the page, no word of a sentence (Click <button>Save</button>)."""
    parent = button.getparent()
    around = (parent.text or "").strip() if parent is not None else ""
    before = button.getprevious()
    around += (button.tail or "").strip() + ((before.tail or "").strip() if before is not None else "")
    return not around


def is_hidden(attributes: Mapping[str, str]) -> bool:
    """Return whether an element with these attributes is not shown, at least until somebody clicks."""
    return (
        attributes.get("hidden", "until-found") != "until-found"
        or attributes.get("aria-hidden") == "true"
        or ("style" in attributes and _NOT_SHOWN.search(attributes["style"]) is not None)
    )
