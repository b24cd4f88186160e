"""Time, memory and reuse of building the Thunderbird knowledge base offline."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.running import Ran, autokb, folder

# In front of everything else, so that every place in the article moves: the hardest small edit.
EDITED = "This page was looked through again; its steps hold for the newest version too.\n\n"


def run(_options: argparse.Namespace) -> Result:
    """Build, build again unchanged, edit one article, and build once more with all the issues."""
    issues, extra = thunderbird.issues(), thunderbird.issues("raw_issues_extra")
    with folder() as place:
        articles = thunderbird.stage(place / "kb", issues)
        first = thunderbird.build(place / "kb")
        again = thunderbird.build(place / "kb")
        edited = _edit(place / "kb", articles)
        thunderbird.stage(place / "more", issues, extra)
        more = thunderbird.build(place / "more")
    growth = (more.seconds / first.seconds) / ((len(issues) + len(extra)) / len(issues))
    figures = (
        Figure("build", first.seconds, "s", at_most=120),
        Figure("build_peak", first.megabytes, "MiB", at_most=1.5 * 1024),
        Figure("unchanged", again.seconds, "s", at_most=5),
        Figure("unchanged_computed", computed(again.answer), "items", at_most=0),
        Figure("edited_article", edited.seconds, "s"),
        Figure("edited_article_computed", _share(edited.answer), "share", at_most=0.05),
        Figure("with_extra", more.seconds, "s"),
        Figure("with_extra_peak", more.megabytes, "MiB"),
        Figure("with_extra_time_to_input", growth, "ratio", at_most=1),
    )
    runs = {"first": first, "unchanged": again, "edited": edited, "with_extra": more}
    return Result("build", figures, {name: _kept(ran) for name, ran in runs.items()})


def _edit(workspace: Path, articles: Path) -> Ran:
    """Change one article: the median one by size, so that neither a stub nor a book stands for all."""
    files = sorted(articles.glob("*.wiki"), key=lambda f: (f.stat().st_size, f.name))
    chosen = files[len(files) // 2]
    chosen.write_text(EDITED + chosen.read_text(encoding="utf-8"), encoding="utf-8")
    autokb("add", workspace, articles)
    return thunderbird.build(workspace)


def computed(answer: dict[str, Any]) -> int:
    """Return how many items all stages worked out."""
    return sum(int(stage["computed"]) for stage in answer["stages"].values())


def _share(answer: dict[str, Any]) -> float:
    reused = sum(int(stage["reused"]) for stage in answer["stages"].values())
    return computed(answer) / max(computed(answer) + reused, 1)


def _kept(ran: Ran) -> dict[str, Any]:
    counts = {n: ran.answer[n] for n in ("themes", "seeds", "parents", "children", "solutions", "withheld")}
    stages = {name: {**s, "seconds": round(s["seconds"], 2)} for name, s in ran.answer["stages"].items()}
    return {**counts, "failures": len(ran.answer["failures"]), "stages": stages}
