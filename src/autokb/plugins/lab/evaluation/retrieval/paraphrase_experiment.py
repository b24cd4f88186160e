"""Retrieval of the knowledge base's own nodes and chunks, asked in other words, level by level (AutoKB, 4.3.2).

Documents count for every text and system; of a node, the node itself and its tree count too, for systems that find
nodes, and for systems that find chunks the chunks that answer it.

The unit is the node or chunk, not the paraphrase: those of one text are no independent questions, so each text counts
once, by the mean over its paraphrases, and the intervals resample texts.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.experiment import Column, Difference, Experiment
from autokb.plugins.lab.evaluation.record import Record
from autokb.plugins.lab.evaluation.retrieval.experiment import OnAnswer, System, ignore_answer
from autokb.plugins.lab.evaluation.retrieval.metrics import RETRIEVAL, distinct, hit_rate, metric
from autokb.plugins.lab.evaluation.retrieval.system_names import CHILDREN, RAW
from autokb.plugins.lab.evaluation.runner import ModelUsage
from autokb.stats.bootstrap import Interval

Kind = Literal["nodes", "chunks"]
KINDS: tuple[Kind, ...] = ("nodes", "chunks")
NodeSystem = Callable[[str], Sequence[tuple[str, str]]]  # the text of a question -> (node, its tree), best first
ChunkSystem = Callable[[str], Sequence[str]]  # the text of a question -> chunks, best first
NODE_RANKS = (1, 3, 5, 10)  # the k of the paper's HitRate@k
OFFERED = "node_offered"  # whether any node is: a system that abstains offers none
NODE_METRICS = (*(f"node_hit@{k}" for k in NODE_RANKS), *(f"tree_hit@{k}" for k in NODE_RANKS), OFFERED)
CHUNK_METRICS = tuple(f"chunk_hit@{k}" for k in NODE_RANKS)
ByLevel = Mapping[str, Sequence[float]]  # the value of each paraphrase of one text


@dataclass(frozen=True, slots=True)
class ParaphrasedText:
    """A node or chunk, the documents that answer it, and its paraphrases by level; ``tree`` is the node's.

    ``chunks`` are the chunk itself, or those that the node's solutions cite.
    """

    id: str
    kind: Kind
    documents: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    tree: str = ""
    chunks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PartResult(Record):
    """One system over a part of the texts: a level of paraphrases, or nodes or chunks alone."""

    metrics: Mapping[str, Interval]
    differences: tuple[Difference, ...]
    measured: int


@dataclass(frozen=True, slots=True)
class ParaphraseResult(Record):
    """One system over all texts, by level and by kind.

    ``per_query`` holds the value of every text by the name of the figure, so that stored answers can be compared.
    """

    metrics: Mapping[str, Interval]
    levels: Mapping[str, PartResult]
    origins: Mapping[str, PartResult]
    per_query: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class ParaphraseSource(Record):
    """Who made the paraphrases, and of how many nodes and how many chunks at most they were asked."""

    made_by: Literal["mechanical", "model"]
    model: str
    sample: int


@dataclass(frozen=True, slots=True)
class ParaphraseReport(Record):
    """What ``evaluate retrieval --variations`` answers; ``queries`` counts texts that have a paraphrase."""

    systems: Mapping[str, ParaphraseResult]
    differences: tuple[Difference, ...]
    queries: Mapping[str, Any]
    seconds: float
    source: ParaphraseSource | None = None
    usage: ModelUsage | None = None


@dataclass(frozen=True, slots=True)
class _TextGroup:
    """Some of the texts, by position: all, those of a level, or those of a kind (``group`` is levels or origins)."""

    positions: Sequence[int]
    group: str = ""
    name: str = ""

    @property
    def prefix(self) -> str:
        """What begins the names of its figures."""
        return f"{self.group}.{self.name}." if self.group else ""


# Complex: parts, differences and counts are of the same scored texts, a comprehension each.
def evaluate_paraphrases(
    systems: Mapping[str, System],
    texts: Sequence[ParaphrasedText],
    *,
    nodes: Mapping[str, NodeSystem] | None = None,
    chunks: Mapping[str, ChunkSystem] | None = None,
    metrics: Sequence[str] = RETRIEVAL,
    on_answer: OnAnswer = ignore_answer,
) -> ParaphraseReport:
    """Ask every system every paraphrase; metrics over all texts, level by level, and for nodes and chunks alone.

    ``nodes`` are those of the systems that find nodes; figures of nodes are over the texts that are nodes, and their
    differences are to ``children`` where it is asked. ``chunks`` are those of the systems that find chunks, whose
    figures are over the texts that chunks answer. A text without paraphrases is left out (BadInputError where none
    has any).
    """
    started = time.perf_counter()
    asked = [text for text in texts if any(text.levels.values())]
    if not asked:
        raise BadInputError("There are no variations to ask; build a knowledge base with solutions first.")
    finders = _Finders(systems, nodes or {}, chunks or {})
    scored = [_score_paraphrases(finders, text, metrics, on_answer) for text in asked]
    found = {name: [of_text[name] for of_text in scored] for name in systems}
    paraphrases: Counter[str] = Counter()
    for text in asked:
        paraphrases.update({level: len(some) for level, some in text.levels.items()})
    families = ((metrics, RAW), (NODE_METRICS, CHILDREN), (CHUNK_METRICS, RAW))
    measured = [(part, _measure_part(part, asked, found, families)) for part in _parts(asked, paraphrases)]
    return ParaphraseReport(
        systems={name: _result_of(name, measured) for name in systems},
        differences=measured[0][1].differences,
        queries={**{k: sum(text.kind == k for text in asked) for k in KINDS}, "variations": paraphrases},
        seconds=time.perf_counter() - started,
    )


def _parts(asked: Sequence[ParaphrasedText], levels: Iterable[str]) -> list[_TextGroup]:
    """Return the parts of the texts that are measured: all of them, those of each level, those of each kind."""
    parts = [_TextGroup(range(len(asked)))]
    for level in levels:
        parts.append(_TextGroup([n for n, text in enumerate(asked) if text.levels.get(level)], "levels", level))
    for kind in KINDS:
        parts.append(_TextGroup([n for n, text in enumerate(asked) if text.kind == kind], "origins", kind))
    return [part for part in parts if part.positions]


def _result_of(system: str, measured: Sequence[tuple[_TextGroup, Experiment]]) -> ParaphraseResult:
    """Return a system's figures; the first part is all texts."""
    of_group: dict[str, dict[str, PartResult]] = {"": {}, "levels": {}, "origins": {}}
    for part, found in measured:
        differences = tuple(d for d in found.differences if d.system == system)
        of_group[part.group][part.name] = PartResult(found.metrics(system), differences, len(part.positions))
    return ParaphraseResult(
        of_group[""][""].metrics,
        of_group["levels"],
        of_group["origins"],
        {f"{part.prefix}{name}": v for part, found in measured for name, v in found.per_case(system).items()},
    )


@dataclass(frozen=True, slots=True)
class _Finders:
    """What finds documents, nodes and chunks, by the name of the system."""

    documents: Mapping[str, System]
    nodes: Mapping[str, NodeSystem]
    chunks: Mapping[str, ChunkSystem]

    def score_what_else(self, name: str, paraphrase: str, text: ParaphrasedText) -> dict[str, float]:
        """Return whether a system finds the node, its tree and a chunk that answers it, where it can."""
        values: dict[str, float] = {}
        if text.kind == "nodes" and name in self.nodes:
            values |= _score_nodes(self.nodes[name](paraphrase), text)
        if text.chunks and name in self.chunks:
            values |= _score_chunks(self.chunks[name](paraphrase), text)
        return values


def _score_paraphrases(
    finders: _Finders,
    text: ParaphrasedText,
    metrics: Sequence[str],
    on_answer: OnAnswer,
) -> Mapping[str, Mapping[str, ByLevel]]:
    """Return, by system and metric, the value of each paraphrase of a text."""
    relevant = dict.fromkeys(text.documents, 1.0)
    scores = {m: metric(m) for m in metrics}
    found: dict[str, dict[str, dict[str, list[float]]]] = {name: {} for name in finders.documents}
    for level, paraphrases in text.levels.items():
        for paraphrase in paraphrases:  # then systems: what two of them work out alike of a question they can share
            for name, system in finders.documents.items():
                ranking = distinct(system(paraphrase))
                values = {m: score(ranking, relevant) for m, score in scores.items()}
                values |= finders.score_what_else(name, paraphrase, text)
                for m, value in values.items():
                    found[name].setdefault(m, {lv: [] for lv in text.levels})[level].append(value)
                on_answer(name)
    return found


def _score_nodes(matches: Sequence[tuple[str, str]], text: ParaphrasedText) -> dict[str, float]:
    """Return whether the node that the text is of, and its tree, are among the first matches, and whether any is."""
    ids, trees = [node for node, _ in matches], [tree for _, tree in matches]
    node_hits = {f"node_hit@{k}": hit_rate(ids, {text.id: 1.0}, k) for k in NODE_RANKS}
    tree_hits = {f"tree_hit@{k}": hit_rate(trees, {text.tree: 1.0}, k) for k in NODE_RANKS}
    return node_hits | tree_hits | {OFFERED: float(bool(matches))}


def _score_chunks(ids: Sequence[str], text: ParaphrasedText) -> dict[str, float]:
    """Return whether one of the chunks that answer the text is among the first."""
    return {f"chunk_hit@{k}": hit_rate(ids, dict.fromkeys(text.chunks, 1.0), k) for k in NODE_RANKS}


def _measure_part(
    part: _TextGroup,
    asked: Sequence[ParaphrasedText],
    found: Mapping[str, Sequence[Mapping[str, ByLevel]]],
    families: Sequence[tuple[Sequence[str], str]],
) -> Experiment:
    """Measure all systems over a part of the texts; ``found`` is by system, text and metric.

    ``families`` are metrics over the same texts, each with the system that differences are to, else the first.
    """
    level = part.name if part.group == "levels" else ""
    measured = Experiment({}, {}, ())
    for metrics, baseline in families:
        values: dict[Column, dict[str, float]] = {}
        for system, of_texts in found.items():
            for name in metrics:
                for n in part.positions:
                    if (by_level := of_texts[n].get(name)) is not None:
                        of_text = by_level[level] if level else [v for some in by_level.values() for v in some]
                        values.setdefault((system, name), {})[asked[n].id] = sum(of_text) / len(of_text)
        measured += Experiment.over(values, baseline)
    return measured
