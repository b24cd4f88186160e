"""Parts of a knowledge base as they are stored: a JSON text, and the vectors as numbers of four bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar

import numpy as np
from pydantic import TypeAdapter

from autokb.core.ids import canonical_json
from autokb.core.nouns import Issue, Passage, Solution
from autokb.core.vectors import Vectors
from autokb.plugins.postgres.parts import Counted, DocumentPart, PastPart, TreePart
from autokb.retrieval.history import Learnt, PastIssue
from autokb.stores.codecs import ISSUE, SOLUTION, passage_body

STORED = np.dtype("<f4")  # what a vector's numbers are stored as
FITTED = np.dtype("<f8")  # and what was fitted
T = TypeVar("T")
_OF_ALL = ("middle", "likeness", "total", "mean")


@dataclass(frozen=True, slots=True)
class StoredPart:
    """A part as it is stored."""

    body: str
    vectors: bytes


def store_document(part: DocumentPart) -> StoredPart:
    """Return a document's part as it is stored."""
    body = {
        "chunks": part.chunks,
        "terms": part.terms,
        "window_chunks": part.window_chunks.tolist(),
        "passages": [passage_body(p) for p in part.passages],
    }
    return StoredPart(canonical_json(body), _as_bytes(part.windows, part.sections, part.headings))


def read_document(document: str, body: str, vectors: bytes, dimensions: int) -> DocumentPart:
    """Read a document's part back (ValueError where it was damaged)."""
    found = _reader(_StoredDocument).validate_json(body)
    own, many = len(found.window_chunks), len(found.passages)
    rows = _as_rows(vectors, dimensions, own + 2 * many)
    return DocumentPart(
        id=document,
        chunks=found.chunks,
        terms=found.terms,
        window_chunks=np.array(found.window_chunks, dtype=np.int64),
        passages=found.passages,
        windows=rows[:own],
        sections=rows[own : own + many],
        headings=rows[own + many :],
    )


def store_tree(part: TreePart) -> StoredPart:
    """Return a tree's part as it is stored."""
    body = {
        "issues": [{"id": i.id, **ISSUE.body(i)} for i in part.issues],
        "solutions": [{"id": s.id, **SOLUTION.body(s)} for s in part.solutions],
        "raw": list(part.raw),
        "alone": list(part.alone),
    }
    return StoredPart(canonical_json(body), _as_bytes(part.vectors, *part.raw.values(), *part.alone.values()))


def read_tree(tree: str, body: str, vectors: bytes, dimensions: int) -> TreePart:
    """Read a tree's part back (ValueError where it was damaged)."""
    found = _reader(_StoredTree).validate_json(body)
    nodes, raw = len(found.issues), len(found.raw)
    rows = _as_rows(vectors, dimensions, nodes + raw + len(found.alone))
    return TreePart(
        id=tree,
        issues=found.issues,
        solutions=found.solutions,
        vectors=rows[:nodes],
        raw=dict(zip(found.raw, rows[nodes : nodes + raw], strict=True)),
        alone=dict(zip(found.alone, rows[nodes + raw :], strict=True)),
    )


def store_past(part: PastPart) -> StoredPart:
    """Return a past issue as it is stored; its text is not asked for."""
    issue = part.issue
    return StoredPart(canonical_json({"date": issue.date, "documents": issue.documents}), _as_bytes(part.vector))


def read_past(issue: str, body: str, vector: bytes, dimensions: int) -> PastPart:
    """Read a past issue back, without its text (ValueError, KeyError where it was damaged)."""
    found = json.loads(body)
    past = PastIssue(issue, "", str(found["date"]), tuple(found["documents"]))
    return PastPart(past, _as_rows(vector, dimensions, 1)[0])


def store_learnt(learnt: Learnt) -> bytes:
    """Return what was learnt as it is stored, but for the documents' own columns."""
    stream = io.BytesIO()
    np.savez(stream, **{name: getattr(learnt, name) for name in _OF_ALL})
    head = canonical_json({"issues": learnt.issues, "idf": learnt.idf}).encode()
    return len(head).to_bytes(8, "little") + head + stream.getvalue()


def read_learnt(data: bytes, own: Mapping[str, Any], named: Mapping[str, int]) -> Learnt:
    """Read what was learnt back, with the own columns of some documents."""
    end = 8 + int.from_bytes(data[:8], "little")
    head = json.loads(data[8:end])
    with np.load(io.BytesIO(data[end:]), allow_pickle=False) as arrays:
        of_all = {name: arrays[name] for name in _OF_ALL}
    return Learnt(issues=int(head["issues"]), idf=head["idf"], own=own, named=named, **of_all)


def store_counted(counted: Counted) -> str:
    """Return what is counted as JSON."""
    return canonical_json({f.name: getattr(counted, f.name) for f in fields(counted)})


def read_counted(text: str) -> Counted:
    """Read it back."""
    found = json.loads(text)
    return Counted(**{**found, "pieces": {int(piece): n for piece, n in found["pieces"].items()}})


@dataclass(frozen=True, slots=True)
class _StoredDocument:
    chunks: tuple[str, ...]
    terms: tuple[dict[str, int], ...]
    window_chunks: tuple[int, ...]
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class _StoredTree:
    issues: tuple[Issue, ...]
    solutions: tuple[Solution, ...]
    raw: tuple[str, ...]
    alone: tuple[str, ...]


@cache  # a question reads some hundred parts, and a reader of the whole takes a third of the time of one a noun
def _reader(stored: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(stored)


def _as_bytes(*vectors: Vectors) -> bytes:
    return b"".join(np.ascontiguousarray(some, dtype=STORED).tobytes() for some in vectors)


def _as_rows(data: bytes, dimensions: int, expected: int) -> Vectors:
    rows = np.frombuffer(data, dtype=STORED).reshape(-1, dimensions)
    if len(rows) != expected:
        raise ValueError(f"{len(rows)} vectors of {expected}")
    return rows
