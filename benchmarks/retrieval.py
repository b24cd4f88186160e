"""Retrieval against human links, split by time: the earlier questions build, the later ones ask.

``--tuning`` stays inside the earlier 70 % (50 % build, 20 % ask) and is for development; without it the later 30 % ask,
once, for the report.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autokb.evaluation.report import answer_tables, terminal_tables
from autokb.evaluation.retrieval.experiment import measure
from autokb.evaluation.retrieval.system_names import AUTOKB_ANSWER, RAW
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder

HISTORY = 0.7
TUNING_BUILD = 0.5
AIM = {"hit_rate@1": 0.2, "hit_rate@5": 0.2}  # over fused search on raw chunks
SHOWN, SHOWN_AIM = "shown@5", 0.75
SYSTEM = AUTOKB_ANSWER
DEPTH = 10


def run(options: argparse.Namespace) -> Result:
    """Build from the earlier questions, ask the later ones through every system, and add the prior."""
    asked, history = split(thunderbird.issues(), tuning=options.tuning)
    with folder() as place:
        workspace = place / "kb"
        thunderbird.stage(workspace, history)
        thunderbird.build(workspace)
        queries, qrels = thunderbird.write_test(place, asked)
        systems = ["--systems", options.systems] if options.systems else []
        ran = autokb("evaluate", "retrieval", workspace, "--queries", queries, "--qrels", qrels, *systems)
        answer = with_prior(ran.answer, _in_kb(ran.answer, history, workspace))
    _print(answer)
    name = "retrieval_tuning" if options.tuning else "retrieval"
    detail = {"questions": len(asked), "history": len(history)}
    return Result(name, _figures(answer), detail | _kept(answer))


def split(issues: Sequence[dict[str, Any]], *, tuning: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the questions that ask and the earlier ones that build; a day is never split between them."""
    upto = _same_day(issues, round(len(issues) * HISTORY))
    if not tuning:
        return list(issues[upto:]), list(issues[:upto])
    middle = _same_day(issues, round(len(issues) * TUNING_BUILD))
    return list(issues[middle:upto]), list(issues[:middle])


def _same_day(issues: Sequence[dict[str, Any]], place: int) -> int:
    while 0 < place < len(issues) and issues[place]["created"] == issues[place - 1]["created"]:
        place += 1
    return place


def _in_kb(answer: dict[str, Any], history: Sequence[dict[str, Any]], workspace: Path) -> list[str]:
    """Return the most linked articles of the history, best first, named as the knowledge base names them."""
    from autokb.stores.workspace import open_workspace

    counts = Counter(link["slug"] for issue in history for link in issue["gold_kb"])
    with open_workspace(workspace).file() as file:
        names = {Path(i).stem: i for i, _ in file.records("document")}
    ranked = sorted(counts, key=lambda slug: (-counts[slug], slug))
    return [names[slug] for slug in ranked if slug in names]


def with_prior(answer: dict[str, Any], prior: Sequence[str]) -> dict[str, Any]:
    """Measure once more with the prior beside the systems: the same articles whatever the question."""
    rankings = {s: {q: tuple(r) for q, r in body["rankings"].items()} for s, body in answer["systems"].items()}
    rankings["prior"] = {query: tuple(prior[:DEPTH]) for query in answer["relevant"]}
    measured = measure(rankings, answer["relevant"]).as_json()
    for system, body in answer["systems"].items():
        shown = {metric: value for metric, value in body["metrics"].items() if metric.startswith("shown@")}
        measured["systems"][system]["metrics"].update(shown)
    return {**answer, **measured}


def _figures(answer: dict[str, Any]) -> list[Figure]:
    """Return the headlines; every metric with its interval is in the detail."""
    found = [Figure("questions_measured", len(answer["relevant"]))]
    for system, body in answer["systems"].items():
        found += [Figure(f"{system}.{m}", body["metrics"][m]["value"]) for m in AIM]
        if SHOWN in body["metrics"]:
            found.append(Figure(f"{system}.{SHOWN}", body["metrics"][SHOWN]["value"], at_least=SHOWN_AIM))
    for d in answer["differences"]:
        if d["system"] == SYSTEM and d["baseline"] == RAW and d["metric"] in AIM:
            found.append(Figure(f"{SYSTEM} over {RAW}.{d['metric']}", d["value"], at_least=AIM[d["metric"]]))
    return found


def _kept(answer: dict[str, Any]) -> dict[str, Any]:
    metrics = {system: _rounded(body["metrics"]) for system, body in answer["systems"].items()}
    return {"metrics": metrics, "differences": [_rounded(d) for d in answer["differences"]]}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def _print(answer: dict[str, Any]) -> None:
    from rich.console import Console

    console = Console(width=220)
    shown = answer_tables({"systems": answer["systems"], "differences": answer["differences"]})
    for table in terminal_tables(shown):
        console.print(table)
