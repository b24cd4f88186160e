"""The role of a section in a support article: what introduces, what states the problem, and what remedies it.

Support articles follow patterns, of which Symptoms - Cause - Resolution is the best known. A heading names the role; an
article's text before its first heading introduces it where it instructs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, get_args

from autokb.core.domain import ENGLISH
from autokb.core.nouns import SectionRole
from autokb.text.lexicons import WordLists, alternation, longest_of, pattern_of, word_lists

ROLES: tuple[SectionRole, ...] = get_args(SectionRole)
NUMBERING = r"(?:\d+(?:\.\d+)*[.)]?\s+)?"


@dataclass(frozen=True, slots=True)
class RoleWords(WordLists):
    """Headings by the role that they name; the YAML file says how they are matched."""

    file: ClassVar[str] = "section_roles"

    headings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words_that_go_on: tuple[str, ...] = ()
    bookkeeping: tuple[str, ...] = ()


def roles_of(sections: Sequence[tuple[Sequence[str], int]], language: str = ENGLISH) -> list[tuple[SectionRole, int]]:
    """Return the role of each section of a document, and how many of its headings name the article that it is part of.

    A section is given by the headings above it and the number of its steps. The innermost heading that names a role
    counts; what states or explains a problem is told apart only where its article has a remedy, for a heading such as
    "Problems with Bluetooth" otherwise names a matter. Without a heading but the document's title a section introduces
    the others, unless it has more than one step.
    """
    named = [_named_by(headings, language) for headings, _ in sections]
    articles = {tuple(sections[n][0][:depth]) for n, (role, depth) in enumerate(named) if role == "remedy"}
    found: list[tuple[SectionRole, int]] = []
    for (headings, steps), (role, depth) in zip(sections, named, strict=True):
        is_first = len(headings) == 1 or role == "introduction"
        if role and (inside := _article(headings, depth, articles)):
            found.append((role, depth if role == "remedy" else inside))
        else:
            found.append(("introduction" if is_first and steps <= 1 < len(sections) else "", 1))
    return found


def _article(headings: Sequence[str], depth: int, articles: Container[tuple[str, ...]]) -> int:
    """Return how many of the headings, of which so many stand above the role, name an article; 0 where none do."""
    return next((d for d in (depth + 1, depth) if tuple(headings[:d]) in articles), 0)


def is_bookkeeping(lines: Iterable[str], language: str = ENGLISH) -> bool:
    """Return whether lines only number, date or file their article ("KB number: 123"); no line is none."""
    found = [line for line in lines if line.strip()]
    label = pattern_of(RoleWords, "bookkeeping", language, r"[\s*_>-]*", r"[\s*_]*:[^:\n]{0,60}$")
    return bool(found) and all(map(label.match, found))


def _named_by(headings: Sequence[str], language: str) -> tuple[SectionRole, int]:
    """Return the role that headings name, the innermost first, and how many stand above the one that names it."""
    found = ((_named(headings[depth], language), depth) for depth in range(len(headings) - 1, 0, -1))
    return next((one for one in found if one[0]), ("", 1))


@cache
def _named(heading: str, language: str) -> SectionRole:
    found = _pattern(language).match(heading.strip().casefold())
    return next((role for role in ROLES if found and role and found.group(role)), "")


@cache
def _pattern(language: str) -> re.Pattern[str]:
    known = word_lists(RoleWords, language)
    roles = "|".join(f"(?P<{role}>{longest_of(known.headings.get(role, ()))})" for role in ROLES if role)
    goes_on = alternation(known.words_that_go_on)
    return re.compile(rf"{NUMBERING}(?:{roles})(?=\s*$|\s*[\d#:(\[/,.?!–—-]|\s(?:{goes_on})\b|\s[a-z]?$)")
