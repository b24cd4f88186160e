"""A few words of a passage that answer a question: the run of words beside those that the question has, verbatim."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, Literal

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Span
from autokb.text.lexicons import WordLists, alternation, language_data, word_lists
from autokb.text.sentences import sentences
from autokb.text.words import terms

MOST_WORDS = 9  # "less than ten words" in the response prediction paper
# Share of the weight of a question's words that the best sentence must have; less is no answer to it. Chosen on the
# development half of SQuAD's questions (``python -m benchmarks suggestions --tuning``).
NEAR_ENOUGH = 0.35
# What a run of the kind that is asked for counts beside its nearness to the question's words.
RIGHT_KIND = 2.0
_WORD = re.compile(r"[^\W_]+(?:[.,'’:/-][^\W_]+)*%?")
_BREAK = re.compile(r"[,;:()\[\]\"“”«»|–—\n]|[.!?](?=\s|$)")
Kind = Literal["number", "name"]


@dataclass(frozen=True, slots=True)
class AnswerWords(WordLists):
    """How questions begin that ask for a number or a name."""

    file: ClassVar[str] = "short_answers"

    number_questions: tuple[str, ...] = ()
    name_questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """A span of the passage ``passage`` (from 0), and that of the sentence that it stands in."""

    passage: int
    span: Span
    sentence: Span


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    terms: frozenset[str] = field(default_factory=frozenset)


def find_short_answer(question: str, passages: Sequence[str], language: str = ENGLISH) -> FoundAnswer | None:
    """Return the words that answer a question, None where no sentence speaks of it or none has such words.

    The sentence is the one with most of the question's words, each weighed by how few sentences have it. In it, what
    answers are at most ``MOST_WORDS`` words in a row that the question does not have: nearest to those that it has, and
    a number or a name where it asks for one.
    """
    asked = frozenset(terms(question, language))
    spans = [(n, span) for n, text in enumerate(passages) for span in sentences(text, language=language)]
    bags = [frozenset(terms(passages[n][a:b], language)) for n, (a, b) in spans]
    counts = Counter(word for bag in bags for word in bag)
    weight = {word: math.log(1 + len(bags) / (1 + counts[word])) for word in asked}
    total = sum(weight.values())
    if not total or not bags:
        return None
    scores = [sum(weight[word] for word in bag & asked) / total for bag in bags]
    kind = _kind_of(question, language)
    for place in sorted(range(len(bags)), key=lambda n: -scores[n])[:2]:
        if scores[place] < NEAR_ENOUGH:
            return None
        n, (start, end) = spans[place]
        if (span := _best_run(passages[n], start, end, weight, kind, language)) is not None:
            return FoundAnswer(n, span, (start, end))
    return None


def _best_run(
    text: str, start: int, end: int, weight: Mapping[str, float], kind: Kind | None, language: str
) -> Span | None:
    tokens = [
        _Token(found.start(), found.end(), frozenset(terms(found.group(), language)))
        for found in _WORD.finditer(text, start, end)
    ]
    known = [(place, sum(weight.get(word, 0.0) for word in token.terms)) for place, token in enumerate(tokens)]
    known = [(place, value) for place, value in known if value]
    best: tuple[float, Span] | None = None
    for first, after in _runs(text, tokens, weight.keys()):
        parts = _parts_of_kind(text, tokens, first, after, kind, language)
        for a, b in parts or [(first, after)]:
            near = sum(value / min(abs(place - a), abs(place - b + 1)) for place, value in known)
            score = near * (RIGHT_KIND if parts else 1.0)
            if b - a <= MOST_WORDS and (best is None or score > best[0]):
                best = score, (tokens[a].start, tokens[b - 1].end)
    return best and best[1]


def _parts_of_kind(
    text: str, tokens: Sequence[_Token], first: int, after: int, kind: Kind | None, language: str
) -> list[tuple[int, int]]:
    """Return the parts of a run that are of the kind asked for: a number with its unit, or names in capitals.

    A capital that a sentence begins with makes no name of its word, unless a name goes on with it. A name may hold a
    stop word (University of Oslo).
    """
    found: list[tuple[int, int]] = []
    place = first
    while kind is not None and place < after:
        end = place
        while end < after and _belongs(text, tokens, end, after if end > place else -1, kind):
            end += 1
        if end == place:
            place += 1
            continue
        words = text[tokens[place].start : tokens[end - 1].end]
        is_number = any(c.isdigit() for c in words) or any(
            word in language_data(language).number_words for word in words.casefold().split()
        )
        if is_number if kind == "number" else place > 0 or end - place > 1:
            found.append((place, end))
        place = end
    return found


def _belongs(text: str, tokens: Sequence[_Token], place: int, inside: int, kind: Kind) -> bool:
    """Return whether a word is part of a number or a name; ``inside`` is where its run ends, -1 at its beginning."""
    token = tokens[place]
    if kind == "number":
        return bool(token.terms)
    if text[token.start].isupper():
        return True
    return not token.terms and 0 <= place + 1 < inside and text[tokens[place + 1].start].isupper()


def _runs(text: str, tokens: Sequence[_Token], asked: Set[str]) -> Iterator[tuple[int, int]]:
    """Give the words in a row that the question does not have, without stop words at their ends."""
    first = 0
    for place in range(len(tokens) + 1):
        ends = place == len(tokens) or bool(tokens[place].terms & asked)
        breaks = 0 < place < len(tokens) and _BREAK.search(text, tokens[place - 1].end, tokens[place].start)
        if ends or breaks:
            a, b = first, place
            while a < b and not tokens[a].terms:
                a += 1
            while b > a and not tokens[b - 1].terms:
                b -= 1
            if a < b:
                yield a, b
            first = place + 1 if ends else place


def _kind_of(question: str, language: str) -> Kind | None:
    for kind, pattern in _kinds(language):
        if pattern.search(question):
            return kind
    return None


@cache
def _kinds(language: str) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    words = word_lists(AnswerWords, language)

    def pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{alternation(phrases)})(?!\w)", re.IGNORECASE)

    return ("number", pattern(words.number_questions)), ("name", pattern(words.name_questions))
