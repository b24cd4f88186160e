"""Table 3 of the AutoKB paper: the quality of solutions beside raw chunks and a model's own ones.

Which solutions of the three systems are correct (Q_C) is said by people and by a model, of the same issues.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from autokb.core.attributes import ANY, NONE
from autokb.core.nouns import Solution
from autokb.plugins.lab.evaluation.quality.annotation import displayed_solutions
from autokb.plugins.lab.evaluation.quality.measures import BY_PATTERNS, solution_trees, tree_interval
from autokb.plugins.lab.evaluation.quality.report import QualityReport, evaluate_quality
from autokb.plugins.lab.evaluation.report import Cell, Table
from autokb.plugins.lab.studies.evaluate import evaluate_workspace_quality
from autokb.plugins.lab.studies.papers import NOT_JUDGED, PaperTables, printed_absolute
from autokb.plugins.lab.studies.papers.autokb_judge import MOST_JUDGED, STAGE, PaperJudge, Subject, raw_solutions
from autokb.plugins.lab.studies.papers.autokb_sheets import (
    AUTOKB,
    CORRECTNESS,
    GROUP,
    MOST_NODES,
    NEEDS_SHEET,
    RAW,
    UNAIDED,
    FilledSheet,
    PaperSheets,
)
from autokb.stats.bootstrap import NOT_MEASURED, Interval
from autokb.stats.differences import paired_difference
from autokb.stats.shares import clustered_share, share_difference
from autokb.tasks.judges.correctness.task import TASK as JUDGE_CORRECTNESS
from autokb.tasks.judges.correctness.task import JudgeCorrectness

PAPER = PaperTables("autokb")
PERCENT = (True, True, False, True)  # whether a column is in per cent
SHEET = NEEDS_SHEET[CORRECTNESS]
UNAIDED_SHEET = f"{SHEET}; LLM-WK is on the sheet where --judge MODEL stands beside --sheets"
NO_VERDICT = "not judged: the model gave no verdict"
NO_FIRST_ROW = f"an increment over LLM-WK; {NOT_JUDGED}"
NO_FIRST_Q_C = f"an increment over LLM-WK; {UNAIDED_SHEET}"
Nodes = Mapping[str, tuple[str, float]]  # by node: its tree, and how correct its solution is


@dataclass(frozen=True, slots=True)
class Figure:
    """What one system's solutions are worth, or why it is not known; ``by_node`` the same, where that is known."""

    mean: Interval | str
    by_node: Mapping[str, float] | None = None


Row = tuple[Figure, ...]  # of one system, in the order of the columns


def quality_tables(subjects: Sequence[Subject], judge: PaperJudge, sheets: PaperSheets) -> Iterator[Table]:
    """Give table 3 as increments over LLM-WK and in absolute values."""
    increments, absolute, notes = [], [], list[str]()
    printed, printed_sums = {}, {}
    for subject in subjects:
        reports = _reports(subject, judge)
        rows = _rows(reports, subject, judge, sheets)
        theirs = PAPER.printed("quality")[subject.domain]
        for system, row in rows.items():
            name = f"{subject.name}, {system}"
            cells = [Cell.of(one.mean, percent=of) for one, of in zip(row, PERCENT, strict=True)]
            absolute.append((name, cells))
            increments.append((name, cells if system == UNAIDED else _increments(row, rows[UNAIDED])))
            printed[name], printed_sums[name] = theirs[system], printed_absolute(theirs, UNAIDED, system)
        notes += _quality_notes(subject, reports, rows)
    yield PAPER.table("quality", increments, printed, notes=dict.fromkeys(notes))
    yield PAPER.table("quality_absolute", absolute, printed_sums)


def _increments(row: Row, first: Row) -> Iterator[Cell]:
    """Give what a row is above LLM-WK: paired by the issue where both were judged for it, else of other solutions."""
    for own, of_first, percent in zip(row, first, PERCENT, strict=True):
        if isinstance(of_first.mean, str):
            missing = {NOT_JUDGED: NO_FIRST_ROW, UNAIDED_SHEET: NO_FIRST_Q_C}.get(of_first.mean, of_first.mean)
            yield Cell(missing=missing)
        elif isinstance(own.mean, str):
            yield Cell(missing=own.mean)
        else:
            mine, theirs = own.by_node or {}, of_first.by_node or {}
            pairs = [(mine[node], theirs[node]) for node in sorted(mine.keys() & theirs.keys())]
            # Pairs that all differ alike say nothing of how sure that is; both intervals say how many they are.
            is_paired = len({one - other for one, other in pairs}) > 1
            gain = (
                paired_difference(*zip(*pairs, strict=True)) if is_paired else share_difference(own.mean, of_first.mean)
            )
            yield Cell.of(gain, percent=percent)


def _reports(subject: Subject, judge: PaperJudge) -> dict[str, QualityReport | str]:
    """Return what each system's solutions are worth by rules, judged by patterns or by the judge."""
    solved, spec = judge.solved(subject), subject.spec
    unaided = [] if isinstance(solved, str) else [*chain(*solved.values())]
    raw, own = raw_solutions(subject), displayed_solutions(subject.kb.solutions.values())
    reports: dict[str, QualityReport | str] = {
        UNAIDED: solved if isinstance(solved, str) else evaluate_quality(unaided, {}, spec),
        RAW: evaluate_quality(raw, {}, spec),
        AUTOKB: evaluate_workspace_quality(subject.workspace),
    }
    for name, solutions, issues in ((UNAIDED, unaided, {}), (RAW, raw, {}), (AUTOKB, own, subject.kb.issues)):
        report = reports[name]
        if isinstance(report, QualityReport) and judge.run.has_judge:
            by_model = judge.compliance(subject, solutions, solution_trees(solutions, issues))
            note = f"not by the model: {by_model}"
            q_d = replace(report.q_d, note=note) if isinstance(by_model, str) else by_model
            reports[name] = replace(report, q_d=q_d)
    return reports


def _rows(
    reports: Mapping[str, QualityReport | str], subject: Subject, judge: PaperJudge, sheets: PaperSheets
) -> dict[str, Row]:
    """Return the figures of each system; what people said on the page of the sheet counts where no sheet is read."""
    people, model = _said_by_people(sheets.correctness(subject)), _said_by_model(subject, sheets, judge)
    rows: dict[str, Row] = {}
    for system, report in reports.items():
        correct = people.get(system, NOTHING_SAID)
        if correct is NOTHING_SAID and system == AUTOKB and isinstance(report, QualityReport):
            correct = Figure(report.q_c)
        if isinstance(correct.mean, Interval) and correct.mean.value is None:
            correct = replace(correct, mean=UNAIDED_SHEET if system == UNAIDED else SHEET)
        q_d, q_m = (report, report) if isinstance(report, str) else (report.q_d.interval, report.q_m.interval)
        by_model = Figure(model) if isinstance(model, str) else model.get(system, Figure(NO_VERDICT))
        rows[system] = (correct, Figure(q_d), Figure(q_m), by_model)
    return rows


# -- who says what is correct -----------------------------------------------------------------------------------------

NOTHING_SAID = Figure(NOT_MEASURED)


def _said_by_people(filled: FilledSheet[bool] | None) -> dict[str, Figure]:
    """Return by system what people say; a solution is as correct as the mean of its answers."""
    if filled is None:
        return {}
    found: dict[str, dict[str, tuple[str, float]]] = {}
    for item, given in filled.answers.items():
        system, node, tree = (str(filled.hidden[item][name]) for name in ("system", GROUP, "tree"))
        if given:
            found.setdefault(system, {})[node] = tree, sum(given.values()) / len(given)
    return {system: _correctness(nodes) for system, nodes in found.items()}


def _said_by_model(subject: Subject, sheets: PaperSheets, judge: PaperJudge) -> dict[str, Figure] | str:
    """Return by system what the judge says, or why it says nothing."""
    verdicts = model_verdicts(subject, sheets, judge)
    if isinstance(verdicts, str):
        return verdicts
    found: dict[str, dict[str, tuple[str, float]]] = {}
    for one in sheets.solutions(subject):
        if one.item in verdicts:
            found.setdefault(one.system, {})[one.node.id] = one.tree, float(verdicts[one.item])
    return {system: _correctness(nodes) for system, nodes in found.items()}


def model_verdicts(subject: Subject, sheets: PaperSheets, judge: PaperJudge) -> dict[str, bool] | str:
    """Return by item of the sheet whether the judge finds it correct, as blind as people; unsure ones are in none.

    It is asked about what people see, beside the same quotes for every system.
    """
    if not judge.run.has_judge:
        return NOT_JUDGED
    solutions, domain = sheets.solutions(subject), subject.spec.in_words
    asked = [JudgeCorrectness(domain, one.node.text, (), one.title, one.steps, one.quotes) for one in solutions]
    replies = judge.ask(subject, STAGE, JUDGE_CORRECTNESS, asked, [one.item for one in solutions])
    if isinstance(replies, str):
        return replies
    return {
        one.item: reply.verdict == "yes"
        for one, reply in zip(solutions, replies, strict=True)
        if reply is not None and reply.verdict in ("yes", "no")
    }


def _correctness(nodes: Nodes) -> Figure:
    """Return the mean with an interval over trees; of all or none Wilson's, which says how many they were."""
    values = {node: value for node, (_, value) in nodes.items()}
    if set(values.values()) not in ({0.0}, {1.0}):
        return Figure(tree_interval(values, lambda node: nodes[node][0]), values)
    trees: dict[str, list[float]] = {}
    for tree, value in nodes.values():
        trees.setdefault(tree, []).append(value)
    found = clustered_share([(int(sum(some)), len(some)) for some in trees.values()])
    return Figure(Interval(found.value, found.low, found.high), values)


# -- notes ------------------------------------------------------------------------------------------------------------


def _quality_notes(
    subject: Subject, reports: Mapping[str, QualityReport | str], rows: Mapping[str, Row]
) -> Iterator[str]:
    """Say who judged Q_D and what patterns are worth, who judged Q_C, and where Q_M is not in the paper's order."""
    raw, own = reports[RAW], reports[AUTOKB]
    assert isinstance(raw, QualityReport) and isinstance(own, QualityReport), "both are measured without a model"
    if own.q_d.note:
        yield f"Q_D of {AUTOKB}: {own.q_d.note.replace('--model', '--judge')}"
    elif own.q_d.by != BY_PATTERNS:
        yield (
            f"Q_D is judged by {own.q_d.by}, of at most {MOST_JUDGED} solutions a row, an even sample; what it doubts "
            "counts neither way."
        )
    if not isinstance(rows[AUTOKB][-1].mean, str):
        yield (
            f"Q_C judged is a model's word and no person's, on the same {MOST_NODES} issues at most for all rows, each "
            "beside what the documents say; what it is unsure of counts neither way."
        )
    ours, theirs = own.q_m.interval.value, raw.q_m.interval.value
    if ours is not None and theirs is not None and ours <= theirs:
        yield _granularity_note(subject, raw, own)


def _granularity_note(subject: Subject, raw: QualityReport, own: QualityReport) -> str:
    """Say by which attribute chunks are as granular as solutions, and by how many of them."""
    pairs = {name: (value, own.q_m.attributes.get(name)) for name, value in raw.q_m.attributes.items()}
    known = [(a - b, name, a, b) for name, (a, b) in pairs.items() if a is not None and b is not None]
    _, name, of_raw, of_own = max(known)
    chunks = _name_one(name, raw_solutions(subject))
    solutions = _name_one(name, displayed_solutions(subject.kb.solutions.values()))
    return (
        f"On {subject.name} the paper's order of Q_M is not reproduced: {AUTOKB} has "
        f"{own.q_m.interval.value:.3f}, {RAW} {raw.q_m.interval.value:.3f}. The largest gap is that of {name} "
        f"({of_own:.3f} and {of_raw:.3f}): {chunks} chunks name one value of it and count 1, however little of them is "
        f"about it, while {solutions} solutions do."
    )


def _name_one(name: str, solutions: Sequence[Solution]) -> str:
    named = sum(len(one.attributes.get(name, ANY) - ANY - NONE) == 1 for one in solutions)
    return f"{named} of {len(solutions)}"
