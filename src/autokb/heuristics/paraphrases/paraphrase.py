"""A text in other words, by rules alone: they are known words moved about, not what a person would write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from autokb.heuristics.paraphrases.exchangeable_words import CONTRACTIONS, EXCHANGEABLE
from autokb.text.content_words import content_words
from autokb.text.lexicon_words import inflections, word_set

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_PUNCTUATION = re.compile(r"[,;:!?\"“”()*_`#>|]|\.(?=\s|$)|\s[-–—]\s")
_CLAUSE_START = re.compile(
    r"(?:,\s+|\s+)(?=(?:when|while|if|after|before|as soon as|because|on|in|with|from|during|since)\s)", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_QUESTION_WORDS = word_set("how what why when where which who can could do does did is are will would should")
LONGEST_SMALL_WORD = 3  # letters; too many words so short have no plural


def paraphrases(
    text: str, synonyms: Sequence[tuple[str, Sequence[str]]], most: int
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return up to ``most`` easy, medium and hard paraphrases of a text, none twice and none the text itself.

    Easy ones change punctuation and inflection, medium ones put synonyms (those of the domain first), hard ones change
    the structure. A level for which the words give nothing stays short or empty.
    """
    taken = {text.strip()}
    easy = _new(_easy(text), taken, most)
    medium = _new(_medium(text, synonyms), taken, most)
    return easy, medium, _new(_hard(text), taken, most)


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


def _easy(text: str) -> Iterator[str]:
    """Give other punctuation, other letters' case, contractions and word forms."""
    bare = " ".join(_PUNCTUATION.sub(" ", text).split())
    yield bare.lower()
    for short, long in CONTRACTIONS:
        for word, instead in ((short, long), (long, short)):
            if (changed := _exchange(text, word, instead)) != text:
                yield changed
    # The last words first: they are mostly nouns, and sound right in both numbers.
    words = dict.fromkeys(w for w in _WORD.findall(text) if len(w) > LONGEST_SMALL_WORD and w.islower())
    numbers = ((word, list(inflections(word))) for word in reversed(words) if content_words(word))
    inflected = [_exchange(text, word, forms[-1]) for word, forms in numbers if len(forms) > 1]
    yield from inflected[:2]
    without_end = _without_end(text)
    yield f"{without_end}..."
    yield f"{without_end}!"
    yield f"{bare}?"
    yield bare
    yield from inflected[2:]
    yield bare.upper()


def _medium(text: str, synonyms: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Give the text with one synonym, those of the domain first, then with two."""
    pairs = [*((word, other) for word, others in synonyms for other in others), *EXCHANGEABLE]
    single = [(pair, changed) for pair in pairs if (changed := _exchange(text, *pair)) != text]
    yield from (changed for _, changed in single)
    for (first, changed), (second, _) in combinations(single, 2):
        if not set(first[0].lower().split()) & set(second[0].lower().split()):
            yield _exchange(changed, *second)


def _hard(text: str) -> Iterator[str]:
    """Give keywords, clauses in another order, and a question for a statement or the other way round."""
    bare = _without_end(text)
    small = _with_small_start(bare)
    words = _WORD.findall(text)
    keywords = list(dict.fromkeys(w for w in words if content_words(w) or any(c.isdigit() for c in w)))
    is_question = bool(words) and words[0].lower() in _QUESTION_WORDS
    yield from _with_clause_first(bare)
    if (sentences := _SENTENCE_END.split(bare))[1:]:
        yield f"{sentences[-1]}. {'. '.join(sentence.rstrip('.') for sentence in sentences[:-1])}."
    yield f"I would like to know: {small}" if is_question else f"What can I do about this: {small}?"
    if len(keywords) > 1:
        yield " ".join(keywords)
    yield f"Help needed. {bare}." if is_question else f"Why is it that {small}?"
    if len(keywords) > 1:
        yield " ".join(reversed(keywords))
        yield f"It is about {', '.join(keywords)}."


def _with_clause_first(text: str) -> Iterator[str]:
    """Give the text with a later clause first: ``It stops when it rains`` becomes ``When it rains, it stops``."""
    if _SENTENCE_END.search(text):
        return
    for cut in _CLAUSE_START.finditer(text):
        head, tail = text[: cut.start()].rstrip(" ,"), text[cut.end() :].strip(" ,.")
        if len(_WORD.findall(head)) > 1 and len(_WORD.findall(tail)) > 1:
            yield f"{tail[0].upper()}{tail[1:]}, {_with_small_start(head)}"


def _without_end(text: str) -> str:
    return " ".join(text.split()).rstrip(" .!?…")


def _with_small_start(text: str) -> str:
    """Begin small, save where the first word is no ordinary one: I, iPhone, USB."""
    first = text.split(" ", 1)[0]
    is_name = first == "I" or first.startswith(("I'", "I’")) or first[1:] != first[1:].lower()
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
