"""Themes are kept once made: names, centres, and how near is near enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autokb.core.ids import digest, short_id
from autokb.core.nouns import Theme
from autokb.heuristics.themes.find import MISCELLANEOUS, FoundThemes, similarity_floor
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


# Complex: centres, names and the floor are made of the same themes in one order.
def freeze(found: FoundThemes, vectors: Any) -> FrozenThemes:
    """Keep what was found as data; a miscellaneous theme is added where there is none, for issues still to come."""
    rows = np.asarray(vectors, dtype=np.float64)
    names = [theme.name for theme in found.themes]
    centres = [_compute_centroid(rows[list(theme.members)]) for theme in found.themes]
    miscellaneous = [position for position, theme in enumerate(found.themes) if theme.miscellaneous]
    if not miscellaneous:
        miscellaneous = [len(names)]
        name = MISCELLANEOUS
        while name in names:
            name += " questions"
        names.append(name)
        centres.append(np.zeros(rows.shape[1] if rows.ndim == 2 else 0))
    usual = [theme for theme in found.themes if not theme.miscellaneous]
    own = [rows[list(t.members)] @ _compute_centroid(rows[list(t.members)]) for t in usual]
    similarity = np.concatenate(own) if own else np.zeros(0)
    floor = similarity_floor(similarity) if len(similarity) >= FEWEST_MEASURED else -1.0
    rounded = tuple(tuple(float(x) for x in np.round(centre, 7)) for centre in centres)
    return FrozenThemes(tuple(names), rounded, miscellaneous[0], round(floor, 6))


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


def _compute_centroid(rows: Any) -> Any:
    mean = rows.mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-12)
