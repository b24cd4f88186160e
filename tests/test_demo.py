"""``make demo``: its last line is a command that works as it is printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


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
