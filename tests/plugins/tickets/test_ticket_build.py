from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import small_tickets
from autokb.app import SupportKB
from autokb.core.errors import BadInputError


@pytest.fixture
def kb(tmp_path: Path) -> SupportKB:
    kb = SupportKB.create(tmp_path / "kb")
    kb.add([small_tickets.write(tmp_path / "t.json")], "tickets")
    return kb


def published(kb: SupportKB, count: int = 8, *, similar: bool = True) -> list[object]:
    shown = [kb.tickets.show(f"APP-{n}").as_json() for n in range(1, count + 1)]
    for one in shown:
        one["links"] = [link for link in one["links"] if similar or link["origin"] == "source"]
    return shown


def test_a_build_makes_trees_and_links(kb: SupportKB) -> None:
    built = kb.tickets.build()
    assert (built.tickets, built.changed, built.links, built.dangling, built.calls) == (8, 8, 3, 1, 0)
    one = kb.tickets.show("APP-1")
    assert ("steps_to_reproduce", "description", "HAS_STEPS_TO_REPRODUCE") in {
        (s.section, s.parent, s.relation) for s in one.sections
    }
    links = {(link.type, link.target, link.dangling) for link in one.links if link.origin == "source"}
    assert links == {("Duplicate", "APP-2", False), ("Relates", "OLD-9", True)}
    assert {t.id for t in kb.tickets.similar("the camera crashes", 2).tickets} == {"APP-1", "APP-2"}
    assert kb.tickets.similar("APP-1", 1).tickets[0].id == "APP-2"


def test_only_what_changed_is_worked_out_and_the_result_is_a_fresh_build(kb: SupportKB, tmp_path: Path) -> None:
    kb.tickets.build()
    assert kb.tickets.build().changed == 0
    records = [dict(r) for r in small_tickets.RECORDS]
    records[4] = small_tickets.record("APP-5", "Printing leaves the last page out", "It is not printed.")
    path = small_tickets.write(tmp_path / "t.json", records[:7])
    kb.add([path], "tickets", sync=True)
    again = kb.tickets.build()
    assert (again.changed, again.gone) == (1, 1)
    fresh = SupportKB.create(tmp_path / "fresh")
    fresh.add([path], "tickets")
    fresh.tickets.build()
    assert published(kb, 7, similar=False) == published(fresh, 7, similar=False)
    # How alike titles must be is chosen once, by the tickets that were there then.
    kb.tickets.build(rethink=True)
    assert published(kb, 7) == published(fresh, 7)
    with pytest.raises(BadInputError, match="APP-8"):
        kb.tickets.show("APP-8")


def test_another_export_with_the_same_ids_replaces_them_only_when_that_is_said(kb: SupportKB, tmp_path: Path) -> None:
    later = small_tickets.write(tmp_path / "later.json", [small_tickets.record("APP-5", "Cannot sign in at all")])
    with pytest.raises(BadInputError, match=r"'APP-5' in .*later\.json .*t\.json.*--update.*Nothing was added"):
        kb.add([later], "tickets")
    added = kb.add([later], "tickets", update=True)
    assert (added.added, added.updated, added.removed) == (0, 1, 0)
    kb.tickets.build()
    assert kb.tickets.show("APP-5").title == "Cannot sign in at all"


def test_a_killed_build_goes_on_and_ends_as_an_undisturbed_one(kb: SupportKB, tmp_path: Path) -> None:
    other = SupportKB.create(tmp_path / "other")
    other.add([tmp_path / "t.json"], "tickets")
    other.tickets.build()
    script = (
        "import os, signal, sys\n"
        "from autokb.app import SupportKB\n"
        "def progress(stage, done, whole):\n"
        "    if stage == sys.argv[2]: os.kill(os.getpid(), signal.SIGKILL)\n"
        "SupportKB.open(sys.argv[1]).tickets.build(progress=progress)\n"
    )
    folder = str(kb.workspace.folder)
    killed = subprocess.run([sys.executable, "-c", script, folder, "embeddings"], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with pytest.raises(BadInputError):
        kb.tickets.show("APP-1")
    kb.tickets.build()
    assert published(kb) == published(other)


def test_a_question_before_any_build_says_what_to_do(kb: SupportKB) -> None:
    with pytest.raises(BadInputError, match="autokb tickets build"):
        kb.tickets.similar("camera")


def test_a_running_reader_sees_what_a_later_build_publishes(kb: SupportKB, tmp_path: Path) -> None:
    kb.tickets.build()
    assert kb.tickets.similar("battery", 1).tickets[0].id == "APP-8"
    new = [*small_tickets.RECORDS, small_tickets.record("APP-9", "Battery is empty after a sync", "battery battery")]
    kb.add([small_tickets.write(tmp_path / "t.json", new)], "tickets")
    kb.tickets.build()
    assert kb.tickets.similar("battery is empty after a sync", 1).tickets[0].id == "APP-9"
    kb.close()


def test_the_main_build_and_the_ticket_build_leave_each_other_alone(kb: SupportKB, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Camera\n\n1. Open it.\n2. Close it.\n", encoding="utf-8")
    kb.tickets.build()
    before = published(kb)
    kb.add([tmp_path / "page.md"])
    kb.build()
    assert published(kb) == before
    assert json.loads(json.dumps(kb.tickets.overview().as_json()))["tickets"] == 8


def test_an_export_brings_the_tickets_whole_into_an_empty_workspace(kb: SupportKB, tmp_path: Path) -> None:
    kb.tickets.build()
    kb.export(tmp_path / "kb.jsonl")
    other = SupportKB.create(tmp_path / "other")
    assert not other.import_(tmp_path / "kb.jsonl").skipped
    assert published(other) == published(kb)
    other.export(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "kb.jsonl").read_bytes()
    assert other.tickets.build().changed == 0
    asked = "pages are missing on paper"
    assert [t.id for t in other.tickets.similar(asked).tickets] == [t.id for t in kb.tickets.similar(asked).tickets]


def test_sections_of_an_export_stay_as_they_are(kb: SupportKB, tmp_path: Path) -> None:
    kb.tickets.build()
    kb.export(tmp_path / "kb.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "kb.jsonl").read_text("utf-8").split("\n") if line]
    for line in lines:
        if line["id"] == "APP-8":
            line["sections"].append({"section": "root_cause", "text": "A loop in the sync."})
    (tmp_path / "kb.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    other = SupportKB.create(tmp_path / "other")
    other.import_(tmp_path / "kb.jsonl")
    assert ("root_cause", "A loop in the sync.") in {(s.section, s.text) for s in other.tickets.show("APP-8").sections}


def test_a_file_without_tickets_that_is_taken_whole_leaves_none(kb: SupportKB, tmp_path: Path) -> None:
    kb.tickets.build()
    (tmp_path / "kb.jsonl").write_text('{"kind": "theme", "id": "t", "name": "x"}\n', encoding="utf-8")
    notes = kb.import_(tmp_path / "kb.jsonl", replace=True).notes
    assert "8 tickets" in notes[0]
    with pytest.raises(BadInputError):
        kb.tickets.overview()


@pytest.mark.parametrize(
    "line",
    [
        {"kind": "ticket", "id": "A"},
        {"kind": "ticket", "id": "A", "title": 7},
        {"kind": "ticket", "id": "A", "title": "x", "links": [{"type": "Relates"}]},
        {"kind": "ticket", "id": "A", "title": "x", "sections": [{"section": "fix"}]},
        {"kind": "setting", "id": "tickets", "weights": {"weights": {"words": "many"}}},
        {"kind": "setting", "id": "tickets", "similarity": []},
    ],
)
def test_a_malformed_line_of_tickets_is_named(tmp_path: Path, line: dict[str, object]) -> None:
    kb = SupportKB.create(tmp_path / "kb")
    good = {"kind": "ticket", "id": "B", "title": "good"}
    (tmp_path / "kb.jsonl").write_text(json.dumps(line) + "\n" + json.dumps(good) + "\n", encoding="utf-8")
    assert [s.path for s in kb.import_(tmp_path / "kb.jsonl").skipped] == ["line 1"]
    assert kb.tickets.show("B").title == "good"
