"""Late interaction: how well each word of a question is met by its nearest word in a section, without training.

score(q, s) = sum over tokens t of q of idf(t) x max over tokens u of s of cos(t, u), by the sum of the idf: MaxSim
(Khattab and Zaharia, 2020) over the packaged encoder's own token vectors, each token by how few sections have it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from autokb.core.ranking import Positions, Scores
from autokb.core.vectors import TOKEN_STEPS, TokenVectors

PIECES = 1 << 16  # numbers that a piece of a word can have


def idf_of_pieces(told: NDArray[np.float64], candidates: int) -> NDArray[np.float64]:
    """Return the weight of each piece by how many of the candidates have it."""
    weights: NDArray[np.float64] = np.log(1 + (candidates - told + 0.5) / (told + 0.5))
    return weights


class ComparedTokens(Protocol):
    """Compares the tokens of a question with those of candidates."""

    def scores(self, question: TokenVectors, rows: Positions) -> Scores:
        """Return the score of some candidates, 0 to 1; one without tokens meets nothing."""

    def scores_of_parts(
        self, question: TokenVectors, rows: Sequence[int], within: Sequence[NDArray[np.bool_]]
    ) -> list[Scores]:
        """Return the scores of parts of candidates."""


@dataclass(frozen=True)
class TokensOnDemand:
    """The tokens of candidates that are read when they are compared: ``text_of`` gives what is embedded of a row."""

    text_of: Callable[[int], str]
    read: Callable[[Sequence[str]], list[TokenVectors]]
    idf: NDArray[np.float64]
    _held: dict[str, TokenVectors] = field(default_factory=dict, repr=False)

    def _index_of(self, rows: Sequence[int]) -> TokenIndex:
        texts = [self.text_of(row) for row in rows]
        missing = list(dict.fromkeys(text for text in texts if text not in self._held))
        self._held.update(zip(missing, self.read(missing), strict=True))
        return TokenIndex(tuple(self._held[text] for text in texts), self.idf)

    def scores(self, question: TokenVectors, rows: Positions) -> Scores:
        """Return the score of some candidates, 0 to 1; one without tokens meets nothing."""
        return self._index_of(rows.tolist()).scores(question, np.arange(len(rows)))

    def scores_of_parts(
        self, question: TokenVectors, rows: Sequence[int], within: Sequence[NDArray[np.bool_]]
    ) -> list[Scores]:
        """Return the scores of parts of candidates."""
        return self._index_of(rows).scores_of_parts(question, range(len(rows)), within)


@dataclass(frozen=True)
class TokenIndex:
    """The ``tokens`` of all candidates, a row each; ``idf`` is by piece."""

    tokens: tuple[TokenVectors, ...]
    idf: NDArray[np.float64]

    @classmethod
    def of(cls, tokens: Sequence[TokenVectors]) -> TokenIndex:
        """Index the tokens of candidates, one after the other."""
        told = np.zeros(PIECES)
        for one in tokens:
            told[np.unique(one.pieces)] += 1
        return cls(tuple(tokens), idf_of_pieces(told, len(tokens)))

    def scores_of_parts(
        self, question: TokenVectors, rows: Sequence[int], within: Sequence[NDArray[np.bool_]]
    ) -> list[Scores]:
        """Return the scores of parts of candidates: row n of one's ``within`` says which of its tokens part n has.

        A candidate that has another number of tokens than its text, as where the stored ones were damaged, has 0.
        """
        found = [np.zeros(len(parts)) for parts in within]
        weights = self.idf[question.pieces]
        if not len(weights) or not len(rows):
            return found
        vectors = [self.tokens[row].vectors for row in rows]
        cosines = question.vectors.astype(np.float32) @ np.concatenate(vectors).astype(np.float32).T / TOKEN_STEPS**2
        begins = np.cumsum([0, *map(len, vectors)])
        for scores, parts, begin, end in zip(found, within, begins, begins[1:], strict=False):
            own = cosines[:, begin:end]
            if parts.shape[1] != own.shape[1]:
                continue
            for n, kept in enumerate(parts):
                if kept.any():
                    scores[n] = weights @ own[:, kept].max(axis=1) / weights.sum()
        return found

    def scores(self, question: TokenVectors, rows: Positions) -> Scores:
        """Return the score of some candidates, 0 to 1; one without tokens meets nothing."""
        found = np.zeros(len(rows))
        weights = self.idf[question.pieces]
        vectors = [self.tokens[row].vectors for row in rows.tolist()]
        kept = np.flatnonzero([len(one) for one in vectors])
        if not len(weights) or not len(kept):
            return found
        asked = question.vectors.astype(np.float32) / TOKEN_STEPS**2  # not the many tokens of the candidates
        met = [vectors[n] for n in kept.tolist()]
        cosines = asked @ np.concatenate(met).astype(np.float32).T
        begins = np.cumsum([0, *map(len, met[:-1])])
        nearest = np.maximum.reduceat(cosines, begins, axis=1)
        found[kept] = weights @ nearest / weights.sum()
        return found
