"""Ten questions a knowledge base, of ten kinds, whose outcome and first thing shown stay what they are.

Who changes the ranking on purpose, and proves it (CONTRIBUTING.md), writes down here what changed.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from benchmarks.answers import Base, make

PINNED = json.loads((Path(__file__).parent / "pinned_answers.json").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PINNED))
def test_the_first_thing_shown_is_what_it_was(name: str, _built_headphones: Path, tmp_path: Path) -> None:
    if name == "headphones":
        shutil.copytree(_built_headphones, tmp_path / name)
    base = Base(name, make(name, tmp_path / name))
    for pinned in PINNED[name]:
        answer = base.ask(pinned["question"])
        shown = [s for match in answer["matches"] for s in match["solutions"]] + answer["passages"]
        first = shown[0]["evidence"][0] if shown else None
        told = (answer["outcome"], first and [first["document"], first["quote"][:60]])
        assert (pinned["question"], *told) == (pinned["question"], pinned["outcome"], pinned["first"])
