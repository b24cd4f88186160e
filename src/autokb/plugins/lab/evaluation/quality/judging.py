"""A model's verdicts on solutions: what is asked, and what the verdicts add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from autokb.core.attributes import ANY
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Issue, Solution
from autokb.plugins.lab.evaluation.quality.measures import overall_verdict
from autokb.plugins.lab.evaluation.record import Record
from autokb.plugins.lab.evaluation.runner import TaskRunner
from autokb.stats.bootstrap import Interval, measured_mean
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
