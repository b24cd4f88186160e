"""A model's draft, read part by part: what is unwanted, doubled or alone is left out with its reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from autokb.core.reply import LeftOut
from autokb.heuristics.grounding.visible import visible
from autokb.heuristics.spec.proposal import DraftedAttribute, DraftedRule, DraftedSpec, DraftSpec, Synonyms
from autokb.tasks.prompts import unescaped

LONGEST_NAME = 40  # characters of an attribute's name and of a rule's id
ATTRIBUTE_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
RULE_ID = re.compile(r"[a-z][a-z0-9-]{0,39}")
VALUE_CHARACTERS = 60  # of the value of an attribute
TEXT_CHARACTERS = 300  # of a rule and of a reason
NO_VALUES = frozenset(
    {"any", "none", "n/a", "unknown", "unspecified", "not specified", "not applicable", "all", "other"}
)


class DraftReader:
    """Takes attributes and rules one after the other; ``left_out`` is what could not be used."""

    def __init__(self, item: DraftSpec) -> None:
        self.left_out: list[LeftOut] = []
        self._item = item
        self._names = {name.casefold() for name, _ in item.attributes}
        self._ids = {rule.casefold() for rule, _ in item.rules}
        self._attributes: list[DraftedAttribute] = []
        self._rules: list[DraftedRule] = []

    def draft(self) -> DraftedSpec:
        """Return what was taken."""
        return DraftedSpec(attributes=tuple(self._attributes), rules=tuple(self._rules), left_out=tuple(self.left_out))

    def add_attribute(self, written: Any) -> None:
        """Take one attribute, as far as it can be used."""
        name = _identifier(written.called, "_")
        if not name or name in self._names:
            self._leave_out(name or written.called[:LONGEST_NAME], "this name is empty or taken already")
            return
        closed = written.kind == "closed"
        values = self._values(name, written.values if closed else [*written.examples, *written.values])
        if len(values) < 2:
            self._leave_out(name, "it has less than two values, so it tells nothing apart")
            return
        self._names.add(name)
        self._attributes.append(
            DraftedAttribute(
                name=name,
                kind=written.kind,
                values=values if closed else (),
                synonyms=self._synonyms(name, values, written.synonyms),
                examples=() if closed else values,
                why=_one_line(written.why, TEXT_CHARACTERS),
                issues=self._issues(name, written.issues),
            )
        )

    def add_rule(self, written: Any) -> None:
        """Take one rule, as far as it can be used."""
        rule_id, text = _identifier(written.id, "-"), _one_line(written.text, TEXT_CHARACTERS)
        if not rule_id or rule_id in self._ids or not text:
            reason = "the rule's id is empty or taken already, or it has no text"
            self._leave_out(rule_id or written.id[:LONGEST_NAME], reason)
            return
        self._ids.add(rule_id)
        self._rules.append(DraftedRule(id=rule_id, text=text, why=_one_line(written.why, TEXT_CHARACTERS)))

    def _leave_out(self, part: str, reason: str) -> None:
        self.left_out.append(LeftOut(part=part, reason=reason))

    def _values(self, name: str, written: Sequence[str]) -> tuple[str, ...]:
        values: dict[str, str] = {}
        for value in (_one_line(v, VALUE_CHARACTERS) for v in written):
            if not value or value.casefold() in NO_VALUES:
                self._leave_out(name, f"{value!r} is no value; Any and NONE are understood already")
            elif value.casefold() in values:
                self._leave_out(name, f"the value {value!r} stands twice")
            else:
                values[value.casefold()] = value
        return tuple(values.values())

    def _synonyms(self, name: str, values: Sequence[str], written: Sequence[Any]) -> tuple[Synonyms, ...]:
        by_name = {value.casefold(): value for value in values}
        taken = set(by_name)
        found: dict[str, list[str]] = {}
        for one in written:
            value = by_name.get(_one_line(one.value, VALUE_CHARACTERS).casefold())
            if value is None:
                self._leave_out(name, f"{one.value[:VALUE_CHARACTERS]!r} has synonyms but is none of its values")
                continue
            for word in (_one_line(w, VALUE_CHARACTERS) for w in one.words):
                if word.casefold() in taken and word.casefold() != value.casefold():
                    self._leave_out(name, f"the synonym {word!r} stands for two values or twice")
                elif word and word.casefold() not in taken:
                    taken.add(word.casefold())
                    found.setdefault(value, []).append(word)
        return tuple(Synonyms(value=value, words=tuple(words)) for value, words in found.items())

    def _issues(self, name: str, written: Sequence[int]) -> tuple[int, ...]:
        found = [n for n in dict.fromkeys(written) if 1 <= n <= len(self._item.issues)]
        if len(found) < len(set(written)):
            self._leave_out(name, f"it names an issue that is not there; they are 1 to {len(self._item.issues)}")
        return tuple(found)


def _one_line(text: str, most: int) -> str:
    """Return a model's words as one visible line."""
    return " ".join(visible(unescaped(text)).split())[:most].strip()


def _identifier(text: str, joint: str) -> str:
    """Return a name as domain.yaml spells names: ``Operating system`` becomes ``operating_system``."""
    words = re.findall(r"[a-z0-9]+", visible(text).casefold())
    return joint.join(words)[:LONGEST_NAME].strip(joint) if words and words[0][0].isalpha() else ""
