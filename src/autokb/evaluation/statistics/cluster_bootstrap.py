"""How sure a share over chunks is: chunks of one document are alike, so documents are drawn first, then chunks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from autokb.evaluation.statistics.bootstrap import NOT_MEASURED, SEED, Interval, percentile_interval

MOST_RESAMPLES = 2_000  # the ends of an interval then vary from seed to seed by some 1.5 % of its width
FEWEST_RESAMPLES = 200  # however large the collection: fewer leave too few ratios beyond the ends
MOST_DRAWS = 20_000_000  # chunks drawn in all resamples together, so that a large collection takes seconds too
Ratio = tuple[float, float]  # numerator and denominator of one chunk or structure


def ratio_interval(documents: Sequence[Sequence[Ratio]]) -> Interval:
    """Return the sum of all numerators over that of all denominators, with its 95 % interval.

    ``documents`` holds the ratios of each document. A two-stage cluster bootstrap (Davison and Hinkley 1997, Bootstrap
    Methods and their Application, section 3.8): a resample draws documents, and within each drawn one as many ratios as
    it has; a single document is resampled within itself. Without a denominator above 0 nothing is measured.
    """
    clusters = [np.array(ratios, dtype=np.float64) for ratios in documents if len(ratios)]
    if not clusters or not sum(float(ratios[:, 1].sum()) for ratios in clusters):
        return NOT_MEASURED
    everything = np.concatenate(clusters)
    value = float(everything[:, 0].sum() / everything[:, 1].sum())
    resampled = _resampled_ratios(everything, np.array([len(ratios) for ratios in clusters]))
    if not len(resampled):
        return Interval(value, value, value)
    return percentile_interval(value, resampled)


def _resampled_ratios(rows: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the ratio of each resample of clusters and of rows within them; one without a denominator is left out.

    ``rows`` are numerators and denominators, cluster after cluster; ``sizes`` is the number of rows of each cluster.
    """
    rng = np.random.default_rng(SEED)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    resamples = max(FEWEST_RESAMPLES, min(MOST_RESAMPLES, MOST_DRAWS // len(rows)))
    ratios = np.full(resamples, np.nan)
    for n in range(resamples):
        drawn = rng.integers(0, len(sizes), size=len(sizes))
        lengths = sizes[drawn]
        within = (rng.random(int(lengths.sum())) * np.repeat(lengths, lengths)).astype(np.int64)
        numerator, denominator = rows[np.repeat(starts[drawn], lengths) + within].sum(axis=0)
        ratios[n] = numerator / denominator if denominator else np.nan
    defined: NDArray[np.float64] = ratios[~np.isnan(ratios)]
    return defined
