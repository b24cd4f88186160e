"""Files of test sets in JSON Lines: questions, and whatever else has an id of its own on each line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from autokb.core.errors import BadInputError

_EXAMPLE = '{"id": "q1", "text": "No sound after the update"}.'


class Labelled(Protocol):
    """One line of a test set."""

    @property
    def id(self) -> str:
        """What names it in the file."""
        ...


T = TypeVar("T", bound=Labelled)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines with text and their numbers; gzip is read too, and only a newline ends a line."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInputError(f"{path} cannot be read ({reason}); check the path.") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8.") from error
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip():
            yield number, line.strip("\r\n ")


def read_test_set(
    path: Path, read: Callable[[dict[str, Any], str], T], one: str, many: str, example: str
) -> tuple[T, ...]:
    """Read a JSON object with an id of its own from every line (BadInputError names the line).

    ``read`` gets the object and the words that name its line; ``one`` and ``many`` are what errors call them.
    """
    found: dict[str, T] = {}
    for number, line in read_lines(path):
        where = f"{path}, line {number}"
        try:
            record = json.loads(line)
        except ValueError as error:
            raise BadInputError(
                f"{where} is not valid JSON ({error}); write one {one} a line, for example {example}"
            ) from error
        if not isinstance(record, dict):
            raise BadInputError(f"{where} must be a JSON object, for example {example}")
        labelled = read(record, where)
        if labelled.id in found:
            raise BadInputError(f"{where}: the id {labelled.id!r} was used before; give each {one} its own.")
        found[labelled.id] = labelled
    if not found:
        raise BadInputError(f"{path} holds no {many}; write one a line, for example {example}")
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """One question of a test set; ``fields`` holds what else its line says (created, components...)."""

    id: str
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)


def read_queries(path: Path) -> tuple[LabelledQuery, ...]:
    """Read queries from JSONL with ``id`` or ``query_id`` and ``text`` or ``query`` (BadInputError names the line)."""
    return read_test_set(path, _read_query, "query", "queries", _EXAMPLE)


def _read_query(record: dict[str, Any], where: str) -> LabelledQuery:
    query_id = next((record[name] for name in ("id", "query_id") if record.get(name) not in (None, "")), None)
    if isinstance(query_id, bool) or not isinstance(query_id, str | int):
        raise BadInputError(f"{where} needs an id, for example {_EXAMPLE}")
    text = next((record[name] for name in ("text", "query") if isinstance(record.get(name), str)), "")
    if not text.strip():
        raise BadInputError(f"{where} needs a text, for example {_EXAMPLE}")
    rest = {k: v for k, v in record.items() if k not in ("id", "query_id", "text", "query")}
    return LabelledQuery(str(query_id), text, rest)
