"""What a model is told of a template: the names of its sections, with the words that people write above them."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.ids import digest
from autokb.core.ticket_template import TicketTemplate

MOST_HEADINGS = 6  # of a section that a model is shown


@dataclass(frozen=True, slots=True)
class SectionMeaning:
    """A section by its name, and in ``headings`` the headings and fields of tickets that hold it."""

    name: str
    headings: tuple[str, ...]


def meanings(template: TicketTemplate) -> tuple[SectionMeaning, ...]:
    """Return the sections of a template in its order."""
    return tuple(
        SectionMeaning(rule.name, tuple(dict.fromkeys((*rule.fields, *rule.headings)))[:MOST_HEADINGS])
        for rule in template.sections
    )


def fingerprint_of(template: TicketTemplate) -> str:
    """Return a hash of all that a template says, so that another one is another question."""
    return digest(repr(template.sections), repr(template.links))
