"""Questions about documents with the places of their answers, as ``evaluate chunking --questions`` reads them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError
from autokb.evaluation.token_metrics import Place

TEXTS = ("question", "text", "query")
DOCUMENTS = ("document", "corpus_id", "document_id")
ENDS = (("start", "end"), ("start_index", "end_index"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question; ``excerpts`` are the places that answer it, none where nobody marked them."""

    text: str
    excerpts: tuple[Place, ...] = ()


def read_questions(path: Path, lengths: Mapping[str, int], resolve: Callable[[str], str | None]) -> list[Question]:
    """Read JSON Lines with ``question`` and perhaps ``document`` and ``references`` (BadInputError names the line).

    ``lengths`` are the documents by id with the characters of each, ``resolve`` finds the id that a name means.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be read ({error}); give a JSONL file in UTF-8.") from error
    found = [
        _question(line, f"{path}, line {number}", lengths, resolve)
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]
    if not found:
        raise BadInputError(f"{path} holds no questions; write one JSON object with a question in each line.")
    return found


def _question(line: str, where: str, lengths: Mapping[str, int], resolve: Callable[[str], str | None]) -> Question:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise BadInputError(f"{where} is no JSON ({error}).") from error
    text = next((record[n] for n in TEXTS if isinstance(record.get(n), str)), "") if isinstance(record, dict) else ""
    if not text.strip():
        raise BadInputError(f"{where} has no question; give it as {' or '.join(TEXTS)}.")
    references = record.get("references") or ()
    if not references:
        return Question(text)
    name = next((str(record[n]) for n in DOCUMENTS if record.get(n)), "")
    document = resolve(name)
    if document is None:
        raise BadInputError(f"{where} is about {name!r}, which is none of the documents; name one of them in document.")
    return Question(text, (Place(document, tuple(_span(r, where, lengths[document]) for r in references)),))


def _span(reference: Any, where: str, length: int) -> tuple[int, int]:
    for first, last in ENDS:
        if (
            isinstance(reference, dict)
            and isinstance(reference.get(first), int)
            and isinstance(reference.get(last), int)
        ):
            start, end = reference[first], reference[last]
            if 0 <= start < end <= length:
                return start, end
            raise BadInputError(f"{where}: {start} to {end} is no place in a text of {length} characters.")
    raise BadInputError(f"{where}: each of references needs start and end, in characters of the document's Markdown.")
