"""Nouns to published records and back: one record is one line of the export."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from autokb.core.attributes import as_lists
from autokb.core.ids import canonical_json, digest
from autokb.core.nouns import Chunk, Document, Edit, Evidence, Issue, RawIssue, Seed, Solution, Theme

N = TypeVar("N")
Body = dict[str, Any]  # a noun as JSON, without its id


class Codec(Generic[N]):
    """One kind of noun as JSON; ``outside`` are fields that the record's place gives: its id, a chunk's document."""

    def __init__(self, noun: type[N], *outside: str) -> None:
        self._adapter = TypeAdapter(noun)
        self._outside = set(outside)
        fields = dataclasses.fields(noun)  # type: ignore[arg-type]
        self._optional = {f.name for f in fields if f.default is not dataclasses.MISSING or f.name == "parent_id"}
        self._has_attributes = any(f.name == "attributes" for f in fields)

    def body(self, noun: N) -> Body:
        """Return a noun as JSON; sets of values are sorted, so that one noun is one sequence of bytes."""
        body: Body = self._adapter.dump_python(noun, mode="json", exclude=self._outside)
        if self._has_attributes:
            body["attributes"] = as_lists(noun.attributes)  # type: ignore[attr-defined]
        return body

    def read(self, body: Mapping[str, Any], **outside: str) -> N:
        """Read a noun back; what a body has beside is ignored, a null counts as missing."""
        given = {name: value for name, value in body.items() if value is not None}
        if "parent_id" in self._optional:
            given.setdefault("parent_id", None)
        if self._has_attributes:
            given.setdefault("attributes", {})
        return self._adapter.validate_python({**given, **outside})


DOCUMENT = Codec(Document, "id")
CHUNK = Codec(Chunk, "document")
RAW_ISSUE = Codec(RawIssue, "id")
THEME = Codec(Theme, "id")
SEED = Codec(Seed, "id")
ISSUE = Codec(Issue, "id")
SOLUTION = Codec(Solution, "id")
EVIDENCE: Codec[Evidence] = Codec(Evidence)
EDIT = Codec(Edit, "id")


def document_body(document: Document, chunks: Sequence[Chunk]) -> Body:
    """Return the record of a document with its chunks, whose contexts may have cost money."""
    return {**DOCUMENT.body(document), "chunks": [CHUNK.body(c) for c in chunks]}


def edit_body(edit: Edit) -> Body:
    """Return the record of a hand edit; what was not edited is left out."""
    return {name: value for name, value in EDIT.body(edit).items() if value or name not in ("text", "steps")}


def read_edit(edit_id: str, body: Mapping[str, Any]) -> Edit:
    """Read a hand edit; a line that a person wrote may leave out who and when."""
    return EDIT.read({"text": "", "steps": [], "author": "", "date": "", **body}, id=edit_id)


def built_mark(text: str, steps: Sequence[str]) -> str:
    """Return the mark of what a build wrote: a line that no longer fits its mark was edited by a person."""
    return digest(text, canonical_json(list(steps)))[:16]


def solution_body(solution: Solution) -> Body:
    """Return the record of a solution, marked as built."""
    return {"built": built_mark(solution.text, solution.steps), **SOLUTION.body(solution)}
