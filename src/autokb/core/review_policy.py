"""How a team reviews its solutions: how many must approve a text, what an approval is worth when its source changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, get_args

from autokb.core.validation import Entry, one_of

Changed = Literal["keep", "withdraw", "show"]
Show = Literal["all", "approved"]
CHANGED: tuple[str, ...] = get_args(Changed)
SHOW: tuple[str, ...] = get_args(Show)
MOST_APPROVALS = 9  # of one text; where more are asked for, no text would ever have them


def _read_count(value: Any) -> int | None:
    return value if type(value) is int and 1 <= value <= MOST_APPROVALS else None


@dataclass(frozen=True, slots=True)
class ReviewPolicy:
    """What ``review`` of a domain says.

    ``approvals`` is how many people must approve a text before it counts as approved. Where a build changes a text that
    was approved, readers ``keep`` the approved one, are shown none of it (``withdraw``) or the new one (``show``). What
    is shown is ``all`` that no rule withholds, or only what is ``approved``.
    """

    approvals: Annotated[int, Entry(f"a whole number from 1 to {MOST_APPROVALS}", _read_count)] = 1
    changed: Annotated[Changed, one_of(*CHANGED)] = "keep"
    show: Annotated[Show, one_of(*SHOW)] = "all"

    def as_setting(self) -> dict[str, Any]:
        """Return what a publication keeps of it: what differs from the usual."""
        usual = asdict(USUAL_REVIEW)
        return {name: value for name, value in asdict(self).items() if value != usual[name]}

    @classmethod
    def of_setting(cls, setting: Mapping[str, Any] | None) -> ReviewPolicy:
        """Read what a publication kept; what is damaged is as usual."""
        given, usual = setting or {}, cls()
        approvals, changed, show = given.get("approvals"), given.get("changed"), given.get("show")
        is_number = isinstance(approvals, int) and not isinstance(approvals, bool) and approvals > 1
        return cls(
            approvals if is_number and isinstance(approvals, int) else usual.approvals,
            changed if changed in CHANGED else usual.changed,
            show if show in SHOW else usual.show,
        )


USUAL_REVIEW = ReviewPolicy()
