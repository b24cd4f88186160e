"""How near ``autokb plan`` comes to what a first build then asks: calls, tokens, money, by stage and mode.

Each workspace is planned and then built with a scripted model. Where nothing else is known of a workspace the model
writes as much as the strong one of which we have figures: 51 children and 92 solutions for 41 issues and 12 articles,
unevenly; appendix C's has the paper's numbers.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import cut_tree, ward

from autokb.pipeline.embedding import PACKAGED, open_free_embedder, read_embedder_name
from benchmarks import appendix_c, cost, thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.killed_builds import ROOT
from benchmarks.retrieval import split
from benchmarks.running import autokb, folder, write_jsonl
from benchmarks.serving import TESTS, ScriptedModel, serving, set_model

sys.path.insert(0, str(TESTS))
import model_workspace

MODES = ("economical", "paper")
AIMS = {"calls": 0.15, "input": 0.25, "output": 0.25, "cost": 0.15}  # share of what was asked
CHILDREN = 51 / 41  # a raw issue, and solutions a node (some 17 trees have 68), as the strong model wrote
SOLUTIONS = 92 / 68
MOST_OWN = 5  # lists of steps among which a node's own one is, which half of the nodes have
SMALL_ISSUES, SMALL_ARTICLES = 41, 12
SOME_ISSUES = 200
FIELDS = ("--text-field", "text", "--title-field", "title", "--id-field", "id", "--date-field", "date")


@dataclass(frozen=True, slots=True)
class Case:
    """A workspace, how it is made, and the model that answers."""

    name: str
    make: Callable[[Path], None]
    model: Callable[[], ScriptedModel]
    modes: tuple[str, ...] = MODES
    settings: str = ""


def run(options: argparse.Namespace) -> Result:
    """Plan and build each workspace; the quick form has the small ones, in economical mode."""
    figures: list[Figure] = []
    detail: dict[str, Any] = {}
    for case in CASES[:3] if options.quick else CASES:
        for mode in MODES[:1] if options.quick else case.modes:
            with folder() as place:
                found = detail[f"{case.name} {mode}"] = measure(place / case.name, case, mode)
            show(f"{case.name}, {mode}", found)
            aims = AIMS if mode == MODES[0] else {}
            figures += [
                Figure(f"{case.name}_{mode}_{what}", abs(off), "share off", at_most=aims.get(what))
                for what, off in found["off"].items()
            ]
    return Result("plan", figures, detail)


def measure(workspace: Path, case: Case, mode: str) -> dict[str, Any]:
    """Plan and build once; returns both by stage, and how far the plan was off as a share of what was asked."""
    case.make(workspace)
    with serving(case.model()) as server:
        set_model(workspace, server.url, f"concurrency: 32\n{case.settings}")
        planned = autokb("plan", workspace, "--mode", mode)
        built = autokb("build", workspace, "--mode", mode)
        spent = autokb("costs", workspace).answer
        after = autokb("plan", workspace, "--mode", mode)
    return {
        "plan": _figures(planned.answer),
        "spent": _figures({**spent, **built.answer, "stages": spent["stages"]}),
        "off": _off(_whole(planned.answer), _whole(built.answer)),
        "built": {name: built.answer[name] for name in ("seeds", "parents", "children", "solutions")}
        | {"failures": len(built.answer["failures"])},
        "plan_after": _whole(after.answer),
        "plan_seconds": planned.seconds,
        "build_seconds": built.seconds,
        "plan_after_seconds": after.seconds,
    }


def _figures(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {"all": _whole(answer), **{name: _whole(stage) for name, stage in answer["stages"].items()}}


def _whole(answer: Mapping[str, Any]) -> dict[str, float]:
    tokens = answer["tokens"]
    return {"calls": answer["calls"], "input": tokens["input"], "output": tokens["output"], "cost": answer["cost"]}


def _off(planned: Mapping[str, float], spent: Mapping[str, float]) -> dict[str, float]:
    return {what: planned[what] / spent[what] - 1 for what in spent if spent[what]}


def show(title: str, found: Mapping[str, Any]) -> None:
    """Print planned and spent by stage."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{title}: planned | asked {json.dumps(found['built'])}", title_justify="left")
    for column in ("stage", *AIMS):
        table.add_column(column, justify="left" if column == "stage" else "right")
    none = dict.fromkeys(AIMS, 0)
    for stage in ("all", *cost.STAGES, "chunks"):
        plan, spent = (found[which].get(stage, none) for which in ("plan", "spent"))
        if plan["calls"] or spent["calls"]:
            table.add_row(stage, *(_pair(plan[w], spent[w], 4 if w == "cost" else 0) for w in none))
    Console(width=130).print(table)
    seconds = " ".join(f"{name} {found[name]:.1f}" for name in found if name.endswith("seconds"))
    print(f"{seconds}; planned after it: {found['plan_after']}")


def _pair(planned: float, spent: float, decimals: int) -> str:
    off = f"  {planned / spent - 1:+.0%}" if spent else ""
    return f"{planned:,.{decimals}f} | {spent:,.{decimals}f}{off}"


class StrongModel(ScriptedModel):
    """Writes as much as a strong model did; its themes are clusters of what issues mean, not of words they share.

    ``children`` is how many a tree has on average: none to twice as many, by the text of its seed.
    """

    def __init__(self, children: float) -> None:
        super().__init__(
            lambda seed: int(_share_of(seed) * (2 * children + 1)),
            lambda issue: 1 + (_share_of(issue) < SOLUTIONS - 1),
            lambda issue: max(0, int(_share_of(f"own {issue}") * 2 * MOST_OWN) - MOST_OWN + 1),
        )
        self._embed = open_free_embedder(read_embedder_name(PACKAGED)).embed

    def _find_themes(self, _system: str, user: str, schema: dict[str, Any]) -> dict[str, Any]:
        listed = re.search(r"<issues>(.*?)</issues>", user, re.DOTALL)
        issues = re.findall(r"^\d+\. (.*)$", listed[1] if listed else "", re.MULTILINE)
        vectors = self._embed(issues)
        labels = cut_tree(ward(vectors), n_clusters=min(len(issues), round((len(issues) / 2) ** 0.5) + 1))[:, 0]
        themes = []
        for label in sorted(set(labels.tolist())):
            rows = np.flatnonzero(labels == label)
            central = rows[np.argmax(vectors[rows] @ vectors[rows].mean(axis=0))]
            numbers = [int(row) + 1 for row in rows]
            shown = {"issues": numbers} if '"issues"' in json.dumps(schema) else {"examples": numbers[:5]}
            themes.append({"name": issues[central][:60], **shown, "miscellaneous": False})
        return {"answers": [{"number": 1, "themes": themes}]}

    def _assign_theme(self, system: str, user: str, _schema: dict[str, Any]) -> dict[str, Any]:
        listed = re.search(r"<themes>(.*?)</themes>", system, re.DOTALL)
        themes = re.findall(r"^\d+\. (.*)$", listed[1] if listed else "", re.MULTILINE)
        issues = re.findall(r'<issue number="(\d+)">\n?(.*?)\n?</issue>', user, re.DOTALL)
        nearest = (self._embed([text for _, text in issues]) @ self._embed(themes).T).argmax(axis=1)
        entries = zip(issues, nearest.tolist(), strict=True)
        return {"answers": [{"number": int(number), "theme": theme + 1} for (number, _), theme in entries]}


def _share_of(text: str) -> float:
    """Return a number from 0 to 1 that hangs on the text alone."""
    return int(sha256(text.encode()).hexdigest()[:8], 16) / 16**8


# -- workspaces -------------------------------------------------------------------------------------------------------


def _kettles(workspace: Path) -> None:
    source = workspace.parent / "source"
    model_workspace.write_sources(source)
    autokb("init", workspace, "--domain", source / "domain.yaml")
    autokb("add", workspace, source / "manuals")
    autokb("add", workspace, source / "issues.jsonl", "--as", "issues", "--text-field", "text", "--id-field", "id")


def _shipped(name: str) -> Callable[[Path], None]:
    def make(workspace: Path) -> None:
        source = ROOT / "src" / "autokb" / "domains" / name
        autokb("init", workspace, "--domain", name)
        autokb("add", workspace, source / "documents")
        issues = source / "issues" / "issues.csv"
        autokb("add", workspace, issues, "--as", "issues", *FIELDS, "--resolved-by-field", "resolved_by")

    return make


def _appendix_c(workspace: Path) -> None:
    sources = appendix_c.write(workspace.parent / "sources")
    autokb("init", workspace, "--domain", sources / "domain.yaml")
    autokb("add", workspace, sources / "manuals")
    autokb("add", workspace, sources / "issues.jsonl", "--as", "issues", "--text-field", "text", "--id-field", "id")


def _thunderbird_small(workspace: Path) -> None:
    """Stage the articles that resolved most questions of the tuning part, and the first questions of theirs."""
    _, history = split(thunderbird.issues(), tuning=True)
    counts = Counter(link["slug"] for issue in history for link in issue["gold_kb"])
    chosen = {slug for slug, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:SMALL_ARTICLES]}
    resolved = [issue for issue in history if any(link["slug"] in chosen for link in issue["gold_kb"])]
    autokb("init", workspace, "--domain", "thunderbird")
    autokb("add", workspace, *(thunderbird.data_folder() / "kb_wiki" / f"{slug}.wiki" for slug in sorted(chosen)))
    file = write_jsonl(workspace.parent / "issues.jsonl", resolved[:SMALL_ISSUES])
    autokb("add", workspace, file, "--as", "issues", *thunderbird.FIELDS, *thunderbird.RESOLVED)


def _thunderbird(many: int) -> Callable[[Path], None]:
    def make(workspace: Path) -> None:
        _, history = split(thunderbird.issues(), tuning=True)
        thunderbird.stage(workspace, history[:many])

    return make


def _strong(issues: int, trees: int) -> Callable[[], ScriptedModel]:
    """Return what makes a model that writes as many children an issue as the strong one; trees are those offline."""
    return lambda: StrongModel(CHILDREN * issues / trees)


CASES = (
    Case("kettles", _kettles, _strong(10, 7)),
    Case("thunderbird_41", _thunderbird_small, _strong(SMALL_ISSUES, 36)),
    Case("headphones", _shipped("headphones"), _strong(203, 96)),
    Case("medical", _shipped("medical"), _strong(147, 58)),
    Case("thunderbird_200", _thunderbird(SOME_ISSUES), _strong(SOME_ISSUES, 129)),
    Case("appendix_c", _appendix_c, cost.script, ("economical",), "chunker: fixed\n"),
)
