"""What feedback brings to retrieval, on the Thunderbird questions, split by time.

The first half of the earlier 70 % are the issues of the knowledge base; the second half only give feedback; the later
30 % ask. The feedback is simulated, twice: ``linked`` says that a solution of the article which a person linked was
used, whether it was suggested or not. That is right by construction, so it says what true feedback can bring at most.
``suggested`` says so only where one of the three suggestions cites a linked article, and rejects the first suggestion
otherwise: what the system did not find, nobody could use. Each is measured before, fed (no build) and rebuilt.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autokb.app import SupportKB
from autokb.plugins.lab.evaluation.retrieval.experiment import SystemResult, measure
from autokb.plugins.lab.evaluation.system_names import AUTOKB_ANSWER
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.retrieval import split
from benchmarks.running import autokb, folder

METRICS = ("hit_rate@1", "hit_rate@3", "hit_rate@5", "mrr")
BEFORE = "before"


def run(options: argparse.Namespace) -> Result:
    """Build from a half, give feedback on the other, and ask the later questions before and after."""
    asked, earlier = split(thunderbird.issues(), tuning=options.tuning)
    base, answered = earlier[: len(earlier) // 2], earlier[len(earlier) // 2 :]
    found: dict[str, SystemResult] = {}
    figures: list[Figure] = []
    with folder() as place:
        workspace = place / "kb"
        thunderbird.stage(workspace, base)
        thunderbird.build(workspace)
        test = thunderbird.write_test(place, asked)
        found[BEFORE], relevant = _measured(workspace, *test)
        for name in ("linked", "suggested"):
            copy = place / name
            shutil.copytree(workspace, copy)
            figures += _give(copy, answered, name)
            started = time.perf_counter()
            fed = autokb("feedback", "feed", copy).answer
            figures += [
                Figure(f"{name}.resolved_questions", fed["issues"], ""),
                Figure(f"{name}.feed", time.perf_counter() - started, "s"),
            ]
            found[f"{name}_fed"], _ = _measured(copy, *test)
            thunderbird.build(copy)
            found[f"{name}_rebuilt"], _ = _measured(copy, *test)
    rankings = {name: result.rankings for name, result in found.items()}
    results = measure(rankings, relevant, metrics=METRICS, baseline=BEFORE)
    figures += [Figure("questions_measured", len(relevant)), Figure("issues_at_first", len(base))]
    for name, result in results.systems.items():
        for metric, interval in result.metrics.items():
            figures += _with_interval(f"{name}.{metric}", interval.as_json())
    for difference in results.differences:
        body = difference.as_json()
        figures += _with_interval(f"{difference.system} over {BEFORE}.{difference.metric}", body)
    return Result("feedback_tuning" if options.tuning else "feedback", figures)


def _with_interval(name: str, body: dict[str, Any]) -> list[Figure]:
    return [Figure(name, body["value"]), Figure(f"{name}.low", body["low"]), Figure(f"{name}.high", body["high"])]


def _measured(workspace: Path, queries: Path, qrels: Path) -> tuple[SystemResult, dict[str, Any]]:
    """Return the rankings of the whole system for the later questions, and what is right for them."""
    kb = SupportKB.open(workspace)
    try:
        results = kb.evaluate.retrieval(queries, qrels, [AUTOKB_ANSWER]).results
    finally:
        kb.close()
    return results.systems[AUTOKB_ANSWER], dict(results.relevant)


def _give(workspace: Path, answered: Sequence[thunderbird.Issue], name: str) -> list[Figure]:
    """Give feedback on each question that a person linked an article to; return how much, and how long one takes."""
    kb = SupportKB.open(workspace)
    counts = dict.fromkeys(("used", "rejected"), 0)
    seconds: list[float] = []
    citing = _solutions_by_stem(kb, answered[0])
    try:
        for issue in answered:
            linked = [link["slug"] for link in issue["gold_kb"]]
            solution = next((citing[slug] for slug in linked if slug in citing), None)
            if solution is None:
                continue
            text = f"{issue['title']}\n{issue['text']}"
            verdict = "used"
            if name == "suggested":
                suggestions = kb.suggest(text).suggestions
                cites = {one.solution_id: {Path(e.document).stem for e in one.evidence} for one in suggestions}
                right = next((i for i, stems in cites.items() if i and stems.intersection(linked)), None)
                solution, verdict = (right, "used") if right else (next(filter(None, cites), None), "rejected")
            started = time.perf_counter()
            kb.usage.give_feedback(text, verdict, solution, conversation=issue["issue_id"])  # type: ignore[arg-type]
            seconds.append(time.perf_counter() - started)
            counts[verdict] += 1
    finally:
        kb.close()
    mean = sum(seconds) / len(seconds) * 1000
    return [*(Figure(f"{name}.{v}", n, "questions") for v, n in counts.items()), Figure(f"{name}.give", mean, "ms")]


def _solutions_by_stem(kb: SupportKB, issue: thunderbird.Issue) -> dict[str, str]:
    """Return a solution or passage of each article, under the article's name in the links."""
    kb.ask(issue["title"])  # opens the index
    shown = [row.solution for row in kb._memory.open_index().index.candidates.rows]
    return {Path(s.evidence[0].document).stem: s.id for s in reversed(shown) if s.evidence}
