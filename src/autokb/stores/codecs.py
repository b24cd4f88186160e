"""Nouns to published records and back: one record is one line of the export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from autokb.core.attributes import as_lists
from autokb.core.decisions import solution_mark
from autokb.core.nouns import (
    Chunk,
    Decision,
    DecisionKind,
    Document,
    Issue,
    Passage,
    RawIssue,
    Seed,
    Solution,
    Theme,
)
from autokb.core.solution_text import shown_text
from autokb.text.front_matter import described

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


class _SolutionCodec(Codec[Solution]):
    """A solution as JSON; the steps in the text of one that an earlier version stored are counted through."""

    def read(self, body: Mapping[str, Any], **outside: str | int) -> Solution:
        """Read a solution back, its steps with the marks of the manual."""
        return super().read(with_marks(body), **outside)


def quotes_in(body: Mapping[str, Any]) -> list[str]:
    """Return what the evidence of a solution's record says."""
    return [one["quote"] for one in body.get("evidence") or ()]


def with_marks(body: Mapping[str, Any]) -> Body:
    """Return the record of a solution with the marks of the manual before the steps in its text."""
    return {**body, "text": shown_text(body["text"], body.get("steps") or (), quotes_in(body))}


DOCUMENT = Codec(Document, "id")
CHUNK = Codec(Chunk, "document")
RAW_ISSUE = Codec(RawIssue, "id", "told")  # what is told is in what a build published alone
THEME = Codec(Theme, "id")
SEED = Codec(Seed, "id")
ISSUE = Codec(Issue, "id", parent_id=None, attributes={})
SOLUTION = _SolutionCodec(Solution, "id", attributes={})
DECISION = Codec(Decision, "id", author="", date="")
# What the record of each kind of decision holds; the id of a solution by hand is that of its decision.
DECISION_FIELDS: Mapping[DecisionKind, tuple[str, ...]] = {
    "edit": (
        *("solution_id", "text", "steps", "author", "date", "number", "origin"),
        *("built", "based_on", "rules", "reason", "undone", "dismissed"),
    ),
    "verdict": ("solution_id", "verdict", "author", "date", "number", "origin", "reason", "shown", "undone"),
    "written": ("issue_id", "text", "steps", "attributes", "author", "date", "number", "tree", "problem", "rules"),
    "event": ("solution_id", "what", "author", "date", "number", "decision", "before", "after"),
}


def document_body(document: Document, chunks: Sequence[Chunk]) -> Body:
    """Return the record of a document with what describes it, and its chunks, whose contexts may have cost money."""
    said = {name: value for name, value in described(document.text)._asdict().items() if value}
    return {**DOCUMENT.body(document), **said, "chunks": [CHUNK.body(c) for c in chunks]}


def decision_body(decision: Decision) -> Body:
    """Return the record of a decision; what says nothing is left out, of its origin too."""
    body = DECISION.body(decision)
    body |= {"verdict": decision.what, "tree": decision.origin.tree, "problem": decision.origin.problem}
    body["origin"] = {name: value for name, value in body["origin"].items() if value}
    always = {"author", "date", "number", *(("text", "steps", "attributes") if decision.kind == "written" else ())}
    return {name: body[name] for name in DECISION_FIELDS[decision.kind] if body[name] or name in always}


def read_decision(kind: DecisionKind, decision_id: str, body: Mapping[str, Any]) -> Decision:
    """Read the record of a decision back."""
    given = {name: body.get(name) for name in DECISION_FIELDS[kind]}
    if kind == "written":
        given |= {
            "what": kind,
            "solution_id": decision_id,
            "origin": {name: body.get(name) or "" for name in ("tree", "problem")},
        }
    else:
        given["what"] = {"edit": "edited", "verdict": body.get("verdict"), "event": body.get("what")}[kind]
    return DECISION.read(given, id=decision_id)


def solution_body(solution: Solution) -> Body:
    """Return the record of a solution, marked as built: a line that no longer fits its mark was edited by a person."""
    return {"built": solution_mark(solution), **SOLUTION.body(solution)}


def passage_body(passage: Passage) -> Body:
    """Return a passage as JSON, its solution with its id."""
    solution = {"id": passage.solution.id, **SOLUTION.body(passage.solution)}
    names = ("headings", "distinguishes", "masked", "section", "role", "article")
    return {"solution": solution, **{name: getattr(passage, name) for name in names}}
