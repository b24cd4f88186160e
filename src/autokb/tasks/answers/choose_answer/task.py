"""The task that chooses among what the search found: the sections that answer, none, or what to ask back first."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.core.attributes import Attributes
from autokb.core.domain import Attribute, read_domain
from autokb.core.nouns import Message
from autokb.tasks.issues.attribute_fields import (
    attributes_tokens,
    attributes_type,
    describe_attributes,
    describe_values,
    field_names,
    read_values,
)
from autokb.tasks.task import Read, Reply, ReplyError, Task
from autokb.tasks.wire import number_to

MOST_CHOSEN = 3  # sections, as many as a person reads before giving up
NOTHING = "none"  # to ask back


@dataclass(frozen=True, slots=True)
class OfferedIssue:
    """A known problem near the question and the titles of what helps with it, none where nothing is known."""

    text: str
    solutions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OfferedSection:
    """A section that was found: its document and headings, for whom it is, and the lines that say most."""

    title: str
    holds_for: Attributes
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChooseAnswer:
    """A conversation, its last message the customer's, with what was read of attributes and what the search found."""

    domain: str
    configuration: Mapping[str, Attribute]
    conversation: tuple[Message, ...]
    read: Attributes
    issues: tuple[OfferedIssue, ...]
    sections: tuple[OfferedSection, ...]


class ChosenAnswer(Reply):
    """The positions of the sections that answer, best first, from 0; what to ask back; what the customer has.

    ``line`` is the position of the line that says what was asked, counted over all sections, None where none does.
    """

    sections: tuple[int, ...]
    ask: str | None = None
    attributes: dict[str, list[str]] = Field(default_factory=dict)
    line: int | None = None


class ChooseAnswerTask(Task[ChooseAnswer, ChosenAnswer]):
    """Which of what was found answers the customer's last message?"""

    input = ChooseAnswer
    output = ChosenAnswer
    masks = True

    def check(self, item: ChooseAnswer, reply: ChosenAnswer) -> None:
        """Refuse what is not offered, a section twice, and a question about what the customer has said."""
        if len(set(reply.sections)) < len(reply.sections):
            raise ReplyError("Name each section once.")
        if any(not 0 <= n < len(item.sections) for n in reply.sections):
            raise ReplyError(f"There are the sections 1 to {len(item.sections)}.")
        if reply.ask is not None and reply.ask not in item.configuration:
            raise ReplyError(f"{reply.ask!r} is no attribute; there are {sorted(item.configuration)}.")
        if reply.ask is not None and not reply.sections:
            raise ReplyError("Ask back only where a section answers for some customers; name it.")

    def values(self, items: Sequence[ChooseAnswer]) -> Mapping[str, Any]:
        """Return the domain, the attributes, and the conversation with all that is offered."""
        (item,) = items
        return {"domain": item.domain, **_shown(item)}

    def examples(self, items: Sequence[ChooseAnswer]) -> Sequence[Mapping[str, Any]]:
        """Return the examples as a request shows its own material."""
        return [{**e, **_shown(example_choice(e))} for e in super().examples(items)]

    def published(self, items: Sequence[ChooseAnswer]) -> Sequence[str]:
        """Return the lines of what is known; issues are customers' words."""
        return [line for section in items[0].sections for line in (section.title, *section.lines)]

    def entry(self, items: Sequence[ChooseAnswer]) -> Mapping[str, Any]:
        """Return the fields of the one entry."""
        (item,) = items
        fields = tuple(field_names(item.configuration).values())
        lines = _lines(item)
        section: Any = number_to(len(item.sections))
        return {
            "attributes": attributes_type(item.configuration, lenient=True),
            "sections": Annotated[list[section], Field(max_length=MOST_CHOSEN)],
            "line": number_to(lines, first=0),
            "ask": Literal[(NOTHING, *fields)],
        }

    def form(self, items: Sequence[ChooseAnswer]) -> Hashable:
        """Return the attributes and how many sections and lines there are: the reader of a question waits."""
        (item,) = items
        return tuple(item.configuration.values()), len(item.sections), _lines(item)

    def read(self, item: ChooseAnswer, entry: Any) -> Read[ChosenAnswer]:
        """Read the choice; positions count from 0, and values that an attribute does not have are dropped."""
        names = {field: name for name, field in field_names(item.configuration).items()}
        found = {}
        for name, values in read_values(entry.attributes, item.configuration).items():
            attribute = item.configuration[name]
            known = [v for v in values if attribute.kind == "open" or v in (*attribute.values, "NONE")]
            if known and (len(known) == 1 or "NONE" not in known):
                found[name] = known
        answer = ChosenAnswer(
            sections=tuple(n - 1 for n in entry.sections),
            ask=names.get(entry.ask),
            attributes=found,
            line=entry.line - 1 if entry.line else None,
        )
        return Read(answer)

    def tokens(self, item: ChooseAnswer) -> tuple[int, int]:
        """Return the tokens of an entry."""
        most, usual = attributes_tokens(item.configuration)
        return most + 60, usual // 2 + 40


def example_choice(example: Mapping[str, Any]) -> ChooseAnswer:
    """Return what an entry of ``examples.yaml`` is about."""
    return ChooseAnswer(
        "",
        read_domain({"attributes": example["domain"]}).attributes,
        tuple(Message(role, text) for one in example["conversation"] for role, text in one.items()),
        {name: frozenset(values) for name, values in example["read"].items()},
        tuple(OfferedIssue(one["text"], tuple(one["solutions"])) for one in example["issues"]),
        tuple(
            OfferedSection(one["title"], {n: frozenset(v) for n, v in one.get("for", {}).items()}, tuple(one["lines"]))
            for one in example["sections"]
        ),
    )


def _lines(item: ChooseAnswer) -> int:
    return sum(len(section.lines) for section in item.sections)


def _shown(item: ChooseAnswer) -> Mapping[str, Any]:
    """Return what a request shows: lines are numbered over all sections, attributes have the names of the reply."""
    fields, number, sections = field_names(item.configuration), 0, []
    for section in item.sections:
        lines = [f"[{number + n}] {line}" for n, line in enumerate(section.lines, 1)]
        number += len(lines)
        sections.append(
            {"title": section.title, "holds_for": describe_values(section.holds_for, fields), "lines": lines}
        )
    return {
        "attributes": describe_attributes(item.configuration),
        "conversation": [{"role": m.role, "text": m.text} for m in item.conversation],
        "read": describe_values(item.read, fields),
        "issues": [{"text": one.text, "solutions": list(one.solutions)} for one in item.issues],
        "sections": sections,
    }


TASK = ChooseAnswerTask()
