"""``make demo`` shows each of the three outcomes, and its last line is a command that works as it is printed."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
from pathlib import Path

import pytest

from autokb.demo import QUESTIONS


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.autokb.demo. found in sys.modules:RuntimeWarning")
def test_the_demo_answers_asks_and_abstains_and_its_last_line_can_be_typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A shell that knows nothing of the environment Python runs in, as that of a person who typed ``make demo``.
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:  # in this process, which has read the examples for other tests
        runpy.run_module("autokb.demo", run_name="__main__")
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert re.findall(r"^(answered|asks|abstains)\b", printed, re.MULTILINE) == ["answered", "asks", "abstains"]
    assert all(question in printed for _, question in QUESTIONS)
    command = printed.rstrip("\n").split("\n")[-1]
    asked = subprocess.run(f"{command} --json", shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["outcome"] != "abstains"
