"""Words of attribute values in a line: where they are, how they leave it grammatically, how a value is added."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from autokb.core.domain import ENGLISH, Attribute
from autokb.core.nouns import Span
from autokb.heuristics.subject_words import subject_words
from autokb.heuristics.titles.issue_title import names_problem, negation_endings
from autokb.heuristics.titles.words import TitleWords
from autokb.text.lexicon import Mention, Spec, lexicon
from autokb.text.lexicons import alternation, ignoring_case, pattern_of, word_lists
from autokb.text.words import split_words

_MARK_BEHIND_LABEL = re.compile(r"\s*[-–:|,]+\s+")
_MARK_BEFORE_LABEL = re.compile(r"\s*[-–:|,/]+\s*\Z")
_CLOSING_MARKS = " .!?)"


@dataclass(frozen=True, slots=True)
class _EditingPatterns:
    """The grammar of one language around the words of a value."""

    list_joint: re.Pattern[str]
    preposition_before: re.Pattern[str]
    phrase_ends: re.Pattern[str]
    needs_object: re.Pattern[str]
    negated_verb: re.Pattern[str]


@cache
def _patterns(language: str) -> _EditingPatterns:
    known = word_lists(TitleWords, language)
    not_ = rf"(?:{negation_endings(known)})"
    determiners = rf"(?:(?:{alternation(known.phrase_determiners)})\s+){{0,2}}"
    needs_object = rf"{alternation(known.words_needing_object)}|\w+(?:{alternation(known.endings_needing_object)})"
    behind_joint = rf"(?:(?:{alternation(known.words_after_list_joint)})\s+)?"
    return _EditingPatterns(
        list_joint=ignoring_case(
            rf"\s*(?:,|/|&|\+)\s*|\s*,?\s*\b(?:{alternation(known.list_joints)})\b\s*{behind_joint}|\s+"
        ),
        preposition_before=ignoring_case(rf"(?:\s|\A)(?:{alternation(known.phrase_prepositions)})\s+{determiners}\Z"),
        phrase_ends=ignoring_case(rf"\s*(?:[.,;:!?)\]|…/–-]|\Z)|\s+(?:{alternation(known.words_after_phrase)})\b"),
        needs_object=ignoring_case(
            rf"(?:{alternation(known.negation_endings)})\b|\b(?:{needs_object})\s+\Z|\b(?:{alternation(known.words_of_sentences)})\b"
        ),
        negated_verb=ignoring_case(rf"\s+(?=(?:\w+{not_}|{alternation(known.negated_verbs)})\b\s*\w)"),
    )


def value_mentions(line: str, spec: Spec, language: str = ENGLISH) -> list[Mention]:
    """Return the values that a line (in NFKC) names or lets one guess, in order, each with its characters."""
    words = split_words(line)
    ends = [start + len(raw) for start, raw in zip(words.starts, words.raw, strict=True)]
    found = lexicon(spec, language).mentions(words)
    return [Mention(words.starts[m.start], ends[m.end - 1], m.attribute, m.value) for m in found]


def named_values(line: str, spec: Spec, language: str = ENGLISH) -> list[Mention]:
    """Return the mentions that name a value, in order; verbs that let one guess it (to pair: Bluetooth) name none."""
    verbs = {name: _verb_synonyms(attribute) for name, attribute in spec.items()}
    found = value_mentions(line, spec, language)
    found = [m for m in found if line[m.start : m.end].casefold() not in verbs[m.attribute]]
    return sorted(found, key=lambda m: (m.start, -m.end, m.attribute, m.value))


@lru_cache(maxsize=256)  # attributes: those of a few domains
def _verb_synonyms(attribute: Attribute) -> frozenset[str]:
    """Return the synonyms of an attribute that are forms of one verb: ``pair`` where ``pairing`` is one too."""
    found: set[str] = set()
    for words in attribute.synonyms.values():
        given = {word.casefold() for word in words}
        for word in given:
            forms = {word, f"{word}s", f"{word}ed", f"{word}ing", f"{word.removesuffix('e')}ing", f"{word}d"}
            if any(form.endswith("ing") and form != word for form in forms & given):
                found |= forms
    return frozenset(found)


def without_attributes(line: str, spec: Spec, attributes: Collection[str], language: str = ENGLISH) -> str | None:
    """Return the line without the words of these attributes, or None where it would no longer read well."""
    found = named_values(line, spec, language)
    spans = _joined_spans(line, [m for m in found if m.attribute in attributes], language)
    if not spans:
        return without_opener(line, language)
    others = [m for m in found if m.attribute not in attributes]
    whole = line
    for span in reversed(spans):
        shorter = _without_span(line, span, others, language)
        if shorter is None:
            return None
        line = shorter
    loose_end = pattern_of(TitleWords, "loose_ends", language, r"(?:[\s,;:/|–-]|\b", r"\b)+(?=[.!?…]*\Z)")
    line = without_opener(loose_end.sub("", line), language)
    loose_beginning = pattern_of(TitleWords, "loose_beginnings", language, after=r"\b")
    is_torn = loose_beginning.match(line) and not loose_beginning.match(whole)
    return None if is_torn or not _names_something(line, language) else line


def _names_something(line: str, language: str) -> bool:
    """Return whether a line has a subject; one word alone is enough where it says what is wrong (Fever)."""
    is_enough = len(line.split()) >= 2 or names_problem(line.strip("?"), language)
    return is_enough and bool(subject_words(line, language))


def without_values(line: str, spec: Spec, language: str = ENGLISH) -> str:
    """Take the words of all attributes out, one attribute after the other, as far as grammar allows it."""
    text = without_opener(line, language) or line
    for name in sorted({m.attribute for m in named_values(line, spec, language)}):
        text = without_attributes(text, spec, {name}, language) or text
    return text


def without_opener(line: str, language: str = ENGLISH) -> str:
    """Return a line that begins with what it is about (not with ``My``) and with a capital."""
    opener = pattern_of(TitleWords, "openers", language, r"\A", r"\s+")
    bare = " ".join(opener.sub("", line.strip(" ,;:-–|")).split())
    bare = re.sub(r"\s+([,.;:!?…])", r"\1", bare)
    bare = re.sub(r"(?<=\w)\.\Z", "", bare)
    return bare[:1].upper() + bare[1:] if bare[:1].islower() and not bare[1:2].isupper() else bare


def with_values(line: str, values: Sequence[str]) -> str:
    """Add values in brackets at the end."""
    return f"{line.rstrip(' .')} ({', '.join(values)})" if values else line


def _joined_spans(line: str, found: Iterable[Mention], language: str) -> list[Span]:
    """Return the spans to leave out, with versions; mentions that overlap or are in one list share a span."""
    number = r"(?:[ -]?v?\d[\d.]*\w{0,3}\b|\s+"
    version_pattern = pattern_of(TitleWords, "edition_words", language, number, r"\b(?=\W|\Z))+")
    spans: list[Span] = []
    for mention in sorted(found, key=lambda m: (m.start, -m.end)):
        version = version_pattern.match(line, mention.end)
        start, end = mention.start, version.end() if version else mention.end
        if spans and (start <= spans[-1][1] or _patterns(language).list_joint.fullmatch(line, spans[-1][1], start)):
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


# Complex: each condition is a way in which leaving out would tear a phrase, and the ways out come last.
def _without_span(line: str, span: Span, others: Iterable[Mention], language: str) -> str | None:
    """Leave a span out by the first way that leaves a sentence; None when there is none.

    ``others`` are mentions that stay: "wired headphones" loses "wired", never the word that it belongs to.
    """
    known = _patterns(language)
    start, end = span
    before, words, after = line[:start], line[start:end], line[end:]
    if any(m.start < start and not line[m.end : start].strip() for m in others):
        return None
    if any(m.end > end and not line[end : m.start].strip() for m in others) and not known.phrase_ends.match(after):
        return before + after.lstrip()  # not before a phrase: "the iPhone with the cable" needs the iPhone
    preposition = known.preposition_before.search(before)
    part_of = pattern_of(TitleWords, "parts_of_wholes", language, r"\b", r"\s*\Z")
    if preposition and known.phrase_ends.match(after) and part_of.search(before[: preposition.start()]):
        return None  # "one of my earbuds" says nothing without the earbuds
    return next((rest for way in _WAYS_TO_LEAVE_OUT if (rest := way(before, words, after, language)) is not None), None)


def _from_brackets(before: str, _words: str, after: str, _language: str) -> str | None:
    """Leave out brackets that hold nothing else."""
    bracketed = (before[-1:] + after[:1]) in ("()", "[]")
    return f"{before[:-1].rstrip()}{after[1:]}" if bracketed else None


def _with_preposition(before: str, _words: str, after: str, language: str) -> str | None:
    """Leave out ``on my Mac`` where the phrase ends behind it."""
    known = _patterns(language)
    preposition = known.preposition_before.search(before)
    return before[: preposition.start()] + after if preposition and known.phrase_ends.match(after) else None


def _as_subject(before: str, _words: str, after: str, language: str) -> str | None:
    """Leave out the subject of a negation: "Buds won't pair" is about what will not pair, which is the product."""
    determiners = pattern_of(TitleWords, "subject_determiners", language, r"\A(?:", r"\s+)*\Z")
    verb = _patterns(language).negated_verb.match(after) if determiners.match(before) else None
    return after[verb.end() :] if verb else None


def _as_label(before: str, _words: str, after: str, _language: str) -> str | None:
    """Leave out a label in front (``Android: no sound``) or at the end (``No sound - Android``)."""
    if not before.strip() and (mark := _MARK_BEHIND_LABEL.match(after)):
        return after[mark.end() :]
    if not after.strip(_CLOSING_MARKS) and (mark := _MARK_BEFORE_LABEL.search(before)):
        return before[: mark.start()] + after
    return None


def _from_head_noun(before: str, words: str, after: str, language: str) -> str | None:
    """Leave out what describes a thing: "Outlook account" loses Outlook only."""
    if pattern_of(TitleWords, "head_nouns", language, r"\s+", r"\b").match(after):
        return before + after.lstrip()
    *described_by, last = words.rsplit(" ", 1)
    is_head = last.casefold() in word_lists(TitleWords, language).head_nouns
    return before + last + after if described_by and is_head else None


def _from_title_end(before: str, _words: str, after: str, language: str) -> str | None:
    """Leave out the end of a title such as "Firmware update iPhone", which is no sentence."""
    return None if after.strip(_CLOSING_MARKS) or _patterns(language).needs_object.search(before) else before + after


# From the text before the words, the words, the text after them and the language to what is left; the first that
# applies counts.
_WAYS_TO_LEAVE_OUT: tuple[Callable[[str, str, str, str], str | None], ...] = (
    _from_brackets,
    _with_preposition,
    _as_subject,
    _as_label,
    _from_head_noun,
    _from_title_end,
)
