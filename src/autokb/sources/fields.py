"""Reading named values out of a record: a plain name, or a path such as ``gold_kb[].slug``."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from autokb.sources.decoding import without_surrogates

Record = Mapping[str, Any]

TEXT_NAMES = ("text", "body", "content", "markdown", "html", "sections", "description", "question", "message", "query")
TITLE_NAMES = ("title", "subject", "summary", "headline")
DOCUMENT_TITLE_NAMES = ("title", "subject", "heading", "name", "question")
ID_NAMES = ("id", "issue_id", "document_id", "doc_id", "slug")
DATE_NAMES = ("date", "created", "created_at", "timestamp")
RESOLVED_NAMES = ("resolved_by",)
_SEPARATORS = re.compile(r"[;|\n]")


def values_at(record: Any, path: str) -> list[Any]:
    """Return every value a path leads to, lists on the way opened; ``[]`` says so aloud and is optional."""
    if isinstance(record, Mapping) and path in record:
        return _opened(record[path])
    head, _, rest = path.partition(".")
    name = head.removesuffix("[]")
    found: list[Any] = []
    for part in _opened(record):
        if isinstance(part, Mapping) and name in part:
            inner = part[name]
            found.extend(values_at(inner, rest) if rest else _opened(inner))
    return found


def _opened(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def raw_value(record: Record, path: str | None, defaults: Sequence[str]) -> Any:
    """Return the value of the named field as it stands, or of the first default the record has; None if absent."""
    if path is None:
        return next((record[name] for name in _spelt(record, defaults) if _filled(record[name])), None)
    for name in _spelt(record, (path,)):
        return record[name]
    found = [value for value in values_at(record, path) if value is not None]
    return found if len(found) > 1 else next(iter(found), None)


def _spelt(record: Record, names: Sequence[str]) -> list[str]:
    """Return the record's own spelling of the names it has: as given, else whatever the case."""
    folded = {str(key).strip().casefold(): key for key in reversed(list(record))}
    return [name if name in record else folded[name.casefold()] for name in names if name.casefold() in folded]


def _filled(value: Any) -> bool:
    return value is not None and value != "" and value != []


def as_text(value: Any) -> str:
    """Return a scalar as text: numbers as they are written, None as nothing, several joined by blank lines."""
    if value is None:
        return ""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return "\n\n".join(filter(None, map(as_text, value)))
    if isinstance(value, bool | Mapping):
        return without_surrogates(json.dumps(value, ensure_ascii=False, sort_keys=True))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def names_in(value: Any) -> tuple[str, ...]:
    """Return the document names a field holds: a list, or one text separated by ``;``, ``|``, lines or commas."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    found: list[str] = []
    for one in _opened(value):
        text = as_text(one).strip()
        parts = _SEPARATORS.split(text)
        if len(parts) == 1 and "," in text and "://" not in text:
            parts = _at_commas(text)
        found.extend(p.strip() for p in parts if p.strip())
    return tuple(dict.fromkeys(found))


def _at_commas(text: str) -> list[str]:
    """Split ``a.md, b.md`` but leave ``Mail, folders and search.md`` whole: every part must look like an id."""
    parts = [p.strip() for p in text.split(",") if p.strip()]
    return parts if all(" " not in p for p in parts) else [text]
