"""What a well-formed line of the export looks like, and what is mended when a person edited one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autokb.app.records import chunk_body, read_chunk, read_document
from autokb.chunking.chunkers import chunk_document
from autokb.knowledge.nouns import Chunk, Skipped
from autokb.settings import Settings

KINDS = ("document", "raw_issue", "theme", "seed", "issue", "solution", "setting", "edit")
STATUSES = ("displayed", "repaired", "withheld", "rejected", "approved")
Lines = dict[tuple[str, str], dict[str, Any]]

TEXTS: Mapping[str, tuple[str, ...]] = {
    "document": ("title", "text"),
    "raw_issue": ("text",),
    "theme": ("name",),
    "seed": ("raw_issue", "theme"),
    "issue": ("text",),
    "solution": ("issue_id", "text"),
    "setting": (),
    "edit": ("solution_id",),
}
REFERENCES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "seed": (("theme", "theme"), ("raw_issue", "raw_issue")),
    "issue": (("parent_id", "issue"),),
    "solution": (("issue_id", "issue"),),
}


def check_line(body: Any) -> None:
    """Raise ValueError with a sentence when a line is not one of ours."""
    if not isinstance(body, dict):
        raise ValueError("it is no JSON object")
    kind, record_id = body.get("kind"), body.get("id")
    if kind not in KINDS:
        raise ValueError(f"its kind {kind!r} is unknown; kinds are {', '.join(KINDS)}")
    if not isinstance(record_id, str) or not record_id:
        raise ValueError("it has no id")
    for name in TEXTS[kind]:
        if not isinstance(body.get(name), str):
            raise ValueError(f"{kind} {record_id!r} needs {name} as text")
    if kind in ("issue", "solution"):
        _check_attributes(body.get("attributes"), f"{kind} {record_id!r}")
    if kind == "solution":
        _check_solution(body, record_id)


def _check_attributes(attributes: Any, where: str) -> None:
    fits = isinstance(attributes, dict) and all(
        isinstance(v, list) and v and all(isinstance(x, str) for x in v) for v in attributes.values()
    )
    if not fits:
        raise ValueError(f"{where} needs attributes as lists of strings, for example {{'os': ['Any']}}")


def _check_solution(body: Mapping[str, Any], record_id: str) -> None:
    if body.get("status") not in STATUSES:
        raise ValueError(f"solution {record_id!r} needs a status: {', '.join(STATUSES)}")
    if not isinstance(body.get("steps"), list) or not all(isinstance(s, str) for s in body["steps"]):
        raise ValueError(f"solution {record_id!r} needs steps as a list of strings")
    evidence = body.get("evidence")
    whole = isinstance(evidence, list) and all(
        isinstance(e, dict)
        and isinstance(e.get("document"), str)
        and isinstance(e.get("quote"), str)
        and isinstance(e.get("start"), int)
        and isinstance(e.get("end"), int)
        for e in evidence
    )
    if not whole:
        raise ValueError(f"solution {record_id!r} needs evidence: a list of document, start, end and quote")


def check_references(lines: Lines) -> list[Skipped]:
    """Drop lines that name a line which is not there, and say so; a false quote withholds its solution."""
    skipped = []
    found = True
    while found:  # a dropped parent can orphan children, which can orphan solutions
        found = False
        for (kind, record_id), body in list(lines.items()):
            for name, target in REFERENCES.get(kind, ()):
                if body.get(name) is not None and (target, str(body[name])) not in lines:
                    skipped.append(Skipped(f"{kind} {record_id}", f"its {name} {body[name]!r} is not in the file"))
                    lines.pop((kind, record_id), None)
                    found = True
                    break
    for (kind, record_id), body in lines.items():
        if kind == "solution" and (reason := _false_quote(body, lines)):
            lines[kind, record_id] = {**body, "status": "withheld", "reason": reason}
            skipped.append(Skipped(f"solution {record_id}", f"withheld: {reason}"))
    return skipped


def _false_quote(body: Mapping[str, Any], lines: Lines) -> str | None:
    if body["status"] == "withheld":
        return None
    for e in body["evidence"]:
        document = lines.get(("document", e["document"]))
        if document is None:
            return f"its document {e['document']!r} is not in the file"
        if document["text"][max(e["start"], 0) : e["end"]] != e["quote"]:
            return f"a quote does not stand at its place in {e['document']!r}"
    return None


def mend_document(document_id: str, body: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Cut a document again when its chunks are missing or no longer stand in its text."""
    document = read_document(document_id, body)
    try:
        chunks = [read_chunk(document_id, c) for c in body.get("chunks") or ()]
    except (KeyError, TypeError, ValueError):
        chunks = []
    if chunks and all(_stands(c, document.text) for c in chunks):
        return body
    return {**body, "chunks": [chunk_body(c) for c in chunk_document(document, settings.chunker, settings.max_size)]}


def _stands(chunk: Chunk, text: str) -> bool:
    said = "".join(chunk.text.split())
    return all(0 <= s <= e <= len(text) and "".join(text[s:e].split()) in said for s, e in chunk.spans)
