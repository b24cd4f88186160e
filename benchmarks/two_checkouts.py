"""This checkout beside another one, in turns: build, unchanged rebuild, export and questions from SQLite.

``python -m benchmarks.two_checkouts FOLDER [--turns N]``: FOLDER is a clone at the commit to compare with (``git
worktree add FOLDER COMMIT``). Both run by this interpreter and its packages. Of each figure the medians and the ratio
of this one to the other are printed, turn by turn the lowest and highest ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import thunderbird
from benchmarks.running import autokb, folder

ISSUES = 300  # of Thunderbird's, with all its articles
QUESTIONS, CHARACTERS = 220, 400  # the first 20 questions warm up
PROCESSES = 3  # that ask them all, one after the other; of each question the median counts
ASK = """
import json, sys, time
from pathlib import Path
from autokb.app import SupportKB
kb = SupportKB.open(Path(sys.argv[1]))
took = []
for text in json.load(sys.stdin):
    started = time.perf_counter()
    kb.ask(text)
    took.append((time.perf_counter() - started) * 1000)
print(json.dumps(took[20:]))
"""


def main() -> None:
    """Measure in turns, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    sources = {"other": options.other.resolve() / "src", "this": Path(__file__).resolve().parents[1] / "src"}
    found: dict[str, list[dict[str, float]]] = {name: [] for name in sources}
    for turn in range(options.turns):
        for name in [*sources][:: -1 if turn % 2 else 1]:
            found[name].append(_measure(sources[name]))
    for figure in found["this"][0]:
        other, this = ([one[figure] for one in found[name]] for name in sources)
        ratios = [b / a for a, b in zip(other, this, strict=True)]
        print(
            f"{figure:10} other {statistics.median(other):9.2f}  this {statistics.median(this):9.2f}  "
            f"ratio {statistics.median(this) / statistics.median(other):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        )


def _measure(sources: Path) -> dict[str, float]:
    """Return the seconds of commands and the milliseconds of questions with the program at ``sources``."""
    asked = thunderbird.issues("raw_issues_extra")[:QUESTIONS]
    questions = json.dumps([f"{one['title']} {one['text']}"[:CHARACTERS] for one in asked])
    with folder() as place, program(sources):
        kb = place / "kb"
        thunderbird.stage(kb, thunderbird.issues()[:ISSUES])
        seconds = {
            "build s": autokb("build", kb).seconds,
            "rebuild s": autokb("build", kb).seconds,
            "export s": autokb("export", kb, place / "kb.jsonl").seconds,
        }
        command = [sys.executable, "-c", ASK, str(kb)]
        runs = [
            json.loads(subprocess.run(command, input=questions, check=True, stdout=subprocess.PIPE, text=True).stdout)
            for _ in range(PROCESSES)
        ]
    took = sorted(map(statistics.median, zip(*runs, strict=True)))
    return {**seconds, "ask p50 ms": took[len(took) // 2], "ask p99 ms": took[int(len(took) * 0.99)]}


@contextmanager
def program(sources: Path) -> Iterator[None]:
    """Have the processes that are started find the program there."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(sources)
    try:
        yield
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


if __name__ == "__main__":
    main()
