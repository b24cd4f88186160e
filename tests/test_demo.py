"""``autokb demo`` shows each of the three outcomes, and its last line is a command that works as it is printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from autokb.app.demo import QUESTIONS
from autokb.cli import main


@pytest.mark.slow
def test_the_demo_answers_asks_and_abstains_and_its_last_line_can_be_typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A shell that knows nothing of the environment Python runs in, as that of a person who typed ``make demo``.
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0  # in this process, which has read the examples for other tests
    printed = capsys.readouterr().out
    outcomes = re.findall(r"^(answered|asks|abstains)\b", printed, re.MULTILINE)
    assert outcomes == ["answered", "asks", "abstains"]
    assert all(question in printed for _, question in QUESTIONS)
    command = printed.rstrip("\n").split("\n")[-1]
    asked = subprocess.run(f"{command} --json", shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["outcome"] != "abstains"
    assert main(["demo", "again", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [answer["outcome"] for answer in result["answers"]] == outcomes
    assert result["built"]["parents"] == result["shown"]["trees_in_all"] > len(result["shown"]["trees"]) > 0


def test_the_demo_writes_over_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine", encoding="utf-8")
    for words in (["demo", str(mine)], ["demo", str(mine), "--json"]):
        assert main(words) == 2
        printed = capsys.readouterr()
        assert "writes over nothing" in printed.err and "$ autokb" not in printed.out
    assert [one.name for one in mine.iterdir()] == ["notes.txt"]
