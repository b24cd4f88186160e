"""The words of a text: one tokenisation, and what an index and a lexicon each read from it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from autokb.core.domain import ENGLISH
from autokb.text.lexicons import language_data
from autokb.text.stemming import stem

READ_AT_MOST = 100_000  # characters of a text; what a customer says is before that, and hostile texts stay cheap

# Scripts in which nobody can see where a word ends: Thai, Lao, Burmese, Khmer, and those of Chinese, Japanese and
# Korean (whose endings stick to their words). A run of such characters is one token.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
# Anything else is a run of letters and digits with apostrophes inside (isn't), and with what C++ and C# end with.
_TOKEN = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+(?:'[^\W{_UNSPACED}]+)*(?:[+#]+(?!\w))?")
_FIRST_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_LOWEST_UNSPACED = _UNSPACED[0]
_HYPHENATED_CODE = re.compile(r"\b([A-Za-z]{1,4})[-‐‑](\d{2,})\b")  # E-03, which customers also write E03
_LETTERS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_BREAK = re.compile(r"[.!?;:|…。！？](?=\s|$|\W)|\n|[。！？]|\s[-–—]+\s|—")


def normalized(text: str) -> str:
    """Return a text in Unicode normalization form NFKC with straight apostrophes, as the word reader expects it."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")


@dataclass(frozen=True, slots=True)
class Words:
    """A text as words: as written, case folded, and the gap before each (``gaps[0]`` is what precedes the first).

    ``starts`` are their places in the ``normalized`` text.
    """

    raw: tuple[str, ...]
    folded: tuple[str, ...]
    gaps: tuple[str, ...]
    starts: tuple[int, ...]

    def breaks(self, position: int) -> bool:
        """Return whether a sentence, a part of one (after a colon) or a line ends before this word."""
        return position > 0 and _BREAK.search(self.gaps[position]) is not None


def split_words(text: str) -> Words:
    """Split the first READ_AT_MOST characters of a text into words, for a lexicon that looks for names in it.

    In a script without spaces each character is a word, since a name may begin and end at any of them.
    """
    text = normalized(text[:READ_AT_MOST])
    raw: list[str] = []
    gaps: list[str] = []
    starts: list[int] = []
    end = 0
    for token in _TOKEN.finditer(text):
        word, start = token.group(), token.start()
        gaps.append(text[end:start])
        end = start + len(word)
        if _is_unspaced(word):
            gaps += [""] * (len(word) - 1)
            raw += word
            starts += range(start, end)
        else:
            raw.append(word)
            starts.append(start)
    return Words(tuple(raw), tuple(word.casefold() for word in raw), tuple(gaps), tuple(starts))


@cache
def stop_words(language: str = ENGLISH) -> frozenset[str]:
    """Return the folded words that say nothing of a text's matter: its grammar, greetings and thanks."""
    data = language_data(language)
    return data.stop_words | {phrase for phrase in (*data.greetings, *data.courtesies) if " " not in phrase}


@lru_cache(maxsize=64)
def terms(text: str, language: str = ENGLISH) -> tuple[str, ...]:
    """Return the words of a whole text as an index counts them: stems, without stop words, in the order of the text.

    A code with a hyphen (E-03) counts as one word, too, behind the others.

    In a script without spaces each pair of neighbours is a term: a single character is in too many texts, and words
    are two characters long there more often than not.
    """
    found: list[str] = []
    unwanted = stop_words(language)
    for token in _TOKEN.findall(normalized(text)):
        if _is_unspaced(token):
            found += _split_into_pairs(token)
            continue
        word = token.casefold()
        if word not in unwanted:
            found.append(stem(word, language))
    found += ("".join(code.groups()).casefold() for code in _HYPHENATED_CODE.finditer(text))
    return tuple(found)


@lru_cache(maxsize=20_000)
def content_words(text: str, language: str = ENGLISH) -> frozenset[str]:
    """Return the stems of the words that name something, so that two texts can be seen to speak of the same.

    Numbers are no words here; neither is what any text of support says (step, solution).
    """
    unwanted = stop_words(language) | language_data(language).support_words
    found: set[str] = set()
    for token in _TOKEN.findall(normalized(text)):
        if _is_unspaced(token):
            found.update(_split_into_pairs(token))
            continue
        word = token.casefold()
        for part in (word,) if word.isalpha() or word in unwanted else _LETTERS.findall(word):
            if len(part) > 2 and part not in unwanted:
                found.add(stem(part, language))
    return frozenset(found)


def _is_unspaced(token: str) -> bool:
    return token >= _LOWEST_UNSPACED and _FIRST_UNSPACED.match(token) is not None


def _split_into_pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(max(1, len(run) - 1))]
