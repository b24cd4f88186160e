"""METEOR by nltk, an extra, and by WordNet, which is data of the system: Debian's ``wordnet-base`` (3.0)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

WORDNET = Path("/usr/share/wordnet")  # where Debian's wordnet-base puts its files
LEXICOGRAPHER_FILES = 45  # lexnames(5WN) of WordNet 3.0
NO_WORDNET = "WordNet is not in {}: apt-get install wordnet-base"
NO_NLTK = "METEOR needs a library: pip install nltk"


class NoMeteorError(Exception):
    """METEOR cannot be computed on this machine; the message says what to install."""


def load_meteor(wordnet: Path = WORDNET) -> Callable[[str, str], float]:
    """Read WordNet (some 1 s) and return METEOR of an answer and its reference (NoMeteorError where it is not there).

    Banerjee and Lavie 2005: words are matched as they are, by their Porter stems and by synonyms; F = 10PR / (R + 9P),
    times 1 - 0.5 (chunks / matches)^3, so that a text beside itself stays a little below 1. These are the defaults of
    nltk (alpha 0.9, beta 3, gamma 0.5). It looks synonyms up by the stem, so that a word such as "automobile"
    ("automobil") has none: that is left so, because other people's figures are made with it.
    """
    try:
        import nltk.data
        from nltk.tokenize import wordpunct_tokenize
        from nltk.translate.meteor_score import single_meteor_score
    except ImportError as error:
        raise NoMeteorError(NO_NLTK) from error
    if not (wordnet / "data.noun").is_file():
        raise NoMeteorError(NO_WORDNET.format(wordnet))
    if str(wordnet) not in nltk.data.path:
        nltk.data.path.append(str(wordnet))  # nltk reads no file outside of these folders
    reader = _open_wordnet(wordnet)

    def meteor(answer: str, reference: str) -> float:
        words = [wordpunct_tokenize(text.lower()) for text in (reference, answer)]  # punctuation is a token of its own
        return float(single_meteor_score(*words, wordnet=reader))

    return meteor


def _open_wordnet(folder: Path) -> Any:
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class DebianWordNet(WordNetCorpusReader):  # type: ignore[misc]
        """Reads Debian's folder, which lacks two files of the original that METEOR never looks into."""

        def open(self, file: str) -> Any:
            """Open a file; lexnames, the names of the lexicographers' files, is made up of their numbers."""
            if file == "lexnames":
                return StringIO("".join(f"{n:02d}\t{n:02d}\t0\n" for n in range(LEXICOGRAPHER_FILES)))
            return super().open(file)

        def map_wn(self, version: str = "wordnet") -> None:
            """Map nothing to another WordNet: only other languages need it, and index.sense for it."""

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions are not available")
        return DebianWordNet(str(folder), None)
