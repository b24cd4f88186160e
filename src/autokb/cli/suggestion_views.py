"""Suggestions on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from autokb.cli.issue_views import one_line
from autokb.core.nouns import Evidence

if TYPE_CHECKING:
    from autokb.answering.suggest import Suggested
    from autokb.core.tickets import TicketEvidence

COLOURS = {"answered": "bold green", "asks": "bold cyan", "abstains": "bold yellow"}


def suggestions_view(suggested: Suggested) -> RenderableType:
    """Show each reply with a number and where it is from."""
    lines: list[RenderableType] = [Text(suggested.outcome, style=COLOURS[suggested.outcome])]
    if suggested.reason:
        lines.append(Text(suggested.reason, style="dim"))
    for number, one in enumerate(suggested.suggestions, 1):
        lines.append(Text(f"{number}  {one.text}"))
        places = ", ".join(dict.fromkeys(one_line(_place(evidence)) for evidence in one.evidence))
        lines.append(Text(f"   {one.source.replace('_', ' ')}{f', {places}' if places else ''}", style="dim"))
    if suggested.fallback:
        lines.append(
            Text(
                f"In the words of what is known, for no reply of the model stood: {suggested.fallback}", style="yellow"
            )
        )
    if suggested.spent.calls:
        spent = suggested.spent
        cost = "" if spent.cost is None else f", {spent.cost:.4f} USD"
        lines.append(Text(f"{suggested.strategy}: {spent.calls} requests{cost}", style="dim"))
    if not suggested.suggestions:
        lines.append(Text("Nothing that is known is short enough to be sent as it is; autokb ask shows all of it."))
    return Group(*lines)


def _place(evidence: Evidence | TicketEvidence) -> str:
    return evidence.document if isinstance(evidence, Evidence) else evidence.ticket
