"""Records that hold a text in parts (sections with headings, blocks, steps) become one text in one markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from autokb.sources.fields import as_text
from autokb.sources.markup import Markup, detect_markup

# Field names and types of blocks as help centers and documentation tools export them.
_HEADING_NAMES = ("heading", "title", "question", "name")
_TEXT_NAMES = ("text", "body", "content", "markdown", "html", "answer", "blocks", "sections", "items")
_ORDERED_TYPES = frozenset({"steps", "ol", "ordered", "ordered_list", "numbered", "procedure"})
_CODE_TYPES = frozenset({"screen", "code", "pre", "listing"})
# Records deeper than this are no text by a person; what is below is left out.
_MAX_NESTING = 12
_TOP_LEVEL = 2


def join_sections(value: Any, markup: Markup | None = None) -> tuple[str, Markup]:
    """Return the text of a field and its markup; a list of sections gets headings in that same markup."""
    if not isinstance(value, list | Mapping):
        text = as_text(value)
        return text, markup or detect_markup(text)
    markup = markup or detect_markup("\n\n".join(_strings(value, 0)))
    parts = [part for part in _parts(value, markup, _TOP_LEVEL, 0) if part.strip()]
    return "\n\n".join(parts), markup


def _strings(value: Any, depth: int) -> list[str]:
    if depth > _MAX_NESTING:
        return []
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in _strings(item, depth + 1)]
    return [value] if isinstance(value, str) else []


def _parts(value: Any, markup: Markup, level: int, depth: int) -> list[str]:
    if depth > _MAX_NESTING:
        return []
    if isinstance(value, Mapping):
        return _section(value, markup, level, depth)
    if isinstance(value, list):
        return [part for item in value for part in _parts(item, markup, level, depth + 1)]
    return [as_text(value)]


def _section(section: Mapping[str, Any], markup: Markup, level: int, depth: int) -> list[str]:
    heading = next((as_text(section[n]) for n in _HEADING_NAMES if isinstance(section.get(n), str)), "")
    given = section.get("level")
    level = max(1, min(6, given)) if isinstance(given, int) and not isinstance(given, bool) else level
    kind = str(section.get("type") or "").lower()
    parts = [_heading(" ".join(heading.split()), level, markup)] if heading.strip() else []
    for name in _TEXT_NAMES:
        inner = section.get(name)
        if name == "items" and isinstance(inner, list):
            parts.append(_list(inner, kind in _ORDERED_TYPES, markup))
        elif kind in _CODE_TYPES and isinstance(inner, str):
            parts.append(f"<pre>{escape(inner)}</pre>" if markup == "html" else f"```\n{inner}\n```")
        elif inner is not None:
            parts.extend(_parts(inner, markup, min(6, level + 1), depth + 1))
    return parts


def _heading(heading: str, level: int, markup: Markup) -> str:
    if markup == "wiki":
        return f"{'=' * level} {heading} {'=' * level}"
    return f"<h{level}>{escape(heading)}</h{level}>" if markup == "html" else f"{'#' * level} {heading}"


def _list(items: Sequence[Any], ordered: bool, markup: Markup) -> str:
    texts = []
    for item in items:
        if isinstance(item, Mapping):
            names = (*_TEXT_NAMES, *_HEADING_NAMES)
            item = next((item[name] for name in names if isinstance(item.get(name), str)), "")
        if text := " ".join(as_text(item).split()):
            texts.append(text)
    if markup == "html":
        tag = "ol" if ordered else "ul"
        return f"<{tag}>" + "".join(f"<li>{text}</li>" for text in texts) + f"</{tag}>"
    if markup == "wiki":
        return "\n".join(f"{'#' if ordered else '*'} {text}" for text in texts)
    return "\n".join(f"{n}. {text}" if ordered else f"- {text}" for n, text in enumerate(texts, 1))
