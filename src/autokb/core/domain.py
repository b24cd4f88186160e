"""The domain specification: attributes, rules and manners of one support domain."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from autokb.core.attributes import ANY, NONE, Attributes, Values
from autokb.core.errors import BadEntryError, as_value, shown_value
from autokb.core.regex_timeout import find_problem, quote_pattern, search_patterns
from autokb.core.review_policy import USUAL_REVIEW, ReviewPolicy
from autokb.core.validation import Entry, one_of, read_as, read_entries, refuse_unknown, slip_of

ENGLISH = "en"  # the language of a domain that names none, and of texts without a domain
MOST_ALTERNATIVES = 1_000  # that the strokes of one phrase stand for; the longest we ship has 35
ENTRIES = (
    "name",
    "description",
    "language",
    "scope",
    "attributes",
    "audience_from",
    "impossible",
    "rules",
    "urgent",
    "reply",
    "tickets",
    "templates",
    "review",
)
_OF_ATTRIBUTE = ("kind", "values", "examples", "synonyms", "implies", "ask", "labels")
_PLAIN = ("description", "reply", "tickets", "language", "templates")  # entries that name no attributes
_LANGUAGE = re.compile(r"[a-z]{2}")
PLACE_OF_VALUE = re.compile(r"\{([^{}/]+)\}")  # of an attribute in a path


def _read_text(value: Any) -> str | None:
    if value is None:
        return ""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def _read_strings(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return ()
    if isinstance(value, str | int | float):
        value = [value]
    is_list = isinstance(value, list | tuple) and all(isinstance(one, str | int | float) for one in value)
    return tuple(map(str, value)) if is_list else None


def _read_values(value: Any) -> tuple[str, ...] | None:
    """Read a list of values; a text with commas is one that lacks its brackets, and would be read as one value."""
    if isinstance(value, str) and "," in value:
        raise ValueError(f"must be a list; write it as {as_value(f'[{value.strip()}]', '[one, two]')}")
    values = _read_strings(value)
    if {"Any", "NONE"} & set(values or ()):
        raise ValueError(": Any and NONE are understood already; leave them out of values")
    return values


def _read_phrases(value: Any) -> tuple[str, ...] | None:
    phrases = _read_strings(value)
    for phrase in phrases or ():
        if not any(character.isalnum() for character in phrase):
            raise ValueError(f": {shown_value(phrase)} has no word in it; leave it out")
    return phrases


def _read_forbidden(value: Any) -> tuple[str, ...] | None:
    phrases = _read_phrases(value)
    for phrase in phrases or ():
        if math.prod(word.count("/") + 1 for word in phrase.split()) > MOST_ALTERNATIVES:
            raise ValueError(f": {shown_value(phrase)} has too many alternatives; split it")
    return phrases


def _read_patterns(value: Any) -> tuple[str, ...] | None:
    patterns = _read_strings(value)
    for pattern in patterns or ():
        if problem := find_problem(pattern):
            what, colon, why = problem.partition(": ")  # which may quote the pattern
            raise ValueError(f": {as_value(quote_pattern(pattern))} {what}{as_value(colon + why, '')}")
    return patterns


def _read_names(value: Any) -> Any:
    """Read a mapping whose names are numbers, perhaps."""
    if value is None:
        return {}
    return {str(name): one for name, one in value.items()} if isinstance(value, Mapping) else value


def _read_language(value: Any) -> str | None:
    if value is None:
        return ENGLISH
    code = "no" if value is False else str(value).strip().lower()  # YAML reads the code of Norwegian as a truth value
    return code if _LANGUAGE.fullmatch(code) else None


_STRINGS = "a list of strings; write it as [one, two]"
_NAMES = Entry(read=_read_names)
Text = Annotated[str, Entry("text; write it in one line, in quotes if it has a colon", _read_text)]
Strings = Annotated[tuple[str, ...], Entry(_STRINGS, _read_strings)]
Phrases = Annotated[tuple[str, ...], Entry(_STRINGS, _read_phrases)]
Texts = Annotated[Mapping[str, Text], _NAMES]
_Named = Annotated[Mapping[str, Any], _NAMES]
Implied = Annotated[Mapping[str, Annotated[frozenset[str], Entry(_STRINGS, _read_strings)]], _NAMES]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: closed (one of ``values``) or open (anything, ``examples`` given).

    ``ask`` is the question back in a customer's words, ``labels`` what customers call the values. Neither is read by
    any task. ``impossible`` are combinations of its values with other attributes' that no customer has.
    """

    name: str
    kind: Annotated[Literal["closed", "open"], one_of("closed", "open")]
    values: Annotated[tuple[str, ...], Entry(_STRINGS, _read_values)] = ()
    examples: Strings = ()
    synonyms: Annotated[Mapping[str, Strings], _NAMES] = field(default_factory=dict)
    implies: Annotated[Mapping[str, Implied], _NAMES] = field(default_factory=dict)
    ask: Text = field(default="", metadata={"key": False})
    labels: Texts = field(default_factory=dict, metadata={"key": False})
    # Outside the key: a line more must not ask a model again about all that it has read.
    impossible: tuple[Attributes, ...] = field(default=(), metadata={"key": False})

    def __hash__(self) -> int:
        """Return a hash that leaves the mappings out, which have none; what was made of an attribute is kept by it."""
        return hash((self.name, self.kind, self.values, self.examples))

    def normal(self, values: Values) -> Values:
        """Return the one spelling of a value set: the whole closed set and any set with Any are Any."""
        if "Any" in values or (self.kind == "closed" and values >= frozenset(self.values)):
            return ANY
        return values - NONE if len(values) > 1 else values


@dataclass(frozen=True, slots=True)
class Rule:
    """Something no solution may do: what says a phrase of ``forbid`` breaks it, and what matches a pattern."""

    id: str
    text: Text
    patterns: Annotated[tuple[str, ...], Entry(_STRINGS, _read_patterns)] = ()
    # Not in the key of a rule without any, so that what was paid for before there were phrases is found again.
    forbid: Annotated[tuple[str, ...], Entry(_STRINGS, _read_forbidden)] = field(
        default=(), metadata={"default_outside_key": True}
    )

    @property
    def is_checked_offline(self) -> bool:
        """Whether anything of it can be found without a model."""
        return bool(self.patterns or self.forbid)

    def match_patterns(self, text: str) -> str | None:
        """Return the words of the text that match a pattern, or None.

        Raises SlowPatternError where none is found and a pattern takes too long to say so.
        """
        return search_patterns(self.id, self.patterns, text)


@dataclass(frozen=True, slots=True)
class Urgent:
    """A warning of the documents: the heading of its ``section``, and the words of customers who must read it first.

    A text matches where it says one of the phrases ``when`` and, if there are any, one of ``together_with``, and none
    of ``unless``. The section is in ``document`` (its id); without one, in whichever has the heading.
    """

    name: str
    when: Phrases
    section: Text
    document: Text = ""
    together_with: Phrases = ()
    unless: Phrases = ()


@dataclass(frozen=True, slots=True)
class AudienceFrom:
    """Where documents say for whom they are: parts of their paths (``v{version}/``) and entries of their front matter.

    ``front_matter`` has the attribute of each entry.
    """

    path: Strings = ()
    front_matter: Texts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DomainSpec:
    """Everything a person configures about a domain; ``language`` is that of its issues and documents (ISO 639-1).

    ``scope`` says what holds for everything in it: a question about other values is not answered. ``templates`` are the
    words of a wiki's templates and icons, by their names; no task reads them. ``review`` is how the team
    reviews its solutions. ``urgent`` are the warnings that come first, the gravest
    before the others; they are in no key of a task.
    """

    name: str
    description: Text = ""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    reply: _Named = field(default_factory=dict)
    tickets: _Named = field(default_factory=dict)
    language: Annotated[str, Entry("a code of two letters such as en or de", _read_language)] = ENGLISH
    scope: Attributes = field(default_factory=dict)
    templates: Texts = field(default_factory=dict, metadata={"key": False})
    review: ReviewPolicy = field(default=USUAL_REVIEW, metadata={"key": False})
    urgent: tuple[Urgent, ...] = field(default=(), metadata={"key": False})
    # In no key: what it says of a document is in the document's title. None where nobody configured it.
    audience_from: AudienceFrom | None = field(default=None, metadata={"key": False})

    @property
    def in_words(self) -> str:
        """What a model is told of the domain: its description, where there is none its name."""
        return self.description or self.name

    def allows(self, attributes: Attributes) -> bool:
        """Return whether a customer can have these values.

        None rules another out (each set value's ``implies`` leaves a value in common), and no combination that is
        ``impossible`` holds all of them.
        """
        for name, values in attributes.items():
            attribute = self.attributes.get(name)
            if attribute is None or values in (ANY, NONE):
                continue
            if not any(self._agrees_with_implied(attribute.implies.get(value, {}), attributes) for value in values):
                return False
            if any(all(attributes.get(n, ANY) <= some for n, some in c.items()) for c in attribute.impossible):
                return False
        return True

    @staticmethod
    def _agrees_with_implied(implied: Mapping[str, Values], attributes: Attributes) -> bool:
        for other, allowed in implied.items():
            given = attributes.get(other, ANY)
            if given != ANY and not given & allowed:
                return False
        return True


def _entries(data: Any, where: str, known: tuple[str, ...], *, alone: bool = False) -> dict[str, Any]:
    """Return the known entries of a mapping; those of one's own are refused where the known ones stand ``alone``.

    One that is nearly one of ours is refused anyway: read as nothing it would be missed in silence.
    """
    given: dict[str, Any] = read_as(_Named, data, where)
    if alone:
        refuse_unknown(given, known, where)
    for name in given:
        if name not in known and (meant := slip_of(name, known)):
            raise BadEntryError(f"{where}: unknown key {shown_value(name)}. Did you mean {meant}?")
    return {name: given[name] for name in known if name in given}


def _list_of(data: Any, where: str, entries: str) -> list[Any]:
    if data is not None and not isinstance(data, list):
        raise BadEntryError(f"{where} must be a list of {entries}.")
    return data or []


def _read_attribute(position: int, name: str, data: Any) -> Attribute:
    where = f"domain.yaml: attribute {as_value(repr(name), str(position))}"
    given = _entries(data, where, _OF_ATTRIBUTE)
    kind = "closed" if given.get("values") else "open"
    found = Attribute(name, **read_entries(Attribute, {"kind": kind, **given}, where))
    if found.kind == "closed" and not found.values:
        raise BadEntryError(f"{where} is closed and needs its values, for example values: [One, Two].")
    for entry, named in (("", {*found.synonyms, *found.implies}), (": labels", {*found.labels})):
        if found.kind == "closed" and (stray := named - {*found.values}):
            value, values = shown_value(sorted(stray)[0]), as_value(f" {[*found.values]}", "")
            raise BadEntryError(f"{where}{entry}: {value} is not one of its values{values}.")
    return found


def _read_rule(position: int, data: Any) -> Rule:
    where = f"domain.yaml: rule {position}"
    given = _entries({"text": data} if isinstance(data, str) else data, where, ("id", "text", "forbid", "patterns"))
    rule_id = read_as(Text, given.pop("id", None), where, "id") or f"rule-{position}"
    where = f"domain.yaml: rule {as_value(repr(rule_id), str(position))}"
    rule = Rule(rule_id, **read_entries(Rule, {"text": "", **given}, where))
    if not rule.text.strip():
        raise BadEntryError(f"{where} needs a text.")
    return rule


def _read_urgent(position: int, data: Any) -> Urgent:
    where = f"domain.yaml: urgent {position}"
    known = ("name", "when", "with", "unless", "section", "document")
    name = read_as(Text, read_as(_Named, data, where).get("name"), where, "name") or f"urgent-{position}"
    where = f"domain.yaml: urgent {as_value(repr(name), str(position))}"
    given = {"when": (), "section": "", **_entries(data, where, known, alone=True), "name": name}
    together = read_as(Phrases, given.pop("with", ()), where, "with")
    found = Urgent(**read_entries(Urgent, given, where), together_with=together)
    if not found.when:
        raise BadEntryError(f"{where} needs what customers write, for example when: [smoke comes out].")
    if not found.section.strip():
        raise BadEntryError(f"{where} needs the heading of its section, for example section: Smoke or fire.")
    return replace(found, section=found.section.strip(), document=found.document.strip())


def _read_audience_from(data: Any, attributes: Mapping[str, Attribute]) -> AudienceFrom | None:
    if data is None:
        return None
    where = "domain.yaml: audience_from"
    found = AudienceFrom(**read_entries(AudienceFrom, _entries(data, where, ("path", "front_matter")), where))
    in_paths = (name for path in found.path for name in PLACE_OF_VALUE.findall(path))
    for name in (*in_paths, *found.front_matter.values()):
        _attribute_named(name, where, attributes)
    return found


# Complex: it follows domain.yaml from top to bottom, and what names attributes is checked against all of them.
def read_domain(data: Any) -> DomainSpec:
    """Turn the parsed ``domain.yaml`` into a specification, or say which entry is wrong (BadEntryError)."""
    given = _entries(data, "domain.yaml", ENTRIES)
    named = read_as(_Named, given.get("attributes"), "domain.yaml: attributes")
    attributes = {name: _read_attribute(position, name, one) for position, (name, one) in enumerate(named.items(), 1)}
    for position, attribute in enumerate(attributes.values(), 1):
        where = f"domain.yaml: attribute {as_value(repr(attribute.name), str(position))}"
        for value, implied in attribute.implies.items():
            for other, values in implied.items():
                _check_values(values - ANY - NONE, other, f"{where}: implies of {shown_value(value)}", attributes)
    for combination in _read_impossible(given.get("impossible"), attributes):
        name = next(iter(combination))
        attributes[name] = replace(attributes[name], impossible=(*attributes[name].impossible, combination))
    rules = _list_of(given.get("rules"), "domain.yaml: rules", "{id, text, forbid, patterns}")
    urgent = _list_of(given.get("urgent"), "domain.yaml: urgent", "{name, when, with, unless, section, document}")
    review = _entries(given.get("review"), "domain.yaml: review", ("approvals", "changed", "show"))
    found = DomainSpec(
        **read_entries(DomainSpec, {name: given[name] for name in _PLAIN if name in given}, "domain.yaml"),
        name=read_as(Text, given.get("name"), "domain.yaml: name") or "domain",
        attributes=attributes,
        rules=tuple(_read_rule(position, one) for position, one in enumerate(rules, 1)),
        scope=_read_configured_values(given.get("scope"), "domain.yaml: scope", attributes),
        review=ReviewPolicy(**read_entries(ReviewPolicy, review, "domain.yaml: review")),
        urgent=tuple(_read_urgent(position, one) for position, one in enumerate(urgent, 1)),
        audience_from=_read_audience_from(given.get("audience_from"), attributes),
    )
    if len({one.id for one in found.rules}) < len(found.rules):
        raise BadEntryError("domain.yaml: two rules have the same id; give each its own.")
    if len({one.name for one in found.urgent}) < len(found.urgent):
        raise BadEntryError("domain.yaml: two entries of urgent have the same name; give each its own.")
    return found


def _read_impossible(data: Any, attributes: Mapping[str, Attribute]) -> list[Attributes]:
    example = "for example impossible: [{age: [Infant], state: [Pregnancy]}]"
    found: list[Attributes] = []
    for number, given in enumerate(_list_of(data, "domain.yaml: impossible", f"combinations of values, {example}"), 1):
        where = f"domain.yaml: impossible, combination {number}"
        combination = _read_configured_values(given, where, attributes)
        if len(combination) < 2:
            raise BadEntryError(f"{where} needs values of two attributes or more, {example}.")
        if ANY in combination.values():
            raise BadEntryError(f"{where} names every value of an attribute; leave that attribute out.")
        found.append(combination)
    return found


def _read_configured_values(data: Any, where: str, attributes: Mapping[str, Attribute]) -> dict[str, Values]:
    """Read values by the name of their attribute; each must be one that is configured."""
    found = {}
    for name, given in read_as(_Named, data, where).items():
        entry = as_value(name)
        values = frozenset(read_as(Strings, given, where, entry))
        _check_values(values, name, where, attributes)
        if not values:
            raise BadEntryError(f"{where}: {entry} needs its values, for example {{{entry}: [One]}}.")
        found[name] = attributes[name].normal(values)
    return found


def _attribute_named(name: str, where: str, attributes: Mapping[str, Attribute]) -> Attribute:
    if name not in attributes:
        raise BadEntryError(f"{where} names the attribute {shown_value(name)}, which is not configured.")
    return attributes[name]


def _check_values(values: Values, name: str, where: str, attributes: Mapping[str, Attribute]) -> None:
    attribute = _attribute_named(name, where, attributes)
    if attribute.kind == "closed" and (stray := values - {*attribute.values}):
        raise BadEntryError(f"{where}: {shown_value(sorted(stray)[0])} is not a value of {shown_value(name)}.")
