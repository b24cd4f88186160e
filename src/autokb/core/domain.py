"""The domain specification: attributes, rules and manners of one support domain."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Literal

from autokb.core.attributes import ANY, NONE, Attributes, Values
from autokb.core.errors import BadEntryError, as_value, shown_value
from autokb.core.regex_timeout import find_problem, quote_pattern, search_patterns
from autokb.core.review_policy import CHANGED, SHOW, USUAL_REVIEW, ReviewPolicy

ALMOST = 0.8  # how alike two names must be for one to be taken as a slip of the other
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
MOST_APPROVALS = 9  # of one text; where more are asked for, no text would ever have them
_LANGUAGE = re.compile(r"[a-z]{2}")
PLACE_OF_VALUE = re.compile(r"\{([^{}/]+)\}")  # of an attribute in a path


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: closed (one of ``values``) or open (anything, ``examples`` given).

    ``ask`` is the question back in a customer's words, ``labels`` what customers call the values. Neither is read by
    any task. ``impossible`` are combinations of its values with other attributes' that no customer has.
    """

    name: str
    kind: Literal["closed", "open"]
    values: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    implies: Mapping[str, Mapping[str, Values]] = field(default_factory=dict)
    ask: str = field(default="", metadata={"key": False})
    labels: Mapping[str, str] = field(default_factory=dict, metadata={"key": False})
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
    text: str
    patterns: tuple[str, ...] = ()
    # Not in the key of a rule without any, so that what was paid for before there were phrases is found again.
    forbid: tuple[str, ...] = field(default=(), metadata={"default_outside_key": True})

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
    when: tuple[str, ...]
    section: str
    document: str = ""
    together_with: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AudienceFrom:
    """Where documents say for whom they are: parts of their paths (``v{version}/``) and entries of their front matter.

    ``front_matter`` has the attribute of each entry.
    """

    path: tuple[str, ...] = ()
    front_matter: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DomainSpec:
    """Everything a person configures about a domain; ``language`` is that of its issues and documents (ISO 639-1).

    ``scope`` says what holds for everything in it: a question about other values is not answered. ``templates`` are the
    words of a wiki's templates and icons, by their names; no task reads them. ``review`` is how the team
    reviews its solutions. ``urgent`` are the warnings that come first, the gravest
    before the others; they are in no key of a task.
    """

    name: str
    description: str = ""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    reply: Mapping[str, Any] = field(default_factory=dict)
    tickets: Mapping[str, Any] = field(default_factory=dict)
    language: str = ENGLISH
    scope: Attributes = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict, metadata={"key": False})
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


def _read_strings(value: Any, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str | int | float):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(v, str | int | float) for v in value):
        raise BadEntryError(f"{where} must be a list of strings; write it as [one, two].")
    return tuple(str(v) for v in value)


def _read_phrases(value: Any, where: str) -> tuple[str, ...]:
    phrases = _read_strings(value, where)
    for phrase in phrases:
        if not any(character.isalnum() for character in phrase):
            raise BadEntryError(f"{where}: {shown_value(phrase)} has no word in it; leave it out.")
    return phrases


def _read_text(value: Any, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadEntryError(f"{where} must be text; write it in one line, in quotes if it has a colon.")
    return str(value)


def _require_mapping(value: Any, where: str) -> Mapping[Any, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadEntryError(f"{where} must be a mapping of names to values.")
    return value


def _require_list(value: Any, where: str, entries: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadEntryError(f"{where} must be a list of {entries}.")
    return value


def _check_spelling(data: Mapping[Any, Any], known: tuple[str, ...], where: str) -> None:
    """Refuse an entry that is nearly one of ours: read as nothing it would be missed in silence."""
    for name in map(str, data):
        if name not in known and (meant := get_close_matches(name, known, 1, ALMOST)):
            raise BadEntryError(f"{where}: unknown key {shown_value(name)}. Did you mean {meant[0]}?")


def _read_values(value: Any, where: str) -> tuple[str, ...]:
    """Read a list of values; a text with commas is one that lacks its brackets, and would be read as one value."""
    if isinstance(value, str) and "," in value:
        raise BadEntryError(f"{where} must be a list; write it as {as_value(f'[{value.strip()}]', '[one, two]')}.")
    return _read_strings(value, where)


def _listed(values: Iterable[str]) -> str:
    return as_value(f" {list(values)}", "")


# Complex: each entry is refused in its own words, and those about values need the values that were read before.
def _read_attribute(position: int, name: str, data: Any) -> Attribute:
    where = f"domain.yaml: attribute {as_value(repr(name), str(position))}"
    data = _require_mapping(data, where)
    _check_spelling(data, ("kind", "values", "examples", "synonyms", "implies", "ask", "labels"), where)
    kind = data.get("kind", "closed" if data.get("values") else "open")
    if kind not in ("closed", "open"):
        raise BadEntryError(f"{where}: kind must be closed or open, not {shown_value(kind)}.")
    values = _read_values(data.get("values"), f"{where}: values")
    if kind == "closed" and not values:
        raise BadEntryError(f"{where} is closed and needs its values, for example values: [One, Two].")
    if {"Any", "NONE"} & set(values):
        raise BadEntryError(f"{where}: Any and NONE are understood already; leave them out of values.")
    synonyms = {
        str(v): _read_strings(words, f"{where}: synonyms of {as_value(str(v))}")
        for v, words in _require_mapping(data.get("synonyms"), f"{where}: synonyms").items()
    }
    implies = {
        str(v): {
            str(o): frozenset(_read_strings(vs, f"{where}: implies"))
            for o, vs in _require_mapping(os, f"{where}: implies").items()
        }
        for v, os in _require_mapping(data.get("implies"), f"{where}: implies").items()
    }
    if kind == "closed" and (stray := (set(synonyms) | set(implies)) - set(values)):
        raise BadEntryError(f"{where}: {shown_value(sorted(stray)[0])} is not one of its values{_listed(values)}.")
    labels = {
        str(v): _read_text(label, f"{where}: the label of {as_value(str(v))}")
        for v, label in _require_mapping(data.get("labels"), f"{where}: labels").items()
    }
    if kind == "closed" and (stray := set(labels) - set(values)):
        label = shown_value(sorted(stray)[0])
        raise BadEntryError(f"{where}: labels: {label} is not one of its values{_listed(values)}.")
    return Attribute(
        name=name,
        kind=kind,
        values=values,
        examples=_read_strings(data.get("examples"), f"{where}: examples"),
        synonyms=synonyms,
        implies=implies,
        ask=_read_text(data.get("ask"), f"{where}: ask"),
        labels=labels,
    )


def _read_rule(position: int, data: Any) -> Rule:
    if isinstance(data, str):
        data = {"text": data}
    data = _require_mapping(data, f"domain.yaml: rule {position}")
    _check_spelling(data, ("id", "text", "forbid", "patterns"), f"domain.yaml: rule {position}")
    rule_id = _read_text(data.get("id"), f"domain.yaml: rule {position}: id") or f"rule-{position}"
    where = f"domain.yaml: rule {as_value(repr(rule_id), str(position))}"
    text = _read_text(data.get("text"), f"{where}: text")
    if not text.strip():
        raise BadEntryError(f"{where} needs a text.")
    patterns = _read_strings(data.get("patterns"), f"{where}: patterns")
    for pattern in patterns:
        if problem := find_problem(pattern):
            what, colon, why = problem.partition(": ")  # which may quote the pattern
            named = as_value(quote_pattern(pattern))
            raise BadEntryError(f"{where}: the pattern {named} {what}{as_value(colon + why, '')}.")
    forbid = _read_phrases(data.get("forbid"), f"{where}: forbid")
    for phrase in forbid:
        if math.prod(word.count("/") + 1 for word in phrase.split()) > MOST_ALTERNATIVES:
            raise BadEntryError(f"{where}: forbid: {shown_value(phrase)} has too many alternatives; split it.")
    return Rule(rule_id, text, patterns, forbid)


def _read_urgent(position: int, data: Any) -> Urgent:
    data = _require_mapping(data, f"domain.yaml: urgent {position}")
    name = _read_text(data.get("name"), f"domain.yaml: urgent {position}: name") or f"urgent-{position}"
    where = f"domain.yaml: urgent {as_value(repr(name), str(position))}"
    known = ("name", "when", "with", "unless", "section", "document")
    _check_spelling(data, known, where)
    if stray := [str(entry) for entry in data if entry not in known]:
        raise BadEntryError(f"{where} has the entry {shown_value(stray[0])}; it may have {', '.join(known)}.")
    when = _read_phrases(data.get("when"), f"{where}: when")
    if not when:
        raise BadEntryError(f"{where} needs what customers write, for example when: [smoke comes out].")
    section = _read_text(data.get("section"), f"{where}: section").strip()
    if not section:
        raise BadEntryError(f"{where} needs the heading of its section, for example section: Smoke or fire.")
    return Urgent(
        name=name,
        when=when,
        section=section,
        document=_read_text(data.get("document"), f"{where}: document").strip(),
        together_with=_read_phrases(data.get("with"), f"{where}: with"),
        unless=_read_phrases(data.get("unless"), f"{where}: unless"),
    )


def _read_audience_from(data: Any, attributes: Mapping[str, Attribute]) -> AudienceFrom | None:
    if data is None:
        return None
    where = "domain.yaml: audience_from"
    data = _require_mapping(data, where)
    _check_spelling(data, ("path", "front_matter"), where)
    paths = _read_strings(data.get("path"), f"{where}: path")
    entries = {
        str(entry): _read_text(name, f"{where}: front_matter")
        for entry, name in _require_mapping(data.get("front_matter"), f"{where}: front_matter").items()
    }
    for name in [*(name for path in paths for name in PLACE_OF_VALUE.findall(path)), *entries.values()]:
        if name not in attributes:
            raise BadEntryError(f"{where} names the attribute {shown_value(name)}, which is not configured.")
    return AudienceFrom(paths, entries)


# Complex: it follows domain.yaml from top to bottom, and what names attributes is checked against all of them.
def read_domain(data: Any) -> DomainSpec:
    """Turn the parsed ``domain.yaml`` into a specification, or say which entry is wrong (BadEntryError)."""
    data = _require_mapping(data, "domain.yaml")
    _check_spelling(data, ENTRIES, "domain.yaml")
    attributes = {
        str(n): _read_attribute(position, str(n), a)
        for position, (n, a) in enumerate(
            _require_mapping(data.get("attributes"), "domain.yaml: attributes").items(), 1
        )
    }
    for position, attribute in enumerate(attributes.values(), 1):
        named = as_value(repr(attribute.name), str(position))
        for value, implied in attribute.implies.items():
            where = f"domain.yaml: attribute {named}: implies of {shown_value(value)}"
            for other, values in implied.items():
                _check_implied(attributes, where, other, values)
    for combination in _read_impossible(data.get("impossible"), attributes):
        name = next(iter(combination))
        attributes[name] = replace(attributes[name], impossible=(*attributes[name].impossible, combination))
    rules = _require_list(data.get("rules"), "domain.yaml: rules", "{id, text, forbid, patterns}")
    read = tuple(_read_rule(n, r) for n, r in enumerate(rules, 1))
    if len({r.id for r in read}) < len(read):
        raise BadEntryError("domain.yaml: two rules have the same id; give each its own.")
    urgent = _require_list(data.get("urgent"), "domain.yaml: urgent", "{name, when, with, unless, section, document}")
    warnings = tuple(_read_urgent(n, u) for n, u in enumerate(urgent, 1))
    if len({u.name for u in warnings}) < len(warnings):
        raise BadEntryError("domain.yaml: two entries of urgent have the same name; give each its own.")
    return DomainSpec(
        name=_read_text(data.get("name"), "domain.yaml: name") or "domain",
        description=_read_text(data.get("description"), "domain.yaml: description"),
        attributes=attributes,
        rules=read,
        reply=_require_mapping(data.get("reply"), "domain.yaml: reply"),
        tickets=_require_mapping(data.get("tickets"), "domain.yaml: tickets"),
        language=_read_language(data.get("language")),
        scope=_read_configured_values(data.get("scope"), "domain.yaml: scope", attributes),
        templates={
            str(name): _read_text(words, f"domain.yaml: templates: {as_value(str(name))}")
            for name, words in _require_mapping(data.get("templates"), "domain.yaml: templates").items()
        },
        review=_read_review(data.get("review")),
        urgent=warnings,
        audience_from=_read_audience_from(data.get("audience_from"), attributes),
    )


def _read_impossible(data: Any, attributes: Mapping[str, Attribute]) -> list[Attributes]:
    example = "for example impossible: [{age: [Infant], state: [Pregnancy]}]"
    combinations = _require_list(data, "domain.yaml: impossible", f"combinations of values, {example}")
    found: list[Attributes] = []
    for number, given in enumerate(combinations, 1):
        where = f"domain.yaml: impossible, combination {number}"
        combination = _read_configured_values(given, where, attributes)
        if len(combination) < 2:
            raise BadEntryError(f"{where} needs values of two attributes or more, {example}.")
        if ANY in combination.values():
            raise BadEntryError(f"{where} names every value of an attribute; leave that attribute out.")
        found.append(combination)
    return found


def _read_review(data: Any) -> ReviewPolicy:
    review = _require_mapping(data, "domain.yaml: review")
    _check_spelling(review, ("approvals", "changed", "show"), "domain.yaml: review")
    usual = USUAL_REVIEW
    for name, known, default in (("changed", CHANGED, usual.changed), ("show", SHOW, usual.show)):
        if (given := review.get(name, default)) not in known:
            raise BadEntryError(f"domain.yaml: review: {name} must be {', '.join(known)}, not {shown_value(given)}.")
    approvals = review.get("approvals", usual.approvals)
    if isinstance(approvals, bool) or not isinstance(approvals, int) or not 1 <= approvals <= MOST_APPROVALS:
        raise BadEntryError(
            f"domain.yaml: review: approvals must be a whole number from 1 to {MOST_APPROVALS}, not "
            f"{shown_value(approvals)}."
        )
    return ReviewPolicy(approvals, review.get("changed", usual.changed), review.get("show", usual.show))


def _read_configured_values(data: Any, where: str, attributes: Mapping[str, Attribute]) -> dict[str, Values]:
    """Read values by the name of their attribute; each must be one that is configured."""
    found = {}
    for name, given in _require_mapping(data, where).items():
        entry = as_value(str(name))
        attribute, values = attributes.get(str(name)), _read_strings(given, f"{where}: {entry}")
        if attribute is None:
            raise BadEntryError(f"{where} names the attribute {shown_value(str(name))}, which is not configured.")
        if attribute.kind == "closed" and (stray := set(values) - set(attribute.values)):
            raise BadEntryError(f"{where}: {shown_value(sorted(stray)[0])} is not a value of {shown_value(str(name))}.")
        if not values:
            raise BadEntryError(f"{where}: {entry} needs its values, for example {{{entry}: [One]}}.")
        found[str(name)] = attribute.normal(frozenset(values))
    return found


def _read_language(value: Any) -> str:
    if value is None:
        return ENGLISH
    code = "no" if value is False else str(value).strip().lower()  # YAML reads the code of Norwegian as a truth value
    if not _LANGUAGE.fullmatch(code):
        raise BadEntryError(
            f"domain.yaml: language must be a code of two letters such as en or de, not {shown_value(value)}."
        )
    return code


def _check_implied(attributes: Mapping[str, Attribute], where: str, other: str, values: Values) -> None:
    if other not in attributes:
        raise BadEntryError(f"{where} names the attribute {shown_value(other)}, which is not configured.")
    target = attributes[other]
    if target.kind == "closed" and (stray := values - set(target.values) - ANY - NONE):
        raise BadEntryError(f"{where}: {shown_value(sorted(stray)[0])} is not a value of {shown_value(other)}.")
