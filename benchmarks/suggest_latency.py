"""How long ``suggest`` takes in a warm process with 7,000 solutions and no model, and what of it the encoder takes."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from autokb.app import SupportKB
from autokb.core.nouns import AGENT, CUSTOMER, Message
from benchmarks import scale_data
from benchmarks.ask import import_workspace
from benchmarks.figures import Figure, Result
from benchmarks.running import folder

SIZE = 7_000
SHORT, LONG = 12, 150  # words of a message
TURNS = (CUSTOMER, AGENT, CUSTOMER, AGENT, CUSTOMER)
LEANS_ON_BEFORE = "I did all that and it still does not work."  # is read with what the customer wrote before
WARM_UP, MEASURED = 20, 400
PERCENTILES = (50, 95, 99)
PAPER = {"plain.p95": 0.885, "plain.p99": 1.168}  # seconds; response prediction, table 6: retrieval and a hosted model


def run(options: argparse.Namespace) -> Result:
    """Grow the knowledge base, import it, and ask for suggestions."""
    count = 50 if options.quick else MEASURED
    with folder() as place:
        import_workspace(place, SIZE)
        figures = list(_latencies(place / "kb", count))
    figures.append(Figure("load_average", os.getloadavg()[0], ""))
    return Result("suggest_latency", figures, {"paper, through a model": PAPER})


def _latencies(workspace: Path, count: int) -> Iterator[Figure]:
    kb = SupportKB.open(workspace)
    started = time.perf_counter()
    kb.suggest("Where are my folders?")
    yield Figure(f"{SIZE}.first_suggest", time.perf_counter() - started, "s")
    started = time.perf_counter()
    kb.suggest("Wo sind denn meine Ordner und warum sehe ich sie nicht mehr?")  # loads the second encoder, where it is
    yield Figure(f"{SIZE}.first_in_another_language", time.perf_counter() - started, "s")
    opened = kb._memory.open_index()
    embed = opened.index.embed_questions
    try:
        for name, conversations in _conversations(WARM_UP + count).items():
            embedded: list[float] = []
            seconds: list[float] = []
            suggestions: list[int] = []

            def timed(texts: Sequence[str], spent: list[float] = embedded) -> np.ndarray:  # type: ignore[type-arg]
                began = time.perf_counter()
                vectors = embed(texts)
                spent.append(time.perf_counter() - began)
                return vectors

            object.__setattr__(opened.index, "embed_questions", timed)
            for messages in conversations:
                began = time.perf_counter()
                suggestions.append(len(kb.suggest(messages).suggestions))
                seconds.append(time.perf_counter() - began)
            for percentile in PERCENTILES:
                value = float(np.percentile(seconds[WARM_UP:], percentile)) * 1000
                yield Figure(f"{SIZE}.{name}.p{percentile}", value, "ms")
            yield Figure(f"{SIZE}.{name}.encoder_mean", float(np.sum(embedded) / len(seconds)) * 1000, "ms")
            yield Figure(f"{SIZE}.{name}.texts_encoded", len(embedded) / len(seconds), "a call")
            yield Figure(f"{SIZE}.{name}.suggestions", float(np.mean(suggestions)), "a call")
    finally:
        object.__setattr__(opened.index, "embed_questions", embed)
        kb.close()


def _as_messages(texts: Sequence[str]) -> list[Message]:
    return [Message(role, text) for role, text in zip(TURNS, texts, strict=True)]


def _conversations(count: int) -> dict[str, list[list[Message]]]:
    """Return conversations whose messages are real sentences in new company."""
    short, long = scale_data.questions(SHORT, len(TURNS) * count), scale_data.questions(LONG, count)
    turns = [short[n * len(TURNS) : (n + 1) * len(TURNS)] for n in range(count)]
    leaning = [[*texts[:-1], LEANS_ON_BEFORE] for texts in turns]
    return {
        f"{SHORT}_words": [[Message(CUSTOMER, text)] for text in short[:count]],
        f"{len(TURNS)}_messages_of_{SHORT}_words": [_as_messages(texts) for texts in turns],
        f"{len(TURNS)}_messages_the_last_leans": [_as_messages(texts) for texts in leaning],
        f"{LONG}_words": [[Message(CUSTOMER, text)] for text in long],
    }
