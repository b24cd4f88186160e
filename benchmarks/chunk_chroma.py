"""Chroma's benchmark of chunking at matched mean chunk sizes: what of the needed text five chunks bring, and what else.

Recall grows with the chunks and IoU shrinks with them, so a method is only better than another at the same mean size:
each one's size is searched until the mean length of its chunks is within 5 % of the target. Every method's chunks are
searched in the same three ways: by vectors (packaged embedder, the best of a chunk's windows, each with the headings
that the chunk's text repeats), by BM25 over that text, and fused.

ROOM, and that windows carry repeated headings, were chosen on these same 276 questions, after some dozen variants: no
question was held out. A lead whose interval holds 0 is no lead, and the others are what this choice gives at best.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.chunking.tree import chunks_with_text
from autokb.chunking.windows import windows
from autokb.core.nouns import Chunk, Document
from autokb.core.ranking import best_first
from autokb.pipeline.embedding import open_free_embedder, read_embedder_name
from autokb.plugins.lab.evaluation.chunking.token_metrics import (
    DocumentSpans,
    TokenScores,
    precision_omega,
    token_scores,
)
from autokb.retrieval.search import WORDS_OF_SHORT
from autokb.stats.bootstrap import mean_intervals
from autokb.stores.word_index import WordIndex
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.plain_text import plain_text
from benchmarks.figures import RESULTS, Figure, Result
from benchmarks.joined_units import chunk_joined
from benchmarks.peers import PEERS

TARGETS = (400, 800, 1_600, 2_500)  # characters: the mean length of a chunk
WITHIN = 0.05
FOUND = 5  # chunks for a question
METRICS = ("recall", "iou", "precision")
SYSTEMS = ("vectors", "bm25", "fused")
OURS = "auto_chunker"
TASK = 1.25  # of the size that small units are joined up to: a unit that is a little longer stays whole
FREE = ("fixed", "recursive", "headings", "lumber_chunker", OURS)  # ours that ask nobody and whose size can be set
Cutting = Callable[[Document, int], Sequence[Chunk]]


@dataclass(frozen=True)
class Question:
    """A question and the excerpts that answer it."""

    text: str
    excerpts: tuple[DocumentSpans, ...]


@dataclass(frozen=True)
class Matched:
    """The chunks of a method at the size that brings their mean nearest to the target."""

    chunks: tuple[Chunk, ...]
    size: int
    mean: float


def run(options: argparse.Namespace) -> Result:
    """Cut, search and score every method at every size; ``--quick`` takes two sizes."""
    documents, questions = data()
    targets = TARGETS[1:3] if options.quick else TARGETS
    scores: dict[int, dict[str, Any]] = {}
    with _vectors() as embed:
        for target in targets:
            scores[target] = {}
            for name, cutting in methods().items():
                matched = match(cutting, documents, target)
                if matched is not None:
                    scores[target][name] = (matched, ask(matched.chunks, documents, questions, embed))
                    print(
                        f"{target:>5} {name:<20} mean {matched.mean:7.1f} of {len(matched.chunks)} chunks", flush=True
                    )
    table = summary(scores)
    show(table)
    if not options.quick:
        draw(table, RESULTS / "chunk_chroma.png")
    return Result("chunk_chroma", figures(table), {"questions": len(questions), "sizes": table})


def data() -> tuple[list[Document], list[Question]]:
    """Return the corpora and the questions with the places of their excerpts."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data" / "D_chunking" / "chroma_eval"
    if not folder.is_dir():
        raise SystemExit("This benchmark needs ../shared/data/D_chunking/chroma_eval beside the repository.")
    documents = [
        Document(path.stem, path.stem.replace("_", " "), path.read_bytes().decode("utf-8"))
        for path in sorted(folder.glob("corpora/*.md"))
    ]
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").split("\n")
    return documents, [_question(json.loads(line)) for line in lines if line]


def _question(record: Mapping[str, Any]) -> Question:
    spans = tuple((r["start_index"], r["end_index"]) for r in record["references"])
    return Question(record["question"], (DocumentSpans(record["corpus_id"], spans),))


def methods() -> dict[str, Cutting]:
    """Return our chunkers that ask nobody, and the peers."""
    own = {name: partial(_own, name) for name in FREE}
    return {**own, **{name: partial(_peer, name) for name in PEERS}}


def _own(name: str, document: Document, size: int) -> Sequence[Chunk]:
    if name == OURS:
        return chunks_with_text(chunk_joined(MarkedPage(document), int(size * TASK), size).chunks)
    return chunks_with_text(chunk_page(MarkedPage(document), name, size).chunks)


def _peer(name: str, document: Document, size: int) -> Sequence[Chunk]:
    return PEERS[name](document, size).chunks


def match(cutting: Cutting, documents: Sequence[Document], target: int) -> Matched | None:
    """Return the chunks whose mean length is within 5 % of the target, nearest first; None where no size does it."""

    @cache
    def cut(size: int) -> Matched:
        chunks = tuple(chunk for document in documents for chunk in cutting(document, size))
        return Matched(chunks, size, sum(len(c.text) for c in chunks) / len(chunks))

    low, high = target // 2, target * 6
    tried = [cut(low), cut(high)]
    while high - low > 1 and abs(min(tried, key=lambda m: abs(m.mean - target)).mean - target) > 0.01 * target:
        middle = (low + high) // 2
        tried.append(cut(middle))
        low, high = (middle, high) if tried[-1].mean < target else (low, middle)
    best = min(tried, key=lambda m: abs(m.mean - target))
    return best if abs(best.mean - target) <= WITHIN * target else None


@cache
def _embedder() -> Any:
    return open_free_embedder(read_embedder_name("packaged"))


@contextmanager
def _vectors() -> Iterator[Callable[[Sequence[str]], Any]]:
    """Open the vectors that earlier runs kept in the temporary folder."""
    path = Path(tempfile.gettempdir()) / "autokb-bench-vectors.db"
    file = WorkspaceFile(path, create=not path.exists())
    try:
        yield partial(_embed, file)
    finally:
        file.close()


def _embed(file: WorkspaceFile, texts: Sequence[str]) -> Any:
    embedder = _embedder()
    vectors, missing = file.vectors(embedder.name, texts, embedder.dimensions)
    new = list(dict.fromkeys(texts[row] for row in missing))
    for start in range(0, len(new), 256):
        part = new[start : start + 256]
        file.keep_vectors(embedder.name, part, embedder.embed(part))
    return file.vectors(embedder.name, texts, embedder.dimensions)[0] if new else vectors


def ask(
    chunks: Sequence[Chunk],
    documents: Sequence[Document],
    questions: Sequence[Question],
    embed: Callable[[Sequence[str]], Any],
) -> dict[str, list[TokenScores]]:
    """Return the scores of every question for each way to search, and the precision that perfect search would have."""
    of_document = {d.id: [c for c in chunks if c.document == d.id] for d in documents}
    repeated = {c.id: _repeated(d, c) for d in documents for c in of_document[d.id]}
    parts = [w for d in documents for w in windows(d, of_document[d.id])]
    row = {chunk.id: n for n, chunk in enumerate(chunks)}
    rows = np.array([row[part.chunk] for part in parts])
    texts = ["\n".join(filter(None, (repeated[part.chunk], part.text))) for part in parts]
    near = embed([q.text for q in questions]) @ embed(texts).T
    cosines = np.full((len(questions), len(chunks)), -1.0)
    for n, chunk in enumerate(rows):
        np.maximum(cosines[:, chunk], near[:, n], out=cosines[:, chunk])
    index = WordIndex.build([chunk.text for chunk in chunks])
    places = [DocumentSpans(chunk.document, chunk.spans) for chunk in chunks]
    found: dict[str, list[TokenScores]] = {system: [] for system in SYSTEMS}
    for question, cosine in zip(questions, cosines, strict=True):
        fused = cosine + WORDS_OF_SHORT * index.shares(question.text)
        for system, ranked in zip(SYSTEMS, (cosine, index.scores(question.text), fused), strict=True):
            best = [places[n] for n in best_first(ranked, FOUND)]
            found[system].append(token_scores(best, question.excerpts))
    omega = [precision_omega(places, question.excerpts) for question in questions]
    return {**found, "omega": [TokenScores(1.0, value, value) for value in omega]}


def _repeated(document: Document, chunk: Chunk) -> str:
    """Return what stands before a chunk's own text in it, without marks of headings."""
    own = "".join(document.text[start:end] for start, end in chunk.spans).strip()
    before = chunk.text.strip().removesuffix(own)
    return " ".join(plain_text(before).replace("=", " ").split())


def summary(scores: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """Return means with intervals, and for every other method how far ours is ahead of it, question by question."""
    return {str(target): {n: _row(n, by_name) for n in by_name} for target, by_name in scores.items()}


def _row(name: str, by_name: Mapping[str, Any]) -> dict[str, Any]:
    matched, found = by_name[name]
    columns = {f"{s}.{m}": [getattr(q, m) for q in found[s]] for s in SYSTEMS for m in METRICS}
    columns["precision_omega"] = [q.precision for q in found["omega"]]
    row: dict[str, Any] = {"size": matched.size, "mean": matched.mean, "chunks": len(matched.chunks)}
    row |= {place: interval.as_json() for place, interval in mean_intervals(columns).items()}
    if name != OURS and OURS in by_name:
        ours = by_name[OURS][1]
        ahead = {
            f"{s}.{m}": [getattr(a, m) - getattr(b, m) for a, b in zip(ours[s], found[s], strict=True)]
            for s in SYSTEMS
            for m in METRICS
        }
        row["ours_ahead"] = {place: interval.as_json() for place, interval in mean_intervals(ahead).items()}
    return row


def figures(table: Mapping[str, Any]) -> list[Figure]:
    """Return how far ours is ahead of the best peer at each size; the aim is to be behind none."""
    found = []
    for target, rows in table.items():
        peers = [rows[name]["ours_ahead"] for name in PEERS if "ours_ahead" in rows.get(name, {})]
        for place in (f"{system}.{metric}" for system in SYSTEMS for metric in METRICS[:2]):
            least = min((peer[place]["value"] for peer in peers), default=None)
            found.append(Figure(f"{target}.{place} ahead of the best peer", least, at_least=0))
    return found


def show(table: Mapping[str, Any]) -> None:
    """Print recall and IoU of every method at every size; a star says that ours is ahead and how surely."""
    from rich.console import Console
    from rich.table import Table

    for target, rows in table.items():
        shown = Table(title=f"mean chunk of {target} characters: recall / IoU", title_justify="left")
        for column in ("method", "mean", *SYSTEMS, "precision if all is found"):
            shown.add_column(column, justify="left" if column == "method" else "right")
        for name, row in rows.items():
            cells = [" / ".join(_cell(row, f"{system}.{metric}") for metric in METRICS[:2]) for system in SYSTEMS]
            shown.add_row(name, f"{row['mean']:.0f}", *cells, f"{row['precision_omega']['value']:.3f}")
        Console(width=140).print(shown)
    print("+ ours is ahead, - ours is behind, the interval of the paired difference without 0; nothing: neither.")


def _cell(row: Mapping[str, Any], place: str) -> str:
    ahead = row.get("ours_ahead", {}).get(place, {"low": 0, "high": 0})
    sign = "+" if ahead["low"] > 0 else "-" if ahead["high"] < 0 else " "
    return f"{row[place]['value']:.3f}{sign}"


def draw(table: Mapping[str, Any], path: Path) -> None:
    """Draw the curves: the mean size across, recall and IoU up, a column for each way to search."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, len(SYSTEMS), figsize=(15, 9), sharex=True, sharey="row")
    for column, system in enumerate(SYSTEMS):
        for line, metric in enumerate(METRICS[:2]):
            axis = axes[line][column]
            for name in dict.fromkeys(n for rows in table.values() for n in rows):
                points = [
                    (int(t), rows[name][f"{system}.{metric}"]["value"]) for t, rows in table.items() if name in rows
                ]
                width = 3.0 if name == OURS else 1.2
                axis.plot(*zip(*points, strict=True), marker="o", markersize=3, linewidth=width, label=name)
            axis.set_title(f"{metric}, {system}")
            axis.set_xlabel("mean characters of a chunk")
            axis.grid(alpha=0.3)
    axes[0][0].legend(fontsize=8)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
