"""Where a text turns to something else: at its headings, and where neighbouring pieces share the fewest words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import sqrt
from statistics import fmean, pstdev

from autokb.core.domain import ENGLISH
from autokb.text.plain_text import plain_text
from autokb.text.words import content_words

COMPARED_PIECES = 2  # on either side of a gap; one alone is often a single short sentence
AT_HEADING = -1.0  # the cohesion at a heading: below what any two texts can have
_HEADING = re.compile(r"\s{0,3}(?:#{1,6}\s|={1,6} ?[^=\s])")  # of Markdown, and of wikis


def cohesions(pieces: Sequence[str], language: str = ENGLISH) -> list[float]:
    """Return how much the text before each piece but the first shares with what follows: 0 to 1, -1 at a heading.

    The share is the cosine of the two sets of content words.
    """
    words = [content_words(plain_text(piece), language) for piece in pieces]
    found = []
    for n in range(1, len(pieces)):
        before: frozenset[str] = frozenset().union(*words[max(0, n - COMPARED_PIECES) : n])
        after: frozenset[str] = frozenset().union(*words[n : n + COMPARED_PIECES])
        cosine = len(before & after) / sqrt(len(before) * len(after)) if before and after else 0.0
        found.append(AT_HEADING if _HEADING.match(pieces[n]) else cosine)
    return found


def topic_boundaries(pieces: Sequence[str], language: str = ENGLISH) -> list[int]:
    """Return before which pieces (from 1) the text turns: at headings, and where its cohesion is lowest.

    That is a cohesion below the mean of the text by more than a standard deviation; at least one gap is chosen.
    """
    found = cohesions(pieces, language)
    between_texts = [c for c in found if c != AT_HEADING]
    floor = fmean(between_texts) - pstdev(between_texts) if between_texts else 0.0
    chosen = [n for n, c in enumerate(found, 1) if c == AT_HEADING or c < floor]
    return chosen or [found.index(min(found)) + 1]


def section_ends(pieces: Sequence[str], language: str = ENGLISH) -> tuple[int, ...]:
    """Return after which pieces (from 1) a section ends; not after a lone heading, if the text turns elsewhere too."""
    found = topic_boundaries(pieces, language)
    return tuple(n for n in found if not _is_lone_heading(pieces[n - 1])) or (found[0],)


def first_shift(paragraphs: Sequence[str], language: str = ENGLISH) -> int:
    """Return the number, from 2, of the paragraph where the content shifts; not after a lone heading.

    It shifts at the first heading, else at the paragraph that shares the fewest words with those before it.
    """
    found = {n: c for n, c in enumerate(cohesions(paragraphs, language), 2) if not _is_lone_heading(paragraphs[n - 2])}
    heading = next((n for n, cohesion in found.items() if cohesion == AT_HEADING), None)
    return heading or min(found, key=lambda n: found[n], default=2)


def _is_lone_heading(piece: str) -> bool:
    return bool(_HEADING.match(piece)) and "\n" not in piece.strip()
