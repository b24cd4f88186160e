"""Nouns to published records and back: one record is one line of the export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from autokb.core.attributes import as_lists
from autokb.core.decisions import Decision, text_mark
from autokb.core.nouns import (
    Chunk,
    Document,
    Edit,
    HandWritten,
    HumanVerdict,
    Issue,
    RawIssue,
    Seed,
    Solution,
    SolutionEvent,
    Theme,
)

N = TypeVar("N")
Body = dict[str, Any]  # a noun as JSON, without its id


class Codec(Generic[N]):
    """One kind of noun as JSON.

    ``outside`` are fields that the record's place gives: its id, a chunk's document; ``defaults`` stand for fields that
    a record may lack although the noun needs them: a line that a person wrote may leave out who and when.
    """

    def __init__(self, noun: type[N], *outside: str, **defaults: Any) -> None:
        self.noun = noun
        self._outside = set(outside)
        self.defaults = defaults

    @cached_property
    def _adapter(self) -> TypeAdapter[N]:
        """Pydantic's reader and writer; making one takes some milliseconds, and no command needs all of them."""
        return TypeAdapter(self.noun)

    def body(self, noun: N) -> Body:
        """Return a noun as JSON; sets of values are sorted, so that one noun is one sequence of bytes."""
        body: Body = self._adapter.dump_python(noun, mode="json", exclude=self._outside)
        if "attributes" in body:
            body["attributes"] = as_lists(noun.attributes)  # type: ignore[attr-defined]
        return body

    def read(self, body: Mapping[str, Any], **outside: str | int) -> N:
        """Read a noun back; what a body has beside is ignored, a null counts as missing."""
        given = {name: value for name, value in body.items() if value is not None}
        return self._adapter.validate_python({**self.defaults, **given, **outside})


DOCUMENT = Codec(Document, "id")
CHUNK = Codec(Chunk, "document")
RAW_ISSUE = Codec(RawIssue, "id")
THEME = Codec(Theme, "id")
SEED = Codec(Seed, "id")
ISSUE = Codec(Issue, "id", parent_id=None, attributes={})
SOLUTION = Codec(Solution, "id", attributes={})
EDIT = Codec(Edit, "id", text="", steps=(), author="", date="")
HUMAN_VERDICT = Codec(HumanVerdict, "id", author="", date="")
HAND_WRITTEN = Codec(HandWritten, "id", attributes={}, author="", date="")
EVENT = Codec(SolutionEvent, "id")


def document_body(document: Document, chunks: Sequence[Chunk]) -> Body:
    """Return the record of a document with its chunks, whose contexts may have cost money."""
    return {**DOCUMENT.body(document), "chunks": [CHUNK.body(c) for c in chunks]}


def decision_body(decision: Decision) -> Body:
    """Return the record of a decision; what says nothing is left out, of its origin too."""
    always = {"author", "date", "number"}
    if isinstance(decision, HandWritten):
        body = HAND_WRITTEN.body(decision)
        always |= {"text", "steps", "attributes"}
    else:
        body = EDIT.body(decision) if isinstance(decision, Edit) else HUMAN_VERDICT.body(decision)
        body["origin"] = {name: value for name, value in body["origin"].items() if value}
    return {name: value for name, value in body.items() if value or name in always}


def solution_body(solution: Solution) -> Body:
    """Return the record of a solution, marked as built: a line that no longer fits its mark was edited by a person."""
    return {"built": text_mark(solution.text, solution.steps), **SOLUTION.body(solution)}
