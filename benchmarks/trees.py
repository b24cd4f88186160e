"""Trees of issues: how many, how wide, how many say the same, and whether children and solutions belong where they are.

``python -m benchmarks.trees`` builds the knowledge bases and prints one table; ``--all`` adds Thunderbird, ``--keep
FOLDER`` keeps the workspaces (those of ``benchmarks.answers`` will do), ``--sample N --seed S`` prints N random trees
as Markdown for a reader to grade. ``python -m benchmarks trees`` writes the figures.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autokb.core.attributes import ANY, Attributes, Values, from_lists
from autokb.core.domain import DomainSpec, read_domain
from autokb.core.implications import implied_values
from autokb.core.nouns import DISPLAYED
from autokb.core.yaml_text import parse_yaml
from autokb.heuristics.titles.phrase_editing import named_values
from autokb.text.markdown import section_at, sections
from benchmarks.answers import BASES, make
from benchmarks.figures import Figure, Result
from benchmarks.running import folder

QUICK = ("headphones", "medical", "cashbook")
AIMS = {"children_that_differ": (0.95, None), "twins": (None, 0.1)}  # at least, at most

Record = dict[str, Any]
Place = tuple[str, int, int]  # document, start, end


@dataclass
class Exported:
    """The records of one knowledge base, by kind, and how its nodes hang together."""

    spec: DomainSpec
    documents: Mapping[str, Record]
    raw_issues: list[Record]
    parents: list[Record]
    children_of: dict[str, list[Record]] = field(default_factory=dict)
    solutions_of: dict[str, list[Record]] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Sequence[Record]) -> Exported:
        """Read the lines of an export."""
        domain = next(r["yaml"] for r in records if r["kind"] == "setting" and r["id"] == "domain")
        issues = [r for r in records if r["kind"] == "issue"]
        found = cls(
            read_domain(parse_yaml(domain, "domain")),
            {r["id"]: r for r in records if r["kind"] == "document"},
            [r for r in records if r["kind"] == "raw_issue"],
            [i for i in issues if i["parent_id"] is None],
        )
        for issue in issues:
            if issue["parent_id"] is not None:
                found.children_of.setdefault(issue["parent_id"], []).append(issue)
        for solution in records:
            if solution["kind"] == "solution" and solution["status"] in DISPLAYED:
                found.solutions_of.setdefault(solution["issue_id"], []).append(solution)
        for some in found.solutions_of.values():
            some.sort(key=lambda s: (s["rank"], s["id"]))
        return found

    def nodes(self) -> Iterator[Record]:
        """Yield each parent with its children behind it."""
        for parent in self.parents:
            yield parent
            yield from self.children_of.get(parent["id"], ())

    def evidence(self, issue: Record) -> frozenset[Place]:
        """Return the places that a node's displayed solutions come from."""
        shown = self.solutions_of.get(issue["id"], ())
        return frozenset((e["document"], e["start"], e["end"]) for s in shown for e in s["evidence"])

    def fixes_more(self, solution: Record, issue: Record) -> bool:
        """Return whether a solution fixes a value that its node leaves open, what the node's values settle left out."""
        node, own = _fixed(from_lists(issue["attributes"])), _fixed(from_lists(solution["attributes"]))
        known: Mapping[str, Values] = {**implied_values(node, self.spec.attributes), **node}
        return any(not known[name] <= values if name in known else True for name, values in own.items())

    def is_named(self, child: Record, parent: Record) -> bool:
        """Return whether titles and headings around a child's solutions name all that it fixes beside its parent."""
        words = [line for s in self.solutions_of.get(child["id"], ()) for line in self._headings(s)]
        named = {(m.attribute, m.value) for line in words for m in named_values(line, self.spec.attributes)}
        own, wide = from_lists(child["attributes"]), from_lists(parent["attributes"])
        new = {n: values for n, values in _fixed(own).items() if values != wide[n]}
        settled = {
            n for n in new if n in implied_values({o: v for o, v in new.items() if o != n}, self.spec.attributes)
        }
        return all(any((n, value) in named for value in new[n]) for n in new.keys() - settled)

    def _headings(self, solution: Record) -> Iterator[str]:
        place = solution["evidence"][0]
        document = self.documents[place["document"]]
        found = sections(document["text"])
        yield from (
            document["title"],
            solution["text"].split("\n")[0],
            *found[section_at(found, place["start"])].headings,
        )


def _fixed(attributes: Attributes) -> dict[str, Values]:
    return {name: values for name, values in attributes.items() if values != ANY}


def measure(kb: Exported) -> dict[str, float]:
    """Return the figures of one knowledge base."""
    trees = len(kb.parents)
    children = [(child, parent) for parent in kb.parents for child in kb.children_of.get(parent["id"], ())]
    landed = sum("issue" in raw for raw in kb.raw_issues)
    nodes = list(kb.nodes())
    placed = [(solution, node) for node in nodes for solution in kb.solutions_of.get(node["id"], ())]
    differ = sum(bool(own := kb.evidence(c)) and own != kb.evidence(p) for c, p in children)
    shown = [evidence for parent in kb.parents if (evidence := kb.evidence(parent))]
    alike = Counter(shown)
    return {
        "trees": trees,
        "children_a_tree": len(children) / trees if trees else 0.0,
        "raw_issues_a_tree": landed / trees if trees else 0.0,
        "raw_issues_in_no_tree": len(kb.raw_issues) - landed,
        "impossible_children": sum(not kb.spec.allows(from_lists(c["attributes"])) for c, _ in children),
        "children_not_reported": sum(not c["raw_issues"] for c, _ in children),
        "children_neither_reported_nor_named": sum(not c["raw_issues"] and not kb.is_named(c, p) for c, p in children),
        "nodes_without_solution": sum(not kb.solutions_of.get(node["id"]) for node in nodes),
        "parents_without_solution": trees - len(shown),
        "trees_that_show_nothing": sum(
            not any(kb.solutions_of.get(n["id"]) for n in (p, *kb.children_of.get(p["id"], ()))) for p in kb.parents
        ),
        "children_that_differ": differ / len(children) if children else 1.0,
        "twins": sum(alike[evidence] > 1 for evidence in shown) / trees if trees else 0.0,
        "solutions": len(placed),
        "solutions_a_node": len(placed) / len(nodes) if nodes else 0.0,
        "solutions_fixing_more": sum(kb.fixes_more(s, n) for s, n in placed) / len(placed) if placed else 0.0,
    }


def sample(kb: Exported, many: int, seed: int) -> Iterator[str]:
    """Yield the lines of random trees as Markdown."""
    parents = sorted(kb.parents, key=lambda p: str(p["id"]))
    for number, parent in enumerate(random.Random(seed).sample(parents, min(many, len(parents))), 1):
        landed = [raw for raw in kb.raw_issues if raw.get("issue") == parent["id"]]
        yield f"\n{number}. {_node_line(kb, parent)}"
        yield from (f"   > {' '.join(_raw_text(raw).split())[:160]}" for raw in landed[:4])
        yield from (f"   - {_node_line(kb, child)}" for child in kb.children_of.get(parent["id"], ()))


def _raw_text(raw: Record) -> str:
    return f"{raw['title']}: {raw['text']}" if raw.get("title") else str(raw["text"])


def _node_line(kb: Exported, issue: Record) -> str:
    values = [f"{n}: {', '.join(v)}" for n, v in issue["attributes"].items() if v != ["Any"]]
    first = next((s["text"].split("\n")[0] for s in kb.solutions_of.get(issue["id"], ())), "no solution of its own")
    return f"**{issue['text']}** ({'; '.join(values) or 'Any'}): {first}"


def read(name: str, place: Path) -> Exported:
    """Build a knowledge base unless the folder has it, and export it."""
    from autokb.app.support_kb import SupportKB

    exported = place / f"{name}-trees.jsonl"
    SupportKB.open(make(name, place / name)).export(exported)
    return Exported.of([json.loads(line) for line in exported.read_text(encoding="utf-8").split("\n") if line])


def run(options: argparse.Namespace) -> Result:
    """Build the five bases and measure their trees."""
    with folder() as place:
        measured = {name: measure(read(name, place)) for name in BASES}
    return Result("trees", [figure for name in BASES for figure in _figures(name, measured[name])])


def _figures(name: str, values: Mapping[str, float]) -> Iterator[Figure]:
    for figure, value in values.items():
        at_least, at_most = AIMS.get(figure, (None, None))
        yield Figure(f"{name}.{figure}", value, at_least=at_least, at_most=at_most)


def main() -> None:
    """Print the table of trees, or random trees to grade."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--keep", type=Path, help="a folder for the workspaces, built once and measured again")
    parser.add_argument("--rebuild", action="store_true", help="build the kept workspaces anew")
    parser.add_argument("--base", default="", help="only these bases, with commas between")
    parser.add_argument("--all", action="store_true", help="all five bases")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="print N random trees of each base")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the random choice")
    options = parser.parse_args()
    names = options.base.split(",") if options.base else BASES if options.all else QUICK
    with folder() as temporary:
        place = options.keep or temporary
        place.mkdir(parents=True, exist_ok=True)
        if options.rebuild:
            for name in names:
                shutil.rmtree(place / name, ignore_errors=True)
                shutil.rmtree(place / f"{name}-articles", ignore_errors=True)
        found = {name: read(name, place) for name in names}
    if options.sample:
        for name, kb in found.items():
            print(f"\n## {name}", *sample(kb, options.sample, options.seed), sep="\n")
        return
    table = {name: measure(kb) for name, kb in found.items()}
    print(f"{'':36}", *(f"{name:>12}" for name in names))
    for figure in next(iter(table.values())):
        print(f"{figure:36}", *(f"{table[name][figure]:12.3g}" for name in names))


if __name__ == "__main__":
    main()
