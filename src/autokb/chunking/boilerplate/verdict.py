"""What is said of a block: whether it is boilerplate, and why."""

from __future__ import annotations

from dataclasses import dataclass

EMPTY_HEADING = "is a heading with nothing below it"
NOTHING_KEPT = "is a heading with nothing kept below it"


@dataclass(frozen=True, slots=True)
class BlockVerdict:
    """Whether a block is kept, why it is not, and whether the rules are sure; where not, a model may tell."""

    keeps: bool
    reason: str = ""
    is_sure: bool = True
