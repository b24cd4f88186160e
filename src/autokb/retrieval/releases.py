"""The release or variant that a heading is about: "after upgrading to 78", "Windows 7", "(Windows XP)"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.text.lexicons import AsWritten, WordLists, any_of, ignoring_case, language_data, word_lists

OLD = "<old>"  # stands for an old release without a name
_NUMBER = r"\d+(?:\.\d+)*"
# "Thunderbird 78", "macOS 10.15", "Exchange 2013": a name with a number of a release, in brackets or not.
_NAMED = re.compile(rf"\b(?P<name>[A-Za-z]*[A-Z][A-Za-z]+)\s(?P<release>{_NUMBER})\b(?![.%°-]\d)")
# "(Windows XP)", "(Lumo Buds 2)": two or three words with capitals and nothing else between brackets.
_IN_BRACKETS = re.compile(r"\((?:[A-Z][\w.]*\s){1,2}(?P<release>[A-Z0-9][\w.]*)\)")


@dataclass(frozen=True)
class ReleaseWords(WordLists):
    """What stands before the number of a release, and what an old one is called, as patterns.

    ``numbered_parts`` have numbers that are no release.
    """

    file: ClassVar[str] = "releases"
    before_number: tuple[AsWritten, ...] = ()
    old: tuple[AsWritten, ...] = ()
    numbered_parts: frozenset[str] = frozenset()


@lru_cache(maxsize=1 << 16)  # slices of a large knowledge base are indexed again for each question
def releases_in(headings: tuple[str, ...], language: str = ENGLISH) -> frozenset[str]:
    """Return the releases and variants that headings name, in small letters."""
    numbered, old = _patterns(language)
    counted = word_lists(ReleaseWords, language).numbered_parts | language_data(language).months.keys()
    found: set[str] = set()
    for heading in headings:
        named = (m for m in _NAMED.finditer(heading) if m.group("name").casefold() not in counted)
        places = (*named, *_IN_BRACKETS.finditer(heading), *numbered.finditer(heading))
        found.update(m.group("release").casefold() for m in places)
        found.update([OLD] if old.search(heading) else [])
    return frozenset(found)


def releases_named(text: str, language: str = ENGLISH) -> frozenset[str]:
    """Return what a question can name a release by: its words, "78" for "78.2" too."""
    words = set(re.findall(rf"{_NUMBER}|\w+", text.casefold()))
    words |= {word.partition(".")[0] for word in words}
    return frozenset(words | ({OLD} if _patterns(language)[1].search(text) else set()))


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = word_lists(ReleaseWords, language)
    numbered = rf"\b(?:{any_of(words.before_number)})\s(?:[A-Z]\w+\s)?(?P<release>{_NUMBER})\b"
    return ignoring_case(numbered), ignoring_case(any_of(words.old))
