"""The task that reads attribute values out of an issue, a question or a solution (prompt G.2)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.core.attributes import ANY, Attributes, as_lists, from_lists
from autokb.core.domain import ENGLISH, Attribute, read_domain
from autokb.core.ids import canonical_json, key_json, only_if_other_than, outside_key
from autokb.core.implications import with_implied_values
from autokb.heuristics.attributes.extract import extract_attributes, states_value
from autokb.heuristics.grouping import grouped
from autokb.tasks.issues.attribute_fields import attributes_tokens, attributes_type, describe_attributes, read_values
from autokb.tasks.prompts import examples, spelled_reply
from autokb.tasks.task import Read, Reply, ReplyError, Task

LONGEST_REASONING = 300  # characters of the scratchpad of a text
REASONING_TOKENS = (90, 30)  # of the scratchpad of a text: the most, and the usual number


@dataclass(frozen=True, slots=True)
class ExtractAttributes:
    """A text and the configuration it is read against; a model is told what the ``domain`` is, in its own words.

    With a ``scratchpad`` it reasons about a text before it gives the values.
    """

    text: str
    kind: Literal["issue", "question", "solution"]
    configuration: Mapping[str, Attribute]
    language: str = only_if_other_than(ENGLISH)
    domain: str = outside_key("")
    scratchpad: bool = outside_key(False)


class ExtractedAttributes(Reply):
    """What the text says: name to values; a name that is missing is unknown."""

    attributes: dict[str, list[str]]

    def as_attributes(self) -> Attributes:
        """Return the values as sets."""
        return from_lists(self.attributes)


class ExtractAttributesTask(Task[ExtractAttributes, ExtractedAttributes]):
    """Which attribute values does this text say?"""

    input = ExtractAttributes
    output = ExtractedAttributes
    offline_revision = 1
    most = 25  # texts: more and models begin to mix them up
    text_characters = 4_000  # that a model reads: who and what a text is about is said before that, logs follow

    def offline(self, item: ExtractAttributes) -> ExtractedAttributes:
        """Read by lexicon and a little grammar."""
        found = extract_attributes(item.text, item.kind, item.configuration, item.language)
        return ExtractedAttributes(attributes=found)

    def check(self, item: ExtractAttributes, reply: ExtractedAttributes) -> None:
        """Refuse names not configured, values a closed attribute does not have, and Any or NONE beside others."""
        for name, values in reply.attributes.items():
            if name not in item.configuration:
                raise ReplyError(f"{name!r} is no attribute of this domain; it has {sorted(item.configuration)}.")
            _check_values(item.configuration[name], values)

    def together(self, item: ExtractAttributes) -> Hashable:
        """Texts of one kind and domain that are read in one manner against one configuration can share a request."""
        return item.kind, item.domain, item.scratchpad, canonical_json(key_json(item.configuration))

    def values(self, items: Sequence[ExtractAttributes]) -> Mapping[str, Any]:
        """Return the configuration, which is the same for all, and the texts."""
        return {
            "kind": items[0].kind,
            "domain": items[0].domain,
            "scratchpad": items[0].scratchpad,
            "attributes": describe_attributes(items[0].configuration),
            "texts": [item.text[: self.text_characters] for item in items],
        }

    def examples(self, items: Sequence[ExtractAttributes]) -> Sequence[Mapping[str, Any]]:
        """Return the examples with their own configurations, with reasoning where this request wants it."""
        shown = []
        for example in examples(self.package):
            answers: Sequence[Mapping[str, Any]] = example["reply"]["answers"]
            if not items[0].scratchpad:
                answers = [{n: v for n, v in answer.items() if n != "reasoning"} for answer in answers]
            attributes = describe_attributes(read_domain({"attributes": example["domain"]}).attributes)
            shown.append({**example, "attributes": attributes, "reply": spelled_reply({"answers": answers})})
        return shown

    def entry(self, items: Sequence[ExtractAttributes]) -> Mapping[str, Any]:
        """Return the fields of an entry: the scratchpad, and a list of values for every attribute."""
        fields: dict[str, Any] = {"attributes": attributes_type(items[0].configuration)}
        if items[0].scratchpad:
            reasoning = Field(json_schema_extra={"maxLength": LONGEST_REASONING})
            return {"reasoning": Annotated[str, reasoning], **fields}
        return fields

    def read(self, item: ExtractAttributes, entry: Any) -> Read[ExtractedAttributes]:
        """Read the values; one of an open attribute that the text does not state is left out.

        They are spelled in the one way that offline answers have too, and what they settle is added.
        """
        found = read_values(entry.attributes, item.configuration)
        self.check(item, ExtractedAttributes(attributes=found))
        unstated = [(name, value) for name in found for value in _unstated(item, name, found[name])]
        left = grouped((name, v) for name, values in found.items() for v in values if (name, v) not in unstated)
        stated = {name: item.configuration[name].normal(frozenset(values)) for name, values in left.items()}
        if item.kind == "solution":
            stated = {name: values for name, values in stated.items() if values != ANY}
        answer = ExtractedAttributes(attributes=as_lists(with_implied_values(stated, item.configuration)))
        complaints = (f"Number {entry.number}: {name}: the text does not say {value!r}." for name, value in unstated)
        return Read(answer, complaints=tuple(complaints))

    def tokens(self, item: ExtractAttributes) -> tuple[int, int]:
        """Return the tokens of an entry."""
        most, usual = attributes_tokens(item.configuration)
        reasoning = REASONING_TOKENS if item.scratchpad else (0, 0)
        return most + 16 + reasoning[0], usual * 3 // 4 + reasoning[1]


def _unstated(item: ExtractAttributes, name: str, values: Sequence[str]) -> list[str]:
    """Return the values of an open attribute that nobody configured and the text does not state."""
    attribute = item.configuration[name]
    if attribute.kind == "closed":
        return []
    known = {"Any", "NONE", *attribute.values, *attribute.examples, *attribute.synonyms}
    unknown = (v for v in values if v not in known)
    return [v for v in unknown if not states_value(item.text, attribute, v, item.configuration, item.language)]


def _check_values(attribute: Attribute, values: Sequence[str]) -> None:
    name = attribute.name
    if not values or len(set(values)) < len(values) or not all(v.strip() for v in values):
        raise ReplyError(f"{name!r} needs each value once and at least one; leave the name out when nothing is said.")
    others = set(values) - {"Any", "NONE"}
    if len(values) > 1 and len(others) < len(values):
        raise ReplyError(f"{name!r}: Any and NONE stand alone, not beside {sorted(others)}.")
    if attribute.kind == "closed" and (stray := others - set(attribute.values)):
        raise ReplyError(f"{name!r} has the values {list(attribute.values)}, not {sorted(stray)[0]!r}.")


TASK = ExtractAttributesTask()
