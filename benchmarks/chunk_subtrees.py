"""Whether what is found should bring what stands below it, as context-aware retrieval of the AutoChunker paper does.

Chunks: of Chroma's questions, the first chunks by vectors beside as many out of the subtrees of these.
Sections: of the questions about five knowledge bases, the first three that an answer shows beside the first three out
of the subtrees of these, so that there are as many places to read each time. Only the half for tuning and the questions
for development are asked. ``--keep FOLDER`` keeps the workspaces for the next run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.core.nouns import Chunk, Document, Hit
from autokb.pipeline.embedding import open_free_embedder, read_embedder_name
from autokb.plugins.lab.evaluation.chunking.chunk_search import rank_chunks
from autokb.plugins.lab.evaluation.chunking.datasets import LabelledQuestion
from autokb.plugins.lab.evaluation.chunking.results import DEPTHS, MethodOutput
from autokb.plugins.lab.evaluation.chunking.token_metrics import DocumentSpans, token_scores
from autokb.retrieval.expand_subtrees import expand_subtrees
from autokb.stats.bootstrap import mean_interval
from autokb.text.markdown import section_at, sections
from benchmarks import chunk_chroma
from benchmarks.answers import BASES, FIRST_SHOWN, Base, Gold, development, is_right, make, questions, shown_in_order
from benchmarks.figures import Figure, Result, show
from benchmarks.running import folder

METHODS = ("auto_chunker", "headings")  # those whose chunks are a tree
SIZES = (400, 800, 2_048)  # characters of a chunk at most


def chunk_figures() -> Iterator[Figure]:
    """Give what the subtrees of hits gain in Chroma's questions, paired."""
    documents, asked = chunk_chroma.data()
    labelled = [LabelledQuestion(question.text, question.excerpts) for question in asked]
    for method in METHODS:
        for size in SIZES:
            cuts = {d.id: chunk_page(MarkedPage(d), method, size) for d in documents}
            yield from _chunk_gains(MethodOutput(method, cuts, 0.0), documents, labelled, f"{method}.{size}")


def _chunk_gains(
    output: MethodOutput, documents: Sequence[Document], asked: Sequence[LabelledQuestion], name: str
) -> Iterator[Figure]:
    embedder = open_free_embedder(read_embedder_name("packaged"))
    ranked = rank_chunks(embedder.embed, output, {d.id: d for d in documents}, asked)
    for k in DEPTHS:
        pairs = []
        for question, *readings in zip(asked, ranked.first(k), ranked.first_with_context(k), strict=True):
            places = ([DocumentSpans(c.document, c.spans) for c in found] for found in readings)
            pairs.append([token_scores(place, question.excerpts) for place in places])
        for figure in ("recall", "iou"):
            changes = [getattr(after, figure) - getattr(before, figure) for before, after in pairs]
            yield _gain(f"chunks.{name}.{figure}@{k} gained", changes)


def section_figures(bases: Mapping[str, Base]) -> Iterator[Figure]:
    """Give what the subtrees of shown sections gain in the questions about the bases, paired."""
    every: list[tuple[float, bool]] = []
    for name, base in bases.items():
        measured = [found for gold in _asked(name) if (found := _section_change(base, gold)) is not None]
        yield from _section_gains(f"sections.{name}", measured)
        every += measured
    yield from _section_gains("sections", every)


def _section_gains(name: str, measured: Sequence[tuple[float, bool]]) -> Iterator[Figure]:
    unit = f"of {len(measured)}"
    yield Figure(f"{name}.answers that show something else", float(sum(other for _, other in measured)), unit)
    yield _gain(f"{name}.one_of_first_three_right gained", [change for change, _ in measured])


def _asked(name: str) -> list[Gold]:
    return [gold for gold in questions(name) if gold["part"] == "tune"] + development(name)


def _section_change(base: Base, gold: Gold) -> tuple[float, bool] | None:
    """Return what showing subtrees gains for a question, and whether other sections are shown then.

    None where the question cannot be answered or nothing is shown.
    """
    shown = list(shown_in_order(base.ask(gold["question"])))[:FIRST_SHOWN]
    if "answered" not in {gold["outcome"], *gold.get("also", ())} or not shown:
        return None
    places = {one["evidence"][0]["document"] for one in shown if one["evidence"]}
    tree = [chunk for document in sorted(places) for chunk in _section_chunks(base, document)]
    hits, is_hit_right = [], {}
    for rank, one in enumerate(shown):
        if one["evidence"]:
            document, start = one["evidence"][0]["document"], one["evidence"][0]["start"]
            hit = _section_id(document, section_at(sections(base.text(document)), start))
            hits.append(Hit(hit, -float(rank)))
            is_hit_right[hit] = is_hit_right.get(hit, False) or is_right(base, gold, one)
    by_id = {chunk.id: chunk for chunk in tree}
    read = [hit.id for hit in expand_subtrees(hits, tree, FIRST_SHOWN)]
    after = any(is_hit_right[one] if one in is_hit_right else _is_gold(base, gold, by_id[one]) for one in read)
    return float(after) - float(any(is_hit_right.values())), set(read) != set(is_hit_right)


def _section_chunks(base: Base, document: str) -> Iterator[Chunk]:
    """Give the sections of a document as chunks with their own text, none where a heading has only others below it."""
    text = base.text(document)
    for number, one in enumerate(sections(text)):
        parent = None if one.parent is None else _section_id(document, one.parent)
        own = text[one.start : one.own_end].partition("\n")[2] if one.level else text[: one.own_end]
        yield Chunk(_section_id(document, number), document, own, ((one.start, one.own_end),), parent_id=parent)


def _section_id(document: str, number: int) -> str:
    return f"{document}#{number}"


def _is_gold(base: Base, gold: Gold, chunk: Chunk) -> bool:
    (start, _), *_ = chunk.spans
    places = ((s["document"], *base.section(s["document"], s["heading"])) for s in gold["sections"])
    return any(chunk.document == document and first <= start < last for document, first, last in places)


def _gain(name: str, changes: Sequence[float]) -> Figure:
    found = mean_interval(changes)
    better, worse = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
    unit = f"[{found.low:+.3f}, {found.high:+.3f}] of {len(changes)}: {better} better, {worse} worse"
    return Figure(name, found.value, unit)


def run(options: argparse.Namespace) -> Result:
    """Measure both; the bases are built where they are not kept."""
    with folder() as temporary:
        place = getattr(options, "keep", None) or temporary
        place.mkdir(parents=True, exist_ok=True)
        names = [name for name in BASES if name in getattr(options, "base", "").split(",")] or BASES
        bases = {name: Base(name, make(name, place / name)) for name in names}
        return Result("chunk_subtrees", [*chunk_figures(), *section_figures(bases)])


def main() -> None:
    """Read the words of the command line and print the figures."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--keep", type=Path, help="a folder for the workspaces, built once and asked again")
    parser.add_argument("--base", default="", help="only these bases, with commas between")
    show(run(parser.parse_args()))


if __name__ == "__main__":
    main()
