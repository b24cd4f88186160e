"""Appendix C of the AutoKB paper: what its pipeline asks of a model for a workspace, and what was spent here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autokb.core.spending import NOTHING_SPENT
from autokb.pipeline.plan import STAGES, Costs, costs
from autokb.plugins.lab.evaluation.papers.tables import Cell, PaperTable
from autokb.plugins.lab.studies.papers.autokb_subject import TROUBLESHOOTING, Subject

TOKENS_IN, TOKENS_OUT = 5_000, 1_000  # of a call on average, as the paper has it
USD_IN, USD_OUT = 0.00025, 0.00125  # for 1,000 tokens of the paper's model
HOURS_AN_ISSUE, USD_AN_HOUR = 0.5, 3.75  # of a person who writes the solutions, as the paper has it
STEPS: Mapping[str, tuple[int, tuple[str, ...]]] = {  # step: the paper's calls, and the stages of our build that do it
    "issue deduplication": (266, ("themes", "assign")),
    "issue subtrees": (49, ("trees", "merge")),
    "contextualized chunking": (1_000, ("context",)),
    "solution generation": (531, ("solutions",)),
    "attributes of solutions": (832, ("solution_attributes",)),
}
TOTAL, MODEL_USD, PEOPLE_USD, RATIO = "calls in all", "model, USD", "people, USD", "people beside model, times"
PRINTED = {TOTAL: 2678, MODEL_USD: 6.695, PEOPLE_USD: 496.87, RATIO: 75}
FREE = "nothing was spent, so there is no ratio"
UNKNOWN = "a model's price is not known; give it in settings.yaml under prices"


def cost_table(subject: Subject) -> PaperTable:
    """Return the calls of each step and their cost by the paper's formula, beside what this workspace has spent."""
    spent = _spent_on_builds(costs(subject.workspace))
    calls = _paper_calls(subject)
    is_theirs = subject.domain == TROUBLESHOOTING  # the paper works it out for this domain alone
    rows = (*STEPS, *PRINTED)
    cells = tuple(zip(_by_formula(subject, calls, is_theirs), _as_spent(subject, spent), strict=True))
    note = (
        f"By the formula: one call for the themes and one a raw issue ({len(subject.raw_issues)}), one a tree, one a "
        f"chunk, one a node, one a solution, each of {TOKENS_IN} tokens in and {TOKENS_OUT} out at the paper's prices."
    )
    if not spent.calls:
        note += " This workspace was built without a model: no request, 0 USD."
    return PaperTable(
        f"Appendix C: what {subject.name} costs", rows, ("by the paper's formula", "spent here"), cells, note=note
    )


def _spent_on_builds(spent: Costs) -> Costs:
    """Return what builds asked and paid: questions and judges, as of these tables, are no part of what a base costs."""
    stages = {name: one for name, one in spent.stages.items() if name in STAGES}
    whole = sum(stages.values(), NOTHING_SPENT)
    return Costs(whole.calls, whole.cached, whole.tokens, whole.cost, stages)


def _paper_calls(subject: Subject) -> Sequence[int]:
    issues = subject.kb.issues.values()
    trees = sum(issue.parent_id is None for issue in issues)
    return (len(subject.raw_issues) + 1, trees, len(subject.chunks), len(issues), len(subject.kb.solutions))


def _by_formula(subject: Subject, calls: Sequence[int], is_theirs: bool) -> Iterator[Cell]:
    printed: list[float | None] = [*(calls for calls, _ in STEPS.values()), *PRINTED.values()]
    model, people = model_usd(sum(calls)), people_usd(len(subject.raw_issues))
    values = (*calls, sum(calls), round(model, 4), people, people / model)
    yield from (Cell(v, paper=p if is_theirs else None) for v, p in zip(values, printed, strict=True))


def _as_spent(subject: Subject, spent: Costs) -> Iterator[Cell]:
    for _, stages in STEPS.values():
        yield Cell(sum(spent.stages[stage].calls for stage in stages if stage in spent.stages))
    people = people_usd(len(subject.raw_issues))
    yield Cell(spent.calls)
    yield Cell.known(None if spent.cost is None else round(spent.cost, 4), UNKNOWN)
    yield Cell(people)
    yield Cell.known(people / spent.cost if spent.cost else None, UNKNOWN if spent.cost is None else FREE)


def model_usd(calls: int) -> float:
    """Return what so many calls cost by the paper's formula."""
    return calls * (TOKENS_IN * USD_IN + TOKENS_OUT * USD_OUT) / 1000


def people_usd(raw_issues: int) -> float:
    """Return what people would cost who solve every raw issue."""
    return raw_issues * HOURS_AN_ISSUE * USD_AN_HOUR
