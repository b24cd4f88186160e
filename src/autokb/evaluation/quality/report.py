"""The quality of a knowledge base: granular (Q_M), obeying its rules (Q_D), correct (Q_C); AutoKB paper, 4.3.1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from autokb.core.domain import DomainSpec
from autokb.core.nouns import Solution
from autokb.evaluation.quality.annotation import Agreement, displayed_solutions
from autokb.evaluation.quality.compliance import Compliance, compliance
from autokb.evaluation.quality.granularity import Granularity, granularity
from autokb.evaluation.quality.judging import JudgedQuality
from autokb.evaluation.runner import ModelUsage


@dataclass(frozen=True, slots=True)
class QualityReport:
    """What ``evaluate quality`` answers over the displayed solutions; ``agreement`` is what people wrote on the sheet.

    A model's verdicts are beside people's and never among them.
    """

    q_m: Granularity
    q_d: Compliance
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
            "q_c": {"value": sheet.correct if sheet else None, "items": sheet.items if sheet else 0},
            "solutions": self.solutions,
            **({"agreement": sheet.agreement, "kappa": sheet.kappa, "twice": sheet.twice} if sheet else {}),
            **({"judged": self.judged.as_json()} if self.judged else {}),
            **(self.usage.as_json() if self.usage else {}),
        }


def evaluate_quality(
    solutions: Iterable[Solution], domain: DomainSpec, agreement: Agreement | None = None
) -> QualityReport:
    """Measure the solutions that a customer can get; those that are not displayed do not count."""
    measured = displayed_solutions(solutions)
    return QualityReport(granularity(measured, domain), compliance(measured, domain.rules), len(measured), agreement)
