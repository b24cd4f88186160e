"""Retrieval on Thunderbird with knowledge bases built by three chunkers: the same questions, history and settings."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autokb.plugins.lab.evaluation.report import answer_tables, terminal_tables
from autokb.plugins.lab.evaluation.retrieval.experiment import measure
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.retrieval import split
from benchmarks.running import autokb, folder

CHUNKERS = ("fixed", "headings", "auto_chunker")
BASELINE = "fixed"
SYSTEMS = ("raw", "autokb+hr")
METRICS = ("hit_rate@1", "hit_rate@3", "hit_rate@5", "hit_rate@10")


def run(options: argparse.Namespace) -> Result:
    """Build once by each chunker and ask each knowledge base the same later questions."""
    asked, history = split(thunderbird.issues(), tuning=options.tuning)
    answers: dict[str, dict[str, Any]] = {}
    chunks: dict[str, int] = {}
    for chunker in CHUNKERS:
        with folder() as place:
            workspace = place / "kb"
            thunderbird.stage(workspace, history)
            _choose(workspace, chunker)
            thunderbird.build(workspace)
            chunks[chunker] = _chunks(workspace)
            queries, qrels = thunderbird.write_test(place, asked)
            ran = autokb(
                *("evaluate", "retrieval", workspace, "--queries", queries, "--qrels", qrels),
                *("--systems", ",".join(SYSTEMS)),
            )
            answers[chunker] = ran.answer
            print(f"{chunker}: {chunks[chunker]} chunks, {_said(ran.answer)}", flush=True)
    compared = {system: by_chunker(answers, system) for system in SYSTEMS}
    _print(compared)
    name = "chunk_retrieval_tuning" if options.tuning else "chunk_retrieval"
    detail = {"questions": len(asked), "history": len(history), "chunks": chunks}
    return Result(name, _figures(compared), detail | {s: _kept(found) for s, found in compared.items()})


def _choose(workspace: Path, chunker: str) -> None:
    """Let a workspace cut by this chunker; all else is as it comes."""
    (workspace / "settings.yaml").write_text(f"chunker: {chunker}\n", encoding="utf-8")


def _chunks(workspace: Path) -> int:
    from autokb.stores.workspace import open_workspace

    with open_workspace(workspace).file() as file:
        return sum(len(body["chunks"]) for _, body in file.records("document"))


def _said(answer: Mapping[str, Any]) -> str:
    """Return the figures of one knowledge base in a line: a run that is cut short has not been for nothing."""
    return ", ".join(
        f"{system} {metric} {body['metrics'][metric]['value']:.3f}"
        for system, body in answer["systems"].items()
        for metric in METRICS
    )


def by_chunker(answers: Mapping[str, Mapping[str, Any]], system: str) -> dict[str, Any]:
    """Measure one system with the chunkers in the place of systems, so that differences are paired between them."""
    rankings = {
        chunker: {query: tuple(ranking) for query, ranking in answer["systems"][system]["rankings"].items()}
        for chunker, answer in answers.items()
    }
    relevant = {chunker: answer["relevant"] for chunker, answer in answers.items()}
    if any(found != relevant[BASELINE] for found in relevant.values()):
        raise SystemExit("The knowledge bases do not hold the same articles; their figures cannot be compared.")
    return measure(rankings, relevant[BASELINE], metrics=METRICS, baseline=BASELINE).as_json()


def _figures(compared: Mapping[str, Mapping[str, Any]]) -> list[Figure]:
    found = []
    for system, answer in compared.items():
        for chunker, body in answer["systems"].items():
            found += [Figure(f"{system} {chunker}.{m}", body["metrics"][m]["value"]) for m in METRICS]
    return found


def _kept(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is stored of one system: everything but the rankings."""
    metrics = {chunker: body["metrics"] for chunker, body in answer["systems"].items()}
    return {"metrics": metrics, "differences": answer["differences"]}


def _print(compared: Mapping[str, Mapping[str, Any]]) -> None:
    from rich.console import Console

    console = Console(width=160)
    for system, answer in compared.items():
        console.print(f"\n{system}", style="bold")
        shown = answer_tables({"systems": answer["systems"], "differences": answer["differences"]})
        for table in terminal_tables(shown):
            console.print(table)
