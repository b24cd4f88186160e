"""Suggestions on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from autokb.cli.one_line import one_line
from autokb.core.nouns import Evidence
from autokb.views.reader_labels import for_whom, how_sure, outcome_label

if TYPE_CHECKING:
    from autokb.answering.suggest import Suggested, Suggestion
    from autokb.core.tickets import TicketEvidence

COLOURS = {"answered": "bold green", "asks": "bold cyan", "abstains": "bold yellow"}


# Complex: a condition for each part that suggestions may lack, in the order of the screen.
def suggestions_view(suggested: Suggested) -> RenderableType:
    """Show each reply with a number and where it is from."""
    is_help = suggested.outcome == "answered" and suggested.suggestions and suggested.suggestions[0].is_help
    label = (
        outcome_label(suggested.outcome, suggested.confidence, suggested.chosen_by) if is_help else suggested.outcome
    )
    head = Text(suggested.warning or label, style="bold red" if suggested.warning else COLOURS[suggested.outcome])
    if is_help and not suggested.warning:
        head.append(f"   {how_sure(suggested.confidence, suggested.chosen_by)}", style="default not bold")
    lines: list[RenderableType] = [head]
    if suggested.reason:
        lines.append(Text(suggested.reason, style="dim"))
    for number, one in enumerate(suggested.suggestions, 1):
        lines.append(Text(f"{number}  {_above(one)}", style="dim"))
        lines.append(Padding(Text(one.text), (0, 0, 0, 3)))
    if suggested.fallback:
        lines.append(Text(f"In the knowledge base's own words: {suggested.fallback}", style="yellow"))
    if suggested.spent.calls:
        spent = suggested.spent
        cost = "" if spent.cost is None else f", {spent.cost:.4f} USD"
        lines.append(Text(f"{suggested.strategy}: {spent.calls} requests{cost}", style="dim"))
    if not suggested.suggestions:
        lines.append(Text("Nothing that is known can be sent as it is; autokb ask shows all of it."))
    return Group(*lines)


def _above(one: Suggestion) -> str:
    """Return the heading and document of a suggestion and for whom it is; what is of no section is named."""
    title = one.title or ("" if one.source in ("solution", "passage") else one.source.replace("_", " "))
    places = ["written by hand"] if one.is_by_hand else dict.fromkeys(map(_place, one.evidence))
    return ", ".join(one_line(part) for part in (title, *places, for_whom(one.attributes)) if part)


def _place(evidence: Evidence | TicketEvidence) -> str:
    return evidence.document if isinstance(evidence, Evidence) else evidence.ticket
