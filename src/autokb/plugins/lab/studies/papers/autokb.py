"""The tables of the AutoKB paper, measured on workspaces: each is one of its two domains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autokb.plugins.lab.evaluation.papers.tables import Cell, PaperTable
from autokb.plugins.lab.evaluation.quality.annotation import displayed_solutions
from autokb.plugins.lab.studies.papers import PaperRun
from autokb.plugins.lab.studies.papers.autokb_agreement import agreement_table
from autokb.plugins.lab.studies.papers.autokb_costs import cost_table
from autokb.plugins.lab.studies.papers.autokb_example import example_table
from autokb.plugins.lab.studies.papers.autokb_figures import paraphrase_table, tree_table
from autokb.plugins.lab.studies.papers.autokb_judge import PaperJudge
from autokb.plugins.lab.studies.papers.autokb_quality import quality_tables
from autokb.plugins.lab.studies.papers.autokb_retrieval import retrieval_tables
from autokb.plugins.lab.studies.papers.autokb_sheets import PaperSheets
from autokb.plugins.lab.studies.papers.autokb_subject import Subject, open_subject
from autokb.plugins.lab.studies.papers.printed import printed_tables


def tables(run: PaperRun) -> Iterator[PaperTable]:
    """Give the paper's tables in its order."""
    subjects = [open_subject(workspace) for workspace in run.workspaces]
    judge = PaperJudge(run)
    sheets = PaperSheets(run, judge)
    sheets.check(subjects)
    written = sheets.write(subjects, run.sheets) if run.sheets else None
    yield _statistics(subjects)
    yield from retrieval_tables(subjects, run.progress)
    yield from quality_tables(subjects, judge, sheets)
    yield from (_attributes(subject) for subject in subjects)
    yield from (_rules(subject) for subject in subjects)
    pictured = [(paraphrase_table(one), tree_table(one), example_table(one, judge)) for one in subjects]
    yield from (table for kind in zip(*pictured, strict=True) for table in kind if table is not None)
    yield agreement_table(subjects, judge, sheets)
    yield from (cost_table(subject) for subject in subjects)
    if written is not None:
        yield written


def _statistics(subjects: Sequence[Subject]) -> PaperTable:
    """Table 1, with the means a node that it invites to work out."""
    rows = []
    printed = printed_tables("autokb")["statistics"]
    for subject in subjects:
        issues, solutions = subject.kb.issues.values(), len(displayed_solutions(subject.kb.solutions.values()))
        parents = sum(issue.parent_id is None for issue in issues)
        counts = (len(subject.raw_issues), parents, len(issues) - parents, solutions)
        rows.append(tuple(_mean_too(counts, printed[subject.domain])))
    columns = ("raw issues", "parent issues", "child issues", "solutions", "children a parent", "solutions a node")
    note = "Raw issues are all that were added; solutions are those that customers are shown."
    names = tuple(subject.name for subject in subjects)
    return PaperTable("Table 1: what the knowledge bases hold", names, columns, tuple(rows), note)


def _mean_too(ours: Sequence[int], paper: Sequence[int]) -> Iterator[Cell]:
    yield from (Cell(value, paper=printed) for value, printed in zip(ours, paper, strict=True))
    (_, parents, children, solutions), (_, their_parents, their_children, their_solutions) = ours, paper
    for part, whole, their_part, their_whole in (
        (children, parents, their_children, their_parents),
        (solutions, parents + children, their_solutions, their_parents + their_children),
    ):
        yield Cell.known(part / whole if whole else None, "there is no node", round(their_part / their_whole, 2))


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
