"""The stem of a word: what its forms have in common, by the Snowball stemmer of its language."""

from __future__ import annotations

from functools import cache, lru_cache
from threading import Lock
from typing import Any

from autokb.core.domain import ENGLISH

_AS_SNOWBALL = {"nb": "no", "nn": "no"}  # languages (ISO 639-1) that it knows by the code of another
_one_at_a_time = Lock()  # a stemmer of Snowball holds the word that it is at work on


def has_stemmer(language: str) -> bool:
    """Return whether words of a language are stemmed."""
    return _load_stemmer(language) is not None


@lru_cache(maxsize=65_536)
def stem(word: str, language: str = ENGLISH) -> str:
    """Return the stem of a folded word, to be compared and never shown; without a stemmer it is the word."""
    stemmer = _load_stemmer(language)
    if stemmer is None:
        return word
    with _one_at_a_time:
        try:
            return str(stemmer.stemWord(word))
        except UnicodeEncodeError:  # half a surrogate pair: no UTF-8, and no word
            return word


@cache
def _load_stemmer(language: str) -> Any:
    import Stemmer

    if len(language) != 2 or not language.isascii():  # it also takes names, such as german
        return None
    try:
        return Stemmer.Stemmer(_AS_SNOWBALL.get(language, language))
    except KeyError:
        return None
