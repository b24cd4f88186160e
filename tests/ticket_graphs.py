"""Small generated ticket graphs and plans, and what a plan must give, worked out in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from autokb.core.ids import digest
from autokb.core.ticket_template import TicketTemplate, read_template
from autokb.core.tickets import LIST_FIELDS, SIMILAR_TO, TICKET, Edge, Ticket, in_order
from autokb.plugins.tickets.graph.plan import Filter, SubgraphPlan
from autokb.plugins.tickets.heuristics.parse_sections import tree_of
from autokb.stores.ticket_tables import (
    PublishedTicket,
    count_generation,
    publish_edges,
    publish_tickets,
    read_edges,
    read_tickets,
)
from autokb.stores.workspace_file import WorkspaceFile

# Names that an engine has for itself, names that differ by case, a relation that two sections share.
TEMPLATE = read_template(
    {
        "sections": [
            {"name": "summary", "fields": ["title"]},
            {"name": "description"},
            {"name": "steps_to_reproduce", "parent": "description"},
            {"name": "order", "relation": "HAS_PART"},
            {"name": "match", "relation": "HAS_PART", "parent": "steps_to_reproduce"},
            {"name": "a_b"},
            {"name": "ab", "relation": "CONTAINS"},
            {"name": "fix"},
            {"name": "comments", "fields": ["comments"]},
        ]
    }
)
LINK_TYPES = ("Duplicate", "Contains", "contains!", "is caused by: x", "Has Fix", "日本", "ticket", SIMILAR_TO)
WORDS = (
    "crash",
    "Größe",
    "ΟΔΟΣ",
    "İstanbul",
    "ẞ",
    'it\'s "so"',
    "a\\b",
    "{x: $y}",
    "`q`",
    "*/ //",
    "\n\ttab",
    "日本",
    "😀",
)
DATES = (
    "", "nonsense", "2024-05-31", "2024-05-31T00:00:00.000+0000", "2024-05-31T23:59:59.999Z",
    "2024-06-01T01:30:00+02:00", "2024-06-01T00:00:00Z", "2023-12-31T23:00:00-05:00", "2024-05-30",
)  # fmt: skip


def make_tickets(random: Random, count: int = 24) -> list[PublishedTicket]:
    """Tickets with odd values; not each has each section."""
    found = []
    for number in range(count):
        ident = random.choice([f"T-{number}", f"t'{number}", f'T"{number}\\', f"Ä{number}"])
        ticket = Ticket(
            id=ident,
            title=" ".join(random.choices(WORDS, k=2)),
            priority=random.choice(["High", "high", "Low", "", "größe", "GRÖSSE"]),
            status=random.choice(["Open", "Closed"]),
            components=tuple(random.sample(["Android", "ANDROID", "iOS", "ios-kit", "Ωmega,x"], k=random.randrange(3))),
            labels=tuple(random.sample(["a'b", "A'B", "c"], k=random.randrange(3))),
            created=random.choice(DATES),
            resolved=random.choice(DATES),
        )
        texts = {
            rule.name: random.choice(["", " ".join(random.choices(WORDS, k=3))])
            for rule in TEMPLATE.sections
            if random.random() < 0.6
        }
        sections = tree_of(ident, TEMPLATE, {"summary": ticket.title, **texts})
        found.append(PublishedTicket(ticket, sections, digest(repr(ticket), repr(sections))))
    return found


def make_edges(random: Random, tickets: Iterable[PublishedTicket], count: int = 40) -> list[Edge]:
    """Links of all types, some to themselves, some that dangle at either end."""
    ids = [one.ticket.id for one in tickets] + ["gone-1", "gone-2"]
    found = {}
    for _ in range(count):
        source, target, kind = random.choice(ids), random.choice(ids), random.choice(LINK_TYPES)
        origin = "similarity" if kind == SIMILAR_TO else random.choice(["source", "source", "answers"])
        dangling = not {source, target} <= set(ids[:-2])
        found[source, kind, target, origin] = Edge(source, kind, target, origin, dangling, round(random.random(), 3))
    return in_order(found.values())


def publish(
    path: Path, tickets: Iterable[PublishedTicket], edges: Iterable[Edge], template: TicketTemplate = TEMPLATE
) -> WorkspaceFile:
    """A workspace file with these tickets in place of all others."""
    file = WorkspaceFile(path, create=True)
    publish_into(file, tickets, edges, template)
    return file


def publish_into(
    file: WorkspaceFile,
    tickets: Iterable[PublishedTicket],
    edges: Iterable[Edge],
    template: TicketTemplate = TEMPLATE,
) -> None:
    """Put these tickets into a workspace in the place of all others."""
    with file.transaction():
        with file.reading() as db:
            old = [i for (i,) in db.execute("SELECT id FROM ticket")]
        tickets = list(tickets)
        publish_tickets(file, tickets, [i for i in old if i not in {t.ticket.id for t in tickets}], template)
        publish_edges(file, edges)
        count_generation(file)


def make_plans(
    random: Random, tickets: Iterable[PublishedTicket], edges: Iterable[Edge], count: int
) -> Iterator[SubgraphPlan]:
    """Plans of every kind."""
    ids = [one.ticket.id for one in tickets]
    types = sorted({edge.type for edge in edges})
    names = [rule.name for rule in TEMPLATE.sections]
    for _ in range(count):
        begins = tuple(random.sample([*ids, "no-such"], k=random.randrange(1, 12)))
        filters = tuple(_filter(random) for _ in range(random.choice([0, 0, 1, 1, 2])))
        sections = tuple(random.sample(names, k=random.randrange(1, 5)))
        linked = tuple(random.sample(types, k=random.choice([0, random.randrange(1, len(types))])))
        yield SubgraphPlan(begins, sections, linked, random.choice(["out", "in", "both"]), filters)


def _filter(random: Random) -> Filter:
    field = random.choice(["priority", "status", "components", "labels"])
    words = ["high", "HIGH", "low", "GRÖßE", "größe", "closed", "open", "android", "iOS", "ΩMEGA,X", "a'b", ""]
    return Filter(field, random.choice(words))


def expected_rows(
    plan: SubgraphPlan, tickets: Iterable[PublishedTicket], edges: Iterable[Edge], template: TicketTemplate = TEMPLATE
) -> list[tuple[str, str, str]]:
    """What a plan must give: each link is looked at, each field compared, one ticket after the other."""
    by_id = {one.ticket.id: one for one in tickets}
    found = set(_ends(plan, edges)) if plan.link_types else set(plan.tickets)
    rows = []
    for ident in sorted(found & set(by_id), key=str.encode):
        texts = {s.section: s.text for s in by_id[ident].sections if s.section != TICKET}
        if all(_holds(one, by_id[ident].ticket) for one in plan.filters):
            rows += [
                (ident, rule.name, texts[rule.name])
                for rule in template.sections
                if rule.name in plan.sections and texts.get(rule.name)
            ]
    return rows


def _ends(plan: SubgraphPlan, edges: Iterable[Edge]) -> Iterator[str]:
    for edge in edges:
        ways = {"out": [(edge.source, edge.target)], "in": [(edge.target, edge.source)]}
        for here, there in ways.get(plan.direction, [*ways["out"], *ways["in"]]):
            if edge.type in plan.link_types and here in plan.tickets and here != there:
                yield there


def _holds(one: Filter, ticket: Ticket) -> bool:
    values = getattr(ticket, one.field)
    return any(_small(value) == _small(one.value) for value in (values if one.field in LIST_FIELDS else [values]))


def _small(text: str) -> str:
    return "".join("i" if letter == "İ" else "ß" if letter == "ẞ" else letter.lower() for letter in text)


def rows_of(plan: SubgraphPlan, file: WorkspaceFile, template: TicketTemplate = TEMPLATE) -> list[tuple[str, str, str]]:
    """What the plan reads of a workspace file."""
    ids = plan.ends(read_edges(file, plan.tickets)) if plan.link_types else plan.tickets
    return [(one.ticket, one.section, one.text) for one in plan.read(read_tickets(file, ids).values(), template)]
