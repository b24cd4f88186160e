"""The task that reads a question about tickets: what it says of which section, and which sections it asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.core.ticket_answer import QuestionParts
from autokb.core.ticket_template import TicketTemplate
from autokb.plugins.tickets.heuristics.read_question import read_ticket_question
from autokb.plugins.tickets.heuristics.section_meaning import SectionMeaning, fingerprint_of, meanings
from autokb.tasks.task import LeftOut, Read, Reply, ReplyError, Task, outside_key
from autokb.tasks.wire import wire
from autokb.text.words import content_words

MOST_ENTITIES = 12  # that a question names
MOST_INTENTS = 6  # that a question has
MOST_VALUES = 60  # of a field that a model is shown
VALUE_CHARACTERS = 2_000  # of a value that a question names
FOREIGN_WORDS = 0.5  # share of an entity's words that a question may not have: more was made up


@dataclass(frozen=True, slots=True)
class FieldValues:
    """A section that only holds a field of few values, and these values."""

    section: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParseQuery:
    """A question and the sections of the template; ``fields`` are those whose values it can name.

    ``fingerprint`` is a hash of the template. ``nearness`` gives the question's cosine to the cues of each section.
    """

    question: str
    sections: tuple[SectionMeaning, ...]
    fields: tuple[FieldValues, ...]
    links: tuple[str, ...]
    fingerprint: str
    language: str = outside_key("en")
    template: Any = outside_key()
    nearness: Any = outside_key(dict)


class SectionValue(Reply):
    """What a question says of a section."""

    section: str
    value: str


class ParsedQuery(Reply):
    """What a question says of sections, the sections it asks for, the fields it filters by, the links it follows."""

    entities: tuple[SectionValue, ...]
    intents: tuple[str, ...]
    filters: tuple[SectionValue, ...] = ()
    links: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def parts(self) -> QuestionParts:
        """Return what the search and the plan read."""
        entities = {one.section: one.value for one in self.entities}
        return QuestionParts(entities, self.intents, {one.section: one.value for one in self.filters}, self.links)


def question_request(
    question: str,
    template: TicketTemplate,
    values: Mapping[str, Sequence[str]],
    nearness: Callable[[], Mapping[str, float]] = dict,
) -> ParseQuery:
    """Return the request that reads a question by a template; ``values`` are the known ones of each field's section."""
    return ParseQuery(
        question.strip(),
        meanings(template),
        tuple(FieldValues(section, tuple(known)) for section, known in values.items()),
        tuple(rule.name for rule in template.links),
        fingerprint_of(template),
        template=template,
        nearness=nearness,
    )


class ParseQueryTask(Task[ParseQuery, ParsedQuery]):
    """What does this question say of which sections of a ticket, and which sections does it ask for?"""

    name = "tickets/parse_query"
    input = ParseQuery
    output = ParsedQuery
    masks = True
    entry_tokens = (1_200, 160)

    def offline(self, item: ParseQuery) -> ParsedQuery:
        """Read it by the template's cues."""
        values = {field.section: field.values for field in item.fields}
        parts = read_ticket_question(item.question, item.template, values, item.nearness)
        return ParsedQuery(
            entities=_pairs(parts.entities.items()),
            intents=parts.intents,
            filters=_pairs(parts.filters.items()),
            links=parts.links,
        )

    def check(self, item: ParseQuery, reply: ParsedQuery) -> None:
        """Refuse sections and links that the template has not, and a section that is given twice."""
        names = {section.name for section in item.sections}
        for name in (*(e.section for e in reply.entities), *reply.intents, *(f.section for f in reply.filters)):
            if name not in names:
                raise ReplyError(f"There is no section {name!r}.")
        for given in (reply.entities, reply.filters):
            if len({one.section for one in given}) < len(given):
                raise ReplyError("A section stands twice; give it once.")
        if stray := set(reply.links) - set(item.links):
            raise ReplyError(f"There is no kind of links {sorted(stray)[0]!r}.")

    def values(self, items: Sequence[ParseQuery]) -> Mapping[str, Any]:
        """Return the sections, the fields with their values, the kinds of links, and the question."""
        (item,) = items
        return {
            "sections": item.sections,
            "fields": [(field.section, field.values[:MOST_VALUES]) for field in item.fields],
            "links": item.links,
            "question": item.question,
        }

    def entry(self, items: Sequence[ParseQuery]) -> Mapping[str, Any]:
        """Return the fields of the one entry; sections and links are enumerated."""
        (item,) = items
        names: Any = Literal[tuple(section.name for section in item.sections)]
        fields: Any = Literal[tuple(field.section for field in item.fields) or ("none",)]
        value = Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": VALUE_CHARACTERS})]
        links: Any = Literal[item.links or ("none",)]
        said: Any = wire("Entity", section=names, value=value)
        required: Any = wire("Filter", section=fields, value=value)
        return {
            "entities": Annotated[list[said], Field(max_length=MOST_ENTITIES)],
            "intents": Annotated[list[names], Field(max_length=MOST_INTENTS)],
            "filters": Annotated[list[required], Field(max_length=MOST_ENTITIES)],
            "links": Annotated[list[links], Field(max_length=3)],
        }

    def read(self, item: ParseQuery, entry: Any) -> Read[ParsedQuery]:
        """Read the parts; an entity in words that the question has not, and an unknown value, are left out."""
        entities, foreign = _read_entities(item, entry.entities)
        filters, unknown = _read_filters(item, entry.filters)
        left_out = (*foreign, *unknown)
        return Read(
            ParsedQuery(
                entities=_pairs(entities.items()),
                intents=tuple(dict.fromkeys(entry.intents)),
                filters=_pairs(filters.items()),
                links=tuple(dict.fromkeys(link for link in entry.links if link in item.links)),
                left_out=left_out,
            ),
            complaints=tuple(f"{one.part}: {one.reason}." for one in left_out),
        )


def _read_entities(item: ParseQuery, given: Iterable[Any]) -> tuple[dict[str, str], list[LeftOut]]:
    """Return what a question says of each section, and what more than half is not in its words."""
    asked, found, left_out = set(content_words(item.question, item.language)), dict[str, str](), list[LeftOut]()
    for one in given:
        words = content_words(one.value, item.language)
        foreign = sum(word not in asked for word in words)
        if len(one.value) > VALUE_CHARACTERS or (words and foreign > FOREIGN_WORDS * len(words)):
            left_out.append(LeftOut(part=f"entity {one.section}", reason="its words are not the question's"))
        else:
            found.setdefault(one.section, one.value)
    return found, left_out


def _read_filters(item: ParseQuery, given: Iterable[Any]) -> tuple[dict[str, str], list[LeftOut]]:
    """Return the known value of each field, and what no ticket has."""
    known = {field.section: {v.casefold(): v for v in field.values} for field in item.fields}
    found, left_out = dict[str, str](), list[LeftOut]()
    for one in given:
        if value := known.get(one.section, {}).get(one.value.casefold()):
            found.setdefault(one.section, value)
        else:
            left_out.append(LeftOut(part=f"filter {one.section}", reason="no ticket has this value"))
    return found, left_out


def _pairs(pairs: Iterable[tuple[str, str]]) -> tuple[SectionValue, ...]:
    return tuple(SectionValue(section=section, value=value) for section, value in pairs)


TASK = ParseQueryTask()
