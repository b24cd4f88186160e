"""Past tickets on the terminal: what was built, a ticket's tree, and lists of tickets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from autokb.cli.output import one_line
from autokb.cli.views import failure_lines, money, next_line, quoted, several

if TYPE_CHECKING:
    from autokb.plugins.tickets.answers.open_tickets import ShownLink, ShownTicket, ShownTickets, SimilarTickets
    from autokb.plugins.tickets.build import TicketBuildReport

SECTION_CHARACTERS = 240  # of a section in a tree: what it is about; --json has all
LINKS_SHOWN = 12  # of a ticket, lines of a terminal


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
    table.add_column()
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
    table.add_column()
    table.add_column(style="dim", no_wrap=True)
    for one in found.tickets:
        table.add_row(f"{one.score:.2f}", one.id, one_line(one.title, 120), one_line(one.status))
    more = f"One of them: autokb tickets show {quoted(workspace)} {found.tickets[0].id}"
    return Group(table, next_line(more))
