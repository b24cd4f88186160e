"""A knowledge base that lives: a hundred versions, each with one edited page; what they weigh; the way back; kill -9.

The shipped headphones are built, one page gets another sentence, and so on, in this process; then Thunderbird (not in
the short form), one article after the other. What a version weighs is the length of its records; the file also holds
vectors and finished work, which no version has twice. Kills hit a process that publishes candidates of the headphones,
rolls back and discards, at random moments; afterwards readers must see one of the versions whole, with every decision
of people.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from autokb.app import SupportKB
from autokb.core.nouns import DISPLAYED
from autokb.sources import Fields
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.killed_builds import DOMAIN
from benchmarks.retrieval import split
from benchmarks.running import folder

VERSIONS, KILLS = 100, 50
OPENED = 7  # times, each way
LONGEST_LIFE = 1.5  # seconds until a kill, at most; a publication takes some .2
SIZES, SECONDS, NEXT = 2.0, 1.0, 3.0  # aims: times one version, s of a rollback, s until the next question is answered
FIELDS = Fields(text="text", title="title", id="id", date="date", resolved_by="resolved_by")
PAGE = "audio-delay.md"
QUESTION = "the sound comes later than the picture"
ARTICLE_QUESTION = "how do I archive old messages"
WORKS = """\
import sys
from autokb.app import SupportKB
kb = SupportKB.open(sys.argv[1])
while True:
    for number in (1, 2):
        kb.versions.roll_back(number)
    kb.build(candidate=True)
    kb.versions.publish()
    kb.versions.roll_back(1)
    kb.build(candidate=True)
    kb.versions.discard()
    kb.versions.vacuum()
"""


def run(options: argparse.Namespace) -> Result:
    """Publish the versions, go back to each fifth, and kill."""
    count, kills = (10, 5) if options.quick else (VERSIONS, KILLS)
    with folder() as place:
        manuals = Path(shutil.copytree(DOMAIN / "documents", place / "manuals"))
        SupportKB.create(place / "kb", "headphones")
        kb = SupportKB.open(place / "kb")
        kb.add([DOMAIN / "issues" / "issues.csv"], "issues", FIELDS)
        kb.close()
        figures = _edited(place / "kb", manuals, [PAGE], QUESTION, count)
        figures += _kills(place / "kb", kills)
    if not options.quick:
        with folder() as place:
            _, history = split(thunderbird.issues(), tuning=False)
            manuals = thunderbird.stage(place / "kb", history)
            pages = sorted(page.name for page in manuals.iterdir())
            found = _edited(place / "kb", manuals, pages, ARTICLE_QUESTION, count)
            figures += [replace(one, name=f"thunderbird.{one.name}") for one in found]
    return Result("versions", figures)


def _edited(workspace: Path, manuals: Path, pages: Sequence[str], question: str, count: int) -> list[Figure]:
    """Publish a version for each of the pages in turn, which gets another sentence, and look at all of them."""
    (workspace / "settings.yaml").write_text(f"keep_versions: {count}\n", encoding="utf-8")
    kb = SupportKB.open(workspace)
    texts = {name: (manuals / name).read_text(encoding="utf-8") for name in pages}
    for number in range(1, count + 1):
        name = pages[number % len(pages)]
        (manuals / name).write_text(f"{texts[name]}\nNoted in week {number}.\n", encoding="utf-8")
        kb.add([manuals])
        kb.build()
    figures = [*_weights(workspace, count), *_ways_back(kb, question, count)]
    kb.close()
    return [*figures, *_opening(workspace, workspace.parent / "one", question)]


def _weights(workspace: Path, count: int) -> Iterator[Figure]:
    """Say what all versions weigh beside the newest alone."""
    with closing(sqlite3.connect(workspace / "knowledge.db")) as db:
        (newest,) = db.execute("SELECT sum(length(body)) FROM record").fetchone()
        (past,) = db.execute("SELECT coalesce(sum(length(body)), 0) FROM past_record").fetchone()
        (kept,) = db.execute("SELECT count(*) FROM version").fetchone()
    yield Figure("versions", kept, "", at_least=count)
    yield Figure("all_over_one", (newest + past) / newest, "times", at_most=SIZES)
    yield Figure("file", (workspace / "knowledge.db").stat().st_size / 2**20, "MiB")


def _ways_back(kb: SupportKB, question: str, count: int) -> Iterator[Figure]:
    """Say how long a rollback takes, and how long it is until the next question is answered."""
    kb.ask(question)
    back, answered = [], []
    for number in range(1, count + 1, max(1, count // 20)):
        started = time.perf_counter()
        kb.versions.roll_back(number)
        back.append(time.perf_counter() - started)
        kb.ask(question)
        answered.append(time.perf_counter() - started)
    kb.versions.roll_back(count)
    yield Figure("rollback.p50", float(np.median(back)), "s", at_most=SECONDS)
    yield Figure("rollback.longest", max(back), "s")
    yield Figure("next_answer.p50", float(np.median(answered)), "s", at_most=NEXT)
    yield Figure("next_answer.longest", max(answered), "s")


def _opening(many: Path, one: Path, question: str) -> Iterator[Figure]:
    """Say how long a workspace takes to open and answer, with all its versions and with the newest alone, in turns."""
    shutil.copytree(many, one)
    with closing(sqlite3.connect(one / "knowledge.db", isolation_level=None)) as db:
        db.execute("DELETE FROM past_record")
        db.execute("DELETE FROM version WHERE number < (SELECT max(number) FROM version)")
        db.execute("VACUUM")
    seconds: dict[Path, list[float]] = {many: [], one: []}
    for _ in range(OPENED):
        for folder_, kept in seconds.items():
            started = time.perf_counter()
            kb = SupportKB.open(folder_)
            kb.ask(question)
            kept.append(time.perf_counter() - started)
            kb.close()
    yield Figure("open_and_answer.all_versions", float(np.median(seconds[many])), "s")
    yield Figure("open_and_answer.one_version", float(np.median(seconds[one])), "s")
    shutil.rmtree(one)


def _kills(workspace: Path, kills: int) -> Iterator[Figure]:
    """Kill a process that publishes and rolls back, and look at what is left."""
    kb = SupportKB.open(workspace)
    solution = kb.views.solutions(1).items[0].id
    kb.curation.edit(solution, "Turn it off and on again.", author="ann")
    states: set[tuple[tuple[str, str], ...]] = set()
    torn = lost = 0
    for number in (1, 2):
        kb.versions.roll_back(number)
        states.add(_state(workspace))
    kb.build()
    states.add(_state(workspace))
    dice = random.Random(1)
    for _ in range(kills):
        process = subprocess.Popen([sys.executable, "-c", WORKS, str(workspace)], stderr=subprocess.DEVNULL)
        time.sleep(1.0 + dice.random() * LONGEST_LIFE)  # the first second goes to Python's imports
        os.kill(process.pid, signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            raise RuntimeError(f"the process ended by itself with {process.returncode}, so nothing was killed")
        torn += _state(workspace) not in states
        lost += SupportKB.open(workspace).views.solution(solution).text != "Turn it off and on again."
    yield Figure("kills", kills, "", at_least=kills)
    yield Figure("neither_state_after_a_kill", torn, "", at_most=0)
    yield Figure("decisions_lost", lost, "", at_most=0)


def _state(workspace: Path) -> tuple[tuple[str, str], ...]:
    """Return what readers see, with the text of the page that differs from version to version."""
    kb = SupportKB.open(workspace)
    try:
        shown = [(one.id, one.text) for one in kb.views.solutions(1_000).items if one.status in DISPLAYED]
        return (*shown, (PAGE, kb.views.document(PAGE).text or ""))
    finally:
        kb.close()
