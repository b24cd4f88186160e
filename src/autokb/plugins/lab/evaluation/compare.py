"""Two stored answers of ``evaluate`` side by side: what changed, how sure that is, and whether a figure fell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.report import Record, figure_name
from autokb.plugins.lab.evaluation.retrieval.metrics import distinct, is_metric, metric
from autokb.stats.bootstrap import NOT_MEASURED, Interval
from autokb.stats.differences import paired_difference

# Names of the answer's own shape; the rest of a path names the figure: autokb.hit_rate@1, q_m, fixed.size.mean.
SHAPE = frozenset({"systems", "metrics", "methods", "value"})
NO_FIGURES = frozenset({"rankings", "relevant", "differences", "queries", "low", "high", "seconds", "per_query"})
ROUNDING = 1e-9  # 0.8 - 0.7 is a little more than 0.1 in floating point
NAMED_AT_MOST = 12  # metrics that an error lists
NO_DIFFERENCE = "no detectable difference"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of an answer, with the system that it belongs to, if any."""

    system: str
    metric: str
    value: float | None
    main: bool  # a measure with its interval, not a bare number beside it

    @property
    def name(self) -> str:
        """How a person names the figure."""
        return figure_name(self.system, self.metric)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Record):
    """One figure before and after; the ends are those of the paired difference where both answers allow one.

    ``queries`` are those, of ``paired`` ones, whose value rose (``won``) and fell (``lost``); ``verdict`` is what the
    interval allows to say.
    """

    system: str | None
    baseline: str
    metric: str
    value: float
    low: float | None
    high: float | None
    before: float
    after: float
    paired: int
    wins: int
    losses: int
    verdict: str | None
    queries: Mapping[str, Sequence[str]]

    @property
    def name(self) -> str:
        """How a person names the figure."""
        return figure_name(self.system, self.metric)


@dataclass(frozen=True, slots=True)
class Comparison(Record):
    """All differences, the figures that only the first answer has, and those that fell by more than the margin."""

    differences: tuple[Change, ...]
    missing: tuple[str, ...]
    gate: float | None
    fell: tuple[str, ...]

    @property
    def exit_status(self) -> int:
        """1 when a figure fell by more than the margin."""
        return 1 if self.fell else 0


def read_answer(path: Path) -> dict[str, Any]:
    """Read a stored answer of ``evaluate --json`` (BadInputError where it is none)."""
    try:
        answer = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadInputError(f"{path} cannot be read ({error.strerror}); check the path.") from error
    except ValueError as error:
        raise BadInputError(
            f"{path} is not valid JSON; store an answer with: autokb evaluate ... --json > {path}"
        ) from error
    if not isinstance(answer, dict):
        raise BadInputError(f"{path} is no answer of evaluate; store one with: autokb evaluate ... --json > {path}")
    return answer


# Complex: one figure may lack a value before, after or in both, and each has another consequence.
def compare(
    before: Mapping[str, Any], after: Mapping[str, Any], name: str | None = None, gate: float | None = None
) -> Comparison:
    """Compare a metric (``hit_rate@1``, ``autokb.mrr``, ``q_m``; every main one without a name) of two answers.

    ``gate`` is how much a figure may fall. Raises BadInputError where it is negative, or nothing is in common.
    """
    if gate is not None and not gate >= 0:
        raise BadInputError(f"The margin of --gate must be 0 or more, not {gate}.")
    all_before = list(figures(before))
    values_after = {(f.system, f.metric): f.value for f in figures(after)}
    changes, missing = [], []
    for figure in _chosen(all_before, name):
        if figure.value is None:
            continue
        value = values_after.get((figure.system, figure.metric))
        if value is None:
            missing.append(figure.name)
        else:
            changes.append(_compare_figure(before, after, figure, figure.value, value))
    if not changes:
        metrics = ", ".join(sorted({f.metric for f in all_before})[:NAMED_AT_MOST])
        raise BadInputError(
            f"The two answers have {name or 'no metric'} {'not ' if name else ''}in common; they have "
            f"{metrics or 'no figures'} before."
        )
    fell = () if gate is None else tuple(c.name for c in changes if c.before - c.after > gate + ROUNDING)
    return Comparison(tuple(changes), tuple(missing), gate, fell)


def _chosen(found: list[Figure], name: str | None) -> list[Figure]:
    """Return the figures of a name, without one the main ones, or all where none is a main one."""
    if name is None:
        return [f for f in found if f.main] or found
    return [f for f in found if name in (f.metric, f.name)]


def figures(answer: Mapping[str, Any]) -> Iterator[Figure]:
    """Yield every number of an answer with its name."""
    for path, value, main in _find_numbers(answer, ()):
        of_system = path[0] in ("systems", "methods") and len(path) > 1
        system, rest = (path[1], path[2:]) if of_system else ("", path)
        yield Figure(system, ".".join(part for part in rest if part not in SHAPE), value, main)


def _find_numbers(node: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float | None, bool]]:
    """Yield the numbers of JSON with their paths; one under ``value`` is a main figure."""
    if isinstance(node, Mapping):
        if "value" in node and (node["value"] is None or _is_number(node["value"])):
            yield path or ("value",), node["value"], True
        for key, child in node.items():
            if key not in NO_FIGURES and key != "value":
                yield from _find_numbers(child, (*path, key))
    elif _is_number(node):
        yield path, float(node), False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _compare_figure(
    before: Mapping[str, Any], after: Mapping[str, Any], figure: Figure, old: float, new: float
) -> Change:
    """Return the change of a figure, paired over the queries that both answers have a value of."""
    values_before, values_after = (_query_values(answer, figure.system, figure.metric) for answer in (before, after))
    queries = sorted(values_before.keys() & values_after.keys())
    gains = {query: values_after[query] - values_before[query] for query in queries}
    won = [query for query, gain in gains.items() if gain > ROUNDING]
    lost = [query for query, gain in gains.items() if -gain > ROUNDING]
    paired = [[values[query] for query in queries] for values in (values_after, values_before)]
    ends = paired_difference(*paired) if queries else NOT_MEASURED
    return Change(
        system=figure.system or None,
        baseline="before",
        metric=figure.metric,
        value=new - old,
        low=ends.low,
        high=ends.high,
        before=old,
        after=new,
        paired=len(queries),
        wins=len(won),
        losses=len(lost),
        verdict=_verdict(ends),
        queries={"won": won, "lost": lost},
    )


def _verdict(difference: Interval) -> str | None:
    """Return what an interval allows to say; nothing where the answers cannot be paired."""
    if difference.low is None or difference.high is None:
        return None
    if difference.low <= 0 <= difference.high:
        return NO_DIFFERENCE
    return "higher" if difference.low > 0 else "lower"


def _query_values(answer: Mapping[str, Any], system: str, name: str) -> dict[str, float]:
    """Return the values of the single queries: stored ones, or worked out from rankings and what was relevant."""
    body = answer.get("systems", {}).get(system, {})
    if stored := body.get("per_query", {}).get(name):
        return {str(q): float(v) for q, v in stored.items()}
    relevant, rankings = answer.get("relevant"), body.get("rankings")
    if not relevant or not rankings or not is_metric(name):
        return {}
    score = metric(name)
    return {q: score(distinct(map(str, rankings.get(q, ()))), grades) for q, grades in relevant.items()}
