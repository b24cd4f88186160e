"""A text in other words, by rules alone: they are known words moved about, not what a person would write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.text.lexicons import AsWritten, WordLists, language_data, pattern_of, word_lists
from autokb.text.word_forms import inflections
from autokb.text.words import content_words

NOTHING = AsWritten("")


@dataclass(frozen=True)
class ParaphraseWords(WordLists):
    """Groups of exchangeable words and sentences around a text; a sentence that a language lacks is empty."""

    file: ClassVar[str] = "paraphrases"

    contractions: tuple[AsWritten, ...] = ()
    exchangeable: tuple[AsWritten, ...] = ()
    clause_openings: tuple[str, ...] = ()
    capital_words: tuple[AsWritten, ...] = ()
    question_as_statement: AsWritten = NOTHING
    statement_as_question: AsWritten = NOTHING
    question_as_request: AsWritten = NOTHING
    statement_as_why: AsWritten = NOTHING
    list_of_keywords: AsWritten = NOTHING


def _words(group: str) -> list[str]:
    return [word.strip() for word in group.split(",")]


_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_PUNCTUATION = re.compile(r"[,;:!?\"“”()*_`#>|]|\.(?=\s|$)|\s[-–—]\s")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
LONGEST_SMALL_WORD = 3  # letters; too many words so short have no plural


def paraphrases(
    text: str, synonyms: Sequence[tuple[str, Sequence[str]]], most: int, language: str = ENGLISH
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return up to ``most`` easy, medium and hard paraphrases of a text, none twice and none the text itself.

    Easy ones change punctuation and inflection, medium ones put synonyms (those of the domain first), hard ones change
    the structure. A level for which the words give nothing stays short or empty.
    """
    known = word_lists(ParaphraseWords, language)
    taken = {text.strip()}
    easy = _new(_easy(text, language, known), taken, most)
    medium = _new(_medium(text, synonyms, known), taken, most)
    return easy, medium, _new(_hard(text, language, known), taken, most)


def _new(found: Iterable[str], taken: set[str], most: int) -> tuple[str, ...]:
    """Return the first ``most`` that are not yet taken, and take them."""
    new: list[str] = []
    for text in (" ".join(t.split()) for t in found):
        if len(new) == most:
            break
        if text and text not in taken:
            taken.add(text)
            new.append(text)
    return tuple(new)


def _easy(text: str, language: str, known: ParaphraseWords) -> Iterator[str]:
    """Give other punctuation, other letters' case, contractions and word forms."""
    bare = " ".join(_PUNCTUATION.sub(" ", text).split())
    yield bare.lower()
    for short, long, *_ in map(_words, known.contractions):
        for word, instead in ((short, long), (long, short)):
            if (changed := _exchange(text, word, instead)) != text:
                yield changed
    # The last words first: they are mostly nouns, and sound right in both numbers.
    words = dict.fromkeys(w for w in _WORD.findall(text) if len(w) > LONGEST_SMALL_WORD and w.islower())
    numbers = ((word, list(inflections(word, language))) for word in reversed(words) if content_words(word, language))
    inflected = [_exchange(text, word, forms[-1]) for word, forms in numbers if len(forms) > 1]
    yield from inflected[:2]
    without_end = _without_end(text)
    yield f"{without_end}..."
    yield f"{without_end}!"
    yield f"{bare}?"
    yield bare
    yield from inflected[2:]
    yield bare.upper()


def _medium(text: str, synonyms: Sequence[tuple[str, Sequence[str]]], known: ParaphraseWords) -> Iterator[str]:
    """Give the text with one synonym, those of the domain first, then with two."""
    exchangeable = (pair for group in known.exchangeable for pair in permutations(_words(group), 2))
    pairs = [*((word, other) for word, others in synonyms for other in others), *exchangeable]
    single = [(pair, changed) for pair in pairs if (changed := _exchange(text, *pair)) != text]
    yield from (changed for _, changed in single)
    for (first, changed), (second, _) in combinations(single, 2):
        if not set(first[0].lower().split()) & set(second[0].lower().split()):
            yield _exchange(changed, *second)


# Complex: one sentence for each transformation, in the order in which they are taken.
def _hard(text: str, language: str, known: ParaphraseWords) -> Iterator[str]:
    """Give keywords, clauses in another order, and a question for a statement or the other way round."""
    bare = _without_end(text)
    small = _with_small_start(bare, known)
    words = _WORD.findall(text)
    keywords = list(dict.fromkeys(w for w in words if content_words(w, language) or any(c.isdigit() for c in w)))
    data = language_data(language)
    is_question = bool(words) and words[0].lower() in data.question_words | data.question_verbs
    yield from _with_clause_first(bare, language, known)
    if (sentences := _SENTENCE_END.split(bare))[1:]:
        yield f"{sentences[-1]}. {'. '.join(sentence.rstrip('.') for sentence in sentences[:-1])}."
    yield (known.question_as_statement if is_question else known.statement_as_question).format(small)
    if len(keywords) > 1:
        yield " ".join(keywords)
    yield known.question_as_request.format(bare) if is_question else known.statement_as_why.format(small)
    if len(keywords) > 1:
        yield " ".join(reversed(keywords))
        yield known.list_of_keywords.format(", ".join(keywords))


def _with_clause_first(text: str, language: str, known: ParaphraseWords) -> Iterator[str]:
    """Give the text with a later clause first: ``It stops when it rains`` becomes ``When it rains, it stops``."""
    if _SENTENCE_END.search(text):
        return
    for cut in pattern_of(ParaphraseWords, "clause_openings", language, r"(?:,\s+|\s+)(?=", r"\s)").finditer(text):
        head, tail = text[: cut.start()].rstrip(" ,"), text[cut.end() :].strip(" ,.")
        if len(_WORD.findall(head)) > 1 and len(_WORD.findall(tail)) > 1:
            yield f"{tail[0].upper()}{tail[1:]}, {_with_small_start(head, known)}"


def _without_end(text: str) -> str:
    return " ".join(text.split()).rstrip(" .!?…")


def _with_small_start(text: str, known: ParaphraseWords) -> str:
    """Begin small, save where the first word is no ordinary one: I, iPhone, USB."""
    first = text.split(" ", 1)[0]
    is_capital = any(first == word or first.startswith((f"{word}'", f"{word}’")) for word in known.capital_words)  # I'm
    is_name = is_capital or first[1:] != first[1:].lower()
    return text if is_name else text[:1].lower() + text[1:]


def _exchange(text: str, word: str, instead: str) -> str:
    """Put words for others, once, in the case of the first letter; an apostrophe may be straight or curled."""
    pattern = re.escape(word).replace("'", "['’]")
    found = re.search(rf"(?<![\w'’-]){pattern}(?![\w'’-])", text, re.IGNORECASE)
    if found is None:
        return text
    if found.group()[0].isupper() and not found.start():
        instead = instead[0].upper() + instead[1:]
    return text[: found.start()] + instead + text[found.end() :]
