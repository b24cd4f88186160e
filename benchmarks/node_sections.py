"""Whether what a node shows answers it: 92 nodes of four knowledge bases, their sections marked by strict readers.

``data/node_sections.jsonl`` names a node by a raw issue and the values that it fixes; ``sections`` has the mark of each
section that any way of ranking had among its first: 2 answers the issue, 1 helps some, 0 wastes the customer's time.
The readers saw the node's title, what customers wrote and the sections in random order. ``python -m benchmarks
node_sections`` builds the bases and grades what the published nodes show; ``python -m benchmarks.node_sections --keep
FOLDER --readings`` prints what it is worth to read reports beside a node's text, of which the marks were made.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from autokb.answering.present import Presentation
from autokb.core.attributes import ANY, Values, from_lists
from autokb.core.nouns import Issue
from autokb.pipeline.steps.node_sections import REPORT_CHARACTERS, REPORTS
from autokb.retrieval.index import QuestionIndex, beginning
from autokb.stores.published import read_published
from benchmarks.answers import FIRST_SHOWN, Base, make
from benchmarks.figures import Figure, Result, show
from benchmarks.running import folder

MARKED = Path(__file__).parent / "data" / "node_sections.jsonl"
RIGHT, HELPS = 2, 1  # marks

Marks = dict[str, int]  # by the id of a section


@dataclass(frozen=True)
class MarkedNode:
    """A node beside the marks of its sections, and what those who reported it wrote."""

    index: QuestionIndex
    issue: Issue
    marks: Marks
    reports: Sequence[str]

    @property
    def is_answered(self) -> bool:
        """Whether some section answers it."""
        return RIGHT in self.marks.values()

    def shown(self) -> list[int]:
        """Return the marks of what the node shows, best first, of a parent that shows nothing what its children do.

        A section without a mark was among the first of no way of ranking, and has 0.
        """
        knowledge, candidates = self.index.nodes.knowledge, self.index.candidates
        own = knowledge.solutions_of.get(self.issue.id, ())
        nodes = knowledge.trees.get(self.issue.id, ())
        found = own or [solution for node in nodes for solution in knowledge.solutions_of.get(node, ())]
        rows = (candidates.row_of.get(solution.id) for solution in found)
        return [self.marks.get(candidates.rows[row].solution.id, 0) for row in rows if row is not None]

    def ranked(self, reports: int) -> list[int]:
        """Return the marks of the first sections for the node's text with so many reports, as a build ranks them."""
        readings = [beginning(report, REPORT_CHARACTERS) for report in self.reports[:reports]]
        index = _without_views(self.index)
        presentation = Presentation(index.score(beginning(self.issue.text), self.issue.attributes, also=readings))
        chosen = islice(presentation.fitting(presentation.ranked_rows()), FIRST_SHOWN)
        return [self.marks.get(one.solution.id, 0) for one in chosen]


def _without_views(index: QuestionIndex) -> QuestionIndex:
    """Return an index in which no node shows anything yet."""
    candidates = index.candidates
    rows = tuple(replace(row, views=()) for row in candidates.rows if row.passage is not None)
    none = candidates.view_rows[:0]
    kept = len(rows)
    return replace(
        index,
        candidates=replace(
            candidates,
            rows=rows,
            vectors=candidates.vectors[:kept],
            headings=candidates.headings[:kept],
            columns=candidates.columns[:kept],
            view_rows=none,
            view_nodes=none,
            view_audiences=none,
        ),
    )


def read_marked(place: Path) -> Iterator[MarkedNode]:
    """Give the nodes that the knowledge bases in a folder still have; those that are missing are built."""
    by_base: dict[str, list[dict[str, Any]]] = {}
    for line in MARKED.read_text(encoding="utf-8").split("\n"):
        if line:
            by_base.setdefault((record := json.loads(line))["base"], []).append(record)
    for name, records in by_base.items():
        base = Base(name, make(name, place / name))
        with base.kb.workspace.file() as file:
            raw_issues = read_published(file).raw_issues
        issues = base.index.nodes.knowledge.issues.values()
        for record in records:
            own = [issue for issue in issues if record["issue"] in issue.raw_issues]
            fixed = from_lists(record["attributes"])
            issue = next((i for i in own if _fixed(i) == fixed), next((i for i in own if i.parent_id is None), None))
            if issue is not None:
                reports = [raw_issues[raw].full_text for raw in issue.raw_issues]
                yield MarkedNode(base.index, issue, record["sections"], reports)


def _fixed(issue: Issue) -> dict[str, Values]:
    return {name: values for name, values in issue.attributes.items() if values != ANY}


def measure(nodes: Sequence[MarkedNode]) -> Iterator[Figure]:
    """Give the figures of what nodes show."""
    shown = [(node, node.shown()) for node in nodes]
    answered = [marks for node, marks in shown if node.is_answered]
    open_nodes = [marks for node, marks in shown if not node.is_answered]
    firsts = [marks[0] for _, marks in shown if marks]
    every = [mark for _, marks in shown for mark in marks]
    yield Figure("nodes", len(nodes))
    yield Figure("nodes_that_an_answer_exists_for", len(answered))
    yield Figure("first_right_where_an_answer_exists", fmean(marks[:1] == [RIGHT] for marks in answered))
    yield Figure("shows_nothing_where_none_exists", fmean(not marks for marks in open_nodes))
    yield Figure("first_right_of_those_shown", fmean(mark == RIGHT for mark in firsts))
    yield Figure("first_helps_of_those_shown", fmean(mark >= HELPS for mark in firsts))
    yield Figure("solutions_a_node", len(every) / len(nodes))
    yield Figure("solutions_that_help", fmean(mark >= HELPS for mark in every))


def run(_options: argparse.Namespace) -> Result:
    """Build the bases and grade what their nodes show."""
    with folder() as place:
        return Result("node_sections", list(measure(list(read_marked(place)))))


def main() -> None:
    """Print what nodes show, or what reading reports is worth."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--keep", type=Path, required=True, help="a folder for the workspaces, built once")
    parser.add_argument("--readings", action="store_true", help="rank by a node's text and more and more reports")
    options = parser.parse_args()
    nodes = list(read_marked(options.keep))
    if not options.readings:
        show(Result("node_sections", list(measure(nodes))))
        return
    answered = [node for node in nodes if node.is_answered]
    for reports in (0, 1, 2, REPORTS, 2 * REPORTS):
        ranked = [node.ranked(reports) for node in answered]
        first, three = fmean(marks[:1] == [RIGHT] for marks in ranked), fmean(RIGHT in marks for marks in ranked)
        print(f"text and {reports} reports: first {first:.3f}, one of three {three:.3f} of {len(answered)}")


if __name__ == "__main__":
    main()
