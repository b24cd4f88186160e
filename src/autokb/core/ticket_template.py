"""The template of tickets: which sections a ticket has, where each is found, and how they hang together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

from autokb.core.errors import BadInputError
from autokb.core.tickets import SIMILAR_TO, TICKET

Direction = Literal["out", "in", "both"]
BLOCKS = ("code", "log")  # kinds of blocks that can be sections: source code, and output of programs
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_RELATION = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class SectionRule:
    """One section: ``fields`` of a ticket that it holds, ``headings`` (as people write them, without case) under which
    it stands in texts, ``blocks`` of code or logs that belong to it, ``cues`` (words of a question that ask for it),
    ``not_cues`` (phrases with such a word in them that ask for nothing, such as "log in").

    ``relation`` leads to it from its ``parent``. A section that is not ``embedded`` is never compared with questions.
    """

    name: str
    relation: str
    parent: str = TICKET
    fields: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    embedded: bool = True
    not_cues: tuple[str, ...] = field(default=(), repr=False)  # no build reads them: tickets and keys stay as they are

    @property
    def label(self) -> str:
        """Its node label in a graph: StepsToReproduce."""
        return "".join(part.capitalize() for part in self.name.split("_"))


@dataclass(frozen=True, slots=True)
class LinkRule:
    """A kind of links that a question can ask for by ``cues``: those whose type has one of ``types`` in its name.

    Without ``types`` it is every link of the source. ``direction`` is seen from the ticket that the question is about.
    """

    name: str
    types: tuple[str, ...]
    cues: tuple[str, ...]
    direction: Direction = "both"

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


# Complex: names, parents and fields must fit together across sections, each with a sentence of its own.
def read_template(data: Mapping[str, Any]) -> TicketTemplate:
    """Read the ``tickets`` of a domain.yaml (BadInputError): ``sections`` is a list of sections, or of their names."""
    entries = data.get("sections")
    if not isinstance(entries, list) or not entries:
        raise BadInputError("domain.yaml: tickets: sections must be a list of sections such as {name: fix}.")
    rules: list[SectionRule] = []
    for position, entry in enumerate(entries, 1):
        rule = _read_rule(position, {"name": entry} if isinstance(entry, str) else entry)
        if any(other.name == rule.name for other in rules):
            raise BadInputError(f"domain.yaml: tickets: two sections are called {rule.name!r}; make them one.")
        rules.append(rule)
    names = {rule.name for rule in rules}
    if unknown := next((r for r in rules if r.parent not in names | {TICKET}), None):
        raise BadInputError(
            f"domain.yaml: tickets: the section {unknown.name!r} hangs under {unknown.parent!r}, which is no section."
        )
    taken: dict[str, str] = {}
    for rule in rules:
        for name in rule.fields:
            if taken.setdefault(name, rule.name) != rule.name:
                raise BadInputError(
                    f"domain.yaml: tickets: the field {name!r} is in {taken[name]!r} and {rule.name!r}; leave one out."
                )
    return TicketTemplate(_parents_first(rules), _read_links(data.get("links")))


def _parents_first(rules: list[SectionRule]) -> tuple[SectionRule, ...]:
    found: dict[str, SectionRule] = {}
    waiting = list(rules)
    while waiting:
        ready = [rule for rule in waiting if rule.parent == TICKET or rule.parent in found]
        if not ready:
            names = ", ".join(rule.name for rule in waiting)
            raise BadInputError(f"domain.yaml: tickets: the sections {names} hang under each other in a circle.")
        found.update((rule.name, rule) for rule in ready)
        waiting = [rule for rule in waiting if rule.name not in found]
    return tuple(found.values())


def _read_links(entries: Any) -> tuple[LinkRule, ...]:
    if entries is None:
        return ()
    if not isinstance(entries, list):
        raise BadInputError("domain.yaml: tickets: links must be a list such as [{name: duplicates, cues: [same as]}].")
    rules: list[LinkRule] = []
    for position, entry in enumerate(entries, 1):
        where = f"domain.yaml: tickets: link {position}"
        if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
            raise BadInputError(f"{where} needs a name, for example {{name: duplicates, cues: [same as]}}.")
        if stray := [str(key) for key in entry if key not in ("name", "types", "cues", "direction")]:
            raise BadInputError(f"{where} has the entry {stray[0]!r}; it may have name, types, cues and direction.")
        direction = entry.get("direction", "both")
        if direction not in get_args(Direction):
            raise BadInputError(f"{where}: direction must be out, in or both.")
        types, cues = (_read_folded(entry.get(key), f"{where}: {key}") for key in ("types", "cues"))
        rules.append(LinkRule(entry["name"], types, cues, direction))
    return tuple(rules)


_ENTRIES = ("name", "relation", "parent", "fields", "headings", "blocks", "cues", "not_cues", "embedded")


# Complex: each entry of a section is read and refused in its own words, as people wrote them.
def _read_rule(position: int, entry: Any) -> SectionRule:
    where = f"domain.yaml: tickets: section {position}"
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise BadInputError(f"{where} needs a name, for example {{name: fix, headings: [solution]}}.")
    name = entry["name"]
    where = f"domain.yaml: tickets: the section {name!r}"
    if not _NAME.fullmatch(name) or name == TICKET:
        raise BadInputError(f"{where} must be called by small letters, digits and _, and not {TICKET!r}.")
    if stray := [str(key) for key in entry if key not in _ENTRIES]:
        raise BadInputError(f"{where} has the entry {stray[0]!r}; it may have {', '.join(_ENTRIES)}.")
    relation = str(entry.get("relation") or f"HAS_{name.upper()}")
    if not _RELATION.fullmatch(relation):
        raise BadInputError(f"{where}: relation must be capitals, digits and _, such as HAS_FIX, not {relation!r}.")
    blocks = _read_words(entry.get("blocks"), f"{where}: blocks")
    if stray := [b for b in blocks if b not in BLOCKS]:
        raise BadInputError(f"{where}: blocks may be {' and '.join(BLOCKS)}, not {stray[0]!r}.")
    embedded = str(entry.get("embedded", True)).casefold()  # our YAML has no truth values: Norway's code is no
    if embedded not in ("true", "false"):
        raise BadInputError(f"{where}: embedded must be true or false.")
    return SectionRule(
        name=name,
        relation=relation,
        parent=str(entry.get("parent") or TICKET),
        fields=_read_words(entry.get("fields"), f"{where}: fields"),
        headings=_read_folded(entry.get("headings"), f"{where}: headings"),
        blocks=blocks,
        cues=_read_folded(entry.get("cues"), f"{where}: cues"),
        not_cues=_read_folded(entry.get("not_cues"), f"{where}: not_cues"),
        embedded=embedded == "true",
    )


def _read_words(value: Any, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise BadInputError(f"{where} must be a list of words; write it as [one, two].")
    return tuple(" ".join(one.split()) for one in value)


def _read_folded(value: Any, where: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in _read_words(value, where))
