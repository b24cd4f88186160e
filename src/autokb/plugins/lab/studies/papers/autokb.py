"""The tables of the AutoKB paper, measured on workspaces: each is one of its two domains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autokb.core.spending import NOTHING_SPENT
from autokb.pipeline.plan import STAGES, Costs, costs
from autokb.plugins.lab.evaluation.quality.annotation import displayed_solutions
from autokb.plugins.lab.evaluation.report import Cell, Table
from autokb.plugins.lab.studies.papers import PaperRun, PaperTables
from autokb.plugins.lab.studies.papers.autokb_agreement import agreement_table
from autokb.plugins.lab.studies.papers.autokb_figures import example_table, paraphrase_table, tree_table
from autokb.plugins.lab.studies.papers.autokb_judge import TROUBLESHOOTING, PaperJudge, Subject, open_subject
from autokb.plugins.lab.studies.papers.autokb_quality import quality_tables
from autokb.plugins.lab.studies.papers.autokb_retrieval import retrieval_tables
from autokb.plugins.lab.studies.papers.autokb_sheets import PaperSheets

PAPER = PaperTables("autokb")


def tables(run: PaperRun) -> Iterator[Table]:
    """Give the paper's tables in its order."""
    subjects = [open_subject(workspace) for workspace in run.workspaces]
    judge = PaperJudge(run)
    sheets = PaperSheets(run, judge)
    sheets.check(subjects)
    written = sheets.write(subjects, run.sheets) if run.sheets else None
    yield _statistics(subjects)
    yield from retrieval_tables(subjects, run.progress)
    yield from quality_tables(subjects, judge, sheets)
    yield from map(_attributes, subjects)
    yield from map(_rules, subjects)
    for figures in (
        map(paraphrase_table, subjects),
        map(tree_table, subjects),
        (example_table(subject, judge) for subject in subjects),
    ):
        yield from filter(None, figures)
    yield agreement_table(subjects, judge, sheets)
    yield from map(cost_table, subjects)
    if written is not None:
        yield written


def _statistics(subjects: Sequence[Subject]) -> Table:
    """Return table 1, with the means a node that it invites to work out."""
    rows, printed = [], {}
    for subject in subjects:
        issues, solutions = subject.kb.issues.values(), len(displayed_solutions(subject.kb.solutions.values()))
        parents = sum(issue.parent_id is None for issue in issues)
        counts = (len(subject.raw_issues), parents, len(issues) - parents, solutions)
        ours = [Cell.known(one, "there is no node") for one in (*counts, *_means(counts))]
        rows.append((subject.name, ours))
        theirs = PAPER.printed("statistics")[subject.domain]
        printed[subject.name] = (*theirs, *(round(mean or 0, 2) for mean in _means(theirs)))
    return PAPER.table("statistics", rows, printed)


def _means(counts: Sequence[int]) -> tuple[float | None, float | None]:
    """Return the children a parent and the solutions a node."""
    _, parents, children, solutions = counts
    nodes = parents + children
    return children / parents if parents else None, solutions / nodes if nodes else None


def _attributes(subject: Subject) -> Table:
    """Return table 4: the attributes of a domain and their values."""
    attributes = subject.spec.attributes.values()
    rows = {one.name: (Cell(one.kind), Cell(", ".join(one.values or one.examples))) for one in attributes}
    return PAPER.table("attributes", rows, name=subject.name)


def _rules(subject: Subject) -> Table:
    """Return table 5: the rules of a domain."""
    rows = {rule.id: (Cell(rule.text),) for rule in subject.spec.rules}
    return PAPER.table("rules", rows, name=subject.name)


# -- appendix C: what the paper's pipeline asks of a model for a workspace, and what was spent here -------------------

TOKENS_IN, TOKENS_OUT = 5_000, 1_000  # of a call on average, as the paper has it
USD_IN, USD_OUT = 0.00025, 0.00125  # for 1,000 tokens of the paper's model
HOURS_AN_ISSUE, USD_AN_HOUR = 0.5, 3.75  # of a person who writes the solutions, as the paper has it
STAGES_OF_STEPS = (  # the stages of our build that do each of the paper's steps
    ("themes", "assign"),
    ("trees", "merge"),
    ("context",),
    ("solutions",),
    ("solution_attributes",),
)
FREE = "nothing was spent, so there is no ratio"
UNKNOWN = "a model's price is not known; give it in settings.yaml under prices"


def cost_table(subject: Subject) -> Table:
    """Return the calls of each step and their cost by the paper's formula, beside what this workspace has spent."""
    spent = _spent_on_builds(costs(subject.workspace))
    issues = subject.kb.issues.values()
    trees = sum(issue.parent_id is None for issue in issues)
    calls = (len(subject.raw_issues) + 1, trees, len(subject.chunks), len(issues), len(subject.kb.solutions))
    model, people = model_usd(sum(calls)), people_usd(len(subject.raw_issues))
    by_formula = (*calls, sum(calls), round(model, 4), people, people / model)
    here = (
        *(sum(of.calls for name, of in spent.stages.items() if name in stages) for stages in STAGES_OF_STEPS),
        spent.calls,
        None if spent.cost is None else round(spent.cost, 4),
        people,
        people / spent.cost if spent.cost else None,
    )
    missing = UNKNOWN if spent.cost is None else FREE
    printed = PAPER.printed("costs")
    rows = {
        name: (Cell(formula), Cell.known(own, missing))
        for name, formula, own in zip(printed, by_formula, here, strict=True)
    }
    return PAPER.table(
        "costs",
        rows,
        printed if subject.domain == TROUBLESHOOTING else {},  # the paper works it out for this domain alone
        name=subject.name,
        raw_issues=len(subject.raw_issues),
        tokens_in=TOKENS_IN,
        tokens_out=TOKENS_OUT,
        notes=[] if spent.calls else ["This workspace was built without a model: no request, 0 USD."],
    )


def _spent_on_builds(spent: Costs) -> Costs:
    """Return what builds asked and paid: questions and judges, as of these tables, are no part of what a base costs."""
    stages = {name: one for name, one in spent.stages.items() if name in STAGES}
    whole = sum(stages.values(), NOTHING_SPENT)
    return Costs(whole.calls, whole.cached, whole.tokens, whole.cost, stages)


def model_usd(calls: int) -> float:
    """Return what so many calls cost by the paper's formula."""
    return calls * (TOKENS_IN * USD_IN + TOKENS_OUT * USD_OUT) / 1000


def people_usd(raw_issues: int) -> float:
    """Return what people would cost who solve every raw issue."""
    return raw_issues * HOURS_AN_ISSUE * USD_AN_HOUR
