"""Files that people edited by hand, exported again, mixed up and imported twice tell what they decided and no more."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.core.decisions import new_edit, origin_of
from autokb.core.errors import BadInputError
from autokb.core.nouns import Decision
from autokb.exchange.export_kb import export_kb
from autokb.exchange.import_kb import import_file
from autokb.exchange.imported import Imported
from autokb.pipeline.steps.publish import KINDS
from autokb.stores.codecs import decision_body
from autokb.stores.published import read_published
from autokb.stores.versions import Made
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from autokb.views.kinds import SolutionView
from dated_decisions import judge, write_by_hand
from work_count import python_lines

NOW = "2026-11-01T10:00:00+00:00"
FORCED = Made("test", "", forced_by="ann")  # readers lose more than half
MARKED = r"(<!-- solution {} \(\w+\) \w+ -->\n\n).*?(\n\n<!-- end -->)"
Line = dict[str, Any]


def shown(workspace: Workspace, solution: str) -> SolutionView:
    with workspace.file() as file:
        issue = read_published(file).kb.solutions[solution].issue_id
    (found,) = [s for s in SupportKB(workspace).views.show_issue(issue).solutions if s.id == solution]
    return found


def exported(workspace: Workspace, suffix: str = ".jsonl") -> str:
    export_kb(workspace, workspace.folder / f"out{suffix}")
    return (workspace.folder / f"out{suffix}").read_bytes().decode("utf-8")


def lines_of(text: str) -> list[Line]:
    return [json.loads(line) for line in text.split("\n") if line]


def imported(workspace: Workspace, text: str, suffix: str = ".jsonl", now: str = NOW) -> Imported:
    path = workspace.folder / f"in{suffix}"
    path.write_bytes(text.encode("utf-8"))
    return import_file(workspace, path, now=now)


def with_lines(text: str, change: Callable[[Line], object], record_id: str) -> str:
    """Return an export in which one line was changed."""
    lines = lines_of(text)
    (line,) = [line for line in lines if line["id"] == record_id]
    change(line)
    return "".join(json.dumps(line) + "\n" for line in lines)


def with_text(text: str, suffix: str, solution: str, new: str) -> str:
    """Return an export in which a person edited one solution's text."""
    if suffix == ".md":
        return re.sub(MARKED.format(solution), rf"\g<1>{new}\g<2>", text, flags=re.DOTALL)
    if suffix == ".jsonl":
        return with_lines(text, lambda line: line.update(text=new, steps=[new]), solution)
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows[0])
    writer.writeheader()
    writer.writerows(row | ({"text": new} if row["solution_id"] == solution else {}) for row in rows)
    return stream.getvalue()


def copy_of(workspace: Workspace, folder: Path) -> Workspace:
    """Return a workspace that took an export whole."""
    exported(workspace)
    copy = create_workspace(folder, "name: copy\n")
    import_file(copy, workspace.folder / "out.jsonl")
    return open_workspace(folder)


# -- the same file again, and the same text again ----------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".md", ".csv", ".jsonl"])
def test_a_text_that_goes_back_and_forth_is_taken_each_time(hand_made: Workspace, suffix: str) -> None:
    for text in ("Dry it.", "Wipe it.", "Dry it.", "Wipe it."):
        assert imported(hand_made, with_text(exported(hand_made, suffix), suffix, "s-rain", text), suffix).taken == 1
        assert shown(hand_made, "s-rain").text == text
    edits = [line["text"] for line in lines_of(exported(hand_made)) if line["kind"] == "edit"]
    assert sorted(edits)[1:] == ["Dry it.", "Dry it.", "Wipe it.", "Wipe it."]


@pytest.mark.parametrize("suffix", [".md", ".csv", ".jsonl"])
def test_an_edited_file_that_is_imported_again_undoes_nothing(hand_made: Workspace, suffix: str) -> None:
    first = with_text(exported(hand_made, suffix), suffix, "s-rain", "Dry it.")
    assert imported(hand_made, first, suffix).taken == 1
    assert imported(hand_made, first, suffix, "2027-01-01").taken == 0
    second = with_text(exported(hand_made, suffix), suffix, "s-rain", "Wipe it.")
    assert imported(hand_made, second, suffix).taken == 1
    for again in (first, second):
        assert imported(hand_made, again, suffix, "2027-01-02").taken == 0
        assert shown(hand_made, "s-rain").text == "Wipe it."


def test_verdicts_of_one_second_are_records_of_their_own(hand_made: Workspace) -> None:
    for verb in ("approve", "reject", "approve"):
        judge(hand_made, ["s-contacts"], verb, now=NOW)  # type: ignore[arg-type]
    assert shown(hand_made, "s-contacts").status == "approved"
    for verb, left in (("approve", "rejected"), ("reject", "approved"), ("approve", "displayed")):
        judge(hand_made, ["s-contacts"], verb, undo=True)  # type: ignore[arg-type]
        assert shown(hand_made, "s-contacts").status == left


def test_one_edited_file_in_two_workspaces_is_one_edit_when_they_are_merged(
    hand_made: Workspace, tmp_path: Path
) -> None:
    other = copy_of(hand_made, tmp_path / "other")
    edited = with_text(exported(hand_made, ".md"), ".md", "s-rain", "Dry it.")
    for workspace, now in ((hand_made, NOW), (other, "2027-01-01")):
        judge(workspace, ["s-contacts"], "reject", now=now)
        assert imported(workspace, edited, ".md", now).taken == 1
    assert imported(hand_made, exported(other)).taken == 1  # the other's rejection, which is somebody else's decision
    assert exported(hand_made).count('"Dry it."') == 1


def test_all_edits_of_another_workspace_are_taken_although_their_texts_come_again(
    hand_made: Workspace, tmp_path: Path
) -> None:
    other = copy_of(hand_made, tmp_path / "other")
    for text in ("Dry it.", "Wipe it.", "Dry it.", "Wipe it."):
        imported(other, with_text(exported(other, ".md"), ".md", "s-rain", text), ".md")
    imported(hand_made, with_text(exported(hand_made, ".md"), ".md", "s-contacts", "Wipe it."), ".md")
    assert imported(hand_made, exported(other)).taken == 4
    assert shown(hand_made, "s-rain").text == "Wipe it."
    assert imported(hand_made, exported(other)).taken == 0


def test_an_edit_is_taken_also_where_the_text_is_built_like_that(hand_made: Workspace, tmp_path: Path) -> None:
    other = copy_of(hand_made, tmp_path / "other")
    imported(other, with_text(exported(other, ".md"), ".md", "s-rain", "Dry it.\nDry the rain sensor well."), ".md")
    with hand_made.file() as file, file.transaction():
        records = {(kind, i): body for kind, i, body in file.lines()}
        body = json.loads(records["solution", "s-rain"]) | {"text": "Dry it.", "steps": ["Dry the rain sensor well."]}
        file.publish({**records, ("solution", "s-rain"): json.dumps(body)}, KINDS)
    theirs = lines_of(exported(other))
    imported(hand_made, "".join(json.dumps(line) + "\n" for line in theirs))
    ours = {line["id"] for line in lines_of(exported(hand_made))}
    assert {line["id"] for line in theirs if line["kind"] == "edit"} <= ours


# -- texts in JSONL ---------------------------------------------------------------------------------------------


def test_an_approved_solution_is_not_approved_in_other_words_by_a_changed_line(hand_made: Workspace) -> None:
    judge(hand_made, ["s-rain"], "approve", author="ann", now=NOW)
    edited = with_text(exported(hand_made), ".jsonl", "s-rain", "Shake it.")
    for taken in (1, 0):
        assert imported(hand_made, edited).taken == taken
        assert (shown(hand_made, "s-rain").text, shown(hand_made, "s-rain").status) == ("Shake it.", "displayed")


def test_a_text_and_its_approval_can_be_changed_in_one_line(hand_made: Workspace) -> None:
    def change(line: Line) -> None:
        line.update(text="Shake it.", steps=["Shake it."], status="approved")

    assert imported(hand_made, with_lines(exported(hand_made), change, "s-rain")).taken == 2
    assert (shown(hand_made, "s-rain").text, shown(hand_made, "s-rain").status) == ("Shake it.", "approved")


def test_a_text_and_its_approval_in_an_older_file_are_both_taken_where_the_text_before_was_approved(
    hand_made: Workspace,
) -> None:
    old = exported(hand_made)
    judge(hand_made, ["s-contacts"], "approve", now=NOW)
    changed = with_lines(
        old, lambda line: line.update(text="Shake it.", steps=["Shake it."], status="approved"), "s-contacts"
    )
    for taken in (2, 0):
        assert imported(hand_made, changed).taken == taken
        assert (shown(hand_made, "s-contacts").text, shown(hand_made, "s-contacts").status) == ("Shake it.", "approved")


def test_steps_that_were_changed_alone_are_shown_and_so_is_a_text(hand_made: Workspace) -> None:
    steps = ["Allow Bluetooth.", "Tap Join."]
    assert imported(hand_made, with_lines(exported(hand_made), lambda s: s.update(steps=steps), "s-ios")).taken == 1
    text = "Pair the robot with the app\n1. Allow Bluetooth.\n2. Tap Join."
    assert (shown(hand_made, "s-ios").text, shown(hand_made, "s-ios").steps) == (text, tuple(steps))
    assert imported(hand_made, with_lines(exported(hand_made), lambda s: s.update(text="1. Dry it."), "s-rain")).taken
    assert (shown(hand_made, "s-rain").text, shown(hand_made, "s-rain").steps) == ("1. Dry it.", ("Dry it.",))


def test_an_edit_s_line_that_was_changed_is_a_new_edit(hand_made: Workspace) -> None:
    imported(hand_made, with_text(exported(hand_made, ".md"), ".md", "s-rain", "Dry it."), ".md")
    first = exported(hand_made)
    (edit,) = [line["id"] for line in lines_of(first) if line.get("text") == "Dry it."]
    changed = with_lines(first, lambda line: line.update(text="Wipe it."), edit)
    for taken in (1, 0):
        assert imported(hand_made, changed).taken == taken
        assert shown(hand_made, "s-rain").text == "Wipe it."
    assert imported(hand_made, first).taken == 0
    assert shown(hand_made, "s-rain").text == "Wipe it."


def test_an_edit_knows_in_another_workspace_too_what_it_was_made_of(hand_made: Workspace, tmp_path: Path) -> None:
    other = copy_of(hand_made, tmp_path / "other")
    imported(hand_made, with_text(exported(hand_made), ".jsonl", "s-rain", "Dry it."))
    with other.file() as file, file.transaction():
        records = {(kind, i): body for kind, i, body in file.lines()}
        body = json.loads(records["solution", "s-rain"]) | {"text": "New", "steps": ["New"]}
        file.publish({**records, ("solution", "s-rain"): json.dumps(body)}, KINDS)
    imported(other, exported(hand_made))
    assert shown(other, "s-rain").text == "Dry it."
    assert shown(other, "s-rain").source_changed


def test_steps_that_were_changed_alone_are_shown_where_the_file_is_taken_whole(
    hand_made: Workspace, tmp_path: Path
) -> None:
    edited = with_lines(exported(hand_made), lambda line: line.update(steps=["Wipe it.", "Dry it."]), "s-contacts")
    (tmp_path / "edited.jsonl").write_text(edited, encoding="utf-8")
    copy = create_workspace(tmp_path / "copy", "name: copy\n")
    import_file(copy, tmp_path / "edited.jsonl", now=NOW)
    assert shown(open_workspace(copy.folder), "s-contacts").text == "Clean the contacts\n1. Wipe it.\n2. Dry it."


def test_an_export_of_a_file_that_was_edited_by_hand_and_taken_whole_tells_no_edit_again(
    hand_made: Workspace, tmp_path: Path
) -> None:
    edited = with_text(exported(hand_made), ".jsonl", "s-rain", "Dry it.")
    (tmp_path / "edited.jsonl").write_text(edited, encoding="utf-8")
    copy = create_workspace(tmp_path / "copy", "name: copy\n")
    import_file(copy, tmp_path / "edited.jsonl", now=NOW)
    copy = open_workspace(copy.folder)
    before = exported(copy)
    assert imported(copy, before).taken == 0
    assert exported(copy) == before
    # ... and the edit is found by what was built, which the next build may put on another node
    (edit,) = [line for line in lines_of(before) if line["kind"] == "edit" and line["text"] == "Dry it."]
    (built,) = [line for line in lines_of(exported(hand_made)) if line["id"] == "s-rain"]
    assert edit["origin"]["built"] == edit["built"] == built["built"]


# -- statuses and verdicts in JSONL -----------------------------------------------------------------------------


def test_a_verdict_s_line_that_was_changed_is_a_new_verdict(hand_made: Workspace) -> None:
    judge(hand_made, ["s-contacts"], "reject", author="ann", now=NOW)
    first = exported(hand_made)
    (verdict,) = [x["id"] for x in lines_of(first) if x["kind"] == "verdict" and x["solution_id"] == "s-contacts"]
    changed = with_lines(first, lambda line: line.update(verdict="hidden"), verdict)
    for taken in (1, 0):
        assert imported(hand_made, changed).taken == taken
        assert shown(hand_made, "s-contacts").status == "hidden"
    judge(hand_made, ["s-contacts"], "hide", undo=True)
    assert shown(hand_made, "s-contacts").status == "rejected"
    assert imported(hand_made, first).taken == 0


def test_displayed_in_a_file_lifts_all_verdicts_that_it_knows(hand_made: Workspace) -> None:
    judge(hand_made, ["s-contacts"], "reject", now=NOW)
    judge(hand_made, ["s-contacts"], "approve", now=NOW)
    changed = with_lines(exported(hand_made), lambda line: line.update(status="displayed"), "s-contacts")
    assert imported(hand_made, changed).taken == 2
    assert shown(hand_made, "s-contacts").status == "displayed"


def test_a_status_that_goes_back_and_forth_is_taken_each_time(hand_made: Workspace) -> None:
    for status in ("rejected", "hidden", "rejected", "hidden"):
        text = with_lines(exported(hand_made), lambda line, s=status: line.update(status=s), "s-contacts")  # type: ignore[misc]
        assert imported(hand_made, text).taken == 1
        assert shown(hand_made, "s-contacts").status == status
    assert imported(hand_made, text).taken == 0


def test_an_export_of_an_earlier_version_undoes_no_later_verdict(hand_made: Workspace) -> None:
    lines = [line for line in lines_of(exported(hand_made)) if line["kind"] != "verdict"]
    for line in lines:  # where an approval was a status and nothing else
        line.pop("built_status", None)
    old = "".join(json.dumps(line) + "\n" for line in lines)
    judge(hand_made, ["s-ipad"], "reject", now=NOW)
    assert imported(hand_made, old).taken == 0
    assert shown(hand_made, "s-ipad").status == "rejected"


def test_a_verdict_may_have_the_id_of_an_edit(hand_made: Workspace) -> None:
    (edit,) = [line for line in lines_of(exported(hand_made)) if line["kind"] == "edit"]
    verdict = {"kind": "verdict", "id": edit["id"], "solution_id": "s-rain", "verdict": "hidden"}
    hidden = with_lines(
        exported(hand_made), lambda line: line.update(status="hidden", built_status="displayed"), "s-rain"
    )
    text = hidden + json.dumps(verdict) + "\n"
    for taken in (1, 0):
        assert imported(hand_made, text).taken == taken
        assert shown(hand_made, "s-rain").status == "hidden"


def test_a_verdict_of_a_file_that_was_taken_back_stays_so_and_is_named(hand_made: Workspace) -> None:
    changed = with_lines(exported(hand_made), lambda line: line.update(status="hidden"), "s-contacts")
    assert imported(hand_made, changed).taken == 1
    judge(hand_made, ["s-contacts"], "hide", undo=True)
    done = imported(hand_made, changed)
    assert done.taken == 0
    (named,) = [s for s in done.skipped if "s-contacts" in s.path]
    assert "was taken back" in named.reason and "autokb hide" in named.reason
    assert shown(hand_made, "s-contacts").status == "displayed"


# -- numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [-1, 10**15 + 1, 1.5, "7", True])
def test_a_line_whose_number_is_none_is_named(hand_made: Workspace, number: object) -> None:
    (edit,) = [line["id"] for line in lines_of(exported(hand_made)) if line["kind"] == "edit"]
    lines = [line if line["id"] != edit else line | {"number": number} for line in lines_of(exported(hand_made))]
    done = imported(hand_made, "".join(json.dumps(line) + "\n" for line in lines))
    assert done.taken == 0
    assert [s.reason for s in done.skipped] == [f"edit {edit!r}: number must be a whole number, not below 0"]


def test_the_largest_number_that_is_taken_leaves_room_for_later_ones(hand_made: Workspace, tmp_path: Path) -> None:
    (edit,) = [line["id"] for line in lines_of(exported(hand_made)) if line["kind"] == "edit"]
    text = with_lines(exported(hand_made), lambda line: line.update(number=10**15), edit)
    (tmp_path / "huge.jsonl").write_text(text, encoding="utf-8")
    copy = create_workspace(tmp_path / "copy", "name: copy\n")
    assert import_file(copy, tmp_path / "huge.jsonl").skipped == ()
    copy = open_workspace(copy.folder)
    judge(copy, ["s-contacts"], "reject", now=NOW)
    again = copy_of(copy, tmp_path / "again")
    assert shown(again, "s-contacts").status == "rejected"
    assert exported(again) == exported(copy)


def test_a_number_that_stands_twice_loses_no_decision(hand_made: Workspace, tmp_path: Path) -> None:
    judge(hand_made, ["s-contacts", "s-rain"], "reject", now=NOW)
    lines = [line | ({"number": 1} if "number" in line else {}) for line in lines_of(exported(hand_made))]
    (tmp_path / "one.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    copy = create_workspace(tmp_path / "copy", "name: copy\n")
    import_file(copy, tmp_path / "one.jsonl")
    found = [line for line in lines_of(exported(open_workspace(copy.folder))) if "number" in line]
    assert sorted(line["number"] for line in found) == list(range(1, len(found) + 1))
    assert len(found) == sum("number" in line for line in lines)


# -- what has no solution any more --------------------------------------------------------------------------------


def test_orphans_come_along_byte_for_byte(hand_made: Workspace, tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text("Use an umbrella.", encoding="utf-8")
    mine = write_by_hand(hand_made, "rain", tmp_path / "answer.md", now=NOW)
    judge(hand_made, ["s-noapp", mine.id], "hide", now=NOW)
    imported(hand_made, with_text(exported(hand_made, ".md"), ".md", "s-rain", "Dry it."), ".md")
    imported(hand_made, with_text(exported(hand_made, ".csv"), ".csv", mine.id, "Use two umbrellas."), ".csv")
    with hand_made.file() as file, file.transaction():
        file.publish({(kind, i): body for kind, i, body in file.lines() if "rain" not in i + body}, KINDS, FORCED)
    lost = SupportKB(hand_made).views.show()
    assert (len(lost.orphaned_edits), len(lost.orphaned_verdicts)) == (1, 1)
    assert shown(hand_made, mine.id).status == "hidden"  # on a node of its own, with all that was decided on it
    copy = copy_of(hand_made, tmp_path / "copy")
    assert exported(copy) == exported(hand_made)
    assert SupportKB(copy).views.show().orphaned_edits == lost.orphaned_edits


def test_an_edited_solution_by_hand_waits_for_its_issue(hand_made: Workspace, tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text("Use an umbrella.", encoding="utf-8")
    mine = write_by_hand(hand_made, "rain-noapp", tmp_path / "answer.md", now=NOW)
    imported(hand_made, with_text(exported(hand_made), ".jsonl", mine.id, "Use two umbrellas."))
    judge(hand_made, [mine.id], "approve", now=NOW)
    with hand_made.file() as file, file.transaction():
        everything = {(kind, i): body for kind, i, body in file.lines()}
        file.publish({k: v for k, v in everything.items() if k[0] not in ("issue", "solution")}, KINDS, FORCED)
    assert shown(hand_made, mine.id).text == "Use two umbrellas."  # on a node of its own
    assert imported(hand_made, exported(hand_made)).taken == 0
    with hand_made.file() as file, file.transaction():
        file.publish(everything, KINDS)
    back = shown(hand_made, mine.id)
    assert (back.text, back.status, back.by_hand) == ("Use two umbrellas.", "approved", True)


def test_an_edit_that_is_not_offered_cannot_be_approved(hand_made: Workspace) -> None:
    (edit,) = [line["id"] for line in lines_of(exported(hand_made)) if line["kind"] == "edit"]
    with pytest.raises(BadInputError, match="No solution has the id"):
        judge(hand_made, [edit], "approve")  # its solution is there


# -- many ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("work", ["show", "import jsonl", "import md", "approve"])
def test_the_work_grows_with_the_decisions_and_not_with_their_square(
    hand_made: Workspace, tmp_path: Path, work: str
) -> None:
    with hand_made.file() as file:
        published = read_published(file)
    pair = published.decided.base["s-pair"]
    gone = replace(origin_of(pair, "pair"), built="0" * 16, tree="gone")

    def lost(n: int) -> Decision:
        edit = new_edit(f"s-gone-{n}", f"Text {n}", (), "", NOW, origin=gone, based_on=f"{n:016}")
        return replace(edit, number=n + 100)

    def keep(first: int, last: int) -> None:
        with hand_made.file() as file, file.transaction():
            file.keep_decisions("edit", {e.id: decision_body(e) for e in map(lost, range(first, last))})

    def act() -> None:
        if work == "show":
            assert SupportKB(hand_made).views.show().orphaned_edits[-1].offered_for
        elif work == "approve":
            with pytest.raises(BadInputError, match="No solution has the id"):
                judge(hand_made, [lost(0).id, lost(1).id, "no such"], "approve")
        else:
            suffix = f".{work.split()[1]}"
            import_file(hand_made, tmp_path / f"edited{suffix}", now=NOW)

    def copy_with(count: int) -> None:
        text = exported(hand_made)
        new = ({**decision_body(replace(lost(n), text="x")), "kind": "edit", "id": f"e{n}"} for n in range(count))
        (tmp_path / "edited.jsonl").write_text(text + "".join(json.dumps(x) + "\n" for x in new), encoding="utf-8")
        (tmp_path / "edited.md").write_text(exported(hand_made, ".md"), encoding="utf-8")

    counted = []
    for first, last in ((0, 100), (100, 400)):
        keep(first, last)
        copy_with(last)
        counted.append(python_lines(act))
    assert counted[1] < 5 * counted[0]  # four times as many decisions
