"""A template proposed from what a sample of tickets has: headings that are frequent, what they stand under, fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autokb.core.reply import LeftOut, Reply
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import Ticket
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


# Complex: headings, what they stand in and above, and fields are counted in one pass over the tickets.
def count_template(tickets: Sequence[Ticket], template: TicketTemplate) -> DraftTemplate:
    """Count the headings and further fields of tickets that the template does not know; the most frequent first."""
    known = known_headings(template)
    found: Counter[str] = Counter()
    where: dict[str, Counter[str]] = {}
    above: dict[str, Counter[str]] = {}
    fields: dict[str, list[str]] = {}
    for ticket in tickets:
        seen: set[str] = set()
        for field, text in (("description", ticket.description), *(("comments", c.text) for c in ticket.comments)):
            for heading, parent in _headings(text):
                if not find_section(heading, known):
                    where.setdefault(heading, Counter())[field] += 1
                    above.setdefault(heading, Counter())[parent] += 1
                    seen.add(heading)
        found.update(seen)
        for name, value in ticket.other.items():
            if value.strip():
                fields.setdefault(name, []).append(value.strip())
    least = max(FEWEST_TICKETS, FEWEST_SHARE * len(tickets))
    common = [h for h, n in sorted(found.items(), key=lambda one: (-one[1], one[0])) if n >= least][:MOST_HEADINGS]
    return DraftTemplate(
        len(tickets),
        tuple(
            CountedHeading(h, found[h], where[h].most_common(1)[0][0], _mostly_above(above[h], known)) for h in common
        ),
        tuple(_counted_field(name, fields[name]) for name in sorted(fields) if len(fields[name]) >= least),
        tuple(KnownSection(rule.name, rule.parent, rule.headings) for rule in template.sections),
    )


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


def _mostly_above(above: Counter[str], known: Mapping[str, str]) -> str:
    parent, count = above.most_common(1)[0]
    return parent if parent and count * 2 > above.total() else ""


def _counted_field(name: str, values: Sequence[str]) -> CountedField:
    common = tuple(value[:60] for value, _ in Counter(values).most_common(5))
    return CountedField(name, len(values), common, len(set(values)) <= FEW_VALUES * len(values))


# Complex: a section may hang under one that is proposed after it, so that all names are taken first.
def draft_template(item: DraftTemplate) -> DraftedTemplate:
    """Propose a section for each frequent heading and field that the template lacks.

    A heading of descriptions hangs under their section, one that mostly stands under another under that one's section.
    """
    names = {heading: known.name for known in item.known for heading in known.headings}
    taken = {"", *(known.name for known in item.known)}
    described = "description" if "description" in taken else "ticket"
    of_heading: dict[str, str] = {}
    drafted: list[DraftedSection] = []
    for counted in item.headings:
        name = section_name(counted.heading)
        if name not in taken and name != "ticket":
            of_heading[counted.heading] = name
            taken.add(name)
    for counted in item.headings:
        if counted.heading not in of_heading:
            continue
        name = of_heading[counted.heading]
        parent = of_heading.get(counted.above, name)
        if parent == name:
            parent = names.get(counted.above, described if counted.field == "description" else "ticket")
        why = f"{counted.tickets} of {item.tickets} tickets have this heading, mostly in {counted.field}."
        drafted.append(DraftedSection(name=name, parent=parent, headings=(counted.heading,), why=why))
    for field in item.fields:
        name = section_name(field.name)
        if name not in taken:
            taken.add(name)
            why = f"{field.tickets} of {item.tickets} tickets have this field, such as {'; '.join(field.values[:2])}."
            drafted.append(
                DraftedSection(
                    name=name, parent="ticket", headings=(), fields=(field.name,), embedded=not field.repeats, why=why
                )
            )
    return DraftedTemplate(sections=_without_circles(drafted))


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
            parent[section.name] = "ticket"
            section = section.model_copy(update={"parent": "ticket"})
        found.append(section)
    return tuple(found)


def section_name(heading: str) -> str:
    """Return a heading as the name of a section: small letters, digits and _; nothing where none can be made."""
    name = re.sub(r"[^a-z0-9]+", "_", heading.casefold()).strip("_")
    return name if re.fullmatch(r"[a-z][a-z0-9_]{1,40}", name) else ""
