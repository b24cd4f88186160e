"""How much each kind of evidence counts: plain numbers, fitted inside a workspace or left at safe defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import BadInputError

SHOWN_BELOW_BEST = 0.3  # in units of cosine
FEW_DOCUMENTS = 20  # among so few nothing is crowded out: all of a node's solutions are shown


@dataclass(frozen=True, slots=True)
class Weights:
    """What is added to the cosine of a document's best windows, in units of cosine.

    ``title`` x cosine of the title; ``words_short`` and ``words_long`` x BM25's share, by the length of the question;
    ``history`` x what resolved similar issues, of which ``neighbours`` is the part that the nearest ones vote and the
    rest the classifier's. Among trees: ``document`` x the best cited document, and a bonus by the kind of match.
    """

    title: float = 0.3
    words_short: float = 0.8
    words_long: float = 0.4
    history: float = 0.7
    neighbours: float = 0.2
    document: float = 1.0
    exact: float = 0.05
    broader: float = 0.0

    def as_json(self) -> dict[str, float]:
        """Return plain numbers by name."""
        return asdict(self)

    def without_history(self) -> Weights:
        """Return the same weights for a workspace, or a measurement, without history."""
        return replace(self, history=0.0)


def read_weights(data: Mapping[str, Any]) -> Weights:
    """Read weights back; what is missing keeps its default, what is no number is an error."""
    known = {f.name for f in fields(Weights)}
    values = {}
    for name in sorted(known & set(data)):
        value = data[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e6:
            raise BadInputError(f"The weight {name!r} must be a number, not {value!r}.")
        values[name] = float(value)
    return Weights(**values)


def worth_showing(documents: Sequence[float], best: float) -> tuple[bool, ...]:
    """Return which of a node's solutions to show, by their documents' scores beside the best of all documents.

    A node shows at least its own best; further ones only when their document is among the likely ones, for else an
    unlikely document of the first tree would come before the likely one of the second.
    """
    top = max(documents, default=0.0)
    return tuple(score >= best - SHOWN_BELOW_BEST or score == top for score in documents)


def tree_scores(
    similarity: NDArray[np.floating[Any]], documents: NDArray[np.floating[Any]], kinds: Sequence[str], weights: Weights
) -> NDArray[np.float64]:
    """Return what trees are ranked by: the node's cosine, its best cited document and the kind of its match.

    ``documents`` holds each tree's best score among the documents its solutions cite.
    """
    bonus = {"exact": weights.exact, "broader": weights.broader}
    kind = np.array([bonus.get(str(k), 0.0) for k in kinds], dtype=np.float64)
    return np.asarray(similarity + weights.document * documents + kind, dtype=np.float64)
