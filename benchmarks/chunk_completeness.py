"""How many lists, tables, code blocks and questions with answers each method cuts, on product documents and manuals.

Offline, without a judge: a structure is cut when several chunks hold parts of it. What no chunk of the size can hold is
left out for every method alike. Every method gets the same limit for a chunk, not the same mean.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from autokb.chunking.chunkers import CHUNKERS, cut_document
from autokb.chunking.cutting import Cut
from autokb.evaluation.chunking.intrinsic_metrics import STRUCTURES, DocumentCounts, count_document
from autokb.evaluation.statistics.cluster_bootstrap import ratio_interval
from autokb.pipeline.reading_pages import SourcePage, read_pages
from autokb.pipeline.site_blocks import SiteBlocks, with_blocks
from autokb.sources.files import find_files
from benchmarks.figures import Figure, Result
from benchmarks.peers import PEERS

SETS = {
    "product_docs": ("D_chunking/product_docs", ""),
    "samsung_manuals": ("A_troubleshooting/samsung_galaxy_manuals", ".html.gz"),
}
SIZES = (800, 2_048)
OURS = "auto_chunker"
FREE = ("fixed", "recursive", "headings", "lumber_chunker", OURS)
MEASURES = (*(f"cut_{kind}" for kind in STRUCTURES), "dangling")
Cutting = Callable[[SourcePage, int], Cut]


@dataclass(frozen=True)
class Row:
    """One method on one set of documents at one size: a share and its number for each measure."""

    chunks: int
    mean: float
    seconds: float
    shares: Mapping[str, Mapping[str, Any]]


def run(options: argparse.Namespace) -> Result:
    """Cut every document by every method and count; ``--quick`` takes the product documents at one size."""
    sets = {name: pages(name) for name in (list(SETS)[:1] if options.quick else SETS)}
    table = {
        f"{name} at {size}": {method: _row(cut, found, size) for method, cut in methods(found).items()}
        for name, found in sets.items()
        for size in (SIZES[-1:] if options.quick else SIZES)
    }
    show(table)
    kept = {place: {m: _kept(row) for m, row in rows.items()} for place, rows in table.items()}
    return Result("chunk_completeness", figures(table), {"documents": {n: len(p) for n, p in sets.items()}, **kept})


def pages(name: str) -> list[SourcePage]:
    """Read the documents of a set as whole pages."""
    where, suffix = SETS[name]
    folder = Path(__file__).resolve().parents[2] / "shared" / "data" / where
    if not folder.is_dir():
        raise SystemExit(f"This benchmark needs ../shared/data/{where} beside the repository.")
    files, _ = find_files([folder])
    return [with_blocks(p) for file in files if file.relative.endswith(suffix) for p in read_pages(file).pages]


def methods(found: Sequence[SourcePage]) -> dict[str, Cutting]:
    """Return our chunkers that ask nobody, and the peers; ours know which blocks stand on many of the pages."""
    site = SiteBlocks()
    for page in found:
        site.add(page)
    own: dict[str, Cutting] = {name: partial(_own, site, name) for name in FREE if name in CHUNKERS}
    return {**own, **{name: partial(_peer, name) for name in PEERS}}


def _own(site: SiteBlocks, name: str, page: SourcePage, size: int) -> Cut:
    return cut_document(page.document, name, size, page.marks, site.repeated_in(page) if name == OURS else frozenset())


def _peer(name: str, page: SourcePage, size: int) -> Cut:
    return PEERS[name](page.document, size)


def _row(cut: Cutting, found: Sequence[SourcePage], size: int) -> Row:
    started = time.perf_counter()
    cuts = [cut(page, size) for page in found]
    seconds = time.perf_counter() - started
    counts = [count_document(page.document, own, size) for page, own in zip(found, cuts, strict=True)]
    lengths = [len(chunk.text) for own in cuts for chunk in own.chunks if chunk.spans]
    shares = {measure: _share(counts, measure) for measure in MEASURES}
    return Row(len(lengths), sum(lengths) / max(len(lengths), 1), seconds, shares)


def _share(counts: Sequence[DocumentCounts], measure: str) -> Mapping[str, Any]:
    ratios = [one.ratios[measure] for one in counts]
    return {"n": sum(map(len, ratios)), **ratio_interval(ratios).as_json()}


def figures(table: Mapping[str, Mapping[str, Row]]) -> list[Figure]:
    """Return what ours cuts: of lists, tables and code nothing that a chunk can hold."""
    found = []
    for place, rows in table.items():
        for measure in MEASURES:
            most = 0.0 if measure in ("cut_lists", "cut_tables", "cut_code") else None
            found.append(Figure(f"{place}.{measure}", rows[OURS].shares[measure]["value"], at_most=most))
    return found


def _kept(row: Row) -> dict[str, Any]:
    return {"chunks": row.chunks, "mean": row.mean, "seconds": row.seconds, **row.shares}


def show(table: Mapping[str, Mapping[str, Row]]) -> None:
    """Print one table for each set and size."""
    from rich.console import Console
    from rich.table import Table

    for place, rows in table.items():
        shown = Table(title=f"{place}: shares that are cut, of how many", title_justify="left")
        for column in ("method", "chunks", "mean", *MEASURES, "seconds"):
            shown.add_column(column, justify="left" if column == "method" else "right")
        for name, row in rows.items():
            cells = [_cell(row.shares[measure]) for measure in MEASURES]
            shown.add_row(name, str(row.chunks), f"{row.mean:.0f}", *cells, f"{row.seconds:.1f}")
        Console(width=160).print(shown)


def _cell(share: Mapping[str, Any]) -> str:
    return "–" if share["value"] is None else f"{share['value']:.3f} of {share['n']}"
