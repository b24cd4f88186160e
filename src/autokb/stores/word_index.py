"""BM25 over texts held in memory: every text gets its score for a question in a fraction of a millisecond."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from autokb.core.domain import ENGLISH
from autokb.text.words import terms

K1 = 1.5  # how soon a repeated word stops counting
B = 0.75  # how much a long text is held back


class Words(Protocol):
    """What the words of a question say of texts, and of what all texts have."""

    @property
    def language(self) -> str:
        """The language of the texts."""
        ...

    @property
    def vocabulary(self) -> Container[str]:
        """The words that a text has; of a part of the texts those of the question, at least."""
        ...

    def scores(self, text: str) -> NDArray[np.float64]:
        """Return BM25 of every text for a question; a word that is repeated counts again."""
        ...

    def shares(self, text: str) -> NDArray[np.float64]:
        """Return the scores in 0..1."""
        ...

    def unknown_share(self, text: str, without: Collection[int] = ()) -> float:
        """Return the share of a question's words, each by its idf, that no text has."""
        ...


@dataclass(frozen=True)
class WordIndex:
    """An inverted index with BM25's weights worked out beforehand: ``starts`` bounds each word's texts and weights."""

    size: int
    vocabulary: Mapping[str, int]
    starts: NDArray[np.int64]
    texts: NDArray[np.int32]
    weights: NDArray[np.float64]
    language: str = ENGLISH

    @staticmethod
    def build(texts: Sequence[str], language: str = ENGLISH) -> WordIndex:
        """Index texts of one language; a text without words is never found, no texts at all are no error."""
        counts = [Counter(terms(text, language)) for text in texts]
        vocabulary = {word: n for n, word in enumerate(sorted(set().union(*counts)))}
        lengths = np.array([sum(c.values()) for c in counts], dtype=np.float64)
        mean = float(lengths.mean()) if lengths.sum() else 1.0
        rows = np.array([vocabulary[w] for c in counts for w in c], dtype=np.int64)
        columns = np.repeat(np.arange(len(texts), dtype=np.int32), [len(c) for c in counts])
        frequency = np.array([n for c in counts for n in c.values()], dtype=np.float64)
        per_word = np.bincount(rows, minlength=len(vocabulary))
        idf = np.log(1 + (len(texts) - per_word + 0.5) / (per_word + 0.5))
        damped = frequency + K1 * (1 - B + B * lengths[columns] / mean)
        order = np.argsort(rows, kind="stable")
        weights = (idf[rows] * frequency * (K1 + 1) / damped)[order] if len(rows) else np.zeros(0)
        starts = np.concatenate([[0], np.cumsum(per_word)]).astype(np.int64)
        return WordIndex(len(texts), vocabulary, starts, columns[order], weights, language)

    def scores(self, text: str) -> NDArray[np.float64]:
        """Return BM25 of every text for a question; a word that is repeated counts again."""
        known = [self.vocabulary[w] for w in terms(text, self.language) if w in self.vocabulary]
        if not known:
            return np.zeros(self.size)
        bounds = [(self.starts[n], self.starts[n + 1]) for n in known]
        hit = np.concatenate([self.texts[a:b] for a, b in bounds])
        weight = np.concatenate([self.weights[a:b] for a, b in bounds])
        found: NDArray[np.float64] = np.bincount(hit, weights=weight, minlength=self.size).astype(np.float64)
        return found

    def shares(self, text: str) -> NDArray[np.float64]:
        """Return the scores in 0..1: the share of what a text could score that says each of the question's words often.

        The share falls by itself for long questions, whose many words no text can say.
        """
        most = (K1 + 1) * sum(idf(self._count_texts(word), self.size) for word in terms(text, self.language))
        return self.scores(text) / most if most else np.zeros(self.size)

    def unknown_share(self, text: str, without: Collection[int] = ()) -> float:
        """Return the share of a question's words, each by its idf, that no text has, 0..1; without words it is 0.

        ``without`` are texts that do not count.
        """
        counts = [self._count_texts(word, without) for word in dict.fromkeys(terms(text, self.language))]
        return _unknown_share(counts, self.size)

    def _count_texts(self, word: str, without: Collection[int] = ()) -> int:
        number = self.vocabulary.get(word)
        if number is None:
            return 0
        first, end = int(self.starts[number]), int(self.starts[number + 1])
        return sum(text not in without for text in self.texts[first:end].tolist()) if without else end - first


class WordCounts(Protocol):
    """How many texts have a word."""

    def get(self, word: str, default: int, /) -> int:
        """Return how many have it, else the default."""
        ...

    def __contains__(self, word: object, /) -> bool: ...


@dataclass(frozen=True)
class CountedWords:
    """BM25 over some of the texts of a knowledge base, for a few questions: no word has a list of its texts.

    ``counts`` has how often each text has each of its words. ``size`` is the number of all texts, ``length`` their
    words in all, and ``texts_with`` says how many of all have a word; it knows the words of the questions.
    """

    counts: Sequence[Mapping[str, int]]
    size: int
    length: int
    texts_with: WordCounts
    language: str = ENGLISH

    @property
    def vocabulary(self) -> Container[str]:
        """The words of the questions that any text has."""
        return self.texts_with

    @cached_property
    def _damping(self) -> NDArray[np.float64]:
        lengths = np.array([sum(one.values()) for one in self.counts], dtype=np.float64)
        mean = self.length / self.size if self.length else 1.0
        damping: NDArray[np.float64] = K1 * (1 - B + B * lengths / mean)
        return damping

    def scores(self, text: str) -> NDArray[np.float64]:
        """Return BM25 of every text for a question; a word that is repeated counts again."""
        found = np.zeros(len(self.counts))
        for word in terms(text, self.language):
            if not (of_all := self.texts_with.get(word, 0)):
                continue
            frequency = np.array([one.get(word, 0) for one in self.counts], dtype=np.float64)
            idf = np.log(1 + (self.size - of_all + 0.5) / (of_all + 0.5))
            found += np.where(frequency > 0, idf * frequency * (K1 + 1) / (frequency + self._damping), 0.0)
        return found

    def shares(self, text: str) -> NDArray[np.float64]:
        """Return the scores in 0..1, by what a text could score that says each of the question's words often."""
        most = (K1 + 1) * sum(idf(self.texts_with.get(word, 0), self.size) for word in terms(text, self.language))
        return self.scores(text) / most if most else np.zeros(len(self.counts))

    def unknown_share(self, text: str, without: Collection[int] = ()) -> float:
        """Return the share of a question's words, each by its idf, that no text has; all texts count."""
        assert not without, "of some texts nobody asks for what the others have"
        words = dict.fromkeys(terms(text, self.language))
        return _unknown_share([self.texts_with.get(word, 0) for word in words], self.size)


def _unknown_share(counts: Sequence[int], size: int) -> float:
    """Return the share of words that no text has, each by its idf; ``counts`` says how many texts have each."""
    unknown, everything = (sum(idf(n, size) for n in some) for some in ([n for n in counts if not n], counts))
    return unknown / everything if everything else 0.0


def idf(found: int, size: int) -> float:
    """Return how much a word counts that ``found`` of ``size`` texts have."""
    return math.log(1 + (size - found + 0.5) / (found + 0.5))
