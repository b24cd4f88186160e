"""Q_C of table 3: which solutions of three systems are correct for the same issues, by people and by a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autokb.plugins.lab.evaluation.papers.annotation_sheets import GROUP, FilledSheet
from autokb.plugins.lab.evaluation.papers.tables import NOT_JUDGED
from autokb.plugins.lab.evaluation.quality.measures import tree_interval
from autokb.plugins.lab.studies.papers.autokb_judge import STAGE, PaperJudge
from autokb.plugins.lab.studies.papers.autokb_sheets import PaperSheets, SystemSolution
from autokb.plugins.lab.studies.papers.autokb_subject import Subject
from autokb.stats.bootstrap import NOT_MEASURED, Interval
from autokb.stats.shares import clustered_share
from autokb.tasks.judges.correctness.task import TASK as CORRECTNESS
from autokb.tasks.judges.correctness.task import JudgeCorrectness


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of one system's solutions: how correct they are in the mean, and by node."""

    interval: Interval
    by_node: Mapping[str, float]


NOTHING_SAID = Said(NOT_MEASURED, {})


def said_by_people(filled: FilledSheet[bool] | None) -> dict[str, Said]:
    """Return by system what people say; a solution is as correct as the mean of its answers."""
    if filled is None:
        return {}
    found: dict[str, dict[str, tuple[str, float]]] = {}
    for item, given in filled.answers.items():
        system, node, tree = (str(filled.hidden[item][name]) for name in ("system", GROUP, "tree"))
        if given:
            found.setdefault(system, {})[node] = tree, sum(given.values()) / len(given)
    return {system: _said(nodes) for system, nodes in found.items()}


def said_by_model(subject: Subject, sheets: PaperSheets, judge: PaperJudge) -> dict[str, Said] | str:
    """Return by system what the judge says, or why it says nothing."""
    verdicts = model_verdicts(subject, sheets, judge)
    if isinstance(verdicts, str):
        return verdicts
    found: dict[str, dict[str, tuple[str, float]]] = {}
    for one in sheets.solutions(subject):
        if one.item in verdicts:
            found.setdefault(one.system, {})[one.node.id] = one.tree, float(verdicts[one.item])
    return {system: _said(nodes) for system, nodes in found.items()}


def model_verdicts(subject: Subject, sheets: PaperSheets, judge: PaperJudge) -> dict[str, bool] | str:
    """Return by item of the sheet whether the judge finds it correct, as blind as people; unsure ones are in none."""
    if not judge.run.has_judge:
        return NOT_JUDGED
    solutions = sheets.solutions(subject)
    asked = [_request(one, subject) for one in solutions]
    replies = judge.ask(subject, STAGE, CORRECTNESS, asked, [one.item for one in solutions])
    if isinstance(replies, str):
        return replies
    return {
        one.item: reply.verdict == "yes"
        for one, reply in zip(solutions, replies, strict=True)
        if reply is not None and reply.verdict in ("yes", "no")
    }


def _request(one: SystemSolution, subject: Subject) -> JudgeCorrectness:
    """Ask about what people see, beside the same quotes for every system."""
    spec = subject.spec
    return JudgeCorrectness(spec.in_words, one.node.text, (), one.title, one.steps, one.quotes)


def _said(nodes: Mapping[str, tuple[str, float]]) -> Said:
    """Return the mean with an interval over trees; of all or none Wilson's, which says how many they were."""
    values = {node: value for node, (_, value) in nodes.items()}
    if set(values.values()) in ({0.0}, {1.0}):
        trees: dict[str, list[float]] = {}
        for tree, value in nodes.values():
            trees.setdefault(tree, []).append(value)
        found = clustered_share([(int(sum(some)), len(some)) for some in trees.values()])
        return Said(Interval(found.value, found.low, found.high), values)
    return Said(tree_interval(values, lambda node: nodes[node][0]), values)
