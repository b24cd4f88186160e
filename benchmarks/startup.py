"""How long ``autokb --help`` takes, and a process that embeds its first text with the packaged encoder."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.figures import Figure, Result

RUNS = 15
FIRST_VECTOR = (
    "from autokb.llm.embedders.packaged import PackagedEmbedder; PackagedEmbedder().embed(['the first text'])"
)


def run(_options: argparse.Namespace) -> Result:
    """Time the installed program (the module where there is none)."""
    program = Path(sys.executable).with_name("autokb")
    command = [str(program)] if program.exists() else [sys.executable, "-m", "autokb.cli"]
    seconds = _several([*command, "--help"])
    vector = _several([sys.executable, "-c", FIRST_VECTOR])
    figures = (
        Figure("help_median", statistics.median(seconds) * 1000, "ms", at_most=300),
        Figure("help_max", max(seconds) * 1000, "ms"),
        Figure("first_vector_median", statistics.median(vector) * 1000, "ms"),
    )
    return Result("startup", figures)


def _several(command: list[str]) -> list[float]:
    return [_once(command) for _ in range(RUNS + 1)][1:]  # the first fills the disk's cache


def _once(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started
