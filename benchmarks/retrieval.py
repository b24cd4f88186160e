"""Retrieval against human links, split by time: the earlier questions build, the later ones ask.

``--tuning`` stays inside the earlier 70 % and is for development: three spans of 15 % ask what came before each, and
their questions count together. Without it the later 30 % ask, once, for the report.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autokb.plugins.lab.evaluation.report import answer_tables, terminal_tables
from autokb.plugins.lab.evaluation.retrieval.experiment import measure
from autokb.plugins.lab.evaluation.system_names import AUTOKB_ANSWER, RAW
from autokb.stats.bootstrap import mean_interval
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder

HISTORY = 0.7
TUNING_BUILD = 0.5
TUNING_SPANS = ((0.25, 0.4), (0.4, 0.55), (0.55, HISTORY))  # shares of the questions: from where to where they ask
AIM = {"hit_rate@1": 0.2, "hit_rate@5": 0.2}  # over fused search on raw chunks
SHOWN, SHOWN_AIM = "shown@5", 0.75
SYSTEM = AUTOKB_ANSWER
DEPTH = 10


def run(options: argparse.Namespace) -> Result:
    """Build from the earlier questions, ask the later ones through every system, and add the prior."""
    issues = thunderbird.issues()
    if options.tuning:
        spans = [_ask_span(options, *span(issues, start, end)) for start, end in TUNING_SPANS]
        return _result("retrieval_tuning", pooled(spans), {"questions_by_span": [len(s["relevant"]) for s in spans]})
    asked, history = split(issues, tuning=False)
    answer = _ask_span(options, asked, history)
    return _result("retrieval", answer, {"questions": len(asked), "history": len(history)})


def span(
    issues: Sequence[dict[str, Any]], start: float, end: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the questions from one share of them to another, and all before these; no day is split."""
    first, last = (_same_day(issues, round(len(issues) * share)) for share in (start, end))
    return list(issues[first:last]), list(issues[:first])


def _ask_span(
    options: argparse.Namespace, asked: Sequence[dict[str, Any]], history: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Build from the history and ask the rest through every system; return the answer with the prior beside them."""
    with folder() as place:
        workspace = place / "kb"
        thunderbird.stage(workspace, history)
        thunderbird.build(workspace)
        queries, qrels = thunderbird.write_test(place, asked)
        systems = ["--systems", options.systems] if options.systems else []
        ran = autokb("evaluate", "retrieval", workspace, "--queries", queries, "--qrels", qrels, *systems)
        return with_prior(ran.answer, _in_kb(ran.answer, history, workspace))


def pooled(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Measure the questions of several answers together; no two have a question in common."""
    relevant = {query: grades for answer in answers for query, grades in answer["relevant"].items()}
    systems = answers[0]["systems"]
    rankings = {s: {q: tuple(r) for a in answers for q, r in a["systems"][s]["rankings"].items()} for s in systems}
    measured = measure(rankings, relevant).as_json()
    for system, body in systems.items():
        for name in body.get("per_query", {}):
            shown = [v for answer in answers for v in answer["systems"][system]["per_query"][name].values()]
            measured["systems"][system]["metrics"][name] = mean_interval(shown).as_json()
    return measured


def _result(name: str, answer: dict[str, Any], detail: dict[str, Any]) -> Result:
    _print(answer)
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
        measured["systems"][system] |= {"per_query": body["per_query"]} if "per_query" in body else {}
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
