"""Whether words that a model wrote are supported by the text they were written from: facts, names, words, negations."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.text.lexicons import WordLists, word_lists
from autokb.text.words import content_words

_ADDRESS = re.compile(
    r"(?:https?|ftp|mailto|tel|javascript|data):[^\s<>\"”’)\]]+"  # something with a scheme
    r"|[\w.+-]+\s?@\s?[\w-]+(?:\.[\w-]+)*"  # e-mail
    r"|@\w{2,}"  # an account
    r"|\b(?:[\w-]+\.)+[^\W\d_]{2,}\b(?:/[^\s<>\"”’)\]]*)?",  # a host, with the path behind it
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_QUOTED_NAME = re.compile(
    r"“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|\"([^\"]+)\"|\*\*([^*]+)\*\*|`([^`]+)`|(?<!\w)['‘]([^'’]+)['’](?!\w)"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class GroundingWords(WordLists):
    """Words that change what a sentence says, in all languages, and those that only order steps in one."""

    file: ClassVar[str] = "grounding"

    negations_and_conditions: frozenset[str] = frozenset()
    conditions: frozenset[str] = frozenset()
    negating_conditions: frozenset[str] = frozenset()
    joining_words: frozenset[str] = frozenset()
    contrasting_words: frozenset[str] = frozenset()
    plain_negation: str = ""
    same_as_plain_negation: frozenset[str] = frozenset()
    negation_endings: tuple[str, ...] = ()
    ordering_words: frozenset[str] = frozenset()


@lru_cache(maxsize=4_096)
def negations_and_conditions(text: str) -> frozenset[str]:
    """Return the words of a text that negate it or bind it to a condition; ``don't`` counts as ``not``."""
    words = (w.casefold().replace("’", "'") for w in _WORD.findall(text))
    known = word_lists(GroundingWords)
    plain = {
        known.plain_negation if w.endswith(known.negation_endings) or w in known.same_as_plain_negation else w
        for w in words
    }
    return known.negations_and_conditions & plain


def unsupported_fact(text: str, source: str) -> str:
    """Return why a text names an address or a number that its source does not, or nothing."""
    folded_source = folded_name(source)
    for found in _ADDRESS.findall(text):
        address = found.rstrip(".,;:!?")  # which end the sentence
        if folded_name(address) not in folded_source:
            return f"{address[:60]!r} does not stand in its source"
    numbers = set(_NUMBER.findall(unicodedata.normalize("NFKC", source)))
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        if number not in numbers:
            return f"the number {number[:20]} does not stand in its source"
    return ""


def unsupported(text: str, source: str, around: str = "", *, whole: bool = True, language: str = ENGLISH) -> str:
    """Return why a text says something that its source does not, or nothing.

    The rules, of which the first that is broken counts: addresses, numbers and names in quotation marks occur in the
    source; every word that names something occurs there or in ``around`` (headings), save those that only order
    steps; at least one occurs in the source; and the words that negate a sentence or bind it to a condition are the
    same. A ``source`` that is not the ``whole`` of what the text is about, as the steps are for a title, may have more
    of the last.
    """
    return (
        unsupported_fact(text, f"{source}\n{around}")
        or unsupported_name(text, f"{source}\n{around}")
        or _unsupported_word(text, source, around, whole, language)
        or _changed_condition(text, source, whole)
    )


def unsupported_name(text: str, source: str) -> str:
    """Return why a text has a name in quotation marks, bold or code that its source does not have, or nothing."""
    folded_source = folded_name(source)
    for alternatives in _QUOTED_NAME.findall(text):
        if (name := next(filter(None, alternatives))) and folded_name(name) not in folded_source:
            return f"{name[:60]!r} does not stand in its source"
    return ""


def _unsupported_word(text: str, source: str, around: str, whole: bool, language: str) -> str:
    written, supported = content_words(text, language), content_words(source, language)
    ordering = content_words(" ".join(sorted(word_lists(GroundingWords, language).ordering_words)), language)
    if strange := written - supported - content_words(around, language) - ordering:
        there = (w.strip(".,:;!?()“”\"'") for w in text.split() if content_words(w, language) & strange)
        word = next(there, min(strange))
        return f"the word {word[:40]!r} does not stand in its source"
    if whole and not written & supported and written | supported:
        return "it has no word in common with its source"
    return ""


def _changed_condition(text: str, source: str, whole: bool) -> str:
    written, supported = negations_and_conditions(text), negations_and_conditions(source)
    if written - supported or (whole and supported - written):
        return f"the word {min(written ^ supported)!r} stands in only one of the two"
    return ""


def folded_name(text: str) -> str:
    """Return a text without white space and marks that two spellings of one name differ in."""
    return re.sub(r"[\s*_`\\]+", "", unicodedata.normalize("NFKC", text)).casefold()
