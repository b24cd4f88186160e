"""How sure a difference between two rates of events is: exact for counts, also for few of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from autokb.stats.bootstrap import CONFIDENCE, NOT_MEASURED, Interval


def rate_ratio(after: int, before: int, time_after: float, time_before: float) -> Interval:
    """Return the rate after over the rate before, each events over time, with its exact 95 % interval.

    Given how many events there were in all, those after are binomial where both rates are Poisson; the ends are those
    of Clopper and Pearson for that share (Przyborowski and Wilenski 1940, Homogeneity of Results in Testing Samples
    from Poisson Series). Without an event before, the ratio and its upper end are None.
    """
    if not after + before or time_after <= 0 or time_before <= 0:
        return NOT_MEASURED
    from scipy.special import betaincinv

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(after, before + 1, tail)) if after else 0.0
    high = float(betaincinv(after + 1, before, 1 - tail)) if before else 1.0

    def ratio(share: float) -> float | None:
        return None if share >= 1 else share / (1 - share) * time_before / time_after

    return Interval(ratio(after / (after + before)), ratio(low), ratio(high))


def chance_of_more(after: float, before: float, time_after: float, time_before: float) -> float:
    """Return the probability of at least so many events after, of all that there were, were both rates the same."""
    if not after:
        return 1.0
    from scipy.special import betainc

    return float(betainc(after, before + 1, time_after / (time_after + time_before)))


def chance_of_share(after: int, both: int, all_after: int, everything: int) -> float:
    """Return the probability that at least ``after`` of a group's events lie among ``all_after``, drawn by chance.

    The group has ``both`` of ``everything`` (Fisher's exact test, one-sided): exactly what dates that are dealt out
    anew give.
    """
    least, most = max(after, all_after + both - everything, 0), min(both, all_after)
    if after <= max(all_after + both - everything, 0):
        return 1.0

    def log_choose(n: int, k: int) -> float:
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    whole = log_choose(everything, all_after)
    terms = (log_choose(both, k) + log_choose(everything - both, all_after - k) for k in range(least, most + 1))
    return min(1.0, math.fsum(math.exp(term - whole) for term in terms))


def dispersion(counts: Sequence[int], expected: Sequence[float]) -> float:
    """Return how many times as much counts vary around what is expected as Poisson's do, at least 1 (Pearson's)."""
    terms = [(count - mean) ** 2 / mean for count, mean in zip(counts, expected, strict=True) if mean]
    return max(1.0, sum(terms) / (len(terms) - 1)) if len(terms) > 1 else 1.0


def holm(chances: Sequence[float]) -> list[float]:
    """Return probabilities corrected for their number, so that of true null hypotheses 5 % of families lose any.

    Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure; it holds however the tests depend on each other.
    """
    corrected, highest = [1.0] * len(chances), 0.0
    for place, at in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        highest = max(highest, min(1.0, chances[at] * (len(chances) - place)))
        corrected[at] = highest
    return corrected
