"""Past tickets on the terminal: what was built, a ticket's tree, lists, answers, reports and drafts of templates."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from autokb.cli.output import one_line
from autokb.cli.views import failure_lines, money, next_line, quoted, several

if TYPE_CHECKING:
    from autokb.core.ticket_answer import FoundTicket, TicketAnswer
    from autokb.plugins.tickets.accept import Accepted
    from autokb.plugins.tickets.answers.knowledge import Fed
    from autokb.plugins.tickets.answers.open_tickets import ShownLink, ShownTicket, ShownTickets, SimilarTickets
    from autokb.plugins.tickets.answers.report import TicketReport
    from autokb.plugins.tickets.build import TicketBuildReport
    from autokb.plugins.tickets.draft_template import TemplateDraft

SECTION_CHARACTERS = 240  # of a section in a tree: what it is about; --json has all
LINKS_SHOWN = 12  # of a ticket, lines of a terminal
GROUPS_SHOWN = 20  # lines of a terminal
OTHERS_SHOWN = 4  # tickets that are named behind an answer
ON_TOPIC = 0.5  # confidence from which a question is about the tickets
DOUBTFUL = 0.5  # chance of the same problem below which an answer says that it may be another
PROBLEM_SHOWN, TITLE_SHOWN = 480, 140  # characters
LIKELY_ENOUGH = 0.2  # chance of the same problem from which tickets are named that do not answer


def build_report_view(workspace: Path, built: TicketBuildReport) -> RenderableType:
    """Show what a build of the ticket graph made."""
    links = several(built.links, "link")
    dangling = f" ({built.dangling} to tickets that are not here)" if built.dangling else ""
    lines: list[RenderableType] = [
        Text(f"{several(built.tickets, 'ticket')}: {built.changed} new or changed, {built.gone} gone"),
        Text(f"{links} of the source{dangling}, {several(built.similar, 'similar title')}"),
    ]
    lines += failure_lines(built.failures)
    if built.calls or built.cached:
        requests = f"{several(built.calls, 'request')} to a model, {built.cached} taken from before"
        lines.append(Text(f"{requests}, {money(built.cost)}"))
    lines.append(Text(f"{built.seconds:.1f} s", style="dim"))
    if built.tickets:
        lines.append(next_line(f"Next: autokb tickets similar {quoted(workspace)} 'what somebody reports'"))
    return Group(*lines)


def graph_view(workspace: Path, shown: ShownTickets) -> RenderableType:
    """Show what there is of tickets."""
    lines: list[RenderableType] = [
        Text(several(shown.tickets, "ticket"), style="bold"),
        Text("with a text in", style="dim"),
        _counts({name.replace("_", " "): count for name, count in shown.sections.items()}),
        Text("linked by", style="dim"),
        _counts({one_line(name): count for name, count in shown.links.items()}),
    ]
    if shown.dangling:
        lines.append(Text(f"{shown.dangling:,} links lead to tickets that are not here", style="dim"))
    lines.append(Text(one_line(shown.fitted, 200), style="dim"))
    lines.append(next_line(f"One ticket: autokb tickets show {quoted(workspace)} TICKET"))
    return Group(*lines)


def _counts(named: Mapping[str, int]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    for name, count in named.items():
        table.add_row(f"{count:,}", name)
    return table


def ticket_view(one: ShownTicket) -> RenderableType:
    """Draw a ticket's sections as a tree, and its links."""
    tree = Tree(Text.assemble((one.id, "bold"), "  ", one_line(one.title, 200)))
    places = {"ticket": tree}
    for section in one.sections:
        if section.text != one.title:
            above = places.get(section.parent, tree)
            label = Text(section.section.replace("_", " "), style="cyan")
            if section.text:
                label.append("  ").append(one_line(section.text, SECTION_CHARACTERS), style="default")
            places[section.section] = above.add(label)
    lines: list[RenderableType] = [tree]
    if one.links:
        links = Tree(Text("links", style="bold"))
        for link in one.links[:LINKS_SHOWN]:
            links.add(_link_label(link))
        if len(one.links) > LINKS_SHOWN:
            links.add(Text(f"... and {len(one.links) - LINKS_SHOWN} more; --json lists all", style="dim"))
        lines.append(links)
    return Group(*lines)


def _link_label(link: ShownLink) -> Text:
    arrow = "←" if link.inward and link.origin == "source" else "→" if link.origin == "source" else "~"
    label = Text.assemble(
        (f"{one_line(link.type)} {arrow} ", "cyan" if link.origin == "source" else "dim"), link.target
    )
    if link.dangling:
        return label.append("  (not here)", style="yellow")
    label.append(f"  {one_line(link.title, 90)}")
    return label.append(f"  {link.score:.2f}", style="dim") if link.score else label


def similar_view(workspace: Path, found: SimilarTickets) -> RenderableType:
    """List tickets, the most similar first."""
    if not found.tickets:
        return Text("No ticket.", style="yellow")
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="dim")
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(style="dim", no_wrap=True)
    for one in found.tickets:
        table.add_row(f"{one.score:.2f}", one.id, one_line(one.title, 120), one_line(one.status))
    more = f"One of them: autokb tickets show {quoted(workspace)} {found.tickets[0].id}"
    return Group(table, next_line(more))


# Complex: one condition for each part that an answer may lack, in the order of the screen.
def answer_view(workspace: Path, answer: TicketAnswer) -> RenderableType:
    """Show an answer, where it is from, and how to confirm it."""
    if answer.outcome != "answered":
        return _unanswered_view(answer)
    lines: list[RenderableType] = [_outcome_line(answer)]
    first = answer.evidence[0].ticket
    problem = next((one.problem for one in answer.tickets if one.id == first), "")
    if problem and problem not in " ".join(answer.answer.split()):
        lines.append(Text(f"{one_line(first)} reports: {one_line(problem, PROBLEM_SHOWN)}", style="dim"))
    lines.append(Text(answer.answer))
    if answer.fallback:
        lines.append(Text(answer.fallback, style="yellow"))
    places = ", ".join(dict.fromkeys(f"{one.ticket} {one.section.replace('_', ' ')}" for one in answer.evidence))
    lines.append(Text(f"From {places}", style="dim"))
    shown = {one.ticket for one in answer.evidence}
    lines += _other_tickets([one for one in answer.tickets if one.id not in shown])
    for one in answer.accepted[:3]:
        who = f" by {one_line(one.author)}" if one.author else ""
        lines.append(
            Text(f"Accepted{who} for a question like this: {one.ticket}, {one_line(one.question)}", style="dim")
        )
    if answer.cypher is not None:
        lines.append(Text(answer.cypher.text, style="cyan"))
        if answer.cypher.refused:
            lines.append(Text(f"refused: {answer.cypher.refused}", style="yellow"))
    lines.append(next_line(f"If that is it: autokb tickets accept {quoted(workspace)} {shlex.quote(first)} QUESTION"))
    return Group(*lines)


def _unanswered_view(answer: TicketAnswer) -> RenderableType:
    """Say why no ticket answers, and name those that may be about the same problem all the same."""
    near = answer.tickets if (answer.match or 0.0) >= LIKELY_ENOUGH and answer.confidence >= ON_TOPIC else ()
    return Group(Text(answer.outcome, style="bold yellow"), Text(answer.reason or ""), *_other_tickets(near))


def _other_tickets(tickets: Sequence[FoundTicket]) -> list[Text]:
    lines = [
        f"  {one_line(one.id)}  {one_line(one.title, TITLE_SHOWN)} ({one_line(one.state)})"
        for one in tickets[:OTHERS_SHOWN]
    ]
    return [Text(line, style="dim") for line in ("Tickets near the question:", *lines)] if lines else []


def _outcome_line(answer: TicketAnswer) -> Text:
    """Return the outcome with how likely the ticket is about the same problem, a doubtful one in another colour."""
    if answer.match is None:
        return Text(answer.outcome, style="bold green")
    chance = f"{round(10 * answer.match)} in 10 that {one_line(answer.tickets[0].id)} is the same problem"
    if answer.match < DOUBTFUL:
        return Text(f"{answer.outcome}, perhaps from something similar only ({chance})", style="bold yellow")
    return Text(f"{answer.outcome} ({chance})", style="bold green")


def accepted_view(accepted: Accepted) -> str:
    """Say what was stored."""
    if accepted.undone:
        return f"{accepted.ticket} is no longer accepted for: {accepted.question}"
    known = "" if accepted.changed else " already"
    count = several(accepted.answers, "question")
    return f"{accepted.ticket} is{known} accepted for: {accepted.question} ({count} in all)"


def report_view(shown: TicketReport) -> RenderableType:
    """Show groups with their hours and intervals."""
    table = Table(box=None, pad_edge=False)
    table.add_column(one_line(shown.by), overflow="fold")
    for name in ("resolved", "open", "mean h", "p50 h", "p90 h"):
        table.add_column(name, justify="right")
    for name, group in list(shown.groups.items())[:GROUPS_SHOWN]:
        figures = (_figure(getattr(group, f), group.intervals[f]) for f in ("mean", "p50", "p90"))
        table.add_row(one_line(name), f"{group.n:,}", f"{group.unresolved:,}", *figures)
    lines: list[RenderableType] = [table]
    if len(shown.groups) > GROUPS_SHOWN:
        lines.append(Text(f"... and {len(shown.groups) - GROUPS_SHOWN} more; --json lists all", style="dim"))
    lines.append(Text("Hours from creation to resolution, with 95 % intervals.", style="dim"))
    return Group(*lines)


def _figure(value: float | None, ends: tuple[float | None, float | None]) -> str:
    if value is None:
        return "-"
    low, high = ends
    return f"{value:,.1f}" if low is None or high is None else f"{value:,.1f} ({low:,.1f} to {high:,.1f})"


def template_view(drafted: TemplateDraft) -> str:
    """Show the draft and say what to do with it."""
    left_out = "".join(f"\nNot taken: {reason}" for reason in drafted.left_out)
    names = ", ".join(str(section["name"]) for section in drafted.sections) or "none"
    return (
        f"{drafted.yaml}\nProposed from {several(drafted.sample, 'ticket')}: {names}; made by {drafted.made_by}, in "
        f"{drafted.file}.{left_out}\nNext: edit the file, and save it as domain.yaml."
    )


def fed_view(workspace: Path, fed: Fed) -> str:
    """Say what was staged."""
    left_out = "".join(f"\nLeft out: {several(n, 'ticket')}: {reason}" for reason, n in fed.left_out.items())
    return (
        f"Staged {several(fed.documents, 'ticket')} as documents and {several(fed.issues, 'raw issue')} "
        f"({fed.removed} removed).{left_out}\nNext: autokb build {quoted(workspace)}; "
        f"autokb remove {quoted(workspace)} tickets takes them out again."
    )
