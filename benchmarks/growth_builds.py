"""How a build's stages grow with its raw issues: real issues, and above 4,197 others made of their sentences."""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Mapping
from pathlib import Path

from benchmarks import scale_data, thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.running import Ran, autokb, folder

BUILDS = "AUTOKB_GROWTH_BUILDS"  # numbers of raw issues, with commas between
DEFAULT_BUILDS = "300,1000,3000"
SEED = 20250301
LINEAR = 1.3  # the most that a stage's time an issue may rise, from the fewest issues to the most


def run(options: argparse.Namespace) -> Result:
    """Build from the first issues, as many as each size says, and all articles; tell each stage's seconds."""
    sizes = [int(n) for n in os.environ.get(BUILDS, DEFAULT_BUILDS).split(",")]
    sizes = sizes[:2] if options.quick else sizes
    issues = [*thunderbird.issues(), *thunderbird.issues("raw_issues_extra")]
    issues += _made_issues(max(sizes) - len(issues))
    figures, detail = [], {}
    for size in sizes:
        with folder() as place:
            thunderbird.stage(place / "kb", issues[:size])
            ran = thunderbird.build(place / "kb")
            unchanged = thunderbird.build(place / "kb")
            again = _edit_and_build(place)
        figures += [
            Figure(f"{size}", ran.seconds / 60, "min"),
            Figure(f"{size}.peak", ran.megabytes, "MiB"),
            Figure(f"{size}.unchanged", unchanged.seconds, "s"),
            Figure(f"{size}.one_edited_document", again.seconds, "s"),
        ]
        detail[str(size)] = {name: stage["seconds"] for name, stage in ran.answer["stages"].items()}
    return Result("growth_builds", [*figures, *_growth_of_stages(detail)], detail)


def _made_issues(count: int) -> list[thunderbird.Issue]:
    """Return issues of three real sentences each, which no article is known to resolve."""
    rng, asked = random.Random(SEED), scale_data.question_sentences()
    made = []
    for n in range(count):
        title, text = " ".join(rng.choice(asked).split()[:8]), " ".join(rng.sample(asked, 3))
        made.append({"issue_id": f"made-{n}", "title": title, "text": text, "created": "2020-01-01", "gold_kb": []})
    return made


def _growth_of_stages(seconds: Mapping[str, Mapping[str, float]]) -> list[Figure]:
    """Return each stage's time an issue with the most issues beside that with the fewest; 1 is linear."""
    if len(seconds) < 2:
        return []
    few, many = min(seconds, key=int), max(seconds, key=int)
    ratios = {n: s / seconds[few][n] * int(few) / int(many) for n, s in seconds[many].items() if seconds[few].get(n)}
    return [Figure(f"{n}.growth", ratio, "ratio", at_most=LINEAR) for n, ratio in ratios.items()]


def _edit_and_build(place: Path) -> Ran:
    chosen = sorted((place / "kb-articles").glob("*.wiki"))
    chosen[0].write_text("This page was looked through again.\n\n" + chosen[0].read_text("utf-8"), "utf-8")
    autokb("add", place / "kb", chosen[0].parent)
    return thunderbird.build(place / "kb")
