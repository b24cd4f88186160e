"""What is said of a block: whether it is boilerplate, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

KEEP_FROM = 0.6  # score; chosen by cross-validation inside the half of the pages that the weights are fitted on
EMPTY_HEADING = "is a heading with nothing below it"
NOTHING_KEPT = "is a heading with nothing kept below it"


@dataclass(frozen=True, slots=True)
class BlockVerdict:
    """What is to become of one block: ``score`` (0 to 1) says how sure it is text, ``reason`` why it may be noise."""

    kind: Literal["keep", "drop", "unsure"]
    score: float
    reason: str = ""

    @property
    def keeps(self) -> bool:
        """Whether it is kept where nobody else is asked."""
        return self.score >= KEEP_FROM
