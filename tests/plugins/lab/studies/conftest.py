"""The studies are tested for what they measure; how wide an interval is, ``tests/stats`` tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autokb.stats import bootstrap


@pytest.fixture(scope="package", autouse=True)
def _few_resamples() -> Iterator[None]:
    """Draw the fewest resamples for the intervals of ratios: 2,000 for each cell of a table take most of its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "MOST_RESAMPLES", bootstrap.FEWEST_RESAMPLES)
        yield
