"""The template of tickets: which sections a ticket has, where each is found, and how they hang together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, get_args

from autokb.core.errors import BadEntryError, as_value, shown_value
from autokb.core.tickets import SIMILAR_TO, TICKET
from autokb.core.validation import Entry, Switch, Word, one_of, read_as

Direction = Literal["out", "in", "both"]
BLOCKS = ("code", "log")  # kinds of blocks that can be sections: source code, and output of programs
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_RELATION = re.compile(r"[A-Z][A-Z0-9_]*")
_WHERE = "domain.yaml: tickets"
_WORDS = "a list of words; write it as [one, two]"


def _read_name(value: Any) -> str | None:
    return value if isinstance(value, str) and _NAME.fullmatch(value) and value != TICKET else None


def _read_relation(value: Any) -> str | None:
    return value if isinstance(value, str) and _RELATION.fullmatch(value) else None


def _read_words(value: Any) -> tuple[str, ...] | None:
    listed = [value] if isinstance(value, str) else value or []
    is_list = isinstance(listed, list) and all(isinstance(one, str) and one.strip() for one in listed)
    return tuple(" ".join(one.split()) for one in listed) if is_list else None


def _read_folded(value: Any) -> tuple[str, ...] | None:
    words = _read_words(value)
    return words and tuple(word.casefold() for word in words)


def _read_blocks(value: Any) -> tuple[str, ...] | None:
    blocks = _read_words(value)
    return blocks if blocks is not None and {*blocks} <= {*BLOCKS} else None


Words = Annotated[tuple[str, ...], Entry(_WORDS, _read_words)]
Folded = Annotated[tuple[str, ...], Entry(_WORDS, _read_folded)]


@dataclass(frozen=True, slots=True)
class SectionRule:
    """One section: ``fields`` of a ticket that it holds, ``headings`` (as people write them, without case) under which
    it stands in texts, ``blocks`` of code or logs that belong to it, ``cues`` (words of a question that ask for it),
    ``not_cues`` (phrases with such a word in them that ask for nothing, such as "log in").

    ``relation`` leads to it from its ``parent``. A section that is not ``embedded`` is never compared with questions.
    """

    name: Annotated[str, Entry(f"small letters, digits and _; {TICKET} is the ticket itself", _read_name)]
    relation: Annotated[str, Entry("capitals, digits and _, such as HAS_FIX", _read_relation)]
    parent: Word = TICKET
    fields: Words = ()
    headings: Folded = ()
    blocks: Annotated[tuple[str, ...], Entry(f"a list of {' and '.join(BLOCKS)}", _read_blocks)] = ()
    cues: Folded = ()
    embedded: Switch = True
    not_cues: Folded = field(default=(), repr=False)  # no build reads them: tickets and keys stay as they are

    @property
    def label(self) -> str:
        """Its node label in a graph: StepsToReproduce."""
        return "".join(part.capitalize() for part in self.name.split("_"))


@dataclass(frozen=True, slots=True)
class LinkRule:
    """A kind of links that a question can ask for by ``cues``: those whose type has one of ``types`` in its name.

    Without ``types`` it is every link of the source. ``direction`` is seen from the ticket that the question is about.
    """

    name: Word
    types: Folded = ()
    cues: Folded = ()
    direction: Annotated[Direction, one_of(*get_args(Direction))] = "both"

    def has(self, link_type: str) -> bool:
        """Return whether a type of links is of this kind."""
        folded = link_type.casefold()
        return any(part in folded for part in self.types) if self.types else link_type != SIMILAR_TO


@dataclass(frozen=True)
class TicketTemplate:
    """The sections of tickets, each after the one it hangs under, and the kinds of links that questions ask for."""

    sections: tuple[SectionRule, ...]
    links: tuple[LinkRule, ...] = ()
    _by_name: Mapping[str, SectionRule] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the sections by name."""
        object.__setattr__(self, "_by_name", {rule.name: rule for rule in self.sections})

    def __getitem__(self, name: str) -> SectionRule:
        """Return the rule of a section (KeyError)."""
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        """Return whether there is such a section."""
        return name in self._by_name

    def path(self, name: str) -> tuple[SectionRule, ...]:
        """Return the rules that lead from the ticket to a section, that one last."""
        found: list[SectionRule] = []
        while name != TICKET:
            found.insert(0, self[name])
            name = found[0].parent
        return tuple(found)

    @cached_property
    def field_of(self) -> Mapping[str, str]:
        """The section of each field."""
        return {name: rule.name for rule in self.sections for name in rule.fields}


def read_template(data: Mapping[str, Any]) -> TicketTemplate:
    """Read the ``tickets`` of a domain.yaml (BadEntryError): ``sections`` is a list of sections, or of their names."""
    entries = data.get("sections")
    if not isinstance(entries, list) or not entries:
        raise BadEntryError(f"{_WHERE}: sections must be a list of sections such as {{name: fix}}.")
    rules: dict[str, SectionRule] = {}
    fields: dict[str, str] = {}
    for position, entry in enumerate(entries, 1):
        rule = _read_section(position, {"name": entry} if isinstance(entry, str) else entry)
        if rule.name in rules:
            raise BadEntryError(f"{_WHERE}: two sections are called {shown_value(rule.name)}; make them one.")
        rules[rule.name] = rule
        for name in rule.fields:
            if (other := fields.setdefault(name, rule.name)) != rule.name:
                both = f"{shown_value(other)} and {shown_value(rule.name)}"
                raise BadEntryError(f"{_WHERE}: the field {shown_value(name)} is in {both}; leave one out.")
    for rule in rules.values():
        if rule.parent not in rules and rule.parent != TICKET:
            parent = shown_value(rule.parent)
            raise BadEntryError(
                f"{_WHERE}: the section {shown_value(rule.name)} hangs under {parent}, which is no section."
            )
    return TicketTemplate(_parents_first(list(rules.values())), _read_links(data.get("links")))


def _read_section(position: int, entry: Any) -> SectionRule:
    where = f"{_WHERE}: section {position}"
    name = _name_in(entry, where, "{name: fix, headings: [solution]}")
    where = f"{_WHERE}: the section {as_value(repr(name), str(position))}"
    given = {key: value for key, value in entry.items() if value not in (None, "")}
    rule: SectionRule = read_as(SectionRule, {"name": name, "relation": f"HAS_{name.upper()}", **given}, where)
    return rule


def _read_links(entries: Any) -> tuple[LinkRule, ...]:
    if entries is not None and not isinstance(entries, list):
        raise BadEntryError(f"{_WHERE}: links must be a list such as [{{name: duplicates, cues: [same as]}}].")
    rules: list[LinkRule] = []
    for position, entry in enumerate(entries or (), 1):
        where = f"{_WHERE}: link {position}"
        _name_in(entry, where, "{name: duplicates, cues: [same as]}")
        rules.append(read_as(LinkRule, entry, where))
    return tuple(rules)


def _name_in(entry: Any, where: str, example: str) -> str:
    """Return the name that an entry must have."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    if not isinstance(name, str):
        raise BadEntryError(f"{where} needs a name, for example {example}.")
    return name


def _parents_first(rules: list[SectionRule]) -> tuple[SectionRule, ...]:
    found: dict[str, SectionRule] = {}
    waiting = list(rules)
    while waiting:
        ready = [rule for rule in waiting if rule.parent == TICKET or rule.parent in found]
        if not ready:
            names = as_value(", ".join(rule.name for rule in waiting))
            raise BadEntryError(f"{_WHERE}: the sections {names} hang under each other in a circle.")
        found.update((rule.name, rule) for rule in ready)
        waiting = [rule for rule in waiting if rule.name not in found]
    return tuple(found.values())
