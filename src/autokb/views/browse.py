"""Pages of things in the order of their ids."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.core.errors import BadInputError
from autokb.views.kinds import SolutionView, view_solution
from autokb.views.solutions_in_memory import AllSolutions

MOST_LISTED = 1_000  # of a page


def check_limit(limit: int) -> None:
    """Refuse a limit that no page has (BadInputError)."""
    if not 1 <= limit <= MOST_LISTED:
        raise BadInputError(f"A page holds 1 to {MOST_LISTED:,} items, not {limit}.")


def next_of(ids: Sequence[str], limit: int) -> str | None:
    """Return the id behind which the next page begins, where more than this page was found."""
    return ids[limit - 1] if len(ids) > limit else None


def listed_solution(found: AllSolutions, solution: str) -> SolutionView:
    """Return a solution with what people decided on it."""
    return view_solution(found.decided.solutions[solution], found.decided, found.built.titles)
