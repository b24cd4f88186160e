"""A theme is named by what its customers write: the short line that is nearest to what all of them say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.heuristics.subject_words import subject_stem, subject_words

LONGEST_NAME = 60  # characters
FEWEST_ISSUES = 2  # that have each word of a name: what one customer alone writes may be personal
TELLING_LIFT = 2.0  # a word tells of a theme that its issues have so many times as often as the others do
ENOUGH_WORDS = 3  # of a name; each further one
WORD_COST = 0.02  # costs so much mean cosine to the issues,
VALUE_COST = 0.1  # and a line that names an attribute value so much, for it is rarely that of all issues
LEAST_WORTH = 0.15  # mean cosine, what it costs taken off, below which a line says nothing of its theme
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Titles:
    """A line of each issue, without attribute values where it can do without them, with its unit vector.

    It is empty where an issue has none.
    """

    lines: Sequence[str]
    vectors: Any

    def rename(
        self,
        names: Sequence[str],
        groups: Sequence[Sequence[int]],
        issues: Sequence[str],
        vectors: Floats,
        product: str,
        language: str,
    ) -> list[str]:
        """Return a name for each group of issues, no two the same; a group without a line fit to be one keeps its own.

        ``issues`` are those without the words of attribute values, ``vectors`` their unit vectors.
        """
        of_product = frozenset(product.casefold().split())

        def stems(text: str) -> frozenset[str]:
            return frozenset(subject_stem(w, language) for w in subject_words(text, language) if w not in of_product)

        of_issues = [stems(issue) for issue in issues]
        naming = _Naming(
            [line.rstrip(" .!?,;:-") for line in self.lines],
            np.asarray(self.vectors, dtype=np.float64),
            [stems(line) for line in self.lines],
            of_issues,
            Counter(stem for of_issue in of_issues for stem in of_issue),
            vectors,
        )
        found = list(names)
        for position, group in enumerate(groups):
            others = {name.casefold() for name in (*found[:position], *found[position + 1 :])}
            found[position] = naming.name(group, others) or found[position]
        return found


@dataclass(frozen=True)
class _Naming:
    lines: Sequence[str]
    line_vectors: Floats
    stems: Sequence[frozenset[str]]  # of the lines
    issue_stems: Sequence[frozenset[str]]
    everywhere: Counter[str]
    vectors: Floats

    def name(self, group: Sequence[int], taken: Collection[str]) -> str:
        """Return the short line nearest to what the group says; none where no line is worth its cost."""
        telling = self._telling_stems(group)
        fit = [n for n in group if self._is_fit(n, telling) and self.lines[n].casefold() not in taken]
        if not fit:
            return ""
        worth = (self.line_vectors[fit] @ self.vectors[list(group)].T).mean(axis=1) - [self._cost(n) for n in fit]
        best = int(np.round(worth, 6).argmax())
        return self.lines[fit[best]] if worth[best] >= LEAST_WORTH else ""

    def _telling_stems(self, group: Sequence[int]) -> set[str]:
        """Return the stems that issues of a group have much more often than others."""
        inside = Counter(stem for n in group for stem in self.issue_stems[n])
        others = TELLING_LIFT * len(group) / max(len(self.issue_stems) - len(group), 1)
        often = {stem: count for stem, count in inside.items() if count >= FEWEST_ISSUES}
        return {stem for stem, count in often.items() if count >= others * (self.everywhere[stem] - count)}

    def _cost(self, issue: int) -> float:
        words_too_many = max(0, len(self.lines[issue].split()) - ENOUGH_WORDS)
        return WORD_COST * words_too_many + VALUE_COST * bool(self._values(issue))

    def _values(self, issue: int) -> frozenset[str]:
        """Return the stems of attribute values in a line: an issue's own words hold them no more."""
        return self.stems[issue] - self.issue_stems[issue]

    def _is_fit(self, issue: int, telling: Collection[str]) -> bool:
        """Return whether a line is short and says what the theme is about and nothing that one issue alone says."""
        line, stems = self.lines[issue], self.stems[issue]
        return (
            0 < len(line) <= LONGEST_NAME
            and not line.endswith("…")
            and not any(c.isdigit() or c in "@\\<>" for c in line)
            and not stems.isdisjoint(telling)
            and all(self.everywhere[stem] >= FEWEST_ISSUES for stem in stems - self._values(issue))
        )
