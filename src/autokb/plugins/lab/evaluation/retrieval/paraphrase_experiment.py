"""Retrieval of the knowledge base's own nodes and chunks, asked in other words, level by level (AutoKB, 4.3.2).

Documents count for every text and system; of a node, the node itself and its tree count too, for systems that find
nodes, and for systems that find chunks the chunks that answer it.

The unit is the node or chunk, not the paraphrase: those of one text are no independent questions, so each text counts
once, by the mean over its paraphrases, and the intervals resample texts.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.experiment import Column, Difference, Experiment, ModelUsage
from autokb.plugins.lab.evaluation.report import Record
from autokb.plugins.lab.evaluation.retrieval.experiment import OnAnswer, System, ignore_answer
from autokb.plugins.lab.evaluation.retrieval.metrics import RETRIEVAL, distinct, hit_rate, metric
from autokb.plugins.lab.evaluation.system_names import CHILDREN, RAW
from autokb.stats.bootstrap import Interval

Kind = Literal["nodes", "chunks"]
KINDS: tuple[Kind, ...] = ("nodes", "chunks")
NODE_RANKS = (1, 3, 5, 10)  # the k of the paper's HitRate@k
OFFERED = "node_offered"  # whether any node is: a system that abstains offers none
NODE_METRICS = (*(f"node_hit@{k}" for k in NODE_RANKS), *(f"tree_hit@{k}" for k in NODE_RANKS), OFFERED)
CHUNK_METRICS = tuple(f"chunk_hit@{k}" for k in NODE_RANKS)


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
class _Score:
    """What a system gave for one paraphrase of a text, by metric."""

    text: ParaphrasedText
    level: str
    system: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Measured:
    """What was found of some scores, and how many texts these are of."""

    found: Experiment
    texts: int


def evaluate_paraphrases(
    systems: Mapping[str, System],
    texts: Sequence[ParaphrasedText],
    *,
    metrics: Sequence[str] = RETRIEVAL,
    on_answer: OnAnswer = ignore_answer,
) -> ParaphraseReport:
    """Ask every system every paraphrase; metrics over all texts, level by level, and for nodes and chunks alone.

    Figures of nodes are over the texts that are nodes, and their differences are to ``children`` where it is asked;
    those of chunks are over the texts that chunks answer. A text without paraphrases is left out (BadInputError where
    none has any).
    """
    started = time.perf_counter()
    asked = [text for text in texts if any(text.levels.values())]
    if not asked:
        raise BadInputError("There are no variations to ask; build a knowledge base with solutions first.")
    scores = list(_ask(systems, asked, metrics, on_answer))
    families = ((metrics, RAW), (NODE_METRICS, CHILDREN), (CHUNK_METRICS, RAW))
    variations: Counter[str] = Counter()
    for text in asked:
        variations.update({level: len(paraphrases) for level, paraphrases in text.levels.items()})
    whole = _measure(systems, scores, families)
    parts = {name: _measure(systems, of, families) for name, of in _parts(scores, variations).items()}
    counts: dict[str, Any] = {kind: sum(text.kind == kind for text in asked) for kind in KINDS}
    return ParaphraseReport(
        systems={name: _result(name, whole, parts) for name in systems},
        differences=whole.found.differences,
        queries={**counts, "variations": variations},
        seconds=time.perf_counter() - started,
    )


def _ask(
    systems: Mapping[str, System], texts: Iterable[ParaphrasedText], metrics: Sequence[str], on_answer: OnAnswer
) -> Iterator[_Score]:
    """Ask every system every paraphrase, one system after the other: what two of them work out alike they can share."""
    for text in texts:
        for level, paraphrases in text.levels.items():
            for paraphrase in paraphrases:
                for name, system in systems.items():
                    yield _Score(text, level, name, _score(system, paraphrase, text, metrics))
                    on_answer(name)


def _parts(scores: Sequence[_Score], levels: Iterable[str]) -> dict[tuple[str, str], list[_Score]]:
    """Return the scores of each level and of each kind of text, by ``levels`` or ``origins`` and name."""
    parts = {("levels", level): [one for one in scores if one.level == level] for level in levels}
    parts |= {("origins", kind): [one for one in scores if one.text.kind == kind] for kind in KINDS}
    return {name: of for name, of in parts.items() if of}


def _result(system: str, whole: _Measured, parts: Mapping[tuple[str, str], _Measured]) -> ParaphraseResult:
    """Return a system's figures, by group of parts and part too."""
    found: dict[str, dict[str, PartResult]] = {"levels": {}, "origins": {}}
    per_query = dict(whole.found.per_case(system))
    for (group, name), part in parts.items():
        differences = tuple(one for one in part.found.differences if one.system == system)
        found[group][name] = PartResult(part.found.metrics(system), differences, part.texts)
        per_query |= {f"{group}.{name}.{metric}": of for metric, of in part.found.per_case(system).items()}
    return ParaphraseResult(whole.found.metrics(system), found["levels"], found["origins"], per_query)


def _measure(
    systems: Iterable[str], scores: Sequence[_Score], families: Iterable[tuple[Sequence[str], str]]
) -> _Measured:
    """Measure systems over texts, each by the mean over its paraphrases.

    ``families`` are metrics over the same texts, each with the system that differences are to, else the first.
    """
    columns: dict[Column, dict[str, list[float]]] = {}
    for one in scores:
        for metric_, value in one.values.items():
            columns.setdefault((one.system, metric_), {}).setdefault(one.text.id, []).append(value)
    means = {column: {i: sum(v) / len(v) for i, v in of_texts.items()} for column, of_texts in columns.items()}
    measured = Experiment({}, {}, ())
    for metrics, baseline in families:
        names = [(system, name) for system in systems for name in metrics if (system, name) in means]
        measured += Experiment.over({column: means[column] for column in names}, baseline)
    return _Measured(measured, len({one.text.id for one in scores}))


def _score(system: System, paraphrase: str, text: ParaphrasedText, metrics: Iterable[str]) -> dict[str, float]:
    """Return what a system gives for a paraphrase: documents, and of what it can find the node, its tree, a chunk."""
    relevant, found = dict.fromkeys(text.documents, 1.0), distinct(system.documents(paraphrase))
    values = {name: metric(name)(found, relevant) for name in metrics}
    if system.nodes is not None and text.kind == "nodes":
        values |= _score_nodes(system.nodes(paraphrase), text)
    if system.chunks is not None and text.chunks:
        ids, right = system.chunks(paraphrase), dict.fromkeys(text.chunks, 1.0)
        values |= {f"chunk_hit@{k}": hit_rate(ids, right, k) for k in NODE_RANKS}
    return values


def _score_nodes(matches: Sequence[tuple[str, str]], text: ParaphrasedText) -> dict[str, float]:
    """Return whether the node that the text is of, and its tree, are among the first matches, and whether any is."""
    ids, trees = [node for node, _ in matches], [tree for _, tree in matches]
    node_hits = {f"node_hit@{k}": hit_rate(ids, {text.id: 1.0}, k) for k in NODE_RANKS}
    tree_hits = {f"tree_hit@{k}": hit_rate(trees, {text.tree: 1.0}, k) for k in NODE_RANKS}
    return node_hits | tree_hits | {OFFERED: float(bool(matches))}
