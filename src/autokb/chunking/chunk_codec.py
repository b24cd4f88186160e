"""What chunking a document gave, as JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from autokb.chunking.chunk_result import ChunkResult, Noise
from autokb.stores.codecs import CHUNK


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
