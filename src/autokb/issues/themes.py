"""Themes are kept once made: names, centres, and how near is near enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.ids import digest, short_id
from autokb.core.nouns import Theme
from autokb.heuristics.themes.find import MISCELLANEOUS, FoundThemes, similarity_floor
from autokb.issues.same_problem import unit_mean
from autokb.tasks.issues.assign_theme.task import AssignTheme

FEWEST_MEASURED = 15  # fewer issues say nothing about how far is far


@dataclass(frozen=True, slots=True)
class FrozenThemes:
    """The themes of a knowledge base: unit centres, the miscellaneous one, and the cosine below which it is given."""

    names: tuple[str, ...]
    centroids: tuple[tuple[float, ...], ...]
    miscellaneous: int
    floor: float

    def matrix(self) -> Any:
        """Return the centres as an array of shape (themes, dimensions)."""
        return np.asarray(self.centroids, dtype=np.float64)

    def nouns(self) -> tuple[Theme, ...]:
        """Return the themes in their order, with their ids."""
        return tuple(Theme(theme_id(name), name) for name in self.names)


def theme_id(name: str) -> str:
    """Return the id of a theme, made from its name."""
    return short_id("theme", name)


def freeze(found: FoundThemes, vectors: Any) -> FrozenThemes:
    """Keep what was found as data; a miscellaneous theme is added where there is none, for issues still to come."""
    rows = np.asarray(vectors, dtype=np.float64)
    names, others = [theme.name for theme in found.themes], [theme.miscellaneous for theme in found.themes]
    members = [rows[list(theme.members)] for theme in found.themes]
    centres = [unit_mean(own) for own in members]
    usual = [own @ centre for own, centre, is_other in zip(members, centres, others, strict=True) if not is_other]
    miscellaneous = others.index(True) if True in others else len(names)
    if miscellaneous == len(names):
        name = MISCELLANEOUS
        while name in names:
            name += " questions"
        names.append(name)
        centres.append(np.zeros(rows.shape[-1]))
    rounded = tuple(map(tuple, np.round(centres, 7).tolist()))
    return FrozenThemes(tuple(names), rounded, miscellaneous, _measure_floor(usual))


def _measure_floor(similarities: Sequence[NDArray[np.float64]]) -> float:
    """Return the cosine to its theme's centre below which an issue is miscellaneous; -1 where too few are known."""
    every = np.concatenate([np.zeros(0), *similarities])
    return round(similarity_floor(every), 6) if len(every) >= FEWEST_MEASURED else -1.0


def questions(
    domain: str, texts: Sequence[str], subjects: Sequence[str], vectors: Any, themes: FrozenThemes
) -> list[AssignTheme]:
    """Return the question of the task for each issue; its vector is that of its text and its subject."""
    matrix, centres = themes.matrix(), digest(repr(themes.centroids))
    return [
        AssignTheme(
            domain=domain,
            issue=text,
            themes=themes.names,
            miscellaneous=themes.miscellaneous,
            floor=themes.floor,
            fingerprint=digest(centres, subject),
            vector=vector,
            centroids=matrix,
        )
        for text, subject, vector in zip(texts, subjects, vectors, strict=True)
    ]


def as_json(themes: FrozenThemes) -> dict[str, Any]:
    """Return the JSON shape of frozen themes."""
    return {
        "names": list(themes.names),
        "centroids": [list(centre) for centre in themes.centroids],
        "miscellaneous": themes.miscellaneous,
        "floor": themes.floor,
    }


def from_json(data: Mapping[str, Any]) -> FrozenThemes:
    """Read the JSON shape back."""
    centroids = tuple(tuple(float(x) for x in centre) for centre in data["centroids"])
    return FrozenThemes(tuple(data["names"]), centroids, int(data["miscellaneous"]), float(data["floor"]))
