"""Retrieval of the knowledge base's own nodes and chunks asked in other words, level by level (AutoKB, 4.3.2).

The unit is the node or chunk, not the variation: those of one text are no independent questions, so each text counts
once, by the mean over its variations, and the intervals resample texts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autokb.core.errors import BadInputError
from autokb.evaluation.bootstrap import estimates
from autokb.evaluation.experiment import BASELINE, System, differences
from autokb.evaluation.metrics import RETRIEVAL, distinct, metric

Scores = Mapping[str, Mapping[str, Sequence[float]]]  # metric -> level -> one value a variation


@dataclass(frozen=True, slots=True)
class Origin:
    """A node or chunk, the documents that answer it, and its variations by level."""

    id: str
    kind: Literal["nodes", "chunks"]
    documents: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]


def evaluate_variations(
    systems: Mapping[str, System],
    origins: Sequence[Origin],
    *,
    metrics: Sequence[str] = RETRIEVAL,
    baseline: str = BASELINE,
    done: Callable[[str], None] = lambda _system: None,
) -> dict[str, Any]:
    """Ask every system every variation; answers with metrics in all, a level, and for nodes and chunks apart."""
    started = time.perf_counter()
    asked = [origin for origin in origins if any(origin.levels.values())]
    if not asked:
        raise BadInputError("There are no variations to ask; build a knowledge base with solutions first.")
    scored = {name: [_scores(system, o, metrics, name, done) for o in asked] for name, system in systems.items()}
    first = baseline if baseline in systems else next(iter(systems))
    groups = _groups(asked)
    measured = {place: _measured(scored, keep, level, metrics, first) for place, (keep, level) in groups.items()}
    return {
        "systems": {name: _body(name, asked, scored[name], groups, measured, metrics) for name in systems},
        "differences": measured["all", ""][1],
        "queries": _counts(asked),
        "seconds": time.perf_counter() - started,
    }


def _scores(
    system: System, origin: Origin, metrics: Sequence[str], name: str, done: Callable[[str], None]
) -> dict[str, dict[str, list[float]]]:
    """Return for every metric and level the value of each variation."""
    relevant = dict.fromkeys(origin.documents, 1.0)
    found: dict[str, dict[str, list[float]]] = {m: {level: [] for level in origin.levels} for m in metrics}
    for level, variations in origin.levels.items():
        for text in variations:
            ranking = distinct(system(text))
            for m in metrics:
                found[m][level].append(metric(m)(ranking, relevant))
            done(name)
    return found


def _groups(origins: Sequence[Origin]) -> dict[tuple[str, str], tuple[list[int], str]]:
    """Return what is measured: which origins (by position) and which of their levels (empty: all)."""
    levels = dict.fromkeys(level for o in origins for level in o.levels)
    found: dict[tuple[str, str], tuple[list[int], str]] = {("all", ""): (list(range(len(origins))), "")}
    for level in levels:
        found["levels", level] = ([n for n, o in enumerate(origins) if o.levels.get(level)], level)
    for kind in ("nodes", "chunks"):
        found["origins", kind] = ([n for n, o in enumerate(origins) if o.kind == kind], "")
    return {place: group for place, group in found.items() if group[0]}


def _measured(
    scored: Mapping[str, Sequence[Scores]], keep: Sequence[int], level: str, metrics: Sequence[str], baseline: str
) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """Return the metrics of every system over one group, and the paired differences to the baseline."""
    columns = {(name, m): [_mean(found[n][m], level) for n in keep] for name, found in scored.items() for m in metrics}
    flat = estimates({f"{name}\0{m}": values for (name, m), values in columns.items()})
    by_system = {name: {m: flat[f"{name}\0{m}"].as_json() for m in metrics} for name in scored}
    return by_system, [d.as_json() for d in differences(columns, metrics, baseline)]


def _mean(by_level: Mapping[str, Sequence[float]], level: str) -> float:
    values = by_level[level] if level else [v for found in by_level.values() for v in found]
    return sum(values) / len(values)


def _body(
    name: str,
    origins: Sequence[Origin],
    scores: Sequence[Scores],
    groups: Mapping[tuple[str, str], tuple[Sequence[int], str]],
    measured: Mapping[tuple[str, str], tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]],
    metrics: Sequence[str],
) -> dict[str, Any]:
    """Return one system's answer; ``per_query`` holds the value of each origin, so that answers can be compared."""
    body: dict[str, Any] = {"metrics": measured["all", ""][0][name], "levels": {}, "origins": {}, "per_query": {}}
    for (kind, part), (keep, level) in groups.items():
        if kind != "all":
            by_system, changes = measured[kind, part]
            own = [d for d in changes if d["system"] == name]
            body[kind][part] = {"metrics": by_system[name], "differences": own, "measured": len(keep)}
        place = "" if kind == "all" else f"{kind}.{part}."
        for m in metrics:
            body["per_query"][f"{place}{m}"] = {origins[n].id: _mean(scores[n][m], level) for n in keep}
    return body


def _counts(origins: Iterable[Origin]) -> dict[str, Any]:
    origins = list(origins)
    levels = dict.fromkeys(level for o in origins for level in o.levels)
    return {
        "nodes": sum(o.kind == "nodes" for o in origins),
        "chunks": sum(o.kind == "chunks" for o in origins),
        "variations": {level: sum(len(o.levels.get(level, ())) for o in origins) for level in levels},
    }
