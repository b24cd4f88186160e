"""What keeping the log of questions costs an answer: the same suggestions with and without it, question by question.

One ``SupportKB`` keeps a log and one does not; both stand in one process beside each other, and every question goes to
both, in an order drawn by lot, so that what else the machine does blurs no difference. Questions follow each other
without a pause, which is more than any service gets. ``locked`` is the same while another connection holds the lock by
which the log would be written, as the last transaction of a build does.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from autokb.app import SupportKB
from autokb.stats.bootstrap import mean_interval
from autokb.stores.question_log import count_lost, read_questions
from benchmarks import scale_data
from benchmarks.ask import import_workspace
from benchmarks.figures import Figure, Result
from benchmarks.running import folder

SIZE, WORDS = 700, 12  # solutions, words of a question
WARM_UP, MEASURED = 20, 1_500
SEED = 38
PERCENTILES = (50, 95, 99)


def run(options: argparse.Namespace) -> Result:
    """Import a grown knowledge base, and ask both."""
    count = 200 if options.quick else MEASURED
    figures: list[Figure] = []
    with folder() as place:
        import_workspace(place, SIZE)
        workspace = place / "kb"
        kept, plain = SupportKB.open(workspace, keep_log=True), SupportKB.open(workspace)
        try:
            questions = scale_data.questions(WORDS, WARM_UP + count)
            figures += _compare(kept, plain, questions, "free")
            with closing(sqlite3.connect(workspace / "knowledge.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                figures += _compare(kept, plain, questions, "locked")
                other.execute("ROLLBACK")
            figures += _noting(kept, questions)
        finally:
            kept.close()
            plain.close()
        figures += _kept(workspace)
    figures.append(Figure("load_average", os.getloadavg()[0]))
    return Result("question_log", figures)


def _compare(kept: SupportKB, plain: SupportKB, questions: list[str], name: str) -> Iterator[Figure]:
    lot = random.Random(SEED)
    taken: dict[str, list[float]] = {"with_log": [], "without": []}
    for question in questions:
        order = [("with_log", kept), ("without", plain)]
        lot.shuffle(order)
        for which, kb in order:
            began = time.perf_counter()
            kb.suggest(question)
            taken[which].append((time.perf_counter() - began) * 1000)
    measured = {which: np.array(values[WARM_UP:]) for which, values in taken.items()}
    for which, values in measured.items():
        for percentile in PERCENTILES:
            yield Figure(f"{name}.{which}.p{percentile}", float(np.percentile(values, percentile)), "ms")
    difference = mean_interval((measured["with_log"] - measured["without"]).tolist())
    for end, value in difference.as_json().items():
        yield Figure(f"{name}.difference_of_means.{end}", value, "ms")
    median = float(np.median(measured["with_log"] - measured["without"]))
    yield Figure(f"{name}.median_of_differences", median, "ms")


def _noting(kb: SupportKB, questions: list[str]) -> Iterator[Figure]:
    """Give how long an answer spends with the log alone: putting an entry into the queue."""
    assert kb._memory.log is not None
    found = kb.suggest(questions[0], log=False)
    kb._memory.log.flush(60)
    seconds = []
    for _ in questions:
        began = time.perf_counter()
        kb._memory.log.note_suggested(found, "c1", "en")
        seconds.append(time.perf_counter() - began)
        time.sleep(0.001)
    for percentile in PERCENTILES:
        yield Figure(f"noting.p{percentile}", float(np.percentile(seconds, percentile)) * 1e6, "µs")


def _kept(workspace: Path) -> Iterator[Figure]:
    with SupportKB.open(workspace).workspace.file() as file:
        yield Figure("kept", len(read_questions(file)), "questions")
        yield Figure("lost", count_lost(file), "questions")
