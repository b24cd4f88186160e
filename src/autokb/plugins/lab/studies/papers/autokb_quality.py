"""Table 3 of the AutoKB paper: the quality of solutions beside raw chunks and a model's own ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from autokb.core.attributes import ANY, NONE
from autokb.core.nouns import Solution
from autokb.plugins.lab.evaluation.papers.tables import NOT_JUDGED, Cell, PaperTable, printed_absolute
from autokb.plugins.lab.evaluation.quality.annotation import displayed_solutions
from autokb.plugins.lab.evaluation.quality.measures import BY_PATTERNS, solution_trees
from autokb.plugins.lab.evaluation.quality.report import QualityReport, evaluate_quality
from autokb.plugins.lab.studies.evaluate import evaluate_workspace_quality
from autokb.plugins.lab.studies.papers.autokb_correctness import NOTHING_SAID, Said, said_by_model, said_by_people
from autokb.plugins.lab.studies.papers.autokb_judge import MOST_JUDGED, PaperJudge, raw_solutions
from autokb.plugins.lab.studies.papers.autokb_sheets import (
    AUTOKB,
    CORRECTNESS,
    MOST_NODES,
    NEEDS_SHEET,
    RAW,
    UNAIDED,
    PaperSheets,
)
from autokb.plugins.lab.studies.papers.autokb_subject import Subject
from autokb.plugins.lab.studies.papers.printed import printed_tables
from autokb.stats.bootstrap import Interval
from autokb.stats.differences import paired_difference
from autokb.stats.shares import share_difference

COLUMNS = ("Q_C %", "Q_D %", "Q_M", "Q_C judged %")
TIMES = (100, 100, 1, 100)  # Q_C and Q_D are in per cent
PRINTED = printed_tables("autokb")["quality"]
SHEET = NEEDS_SHEET[CORRECTNESS]
UNAIDED_SHEET = f"{SHEET}; LLM-WK is on the sheet where --judge MODEL stands beside --sheets"
NO_VERDICT = "not judged: the model gave no verdict"
NO_FIRST_ROW = f"an increment over LLM-WK; {NOT_JUDGED}"
NO_FIRST_Q_C = f"an increment over LLM-WK; {UNAIDED_SHEET}"


@dataclass(frozen=True)
class _Row:
    """What one system's solutions are worth, or why it is not known, in the order of the columns.

    ``by_node`` is the same node by node, empty where that is not known.
    """

    figures: tuple[Interval | str, ...]
    by_node: tuple[Mapping[str, float], ...]
    report: QualityReport | None


def quality_tables(subjects: Sequence[Subject], judge: PaperJudge, sheets: PaperSheets) -> Iterator[PaperTable]:
    """Give table 3 as increments over LLM-WK and in absolute values."""
    rows, increments, absolute = [], [], []
    notes: list[str] = []
    for subject in subjects:
        of_rows = _measured(subject, judge, sheets)
        first = of_rows[UNAIDED]
        for name, found in of_rows.items():
            printed = PRINTED[subject.domain][name]
            rows.append(f"{subject.name}, {name}")
            absolute.append(_absolute(found, printed_absolute(PRINTED[subject.domain], UNAIDED, name)))
            is_first = name == UNAIDED
            increments.append(_absolute(found, printed) if is_first else tuple(_over(first, found, printed)))
        notes += _quality_notes(subject, of_rows)
    note = " ".join(dict.fromkeys(notes))
    yield PaperTable("Table 3: quality, above LLM-WK", tuple(rows), COLUMNS, tuple(increments), note=note)
    yield PaperTable("Table 3 in absolute values", tuple(rows), COLUMNS, tuple(absolute))


def _measured(subject: Subject, judge: PaperJudge, sheets: PaperSheets) -> dict[str, _Row]:
    """Return what each row's solutions are worth, by rules, by people and by the judge."""
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
    people, model = said_by_people(sheets.correctness(subject)), said_by_model(subject, sheets, judge)
    return {name: _row(name, report, people, model) for name, report in reports.items()}


# Complex: each figure has its own reason to be missing.
def _row(name: str, report: QualityReport | str, people: Mapping[str, Said], model: Mapping[str, Said] | str) -> _Row:
    """Return the figures of a system; what people said on the page of the sheet counts where no sheet is read."""
    of_people = people.get(name, NOTHING_SAID)
    by_model = NOTHING_SAID if isinstance(model, str) else model.get(name, NOTHING_SAID)
    correct = of_people.interval
    if of_people is NOTHING_SAID and name == AUTOKB and isinstance(report, QualityReport):
        correct = report.q_c
    no_sheet, no_model = UNAIDED_SHEET if name == UNAIDED else SHEET, model if isinstance(model, str) else NO_VERDICT
    figures = (
        correct if correct.value is not None else no_sheet,
        report.q_d.interval if isinstance(report, QualityReport) else report,
        report.q_m.interval if isinstance(report, QualityReport) else report,
        no_model if by_model is NOTHING_SAID else by_model.interval,
    )
    measured = report if isinstance(report, QualityReport) else None
    return _Row(figures, (of_people.by_node, {}, {}, by_model.by_node), measured)


# -- notes and cells --------------------------------------------------------------------------------------------------


def _quality_notes(subject: Subject, rows: Mapping[str, _Row]) -> Iterator[str]:
    """Say who judged Q_D and what patterns are worth, who judged Q_C, and where Q_M is not in the paper's order."""
    raw, own = rows[RAW].report, rows[AUTOKB].report
    assert raw is not None and own is not None, "chunks and solutions are measured without a model"
    if own.q_d.note:
        yield f"Q_D of {AUTOKB}: {own.q_d.note.replace('--model', '--judge')}"
    elif own.q_d.by != BY_PATTERNS:
        yield (
            f"Q_D is judged by {own.q_d.by}, of at most {MOST_JUDGED} solutions a row, an even sample; what it doubts "
            "counts neither way."
        )
    if not isinstance(rows[AUTOKB].figures[-1], str):
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


def _absolute(found: _Row, printed: Sequence[float | None]) -> tuple[Cell, ...]:
    figures = zip(found.figures, printed, TIMES, strict=True)
    return tuple(Cell.of(one, paper, percent=times == 100) for one, paper, times in figures)


def _over(first: _Row, found: _Row, printed: Sequence[float | None]) -> Iterator[Cell]:
    """Give what a row is above LLM-WK: paired by the issue where both were judged for it, else of other solutions."""
    columns = zip(found.figures, first.figures, found.by_node, first.by_node, printed, TIMES, strict=True)
    for own, of_first, by_node, first_by_node, paper, times in columns:
        if isinstance(own, str) or isinstance(of_first, str):
            yield Cell(paper=paper, missing=_no_increment(own, of_first))
            continue
        pairs = [(by_node[node], first_by_node[node]) for node in sorted(by_node.keys() & first_by_node.keys())]
        if len({one - other for one, other in pairs}) > 1:
            gain = paired_difference(*zip(*pairs, strict=True))
        else:  # pairs that all differ alike say nothing of how sure that is; both intervals say how many they are
            gain = share_difference(own, of_first)
        yield Cell.of(gain, paper, percent=times == 100)


def _no_increment(own: Interval | str, of_first: Interval | str) -> str:
    if isinstance(of_first, str):
        return {NOT_JUDGED: NO_FIRST_ROW, UNAIDED_SHEET: NO_FIRST_Q_C}.get(of_first, of_first)
    return str(own)
