"""Two stored answers of ``evaluate`` side by side: what changed, how sure that is, and whether a figure fell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError
from autokb.evaluation.bootstrap import paired_difference
from autokb.evaluation.metrics import distinct, is_metric, metric

# Names of the answer's own shape; what is left of a place names the figure: autokb.hit_rate@1, q_m, fixed.size.mean.
SHAPE = frozenset({"systems", "metrics", "methods", "value"})
SKIPPED = frozenset({"rankings", "relevant", "differences", "queries", "low", "high", "seconds", "per_query"})
ROUNDING = 1e-9  # 0.8 - 0.7 is a little more than 0.1 in floating point


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of an answer: the system it belongs to (or nothing) and its name."""

    system: str
    metric: str
    value: float | None
    main: bool  # a measure with its interval, or a bare number beside it


@dataclass(frozen=True, slots=True)
class Change:
    """One figure before and after; the ends are those of the paired difference where both answers allow one."""

    system: str
    metric: str
    before: float
    after: float
    low: float | None = None
    high: float | None = None
    paired: int = 0

    @property
    def name(self) -> str:
        """How a person names the figure."""
        return f"{self.system}.{self.metric}" if self.system else self.metric

    def as_json(self) -> dict[str, Any]:
        """Return the shape of a difference, with both figures beside it."""
        return {
            "system": self.system or None,
            "baseline": "before",
            "metric": self.metric,
            "value": self.after - self.before,
            "low": self.low,
            "high": self.high,
            "before": self.before,
            "after": self.after,
            "paired": self.paired,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes, the figures that only the first answer has, and those that fell by more than the margin."""

    changes: tuple[Change, ...]
    missing: tuple[str, ...]
    gate: float | None
    fell: tuple[str, ...]

    @property
    def exit_status(self) -> int:
        """1 when a figure fell by more than the margin."""
        return 1 if self.fell else 0

    def as_json(self) -> dict[str, Any]:
        """Return the answer of ``evaluate compare``."""
        changes = [c.as_json() for c in self.changes]
        return {"differences": changes, "missing": list(self.missing), "gate": self.gate, "fell": list(self.fell)}


def read_answer(path: Path) -> dict[str, Any]:
    """Read a stored answer of ``evaluate --json``."""
    try:
        answer = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadInputError(f"{path} cannot be read ({error.strerror}); check the path.") from error
    except ValueError as error:
        raise BadInputError(f"{path} is no JSON; store an answer with: autokb evaluate ... --json > {path}") from error
    if not isinstance(answer, dict):
        raise BadInputError(f"{path} is no answer of evaluate; store one with: autokb evaluate ... --json > {path}")
    return answer


def compare(
    before: Mapping[str, Any], after: Mapping[str, Any], name: str | None = None, gate: float | None = None
) -> Comparison:
    """Compare a metric (``hit_rate@1``, ``autokb.mrr``, ``q_m``; all of them without a name) of two answers."""
    if gate is not None and not gate >= 0:
        raise BadInputError(f"The margin of --gate must be 0 or more, not {gate}.")
    old, new = _wanted(before, name), {(f.system, f.metric): f for f in figures(after)}
    changes, missing = [], []
    for figure in old:
        now = new.get((figure.system, figure.metric))
        if figure.value is None:
            continue
        if now is None or now.value is None:
            missing.append(f"{figure.system}.{figure.metric}".lstrip("."))
        else:
            changes.append(_change(before, after, figure, now.value))
    if not changes:
        raise BadInputError(
            f"The two answers have {name or 'no metric'} {'not ' if name else ''}in common; they have "
            f"{', '.join(sorted({f.metric for f in figures(before)})[:12]) or 'no figures'} before."
        )
    limit = None if gate is None else gate + ROUNDING
    fell = tuple(c.name for c in changes if limit is not None and c.before - c.after > limit)
    return Comparison(tuple(changes), tuple(missing), gate, fell)


def _wanted(answer: Mapping[str, Any], name: str | None) -> list[Figure]:
    found = list(figures(answer))
    if name is None:
        return [f for f in found if f.main] or found
    return [f for f in found if name in (f.metric, f"{f.system}.{f.metric}")]


def figures(answer: Mapping[str, Any]) -> Iterator[Figure]:
    """Yield every number of an answer with its place."""
    for place, value, main in _numbers(answer, ()):
        in_system = place[0] in ("systems", "methods") and len(place) > 1
        system, rest = (place[1], place[2:]) if in_system else ("", place)
        yield Figure(system, ".".join(part for part in rest if part not in SHAPE), value, main)


def _numbers(node: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float | None, bool]]:
    if isinstance(node, Mapping):
        if "value" in node and (node["value"] is None or _is_number(node["value"])):
            yield place or ("value",), node["value"], True
        for key, child in node.items():
            if key not in SKIPPED and key != "value":
                yield from _numbers(child, (*place, key))
    elif _is_number(node):
        yield place, float(node), False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _change(before: Mapping[str, Any], after: Mapping[str, Any], figure: Figure, now: float) -> Change:
    assert figure.value is not None
    old, new = (_per_query(a, figure.system, figure.metric) for a in (before, after))
    shared = sorted(old.keys() & new.keys())
    if not shared:
        return Change(figure.system, figure.metric, figure.value, now)
    difference = paired_difference([new[q] for q in shared], [old[q] for q in shared])
    ends = (difference.low, difference.high)
    return Change(figure.system, figure.metric, figure.value, now, *ends, paired=len(shared))


def _per_query(answer: Mapping[str, Any], system: str, name: str) -> dict[str, float]:
    """Return the values of the single queries: stored ones, or worked out from rankings and what was relevant."""
    body = answer.get("systems", {}).get(system, {})
    if stored := body.get("per_query", {}).get(name):
        return {str(q): float(v) for q, v in stored.items()}
    relevant, rankings = answer.get("relevant"), body.get("rankings")
    if not relevant or not rankings or not is_metric(name):
        return {}
    score = metric(name)
    return {q: score(_ranking(rankings.get(q, ())), grades) for q, grades in relevant.items()}


def _ranking(documents: Sequence[str]) -> tuple[str, ...]:
    return distinct(map(str, documents))
