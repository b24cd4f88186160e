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
    -3.67,
    {
        "links": -0.85,
        "all_links": 0.25,
        "length": 0.47,
        "short": 0.74,
        "sentence": 1.56,
        "item": 0.67,
        "heading": -0.30,
        "top_heading": -0.77,
        "code": 1.17,
        "furniture_words": -2.77,
        "credit": -2.14,
        "nav": -1.64,
        "header": 0.88,
        "footer": -1.19,
        "aside": -1.80,
        "form": -1.35,
        "hidden": -1.36,
        "dialog": -0.19,
        "named": -0.24,
        "kept_by_trafilatura": 3.08,
        "kept_by_readability": 0.87,
        "kept_by_both": 0.81,
        "kept_by_trafilatura_before": 0.68,
        "kept_by_trafilatura_after": 0.58,
        "inside_kept_by_trafilatura": 1.33,
        "kept_by_readability_before": 0.07,
        "kept_by_readability_after": -0.49,
        "inside_kept_by_readability": -0.04,
        "kept_around": 0.98,
        "links_around": -3.30,
        "before_all_kept": -0.39,
        "after_all_kept": -1.34,
        "under_furniture": -0.90,
    },
)
WITHOUT_VOTES = Weights(
    -0.85,
    {
        "links": -0.23,
        "all_links": 0.20,
        "length": 2.36,
        "short": 0.62,
        "sentence": 2.07,
        "item": -0.76,
        "heading": -0.45,
        "top_heading": -0.12,
        "code": 2.79,
        "furniture_words": -2.90,
        "credit": -1.55,
        "nav": -2.61,
        "header": -0.61,
        "footer": -4.81,
        "aside": -5.42,
        "form": -4.38,
        "hidden": -4.89,
        "dialog": -1.18,
        "named": -0.82,
        "links_around": -7.84,
        "under_furniture": -0.78,
    },
)
