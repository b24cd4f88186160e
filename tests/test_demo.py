"""``make demo`` shows each of the three outcomes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autokb.demo import QUESTIONS, demo


@pytest.mark.slow
def test_the_demo_answers_asks_and_abstains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo(tmp_path / "kb") == 0
    printed = capsys.readouterr().out
    assert re.findall(r"^(answered|asks|abstains)\b", printed, re.MULTILINE) == ["answered", "asks", "abstains"]
    assert all(question in printed for _, question in QUESTIONS)
