"""Weights of the signs that tell text from page furniture; ``python -m benchmarks.chunk_noise_fit`` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """What each sign adds to the log-odds of being text."""

    bias: float
    of: Mapping[str, float]


WITH_VOTES = Weights(
    -3.65,
    {
        "links": -0.81,
        "all_links": 0.23,
        "length": 0.36,
        "short": 0.67,
        "sentence": 1.48,
        "item": 0.69,
        "heading": -0.26,
        "top_heading": -0.83,
        "code": 1.58,
        "furniture_words": -2.74,
        "credit": -1.97,
        "nav": -2.21,
        "header": 1.23,
        "footer": -1.42,
        "aside": -2.03,
        "form": -1.60,
        "hidden": -1.59,
        "dialog": -0.26,
        "named": -0.14,
        "kept_by_trafilatura": 3.13,
        "kept_by_readability": 0.98,
        "kept_by_both": 0.74,
        "kept_by_trafilatura_before": 0.57,
        "kept_by_trafilatura_after": 0.76,
        "inside_kept_by_trafilatura": 1.42,
        "kept_by_readability_before": -0.00,
        "kept_by_readability_after": -0.64,
        "inside_kept_by_readability": 0.07,
        "kept_around": 0.93,
        "links_around": -3.29,
        "before_all_kept": -0.39,
        "after_all_kept": -1.20,
        "under_furniture": -0.92,
    },
)
WITHOUT_VOTES = Weights(
    -0.83,
    {
        "links": -0.18,
        "all_links": 0.15,
        "length": 2.31,
        "short": 0.61,
        "sentence": 2.04,
        "item": -0.74,
        "heading": -0.44,
        "top_heading": -0.12,
        "code": 2.82,
        "furniture_words": -2.86,
        "credit": -1.52,
        "nav": -2.58,
        "header": -0.60,
        "footer": -4.75,
        "aside": -5.38,
        "form": -4.34,
        "hidden": -4.87,
        "dialog": -1.13,
        "named": -0.86,
        "links_around": -7.80,
        "under_furniture": -0.82,
    },
)
