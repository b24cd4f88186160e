"""Outcomes of conversations: reported one by one and by files, grown, killed, and never doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.core.in_use import ConversationOutcome
from autokb.sources.outcomes import OutcomeFields
from autokb.stores.outcomes import read_outcomes
from autokb.stores.workspace import Workspace

REPORTER = """
import sys
from autokb.app import SupportKB
kb = SupportKB.open(sys.argv[1])
for n in range(100_000):
    print(kb.usage.report_outcome(f"c{n:06}", resolved=True, seconds=n).conversation, flush=True)
"""


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    return SupportKB(hand_made)


def kept(kb: SupportKB) -> dict[str, ConversationOutcome]:
    with kb.workspace.file() as file:
        return {one.conversation: one for one in read_outcomes(file)}


def test_what_is_reported_later_is_added_and_twice_is_once(kb: SupportKB) -> None:
    first = kb.usage.report_outcome(" c1\n", resolved=True, date="2026-01-05")
    assert (first.conversation, first.resolved, first.returned, first.seconds, first.changed) == (
        "c1",
        True,
        None,
        None,
        1,
    )
    later = kb.usage.report_outcome("c1", returned=False, seconds=90)
    assert (later.resolved, later.returned, later.seconds, later.date, later.changed) == (
        True,
        False,
        90.0,
        "2026-01-05",
        1,
    )
    assert kb.usage.report_outcome("c1", resolved=True, returned=False, seconds=90.0).changed == 0
    assert list(kept(kb)) == ["c1"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"conversation": " "}, "needs its conversation"),
        ({"conversation": "c"}, "resolved or returned"),
        ({"conversation": "c", "seconds": -1.0}, "from 0 to"),
        ({"conversation": "c", "seconds": float("nan")}, "from 0 to"),
        ({"conversation": "c", "seconds": 1e12}, "from 0 to"),
        ({"conversation": "c" * 501, "resolved": True}, "500 can be kept"),
        ({"conversation": "c", "resolved": True, "date": "yesterday"}, "ISO 8601"),
    ],
)
def test_what_is_no_outcome_is_said(kb: SupportKB, given: dict[str, object], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        kb.usage.report_outcome(**given)  # type: ignore[arg-type]
    assert kept(kb) == {}


CSV = """\
conversation_id;solved;reopened;handling_seconds;date
c1;yes;0;310;2026-02-01
c2;No;;12.5;
c3;perhaps;;;
;yes;;;
c4;;;fast;
c5;;;;
"""


def test_a_file_of_a_contact_centre_is_taken_and_what_cannot_be_read_is_named(kb: SupportKB, tmp_path: Path) -> None:
    file = tmp_path / "closed.csv"
    file.write_text(CSV, encoding="utf-8")
    done = kb.usage.import_outcomes(file)
    assert (done.taken, done.unchanged) == (2, 0)
    found = kept(kb)
    assert found["c1"] == ConversationOutcome("c1", True, False, 310.0, "2026-02-01")
    assert (found["c2"].resolved, found["c2"].returned, found["c2"].seconds) == (False, None, 12.5)
    said = {one.path: one.reason for one in done.skipped}
    assert "neither true nor false" in said["closed.csv:4"] and "its conversation" in said["closed.csv:5"]
    assert "no number of seconds" in said["closed.csv:6"] and "resolved or returned" in said["c5"]
    again = kb.usage.import_outcomes(file)
    assert (again.taken, again.unchanged, len(again.skipped)) == (0, 2, 4)


def test_records_of_json_with_names_of_their_own(kb: SupportKB, tmp_path: Path) -> None:
    file = tmp_path / "closed.jsonl"
    rows = [{"ticket": {"key": f"c{n}"}, "ok": n % 2 == 0, "again": None, "took": n} for n in range(4)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    fields = OutcomeFields("ticket.key", "ok", "again", "took")
    assert kb.usage.import_outcomes(file, fields).taken == 4
    assert [one.resolved for one in kept(kb).values()] == [True, False, True, False]
    assert kept(kb)["c3"].seconds == 3.0
    (tmp_path / "one.json").write_text(json.dumps([{"conversation": "c9", "returned": True}]), encoding="utf-8")
    assert kb.usage.import_outcomes(tmp_path / "one.json").taken == 1
    with pytest.raises(BadInputError, match="--resolved-field names"):
        kb.usage.import_outcomes(file, OutcomeFields("ticket.key", resolved="solved"))


def test_files_that_are_none(kb: SupportKB, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="There is no file"):
        kb.usage.import_outcomes(tmp_path / "none.csv")
    for name, text, words in (
        ("x.html", "<p>", "has a file type"),
        ("x.jsonl", "{", "no JSON line"),
        ("x.csv", " ", "empty"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(BadInputError, match=words):
            kb.usage.import_outcomes(tmp_path / name)
    assert kept(kb) == {}


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(kb: SupportKB) -> None:
    command = [sys.executable, "-c", REPORTER, str(kb.workspace.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = [process.stdout.readline().strip() for _ in range(20)]
            os.kill(process.pid, signal.SIGKILL)
            said += process.stdout.read().split()
        finally:
            process.kill()
    assert list(kept(kb))[: len(said)] == said
