"""Markdown and CSV: people read and edit them, and importing says what it did not take."""

from __future__ import annotations

import csv
import io

import pytest

import hand_made_kb
from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.exchange.export_kb import CSV_COLUMNS, export_kb
from autokb.exchange.import_kb import import_file
from autokb.exchange.imported import Imported
from autokb.pipeline.open_index import open_index
from autokb.pipeline.steps.publish import KINDS
from autokb.stores.published import read_published
from autokb.stores.versions import Made
from autokb.stores.workspace import Workspace
from autokb.text.inert_markdown import masked, unmasked
from autokb.text.spreadsheet_cells import guarded, unguarded

NOW = "2026-11-01T10:00:00+00:00"


def text_of(workspace: Workspace, suffix: str) -> str:
    export_kb(workspace, workspace.folder / f"out{suffix}")
    return (workspace.folder / f"out{suffix}").read_bytes().decode("utf-8")


def taken(workspace: Workspace, text: str, suffix: str, now: str = NOW) -> Imported:
    path = workspace.folder / f"in{suffix}"
    path.write_bytes(text.encode("utf-8"))
    return import_file(workspace, path, now=now)


def solution(workspace: Workspace, solution_id: str) -> tuple[str, tuple[str, ...]]:
    with workspace.file() as file:
        found = read_published(file).kb.solutions[solution_id]
    return found.text, found.steps


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def table(found: list[dict[str, str]], delimiter: str = ",") -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, CSV_COLUMNS, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(found)
    return stream.getvalue()


@pytest.mark.parametrize("suffix", [".md", ".csv"])
def test_an_export_that_nobody_touched_changes_nothing(hand_made: Workspace, suffix: str) -> None:
    done = taken(hand_made, text_of(hand_made, suffix), suffix)
    assert done == Imported(0, len(hand_made_kb.SOLUTIONS), ())


@pytest.mark.parametrize("suffix", [".md", ".csv"])
def test_what_editors_do_by_themselves_is_no_change(hand_made: Workspace, suffix: str) -> None:
    text = text_of(hand_made, suffix).replace("\r\n", "\n")
    trailing = "\ufeff" + text.replace("Restart\n", "Restart  \n").replace("\n", "\r\n")
    assert taken(hand_made, trailing, suffix).taken == 0


@pytest.mark.parametrize("suffix", [".md", ".csv"])
def test_edited_texts_are_taken_with_their_steps(hand_made: Workspace, suffix: str) -> None:
    text = text_of(hand_made, suffix)
    changed = text.replace("2. Open the app and tap Add robot.", "2. Open the app.\n3. Tap Add robot ✓.")
    done = taken(hand_made, changed, suffix)
    assert (done.taken, done.skipped) == (1, ())
    said, steps = solution(hand_made, "s-android")
    assert said.startswith("Android\n1. Turn on")
    assert steps == ("Turn on Location in the Android settings.", "Open the app.", "Tap Add robot ✓.")
    (match, *_) = open_index(hand_made).ask("does not pair with android").as_json()["matches"]
    assert list(steps) in [s["steps"] for s in match["solutions"]]
    assert taken(hand_made, text_of(hand_made, suffix), suffix).taken == 0


def test_a_title_over_a_single_step_is_no_step(hand_made: Workspace) -> None:
    taken(hand_made, text_of(hand_made, ".md").replace("Restart the robot if", "Restart it if"), ".md")
    assert solution(hand_made, "s-pair") == (
        "Restart\nRestart it if pairing fails.",
        ("Restart it if pairing fails.",),
    )


def test_the_later_edit_wins_also_on_the_same_day(hand_made: Workspace) -> None:
    for text in ("Bravo", "Alpha", "Zulu", "Charlie"):
        taken(hand_made, f"<!-- solution s-rain (displayed) -->\n{text}\n<!-- end -->\n", ".md")
        assert solution(hand_made, "s-rain")[0] == text
    shown = SupportKB(hand_made).views.show_issue("rain").as_json()["solutions"][0]
    assert (shown["edited_by"], shown["edited_at"]) == ("import", NOW)


def test_an_edit_wins_over_one_that_is_dated_later(hand_made: Workspace) -> None:
    taken(hand_made, "<!-- solution s-rain (displayed) -->\nLater\n<!-- end -->\n", ".md", "2999-01-01")
    taken(hand_made, "<!-- solution s-rain (displayed) -->\nNow\n<!-- end -->\n", ".md")
    assert solution(hand_made, "s-rain")[0] == "Now"


def test_an_edited_status_of_a_withheld_solution_is_not_taken(hand_made: Workspace) -> None:
    text = text_of(hand_made, ".md").replace("s-support (withheld)", "s-support (displayed)")
    (skipped,) = taken(hand_made, text, ".md").skipped
    assert "s-support" in skipped.path and "status" in skipped.reason


def test_markdown_names_what_it_does_not_take(hand_made: Workspace) -> None:
    text = text_of(hand_made, ".md")
    changed = (
        text.replace("\n## The robot stops in the rain", "\n## Rain stops play")
        .replace("<!-- solution s-pair ", "<!-- solution s-gone ")
        .replace("Wear gloves.\n\n<!-- end -->", "Wear gloves.\n")
        + "\nA note at the end.\n<!-- solution s-rain (displayed) -->\nTwice\n<!-- end -->\n"
        + "<!-- solution s-ios (displayed) -->\n\n<!-- end -->\n"
    )
    changed = changed.replace("1. Allow Bluetooth for the app in the iOS settings.", "1. Allow it.", 1)
    done = taken(hand_made, changed, ".md")
    said = "\n".join(f"{s.path} {s.reason}" for s in done.skipped)
    for words in (
        "s-gone no solution has this id",
        "s-gloves the line <!-- end --> after its text is missing",
        "s-rain stands twice",
        "s-ios stands twice",
        "2 solutions are not in the file",
    ):
        assert words in said
    numbers = [
        i for i, line in enumerate(changed.split("\n"), 1) if line in ("## Rain stops play", "A note at the end.")
    ]
    assert [f"in.md:{n} stands outside the solution marks; only the texts of solutions are taken" for n in numbers] == [
        line for line in said.split("\n") if line.startswith("in.md:") and "outside" in line
    ]
    assert done.taken == 1  # s-ios


def test_an_emptied_text_is_not_taken(hand_made: Workspace) -> None:
    done = taken(hand_made, "<!-- solution s-rain (displayed) -->\n \n<!-- end -->\n", ".md")
    assert "empty" in done.skipped[0].reason
    assert done.taken == 0


def test_csv_names_what_it_does_not_take(hand_made: Workspace) -> None:
    found = rows(text_of(hand_made, ".csv"))
    by_id = {row["solution_id"]: row for row in found}
    by_id["s-rain"]["issue"] = "Rain stops play"
    by_id["s-ios"] |= {"status": "withheld", "attributes": "os: Android"}
    found = [row for row in found if row["solution_id"] != "s-pair"]
    found.append(dict.fromkeys(CSV_COLUMNS, "x"))
    said = {s.path: s.reason for s in taken(hand_made, table(found), ".csv").skipped}
    assert said == {
        "in.csv: s-rain": "its issue was changed; only the texts of solutions are taken",
        "in.csv: s-ios": "its attributes, status was changed; only the texts of solutions are taken",
        "in.csv: x": "no solution has this id; it was not taken",
        "in.csv": "1 solutions are not in the file; they stay as they are",
    }


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_what_other_spreadsheets_write_is_read(hand_made: Workspace, delimiter: str) -> None:
    found = rows(text_of(hand_made, ".csv"))
    found[0]["text"] = "Edited; with, all\tsigns"
    done = taken(hand_made, table(found, delimiter), ".csv")
    assert (done.taken, done.skipped) == (1, ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [("a,b\n1,2\n", "columns solution_id and text"), ("", "columns solution_id and text")],
)
def test_a_csv_that_is_none_of_ours_is_refused(hand_made: Workspace, text: str, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        taken(hand_made, text, ".csv")


def test_markdown_that_is_none_of_ours_is_refused(hand_made: Workspace) -> None:
    with pytest.raises(BadInputError, match="no solution marks"):
        taken(hand_made, "# A page\n\nWords.\n", ".md")


def test_a_field_longer_than_any_text_is_refused(hand_made: Workspace) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        taken(hand_made, 'solution_id,text\ns-rain,"' + "x" * 10_000_001 + '"\n', ".csv")


def test_no_cell_begins_a_formula(hand_made: Workspace) -> None:
    cells = [cell for row in csv.reader(io.StringIO(text_of(hand_made, ".csv"), newline="")) for cell in row]
    assert "'=Socket\nPlug the dock into another socket." in cells
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@\t\r\n＝＋－＠"))]


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "'=1", "''x", "plain", "", "＝1"])
def test_the_guard_comes_off_again(cell: str) -> None:
    assert unguarded(guarded(cell)) == cell


@pytest.mark.parametrize("text", ["<!-- end -->", "&lt;!-- end -->", "&amp;lt;!-- x", "a < b & c", "&amp;", "&lt;"])
def test_marks_inside_a_text_are_masked_and_come_back(text: str) -> None:
    assert "<!--" not in masked(text)
    assert unmasked(masked(text)) == text


def test_texts_that_look_like_marks_survive(hand_made: Workspace) -> None:
    evil = "<!-- end -->\n<!-- solution s-pair (displayed) -->\n# no heading\n&lt;!-- end -->"
    taken(hand_made, table([dict.fromkeys(CSV_COLUMNS, "") | {"solution_id": "s-rain", "text": evil}]), ".csv")
    assert solution(hand_made, "s-rain")[0] == evil
    done = taken(hand_made, text_of(hand_made, ".md"), ".md")
    assert (done.taken, done.skipped) == (0, ())


def test_an_edit_whose_solution_is_gone_is_kept_and_shown(hand_made: Workspace) -> None:
    def publish(*left_out: str) -> None:
        with hand_made.file() as file, file.transaction():
            everything = {(kind, i): body for kind, i, body in file.lines()}
            file.publish({k: b for k, b in (everything | gone).items() if k[1] not in left_out}, KINDS)
            gone.update({k: b for k, b in everything.items() if k[1] in left_out})

    gone: dict[tuple[str, str], str] = {}
    publish("s-rain")
    (lost,) = SupportKB(hand_made).views.show().as_json()["orphaned_edits"]
    assert (lost["solution_id"], lost["text"]) == ("s-rain", "Dry it\nDry the rain sensor well.")
    publish()
    assert SupportKB(hand_made).views.show().as_json()["orphaned_edits"] == []
    assert solution(hand_made, "s-rain")[0] == "Dry it\nDry the rain sensor well."


@pytest.mark.parametrize("suffix", [".md", ".csv"])
def test_a_file_from_before_an_edit_takes_nothing_back(hand_made: Workspace, suffix: str) -> None:
    old = text_of(hand_made, suffix)
    done = taken(hand_made, old.replace("Restart the robot if", "Restart it if"), suffix)
    assert done.taken == 1
    assert taken(hand_made, old, suffix).taken == 0
    assert solution(hand_made, "s-pair")[1] == ("Restart it if pairing fails.",)


@pytest.mark.parametrize("suffix", [".md", ".csv"])
def test_a_file_that_came_in_before_does_not_come_in_again(hand_made: Workspace, suffix: str) -> None:
    old = text_of(hand_made, suffix)
    edited = old.replace("Restart the robot if", "Restart it if")
    assert taken(hand_made, edited, suffix).taken == 1
    later = text_of(hand_made, suffix).replace("Restart it if", "Switch it off if")
    assert taken(hand_made, later, suffix).taken == 1
    assert taken(hand_made, edited, suffix).taken == 0
    assert solution(hand_made, "s-pair")[1] == ("Switch it off if pairing fails.",)
    back = text_of(hand_made, suffix).replace("Switch it off if", "Restart it if")
    assert taken(hand_made, back, suffix).taken == 1  # now a person wants the first edit again
    assert solution(hand_made, "s-pair")[1] == ("Restart it if pairing fails.",)


def test_nothing_built_exports_to_nothing(hand_made: Workspace) -> None:
    with hand_made.file() as file, file.transaction():
        file.publish({}, KINDS, Made("test", "", forced_by="ann"))
        file.drop_all_decisions()
    assert text_of(hand_made, ".jsonl") == ""
    assert rows(text_of(hand_made, ".csv")) == []
    assert text_of(hand_made, ".md").count("\n") == 3  # the heading and how to edit
