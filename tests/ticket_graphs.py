"""Small generated ticket graphs and plans, and what a plan must give, worked out in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from autokb.core.ids import digest
from autokb.core.ticket_plan import DATE_FIELDS, Filter, Hops, SubgraphPlan, SubgraphRow
from autokb.core.ticket_template import TicketTemplate, read_template
from autokb.core.tickets import LIST_FIELDS, SIMILAR_TO, TICKET, Edge, Ticket, in_order
from autokb.plugins.tickets.heuristics.parse_sections import tree_of
from autokb.stores.ticket_tables import PublishedTicket, count_generation, publish_edges, publish_tickets
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
    for _ in range(count):
        begins = tuple(random.sample([*ids, "no-such"], k=random.randrange(1, 5)))
        lengths = random.choice([(), (), (1,), (2,), (3,), (1, 1), (1, 2), (2, 1), (1, 1, 1)])
        steps = tuple(
            Hops(
                tuple(random.sample(types, k=random.randrange(4))),
                random.choice(["out", "in", "both"]),
                random.randint(1, most),
                most,
            )
            for most in lengths
        )
        filters = tuple(_filter(random) for _ in range(random.choice([0, 0, 1, 1, 2])))
        if not steps and filters and random.random() < 0.5:
            begins = ()
        names = [rule.name for rule in TEMPLATE.sections]
        sections = tuple(random.sample(names, k=random.randrange(1, 5)))
        yield SubgraphPlan(begins, sections, steps, filters, random.choice([1, 3, 20, 200]))


def _filter(random: Random) -> Filter:
    field = random.choice(["priority", "status", "components", "labels", "title", "id", "created", "resolved"])
    if field in DATE_FIELDS and random.random() < 0.8:
        dates = [date for date in DATES if date[:2] == "20"]
        return Filter(field, random.choice(["before", "after"]), random.choice(dates))
    words = ["high", "HIGH", "GRÖßE", "größe", "closed", "android", "ANDROID", "ΩMEGA,X", "a'b", "t-1", "", *WORDS]
    return Filter(field, random.choice(["is", "has"]), random.choice(words))


def expected_rows(
    plan: SubgraphPlan, tickets: Iterable[PublishedTicket], edges: Iterable[Edge], template: TicketTemplate = TEMPLATE
) -> tuple[SubgraphRow, ...]:
    """What a plan must give: each way is walked, each field compared, one ticket after the other."""
    by_id = {one.ticket.id: one for one in tickets}
    edges = list(edges)
    found = set(plan.tickets or by_id) & set(by_id)
    for step in plan.steps:
        found = {
            end for begin in found for end, far in _distances(begin, step, by_id, edges).items() if far >= step.least
        }
    rows = []
    for ident in sorted(found, key=str.encode):
        texts = {s.section: s.text for s in by_id[ident].sections if s.section != TICKET}
        if all(_holds(one, by_id[ident].ticket) for one in plan.filters):
            rows += [
                SubgraphRow(ident, rule.name, texts[rule.name])
                for rule in template.sections
                if rule.name in plan.sections and texts.get(rule.name)
            ]
    return tuple(rows[: plan.most])


def _distances(begin: str, step: Hops, known: Iterable[str], edges: Iterable[Edge]) -> dict[str, int]:
    distances, frontier = {begin: 0}, {begin}
    for far in range(1, step.most + 1):
        following = set()
        for edge in edges:
            if step.types and edge.type not in step.types:
                continue
            if step.direction != "in" and edge.source in frontier:
                following.add(edge.target)
            if step.direction != "out" and edge.target in frontier:
                following.add(edge.source)
        frontier = {one for one in following if one in known and one not in distances}
        distances.update(dict.fromkeys(frontier, far))
    return distances


def _holds(one: Filter, ticket: Ticket) -> bool:
    values = getattr(ticket, one.field)
    if one.comparison in ("before", "after"):
        at, bound = (_millisecond(text) for text in (values, one.value))
        if at is None or bound is None:
            return False
        if one.comparison == "before":
            return at < bound
        return at >= bound + 86_400_000 if len(one.value) == 10 else at > bound
    for value in values if one.field in LIST_FIELDS else [values]:
        here, wanted = (_small(text) for text in (value, one.value))
        if here == wanted if one.comparison == "is" else wanted in here:
            return True
    return False


def _small(text: str) -> str:
    return "".join("i" if letter == "İ" else "ß" if letter == "ẞ" else letter.lower() for letter in text)


def _millisecond(text: str) -> int | None:
    known = {  # of DATES, counted by hand from the first moment of May 30th, 2024 (UTC)
        "2024-05-30": 0,
        "2024-05-31": 86_400_000,
        "2024-05-31T00:00:00.000+0000": 86_400_000,
        "2024-05-31T23:59:59.999Z": 2 * 86_400_000 - 1,
        "2024-06-01T01:30:00+02:00": 2 * 86_400_000 - 1_800_000,
        "2024-06-01T00:00:00Z": 2 * 86_400_000,
        "2023-12-31T23:00:00-05:00": -(150 * 86_400_000) + 4 * 3_600_000,
    }
    return known.get(text)
