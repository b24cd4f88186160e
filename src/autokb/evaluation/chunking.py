"""What is said of one method's chunks: their sizes, what was counted of them, how much of a needed text they find."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.chunking.cutting import Cut
from autokb.chunking.tree import with_text
from autokb.chunking.windows import Window
from autokb.core.nouns import Chunk, Document
from autokb.evaluation.bootstrap import estimates
from autokb.evaluation.chunk_questions import Question
from autokb.evaluation.clustered import Part, ratio
from autokb.evaluation.mechanical import counted, gold_overlap
from autokb.evaluation.token_metrics import Place, precision_omega, token_scores

FOUND = 5  # chunks that are retrieved for a question, as in Chroma's evaluation
NOTHING: Mapping[str, Any] = {"value": None, "low": None, "high": None, "n": 0}


@dataclass(frozen=True)
class CutMethod:
    """What one method made of the documents; one that it could not cut is missing in ``cuts``."""

    name: str
    cuts: Mapping[str, Cut]
    seconds: float

    def chunks(self) -> list[Chunk]:
        """Return the chunks with text, document by document."""
        return [chunk for cut in self.cuts.values() for chunk in with_text(cut.chunks)]


def sizes(chunks: Sequence[Chunk]) -> dict[str, float | None]:
    """Return the mean and percentiles (nearest rank) of the lengths of the chunks' texts, in characters."""
    lengths = sorted(len(chunk.text) for chunk in chunks)
    ranks = {f"p{percent}": percent / 100 for percent in (50, 90, 95)}
    if not lengths:
        return {"mean": None, **dict.fromkeys(ranks)}
    at = {name: float(lengths[math.ceil(share * len(lengths)) - 1]) for name, share in ranks.items()}
    return {"mean": sum(lengths) / len(lengths), **at}


def mechanical_figures(
    method: CutMethod,
    documents: Sequence[Document],
    max_size: int,
    furniture: frozenset[str] = frozenset(),
    gold: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return every counted share with its interval and ``n``, the chunks or structures that it is over.

    ``gold`` is, by document, the text that should be kept of it.
    """
    cut = [d for d in documents if d.id in method.cuts]
    found = [counted(d, method.cuts[d.id], max_size, furniture) for d in cut]
    names = found[0].parts if found else ()
    figures: dict[str, Any] = {name: _share([one.parts[name] for one in found]) for name in names}
    figures["over_limit"] = sum(one.over_limit for one in found)
    return {**figures, **(_gold_figures(method, gold) if gold else {})}


def _share(documents: Sequence[Sequence[Part]]) -> dict[str, Any]:
    estimate = ratio(documents)
    return dict(NOTHING) if estimate is None else {**estimate.as_json(), "n": sum(map(len, documents))}


def _gold_figures(method: CutMethod, gold: Mapping[str, str]) -> dict[str, Any]:
    """Return precision and recall of the words in the chunks beside the gold texts, and their mean F1 by document."""
    pairs = [
        gold_overlap("\n".join(_own(method.cuts[document])), text)
        for document, text in gold.items()
        if document in method.cuts
    ]
    f1 = [[(2 * p[0] / (p[1] + r[1]) if p[1] + r[1] else 0.0, 1.0)] for p, r in pairs]
    shares = {"precision": [[p] for p, _ in pairs], "recall": [[r] for _, r in pairs], "f1": f1}
    return {f"gold_{name}": _share(parts) for name, parts in shares.items()}


def _own(cut: Cut) -> list[str]:
    return [chunk.text for chunk in cut.chunks if chunk.spans]


def rankings(
    chunks: Sequence[Chunk], windows: Sequence[Window], vectors: NDArray[np.float32], asked: NDArray[np.float32]
) -> list[list[tuple[int, float]]]:
    """Return for each question all chunks, best first, with their cosine: that of a chunk's best window.

    Row n of ``vectors`` is window n, row n of ``asked`` question n. A chunk without a window comes last.
    """
    place = {chunk.id: n for n, chunk in enumerate(chunks)}
    rows = np.array([place[window.chunk] for window in windows], dtype=np.int64)
    best = np.full((len(chunks), len(asked)), -1.0)
    np.maximum.at(best, rows, (vectors @ asked.T).astype(np.float64))
    order = np.argsort(-best, axis=0, kind="stable")
    return [[(int(n), float(best[n, q])) for n in order[:, q]] for q in range(len(asked))]


def found_figures(
    chunks: Sequence[Chunk], questions: Sequence[Question], ranked: Sequence[Sequence[tuple[int, float]]]
) -> dict[str, Any]:
    """Return recall, precision and IoU of the first five chunks over the questions with excerpts, and omega."""
    places = [Place(chunk.document, chunk.spans) for chunk in chunks]
    columns: dict[str, list[float]] = {f"{name}@{FOUND}": [] for name in ("recall", "precision", "iou")}
    columns["precision_omega"] = []
    for question, order in zip(questions, ranked, strict=True):
        if not question.excerpts:
            continue
        scores = token_scores([places[n] for n, _ in order[:FOUND]], question.excerpts)
        for name in ("recall", "precision", "iou"):
            columns[f"{name}@{FOUND}"].append(getattr(scores, name))
        columns["precision_omega"].append(precision_omega(places, question.excerpts))
    many = len(columns["precision_omega"])
    return {name: {**e.as_json(), "n": many} for name, e in estimates(columns).items()} if many else {}


__all__ = ["FOUND", "CutMethod", "found_figures", "mechanical_figures", "rankings", "sizes"]
