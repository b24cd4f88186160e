"""What lines of an export say of each other: references, quotes and chunks, mended where a person edited one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.chunking.methods import SEMANTIC
from autokb.chunking.tree import chunks_with_text
from autokb.core.forest import Forest
from autokb.core.nouns import DISPLAYED, Chunk, Skipped
from autokb.core.settings import Settings
from autokb.exchange.jsonl_schema import Lines, lines_of, quote_value
from autokb.stores.codecs import CHUNK, DOCUMENT, ISSUE

# A line cannot stand without these ...
NEEDED: Mapping[str, tuple[tuple[str, str], ...]] = {
    "seed": (("theme", "theme"), ("raw_issue", "raw_issue")),
    "issue": (("parent_id", "issue"),),
    "solution": (("issue_id", "issue"),),
}
# ... and these are only taken out of it.
USEFUL: Mapping[str, tuple[tuple[str, str], ...]] = {
    "raw_issue": (("theme", "theme"), ("seed", "seed"), ("issue", "issue")),
    "issue": (("seed", "seed"),),
}


def check_references(lines: Lines) -> list[Skipped]:
    """Drop lines that name a line which is not there, and say so; a false quote withholds its solution."""
    return [*_drop_circles(lines), *_drop_lost(lines), *_forget_lost(lines), *_withhold_false(lines)]


def _drop_circles(lines: Lines) -> list[Skipped]:
    """Drop issues whose parents lead back to themselves."""
    circling = Forest(ISSUE.read(body, id=i) for i, body in lines_of(lines, "issue").items()).circling
    for issue in circling:
        del lines["issue", issue]
    return [Skipped(f"issue {i}", "its parent_id leads back to itself") for i in circling]


def _drop_lost(lines: Lines) -> list[Skipped]:
    hanging: dict[tuple[str, str], list[tuple[str, str]]] = {}  # what goes with a line, each line once
    for key, body in lines.items():
        for name, target in NEEDED.get(key[0], ()):
            if body.get(name):
                hanging.setdefault((target, body[name]), []).append(key)
    waiting = list(lines)
    dropped: dict[tuple[str, str], Skipped] = {}
    while waiting:  # a dropped parent can orphan children, which can orphan solutions
        orphaned: list[tuple[str, str]] = []
        for key in waiting:
            body = lines.get(key, {})
            if lost := _lost(lines, body, NEEDED.get(key[0], ())):
                reason = f"its {lost[0]} {quote_value(body[lost[0]])} is not in the file"
                dropped[key] = Skipped(" ".join(key), reason)
                del lines[key]
                orphaned += hanging.get(key, ())
        waiting = orphaned
    return list(dropped.values())


def _lost(lines: Lines, body: Mapping[str, Any], references: tuple[tuple[str, str], ...]) -> list[str]:
    return [name for name, target in references if body.get(name) and (target, body[name]) not in lines]


def _forget_lost(lines: Lines) -> list[Skipped]:
    skipped = []
    for key, body in lines.items():
        for name in _lost(lines, body, USEFUL.get(key[0], ())):
            skipped.append(
                Skipped(
                    " ".join(key), f"taken without its {name} {quote_value(body.pop(name))}, which is not in the file"
                )
            )
            if key[0] == "raw_issue":
                body.setdefault("reason", f"Its {name} was not in the file it was imported from.")
        if key[0] == "issue" and body.get("raw_issues"):
            kept = [r for r in body["raw_issues"] if ("raw_issue", r) in lines]
            if gone := len(body["raw_issues"]) - len(kept):
                skipped.append(Skipped(" ".join(key), f"taken without {gone} raw issues that are not in the file"))
            body["raw_issues"] = kept
    return skipped


def _withhold_false(lines: Lines) -> list[Skipped]:
    skipped = []
    for solution, body in lines_of(lines, "solution").items():
        if body["status"] in DISPLAYED and (reason := _false_quote(body, lines)):
            body |= {"status": "withheld", "reason": reason}
            skipped.append(Skipped(f"solution {solution}", f"withheld: {reason}"))
    return skipped


def _false_quote(body: Mapping[str, Any], lines: Lines) -> str | None:
    for e in body["evidence"]:
        document = lines.get(("document", e["document"]))
        if document is None:
            return f"its document {quote_value(e['document'])} is not in the file"
        text = document["text"]
        if not 0 <= e["start"] < e["end"] <= len(text) or text[e["start"] : e["end"]] != e["quote"]:
            return f"a quote does not stand at its place in {quote_value(e['document'])}"
    return None


def complete_issues(lines: Lines) -> None:
    """Tell each tree which raw issues landed in it, where the line of its parent does not say so itself."""
    landed: dict[str, list[str]] = {}
    for raw_issue, body in sorted(lines_of(lines, "raw_issue").items()):
        if body.get("issue"):
            landed.setdefault(body["issue"], []).append(raw_issue)
    for issue, body in lines_of(lines, "issue").items():
        if body.get("raw_issues") is None and issue in landed:
            body["raw_issues"] = landed[issue]


def mend_documents(lines: Lines, settings: Settings) -> None:
    """Chunk documents again whose chunks are missing, no longer hold their text, or are those of another document.

    By the workspace's chunker, but for ``semantic``, which needs vectors: by headings then, until the next build.
    """
    method = "headings" if settings.chunker == SEMANTIC else settings.chunker
    cut = {i: _chunks(i, body) for i, body in lines_of(lines, "document").items()}
    uses = Counter(c.id for chunks in cut.values() for c in chunks)
    for document_id, chunks in cut.items():
        body = lines["document", document_id]
        document = DOCUMENT.read(body, id=document_id)
        if not chunks or not _hold(chunks, document.text) or any(uses[c.id] > 1 for c in chunks):
            again = chunk_page(MarkedPage(document), method, settings.max_size)
            body["chunks"] = [CHUNK.body(c) for c in chunks_with_text(again.chunks)]


def _chunks(document_id: str, body: Mapping[str, Any]) -> list[Chunk]:
    try:
        return [CHUNK.read(c, document=document_id) for c in body.get("chunks") or ()]
    except (KeyError, TypeError, ValueError, AttributeError):
        return []


def _hold(chunks: list[Chunk], text: str) -> bool:
    """Return whether the chunks say what stands at their spans, and together all of the text."""
    if not all(_stands(c, text) for c in chunks):
        return False
    here = 0
    for start, end in sorted(span for c in chunks for span in c.spans):
        if text[here:start].strip():
            return False
        here = max(here, end)
    return not text[here:].strip()


def _stands(chunk: Chunk, text: str) -> bool:
    said = "".join(chunk.text.split())
    return all(0 <= s <= e <= len(text) and "".join(text[s:e].split()) in said for s, e in chunk.spans)
