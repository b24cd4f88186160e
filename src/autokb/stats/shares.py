"""How sure a share is, also of few and where all or none are: Wilson's interval, and Newcombe's of a difference."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from autokb.core.results import Result
from autokb.stats.bootstrap import NOT_MEASURED, Interval

Z = 1.959963984540054  # of the normal distribution: 95 % lie between -Z and Z


@dataclass(frozen=True, slots=True)
class Share(Result):
    """A share of ``n`` with the ends of its 95 % interval; without any the three are None."""

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


def share(successes: int, n: int) -> Share:
    """Return a share of independent trials with Wilson's score interval.

    Wilson 1927, Probable Inference, the Law of Succession, and Statistical Inference. Unlike a bootstrap it says of
    three out of three that they are three.
    """
    return _share(successes, n, float(n))


def clustered_share(clusters: Sequence[tuple[int, int]]) -> Share:
    """Return a share of trials that come in clusters, successes and trials of each: suggestions of one conversation.

    Wilson's interval for as many trials as would say as much if they were independent: the trials over Kish's design
    effect (Kish 1965, Survey Sampling; Korn and Graubard 1998, Confidence Intervals for Proportions with Small Expected
    Number of Positive Counts). What one cluster alone says of others nobody knows: it counts as one trial.
    """
    filled = [(s, n) for s, n in clusters if n]
    successes, trials = (sum(column) for column in zip(*filled, strict=True)) if filled else (0, 0)
    if not trials or len(filled) == trials:
        return share(successes, trials)
    if len(filled) == 1:
        return _share(successes, trials, 1.0)
    value = successes / trials
    spread = sum((s - value * n) ** 2 for s, n in filled) * len(filled) / (len(filled) - 1) / trials**2
    independent = value * (1 - value) / trials
    design_effect = max(1.0, spread / independent) if independent else 1.0
    return _share(successes, trials, trials / design_effect)


def _share(successes: int, n: int, effective: float) -> Share:
    if not n:
        return Share(0)
    value, square = successes / n, Z * Z / effective
    centre = (value + square / 2) / (1 + square)
    half = Z / (1 + square) * math.sqrt(value * (1 - value) / effective + square / (4 * effective))
    # Rounding must not put a share outside its own interval.
    return Share(n, value, min(value, max(0.0, centre - half)), max(value, min(1.0, centre + half)))


def share_difference(after: Share | Interval, before: Share | Interval) -> Interval:
    """Return ``after`` minus ``before``, two shares of different trials, with its 95 % interval.

    Newcombe 1998, Interval Estimation for the Difference between Independent Proportions, method 10: made of the two
    intervals, so that it stays between -1 and 1.
    """
    if after.value is None or after.low is None or after.high is None:
        return NOT_MEASURED
    if before.value is None or before.low is None or before.high is None:
        return NOT_MEASURED
    value = after.value - before.value
    down = math.hypot(after.value - after.low, before.high - before.value)
    up = math.hypot(after.high - after.value, before.value - before.low)
    return Interval(value, value - down, value + up)


def agreement(pairs: Sequence[tuple[Hashable, Hashable]]) -> tuple[float | None, float | None]:
    """Return the share of equal answers and Cohen's kappa; both are None without pairs.

    Kappa is that of Cohen 1960, A Coefficient of Agreement for Nominal Scales. Where both always gave the same one
    answer, chance alone explains it and kappa is None.
    """
    if not pairs:
        return None, None
    same = sum(one == two for one, two in pairs) / len(pairs)
    first, second = (Counter(pair[n] for pair in pairs) for n in (0, 1))
    by_chance = sum(first[answer] * second[answer] for answer in first) / len(pairs) ** 2
    return same, (same - by_chance) / (1 - by_chance) if by_chance < 1 else None
