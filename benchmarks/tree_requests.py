"""What a model is asked for trees: requests, and the tokens that it reads and writes, one seed each and now.

``python -m benchmarks.tree_requests`` builds headphones, medical and Thunderbird's tuning part offline and prints a
table; ``--keep FOLDER`` keeps the workspaces, ``--show BASE N`` prints the N-th request as a model reads it. Before is
the question of paper mode, which economical mode asked too. Nothing is sent: requests are formed as a build forms them,
and the trees of the offline engine stand for a model's, written as a reply before and now.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

from autokb.core.attributes import ANY, from_lists
from autokb.core.model_requests import CHARACTERS_A_TOKEN
from autokb.llm.prices import Prices
from autokb.pipeline.build import Build
from autokb.pipeline.cost_estimate import Estimate
from autokb.pipeline.dry_run import ExpectedReplies
from autokb.pipeline.plan import counting_stages
from autokb.stores.workspace import open_workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE
from autokb.tasks.issues.grow_tree.task import GrownTree, GrowTree
from benchmarks import thunderbird
from benchmarks.answers import make
from benchmarks.figures import Figure, Result
from benchmarks.retrieval import split
from benchmarks.running import folder

BASES = ("headphones", "medical", "thunderbird")
MODEL = "openai:any"
STAGES = ("trees", "merge")


@dataclass
class QuestionMatch:
    """The requests of one build: how many and how long they are by stage, and what they ask about."""

    calls: dict[str, int] = field(default_factory=dict)
    read: dict[str, float] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    items: list[Any] = field(default_factory=list)

    def count_groups(self, stage: str, task: Any, items: Sequence[Any], groups: Sequence[Any], *_more: Any) -> None:
        """Take in the requests of a stage."""
        for group in groups:
            turns = task.turns([items[n] for n in group])
            self.calls[stage] = self.calls.get(stage, 0) + 1
            self.read[stage] = self.read.get(stage, 0.0) + sum(map(len, turns)) / CHARACTERS_A_TOKEN
            self.requests.append(turns)
            if stage == "trees":
                self.items += [items[n] for n in group]


def ask(folder_: Path, mode: str) -> QuestionMatch:
    """Form the requests for trees of a workspace as a build of this mode does."""
    asked = QuestionMatch()
    workspace = open_workspace(folder_)
    settings = replace(workspace.settings, model="offline", tasks={"grow_tree": MODEL, "merge_parents": MODEL})
    with tempfile.TemporaryDirectory() as place, workspace.file() as file:
        copy = replace(workspace, folder=Path(place), mode=mode, settings=settings)
        file.copy_to(copy.knowledge_path)
        with (
            closing(WorkspaceFile(copy.knowledge_path)) as own,
            mock.patch.object(Estimate, "count_groups", lambda _self, *given: asked.count_groups(*given)),
        ):
            stages = counting_stages(copy, own, file, Estimate(Prices({}, "")), ExpectedReplies())
            Build(copy, own, stages).run(publish=False)
    return asked


def written(items: Sequence[GrowTree]) -> tuple[float, float]:
    """Return the tokens of the same trees as a reply of before and of now."""
    before = now = 0
    for item in items:
        tree = GROW_TREE.answer_offline(item)
        before += len(json.dumps(_whole(tree, item))) + len('{"answers": []}')
        now += len(json.dumps(_short(tree, item)))
    return before / CHARACTERS_A_TOKEN, now / CHARACTERS_A_TOKEN


def _numbers(raw_issues: Sequence[str], item: GrowTree) -> list[int]:
    return [n for n, report in enumerate(item.cluster, 1) if report.raw_issue in raw_issues]


def _whole(tree: GrownTree, item: GrowTree) -> Mapping[str, Any]:
    children = [
        {"text": c.text, "attributes": c.attributes, "reports": _numbers(c.raw_issues, item)} for c in tree.children
    ]
    parent = {"text": tree.parent.text, "attributes": tree.parent.attributes}
    return {"number": 1, "parent": parent, "children": children}


def _short(tree: GrownTree, item: GrowTree) -> Mapping[str, Any]:
    wide = from_lists(tree.parent.attributes)

    def node(one: Any, beside: Mapping[str, Any], reports: list[int]) -> Mapping[str, Any]:
        fixed = {n: v for n, v in one.attributes.items() if frozenset(v) not in (ANY, beside.get(n))}
        return {
            "text": one.text,
            "attributes": [{"name": n, "values": v} for n, v in fixed.items()],
            "reports": reports,
        }

    children = [node(child, wide, _numbers(child.raw_issues, item)) for child in tree.children]
    return {"number": 1, "trees": [{"parent": node(tree.parent, {}, []), "children": children}]}


def workspace_of(name: str, place: Path) -> Path:
    """Return a base that was built offline, of Thunderbird the part for tuning; it is built once."""
    target = place / name
    if name != "thunderbird":
        return make(name, target)
    if not (target / "knowledge.db").exists():
        _, history = split(thunderbird.issues(), tuning=True)
        thunderbird.stage(target, history)
        thunderbird.build(target)
    return target


def measure(workspace: Path) -> dict[str, float]:
    """Return the figures of one base."""
    before, now = ask(workspace, "paper"), ask(workspace, "economical")
    long, short = written(before.items)
    return {
        "seeds_before": len(before.items),
        "seeds": len(now.items),
        "requests_before": before.calls["trees"],
        "requests": now.calls["trees"],
        "requests_to_merge": now.calls.get("merge", 0),
        "input_tokens_before": before.read["trees"],
        "input_tokens": now.read["trees"],
        "input_tokens_to_merge": now.read.get("merge", 0.0),
        "reply_tokens_before": long,
        "reply_tokens": short,
    }


def run(_options: argparse.Namespace) -> Result:
    """Measure the three bases."""
    with folder() as place:
        found = {name: measure(workspace_of(name, place)) for name in BASES}
    figures = [Figure(f"{name}.{what}", value) for name in BASES for what, value in found[name].items()]
    return Result("tree_requests", figures)


def main() -> None:
    """Print the table, or one request."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--keep", type=Path, help="a folder for the workspaces, built once and measured again")
    parser.add_argument("--show", nargs=2, metavar=("BASE", "N"), help="print the N-th request of a base")
    options = parser.parse_args()
    with folder() as temporary:
        place = options.keep or temporary
        place.mkdir(parents=True, exist_ok=True)
        if options.show:
            name, number = options.show
            print(*ask(workspace_of(name, place), "economical").requests[int(number)], sep="\n=== user\n")
            return
        table = {name: measure(workspace_of(name, place)) for name in BASES}
    print(f"{'':24}", *(f"{name:>12}" for name in BASES))
    for figure in next(iter(table.values())):
        print(f"{figure:24}", *(f"{table[name][figure]:12,.0f}" for name in BASES))


if __name__ == "__main__":
    main()
