"""Calls, tokens and money of the workload of the paper's appendix C in both modes, planned and spent."""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import appendix_c
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder
from benchmarks.serving import ScriptedModel, serving, set_model

MODES = ("economical", "paper")
CHILDREN, NODES, SOLUTIONS = 482, 531, 832
OWN = 5  # nodes of a tree differ by so many places of their own solution, none among them: texts are then .36 of pairs
PAPER = {  # appendix C: calls by what they are for; 5,000 tokens read and 1,000 written by each
    "deduplication": 266,
    "trees": 49,
    "context": 1_000,
    "solutions": 531,
    "solution_attributes": 832,
}
PAPER_TOKENS = {"input": 13_400_000, "output": 2_700_000}
STAGES = ("context", "attributes", "themes", "assign", "trees", "merge", "solutions", "solution_attributes", "rules")


def run(_options: argparse.Namespace) -> Result:
    """Plan and build in both modes, each in a workspace of its own."""
    with folder() as place, serving(script()) as server:
        sources = appendix_c.write(place / "sources")
        runs = {mode: _built(place / mode, sources, server.url, mode) for mode in MODES}
    _show(runs)
    economical, paper = runs["economical"], runs["paper"]
    figures = [
        Figure("paper_calls", paper["spent"]["calls"], "calls"),
        Figure("economical_calls", economical["spent"]["calls"], "calls"),
        Figure("calls_to_paper_mode", _ratio(runs, "calls"), "ratio", at_most=0.25),
        Figure("money_to_paper_mode", _ratio(runs, "cost"), "ratio", at_most=0.25),
        *(
            Figure(f"{m}_{kind}_tokens", runs[m]["spent"]["tokens"][kind], "tokens")
            for m in MODES
            for kind in PAPER_TOKENS
        ),
        *(Figure(f"{m}_cost", runs[m]["spent"]["cost"], "USD") for m in MODES),
        *(
            Figure(f"{m}_plan_off_{what}", off, "share", at_most=0.25)
            for m in MODES
            for what, off in _off(runs[m]).items()
        ),
        *(
            Figure(f"{m}_{what}", runs[m]["built"][what])
            for m in MODES
            for what in ("seeds", "children", "solutions", "texts")
        ),
    ]
    return Result("cost", figures, runs)


def script() -> ScriptedModel:
    """Return the model: 9 or 10 children a seed, 1 or 2 solutions a node, of which four in five nodes have one of four.

    So a tree has some six different texts for 17 pairs of a node and a solution.
    """
    return ScriptedModel(_children, _solutions, lambda issue: _number(issue) % OWN)


def _problem(text: str) -> int:
    said = text.casefold()
    return next(n for n, (part, fault) in enumerate(appendix_c.problems()) if part.casefold() in said and fault in said)


def _children(seed: str) -> int:
    return CHILDREN // appendix_c.PROBLEMS + (_problem(seed) < CHILDREN % appendix_c.PROBLEMS)


def _number(issue: str) -> int:
    """Return the number of a node among all: tree after tree, in each the parent and then the children."""
    before = sum(_children(" ".join(p)) + 1 for p in appendix_c.problems()[: _problem(issue)])
    value = re.search(r"\((\w+), ", issue)
    own = appendix_c.VALUES.index(value[1]) + 1 if value else 0
    return before + own


def _spread(number: int, share: float) -> int:
    """Return 1 for this share of all numbers, evenly."""
    return int((number + 1) * share) - int(number * share)


def _solutions(issue: str) -> int:
    return 1 + _spread(_number(issue), SOLUTIONS / NODES - 1 + 1e-9)


def _built(workspace: Path, sources: Path, url: str, mode: str) -> dict[str, Any]:
    autokb("init", workspace, "--domain", sources / "domain.yaml")
    autokb("add", workspace, sources / "manuals")
    autokb("add", workspace, sources / "issues.jsonl", "--as", "issues", "--text-field", "text", "--id-field", "id")
    set_model(workspace, url, "concurrency: 32\nchunker: fixed\n")
    plan = autokb("plan", workspace, "--mode", mode).answer
    built = autokb("build", workspace, "--mode", mode).answer
    counts = {name: built[name] for name in ("seeds", "parents", "children", "solutions", "withheld")}
    counts |= {name: len(built[name]) for name in ("failures", "left_out")}
    return {
        "plan": {"stages": plan["stages"], **_figures(plan)},
        "spent": {"stages": autokb("costs", workspace).answer["stages"], **_figures(built)},
        "built": {**counts, "texts": _texts(workspace)},
    }


def _figures(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {name: answer[name] for name in ("calls", "tokens", "cost")}


def _texts(workspace: Path) -> float:
    """Return how many different texts there are for each pair of a node and a solution, within the trees."""
    autokb("export", workspace, workspace / "kb.jsonl")
    tree: dict[str, str] = {}
    texts: dict[str, list[str]] = defaultdict(list)
    for line in (workspace / "kb.jsonl").read_text(encoding="utf-8").split("\n"):
        record = json.loads(line or "{}")
        if record.get("kind") == "issue":
            tree[record["id"]] = record["parent_id"] or record["id"]
        elif record.get("kind") == "solution" and record["status"] in ("displayed", "repaired"):
            texts[record["issue_id"]].append(record["text"])
    own: dict[str, list[str]] = defaultdict(list)
    for issue, said in texts.items():
        own[tree[issue]] += said
    return sum(len(set(said)) for said in own.values()) / max(sum(map(len, own.values())), 1)


def _ratio(runs: Mapping[str, Any], what: str) -> float:
    return float(runs["economical"]["spent"][what] / runs["paper"]["spent"][what])


def _off(run: Mapping[str, Any]) -> dict[str, float]:
    """Return how far the plan was from what was spent, as a share of it."""
    plan, spent = run["plan"], run["spent"]
    pairs = {
        "calls": (plan["calls"], spent["calls"]),
        "input": (plan["tokens"]["input"], spent["tokens"]["input"]),
        "output": (plan["tokens"]["output"], spent["tokens"]["output"]),
        "money": (plan["cost"], spent["cost"]),
    }
    return {name: abs(planned / real - 1) for name, (planned, real) in pairs.items()}


def _show(runs: Mapping[str, Any]) -> None:
    """Print every stage of both modes beside the paper's calls."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="planned | spent", title_justify="left")
    for column in ("stage", *(f"{m} {w}" for m in MODES for w in ("calls", "input", "output", "USD")), "paper's calls"):
        table.add_column(column, justify="left" if column == "stage" else "right")
    for stage in (*STAGES, "all"):
        cells = [cell for mode in MODES for cell in _cells(runs[mode], stage)]
        said = sum(PAPER.values()) if stage == "all" else PAPER.get(stage, "")
        table.add_row(stage, *cells, str(said))
    Console(width=170).print(table)
    print(f"The paper counts {PAPER['deduplication']} calls for themes and assign, and {PAPER_TOKENS} tokens in all.")


def _cells(run: Mapping[str, Any], stage: str) -> list[str]:
    none = {"calls": 0, "tokens": {"input": 0, "output": 0}, "cost": 0.0}
    plan, spent = (run[w] if stage == "all" else run[w]["stages"].get(stage, none) for w in ("plan", "spent"))
    return [
        f"{plan['calls']:,} | {spent['calls']:,}",
        *(f"{plan['tokens'][k] / 1000:,.0f}k | {spent['tokens'][k] / 1000:,.0f}k" for k in ("input", "output")),
        f"{plan['cost']:.3f} | {spent['cost']:.3f}",
    ]
