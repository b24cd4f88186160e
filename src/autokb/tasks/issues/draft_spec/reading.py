"""A model's draft, read part by part: what is unwanted, doubled or alone is left out with its reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from autokb.tasks.grounded import visible
from autokb.tasks.issues.draft_spec.shapes import (
    LONGEST_TEXT,
    LONGEST_VALUE,
    UNWANTED,
    DraftedAttribute,
    DraftedRule,
    DraftedSpec,
    DraftSpec,
    Synonyms,
)
from autokb.tasks.prompts import unescaped
from autokb.tasks.reply import LeftOut


class Reading:
    """Attributes and rules as they are read one after the other."""

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

    def add_attribute(self, said: Any) -> None:
        """Take one attribute, as far as it can be used."""
        name = _identifier(said.called, "_")
        if not name or name in self._names:
            self._leave(name or said.called[:40], "this name is empty or taken already")
            return
        listed = self._listed(name, said.values if said.kind == "closed" else [*said.examples, *said.values])
        if len(listed) < 2:
            self._leave(name, "it has less than two values, so it tells nothing apart")
            return
        self._names.add(name)
        closed = said.kind == "closed"
        self._attributes.append(
            DraftedAttribute(
                name=name,
                kind=said.kind,
                values=listed if closed else (),
                synonyms=self._synonyms(name, listed, said.synonyms),
                examples=() if closed else listed,
                why=_line(said.why, LONGEST_TEXT),
                issues=self._numbers(name, said.issues),
            )
        )

    def add_rule(self, said: Any) -> None:
        """Take one rule, as far as it can be used."""
        rule_id, text = _identifier(said.id, "-"), _line(said.text, LONGEST_TEXT)
        if not rule_id or rule_id in self._ids or not text:
            self._leave(rule_id or said.id[:40], "the rule's id is empty or taken already, or it has no text")
            return
        self._ids.add(rule_id)
        self._rules.append(DraftedRule(id=rule_id, text=text, why=_line(said.why, LONGEST_TEXT)))

    def _leave(self, part: str, reason: str) -> None:
        self.left_out.append(LeftOut(part=part, reason=reason))

    def _listed(self, name: str, said: Sequence[str]) -> tuple[str, ...]:
        kept: dict[str, str] = {}
        for value in (_line(v, LONGEST_VALUE) for v in said):
            if not value or value.casefold() in UNWANTED:
                self._leave(name, f"{value!r} is no value; Any and NONE are understood already")
            elif value.casefold() in kept:
                self._leave(name, f"the value {value!r} stands twice")
            else:
                kept[value.casefold()] = value
        return tuple(kept.values())

    def _synonyms(self, name: str, listed: Sequence[str], said: Sequence[Any]) -> tuple[Synonyms, ...]:
        values = {value.casefold(): value for value in listed}
        taken = set(values)
        found: dict[str, list[str]] = {}
        for one in said:
            value = values.get(_line(one.value, LONGEST_VALUE).casefold())
            if value is None:
                self._leave(name, f"{one.value[:LONGEST_VALUE]!r} has synonyms but is none of its values")
                continue
            for word in (_line(w, LONGEST_VALUE) for w in one.words):
                if word.casefold() in taken and word.casefold() != value.casefold():
                    self._leave(name, f"the synonym {word!r} stands for two values or twice")
                elif word and word.casefold() not in taken:
                    taken.add(word.casefold())
                    found.setdefault(value, []).append(word)
        return tuple(Synonyms(value=value, words=tuple(words)) for value, words in found.items())

    def _numbers(self, name: str, said: Sequence[int]) -> tuple[int, ...]:
        there = [n for n in dict.fromkeys(said) if 1 <= n <= len(self._item.issues)]
        if len(there) < len(set(said)):
            self._leave(name, f"it names an issue that is not there; they are 1 to {len(self._item.issues)}")
        return tuple(there)


def _line(text: str, most: int) -> str:
    """Return a model's words as one visible line."""
    return " ".join(visible(unescaped(text)).split())[:most].strip()


def _identifier(text: str, joint: str) -> str:
    """Return a name as domain.yaml spells names: ``Operating system`` becomes ``operating_system``."""
    words = re.findall(r"[a-z0-9]+", visible(text).casefold())
    return joint.join(words)[:40].strip(joint) if words and words[0][0].isalpha() else ""
