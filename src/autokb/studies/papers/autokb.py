"""The tables of the AutoKB paper, measured on workspaces: each is one of its two domains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autokb.evaluation.papers.tables import NEEDS_PEOPLE, Cell, PaperTable
from autokb.evaluation.quality.report import QualityReport
from autokb.evaluation.statistics.bootstrap import Interval
from autokb.studies.evaluate import evaluate_workspace_quality
from autokb.studies.papers import PaperRun
from autokb.studies.papers.autokb_retrieval import retrieval_tables
from autokb.studies.papers.autokb_subject import MEDICAL, TROUBLESHOOTING, Subject, open_subject

# What the paper prints, section by section of its tables: raw issues, parent issues, child issues, solutions.
STATISTICS = {TROUBLESHOOTING: (265, 49, 482, 2595), MEDICAL: (302, 70, 866, 5196)}
QUALITY: dict[
    str, dict[str, tuple[float | None, ...]]
] = {  # Q_C and Q_D in per cent and Q_M; the first baseline's own values are printed for one domain alone
    TROUBLESHOOTING: {"LLM-WK": (None, None, None), "Raw": (22.9, 2.8, 0.22), "AutoKB": (24.8, 5.0, 0.57)},
    MEDICAL: {"LLM-WK": (67.5, 96.8, 0.21), "Raw": (24.6, -0.1, 0.13), "AutoKB": (25.7, 1.3, 0.50)},
}
SHEET = NEEDS_PEOPLE.format(how="autokb evaluate quality WORKSPACE --sheet FILE, fill it, then --read FILE")


def tables(run: PaperRun) -> Iterator[PaperTable]:
    """Give the paper's tables in its order."""
    subjects = [open_subject(workspace) for workspace in run.workspaces]
    yield _statistics(subjects)
    yield from retrieval_tables(subjects)
    yield _quality(subjects, run)
    yield from (_attributes(subject) for subject in subjects)
    yield from (_rules(subject) for subject in subjects)


def _statistics(subjects: Sequence[Subject]) -> PaperTable:
    """Table 1, with the means a node that it invites to work out."""
    rows = []
    for subject in subjects:
        issues, solutions = subject.kb.issues.values(), len(subject.kb.solutions)
        parents = sum(issue.parent_id is None for issue in issues)
        raw = len({raw for issue in issues for raw in issue.raw_issues})
        counts = (raw, parents, len(issues) - parents, solutions)
        rows.append(tuple(_mean_too(counts, STATISTICS[subject.domain])))
    columns = ("raw issues", "parent issues", "child issues", "solutions", "children a parent", "solutions a node")
    return PaperTable("Table 1: what the knowledge bases hold", tuple(s.name for s in subjects), columns, tuple(rows))


def _mean_too(ours: Sequence[int], paper: Sequence[int]) -> Iterator[Cell]:
    yield from (Cell(value, paper=printed) for value, printed in zip(ours, paper, strict=True))
    (_, parents, children, solutions), (_, their_parents, their_children, their_solutions) = ours, paper
    for part, whole, their_part, their_whole in (
        (children, parents, their_children, their_parents),
        (solutions, parents + children, their_solutions, their_parents + their_children),
    ):
        missing = None if whole else "there is no node"
        yield Cell(part / whole if whole else None, paper=round(their_part / their_whole, 2), missing=missing)


def _quality(subjects: Sequence[Subject], run: PaperRun) -> PaperTable:
    """Table 3: how correct, how obedient to the rules and how granular each knowledge base is."""
    rows, cells = [], []
    for subject in subjects:
        report = evaluate_workspace_quality(subject.workspace)
        rows.append(f"{subject.name}, AutoKB")
        cells.append(_quality_cells(report, QUALITY[subject.domain]))
    return PaperTable("Table 3: quality of the knowledge bases", tuple(rows), ("Q_C %", "Q_D %", "Q_M"), tuple(cells))


def _quality_cells(report: QualityReport, printed: dict[str, tuple[float | None, ...]]) -> tuple[Cell, ...]:
    own = [None if a is None or b is None else a + b for a, b in zip(printed["LLM-WK"], printed["AutoKB"], strict=True)]
    correct = report.q_c if report.q_c.value is not None else None
    q_c = Cell(paper=own[0], missing=SHEET) if correct is None else Cell.of(correct, own[0], percent=True)
    q_d, q_m = report.q_d.as_json(), report.q_m.as_json()
    return (
        q_c,
        Cell.of(Interval(q_d["value"], q_d["low"], q_d["high"]), own[1], percent=True),
        Cell.of(Interval(q_m["value"], q_m["low"], q_m["high"]), own[2]),
    )


def _attributes(subject: Subject) -> PaperTable:
    """Table 4: the attributes of a domain and their values."""
    attributes = subject.spec.attributes.values()
    rows = tuple(attribute.name for attribute in attributes)
    cells = tuple((Cell(one.kind), Cell(", ".join(one.values or one.examples))) for one in attributes)
    return PaperTable(f"Table 4: the attributes of {subject.name}", rows, ("kind", "values"), cells)


def _rules(subject: Subject) -> PaperTable:
    """Table 5: the rules of a domain."""
    rules = subject.spec.rules
    cells = tuple((Cell(rule.text),) for rule in rules)
    return PaperTable(f"Table 5: the rules of {subject.name}", tuple(r.id for r in rules), ("rule",), cells)
