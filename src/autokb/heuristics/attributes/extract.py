"""Attribute values by lexicon and a little grammar: what is stated, what works is set aside, what follows is added."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate

from autokb.core.attributes import ANY, NONE, Values, as_lists
from autokb.core.domain import ENGLISH, Attribute
from autokb.core.implications import implied_values, with_implied_values
from autokb.heuristics.attributes.ages import age_mentions, near_age_groups
from autokb.heuristics.attributes.contrast import affected_mentions
from autokb.heuristics.attributes.durations import duration_mentions, lengths_beside, without_history
from autokb.heuristics.attributes.open_values import head_word, open_mentions
from autokb.heuristics.attributes.words import AttributeWords, Phrase, in_words
from autokb.text.lexicon import Mention, Spec, collect_values, lexicon
from autokb.text.lexicons import word_lists
from autokb.text.word_forms import inflections
from autokb.text.words import Words, split_words


def pronoun_mentions(words: Words, listed: Sequence[Mention], spec: Spec, language: str = ENGLISH) -> Iterator[Mention]:
    """Give a mention for he or she where an attribute tells male from female and nothing else says which."""
    known = word_lists(AttributeWords, language)
    places = {sex: _first_place(words, sex, known) for sex in known.pronouns}
    found = [(sex, place) for sex, place in places.items() if place is not None]
    if len(found) != 1:
        return
    ((sex, place),) = found
    for name in sorted(spec):
        values = {value.casefold(): value for value in spec[name].values}
        if known.pronouns.keys() <= values.keys() and not any(m.attribute == name for m in listed):
            yield Mention(place, place + 1, name, values[sex])


def _first_place(words: Words, sex: str, known: AttributeWords) -> int | None:
    """Return the first word that tells a sex: an age with its letter, else a pronoun that can mean nobody else."""
    letter = known.sex_letters.get(sex)
    lettered = (n for n, word in enumerate(words.folded) if letter and re.fullmatch(rf"\d{{1,2}}{letter}", word))
    if (place := next(lettered, None)) is not None or known.other_people & set(words.folded):
        return place
    return next((n for n, word in enumerate(words.folded) if word in known.pronouns[sex]), None)


SHORTEST_HEAD = 4  # letters of a word that names an attribute; shorter ones (os, app) occur in other phrases too
WORDS_BEFORE = 5  # between every or no and the attribute's name
WORDS_BEFORE_ANY = 4  # how far before any a denial is looked for: I don't have any condition


def whole_or_none(words: Words, mentions: Sequence[Mention], spec: Spec, language: str = ENGLISH) -> dict[str, Values]:
    """Return Any or NONE for attributes of which no value is stated, but which are named as a whole."""
    known = word_lists(AttributeWords, language)
    with_values = {mention.attribute for mention in mentions}
    found: dict[str, Values] = {}
    for name in sorted(spec):
        for values in _scopes(words, spec[name], known, language):
            if name not in with_values or values == ANY:
                found[name] = values
                break
    return found


def _scopes(words: Words, attribute: Attribute, known: AttributeWords, language: str) -> Iterator[Values]:
    """Give Any or NONE for each place where the attribute is named as a whole."""
    head = head_word(attribute)
    forms = frozenset(inflections(head, language))
    names: set[Phrase] = {(form,) for form in forms}
    if attribute.kind == "open" and head in known.health_attributes:
        names |= {(word,) for word in known.health_attributes}
        yield from (NONE for _ in _places(words, in_words(known.healthy_phrases)))
    if head in known.other_names:
        *first, last = known.other_names[head].split()
        names |= {(*first, form) for form in inflections(last, language)}
    for here in _places(words, names):
        is_short = len(head) < SHORTEST_HEAD and words.folded[here] in forms
        if (values := _scope(words, here, attribute, is_short, known)) is not None:
            yield values


def _places(words: Words, phrases: Collection[Phrase]) -> Iterator[int]:
    """Give the places where one of these phrases begins."""
    first = {phrase[0] for phrase in phrases if phrase}
    for here, word in enumerate(words.folded):
        if word in first and any(words.folded[here : here + len(phrase)] == phrase for phrase in phrases):
            yield here


# Complex: walking back from the name, each word can give the scope, end the search or be skipped.
def _scope(words: Words, here: int, attribute: Attribute, is_short: bool, known: AttributeWords) -> Values | None:
    """Return Any or NONE where a word such as every or no precedes the attribute's name, which is ``here``."""
    for before in range(here - 1, max(-1, here - 1 - WORDS_BEFORE), -1):
        if words.breaks(before + 1):
            return None
        word, word_before = words.folded[before], words.folded[before - 1] if before else ""
        is_whatever = word in known.whatever_words or (word_before, word) in in_words(known.whatever_phrases)
        if is_whatever or (attribute.kind == "closed" and _is_every(word, word_before, is_short, known)):
            return ANY if attribute.kind == "closed" else None
        is_denied = word in known.any_words and known.denying_words & set(
            words.folded[max(0, before - WORDS_BEFORE_ANY) : before]
        )
        if word in known.none_words or (is_denied and attribute.kind == "open"):
            return NONE if attribute.kind == "open" else None
        if word not in known.words_before_attribute:
            return None
    return None


def _is_every(word: str, word_before: str, is_short: bool, known: AttributeWords) -> bool:
    """Return whether a word is every; ``not every`` is none, and a short name needs ``on every``."""
    if word not in known.every_words or word_before in known.denied_every:
        return False
    return not is_short or word_before in known.words_before_every


def extract_attributes(text: str, kind: str, spec: Spec, language: str = ENGLISH) -> dict[str, list[str]]:
    """Return what the first 100,000 characters of a text state, as name to sorted values; the rest is unknown.

    A solution (``kind``) that holds for every value of an attribute says nothing of it.
    """
    stated = stated_attributes(text, spec, language)
    if kind == "solution":
        stated = {name: values for name, values in stated.items() if values != ANY}
    return as_lists(with_implied_values(stated, spec))


def stated_attributes(text: str, spec: Spec, language: str = ENGLISH) -> dict[str, Values]:
    """Return the values that a text itself states, without those that follow from them."""
    words = split_words(text)
    mentions = _all_mentions(words, spec, language)
    affected = affected_mentions(words, mentions, spec, language)
    pairs = {(m.attribute, m.value) for m in affected}
    stated = collect_values(pairs | set(_implied_instead(pairs, spec)), spec)
    for name, values in whole_or_none(words, mentions, spec, language).items():
        stated.setdefault(name, values)
    return stated


def values_beside(text: str, stated: Mapping[str, Values], spec: Spec, language: str = ENGLISH) -> dict[str, Values]:
    """Return the values of ordered attributes that who states these may as well mean: the lengths of time beside one
    that is stated, the age group that begins or ends near a stated age.
    """
    words = split_words(text)
    found = {
        name: lengths_beside(words, spec[name], values, language) | near_age_groups(words, spec[name], language)
        for name, values in stated.items()
    }
    return {name: values for name, values in found.items() if values - stated[name]}


def _implied_instead(pairs: Collection[tuple[str, str]], spec: Spec) -> Iterator[tuple[str, str]]:
    """Give what stated values imply where none of it is stated but others are: a Windows tablet is a laptop, too."""
    stated = {name: frozenset(v for n, v in pairs if n == name) for name, _ in pairs}
    for name, values in sorted(stated.items()):
        for other, implied in implied_values({name: values}, spec).items():
            if other in stated and not stated[other] & implied:
                yield from ((other, value) for value in sorted(implied))


def _all_mentions(words: Words, spec: Spec, language: str) -> list[Mention]:
    """Return every mention there is: the configured words first, then what can be worked out beside them."""
    found = lexicon(spec, language).mentions(words)
    found = _with_ages(words, found, list(age_mentions(words, spec, language)))
    found += _unless_listed(found, list(duration_mentions(words, spec, language)))
    found += list(open_mentions(words, found, spec, language))
    found = without_history(words, found, spec, language)
    return sorted({*found, *pronoun_mentions(words, found, spec, language)})


def _unless_listed(listed: Sequence[Mention], more: Sequence[Mention]) -> list[Mention]:
    """Return further mentions but for the words that are listed: what a person configured beats what is worked out."""
    taken = {(m.attribute, here) for m in listed for here in range(m.start, m.end)}
    return [m for m in more if not any((m.attribute, here) in taken for here in range(m.start, m.end))]


def _with_ages(words: Words, listed: Sequence[Mention], ages: Sequence[Mention]) -> list[Mention]:
    """Add ages in numbers, each of which settles its sentence: the words beside it (the man, 72) say no other age."""
    sentence = list(accumulate(words.breaks(here) for here in range(len(words.folded))))
    settled_in = {(age.attribute, sentence[age.start]) for age in ages}
    starts = {(age.attribute, age.start) for age in ages}
    remaining = [
        m
        for m in listed
        if (m.attribute, sentence[m.start]) not in settled_in
        or any((m.attribute, here) in starts for here in range(m.start, m.end))
    ]
    return remaining + _unless_listed(remaining, ages)


SHARED_START = 4  # characters that two words share at least when one is a form of the other,
LONGEST_ENDING = 2  # and all but so many of the shorter one: diabetes, diabetic


def names_value(text: str, attribute: Attribute, value: str) -> bool:
    """Return whether a reader sees the value in a text: its own name or one of its configured synonyms."""
    names = (value, *attribute.synonyms.get(value, ()))
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)


def states_value(
    text: str, attribute: Attribute, value: str, configuration: Mapping[str, Attribute], language: str = ENGLISH
) -> bool:
    """Return whether a text states the value: its name, a word for it, or for an open one another form of its words."""
    if names_value(text, attribute, value):
        return True
    words = split_words(text)
    if any((m.attribute, m.value) == (attribute.name, value) for m in lexicon(configuration, language).mentions(words)):
        return True
    if attribute.kind != "open":
        return False
    of_value, of_text = split_words(value).folded, frozenset(words.folded)
    found = sum(any(_are_forms_of_one_word(word, other) for other in of_text) for word in of_value)
    return 2 * found > len(of_value)  # more than half of the value's words


def _are_forms_of_one_word(one: str, other: str) -> bool:
    if one == other:
        return True
    needed = max(SHARED_START, min(len(one), len(other)) - LONGEST_ENDING)
    return len(one) >= needed and one[:needed] == other[:needed]
