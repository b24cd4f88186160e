"""Which chunks are found for a question, and how much of the text that it needs is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.chunking.windows import Window, embedding_text, windows
from autokb.core.nouns import Chunk, Document, Hit
from autokb.plugins.lab.evaluation.chunking.datasets import LabelledQuestion
from autokb.plugins.lab.evaluation.chunking.results import DEPTHS, WITH_CONTEXT, ChunkShare, MethodOutput
from autokb.plugins.lab.evaluation.chunking.token_metrics import DocumentSpans, precision_omega, token_scores
from autokb.plugins.lab.evaluation.experiment import Embed
from autokb.retrieval.expand_subtrees import expand_subtrees
from autokb.stats.bootstrap import mean_intervals

FOUND = max(DEPTHS)  # chunks that are retrieved for a question, as in Chroma's evaluation (see token_metrics)


@dataclass(frozen=True)
class RankedChunks:
    """A method's chunks with text, all nodes of their trees, and the ranking of the chunks for each question.

    A ranking holds positions in ``chunks`` with their cosines, best first.
    """

    method: str
    chunks: Sequence[Chunk]
    tree: Sequence[Chunk]
    rankings: Sequence[Sequence[tuple[int, float]]]

    @property
    def is_tree(self) -> bool:
        """Whether some chunk has another one below it, so that context-aware retrieval can bring more than the hits."""
        return any(chunk.parent_id for chunk in self.tree)

    def first(self, k: int = FOUND) -> list[list[Chunk]]:
        """Return the first ``k`` chunks of each question."""
        return [[self.chunks[n] for n, _ in ranking[:k]] for ranking in self.rankings]

    def first_with_context(self, k: int = FOUND) -> list[list[Chunk]]:
        """Return ``k`` chunks of each question from the subtrees of its first ``k`` hits.

        That is context-aware retrieval (section 3.3 of the AutoChunker paper); where there is room for one, it is the
        hit itself.
        """
        by_id = {chunk.id: chunk for chunk in self.tree}
        expanded = [
            expand_subtrees([Hit(self.chunks[n].id, score) for n, score in ranking[:k]], self.tree, k)
            for ranking in self.rankings
        ]
        return [[by_id[hit.id] for hit in hits] for hits in expanded]


def rank_chunks(
    embed: Embed, output: MethodOutput, documents: Mapping[str, Document], questions: Sequence[LabelledQuestion]
) -> RankedChunks:
    """Rank a method's chunks for every question by their best windows; ``documents`` are by id."""
    chunks = output.chunks()
    by_document: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        by_document.setdefault(chunk.document, []).append(chunk)
    parts = [window for name, of_document in by_document.items() for window in windows(documents[name], of_document)]
    texts = [embedding_text(window, documents[window.document].title) for window in parts]
    vectors = embed([*texts, *(question.text for question in questions)])
    rankings = rank_by_best_window(chunks, parts, vectors[: len(parts)], vectors[len(parts) :])
    return RankedChunks(output.method, chunks, output.tree(), rankings)


def rank_by_best_window(
    chunks: Sequence[Chunk], windows: Sequence[Window], vectors: NDArray[np.float32], questions: NDArray[np.float32]
) -> list[list[tuple[int, float]]]:
    """Return for each question the positions of all chunks, best first, with the cosine of each one's best window.

    Row n of ``vectors`` is window n, row n of ``questions`` question n. A chunk without a window comes last.
    """
    position = {chunk.id: n for n, chunk in enumerate(chunks)}
    rows = np.array([position[window.chunk] for window in windows], dtype=np.int64)
    best = np.full((len(chunks), len(questions)), -1.0)
    np.maximum.at(best, rows, (vectors @ questions.T).astype(np.float64))
    order = np.argsort(-best, axis=0, kind="stable")
    return [[(int(n), float(best[n, q])) for n in order[:, q]] for q in range(len(questions))]


# Complex: one comprehension for each figure, over the same questions.
def needed_text_metrics(ranked: RankedChunks, questions: Sequence[LabelledQuestion]) -> dict[str, ChunkShare]:
    """Return recall, precision and IoU of the first chunks over the questions with excerpts, and omega.

    They are taken at each of ``DEPTHS``, of a tree also of context-aware retrieval. Without a question that has
    excerpts there is nothing to return.
    """
    asked = [number for number, question in enumerate(questions) if question.excerpts]
    if not asked:
        return {}
    readings = {f"@{k}": ranked.first(k) for k in DEPTHS}
    if ranked.is_tree:
        readings |= {f"@{k}{WITH_CONTEXT}": ranked.first_with_context(k) for k in DEPTHS}
    columns: dict[str, list[float]] = {}
    for depth, found in readings.items():
        scores = [token_scores(list(map(_place, found[n])), questions[n].excerpts) for n in asked]
        columns[f"recall{depth}"] = [score.recall for score in scores]
        columns[f"precision{depth}"] = [score.precision for score in scores]
        columns[f"iou{depth}"] = [score.iou for score in scores]
    places = list(map(_place, ranked.chunks))
    columns["precision_omega"] = [precision_omega(places, questions[n].excerpts) for n in asked]
    return {name: ChunkShare(interval, len(asked)) for name, interval in mean_intervals(columns).items()}


def _place(chunk: Chunk) -> DocumentSpans:
    return DocumentSpans(chunk.document, chunk.spans)
