"""Splits without a model: before headings, and where neighbouring pieces share the fewest words."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.tasks.chunking.cohesion import is_only_heading, turns


def splits(pieces: Sequence[str]) -> tuple[int, ...]:
    """Return after which pieces the text turns; never after a heading that stands alone, if it turns elsewhere too."""
    found = turns(pieces)
    return tuple(n for n in found if not is_only_heading(pieces[n - 1])) or (found[0],)
