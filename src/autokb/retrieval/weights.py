"""How much each kind of evidence counts: plain numbers, fitted inside a workspace or left at safe defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from autokb.core.errors import BadInputError


@dataclass(frozen=True, slots=True)
class Weights:
    """What is added to the cosine of a document's best windows, in units of cosine.

    ``title`` x cosine of the title; ``words_short`` and ``words_long`` x BM25's share, by the length of the question;
    ``history`` x what resolved similar issues, of which ``neighbours`` is the part that the nearest ones vote and the
    rest the classifier's; ``nodes`` x the best cosine of a node that cites it, ``passages`` x that of its passages.

    Inside a document, a solution's cosine gains ``own_node`` x the cosine of its node and ``stated`` for each value
    that the question states, and loses ``rank`` for each place behind the build's first, and ``open`` where it is only
    for some of those whom the question leaves open.
    """

    title: float = 0.3
    words_short: float = 0.8
    words_long: float = 0.4
    history: float = 0.7
    neighbours: float = 0.2
    nodes: float = 0.5
    passages: float = 0.7
    own_node: float = 0.5
    stated: float = 0.1
    rank: float = 0.02
    open: float = 0.1

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
