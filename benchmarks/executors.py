"""A build by this process beside one on Ray: its seconds, in turn, and whether the results are the same to the byte.

``python -m benchmarks.executors [--turns N] [--base DOMAIN]``: the shipped examples of a domain, and a manual of three
sections, which says what Ray costs a small knowledge base. Needs the extra ``ray``.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.running import autokb, folder

EXECUTORS = ("local", "ray")
MANUAL = """# Kettle

## The lid does not open

1. Press the button on the handle.
2. Lift the lid.

## The water stays cold

1. Put the plug into the socket.
2. Press the switch until its lamp is lit.

## It smells of plastic

Boil three fillings of water and pour them away.
"""


def main() -> None:
    """Build in turn, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--base", default="headphones")
    options = parser.parse_args()

    def shipped(kb: Path) -> None:
        autokb("init", kb, "--domain", options.base, "--examples")

    _compare(f"{options.base}, examples", shipped, options.turns)
    _compare("a manual of three sections", _one_manual, options.turns)


def _one_manual(kb: Path) -> None:
    (kb.parent / "kettle.md").write_text(MANUAL, encoding="utf-8")
    autokb("init", kb)
    autokb("add", kb, kb.parent / "kettle.md")


def _compare(what: str, make: Callable[[Path], None], turns: int) -> None:
    seconds: dict[str, list[float]] = {name: [] for name in EXECUTORS}
    exports = set()
    for turn in range(turns):
        for name in EXECUTORS if turn % 2 == 0 else reversed(EXECUTORS):
            with folder() as place, _executor(name):
                make(place / "kb")
                seconds[name].append(autokb("build", place / "kb").seconds)
                autokb("export", place / "kb", place / "kb.jsonl")
                exports.add((place / "kb.jsonl").read_bytes())
    local, ray = (statistics.median(seconds[name]) for name in EXECUTORS)
    same = "the same bytes" if len(exports) == 1 else "OTHER BYTES"
    print(f"{what}: local {local:.1f} s, ray {ray:.1f} s, ratio {ray / local:.2f}; {same}", flush=True)


@contextmanager
def _executor(name: str) -> Iterator[None]:
    os.environ["AUTOKB_EXECUTOR"] = name
    try:
        yield
    finally:
        del os.environ["AUTOKB_EXECUTOR"]


if __name__ == "__main__":
    main()
