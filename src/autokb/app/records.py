"""Nouns to published records and back: one record is one line of the export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autokb.core.attributes import as_lists, from_lists
from autokb.core.ids import canonical_json, digest
from autokb.core.nouns import Chunk, Document, Edit, Evidence, Issue, RawIssue, Seed, Solution, Theme, Verdict


def document_body(document: Document, chunks: tuple[Chunk, ...]) -> dict[str, Any]:
    """Return the record of a document with its chunks, whose contexts may have cost money."""
    return {
        "title": document.title,
        "text": document.text,
        "url": document.url,
        "chunks": [chunk_body(c) for c in chunks],
    }


def chunk_body(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk as JSON."""
    return {
        "id": chunk.id,
        "parent_id": chunk.parent_id,
        "headings": list(chunk.headings),
        "text": chunk.text,
        "spans": [list(s) for s in chunk.spans],
        "context": chunk.context,
    }


def read_document(document_id: str, body: Mapping[str, Any]) -> Document:
    """Read a document's record."""
    return Document(document_id, str(body["title"]), str(body["text"]), str(body.get("url") or ""))


def read_chunk(document_id: str, body: Mapping[str, Any]) -> Chunk:
    """Read a chunk."""
    return Chunk(
        id=str(body["id"]),
        document=document_id,
        text=str(body["text"]),
        spans=tuple((int(s), int(e)) for s, e in body["spans"]),
        headings=tuple(body.get("headings") or ()),
        parent_id=body.get("parent_id"),
        context=str(body.get("context") or ""),
    )


def raw_issue_body(raw: RawIssue) -> dict[str, Any]:
    """Return what was added of a raw issue."""
    return {"text": raw.text, "title": raw.title, "date": raw.date, "resolved_by": list(raw.resolved_by)}


def read_raw_issue(raw_id: str, body: Mapping[str, Any]) -> RawIssue:
    """Read a raw issue."""
    return RawIssue(
        id=raw_id,
        text=str(body["text"]),
        title=str(body.get("title") or ""),
        date=str(body.get("date") or ""),
        resolved_by=tuple(body.get("resolved_by") or ()),
    )


def issue_body(issue: Issue) -> dict[str, Any]:
    """Return the record of a node."""
    return {
        "text": issue.text,
        "parent_id": issue.parent_id,
        "attributes": as_lists(issue.attributes),
        "seed": issue.seed,
        "raw_issues": list(issue.raw_issues),
    }


def read_issue(issue_id: str, body: Mapping[str, Any]) -> Issue:
    """Read a node."""
    return Issue(
        id=issue_id,
        text=str(body["text"]),
        parent_id=body.get("parent_id"),
        attributes=from_lists(body.get("attributes") or {}),
        seed=str(body.get("seed") or ""),
        raw_issues=tuple(body.get("raw_issues") or ()),
    )


def built_mark(text: str, steps: Sequence[str]) -> str:
    """Return the mark of what a build wrote: a line that no longer fits its mark was edited by a person."""
    return digest(text, canonical_json(list(steps)))[:16]


def solution_body(solution: Solution) -> dict[str, Any]:
    """Return the record of a solution."""
    return {
        "built": built_mark(solution.text, solution.steps),
        "issue_id": solution.issue_id,
        "text": solution.text,
        "steps": list(solution.steps),
        "attributes": as_lists(solution.attributes),
        "evidence": [evidence_body(e) for e in solution.evidence],
        "status": solution.status,
        "reason": solution.reason,
        "rules": [{"rule": v.rule, "verdict": v.verdict, "reason": v.reason} for v in solution.rules],
    }


def evidence_body(evidence: Evidence) -> dict[str, Any]:
    """Return a piece of evidence as JSON."""
    return {"document": evidence.document, "start": evidence.start, "end": evidence.end, "quote": evidence.quote}


def read_solution(solution_id: str, body: Mapping[str, Any]) -> Solution:
    """Read a solution."""
    return Solution(
        id=solution_id,
        issue_id=str(body["issue_id"]),
        text=str(body["text"]),
        steps=tuple(str(s) for s in body["steps"]),
        attributes=from_lists(body.get("attributes") or {}),
        evidence=tuple(
            Evidence(str(e["document"]), int(e["start"]), int(e["end"]), str(e["quote"])) for e in body["evidence"]
        ),
        status=body["status"],
        reason=str(body.get("reason") or ""),
        rules=tuple(Verdict(str(v["rule"]), v["verdict"], str(v["reason"])) for v in body.get("rules") or ()),
    )


def read_theme(theme_id: str, body: Mapping[str, Any]) -> Theme:
    """Read a theme."""
    return Theme(theme_id, str(body["name"]))


def read_seed(seed_id: str, body: Mapping[str, Any]) -> Seed:
    """Read a seed."""
    return Seed(seed_id, str(body["raw_issue"]), str(body["theme"]))


def read_edit(edit_id: str, body: Mapping[str, Any]) -> Edit:
    """Read a hand edit."""
    return Edit(
        id=edit_id,
        solution_id=str(body["solution_id"]),
        text=str(body.get("text") or ""),
        steps=tuple(str(s) for s in body.get("steps") or ()),
        author=str(body.get("author") or ""),
        date=str(body.get("date") or ""),
    )
