"""What a chunker takes and gives: a page, and its chunks with ids that last beside what was left out and why."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from autokb.core.ids import digest, occurrences, short_id
from autokb.core.marks import Mark
from autokb.core.nouns import Chunk, Document, Span
from autokb.stores.codecs import CHUNK
from autokb.text.markdown import section_at, sections


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A document with what its web page tells beside the Markdown; both are empty for any other document.

    ``marks`` say of spans in which area of the page they are and which extractor keeps them, ``site_boilerplate``
    holds the hashes of those of its blocks that many pages of its site have.
    """

    document: Document
    marks: tuple[Mark, ...] = ()
    site_boilerplate: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Noise:
    """What is in no chunk, and why."""

    spans: tuple[Span, ...]
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """A document's chunks and its noise: every character that is no white space is in exactly one of them.

    ``counts`` says how often something in a model's replies had to be repaired, by name.
    """

    chunks: tuple[Chunk, ...]
    noise: tuple[Noise, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


Chunker = Callable[[MarkedPage, int], ChunkResult]  # a page, and the most characters of a chunk's text


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk without an id: ``text`` is the Markdown of the spans, with what is repeated before it.

    ``parent`` is the place of another draft among all of the document's.
    """

    spans: tuple[Span, ...]
    text: str
    headings: tuple[str, ...] = ()
    parent: int | None = None


def chunks_from_drafts(document: Document, drafts: Iterable[ChunkDraft]) -> tuple[Chunk, ...]:
    """Return the chunks; an id is made of the document, the hash of the text and which occurrence of it this is."""
    drafts = tuple(drafts)
    hashes = [digest(draft.text) for draft in drafts]
    ids = [
        short_id("chunk", document.id, text, str(which))
        for text, which in zip(hashes, occurrences(hashes), strict=True)
    ]
    return tuple(
        Chunk(
            id=chunk_id,
            document=document.id,
            text=draft.text,
            spans=draft.spans,
            headings=draft.headings,
            parent_id=None if draft.parent is None else ids[draft.parent],
        )
        for chunk_id, draft in zip(ids, drafts, strict=True)
    )


def result_of_spans(document: Document, spans: Iterable[Span]) -> ChunkResult:
    """Return chunks that are these spans of a document as they are, under the headings they begin under; no noise."""
    text, found = document.text, sections(document.text)
    drafts = (ChunkDraft(((s, e),), text[s:e], found[section_at(found, s)].headings) for s, e in spans)
    return ChunkResult(chunks_from_drafts(document, drafts))


def result_body(result: ChunkResult) -> dict[str, Any]:
    """Return the chunks, the noise and the counts as JSON."""
    noise = [{"spans": [list(span) for span in n.spans], "text": n.text, "reason": n.reason} for n in result.noise]
    return {"chunks": [CHUNK.body(c) for c in result.chunks], "noise": noise, "counts": dict(result.counts)}


def dump_result(result: ChunkResult) -> str:
    """Return a result as one line to be stored."""
    return json.dumps(result_body(result), ensure_ascii=False)


def load_result(document_id: str, text: str) -> ChunkResult:
    """Read what ``dump_result`` wrote of a document."""
    body: Mapping[str, Any] = json.loads(text)
    noise = tuple(Noise(tuple((int(s), int(e)) for s, e in n["spans"]), n["text"], n["reason"]) for n in body["noise"])
    return ChunkResult(tuple(CHUNK.read(c, document=document_id) for c in body["chunks"]), noise, body["counts"])
