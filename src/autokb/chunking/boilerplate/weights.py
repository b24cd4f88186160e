"""Weights of the features that tell text from boilerplate; ``python -m benchmarks.chunk_noise_fit`` writes them.

They are a logistic regression on the blocks of those pages of article_extraction_benchmark, readability_pages and
trafilatura_eval whose page id has an even SHA-256 (113 of 220 pages); ``python -m benchmarks chunk_noise`` reports on
the other half only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FeatureWeights:
    """What each feature adds to the log-odds of being text."""

    bias: float
    of: Mapping[str, float]


WITH_VOTES = FeatureWeights(
    -3.59,
    {
        "links": -0.91,
        "all_links": 0.28,
        "length": 0.40,
        "short": 0.69,
        "sentence": 1.51,
        "item": 0.66,
        "heading": -0.33,
        "top_heading": -0.78,
        "code": 1.44,
        "boilerplate_phrase": -3.11,
        "credit": -2.03,
        "nav": -2.17,
        "header": 1.21,
        "footer": -1.44,
        "aside": -2.00,
        "form": -1.65,
        "hidden": -1.57,
        "dialog": -0.27,
        "named": -0.20,
        "kept_by_trafilatura": 3.07,
        "kept_by_readability": 0.82,
        "kept_by_both": 0.92,
        "kept_by_trafilatura_before": 0.64,
        "kept_by_trafilatura_after": 0.58,
        "inside_kept_by_trafilatura": 1.33,
        "kept_by_readability_before": 0.05,
        "kept_by_readability_after": -0.55,
        "inside_kept_by_readability": 0.00,
        "kept_around": 1.06,
        "links_around": -3.10,
        "before_all_kept": -0.46,
        "after_all_kept": -1.32,
        "under_boilerplate": -1.14,
    },
)
WITHOUT_VOTES = FeatureWeights(
    -0.85,
    {
        "links": -0.15,
        "all_links": 0.10,
        "length": 2.36,
        "short": 0.63,
        "sentence": 2.07,
        "item": -0.77,
        "heading": -0.45,
        "top_heading": -0.14,
        "code": 2.77,
        "boilerplate_phrase": -3.23,
        "credit": -1.55,
        "nav": -2.62,
        "header": -0.57,
        "footer": -4.88,
        "aside": -5.40,
        "form": -4.62,
        "hidden": -4.86,
        "dialog": -1.22,
        "named": -0.85,
        "links_around": -7.83,
        "under_boilerplate": -0.83,
    },
)
