"""The quality of a knowledge base: granular (Q_M), obeying its rules (Q_D), correct (Q_C); AutoKB paper, 4.3.1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from autokb.core.domain import DomainSpec
from autokb.core.nouns import Issue, Solution
from autokb.plugins.lab.evaluation.quality.annotation import Agreement, displayed_solutions
from autokb.plugins.lab.evaluation.quality.judging import JudgedQuality
from autokb.plugins.lab.evaluation.quality.measures import (
    BY_PATTERNS,
    Compliance,
    Granularity,
    compliance,
    granularity,
    solution_trees,
    tree_interval,
)
from autokb.plugins.lab.evaluation.report import Reported
from autokb.plugins.lab.evaluation.runner import ModelUsage
from autokb.stats.bootstrap import NOT_MEASURED, Interval


@dataclass(frozen=True, slots=True)
class QualityReport(Reported):
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
