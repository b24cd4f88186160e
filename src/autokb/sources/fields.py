"""Reading named values out of a record: a plain name, or a path such as ``gold_kb[].slug``."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from autokb.core.storable import without_surrogates
from autokb.text.lexicons import WordLists, word_lists

Record = Mapping[str, Any]

# Field names that are known without an option, the likeliest first; ``Ticket No`` is ``ticket_no``.
_BODIES = ("text", "body", "body_text", "content", "markdown", "html", "sections")
TEXT_NAMES = (*_BODIES, "description", "question", "message", "message_text", "query")
TITLE_NAMES = ("title", "subject", "summary", "headline")
DOCUMENT_TITLE_NAMES = ("title", "subject", "heading", "name", "question")
ID_NAMES = ("id", "issue_id", "document_id", "doc_id", "slug")
NUMBER_NAMES = ("ticket_id", "ticket_no", "ticket_number", "case_id", "case_no", "case_number")
ISSUE_ID_NAMES = (*ID_NAMES, *NUMBER_NAMES)
RESOLVED_NAMES = ("resolved_by",)
_BETWEEN_WORDS = re.compile(r"[\s_-]+|(?<=[a-z])(?=[A-Z])")  # sentAt has two words
_SEPARATORS = re.compile(r"[;|\n]")


@dataclass(frozen=True, slots=True)
class Columns(WordLists):
    """Names of columns that people and exports use; the YAML file says how they are written."""

    file: ClassVar[str] = "columns"

    dates: tuple[str, ...] = ()
    months: tuple[str, ...] = ()
    beside_dates: frozenset[str] = frozenset()


DATE_NAMES = tuple(name.replace(" ", "_") for name in word_lists(Columns).dates)
# From here on a float no longer holds every whole number, and ``1e+15`` is how it is written.
_LARGEST_WHOLE_FLOAT = 1e15


def values_at(record: Any, path: str) -> list[Any]:
    """Return every value a path leads to, lists on the way opened; ``[]`` only shows where, and is optional."""
    if isinstance(record, Mapping) and path in record:
        return _as_list(record[path])
    head, _, rest = path.partition(".")
    name = head.removesuffix("[]")
    found: list[Any] = []
    for part in _as_list(record):
        if isinstance(part, Mapping) and name in part:
            inner = part[name]
            found.extend(values_at(inner, rest) if rest else _as_list(inner))
    return found


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def raw_value(record: Record, path: str | None, defaults: Sequence[str]) -> Any:
    """Return the value of the named field as it stands, or of the first default the record has; None if absent."""
    return found_value(record, path, defaults)[1]


def found_value(record: Record, path: str | None, defaults: Sequence[str]) -> tuple[str, Any]:
    """Return the name of the field that ``raw_value`` reads, empty if absent, and its value."""
    if path is None:
        filled = ((key, record[key]) for key in matching_keys(record, defaults) if record[key] not in (None, "", []))
        return next(filled, ("", None))
    if keys := matching_keys(record, (path,)):
        return keys[0], record[keys[0]]
    found = [value for value in values_at(record, path) if value is not None]
    return path if found else "", found if len(found) > 1 else next(iter(found), None)


def has_field(record: Record, path: str) -> bool:
    """Return whether a record has the named field, if only as an empty list or null on the way to it."""
    head = path.partition(".")[0].removesuffix("[]")
    return bool(matching_keys(record, (path,)) or values_at(record, path) or record.get(head, "") in (None, [], {}))


def matching_keys(record: Record, names: Sequence[str]) -> list[str]:
    """Return the record's spelling of the names it has: as given, else as the same ``plain_name``."""
    # Of two keys with one plain name the first counts.
    plain = {plain_name(str(key)): key for key in reversed(list(record))}
    return [name if name in record else plain[plain_name(name)] for name in names if plain_name(name) in plain]


@lru_cache(maxsize=10_000)
def plain_name(name: str) -> str:
    """Return a field's name in small letters, its words joined by ``_``."""
    return _BETWEEN_WORDS.sub("_", name.strip()).casefold()


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
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE_FLOAT:
        return str(int(value))
    return str(value)


def document_names(value: Any) -> tuple[str, ...]:
    """Return the document names a field holds: a list, or one text separated by ``;``, ``|``, lines or commas."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    found: list[str] = []
    for text in map(as_text, _as_list(value)):
        names = _SEPARATORS.split(text.strip())
        if len(names) == 1 and "://" not in text:
            at_commas = [name.strip() for name in text.split(",")]
            # ``a.md, b.md`` are two names, "Mail, folders and search.md" is one: a part with a space is no id.
            names = names if any(" " in name for name in at_commas) else at_commas
        found.extend(name.strip() for name in names if name.strip())
    return tuple(dict.fromkeys(found))
