"""How long a build will take: by the texts that are still to be encoded, in the time that one takes here."""

from __future__ import annotations

from pathlib import Path

import pytest

import hand_made_kb
from autokb.app import SupportKB
from autokb.pipeline import plan
from autokb.pipeline.plan import ITEM_TIMES, START_SECONDS, TEXT_TIMES


@pytest.fixture(autouse=True)
def one_second_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock be no part of it: what is left is the work that was counted."""
    monkeypatch.setattr(plan, "_seconds_a_text", lambda _encoder, _texts: 1.0)


def test_a_build_is_estimated_before_the_first_one_and_after_it(tmp_path: Path) -> None:
    (tmp_path / "domain.yaml").write_text(hand_made_kb.DOMAIN)
    kb = SupportKB.create(tmp_path / "kb", str(tmp_path / "domain.yaml"))
    assert kb.plan().seconds is None
    (tmp_path / "blades.md").write_text("# Blades\n\n1. Stop the robot.\n2. Turn the blades.\n")
    (tmp_path / "issues.csv").write_text("id,text\n1,The blades are blunt\n2,It does not mow\n")
    kb.add([tmp_path / "blades.md"])
    kb.add([tmp_path / "issues.csv"], "issues")
    # one window, one title and two issues are new
    assert kb.plan().seconds == pytest.approx(START_SECONDS + 4 * TEXT_TIMES + 3 * ITEM_TIMES, abs=0.1)
    assert kb.plan().seconds == pytest.approx(
        START_SECONDS + 4 * TEXT_TIMES + 3 * ITEM_TIMES, abs=0.1
    )  # a plan keeps nothing
    kb.build()
    assert kb.plan().seconds == pytest.approx(START_SECONDS + 3 * ITEM_TIMES, abs=0.1)
    with (tmp_path / "issues.csv").open("a") as more:
        more.write("3,It smells of oil\n")
    kb.add([tmp_path / "issues.csv"], "issues")
    assert kb.plan().seconds == pytest.approx(START_SECONDS + TEXT_TIMES + 4 * ITEM_TIMES, abs=0.1)
