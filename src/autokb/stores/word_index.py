"""BM25 over texts held in memory: every text gets its score for a question in a fraction of a millisecond."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

K1 = 1.5  # how soon a repeated word stops counting
B = 0.75  # how much a long text is held back
# Scripts written without spaces are read in pairs of characters; everything else in runs of letters and digits.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
TOKEN = re.compile(rf"[{UNSPACED}]+|[^\W{UNSPACED}]+(?:['’][^\W\d{UNSPACED}]+)*")
FIRST_UNSPACED = re.compile(rf"[{UNSPACED}]")
_STOP_WORDS = """
    a about above after again against all almost along already also although always am among an and another any
    anyone anything are around as at be became because been before being below between both but by can cannot could did
    do does doing done down during each either else enough etc even ever every few for from further get gets getting
    give go goes going gone got had has have having he hello hence her here hers herself hi him himself his how however
    i if in indeed into is it its itself just last least less let like many may maybe me might mine more most much must
    my myself neither never no nobody none nor not nothing now of off often on once one only onto or other others
    otherwise our ours out over own per perhaps please put rather same say see seem seems several she should since so
    some someone something still such than thank thanks that the their theirs them themselves then there therefore
    these they this those though through thus to together too toward towards two under until up upon us very via was we
    well were what whatever when whenever where whether which while who whole whom whose why will with within without
    would yet you your yours yourself im ive id dont doesnt didnt cant couldnt wont wouldnt isnt arent wasnt werent
    hasnt havent hadnt shouldnt thats theres whats youre theyre
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Take the commonest English endings off a word; other words stay as they are."""
    if not word.isascii() or len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "sl":
                word = word[:-1]
            break
    return word.rstrip("e") if len(word) > 4 else word


@lru_cache(maxsize=64)
def words(text: str) -> tuple[str, ...]:
    """Return the words of a text as they are compared: folded, stemmed, without stop words."""
    found: list[str] = []
    for token in TOKEN.findall(text.casefold()):
        if FIRST_UNSPACED.match(token):
            found.extend(token[i : i + 2] for i in range(max(1, len(token) - 1)))
            continue
        token = token.replace("'", "").replace("’", "")
        if token not in STOP_WORDS:
            found.append(stem(token))
    return tuple(found)


@dataclass(frozen=True)
class WordIndex:
    """An inverted index with BM25's weights worked out beforehand: ``starts`` bounds each word's texts and weights."""

    size: int
    vocabulary: Mapping[str, int]
    starts: NDArray[np.int64]
    texts: NDArray[np.int32]
    weights: NDArray[np.float64]

    @staticmethod
    def build(texts: Sequence[str]) -> WordIndex:
        """Index the texts; a text without words is never found, no texts at all are no error."""
        counts = [Counter(words(text)) for text in texts]
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
        return WordIndex(len(texts), vocabulary, starts, columns[order], weights)

    def scores(self, text: str) -> NDArray[np.float64]:
        """Return BM25 of every text for a question; a word said twice counts twice."""
        known = [self.vocabulary[w] for w in words(text) if w in self.vocabulary]
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
        most = (K1 + 1) * sum(self._idf(word) for word in words(text))
        return self.scores(text) / most if most else np.zeros(self.size)

    def _idf(self, word: str) -> float:
        number = self.vocabulary.get(word)
        found = 0 if number is None else int(self.starts[number + 1] - self.starts[number])
        return math.log(1 + (self.size - found + 0.5) / (found + 0.5))
