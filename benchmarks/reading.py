"""What the encoder reads in a build, and whether a window needs a reading of its own beside its sections.

``python -m benchmarks reading`` builds five bases. It prints the encoder's share of the build, and how many tokens are
read for windows by themselves, for sections under their headings, and for the rest (issues, nodes, headings). A
window's vector is the mean of its sections'; it is compared with that of the window's own text: how well the nearest
window tells questions about the documents from others (AUC), and how often it stands in a right document.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.retrieval.corpus import Corpus
from autokb.stores.published import read_published
from benchmarks.answers import Base, make, out_of_scope
from benchmarks.figures import Figure, Result
from benchmarks.ranking import ARTICLES, GNOME, article_cases, asked, is_answerable, public_manual
from benchmarks.running import folder

WRITTEN = ("headphones", "medical", "cashbook")
Floats = NDArray[np.float64]


class Counted:
    """Counts what the packaged encoder of this process reads, by what for; on exit it is as before."""

    def __init__(self) -> None:
        self.tokens: Counter[str] = Counter()
        self.seconds = 0.0

    def __enter__(self) -> Counted:
        self._before: Any = (PackagedEmbedder._read, Corpus.window_texts)
        read, texts_of = self._before
        windows: set[str] = set()

        def window_texts(corpus: Corpus) -> list[str]:
            found: list[str] = texts_of(corpus)
            windows.update(found)
            return found

        def counted(encoder: PackagedEmbedder, texts: list[str], make: Any) -> Any:
            started = time.perf_counter()
            made = read(encoder, texts, make)
            self.seconds += time.perf_counter() - started
            kind = "sections" if "unwanted" in make.__code__.co_freevars else "rest"
            for text, encoded in zip(texts, encoder._tokenizer.encode_batch(list(texts)), strict=True):
                self.tokens["windows" if text in windows else kind] += len(encoded.ids)
            return made

        PackagedEmbedder._read, Corpus.window_texts = counted, window_texts  # type: ignore[assignment,method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        PackagedEmbedder._read, Corpus.window_texts = self._before


def _compare(base: Base) -> Iterator[Figure]:
    index = base.index
    gold = [one for one in asked(base.name) if is_answerable(one)]
    told = index.embed_questions([one["question"] for one in gold])
    others = index.embed_questions(out_of_scope())
    documents = np.array([window.document for window in index.chunks.windows])
    first = {}
    own = index.embed_questions(_texts_of_windows(base))
    for name, windows in (("own", own), ("of_sections", index.chunks.vectors.vectors)):
        scores = told @ windows.T
        nearest = np.concatenate([scores.max(axis=1), (others @ windows.T).max(axis=1)])
        auc = roc_auc_score([1] * len(told) + [0] * len(others), nearest)
        yield Figure(f"{base.name}.{name}.auc", float(auc), f"{len(told)} questions, {len(others)} off topic")
        right = [{s["document"] for s in one["sections"]} for one in gold]
        first[name] = np.array([d in r for d, r in zip(documents[scores.argmax(axis=1)], right, strict=True)], float)
        yield Figure(f"{base.name}.{name}.right_document_first", float(first[name].mean()))
    gain = first["of_sections"] - first["own"]
    error = gain.std(ddof=1) / len(gain) ** 0.5
    yield Figure(f"{base.name}.of_sections.gain", float(gain.mean()), f"standard error {error:.3f}")


def _texts_of_windows(base: Base) -> list[str]:
    with base.kb.workspace.file() as file:
        published = read_published(file)
    return Corpus.of(published.kb.documents, published.chunks, base.spec.language).window_texts()


def run(_options: argparse.Namespace) -> Result:
    """Build the bases with the readings counted, and compare the vectors of windows."""
    found: list[Figure] = []
    with folder() as place:
        PackagedEmbedder(1).embed(["opened before anything is counted"])
        for name in (*WRITTEN, GNOME, ARTICLES):
            found += _build(place, name)
    return Result("reading", found, {})


def _build(place: Path, name: str) -> Iterator[Figure]:
    if name == ARTICLES:
        list(article_cases(place, name))
        base = Base(name, place / name)
    else:
        base = public_manual(place, name) if name == GNOME else Base(name, make(name, place / name))
    _forget_vectors(place / name)
    with Counted() as counted:
        started = time.perf_counter()
        Base(name, place / name).kb.build()
        seconds = time.perf_counter() - started
    yield Figure(f"{name}.build_to_encoder", seconds / counted.seconds, f"of {seconds:.1f} s", at_most=1.3)
    for kind, tokens in sorted(counted.tokens.items()):
        yield Figure(f"{name}.{kind}.share", tokens / counted.tokens.total(), f"of {counted.tokens.total():,} tokens")
    if name in WRITTEN or name == GNOME:
        yield from _compare(base)


def _forget_vectors(workspace: Path) -> None:
    import sqlite3

    with sqlite3.connect(workspace / "knowledge.db") as database:
        database.execute("DELETE FROM vector")
