"""How many lists, tables, code blocks and questions with answers each method cuts, on product documents and manuals.

Offline, without a judge: a structure is cut when several chunks hold parts of it. What no chunk of the size can hold is
left out for every method alike. Every method gets the same limit for a chunk, not the same mean.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from autokb.chunking.boilerplate.site_boilerplate import SiteBoilerplate
from autokb.chunking.chunk_result import Chunker, ChunkResult, MarkedPage
from autokb.chunking.chunkers import CHUNKERS
from autokb.pipeline.chunk_files import with_site_boilerplate
from autokb.pipeline.read_pages import read_pages
from autokb.plugins.lab.evaluation.chunking.intrinsic_metrics import STRUCTURES, DocumentCounts, count_document
from autokb.sources.files import find_files
from autokb.stats.bootstrap import ratio_interval
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
        f"{name} at {size}": {method: _row(chunker, found, size) for method, chunker in methods().items()}
        for name, found in sets.items()
        for size in (SIZES[-1:] if options.quick else SIZES)
    }
    show(table)
    kept = {place: {m: _kept(row) for m, row in rows.items()} for place, rows in table.items()}
    return Result("chunk_completeness", figures(table), {"documents": {n: len(p) for n, p in sets.items()}, **kept})


def pages(name: str) -> list[MarkedPage]:
    """Read the documents of a set as whole pages that know which of their blocks are on many of the pages."""
    where, suffix = SETS[name]
    folder = Path(__file__).resolve().parents[2] / "shared" / "data" / where
    if not folder.is_dir():
        raise SystemExit(f"This benchmark needs ../shared/data/{where} beside the repository.")
    files, _ = find_files([folder])
    named = (file for file in files if file.relative.endswith(suffix))
    sources = [source for file in named for source in read_pages(file, with_blocks=True).pages]
    site = SiteBoilerplate()
    for source in sources:
        assert source.blocks is not None
        site.add(source.blocks)
    return [with_site_boilerplate(source, site).page for source in sources]


def methods() -> dict[str, Chunker]:
    """Return our chunkers that ask nobody, and the peers."""
    return {**{name: CHUNKERS[name] for name in FREE}, **{name: partial(_peer, name) for name in PEERS}}


def _peer(name: str, page: MarkedPage, size: int) -> ChunkResult:
    return PEERS[name](page.document, size)


def _row(chunker: Chunker, found: Sequence[MarkedPage], size: int) -> Row:
    started = time.perf_counter()
    cuts = [chunker(page, size) for page in found]
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
