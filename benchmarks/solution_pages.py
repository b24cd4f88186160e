"""How long lists, one solution, the review queue and an edit take in a warm process with 7,000 solutions.

Half of it with 1,000 decisions of people, one of which has lost its solution and is looked for among all of them.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from autokb.app import SupportKB
from autokb.core.decisions import new_edit, new_verdict, number_new, origin_of
from autokb.core.ids import canonical_json
from autokb.pipeline.steps.publish import KINDS
from autokb.stores.published import keep_decisions, read_decided
from benchmarks import scale_data
from benchmarks.figures import Figure, Result
from benchmarks.running import folder

SIZE, DECISIONS, MEASURED, SEED = 7_000, 1_000, 200, 1
PAGE = 100  # solutions
AIM = 50  # ms of a page and of one solution at the 95th percentile
DATE = "2026-01-01"


def run(options: argparse.Namespace) -> Result:
    """Publish the knowledge base, without any vector, and time what pages ask for."""
    count = MEASURED // 10 if options.quick else MEASURED
    found: list[Figure] = []
    with folder() as place:
        workspace = publish_workspace(place / "kb")
        found += _times("no decisions", workspace, count)
        _decide(workspace)
        found += _times(f"{DECISIONS} decisions", workspace, count)
    found.append(Figure("load_average", os.getloadavg()[0]))
    return Result("solution_pages", found)


def publish_workspace(place: Path) -> Path:
    """Make a workspace with the records of a grown knowledge base; nothing of it is embedded."""
    kb = SupportKB.create(place, "thunderbird")
    lines = scale_data.lines(SIZE, kb.workspace.spec)
    records = {
        (line["kind"], line["id"]): canonical_json({k: v for k, v in line.items() if k not in ("kind", "id")})
        for line in lines
    }
    with kb.workspace.file() as file, file.transaction():
        file.publish(records, KINDS)
    return place


def _decide(workspace: Path) -> None:
    """Store edits and verdicts on as many solutions, and an edit whose solution is gone."""
    kb, dice = SupportKB.open(workspace), random.Random(SEED)
    with kb.workspace.file() as file, file.transaction():
        base = read_decided(file).base
        chosen = dice.sample(sorted(base), DECISIONS)
        edits, verdicts = [], []
        for number, i in enumerate(chosen, 1):
            origin = origin_of(base[i], base[i].issue_id)
            if number % 2:
                edit = new_edit(i, f"Do it otherwise. {number}", (), "ann", DATE, origin=origin)
                edits.append(number_new(edit, number))
            else:
                verdicts.append(number_new(new_verdict(base[i], "approved", "ann", DATE, origin), number))
        edits[0] = replace(edits[0], solution_id="solution-gone", origin=replace(edits[0].origin, built="0" * 16))
        keep_decisions(file, [*edits, *verdicts])


def _times(name: str, workspace: Path, count: int) -> Iterator[Figure]:
    started = time.perf_counter()
    kb = SupportKB.open(workspace)
    first = kb.views.solutions(PAGE)
    yield Figure(f"{name}.first_page", (time.perf_counter() - started) * 1000, "ms")
    dice, ids = random.Random(SEED), [one.id for one in first.items]
    page = kb.views.solutions(1_000)
    while page.next is not None and len(ids) < SIZE:
        ids += [one.id for one in page.items]
        page = kb.views.solutions(1_000, page.next)
    number = iter(range(10**9))

    def edit_and_list() -> object:
        kb.curation.edit(dice.choice(ids), f"Do it like this. {next(number)}", author="bob")
        return kb.views.solutions(PAGE, dice.choice(ids)).as_json()

    acts: dict[str, tuple[Callable[[], object], int | None]] = {
        "page": (lambda: kb.views.solutions(PAGE, dice.choice(ids)).as_json(), AIM),
        "solution": (lambda: kb.views.solution(dice.choice(ids)).as_json(), AIM),
        "history": (lambda: kb.curation.history(dice.choice(ids)).as_json(), None),
        "review": (lambda: kb.curation.review(PAGE).as_json(), None),
        "edit_then_page": (edit_and_list, None),
    }
    for what, (act, aim) in acts.items():
        seconds = []
        for _ in range(count):
            started = time.perf_counter()
            act()
            seconds.append(time.perf_counter() - started)
        for percentile in (50, 95):
            value = float(np.percentile(seconds, percentile)) * 1000
            yield Figure(f"{name}.{what}.p{percentile}", value, "ms", at_most=aim if percentile == 95 else None)
