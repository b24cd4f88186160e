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
    -3.59,
    {
        "links": -0.92,
        "all_links": 0.29,
        "length": 0.40,
        "short": 0.70,
        "sentence": 1.52,
        "item": 0.66,
        "heading": -0.33,
        "top_heading": -0.78,
        "code": 1.44,
        "furniture_words": -3.11,
        "credit": -2.03,
        "nav": -2.17,
        "header": 1.20,
        "footer": -1.44,
        "aside": -2.00,
        "form": -1.65,
        "hidden": -1.56,
        "dialog": -0.27,
        "named": -0.21,
        "kept_by_trafilatura": 3.06,
        "kept_by_readability": 0.82,
        "kept_by_both": 0.91,
        "kept_by_trafilatura_before": 0.65,
        "kept_by_trafilatura_after": 0.58,
        "inside_kept_by_trafilatura": 1.33,
        "kept_by_readability_before": 0.05,
        "kept_by_readability_after": -0.55,
        "inside_kept_by_readability": -0.00,
        "kept_around": 1.05,
        "links_around": -3.10,
        "before_all_kept": -0.45,
        "after_all_kept": -1.32,
        "under_furniture": -1.13,
    },
)
WITHOUT_VOTES = Weights(
    -0.85,
    {
        "links": -0.16,
        "all_links": 0.11,
        "length": 2.35,
        "short": 0.63,
        "sentence": 2.07,
        "item": -0.77,
        "heading": -0.45,
        "top_heading": -0.14,
        "code": 2.77,
        "furniture_words": -3.22,
        "credit": -1.55,
        "nav": -2.62,
        "header": -0.57,
        "footer": -4.88,
        "aside": -5.40,
        "form": -4.62,
        "hidden": -4.86,
        "dialog": -1.22,
        "named": -0.85,
        "links_around": -7.82,
        "under_furniture": -0.83,
    },
)
