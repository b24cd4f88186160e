"""Records from JSON Lines, JSON and delimited files; a bad line is skipped alone, the others are taken."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Skipped
from autokb.sources.decoding import bom_encoding, decode
from autokb.sources.fields import Record

# A file of garbage should not drown the report.
_REPORTED_LINES = 50


@dataclass(frozen=True, slots=True)
class Placed:
    """A record, the line (or position) it stands at, and whether it is the whole file."""

    record: Record
    place: int
    alone: bool = False


def read_json_lines(data: bytes, relative: str) -> tuple[list[Placed], list[Skipped]]:
    r"""Return the records of a JSON Lines file, which is split at ``\n`` only."""
    if bom_encoding(data):
        data = decode(data).encode("utf-8", "replace")
    found: list[Placed] = []
    bad: list[Skipped] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                found.append(Placed(_record(_parsed(line)), number))
            except UnreadableFileError as error:
                bad.append(Skipped(f"{relative}:{number}", str(error)))
    if bad and not found:
        raise UnreadableFileError(
            f"holds no JSON line that can be read (line {bad[0].path.rpartition(':')[2]} {bad[0].reason})"
        )
    return found, shortened(bad, relative)


def shortened(bad: list[Skipped], relative: str, *, none_read: bool = False) -> list[Skipped]:
    """Return the first skipped lines and, in one line, how many more there were; one line if all say the same."""
    if none_read and len(bad) > 1 and len({skipped.reason for skipped in bad}) == 1:
        return [Skipped(relative, f"holds {len(bad)} records, and each {bad[0].reason}")]
    if len(bad) <= _REPORTED_LINES:
        return bad
    rest = len(bad) - _REPORTED_LINES
    return [*bad[:_REPORTED_LINES], Skipped(relative, f"{rest} more lines were skipped for reasons like those above.")]


def read_json(data: bytes, relative: str) -> tuple[list[Placed], list[Skipped]]:
    """Return the records of a JSON file: an array, an object that wraps one array of objects, or one record."""
    value = _parsed(decode(data).encode("utf-8", "replace"))
    if isinstance(value, Mapping):
        lists = [v for v in value.values() if isinstance(v, list) and v and all(isinstance(i, Mapping) for i in v)]
        if len(lists) != 1 or any(isinstance(v, str) and len(v) > 200 for v in value.values()) or _has_text(value):
            return [Placed(value, 1, alone=True)], []
        value = lists[0]
    if not isinstance(value, list):
        raise UnreadableFileError("holds neither an array nor an object; write an array of records.")
    found: list[Placed] = []
    bad: list[Skipped] = []
    for number, item in enumerate(value, 1):
        try:
            found.append(Placed(_record(item), number))
        except UnreadableFileError as error:
            bad.append(Skipped(f"{relative}:{number}", str(error)))
    return found, shortened(bad, relative)


def _has_text(value: Mapping[str, Any]) -> bool:
    return any(name in value for name in ("text", "body", "content", "markdown", "html", "sections"))


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UnreadableFileError("is not UTF-8; save the file as UTF-8.") from error
    except RecursionError as error:
        raise UnreadableFileError("is nested too deeply; flatten it.") from error
    except ValueError as error:
        raise UnreadableFileError(f"is no valid JSON ({error}); mend it.") from error


def _record(value: Any) -> Record:
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, Mapping):
        raise UnreadableFileError("is no JSON object; write one record as {...}.")
    return value


def lines_of(text: str) -> Iterator[Placed]:
    r"""Give each line that says something as a record, with its number; lines are split at ``\n``."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield Placed({"text": line.strip()}, number)
