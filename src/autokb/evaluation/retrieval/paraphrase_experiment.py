"""Retrieval of the knowledge base's own nodes and chunks, asked in other words, level by level (AutoKB, 4.3.2).

The unit is the node or chunk, not the paraphrase: those of one text are no independent questions, so each text counts
once, by the mean over its paraphrases, and the intervals resample texts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from autokb.core.errors import BadInputError
from autokb.evaluation.retrieval.experiment import OnAnswer, System, ignore_answer, metrics_json
from autokb.evaluation.retrieval.metrics import RETRIEVAL, distinct, metric
from autokb.evaluation.retrieval.system_names import RAW
from autokb.evaluation.runner import ModelUsage
from autokb.evaluation.statistics.bootstrap import Interval, mean_intervals
from autokb.evaluation.statistics.paired_differences import Difference, paired_differences

Kind = Literal["nodes", "chunks"]
KINDS: tuple[Kind, ...] = ("nodes", "chunks")


@dataclass(frozen=True, slots=True)
class ParaphrasedText:
    """A node or chunk, the documents that answer it, and its paraphrases by level."""

    id: str
    kind: Kind
    documents: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PartResult:
    """One system over a part of the texts: a level of paraphrases, or nodes or chunks alone."""

    metrics: Mapping[str, Interval]
    differences: tuple[Difference, ...]
    measured: int

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {
            "metrics": metrics_json(self.metrics),
            "differences": [difference.as_json() for difference in self.differences],
            "measured": self.measured,
        }


@dataclass(frozen=True, slots=True)
class ParaphraseResult:
    """One system over all texts, by level and by kind.

    ``per_query`` holds the value of every text by the name of the figure, so that stored answers can be compared.
    """

    metrics: Mapping[str, Interval]
    levels: Mapping[str, PartResult]
    origins: Mapping[str, PartResult]
    per_query: Mapping[str, Mapping[str, float]]

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {
            "metrics": metrics_json(self.metrics),
            "levels": {name: part.as_json() for name, part in self.levels.items()},
            "origins": {name: part.as_json() for name, part in self.origins.items()},
            "per_query": {name: dict(values) for name, values in self.per_query.items()},
        }


@dataclass(frozen=True, slots=True)
class ParaphraseSource:
    """Who made the paraphrases, and of how many nodes and how many chunks at most they were asked."""

    made_by: Literal["mechanical", "model"]
    model: str
    sample: int

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ParaphraseReport:
    """What ``evaluate retrieval --variations`` answers; the counts are of the texts that have a paraphrase."""

    systems: Mapping[str, ParaphraseResult]
    differences: tuple[Difference, ...]
    texts: Mapping[Kind, int]
    paraphrases: Mapping[str, int]
    seconds: float
    source: ParaphraseSource | None = None
    usage: ModelUsage | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {
            "systems": {name: result.as_json() for name, result in self.systems.items()},
            "differences": [difference.as_json() for difference in self.differences],
            "queries": {**self.texts, "variations": dict(self.paraphrases)},
            "seconds": self.seconds,
            **(self.source.as_json() if self.source else {}),
            **(self.usage.as_json() if self.usage else {}),
        }


@dataclass(frozen=True, slots=True)
class _TextSubset:
    """Some of the texts (by position), at one level or at all (empty); ``prefix`` begins its names in per_query."""

    prefix: str
    positions: Sequence[int]
    level: str = ""


@dataclass(frozen=True, slots=True)
class _Measured:
    """One part of the texts: the value of each text by system and metric, and what follows from it."""

    part: _TextSubset
    columns: Mapping[tuple[str, str], Sequence[float]]
    intervals: Mapping[tuple[str, str], Interval]
    differences: tuple[Difference, ...]

    def metrics(self, system: str) -> dict[str, Interval]:
        return {name: interval for (owner, name), interval in self.intervals.items() if owner == system}

    def result(self, system: str) -> PartResult:
        differences = tuple(d for d in self.differences if d.system == system)
        return PartResult(self.metrics(system), differences, len(self.part.positions))


def evaluate_paraphrases(
    systems: Mapping[str, System],
    texts: Sequence[ParaphrasedText],
    *,
    metrics: Sequence[str] = RETRIEVAL,
    baseline: str = RAW,
    on_answer: OnAnswer = ignore_answer,
) -> ParaphraseReport:
    """Ask every system every paraphrase; metrics over all texts, level by level, and for nodes and chunks alone.

    A text without paraphrases is left out (BadInputError where none has any).
    """
    started = time.perf_counter()
    asked = [text for text in texts if any(text.levels.values())]
    if not asked:
        raise BadInputError("There are no variations to ask; build a knowledge base with solutions first.")
    values = {
        name: [_score_paraphrases(system, text, metrics, name, on_answer) for text in asked]
        for name, system in systems.items()
    }
    first = baseline if baseline in systems else next(iter(systems))
    levels = list(dict.fromkeys(level for text in asked for level in text.levels))
    whole = _measure_part(_TextSubset("", range(len(asked))), values, metrics, first)
    by_level = {
        level: _measure_part(_TextSubset(f"levels.{level}.", positions, level), values, metrics, first)
        for level in levels
        if (positions := [n for n, text in enumerate(asked) if text.levels.get(level)])
    }
    by_kind = {
        str(kind): _measure_part(_TextSubset(f"origins.{kind}.", positions), values, metrics, first)
        for kind in KINDS
        if (positions := [n for n, text in enumerate(asked) if text.kind == kind])
    }
    results = {
        name: ParaphraseResult(
            metrics=whole.metrics(name),
            levels={level: measured.result(name) for level, measured in by_level.items()},
            origins={kind: measured.result(name) for kind, measured in by_kind.items()},
            per_query={
                f"{measured.part.prefix}{m}": {
                    asked[n].id: value
                    for n, value in zip(measured.part.positions, measured.columns[name, m], strict=True)
                }
                for measured in (whole, *by_level.values(), *by_kind.values())
                for m in metrics
            },
        )
        for name in systems
    }
    return ParaphraseReport(
        systems=results,
        differences=whole.differences,
        texts={kind: sum(text.kind == kind for text in asked) for kind in KINDS},
        paraphrases={level: sum(len(text.levels.get(level, ())) for text in asked) for level in levels},
        seconds=time.perf_counter() - started,
    )


def _score_paraphrases(
    system: System, text: ParaphrasedText, metrics: Sequence[str], name: str, on_answer: OnAnswer
) -> dict[str, dict[str, list[float]]]:
    """Return, by metric and level, the value of each paraphrase of a text."""
    relevant = dict.fromkeys(text.documents, 1.0)
    scores = {m: metric(m) for m in metrics}
    found: dict[str, dict[str, list[float]]] = {m: {level: [] for level in text.levels} for m in metrics}
    for level, paraphrases in text.levels.items():
        for paraphrase in paraphrases:
            ranking = distinct(system(paraphrase))
            for m, score in scores.items():
                found[m][level].append(score(ranking, relevant))
            on_answer(name)
    return found


def _measure_part(
    part: _TextSubset,
    values: Mapping[str, Sequence[Mapping[str, Mapping[str, Sequence[float]]]]],
    metrics: Sequence[str],
    baseline: str,
) -> _Measured:
    """Measure all systems over a part of the texts; ``values`` are by system, text, metric and level."""
    columns: dict[tuple[str, str], list[float]] = {}
    for system, of_texts in values.items():
        for m in metrics:
            column = columns[system, m] = []
            for n in part.positions:
                by_level = of_texts[n][m]
                of_text = by_level[part.level] if part.level else [v for found in by_level.values() for v in found]
                column.append(sum(of_text) / len(of_text))
    return _Measured(part, columns, mean_intervals(columns), paired_differences(columns, baseline))
