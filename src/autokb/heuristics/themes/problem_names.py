"""A theme is named by what its customers write: the line that is nearest to what all of them say, and a second one."""

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
SECOND_GAIN = 0.05  # mean cosine to the issues that a second line must add
JOINT = " / "
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Titles:
    """A line of each issue that names no attribute value, empty where there is none, with its unit vector."""

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

        ``vectors`` are the unit vectors of the issues.
        """
        naming = _Naming.of(self, issues, vectors, product, language)
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

    @classmethod
    def of(cls, titles: Titles, issues: Sequence[str], vectors: Floats, product: str, language: str) -> _Naming:
        of_product = frozenset(product.casefold().split())

        def stems(text: str) -> frozenset[str]:
            return frozenset(subject_stem(w, language) for w in subject_words(text, language) if w not in of_product)

        of_issues = [stems(issue) for issue in issues]
        return cls(
            [line.rstrip(" .!?,;:-") for line in titles.lines],
            np.asarray(titles.vectors, dtype=np.float64),
            [stems(line) for line in titles.lines],
            of_issues,
            Counter(stem for stems_ in of_issues for stem in stems_),
            vectors,
        )

    def name(self, group: Sequence[int], taken: Collection[str]) -> str:
        """Return the line nearest to what the group says, and the one of other words that adds most if it adds much."""
        inside = Counter(stem for n in group for stem in self.issue_stems[n])
        others = TELLING_LIFT * len(group) / max(len(self.issue_stems) - len(group), 1)
        telling = {
            stem
            for stem, count in inside.items()
            if count >= FEWEST_ISSUES and count >= others * (self.everywhere[stem] - count)
        }
        fit = [n for n in group if self._is_fit(n, telling) and self.lines[n].casefold() not in taken]
        if not fit:
            return ""
        nearness = np.round(self.line_vectors[fit] @ self.vectors[list(group)].T, 6)
        first = int(nearness.mean(axis=1).argmax())
        both = np.maximum(nearness, nearness[first]).mean(axis=1) - nearness[first].mean()
        name = self.lines[fit[first]]
        own = self.stems[fit[first]]
        for second in map(int, np.argsort(-np.round(both, 6), kind="stable")):
            if both[second] < SECOND_GAIN:
                break
            longer = name + JOINT + self.lines[fit[second]]
            is_other = own.isdisjoint(self.stems[fit[second]])
            if is_other and len(longer) <= LONGEST_NAME and longer.casefold() not in taken:
                return longer
        return name

    def _is_fit(self, issue: int, telling: Collection[str]) -> bool:
        """Return whether a line is short and says what the theme is about and nothing that one issue alone says."""
        line, stems = self.lines[issue], self.stems[issue]
        return (
            0 < len(line) <= LONGEST_NAME
            and not line.endswith("…")
            and not any(c.isdigit() or c in "@\\<>" for c in line)
            and not stems.isdisjoint(telling)
            and all(self.everywhere[stem] >= FEWEST_ISSUES for stem in stems)
        )
