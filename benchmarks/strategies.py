"""What each strategy of suggestions costs beside plain: requests, seconds and tokens with a model of a fixed delay.

Questions are titles of Thunderbird questions that the knowledge base lacks, the same for each strategy, which has a
workspace of its own, so that no reply is taken from the ledger. The model is a script behind a real HTTP server in a
process of its own on loopback: it replies at once but for a pause of ``PAUSE`` seconds, and says nothing of any model's
quality. Suggestions are asked for one after the other in a warm process.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from autokb.answering.suggest import Suggested
from autokb.app import SupportKB
from autokb.suggesting.suggest_by_strategy import STRATEGIES
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.retrieval import split
from benchmarks.running import autokb, folder
from benchmarks.serving import KEY, set_model

SERVER = Path(__file__).resolve().parents[1] / "tests" / "stub_server.py"
SCRIPT = SERVER.with_name("scripted_suggestions.py")
PAUSE = 0.005  # seconds of the model; a real one takes some 200 times as long, once for each request of a strategy
HISTORY = 300  # of the questions that are known, the last ones: more of them take longer to build and ask no more
QUESTIONS = {True: 25, False: 2_500}  # a strategy in a quick run and in a whole one, whose four ask 10,000 in all
WARM_UP = 5
PERCENTILES = (50, 95, 99)
# Response prediction, table 6: seconds at 10,000 queries, of its own model and service.
PAPER = {"react": {95: 4.0942, 99: 6.2084}, "plain": {95: 0.8850, 99: 1.1678}}


def run(options: argparse.Namespace) -> Result:
    """Ask every strategy the same questions and count what that took."""
    figures = [Figure("pause", PAUSE, "s a request")]
    detail: dict[str, Any] = {}
    with folder() as place, serving_script() as url:
        base = place / "base"
        later, history = split(thunderbird.issues(), tuning=False)
        thunderbird.stage(base, history[-HISTORY:])
        autokb("build", base)
        asked = titles(later, QUESTIONS[options.quick])
        figures.append(Figure("questions", len(asked) * len(STRATEGIES)))
        for strategy in STRATEGIES:
            workspace = place / strategy
            shutil.copytree(base, workspace)
            set_model(workspace, url)
            found = ask(workspace, strategy, asked)
            figures += figures_of(strategy, found)
            detail[f"{strategy}.fallbacks"] = sorted({one.fallback for one in found if one.fallback})[:5]
            shutil.rmtree(workspace)
    p95 = {f.name: f.value for f in figures if f.name.endswith(".p95")}
    figures += [
        Figure(f"{s}.p95_beside_plain", p95[f"{s}.p95"] / p95["plain.p95"], "times") for s in STRATEGIES if s != "plain"
    ]
    figures += [Figure(f"paper.{s}.p{p}", value, "s") for s, known in PAPER.items() for p, value in known.items()]
    return Result("strategies", tuple(figures), detail)


def titles(later: Sequence[thunderbird.Issue], many: int) -> list[str]:
    """Return titles of questions that the knowledge base lacks, ordered by their hashes.

    Where there are too few they are asked again with the number of the round behind them, which is another question to
    the ledger.
    """
    texts = sorted({i["title"].strip() for i in later} - {""}, key=lambda t: hashlib.sha256(t.encode()).digest())
    rounds = range(1, -(-many // len(texts)) + 1)
    return [text if n == 1 else f"{text} ({n})" for n in rounds for text in texts][:many]


def ask(workspace: Path, strategy: str, asked: list[str]) -> list[Suggested]:
    """Return what is suggested for each question, the first ones asked before to warm the process up."""
    kb = SupportKB.open(workspace)
    try:
        for text in asked[:WARM_UP]:
            kb.suggest(f"{text} please", strategy=strategy)
        return [kb.suggest(text, strategy=strategy) for text in asked]
    finally:
        kb.close()


def figures_of(strategy: str, found: list[Suggested]) -> list[Figure]:
    """Return what a strategy took; seconds and tokens are of the questions that a model was asked about."""
    written = [one for one in found if one.spent.calls]
    tokens = [one.spent.tokens for one in written]
    seconds = np.array([one.seconds for one in written])
    own = seconds - PAUSE * np.array([one.spent.calls for one in written])
    return [
        Figure(f"{strategy}.asked_a_model", len(written) / len(found)),
        Figure(f"{strategy}.requests", float(np.mean([one.spent.calls for one in written])), "a question"),
        *(Figure(f"{strategy}.p{p}", float(np.percentile(seconds, p)), "s") for p in PERCENTILES),
        Figure(f"{strategy}.own_p50", float(np.median(own)), "s beside the pauses"),
        Figure(f"{strategy}.tokens_read", float(np.mean([t.input for t in tokens])), "a question"),
        Figure(f"{strategy}.tokens_written", float(np.mean([t.output for t in tokens])), "a question"),
        Figure(f"{strategy}.fallbacks", sum(one.fallback is not None for one in found) / len(found)),
        Figure(f"{strategy}.suggestions", float(np.mean([len(one.suggestions) for one in written])), "a question"),
    ]


@contextmanager
def serving_script() -> Iterator[str]:
    """Serve the script in a process of its own; the workspaces have a key that nobody checks."""
    before = os.environ.get(KEY)
    os.environ[KEY] = "a key that nobody checks"
    command = [sys.executable, str(SERVER), "--seconds", str(PAUSE), "--script", f"{SCRIPT}:answer"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
        os.environ.pop(KEY)
        if before is not None:
            os.environ[KEY] = before
