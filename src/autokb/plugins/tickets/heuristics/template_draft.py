"""A template proposed from what a sample of tickets has: headings that are frequent, what they stand under, fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autokb.core.reply import LeftOut, Reply
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import TICKET, Ticket
from autokb.plugins.tickets.heuristics.parse_sections import find_section, fold_heading, known_headings
from autokb.text.markdown import parse_blocks

FEWEST_TICKETS = 3  # that have a heading or a field before it is proposed
FEWEST_SHARE = 0.005  # of the tickets in the sample, too: one in two hundred
LONGEST_HEADING = 40  # characters; longer lines are sentences
MOST_HEADINGS = 120  # that a draft is made of, the commonest
FEW_VALUES = 0.5  # distinct values a ticket: a field with fewer has values that repeat, a section of one field
_LABEL = re.compile(
    r"^[ \t]*(?:[*_]{1,3})?([^\W\d][^:\n*]{1,38}?)(?:[*_]{1,3})?:[ \t]*(?:[*_]{1,3})?[ \t]*$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class CountedHeading:
    """A heading, folded, in how many tickets it is, in which field mostly, and the heading that it mostly is under."""

    heading: str
    tickets: int
    field: str
    above: str = ""


@dataclass(frozen=True, slots=True)
class CountedField:
    """A further field of the source, in how many tickets it has a value, and some of the values."""

    name: str
    tickets: int
    values: tuple[str, ...]
    repeats: bool


@dataclass(frozen=True, slots=True)
class KnownSection:
    """A section that a template has already, with its headings."""

    name: str
    parent: str
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DraftTemplate:
    """What was counted in ``tickets`` tickets, beside what the template of today has."""

    tickets: int
    headings: tuple[CountedHeading, ...]
    fields: tuple[CountedField, ...]
    known: tuple[KnownSection, ...]


class DraftedSection(Reply):
    """A section that is proposed; of one that the template has already, these are further headings and fields."""

    name: str
    parent: str
    headings: tuple[str, ...]
    fields: tuple[str, ...] = ()
    embedded: bool = True
    why: str


class DraftedTemplate(Reply):
    """The sections that are proposed."""

    sections: tuple[DraftedSection, ...]
    left_out: tuple[LeftOut, ...] = ()


def count_template(tickets: Sequence[Ticket], template: TicketTemplate) -> DraftTemplate:
    """Count the headings and further fields of tickets that the template does not know; the most frequent first."""
    known = known_headings(template)
    places: dict[str, list[_Place]] = {}
    for place in (place for ticket in tickets for place in _places(ticket)):
        if not find_section(place.heading, known):
            places.setdefault(place.heading, []).append(place)
    values = _values(tickets)
    least = max(FEWEST_TICKETS, FEWEST_SHARE * len(tickets))
    counted = sorted((_counted_heading(some) for some in places.values()), key=lambda one: (-one.tickets, one.heading))
    return DraftTemplate(
        len(tickets),
        tuple(one for one in counted if one.tickets >= least)[:MOST_HEADINGS],
        tuple(_counted_field(name, values[name]) for name in sorted(values) if len(values[name]) >= least),
        tuple(KnownSection(rule.name, rule.parent, rule.headings) for rule in template.sections),
    )


def _values(tickets: Iterable[Ticket]) -> Mapping[str, Sequence[str]]:
    """Return the values that tickets have in the source's further fields."""
    found: dict[str, list[str]] = {}
    for name, value in (one for ticket in tickets for one in ticket.other.items()):
        if value.strip():
            found.setdefault(name, []).append(value.strip())
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a folded heading stands: the ticket, the field, and the heading that it stands under."""

    heading: str
    ticket: str
    field: str
    above: str


def _places(ticket: Ticket) -> Iterator[_Place]:
    for field, text in (("description", ticket.description), *(("comments", c.text) for c in ticket.comments)):
        for heading, above in _headings(text):
            yield _Place(heading, ticket.id, field, above)


def _headings(text: str) -> list[tuple[str, str]]:
    """Return the folded headings and labels of a text, each with the heading that it stands under."""
    found: list[tuple[str, str]] = []
    stack = [(0, "")]
    for block in parse_blocks(text):
        part = text[block.start : block.end]
        if block.kind == "heading" and len(part) <= LONGEST_HEADING + 8:
            while stack[-1][0] >= block.level:
                stack.pop()
            heading = fold_heading(part.lstrip("# "))
            if heading:
                found.append((heading, stack[-1][1]))
                stack.append((block.level, heading))
        elif block.kind == "paragraph":
            labels = (fold_heading(one.group(1)) for one in _LABEL.finditer(part))
            found += [(label, stack[-1][1]) for label in labels if label and len(label.split()) <= 5]
    return found


def _counted_heading(places: Sequence[_Place]) -> CountedHeading:
    """Return a heading with where it mostly stands; of what is above it more than half must be one heading."""
    ((field, _),) = Counter(place.field for place in places).most_common(1)
    ((above, count),) = Counter(place.above for place in places).most_common(1)
    tickets = len({place.ticket for place in places})
    return CountedHeading(places[0].heading, tickets, field, above if count * 2 > len(places) else "")


def _counted_field(name: str, values: Sequence[str]) -> CountedField:
    common = tuple(value[:60] for value, _ in Counter(values).most_common(5))
    return CountedField(name, len(values), common, len(set(values)) <= FEW_VALUES * len(values))


def draft_template(item: DraftTemplate) -> DraftedTemplate:
    """Propose a section for each frequent heading and field that the template lacks.

    A heading of descriptions hangs under their section, one that mostly stands under another under that one's section.
    """
    taken = {"", TICKET, *(known.name for known in item.known)}
    new = _new_sections(item.headings, taken)
    section_of = {heading: known.name for known in item.known for heading in known.headings}
    section_of |= {counted.heading: name for name, counted in new.items()}
    described = "description" if "description" in taken else TICKET
    drafted: list[DraftedSection] = []
    for name, counted in new.items():
        parent = section_of.get(counted.above, name)
        if parent == name:
            parent = described if counted.field == "description" else TICKET
        why = f"{counted.tickets} of {item.tickets} tickets have this heading, mostly in {counted.field}."
        drafted.append(DraftedSection(name=name, parent=parent, headings=(counted.heading,), why=why))
    drafted += _field_sections(item, {*taken, *new})
    return DraftedTemplate(sections=_without_circles(drafted))


def _field_sections(item: DraftTemplate, taken: set[str]) -> Iterator[DraftedSection]:
    for field in item.fields:
        name = section_name(field.name)
        if name not in taken:
            taken.add(name)
            why = f"{field.tickets} of {item.tickets} tickets have this field, such as {'; '.join(field.values[:2])}."
            embedded = not field.repeats
            yield DraftedSection(
                name=name, parent=TICKET, headings=(), fields=(field.name,), embedded=embedded, why=why
            )


def _new_sections(headings: Sequence[CountedHeading], taken: Container[str]) -> Mapping[str, CountedHeading]:
    """Return the headings that get sections, by their names; of two headings with one name the first has it."""
    found: dict[str, CountedHeading] = {}
    for counted in headings:
        if (name := section_name(counted.heading)) not in taken:
            found.setdefault(name, counted)
    return found


def _without_circles(sections: Sequence[DraftedSection]) -> tuple[DraftedSection, ...]:
    """Hang sections that stand under each other in a circle under the ticket."""
    parent = {section.name: section.parent for section in sections}
    found = []
    for section in sections:
        seen, name = {section.name}, section.parent
        while name in parent and name not in seen:
            seen.add(name)
            name = parent[name]
        if name in seen:
            parent[section.name] = TICKET
            section = section.model_copy(update={"parent": TICKET})
        found.append(section)
    return tuple(found)


def section_name(heading: str) -> str:
    """Return a heading as the name of a section: small letters, digits and _; nothing where none can be made."""
    name = re.sub(r"[^a-z0-9]+", "_", heading.casefold()).strip("_")
    return name if re.fullmatch(r"[a-z][a-z0-9_]{1,40}", name) else ""
