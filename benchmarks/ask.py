"""How long ``ask`` takes in a warm process, the embedding of the question included, and how it grows."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks import scale_data
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder, write_jsonl

SIZES = (7_000, 70_000)
SHORT, LONG = 12, 150  # words
WARM_UP, MEASURED = 20, 400
AIMS = {(SHORT, 50): 10, (SHORT, 99): 30, (LONG, 50): 20, (LONG, 99): 50}  # ms, promised at 7,000 solutions


def run(options: argparse.Namespace) -> Result:
    """Grow a knowledge base of each size, import it, and ask it short questions and whole messages."""
    found: list[Figure] = []
    for size in SIZES[:1] if options.quick else SIZES:
        with folder() as place:
            seconds = import_workspace(place, size)
            found += [Figure(f"{size}.import", seconds, "s"), *_latencies(place / "kb", size)]
    return Result("ask", found)


def import_workspace(place: Path, size: int) -> float:
    """Make the workspace ``place/kb`` of a grown knowledge base; return the seconds of its import."""
    from autokb.stores.workspace import open_workspace

    autokb("init", place / "kb", "--domain", "thunderbird")
    spec = open_workspace(place / "kb").spec
    file = write_jsonl(place / "kb.jsonl", scale_data.lines(size, spec))
    ran = autokb("import", place / "kb", file)
    if skipped := ran.answer.get("skipped"):
        raise SystemExit(f"import skipped {len(skipped)} lines, first {skipped[0]}")
    return ran.seconds


def _latencies(workspace: Path, size: int) -> list[Figure]:
    from autokb.app import SupportKB
    from autokb.llm.embedders.packaged import PackagedEmbedder

    embedder = PackagedEmbedder()
    kb = SupportKB.open(workspace)
    found = []
    started = time.perf_counter()
    kb.ask("Where are my folders?")
    found.append(Figure(f"{size}.first_ask", time.perf_counter() - started, "s"))
    for words in (SHORT, LONG):
        texts = scale_data.questions(words, WARM_UP + MEASURED)
        alone = _time_each(lambda text: embedder.embed([text]), texts)[WARM_UP:]
        found.append(Figure(f"{size}.{words}_words.embedding_alone_p50", float(np.median(alone)) * 1000, "ms"))
        seconds = _time_each(kb.ask, texts)[WARM_UP:]
        for percentile in (50, 99):
            aim = AIMS[words, percentile] if size == SIZES[0] else None
            value = float(np.percentile(seconds, percentile)) * 1000
            found.append(Figure(f"{size}.{words}_words.p{percentile}", value, "ms", at_most=aim))
    return found


def _time_each(act: Callable[[str], object], texts: Sequence[str]) -> list[float]:
    seconds = []
    for text in texts:
        started = time.perf_counter()
        act(text)
        seconds.append(time.perf_counter() - started)
    return seconds
