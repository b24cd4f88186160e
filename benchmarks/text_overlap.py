"""How far an answer has the words of a reference, from 0 to 1: BLEU, ROUGE-L and METEOR by their usual libraries.

METEOR matches synonyms by WordNet, which is data of the system and no package of Python: Debian's `wordnet-base` (3.0).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import nltk.data
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.tokenize import wordpunct_tokenize
from nltk.translate.meteor_score import single_meteor_score
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

Metric = Callable[[str, str], float]  # of an answer and its reference
WORDNET = Path("/usr/share/wordnet")  # where Debian's wordnet-base puts its files
LEXICOGRAPHER_FILES = 45  # lexnames(5WN) of WordNet 3.0
NO_WORDNET = "WordNet is not in {}: apt-get install wordnet-base"

_BLEU = BLEU(effective_order=True)  # an answer of fewer than four words is compared by the n-grams that it has
_ROUGE_L = RougeScorer(["rougeL"], use_stemmer=False)


def find_metrics(wordnet: Path = WORDNET) -> tuple[dict[str, Metric], dict[str, str]]:
    """Return the metrics that can be computed on this machine, and why another cannot."""
    found: dict[str, Metric] = {"bleu": bleu, "rouge": rouge_l}
    try:
        found["meteor"] = load_meteor(wordnet)
    except FileNotFoundError as error:
        return found, {"meteor": str(error)}
    return found, {}


def bleu(answer: str, reference: str) -> float:
    """Compare n-grams of up to four words of one text with another's (Papineni and others 2002, sacrebleu's tokens)."""
    return float(_BLEU.sentence_score(answer, [reference]).score) / 100


def rouge_l(answer: str, reference: str) -> float:
    """Return the F1 of the longest common subsequence of words (Lin 2004, without stemming)."""
    return float(_ROUGE_L.score(reference, answer)["rougeL"].fmeasure)


def load_meteor(wordnet: Path = WORDNET) -> Metric:
    """Read WordNet (some 1 s) and return METEOR with its synonyms.

    Banerjee and Lavie 2005: words are matched as they are, by their Porter stems and by synonyms; F = 10PR / (R + 9P),
    times 1 - 0.5 (chunks / matches)^3, so that a text beside itself stays a little below 1. These are the defaults of
    nltk (alpha 0.9, beta 3, gamma 0.5). It looks synonyms up by the stem, so that a word such as "automobile"
    ("automobil") has none: that is left so, because other people's figures are made with it.
    """
    if not (wordnet / "data.noun").is_file():
        raise FileNotFoundError(NO_WORDNET.format(wordnet))
    if str(wordnet) not in nltk.data.path:
        nltk.data.path.append(str(wordnet))  # nltk reads no file outside of these folders
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions are not available")
        reader = _DebianWordNet(str(wordnet), None)

    def meteor(answer: str, reference: str) -> float:
        return float(single_meteor_score(_split_words(reference), _split_words(answer), wordnet=reader))

    return meteor


def _split_words(text: str) -> list[str]:
    """Split a text into words in lower case, each run of punctuation a token of its own: METEOR takes tokens."""
    return wordpunct_tokenize(text.lower())


class _DebianWordNet(WordNetCorpusReader):  # type: ignore[misc]
    """Reads Debian's folder, which lacks two files of the original that METEOR never looks into."""

    def open(self, file: str) -> Any:
        """Open a file; lexnames, the names of the lexicographers' files, is made up of their numbers."""
        if file == "lexnames":
            return StringIO("".join(f"{n:02d}\t{n:02d}\t0\n" for n in range(LEXICOGRAPHER_FILES)))
        return super().open(file)

    def map_wn(self, version: str = "wordnet") -> None:
        """Map nothing to another WordNet: only other languages need it, and index.sense for it."""
