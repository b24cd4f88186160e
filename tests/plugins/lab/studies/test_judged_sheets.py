"""Sheets of a workspace that several people and processes fill in at once, and that a kill never tears."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError, UnknownIdError, UnwritableWorkspaceError, WorkspaceBusyError
from autokb.plugins.lab.evaluation.sheets import key_path
from autokb.plugins.lab.evaluation.suggestions.sheet import read_suggestion_sheet
from autokb.plugins.lab.evaluation.suggestions.sheet_form import read_sheet_rows
from autokb.plugins.lab.studies import judged_sheets
from autokb.stores.workspace import Workspace, one_at_a_time
from blind_sheets import FULL, write
from unwritable import unwritable_copy

TEXTS = [f"thing {n}" for n in range(8)]
# A process that judges the whole sheet under a name, again and again, and says what is saved.
JUDGING = """
import sys
from autokb.app import SupportKB
from blind_sheets import FULL
folder, name, rounds = sys.argv[1:]
kb = SupportKB.open(folder)
for n in range(int(rounds)):
    for item in [f"c{m}" for m in range(8)]:
        kb.evaluate.judge_case("june", name, item, {**FULL, "preference": "AB"[n % 2]})
        print(n, item, flush=True)
"""


def judging(workspace: Workspace, name: str, rounds: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", JUDGING, str(workspace.folder), name, str(rounds)]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=here)


def test_a_sheet_is_judged_case_by_case_until_all_are_whole(hand_made: Workspace) -> None:
    path = write(hand_made.folder)
    door = SupportKB(hand_made).evaluate
    assert door.sheets() == ("june",)
    page, seen = door.sheet_case("june", "ann"), []
    while page.case:
        seen.append(page.case.id)
        assert (page.case.place, page.judged) == (len(seen), len(seen) - 1)
        page = door.judge_case("june", "ann", page.case.id, FULL)
    assert page.judged == page.cases == len(seen) == 3
    assert door.sheet_case("june", "bo").judged == 0
    assert read_suggestion_sheet(path).items == 3 and path.stat().st_mode & 0o777 == 0o600


def test_two_processes_judge_at_once_and_lose_nothing(hand_made: Workspace) -> None:
    path = write(hand_made.folder, texts=TEXTS)
    both = [judging(hand_made, name, 2) for name in ("ann", "bo")]
    assert [one.wait(60) for one in both] == [0, 0]
    for name in ("ann", "bo"):
        rows = [row for row in read_sheet_rows(path) if row["annotator"] == name]
        assert [row["preference"] for row in rows] == ["B"] * len(TEXTS), name
    assert read_suggestion_sheet(path).agreement["preference"].pairs == len(TEXTS)


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_at_most_the_case_under_work(hand_made: Workspace) -> None:
    path = write(hand_made.folder, texts=TEXTS)
    for n in range(8):
        process = judging(hand_made, "ann", 10_000)
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(5)]
        time.sleep(n * 0.003)
        os.kill(process.pid, signal.SIGKILL)
        lines += process.stdout.read().splitlines()
        process.wait(60)
        saved = {line.split()[1]: line.split()[0] for line in lines if len(line.split()) == 2}
        found = {row["item"]: row["preference"] for row in read_sheet_rows(path) if row["annotator"] == "ann"}
        under_work = f"c{(int(lines[-1].split()[1][1:]) + 1) % len(TEXTS)}"  # which may be saved and not yet said
        for item, turn in saved.items():
            assert found[item] == "AB"[int(turn) % 2] or item == under_work
        assert read_suggestion_sheet(path).items == len(found)


def test_who_what_and_where_there_is_not(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    door = SupportKB(hand_made).evaluate
    assert door.sheets() == ()
    path = write(hand_made.folder)
    for name in ("", " ", "x" * 61, "a\nb", "a\u202eb"):
        with pytest.raises(BadInputError, match="Say who judges"):
            door.sheet_case("june", name)
        with pytest.raises(BadInputError, match="Say who judges"):
            door.judge_case("june", name, "c0", FULL)
    for sheet in ("july", "../domain", "june.csv", ""):
        with pytest.raises(UnknownIdError, match="There is no sheet"):
            door.sheet_case(sheet, "ann")
    before = path.read_bytes()
    monkeypatch.setattr(judged_sheets, "WAITING_SECONDS", 0.1)
    with (
        one_at_a_time(path.parent / judged_sheets.LOCK_FILE, "a test"),
        pytest.raises(WorkspaceBusyError, match="Others are saving"),
    ):
        door.judge_case("june", "ann", "c0", FULL)
    with unwritable_copy(hand_made.folder) as copy, pytest.raises(UnwritableWorkspaceError):
        judged_sheets.judge_case(replace(hand_made, folder=copy), "june", "ann", "c0", FULL)
    assert path.read_bytes() == before
    key_path(path).unlink()
    assert door.sheets() == ()
