"""The task that drafts attributes and rules from issues and documents, for a person to edit (section 4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from autokb.heuristics.grounding.visible import visible
from autokb.heuristics.spec.draft import draft_spec
from autokb.heuristics.spec.proposal import (
    MOST_ATTRIBUTES,
    MOST_SYNONYMS,
    MOST_VALUES,
    DraftedAttribute,
    DraftedSpec,
    DraftSpec,
)
from autokb.tasks.issues.draft_spec.reply_reader import (
    ATTRIBUTE_NAME,
    LONGEST_NAME,
    NO_VALUES,
    RULE_ID,
    TEXT_CHARACTERS,
    VALUE_CHARACTERS,
    DraftReader,
)
from autokb.tasks.task import Read, ReplyError, Task
from autokb.tasks.wire import Wire, wire

Word = Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": VALUE_CHARACTERS})]
Sentence = Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": TEXT_CHARACTERS})]


def _name_field(pattern: str, **more: Any) -> Any:
    return Field(json_schema_extra={"pattern": f"^{pattern}$", "maxLength": LONGEST_NAME}, **more)


class WireSynonyms(Wire):
    """Other words for one value."""

    value: Word
    words: list[Word] = Field(min_length=1, max_length=MOST_SYNONYMS)


class WireRule(Wire):
    """One proposed rule."""

    id: Annotated[str, _name_field(RULE_ID.pattern)]
    text: Sentence
    why: Sentence


class DraftSpecTask(Task[DraftSpec, DraftedSpec]):
    """Which attributes and rules could this domain have? Issues are numbered, so that each attribute names some."""

    input = DraftSpec
    output = DraftedSpec
    most_rules = 10
    most_examples = 12  # of an open attribute
    most_issues = 12  # that an attribute names
    entry_tokens = (3_600, 1_600)

    def offline(self, item: DraftSpec) -> DraftedSpec:
        """Propose attributes whose values issues and documents both name, and the rules every domain starts with."""
        return draft_spec(item)

    def check(self, item: DraftSpec, reply: DraftedSpec) -> None:
        """Refuse what ``domain.yaml`` could not take: wrong or doubled names and values, Any, NONE, a lone value."""
        _refuse_doubles("attribute", [*(name for name, _ in item.attributes), *(a.name for a in reply.attributes)])
        _refuse_doubles("rule", [*(rule for rule, _ in item.rules), *(r.id for r in reply.rules)])
        for attribute in reply.attributes:
            _check_attribute(attribute, len(item.issues))
        for rule in reply.rules:
            if not RULE_ID.fullmatch(rule.id) or not rule.text.strip():
                raise ReplyError(f"The rule {rule.id!r} needs an id of small letters and hyphens, and a text.")

    def values(self, items: Sequence[DraftSpec]) -> Mapping[str, Any]:
        """Return what is configured, and issues and documents as people see them."""
        (item,) = items
        return {
            "domain": item.domain,
            "attributes": item.attributes,
            "rules": item.rules,
            "issues": [visible(issue) for issue in item.issues],
            "documents": [(visible(title), visible(opening)) for title, opening in item.documents],
            "most_attributes": MOST_ATTRIBUTES,
            "most_values": MOST_VALUES,
            "most_rules": self.most_rules,
        }

    def entry(self, items: Sequence[DraftSpec]) -> Mapping[str, Any]:
        """Return the fields of the one entry; only the JSON schema bounds the numbers of issues and the names."""
        highest = max(1, len(items[0].issues))
        number: Any = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": highest})]
        attribute: Any = wire(
            "Attribute",
            called=Annotated[str, _name_field(ATTRIBUTE_NAME.pattern, alias="name")],
            why=Sentence,
            issues=Annotated[list[number], Field(max_length=self.most_issues)],
            kind=Literal["closed", "open"],
            values=Annotated[list[Word], Field(max_length=MOST_VALUES)],
            synonyms=Annotated[list[WireSynonyms], Field(max_length=MOST_VALUES)],
            examples=Annotated[list[Word], Field(max_length=self.most_examples)],
        )
        return {
            "attributes": Annotated[list[attribute], Field(max_length=MOST_ATTRIBUTES)],
            "rules": Annotated[list[WireRule], Field(max_length=self.most_rules)],
        }

    def read(self, item: DraftSpec, entry: Any) -> Read[DraftedSpec]:
        """Read the draft; what cannot stand in a domain.yaml is worth one repair and left out after it."""
        reader = DraftReader(item)
        for attribute in entry.attributes:
            reader.add_attribute(attribute)
        for rule in entry.rules:
            reader.add_rule(rule)
        return Read(reader.draft(), complaints=tuple(f"{part.part}: {part.reason}" for part in reader.left_out))


# Complex: one condition for each thing that a proposal can have wrong, with a sentence for the model.
def _check_attribute(attribute: DraftedAttribute, issues: int) -> None:
    if not ATTRIBUTE_NAME.fullmatch(attribute.name):
        raise ReplyError(f"The attribute {attribute.name!r} needs a name of small letters and underscores.")
    listed = attribute.values if attribute.kind == "closed" else attribute.examples
    if len(listed) < 2:
        raise ReplyError(f"{attribute.name}: give at least two values; one alone tells nothing apart.")
    _refuse_doubles(f"value of {attribute.name}", listed)
    if unwanted := [v for v in listed if v.casefold() in NO_VALUES or not v.strip()]:
        raise ReplyError(f"{attribute.name}: {unwanted[0]!r} is no value; Any and NONE are understood already.")
    if stray := {s.value for s in attribute.synonyms} - set(listed):
        raise ReplyError(f"{attribute.name}: {sorted(stray)[0]!r} has synonyms but is none of its values.")
    _refuse_doubles(f"synonym of {attribute.name}", [w for s in attribute.synonyms for w in s.words])
    if set(attribute.issues) - set(range(1, issues + 1)):
        raise ReplyError(f"{attribute.name}: the issues have the numbers 1 to {issues}.")


def _refuse_doubles(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise ReplyError(f"The {what} {name!r} stands twice; give it once.")
        seen.add(name.casefold())


TASK = DraftSpecTask()
