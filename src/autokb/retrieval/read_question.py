"""What a question says: attribute values read from its text, overridden by what the caller knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from autokb.core.attributes import ANY, NONE, Attributes, Values
from autokb.core.domain import Attribute, DomainSpec
from autokb.core.errors import BadInputError
from autokb.core.implications import implied_values, with_implied_values
from autokb.heuristics.attributes.extract import stated_attributes, values_beside
from autokb.text.words import stop_words


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """The values a question has; ``within`` says what an unknown one can still be (iOS leaves phone and tablet).

    ``beside`` are the values next to those read from the text, where an attribute's values are ordered.
    """

    attributes: Attributes
    within: Attributes
    beside: Attributes


def read_question(text: str, overrides: Attributes, spec: DomainSpec) -> ReadQuestion:
    """Read a question's attributes; an override replaces what was read, and what follows from it."""
    given = {name: spec.attributes[name].normal(values) for name, values in overrides.items()}
    following = implied_values(given, spec.attributes)
    stated = stated_attributes(text, spec.attributes, spec.language)
    agreeing = {name: values & following.get(name, values) for name, values in stated.items()}
    known = {**{name: values for name, values in agreeing.items() if values}, **given}
    whole = {n: spec.attributes[n].normal(v) for n, v in with_implied_values(known, spec.attributes).items()}
    own = {name: values for name, values in stated.items() if name not in given}
    beside = values_beside(text, own, spec.attributes, spec.language)
    return ReadQuestion(whole, implied_values(whole, spec.attributes), beside)


def spec_for_question_in(language: str, spec: DomainSpec) -> DomainSpec:
    """Return the domain as a question in another language is read: by the words of that language.

    A synonym that is grammar there names nothing: German *man* and French *son* are no men.
    """
    grammar = stop_words(language)
    attributes = {name: _without_synonyms(attribute, grammar) for name, attribute in spec.attributes.items()}
    return replace(spec, language=language, attributes=attributes)


def _without_synonyms(attribute: Attribute, grammar: frozenset[str]) -> Attribute:
    synonyms = {
        value: tuple(word for word in words if word.casefold() not in grammar)
        for value, words in attribute.synonyms.items()
    }
    return replace(attribute, synonyms=synonyms)


def read_pairs(pairs: Iterable[str]) -> dict[str, list[str]]:
    """Read ``NAME=VALUE`` pairs; a name given twice, or ``VALUE|VALUE`` as answers show it, has both values."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name.strip() or not value.strip():
            raise BadInputError(f"--attribute takes NAME=VALUE, for example os=iOS, not {pair!r}.")
        found.setdefault(name.strip(), []).extend(v.strip() for v in value.split("|") if v.strip())
    return found


def read_values(spec: DomainSpec, given: Mapping[str, Sequence[str]]) -> dict[str, Values]:
    """Check attribute values that a caller gives; spellings are taken as the domain writes them."""
    result: dict[str, Values] = {}
    for name, values in given.items():
        attribute = _attribute_named(spec, name)
        if attribute.name in result:
            raise BadInputError(f"{attribute.name} is given twice; give all its values at once.")
        listed = [values] if isinstance(values, str) else list(values)
        if listed:
            result[attribute.name] = attribute.normal(
                frozenset().union(*(_find_spellings(attribute, str(v)) for v in listed))
            )
    return result


def _attribute_named(spec: DomainSpec, name: str) -> Attribute:
    """Return the attribute of this name, in another case if only one has it (BadInputError)."""
    if found := spec.attributes.get(name):
        return found
    same = [one for known, one in spec.attributes.items() if known.casefold() == name.casefold()]
    if len(same) != 1:
        known = ", ".join(sorted(spec.attributes)) or "none"
        raise BadInputError(f"Unknown attribute {name!r}. The domain has: {known}.")
    return same[0]


def _find_spellings(attribute: Attribute, value: str) -> Values:
    """Return the value of this name, or every value that has it as a synonym."""
    wanted = value.casefold()
    for known in (*attribute.values, *attribute.examples, *attribute.synonyms, *ANY, *NONE):
        if known.casefold() == wanted:
            return frozenset({known})
    if found := {v for v, words in attribute.synonyms.items() if wanted in (w.casefold() for w in words)}:
        return frozenset(found)
    if attribute.kind == "closed":
        raise BadInputError(
            f"{value!r} is not a value of {attribute.name}; write {', '.join(attribute.values)}, any (all of them) or "
            "none (it does not apply)."
        )
    return frozenset({value})
