"""``make demo`` shows each of the three outcomes, and its last line is a command that works as it is printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autokb.demo import QUESTIONS, demo


@pytest.mark.slow
def test_the_demo_answers_asks_and_abstains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo(tmp_path / "kb") == 0
    printed = capsys.readouterr().out
    assert re.findall(r"^(answered|asks|abstains)\b", printed, re.MULTILINE) == ["answered", "asks", "abstains"]
    assert all(question in printed for _, question in QUESTIONS)


@pytest.mark.slow
def test_the_last_line_of_the_demo_can_be_typed(tmp_path: Path) -> None:
    # A shell that knows nothing of the environment Python runs in, as that of a person who typed ``make demo``.
    environment = {**os.environ, "PATH": os.defpath}
    done = subprocess.run(
        [sys.executable, "-m", "autokb.demo"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    command = done.stdout.rstrip("\n").split("\n")[-1]
    asked = subprocess.run(
        f"{command} --json", shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["outcome"] != "abstains"
