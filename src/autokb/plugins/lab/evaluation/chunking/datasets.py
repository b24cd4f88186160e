"""What people know of documents: questions with the places of their answers, and the text that should be kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError
from autokb.core.nouns import Span
from autokb.core.test_sets import read_lines
from autokb.plugins.lab.evaluation.chunking.token_metrics import DocumentSpans

Resolve = Callable[[str], str | None]  # the name of a document -> its id
QUESTION_FIELDS = ("question", "text", "query")
DOCUMENT_FIELDS = ("document", "corpus_id", "document_id")
SPAN_FIELDS = (("start", "end"), ("start_index", "end_index"))


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question; ``excerpts`` are the places that answer it, none where nobody marked them."""

    text: str
    excerpts: tuple[DocumentSpans, ...] = ()


def read_questions(
    path: Path, lengths: Mapping[str, int], resolve: Resolve, *, others: bool = False
) -> list[LabelledQuestion]:
    """Read JSON Lines with ``question`` and perhaps ``document`` and ``references`` (BadInputError names the line).

    ``lengths`` are the documents by id with the characters of each. The field names of Chroma's data sets are read too.
    With ``others`` the file may have questions about other documents, which are skipped.
    """
    lines = list(read_lines(path))
    if not lines:
        raise BadInputError(f"{path} holds no questions; write one JSON object with a question in each line.")
    found = (_read_question(line, f"{path}, line {n}", lengths, resolve, others=others) for n, line in lines)
    return [question for question in found if question is not None]


# Complex: each thing that can be wrong with a line has a sentence of its own.
def _read_question(
    line: str, where: str, lengths: Mapping[str, int], resolve: Resolve, *, others: bool
) -> LabelledQuestion | None:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise BadInputError(f"{where} is not valid JSON ({error}).") from error
    if not isinstance(record, dict):
        record = {}
    text = next((record[name] for name in QUESTION_FIELDS if isinstance(record.get(name), str)), "")
    if not text.strip():
        raise BadInputError(f"{where} has no question; give it as {' or '.join(QUESTION_FIELDS)}.")
    if not (references := record.get("references")):
        return LabelledQuestion(text)
    name = next((str(record[field]) for field in DOCUMENT_FIELDS if record.get(field)), "")
    document = resolve(name)
    if document is None and others and name:
        return None
    if document is None:
        raise BadInputError(f"{where} is about {name!r}, which is none of the documents; name one of them in document.")
    spans = tuple(_read_span(reference, where, lengths[document]) for reference in references)
    return LabelledQuestion(text, (DocumentSpans(document, spans),))


def _read_span(reference: Any, where: str, length: int) -> Span:
    for first, last in SPAN_FIELDS if isinstance(reference, dict) else ():
        start, end = reference.get(first), reference.get(last)
        if isinstance(start, int) and isinstance(end, int):
            if 0 <= start < end <= length:
                return start, end
            raise BadInputError(f"{where}: {start} to {end} is no place in a text of {length} characters.")
    raise BadInputError(f"{where}: each of references needs start and end, in characters of the document's Markdown.")


def read_gold(path: Path, resolve: Resolve) -> dict[str, str]:
    """Read JSON Lines with ``document`` and ``text``: by document id, the text that should be kept of it."""
    found = {}
    for number, line in read_lines(path):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        document = resolve(str(record.get("document", ""))) if isinstance(record, dict) else None
        if document is None or "text" not in record:
            raise BadInputError(f"{path}, line {number} needs document (one of those given) and text.")
        found[document] = str(record["text"])
    return found
