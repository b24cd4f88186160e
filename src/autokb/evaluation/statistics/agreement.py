"""How far two people who answered the same agree, and how much of that is more than chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence


def agreement(pairs: Sequence[tuple[Hashable, Hashable]]) -> tuple[float | None, float | None]:
    """Return the share of equal answers and Cohen's kappa; both are None without pairs.

    Kappa is that of Cohen 1960, A Coefficient of Agreement for Nominal Scales. Where both always gave the same one
    answer, chance alone explains it and kappa is None.
    """
    if not pairs:
        return None, None
    same = sum(one == two for one, two in pairs) / len(pairs)
    first, second = (Counter(pair[n] for pair in pairs) for n in (0, 1))
    by_chance = sum(first[answer] * second[answer] for answer in first) / len(pairs) ** 2
    return same, (same - by_chance) / (1 - by_chance) if by_chance < 1 else None
