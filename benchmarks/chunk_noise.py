"""How much boilerplate is dropped and how much text is lost, beside other tools, on pages unseen while it was tuned.

``ours`` are the blocks that the filter keeps, ``vote`` those that the extractor alone would keep of the same Markdown:
the difference is what the filter mends, at equal structure. ``knowledge_base`` are the chunks of a workspace that the
pages were added to, as a build makes them. Of manuals, which have next to nothing around their text, it says how many
words are kept.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from autokb.app.support_kb import SupportKB
from autokb.chunking.auto.filtered_page import filter_page
from autokb.chunking.boilerplate.page_features import page_features
from autokb.chunking.boilerplate.visible_text import visible_words
from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.chunking.methods import METHODS
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.core.nouns import Document
from autokb.llm.embedders import Embedder
from autokb.pipeline.embedding import open_free_embedder, read_embedder_name
from autokb.sources.html import html_page
from benchmarks.chunk_noise_data import (
    MANUALS,
    SETS,
    GoldPage,
    Score,
    f1,
    gold_pages,
    let_in,
    lost,
    manual_pages,
    says_paragraphs_twice,
    score,
    without_titles,
    words_kept,
    words_of,
)
from benchmarks.figures import Figure, Result, show, write

RESAMPLES = 10_000
SEED = 20250101
SIZE = 2_048  # characters of a chunk
PEERS = ("trafilatura", "trafilatura_precise", "readability", "vote")
NAMES = {SETS[0]: "articles", SETS[1]: "readability", SETS[2]: "snippets"}


def _read(page: GoldPage) -> MarkedPage:
    found = html_page(page.html)
    return MarkedPage(Document(page.id, found.title, found.text), found.marks)


def ours(page: GoldPage) -> str:
    """Return the words of the blocks that are kept, headings included."""
    outline = filter_page(_read(page)).outline
    return "\n".join(visible_words(outline.written(n)) for n, keeps in enumerate(outline.kept) if keeps)


def vote(page: GoldPage) -> str:
    """Return the words of the blocks that the extractor keeps, before its vote is mended."""
    read = _read(page)
    text, blocks = read.document.text, numbered_blocks(read.document.text)
    voted = page_features(read, blocks).in_text
    return "\n".join(visible_words(text[b.start : b.end]) for b, keeps in zip(blocks, voted, strict=True) if keeps)


def whole(page: GoldPage) -> str:
    """Return the words of the whole page's Markdown."""
    return visible_words(html_page(page.html).text)


def knowledge_base(pages: Sequence[GoldPage]) -> list[str]:
    """Return the words of each page's chunks in a workspace that all pages were added to and that was built."""
    with tempfile.TemporaryDirectory() as folder:
        files, place = Path(folder, "pages"), Path(folder, "kb")
        for n, page in enumerate(pages):
            # Each page is from a site of its own: a folder makes it one.
            (files / str(n)).mkdir(parents=True)
            (files / str(n) / "page.html").write_text(page.html, encoding="utf-8")
        SupportKB.create(place)
        (place / "settings.yaml").write_text("chunker: auto_chunker\n", encoding="utf-8")
        kb = SupportKB.open(place)
        kb.add([files])
        kb.build()
        with kb.workspace.file() as file:
            records = dict(file.records("document"))
    found = []
    for n in range(len(pages)):
        body = records.get(f"{n}/page.html", {"text": "", "chunks": []})
        spans = [span for chunk in body["chunks"] for span in chunk["spans"]]
        found.append("\n".join(visible_words(body["text"][start:end]) for start, end in spans))
    return found


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
        read = _read(page)
        found = chunk_page(read, method, SIZE, _embedder().embed)
        text = read.document.text
        return "\n".join(visible_words(text[start:end]) for chunk in found.chunks for start, end in chunk.spans)

    return kept


@cache
def _embedder() -> Embedder:
    return open_free_embedder(read_embedder_name("packaged"))


SYSTEMS: dict[str, Callable[[GoldPage], str]] = {
    "ours": ours,
    "vote": vote,
    "trafilatura": trafilatura_default,
    "trafilatura_precise": trafilatura_precise,
    "readability": readability,
    "whole": whole,
    **{f"chunks_{method}": chunks_of(method) for method in METHODS},
}


def run(_options: argparse.Namespace) -> Result:
    """Score every system on the half of the pages that was not in sight while the filter was written."""
    pages = list(gold_pages())
    held = [page for page in pages if not page.fits]
    kept = {name: [system(page) for page in held] for name, system in SYSTEMS.items()}
    kept["knowledge_base"] = knowledge_base(held)
    figures = [figure for name in kept for figure in _figures(name, held, kept[name])]
    for other in PEERS:
        for name in SETS[:2]:
            figures += _f1_difference(name, held, kept["ours"], kept[other], other)
        figures += _snippet_differences(held, kept["ours"], kept[other], other)
    figures += [figure for name in MANUALS for figure in _manual_figures(name)]
    detail = {"pages": {NAMES[s]: sum(p.set == s for p in held) for s in SETS}, "not_reported": len(pages) - len(held)}
    return Result("chunk_noise", figures, detail)


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
    once = [n for n, page in enumerate(pages) if not says_paragraphs_twice(page)]
    scores = _scores(SETS[1], [pages[n] for n in once], [kept[n] for n in once])
    found.append(Figure(f"{name}_readability_without_repeats_f1", f1(scores)))
    must, must_not = (sum(len(x) for x in xs) for xs in ([p.must for p in pages], [p.must_not for p in pages]))
    aim = name in ("ours", "chunks_auto_chunker", "knowledge_base")
    wrong = sum(map(let_in, pages, kept)) / must_not * 100
    missed = sum(map(lost, pages, kept)) / must * 100
    found.append(Figure(f"{name}_must_not_let_in", wrong, "%", at_most=4.5 if aim else None))
    found.append(Figure(f"{name}_must_lost", missed, "%", at_most=4 if aim else None))
    return found


def _manual_figures(name: str) -> list[Figure]:
    """Return the shares of a manual's words that are kept."""
    pages = list(manual_pages(name))
    found = []
    for system in ("ours", "vote", "trafilatura", "trafilatura_precise"):
        counts = [words_kept(page, SYSTEMS[system](page)) for page in pages]
        found.append(
            Figure(f"{system}_{name}_words_kept", sum(k for k, _ in counts) / sum(n for _, n in counts) * 100, "%")
        )
    return found


def _scores(data: str, pages: Sequence[GoldPage], kept: Sequence[str]) -> list[Score]:
    return [
        score(without_titles(page, text), page.gold) for page, text in zip(pages, kept, strict=True) if page.set == data
    ]


def _f1_difference(
    data: str, pages: Sequence[GoldPage], one: Sequence[str], other: Sequence[str], name: str
) -> list[Figure]:
    """Return the difference in F1 with its interval, from resampling pages in pairs."""
    import numpy as np

    pairs = [_scores(data, pages, texts) for texts in (one, other)]
    values = np.array([[(s.precision, s.recall) for s in scores] for scores in pairs])
    drawn = np.random.default_rng(SEED).integers(0, values.shape[1], (RESAMPLES, values.shape[1]))
    means = values[:, drawn].mean(axis=2)
    f1s = 2 * means[..., 0] * means[..., 1] / means.sum(axis=-1)
    label = f"f1_over_{name}_{NAMES[data]}"
    at_least = -0.01 if name.startswith("trafilatura") else None
    return [Figure(label, f1(pairs[0]) - f1(pairs[1]), at_least=at_least), *_interval(label, f1s[0] - f1s[1])]


def _snippet_differences(
    pages: Sequence[GoldPage], one: Sequence[str], other: Sequence[str], name: str
) -> list[Figure]:
    """Return how many more snippets are let in and lost, in percent of all, from resampling pages in pairs."""
    import numpy as np

    found = []
    held = [n for n, page in enumerate(pages) if page.set == SETS[2]]
    for what, count, attribute in (("let_in", let_in, "must_not"), ("lost", lost, "must")):
        wrong = np.array([[count(pages[n], texts[n]) for n in held] for texts in (one, other)], float)
        many = np.array([len(getattr(pages[n], attribute)) for n in held], float)
        drawn = np.random.default_rng(SEED).integers(0, len(held), (RESAMPLES, len(held)))
        shares = wrong[:, drawn].sum(axis=-1) / many[drawn].sum(axis=-1) * 100
        label = f"{what}_over_{name}"
        found += [
            Figure(label, float((wrong[0].sum() - wrong[1].sum()) / many.sum() * 100), "%"),
            *_interval(label, shares[0] - shares[1], "%"),
        ]
    return found


def _interval(label: str, drawn: Any, unit: str = "") -> list[Figure]:
    import numpy as np

    low, high = np.percentile(drawn, (2.5, 97.5))
    return [Figure(f"{label}_low", float(low), unit), Figure(f"{label}_high", float(high), unit)]


if __name__ == "__main__":
    result = run(argparse.Namespace())
    show(result)
    print(write(result, keep=False))
