"""How near a reply is to another text, counted: to what it cites, to a person's reply, to the other suggestions."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from autokb.core.domain import ENGLISH
from autokb.text.sentences import sentences
from autokb.text.words import content_words, split_words, stop_words, terms

LONGEST_NGRAM = 4  # words that BLEU compares at once
_BLEU_MARKS = (
    (re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def supported_share(text: str, evidence: Sequence[str], language: str = ENGLISH) -> float | None:
    """Return the share of a text's different words, numbers among them, that stand in what it cites.

    Words are those of an index: stems without stop words. None where a text has none, or nothing is cited. What stands
    there verbatim is borne out whole, also where it begins or ends inside of what an index takes for one word.
    """
    words = frozenset(terms(text, language))
    if not words or not evidence:
        return None
    if any(_is_verbatim(text, quote) for quote in evidence):
        return 1.0
    return len(words & _all_terms(evidence, language)) / len(words)


def supported_sentences(text: str, evidence: Sequence[str], language: str = ENGLISH) -> float | None:
    """Return the share of a text's sentences whose words all stand in what it cites, None where there are none."""
    parts = [text[a:b] for a, b in sentences(text, language=language)]
    found = [(part, words) for part in parts if (words := frozenset(terms(part, language)))]
    if not found or not evidence:
        return None
    known = _all_terms(evidence, language)
    whole = [words <= known or any(_is_verbatim(part, quote) for quote in evidence) for part, words in found]
    return sum(whole) / len(whole)


def _is_verbatim(text: str, quote: str) -> bool:
    """Return whether a text stands in a quote, as whole words, white space aside."""
    words = re.escape(" ".join(text.split()))
    return re.search(rf"(?<!\w){words}(?!\w)", " ".join(quote.split())) is not None


def _all_terms(texts: Iterable[str], language: str) -> frozenset[str]:
    return frozenset(term for text in texts for term in terms(text, language))


class InverseFrequencies:
    """How rare words are in a collection of texts, and with that the tf-idf cosine of any two texts.

    idf is log((1 + N) / (1 + n)) + 1 for a word in n of N texts (smoothed as in scikit-learn), tf the plain count.
    """

    def __init__(self, texts: Iterable[str], language: str = ENGLISH) -> None:
        self.language = language
        counts: Counter[str] = Counter()
        total = 0
        for text in texts:
            total += 1
            counts.update(set(terms(text, language)))
        self._unknown = math.log(1 + total) + 1
        self._idf = {word: math.log((1 + total) / (1 + n)) + 1 for word, n in counts.items()}

    def similarity(self, one: str, other: str) -> float:
        """Return the cosine of two texts, from 0 to 1; 0 where one of them has no word."""
        a, b = self._vector(one), self._vector(other)
        length = math.sqrt(sum(x * x for x in a.values()) * sum(x * x for x in b.values()))
        return min(1.0, sum(x * b[word] for word, x in a.items() if word in b) / length) if length else 0.0

    def _vector(self, text: str) -> dict[str, float]:
        counts = Counter(terms(text, self.language))
        return {word: n * self._idf.get(word, self._unknown) for word, n in counts.items()}


def bleu(text: str, reference: str) -> float:
    """Return the geometric mean of the precisions of n-grams of up to four words, times the brevity penalty.

    Papineni and others 2002, of a sentence as sacrebleu counts it: a shorter text has the n-grams that it has, and a
    length without a match counts half, a quarter... of one match. Words are split as for mteval-v13a; case counts.
    """
    a, b = (_bleu_words(one) for one in (text, reference))
    logs: list[float] = []
    halved = 1
    for n in range(1, min(LONGEST_NGRAM, len(a)) + 1):
        mine, theirs = (Counter(zip(*(words[k:] for k in range(n)), strict=False)) for words in (a, b))
        matches = float((mine & theirs).total())
        if not matches:
            if n == 1:
                return 0.0
            halved *= 2
            matches = 1 / halved
        logs.append(math.log(matches / mine.total()))
    return math.exp(sum(logs) / len(logs) + min(0.0, 1 - len(b) / len(a))) if logs else 0.0


def _bleu_words(text: str) -> list[str]:
    """Split off punctuation, but no hyphen or apostrophe of a word and no point or comma of a number."""
    text = f" {text} "
    for marks, apart in _BLEU_MARKS:
        text = marks.sub(apart, text)
    return text.split()


def rouge_l(text: str, reference: str) -> float:
    """Return the F1 of the longest common subsequence of words (Lin 2004; no stemming, case folded)."""
    a, b = split_words(text).folded, split_words(reference).folded
    if not a or not b:
        return 0.0
    common = _longest_common_subsequence(a, b)
    return 2 * common / (len(a) + len(b))


def _longest_common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length; a row of the table is worked out at once, as only its running maximum depends on itself."""
    number = {word: n for n, word in enumerate(dict.fromkeys((*a, *b)))}
    columns = np.array([number[word] for word in b], dtype=np.int64)
    row = np.zeros(len(b) + 1, dtype=np.int64)
    for word in a:
        longer = np.where(columns == number[word], row[:-1] + 1, row[1:])
        row[1:] = np.maximum.accumulate(longer)
    return int(row[-1])


def distinctness(texts: Sequence[str], language: str = ENGLISH) -> float | None:
    """Return how different texts are: the mean of 1 - word overlap over all pairs, None for fewer than two.

    The overlap of two texts is the share of the content words of the one with fewer of them that the other has.
    """
    words = [found for text in texts if (found := content_words(text, language))]
    pairs = list(itertools.combinations(words, 2))
    if not pairs:
        return None
    return sum(1 - len(a & b) / min(len(a), len(b)) for a, b in pairs) / len(pairs)


def exact_match(text: str, answers: Sequence[str], language: str = ENGLISH) -> float:
    """Return 1 where a text is one of the answers, punctuation, case and stop words aside, else 0."""
    found = _answer_words(text, language)
    return float(any(found == _answer_words(answer, language) for answer in answers))


def token_f1(text: str, answers: Sequence[str], language: str = ENGLISH) -> float:
    """Return the best F1 of a text's words with those of one of the answers (as SQuAD is scored)."""
    return max((_f1(_answer_words(text, language), _answer_words(a, language)) for a in answers), default=0.0)


def _f1(found: Sequence[str], right: Sequence[str]) -> float:
    common = (Counter(found) & Counter(right)).total()
    return 2 * common / (len(found) + len(right)) if common else 0.0


def _answer_words(text: str, language: str) -> tuple[str, ...]:
    """Return the words that count in a short answer: without stop words, unless it has no others."""
    words = split_words(text).folded
    return tuple(word for word in words if word not in stop_words(language)) or words
