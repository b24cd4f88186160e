"""What every evaluation tells of its run: how far each system is, and what models were asked and cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from autokb.core.progress import Progress
from autokb.core.spending import NOTHING_SPENT, Spending
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import Stages
from autokb.plugins.lab.evaluation.experiment import ModelUsage

NO_USAGE = ModelUsage((), NOTHING_SPENT)


def count_answers(progress: Progress, total: int) -> Callable[[str], None]:
    """Return what reports the progress of each system, called with its name after each of its answers."""
    counts: Counter[str] = Counter()

    def count(system: str) -> None:
        counts[system] += 1
        progress(system, counts[system], total)

    return count


def model_usage(stages: Stages, before: ModelUsage = NO_USAGE) -> ModelUsage:
    """Return what failed and was spent before and in these stages."""
    return ModelUsage((*before.failures, *stages.log.failures), before.spending + stages.spending())


def budget_left(options: ModelOptions, spent: Spending) -> ModelOptions:
    """Return the options with what is left of the budget, which the parts of one evaluation share."""
    if options.budget is None:
        return options
    return replace(options, budget=max(0.0, options.budget - (spent.cost or 0.0)))
