"""What cutting a document gave, as JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from autokb.chunking.cutting import Cut, Noise
from autokb.stores.codecs import CHUNK


def cut_body(cut: Cut) -> dict[str, Any]:
    """Return the chunks, the noise and the counts as JSON."""
    noise = [{"spans": [list(span) for span in n.spans], "text": n.text, "reason": n.reason} for n in cut.noise]
    return {"chunks": [CHUNK.body(c) for c in cut.chunks], "noise": noise, "counts": dict(cut.counts)}


def cut_text(cut: Cut) -> str:
    """Return it as one line to be kept."""
    return json.dumps(cut_body(cut), ensure_ascii=False)


def read_cut(document_id: str, text: str) -> Cut:
    """Read what ``cut_text`` wrote of a document."""
    body: Mapping[str, Any] = json.loads(text)
    noise = tuple(Noise(tuple((int(s), int(e)) for s, e in n["spans"]), n["text"], n["reason"]) for n in body["noise"])
    return Cut(tuple(CHUNK.read(c, document=document_id) for c in body["chunks"]), noise, body["counts"])
