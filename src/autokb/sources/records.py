"""Records from JSON Lines and JSON; a bad line is skipped alone, the others are taken."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Skipped
from autokb.sources.decoding import bom_encoding, decode
from autokb.sources.fields import Record, as_text
from autokb.sources.markup import Markup, detect_markup

# A file of garbage should not drown the report.
_MAX_REPORTED_LINES = 50
# Characters: an object that holds a longer text is a document, whatever lists it holds.
_MAX_LABEL_CHARACTERS = 200
# Of one file, more than twice what is searched exactly; a hundred megabytes of brackets would need five gigabytes.
MOST_RECORDS = 500_000
_MOST_VALUES = 5_000_000
_WRAPPED = ("tickets", "issues")  # lists that an export names so, which may hold people and the like beside them
_BESIDE = "holds {count} objects beside the {records}, which are not read."
_TEXT_NAMES = ("text", "body", "content", "markdown", "html", "sections")


@dataclass(frozen=True, slots=True)
class PlacedRecord:
    """A record, its line (or position) in the file from 1, and whether it is the whole file, or a mere line of it."""

    record: Record
    line: int
    is_whole_file: bool = False
    is_line: bool = False


def read_json_lines(data: bytes, relative: str) -> tuple[list[PlacedRecord], list[Skipped]]:
    r"""Return the records of a JSON Lines file, which is split at ``\n`` only."""
    if bom_encoding(data):
        data = decode(data).encode("utf-8", "replace")
    refuse_too_many(data.count(b"\n"))
    lines = ((number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip())
    found, skipped = _records(lines, relative)
    if skipped and not found:
        line = skipped[0].path.rpartition(":")[2]
        raise UnreadableFileError(f"holds no JSON line that can be read (line {line} {skipped[0].reason})")
    return found, shorten_report(skipped, relative)


def read_json(data: bytes, relative: str, part: str = "") -> tuple[list[PlacedRecord], list[Skipped]]:
    """Return the records of a JSON file: an array, an object that wraps one array of objects, or one record.

    An object with an array named ``part`` is one record, which wraps nothing.
    """
    # Each value but the first stands behind one of these; those inside of texts are far fewer.
    if sum(map(data.count, (b",", b"[", b"{"))) > _MOST_VALUES:
        raise UnreadableFileError(f"holds more than {_MOST_VALUES:,} values; split it into smaller files.")
    value, beside = _parse(decode(data).encode("utf-8", "replace")), list[Skipped]()
    if isinstance(value, Mapping):
        wrapped, arrays = _wrapped(value)
        if not wrapped or part in value:
            return [PlacedRecord(value, 1, is_whole_file=True)], []
        beside = [Skipped(f"{relative}, {n}", _BESIDE.format(count=len(v), records=wrapped)) for n, v in arrays.items()]
        names = value.get("names")  # of the custom fields of Jira's issues, which each of them is read with
        value = [{"names": names, **one} if isinstance(names, Mapping) else one for one in value[wrapped]]
    if not isinstance(value, list):
        raise UnreadableFileError("holds neither an array nor an object; write an array of records.")
    refuse_too_many(len(value))
    found, skipped = _records(enumerate(value, 1), relative)
    return found, [*beside, *shorten_report(skipped, relative)]


# Complex: which of several lists holds the records is told by all of them.
def _wrapped(value: Record) -> tuple[str, dict[str, Any]]:
    """Return the name of the records that an object wraps, nothing where it is one itself, and its other lists."""
    lists = {n: v for n, v in value.items() if isinstance(v, list) and v and all(isinstance(i, Mapping) for i in v)}
    name = next((name for name in _WRAPPED if name in lists), "") if len(lists) > 1 else next(iter(lists), "")
    return "" if _has_text(value) else name, {n: v for n, v in lists.items() if n != name}


def _has_text(value: Record) -> bool:
    """Return whether an object holds a text of its own, as a document does, whatever lists it holds."""
    has_long = any(isinstance(v, str) and len(v) > _MAX_LABEL_CHARACTERS for v in value.values())
    return has_long or any(name in value for name in _TEXT_NAMES)


def refuse_too_many(records: int) -> None:
    """Raise UnreadableFileError where a file has more records than one may have."""
    if records > MOST_RECORDS:
        raise UnreadableFileError(f"holds more than {MOST_RECORDS:,} records; split it into smaller files.")


def _records(values: Iterable[tuple[int, Any]], relative: str) -> tuple[list[PlacedRecord], list[Skipped]]:
    """Return the records among numbered values (bytes are lines of JSON), and a reason for each other value."""
    found: list[PlacedRecord] = []
    skipped: list[Skipped] = []
    for number, value in values:
        try:
            record = _parse(value) if isinstance(value, bytes) else value
            if isinstance(record, str):
                record = {"text": record}
            elif not isinstance(record, Mapping):
                raise UnreadableFileError("is not a JSON object; write one record as {...}.")
            found.append(PlacedRecord(record, number))
        except UnreadableFileError as error:
            skipped.append(Skipped(f"{relative}:{number}", str(error)))
    return found, skipped


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UnreadableFileError("is not UTF-8; save the file as UTF-8.") from error
    except RecursionError as error:
        raise UnreadableFileError("is nested too deeply; flatten it.") from error
    except ValueError as error:
        raise UnreadableFileError(f"is not valid JSON ({error}); fix it.") from error


def shorten_report(skipped: list[Skipped], relative: str, *, none_read: bool = False) -> list[Skipped]:
    """Return the first skipped lines and, in one line, how many more there were; one line if all say the same."""
    if none_read and len(skipped) > 1 and len({line.reason for line in skipped}) == 1:
        return [Skipped(relative, f"holds {len(skipped)} records, and each {skipped[0].reason}")]
    if len(skipped) <= _MAX_REPORTED_LINES:
        return skipped
    rest = len(skipped) - _MAX_REPORTED_LINES
    reason = f"{rest} more lines were skipped for reasons like those above."
    return [*skipped[:_MAX_REPORTED_LINES], Skipped(relative, reason)]


def read_lines(text: str) -> Iterator[PlacedRecord]:
    r"""Give each line that is not blank as a record, with its number; lines are split at ``\n``."""
    refuse_too_many(text.count("\n"))
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield PlacedRecord({"text": line.strip()}, number, is_line=True)


# Field names and types of blocks as help centers and documentation tools export them.
_HEADING_NAMES = ("heading", "title", "question", "name")
_PART_TEXT_NAMES = ("text", "body", "content", "markdown", "html", "answer", "blocks", "sections", "items")
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


# Complex: each name that a section's text goes by is read in its own way, at the section's level.
def _section(section: Mapping[str, Any], markup: Markup, level: int, depth: int) -> list[str]:
    heading = next((as_text(section[n]) for n in _HEADING_NAMES if isinstance(section.get(n), str)), "")
    given = section.get("level")
    level = max(1, min(6, given)) if isinstance(given, int) and not isinstance(given, bool) else level
    kind = str(section.get("type") or "").lower()
    parts = [_heading(" ".join(heading.split()), level, markup)] if heading.strip() else []
    for name in _PART_TEXT_NAMES:
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


# Complex: one way to write a list in each of three markups.
def _list(items: Sequence[Any], ordered: bool, markup: Markup) -> str:
    texts = []
    for item in items:
        if isinstance(item, Mapping):
            names = (*_PART_TEXT_NAMES, *_HEADING_NAMES)
            item = next((item[name] for name in names if isinstance(item.get(name), str)), "")
        if text := " ".join(as_text(item).split()):
            texts.append(text)
    if markup == "html":
        tag = "ol" if ordered else "ul"
        return f"<{tag}>" + "".join(f"<li>{text}</li>" for text in texts) + f"</{tag}>"
    if markup == "wiki":
        return "\n".join(f"{'#' if ordered else '*'} {text}" for text in texts)
    return "\n".join(f"{n}. {text}" if ordered else f"- {text}" for n, text in enumerate(texts, 1))
