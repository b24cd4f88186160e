"""How much page furniture is dropped and how much text is lost, beside other tools, on pages unseen by the fit.

First the shipped weights on the half of the pages that they were not fitted on. Then all pages, each judged by
weights fitted on four fifths that it is not among (``cross_fitted``): twice the pages, but the rules and word lists
were written with the fitting half in sight.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Sequence
from functools import cache

from autokb.chunking.boilerplate import filter_boilerplate
from autokb.chunking.boilerplate.features import visible_words
from autokb.chunking.boilerplate.weights import WITH_VOTES, WITHOUT_VOTES, FeatureWeights
from autokb.chunking.chunk_result import Page
from autokb.chunking.chunkers import chunk_page
from autokb.chunking.methods import METHODS
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.core.nouns import Document
from autokb.llm.embedders import Embedder
from autokb.pipeline.embedding import open_free_embedder, read_embedder_name
from autokb.sources.whole_page import whole_page
from benchmarks.chunk_noise_data import (
    SETS,
    GoldPage,
    Score,
    f1,
    gold_pages,
    let_in,
    lost,
    score,
    without_titles,
    words_of,
)
from benchmarks.chunk_noise_fit import both_weights, rows_of
from benchmarks.figures import Figure, Result, show, write

RESAMPLES = 10_000
SEED = 20250101
FOLDS = 5
SIZE = 2_048  # characters of a chunk
NAMES = {SETS[0]: "articles", SETS[1]: "readability", SETS[2]: "snippets"}


def ours(page: GoldPage, weights: tuple[FeatureWeights, FeatureWeights] = (WITH_VOTES, WITHOUT_VOTES)) -> str:
    """Return the words of the paragraphs that are kept, headings included."""
    whole = whole_page(page.html)
    blocks = numbered_blocks(whole.text)
    document = Document(page.id, whole.title, whole.text)
    verdicts = filter_boilerplate(Page(document, whole.marks), blocks, weights)
    kept = (whole.text[b.start : b.end] for b, v in zip(blocks, verdicts, strict=True) if v.keeps)
    return "\n".join(map(visible_words, kept))


def whole(page: GoldPage) -> str:
    """Return the words of the whole page's Markdown."""
    return visible_words(whole_page(page.html).text)


def trafilatura_default(page: GoldPage) -> str:
    """Return what trafilatura keeps without comments."""
    from trafilatura import extract

    return extract(page.html, include_comments=False) or ""


def trafilatura_precise(page: GoldPage) -> str:
    """Return what trafilatura keeps in its precision mode."""
    from trafilatura import extract

    return extract(page.html, include_comments=False, favor_precision=True) or ""


def readability(page: GoldPage) -> str:
    """Return what readability-lxml keeps, nothing of a page that it cannot read."""
    import logging

    from readability import Document
    from readability.readability import Unparseable

    logging.getLogger("readability.readability").addHandler(logging.NullHandler())
    try:
        return words_of(Document(page.html).summary(html_partial=True))
    except Unparseable:
        return ""


def chunks_of(method: str) -> Callable[[GoldPage], str]:
    """Return what gives the words of a page's chunks; those of ``recursive`` are html-to-markdown's text, cut up."""

    def kept(page: GoldPage) -> str:
        whole = whole_page(page.html)
        document = Document(page.id, whole.title, whole.text)
        found = chunk_page(Page(document, whole.marks), method, SIZE, _embedder().embed)
        return "\n".join(visible_words(whole.text[start:end]) for chunk in found.chunks for start, end in chunk.spans)

    return kept


@cache
def _embedder() -> Embedder:
    return open_free_embedder(read_embedder_name("packaged"))


SYSTEMS: dict[str, Callable[[GoldPage], str]] = {
    "ours": ours,
    "trafilatura": trafilatura_default,
    "trafilatura_precise": trafilatura_precise,
    "readability": readability,
    "whole": whole,
    **{f"chunks_{method}": chunks_of(method) for method in METHODS},
}


def run(_options: argparse.Namespace) -> Result:
    """Score every system on the half of the pages that weights were not fitted on."""
    pages = list(gold_pages())
    held = [page for page in pages if not page.fits]
    kept = {name: [system(page) for page in held] for name, system in SYSTEMS.items()}
    figures = [figure for name in SYSTEMS for figure in _figures(name, held, kept[name])]
    for name in SETS[:2]:
        figures += _difference(name, held, kept["ours"], kept["trafilatura"])
    figures += _on_all_pages(pages)
    detail = {"pages": {NAMES[s]: sum(p.set == s for p in held) for s in SETS}, "fitted_on": len(pages) - len(held)}
    return Result("chunk_noise", figures, detail)


def _on_all_pages(pages: Sequence[GoldPage]) -> list[Figure]:
    """Score our verdicts and trafilatura on all pages, ours by weights that were fitted without the page."""
    kept = cross_fitted(pages)
    other = [trafilatura_default(page) for page in pages]
    figures = [*_figures("cross_fitted", pages, kept), *_figures("trafilatura_all", pages, other)]
    for name in SETS[:2]:
        figures += _difference(name, pages, kept, other, "cross_fitted_f1_over_trafilatura")
    return figures


def cross_fitted(pages: Sequence[GoldPage]) -> list[str]:
    """Return what is kept of each page by weights fitted on the other folds."""
    rows = [rows_of(page) for page in pages]
    folds = [int(hashlib.sha256(f"fold {page.id}".encode()).hexdigest(), 16) % FOLDS for page in pages]
    weights = {
        f: both_weights([r for of, n in zip(rows, folds, strict=True) if n != f for r in of]) for f in set(folds)
    }
    return [ours(page, weights[fold]) for page, fold in zip(pages, folds, strict=True)]


def _figures(name: str, pages: Sequence[GoldPage], kept: Sequence[str]) -> list[Figure]:
    found = []
    for data in SETS[:2]:
        scores = _scores(data, pages, kept)
        label = f"{name}_{NAMES[data]}"
        found += [
            Figure(f"{label}_precision", sum(s.precision for s in scores) / len(scores)),
            Figure(f"{label}_recall", sum(s.recall for s in scores) / len(scores)),
            Figure(f"{label}_f1", f1(scores)),
        ]
    must, must_not = (sum(len(x) for x in xs) for xs in ([p.must for p in pages], [p.must_not for p in pages]))
    aim = name in ("ours", "chunks_auto_chunker")
    wrong = sum(map(let_in, pages, kept)) / must_not * 100
    missed = sum(map(lost, pages, kept)) / must * 100
    found.append(Figure(f"{name}_must_not_let_in", wrong, "%", at_most=4.5 if aim else None))
    found.append(Figure(f"{name}_must_lost", missed, "%", at_most=4 if aim else None))
    return found


def _scores(data: str, pages: Sequence[GoldPage], kept: Sequence[str]) -> list[Score]:
    return [
        score(without_titles(page, text), page.gold) for page, text in zip(pages, kept, strict=True) if page.set == data
    ]


def _difference(
    data: str, pages: Sequence[GoldPage], one: Sequence[str], other: Sequence[str], of: str = "f1_over_trafilatura"
) -> list[Figure]:
    """Return the difference in F1 with its interval, from resampling pages in pairs."""
    import numpy as np

    pairs = [_scores(data, pages, texts) for texts in (one, other)]
    values = np.array([[(s.precision, s.recall) for s in scores] for scores in pairs])
    drawn = np.random.default_rng(SEED).integers(0, values.shape[1], (RESAMPLES, values.shape[1]))
    means = values[:, drawn].mean(axis=2)
    f1s = 2 * means[..., 0] * means[..., 1] / means.sum(axis=-1)
    low, high = np.percentile(f1s[0] - f1s[1], (2.5, 97.5))
    label = f"{of}_{NAMES[data]}"
    return [
        Figure(label, f1(pairs[0]) - f1(pairs[1]), at_least=-0.01),
        Figure(f"{label}_low", float(low)),
        Figure(f"{label}_high", float(high)),
    ]


if __name__ == "__main__":
    result = run(argparse.Namespace())
    show(result)
    print(write(result, keep=False))
