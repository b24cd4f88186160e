"""What the rules leave of a ticket, as it is put to the task ``read_sections``, and its texts split by the reply."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from autokb.core.ticket_template import TicketTemplate
from autokb.plugins.tickets.heuristics.parse_sections import SectionPart, sections_of_comments
from autokb.plugins.tickets.heuristics.section_meaning import meanings
from autokb.plugins.tickets.tasks.read_sections.task import ReadSections, SectionsRead, UnreadText, blocks_of

SHORTEST_DESCRIPTION = 200  # characters: a shorter rest is one thing
SHORTEST_COMMENT = 600  # characters: a shorter comment is one thing
MOST_CHARACTERS = 12_000  # of a ticket's texts that a model is shown: 3,000 tokens


def rest_request(title: str, parts: Sequence[SectionPart], template: TicketTemplate) -> ReadSections | None:
    """Return what a model is asked about a ticket; None where the rules leave nothing long enough."""
    texts = tuple(_unread(part, template) for part in _asked(parts))
    others = {name for text in texts for name in text.others}
    return ReadSections(title, texts, meanings(template)) if others else None


def split_rest(parts: Sequence[SectionPart], template: TicketTemplate, reply: SectionsRead) -> list[SectionPart]:
    """Return the parts with the blocks that the reply names in their sections; every character stays."""
    section_of = {one.block: one.section for one in reply.blocks}
    asked = {id(part) for part in _asked(parts)}
    found: list[SectionPart] = []
    count = 0
    for part in parts:
        if id(part) in asked:
            blocks = range(count, count + len(blocks_of(part.text)))
            found += _split(part, [section_of.get(block, part.section) for block in blocks])
            count = blocks.stop
        else:
            found.append(part)
    return found


def _split(part: SectionPart, sections: Sequence[str]) -> list[SectionPart]:
    """Return a part cut where the next block is of another section."""
    if set(sections) <= {part.section}:
        return [part]
    spans = blocks_of(part.text)
    first = [n for n in range(len(spans)) if n == 0 or sections[n] != sections[n - 1]]
    found = []
    for n, (start, end) in zip(first, pairwise([0, *(spans[n][0] for n in first[1:]), len(part.text)]), strict=True):
        text = part.text[start:end].strip()
        found.append(SectionPart(sections[n], text, part.field, sections[n] == part.section))
    return found


def _asked(parts: Sequence[SectionPart]) -> list[SectionPart]:
    found, size = [], 0
    for part in parts:
        least = SHORTEST_COMMENT if part.field == "comments" else SHORTEST_DESCRIPTION
        if part.rest and len(part.text) >= least and size + len(part.text) <= MOST_CHARACTERS:
            found.append(part)
            size += len(part.text)
    return found


def _unread(part: SectionPart, template: TicketTemplate) -> UnreadText:
    if part.field == "comments":
        names = sections_of_comments(template)
    else:
        names = tuple(r.name for r in template.sections if r.embedded and not set(r.fields) & {"title", "comments"})
    return UnreadText(part.section, tuple(name for name in names if name != part.section), part.text)
