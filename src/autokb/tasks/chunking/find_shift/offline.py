"""The shift without a model: the first heading, else the paragraph that shares the fewest words with those before."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.tasks.chunking.cohesion import HEADING, cohesions, is_only_heading


def shift(paragraphs: Sequence[str]) -> int:
    """Return the number, from 2, of the paragraph where the content shifts; not after a heading that stands alone."""
    found = {n: c for n, c in enumerate(cohesions(paragraphs), 2) if not is_only_heading(paragraphs[n - 2])}
    heading = next((n for n, cohesion in found.items() if cohesion == HEADING), None)
    return heading or min(found, key=lambda n: found[n], default=2)
