"""The task that drafts a template of sections from a sample of tickets, for a person to edit."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import Field

from autokb.core.tickets import TICKET
from autokb.plugins.tickets.heuristics.template_draft import (
    DraftedSection,
    DraftedTemplate,
    DraftTemplate,
    draft_template,
)
from autokb.tasks.task import LeftOut, Read, ReplyError, Task
from autokb.tasks.wire import wire

C = TypeVar("C")
MOST_SECTIONS = 30  # of a template
LONGEST_NAME = 41  # characters of the name of a section
LONGEST_REASON = 300  # characters
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


class DraftTemplateTask(Task[DraftTemplate, DraftedTemplate]):
    """Which sections could the template of these tickets have? Headings and fields are named by their numbers."""

    name = "tickets/draft_template"
    input = DraftTemplate
    output = DraftedTemplate
    masks = True
    entry_tokens = (3_000, 900)

    def offline(self, item: DraftTemplate) -> DraftedTemplate:
        """Propose a section for each frequent heading and field."""
        return draft_template(item)

    def check(self, item: DraftTemplate, reply: DraftedTemplate) -> None:
        """Refuse what a domain.yaml could not take: wrong names, parents that there are not, doubles."""
        known = {section.name for section in item.known}
        names = [section.name for section in reply.sections]
        if len(set(names)) < len(names):
            raise ReplyError("A section stands twice; give it once.")
        for section in reply.sections:
            if not _NAME.fullmatch(section.name) or section.name == TICKET:
                raise ReplyError(f"The section {section.name!r} needs a name of small letters, digits and _.")
            if section.parent not in known | set(names) | {TICKET} or section.parent == section.name:
                raise ReplyError(f"{section.name}: there is no section {section.parent!r} that it could hang under.")
            if not section.headings and not section.fields:
                raise ReplyError(f"{section.name}: it needs a heading or a field.")

    def values(self, items: Sequence[DraftTemplate]) -> Mapping[str, Any]:
        """Return what was counted, under numbers, and the template of today."""
        (item,) = items
        return {"tickets": item.tickets, "headings": item.headings, "fields": item.fields, "known": item.known}

    def entry(self, items: Sequence[DraftTemplate]) -> Mapping[str, Any]:
        """Return the field of the one entry; only the JSON schema bounds names and numbers."""
        (item,) = items
        section: Any = wire(
            "Section",
            called=Annotated[str, Field(alias="name", min_length=1, json_schema_extra={"maxLength": LONGEST_NAME})],
            parent=Annotated[str, Field(json_schema_extra={"maxLength": LONGEST_NAME})],
            headings=_numbers(len(item.headings)),
            fields=_numbers(len(item.fields)),
            why=Annotated[str, Field(json_schema_extra={"maxLength": LONGEST_REASON})],
        )
        return {"sections": Annotated[list[section], Field(max_length=MOST_SECTIONS)]}

    # Complex: a section is judged by those that were read before it, and parents by all of them.
    def read(self, item: DraftTemplate, entry: Any) -> Read[DraftedTemplate]:
        """Read the sections; one that a domain.yaml could not take is worth a repair and left out after it."""
        known = {section.name for section in item.known}
        named = {one.called for one in entry.sections} | known | {TICKET}
        drafted: dict[str, DraftedSection] = {}
        left_out: list[LeftOut] = []
        for number, one in enumerate(entry.sections, 1):
            headings, fields = _numbered(item.headings, one.headings), _numbered(item.fields, one.fields)
            if reason := _fault(one, named, drafted, has_parts=bool(headings or fields)):
                left_out.append(LeftOut(part=f"section {number}", reason=reason))
                continue
            drafted[one.called] = DraftedSection(
                name=one.called,
                parent=one.parent,
                headings=tuple(heading.heading for heading in headings),
                fields=tuple(field.name for field in fields),
                embedded=not (fields and not headings and all(field.repeats for field in fields)),
                why=one.why,
            )
        sections = [s for s in drafted.values() if s.parent in known | set(drafted) | {TICKET}]
        return Read(
            DraftedTemplate(sections=tuple(sections), left_out=tuple(left_out)),
            complaints=tuple(f"{one.part}: {one.reason}." for one in left_out),
        )


def _numbered(counted: Sequence[C], numbers: Sequence[int]) -> list[C]:
    """Return what the numbers name; a number that nothing has names nothing."""
    return [counted[n - 1] for n in numbers if 0 < n <= len(counted)]


def _fault(section: Any, named: Container[str], drafted: Container[str], *, has_parts: bool) -> str:
    """Return why a domain.yaml could not take a section of a reply, or nothing."""
    if not _NAME.fullmatch(section.called) or section.called == TICKET or len(section.why) > LONGEST_REASON:
        return "its name must be small letters, digits and _, and its reason one sentence"
    if section.called in drafted:
        return "it stands twice"
    if section.parent not in named or section.parent == section.called:
        return "the section that it is to hang under is not there"
    return "" if has_parts else "it names no heading and no field that was counted"


def _numbers(last: int) -> Any:
    number = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": max(1, last)})]
    return Annotated[list[number], Field(max_length=40)]


TASK = DraftTemplateTask()
