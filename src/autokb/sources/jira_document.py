"""The document format of Jira Cloud (version 3 of its REST interface) to Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autokb.sources.dates import iso_date
from autokb.sources.page import fenced, markdown_table

DEEPEST = 30  # levels of nesting that are followed; a hostile file may have a million
_SHOWN = ("mention", "emoji", "status", "date")
_MARKS = {"strong": "**", "em": "*", "code": "`", "strike": "~~"}


def document_to_markdown(node: Any) -> str:
    """Return the Markdown of a document; what is of an unknown type gives what it holds."""
    return "\n\n".join(filter(None, _blocks(node, 0))).strip()


# Complex: one branch for each kind of block that Jira's format has.
def _blocks(node: Any, depth: int) -> list[str]:
    if not isinstance(node, Mapping) or depth > DEEPEST:
        return []
    kind, content = node.get("type"), _content(node)
    if kind in ("bulletList", "orderedList"):
        return [_list_lines(content, depth, ordered=kind == "orderedList")]
    if kind == "codeBlock":
        return [fenced(_inline(content, depth, plain=True), _attribute(node, "language"))]
    if kind == "heading":
        return [f"{_heading_mark(_attribute(node, 'level'))} {_inline(content, depth)}"]
    if kind == "paragraph":
        return [_inline(content, depth)]
    if kind in ("blockquote", "panel"):
        return ["\n".join(f"> {line}" for line in _join(content, depth).split("\n"))]
    if kind == "table":
        return [_table(content, depth)]
    if kind == "rule":
        return ["---"]
    inside = [block for child in content for block in _blocks(child, depth + 1)]
    return inside or [_inline([node], depth)]


def _heading_mark(level: str) -> str:
    """Return Markdown's mark of a heading, of level 2 where it has none that Markdown knows."""
    return "#" * (int(level) if level in list("123456") else 2)


def _join(content: list[Any], depth: int) -> str:
    return "\n\n".join(block for child in content for block in _blocks(child, depth + 1) if block)


def _list_lines(items: list[Any], depth: int, *, ordered: bool) -> str:
    lines = []
    for number, item in enumerate(items, 1):
        mark = f"{number}. " if ordered else "- "
        text = _join(_content(item), depth + 1).replace("\n\n", "\n").replace("\n", "\n" + " " * len(mark))
        lines.append(mark + text)
    return "\n".join(lines)


def _table(rows: list[Any], depth: int) -> str:
    cells = [[_join(_content(cell), depth + 2).replace("\n", " ") for cell in _content(row)] for row in rows]
    return markdown_table(cells) if cells else ""


def _inline(nodes: list[Any], depth: int, *, plain: bool = False) -> str:
    if depth > DEEPEST:
        return ""
    return "".join(_run(node, depth, plain=plain) for node in nodes if isinstance(node, Mapping))


# Complex: one branch for each kind of inline node that Jira's format has.
def _run(node: Mapping[str, Any], depth: int, *, plain: bool) -> str:
    kind = node.get("type")
    if kind == "hardBreak":
        return "\n"
    if kind in _SHOWN:
        return next(filter(None, (_attribute(node, name) for name in ("text", "shortName"))), _day(node))
    if kind in ("inlineCard", "blockCard"):
        return f"<{_attribute(node, 'url')}>" if _attribute(node, "url") else ""
    text = node.get("text")
    if not isinstance(text, str):
        return _inline(_content(node), depth + 1, plain=plain)
    if plain:
        return text
    for mark in node.get("marks") or ():
        if not isinstance(mark, Mapping) or not text.strip():
            continue
        if mark.get("type") == "link" and _attribute(mark, "href"):
            text = f"[{text}]({_attribute(mark, 'href')})"
        elif sign := _MARKS.get(str(mark.get("type"))):
            text = f"{sign}{text}{sign}"
    return text


def _day(node: Mapping[str, Any]) -> str:
    """Return the day of a date, which its milliseconds since 1970 say."""
    return iso_date(_attribute(node, "timestamp"))[:10]


def _content(node: Any) -> list[Any]:
    content = node.get("content") if isinstance(node, Mapping) else None
    return content if isinstance(content, list) else []


def _attribute(node: Mapping[str, Any], name: str) -> str:
    attributes = node.get("attrs")
    value = attributes.get(name) if isinstance(attributes, Mapping) else None
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
