"""The quality of a knowledge base: granular (Q_M), obeying its rules (Q_D), correct (Q_C); AutoKB paper, 4.3.1.

A model's verdicts stand beside people's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autokb.core.attributes import ANY
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Issue, Solution
from autokb.plugins.lab.evaluation.experiment import ModelUsage, TaskRunner
from autokb.plugins.lab.evaluation.quality.annotation import Agreement, displayed_solutions
from autokb.plugins.lab.evaluation.quality.measures import (
    BY_PATTERNS,
    Compliance,
    Granularity,
    compliance,
    granularity,
    overall_verdict,
    solution_trees,
    tree_interval,
)
from autokb.plugins.lab.evaluation.report import Record
from autokb.stats.bootstrap import NOT_MEASURED, Interval, measured_mean
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.issues.check_rules.task import CheckedRules, CheckRules
from autokb.tasks.judges.correctness.task import TASK as CORRECTNESS
from autokb.tasks.judges.correctness.task import JudgeCorrectness, JudgedCorrectness

STAGE = "judge"


@dataclass(frozen=True, slots=True)
class CorrectnessByModel(Record):
    """The share of yes among yes and no; ``not_judged`` holds all others, ``unsure`` and ``failed`` ones among them."""

    interval: Interval
    judged: int
    not_judged: int
    unsure: int
    failed: int


@dataclass(frozen=True, slots=True)
class ComplianceByModel(Record):
    """The share of solutions that break no rule among those that every rule was judged for (Q_D by a model).

    ``broken`` counts, by rule, the solutions that break it; ``model`` is who was asked, where one was named.
    """

    interval: Interval
    judged: int
    not_judged: int
    failed: int
    broken: Mapping[str, int]
    model: str = ""


@dataclass(frozen=True, slots=True)
class JudgedQuality(Record):
    """What models say of the displayed solutions; ``model`` judged whether they are correct."""

    correctness: CorrectnessByModel
    compliance: ComplianceByModel
    model: str


def judge_solutions(
    runner: TaskRunner,
    model_of: Callable[[str], str],
    ids: Sequence[str],
    correctness: Sequence[JudgeCorrectness],
    rules: Sequence[CheckRules],
) -> JudgedQuality:
    """Ask about solutions whether they are correct and keep the rules; request n of both is about solution ``ids[n]``.

    ``model_of`` gives the model that answers the task of a name in the stage ``judge``.
    """
    return JudgedQuality(
        judged_correctness(runner.run(STAGE, CORRECTNESS, correctness, ids)),
        replace(judged_compliance(runner.run(STAGE, CHECK_RULES, rules, ids)), model=model_of(CHECK_RULES.name)),
        model_of(CORRECTNESS.name),
    )


def correctness_request(solution: Solution, title: str, issue: Issue, domain: DomainSpec) -> JudgeCorrectness:
    """Ask whether a solution is correct for its node; an attribute that is Any limits nothing."""
    limited = sorted((name, tuple(sorted(v))) for name, v in issue.attributes.items() if v != ANY)
    return JudgeCorrectness(
        domain=domain.in_words,
        issue=issue.text,
        attributes=tuple(limited),
        title=title,
        steps=solution.steps,
        quotes=tuple(dict.fromkeys(e.quote for e in solution.evidence)),
    )


def judged_correctness(replies: Sequence[JudgedCorrectness | None]) -> CorrectnessByModel:
    """Add up the verdicts on solutions; None is one that failed."""
    verdicts = Counter("failed" if reply is None else reply.verdict for reply in replies)
    decided = [float(r.verdict == "yes") for r in replies if r is not None and r.verdict in ("yes", "no")]
    return CorrectnessByModel(
        measured_mean(decided),
        judged=len(decided),
        not_judged=len(replies) - len(decided),
        unsure=verdicts["unsure"],
        failed=verdicts["failed"],
    )


def judged_compliance(replies: Sequence[CheckedRules | None]) -> ComplianceByModel:
    """Add up the verdicts of all rules on solutions; None is a solution that failed."""
    overall = [overall_verdict({v.rule: v.verdict for v in r.verdicts}) for r in replies if r is not None]
    decided = [float(verdict == "kept") for verdict in overall if verdict in ("kept", "broken")]
    broken = Counter(v.rule for r in replies if r is not None for v in r.verdicts if v.verdict == "broken")
    return ComplianceByModel(
        measured_mean(decided),
        judged=len(decided),
        not_judged=len(replies) - len(decided),
        failed=len(replies) - len(overall),
        broken=dict(sorted(broken.items())),
    )


@dataclass(frozen=True, slots=True)
class QualityReport(Record):
    """What ``evaluate quality`` answers over the displayed solutions; ``agreement`` is what people wrote on the sheet.

    ``q_c`` is the mean over the sheet's items. All three intervals draw trees, then solutions. A model's verdicts are
    beside people's and never among them.
    """

    q_m: Granularity
    q_d: Compliance
    q_c: Interval
    solutions: int
    agreement: Agreement | None = None
    judged: JudgedQuality | None = None
    usage: ModelUsage | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface; a figure that nobody could work out is null."""
        sheet = self.agreement
        return {
            "q_m": self.q_m.as_json(),
            "q_d": self.q_d.as_json(),
            "q_c": {**self.q_c.as_json(), "items": len(sheet.items) if sheet else 0},
            "solutions": self.solutions,
            **({"agreement": sheet.agreement, "kappa": sheet.kappa, "twice": sheet.twice} if sheet else {}),
            **({"judged": self.judged.as_json()} if self.judged else {}),
            **(self.usage.as_json() if self.usage else {}),
        }


def evaluate_quality(
    solutions: Iterable[Solution],
    issues: Mapping[str, Issue],
    domain: DomainSpec,
    agreement: Agreement | None = None,
    rules_model: str = BY_PATTERNS,
) -> QualityReport:
    """Measure the solutions that a customer can get; those that are not displayed do not count.

    ``rules_model`` is what the model is called that judged the rules in the build, where one did.
    """
    solutions = list(solutions)
    measured, tree_of = displayed_solutions(solutions), solution_trees(solutions, issues)
    return QualityReport(
        granularity(measured, domain, tree_of),
        compliance(measured, domain.rules, tree_of, rules_model, domain.language),
        tree_interval(agreement.items, tree_of) if agreement else NOT_MEASURED,
        len(measured),
        agreement,
    )
