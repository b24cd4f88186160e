"""What people decide outlives builds, removals and imports, and is shown as it was decided."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.exchange.export_kb import export_kb
from autokb.exchange.import_kb import import_file
from autokb.pipeline.open_index import open_index
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from autokb.views.kinds import SolutionView
from dated_decisions import judge, write_by_hand

SOON = "2026-11-01T10:00:00+00:00"


def shown(workspace: Workspace, issue: str, solution: str) -> SolutionView:
    (found,) = [s for s in SupportKB(workspace).views.show_issue(issue).solutions if s.id == solution]
    return found


def asked(workspace: Workspace, question: str) -> str:
    return json.dumps(open_index(workspace).ask(question).as_json())


def exported(workspace: Workspace, name: str = "out.jsonl") -> list[dict[str, object]]:
    export_kb(workspace, workspace.folder / name)
    text = (workspace.folder / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def written(folder: Path, text: str) -> Path:
    (folder / "answer.md").write_text(text, encoding="utf-8")
    return folder / "answer.md"


# -- verdicts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("verb", "status"), [("reject", "rejected"), ("hide", "hidden")])
def test_what_a_person_rejected_or_hid_is_not_shown_until_that_is_taken_back(
    hand_made: Workspace, verb: str, status: str
) -> None:
    question = "the battery does not charge in the dock"
    assert "s-contacts" in asked(hand_made, question)
    kb = SupportKB(hand_made)
    done = getattr(kb.curation, verb)(["s-contacts"], author="ann")
    assert [(s.id, s.status) for s in done.solutions] == [("s-contacts", status)]
    assert 's-contacts"' not in asked(hand_made, question)
    assert shown(hand_made, "charge", "s-contacts").judged_by == "ann"
    getattr(kb.curation, verb)(["s-contacts"], undo=True)
    assert "s-contacts" in asked(hand_made, question)
    assert shown(hand_made, "charge", "s-contacts").verdict is None


def test_a_verdict_is_a_line_of_its_own_and_the_solution_s_line_has_its_status(hand_made: Workspace) -> None:
    before = exported(hand_made)
    judge(hand_made, ["s-contacts"], "reject", author="ann", now=SOON)
    lines = exported(hand_made)
    (verdict,) = [line for line in lines if line["kind"] == "verdict" and line["solution_id"] == "s-contacts"]
    assert (verdict["verdict"], verdict["author"], verdict["date"]) == ("rejected", "ann", SOON)
    assert verdict["number"] == max(int(line.get("number", 0)) for line in lines)  # type: ignore[call-overload]
    (solution,) = [line for line in lines if line["id"] == "s-contacts"]
    assert (solution["status"], solution["built_status"]) == ("rejected", "displayed")
    judge(hand_made, ["s-contacts"], "reject", undo=True)
    assert exported(hand_made) == before


def test_all_solutions_are_judged_or_none(hand_made: Workspace) -> None:
    with pytest.raises(BadInputError, match="No solution has the id 's-gone'"):
        judge(hand_made, ["s-contacts", "s-gone"], "reject")
    with pytest.raises(BadInputError, match="2 solutions have an id that starts with 's-i'"):
        judge(hand_made, ["s-contacts", "s-i"], "reject")
    with pytest.raises(BadInputError, match="withheld: It sends the customer to support"):
        judge(hand_made, ["s-contacts", "s-support"], "approve")
    with pytest.raises(BadInputError, match=r"verdict 'rejected' counts.*its status displayed is no"):
        judge(hand_made, ["s-contacts"], "reject", undo=True)
    with pytest.raises(BadInputError, match="a person approved it last"):
        judge(hand_made, ["s-ipad"], "hide", undo=True)
    assert shown(hand_made, "charge", "s-contacts").status == "displayed"


def test_the_same_verdict_twice_is_one(hand_made: Workspace) -> None:
    assert judge(hand_made, ["s-contacts", "s-contacts"], "approve").changed == 1
    assert judge(hand_made, ["s-contacts"], "approve").changed == 0


def test_an_approval_that_is_taken_back_leaves_the_rejection_before_it(hand_made: Workspace) -> None:
    judge(hand_made, ["s-contacts"], "reject")
    judge(hand_made, ["s-contacts"], "approve")
    assert shown(hand_made, "charge", "s-contacts").status == "approved"
    judge(hand_made, ["s-contacts"], "approve", undo=True)
    assert shown(hand_made, "charge", "s-contacts").status == "rejected"


def test_an_edit_after_an_approval_is_shown_unapproved_and_marked(hand_made: Workspace) -> None:
    judge(hand_made, ["s-pair"], "approve", author="ann", now=SOON)
    edited = "<!-- solution s-pair (approved) -->\nSwitch it off and on.\n<!-- end -->\n"
    (hand_made.folder / "in.md").write_text(edited, encoding="utf-8")
    import_file(hand_made, hand_made.folder / "in.md")
    now = shown(hand_made, "pair", "s-pair")
    assert (now.text, now.status) == ("Switch it off and on.", "displayed")
    assert f"changed since it was approved by ann, {SOON}" in now.reason
    judge(hand_made, ["s-pair"], "approve")
    assert shown(hand_made, "pair", "s-pair").status == "approved"


# -- solutions by hand ------------------------------------------------------------------------------------------


def test_a_solution_by_hand_is_shown_first_and_approved(hand_made: Workspace, tmp_path: Path) -> None:
    source = written(tmp_path, "# Charge it by hand\r\n\r\n1. Carry it to the dock.  \r\n2. Press *Charge*.\r\n")
    done = write_by_hand(hand_made, "charge", source, author="ann")
    assert (done.status, done.evidence) == ("approved", ())
    assert done.steps == ("Carry it to the dock.", "Press *Charge*.")
    matches = open_index(hand_made).ask("the battery does not charge in the dock").as_json()["matches"]
    (match,) = [m for m in matches if m["issue"]["id"] == "charge"]
    assert match["solutions"][0]["id"] == done.id
    assert match["solutions"][0]["evidence"] == []
    assert shown(hand_made, "charge", done.id).by_hand
    again = write_by_hand(hand_made, "charge", source)
    assert again.id == done.id
    assert len([s for s in SupportKB(hand_made).views.show_issue("charge").solutions if s.by_hand]) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\xff\xfe", "UTF-8"),
        (b"x" * 100_001, "more than 100,000 characters"),
        (b"# Help\n\nCall our support.\n", "breaks a rule of the domain. no-support: "),
    ],
)
def test_a_file_that_cannot_be_a_solution_stores_nothing(
    hand_made: Workspace, tmp_path: Path, content: bytes, reason: str
) -> None:
    before = exported(hand_made)
    (tmp_path / "answer.md").write_bytes(content)
    with pytest.raises(BadInputError, match=reason):
        write_by_hand(hand_made, "charge", tmp_path / "answer.md")
    with pytest.raises(BadInputError, match="cannot be read"):
        write_by_hand(hand_made, "charge", tmp_path / "none.md")
    with pytest.raises(BadInputError, match="No issue has the id"):
        write_by_hand(hand_made, "gone", written(tmp_path, "Do it."))
    assert exported(hand_made) == before


def test_everything_decided_comes_along_into_a_copy_byte_for_byte(hand_made: Workspace, tmp_path: Path) -> None:
    done = write_by_hand(hand_made, "charge", written(tmp_path, "Carry it."), author="ann", now=SOON)
    judge(hand_made, ["s-contacts", done.id], "hide", now=SOON)
    judge(hand_made, ["s-pair"], "approve", now=SOON)
    export_kb(hand_made, tmp_path / "one.jsonl")
    copy = create_workspace(tmp_path / "copy", "name: copy\n")
    assert import_file(copy, tmp_path / "one.jsonl").skipped == ()
    copy = open_workspace(copy.folder)
    export_kb(copy, tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert SupportKB(copy).views.show_issue("charge") == SupportKB(hand_made).views.show_issue("charge")


def test_what_steers_a_terminal_is_taken_out_of_a_solution_by_hand(hand_made: Workspace, tmp_path: Path) -> None:
    source = written(tmp_path, "# Carry\x1b]52;c;aGk=\x07 it\n\nLift\u202e it.\n")
    done = write_by_hand(hand_made, "charge", source, author="an\x9bn\udc80")
    assert done.text == "Carry ]52;c;aGk=  it\nLift  it."
    (line,) = [line for line in exported(hand_made) if line["id"] == done.id]
    assert line["by_hand"]["author"].isprintable()  # type: ignore[index]


def test_a_pattern_that_takes_too_long_lets_nothing_through(hand_made: Workspace, tmp_path: Path) -> None:
    domain = hand_made.folder / "domain.yaml"
    slow = "rules:\n  - {id: slow, text: Be quick., patterns: ['(?:\\w|\\w\\w|\\s|\\W)+[#%]{2}$']}\n"
    domain.write_text(domain.read_text(encoding="utf-8").replace("rules:\n", slow), encoding="utf-8")
    workspace = open_workspace(hand_made.folder)
    with pytest.raises(BadInputError, match=r"slow: The pattern .* takes more than"):
        write_by_hand(workspace, "charge", written(tmp_path, "Lift it and carry it. " * 20))


# -- edits are held to the rules, and stay in the order in which they were taken -----------------------------------


@pytest.mark.parametrize("suffix", [".md", ".csv", ".jsonl"])
def test_an_edit_that_breaks_a_rule_is_taken_and_not_shown(hand_made: Workspace, suffix: str) -> None:
    target = hand_made.folder / f"out{suffix}"
    export_kb(hand_made, target)
    text = target.read_bytes().decode("utf-8")
    target.write_bytes(text.replace("Dry the rain sensor well.", "Call our support.").encode("utf-8"))
    done = import_file(hand_made, target)
    assert done.taken == 1
    (named,) = [s for s in done.skipped if "not shown" in s.reason]
    assert "s-rain" in named.path and "no-support" in named.reason
    assert shown(hand_made, "rain", "s-rain").status == "withheld"
    assert "Call our support" not in asked(hand_made, "the robot stops as soon as it rains")


@pytest.mark.parametrize("suffix", [".md", ".csv", ".jsonl"])
@pytest.mark.parametrize("clock", ["1999-01-01T00:00:00+00:00", "2026-01-02", "2999-01-01T00:00:00+00:00"])
def test_the_edit_that_was_taken_last_is_shown_whatever_the_clock_says(
    hand_made: Workspace, suffix: str, clock: str
) -> None:
    before = "Dry the rain sensor well."
    for text in ("First it is dried.", "Then it is wiped.", "Alas it is shaken."):
        target = hand_made.folder / f"out{suffix}"
        export_kb(hand_made, target)
        lines = target.read_bytes().decode("utf-8")
        if suffix == ".jsonl":  # the text of the solution's own line, not of the edit's
            built = [json.loads(line) for line in lines.split("\n") if line]
            (line,) = [line for line in built if line["id"] == "s-rain"]
            line["text"], line["steps"] = text, [text]
            lines = "".join(json.dumps(line) + "\n" for line in built)
        else:
            lines = lines.replace(before, text)
        target.write_bytes(lines.encode("utf-8"))
        assert import_file(hand_made, target, now=clock).taken == 1, text
        assert text in shown(hand_made, "rain", "s-rain").text
        before = text


# -- imports ----------------------------------------------------------------------------------------------------


def test_an_old_export_undoes_nothing_and_says_what_it_did_not_take(hand_made: Workspace, tmp_path: Path) -> None:
    export_kb(hand_made, tmp_path / "old.jsonl")
    judge(hand_made, ["s-contacts"], "reject", now=SOON)
    judge(hand_made, ["s-pair"], "approve", now=SOON)
    judge(hand_made, ["s-pair"], "approve", undo=True)
    with hand_made.file() as file, file.transaction():
        everything = {(kind, i): body for kind, i, body in file.lines()}
        changed = json.loads(everything["issue", "rain"]) | {"text": "It rains"}
        everything["issue", "rain"] = json.dumps(changed)
        del everything["document", "garage.md"]
        file.publish(everything, ("issue", "document"))
    before = exported(hand_made)
    done = import_file(hand_made, tmp_path / "old.jsonl")
    assert done.taken == 0
    named = {s.path: s.reason for s in done.skipped}
    assert set(named) == {"old.jsonl: 1 issue lines (rain)", "old.jsonl: 1 document lines (garage.md)"}
    assert all("--replace takes the file whole" in reason for reason in named.values())
    assert exported(hand_made) == before


def test_an_approval_that_was_taken_back_does_not_return_with_an_old_export(
    hand_made: Workspace, tmp_path: Path
) -> None:
    judge(hand_made, ["s-pair"], "approve", now=SOON)
    export_kb(hand_made, tmp_path / "old.jsonl")
    judge(hand_made, ["s-pair"], "approve", undo=True)
    assert import_file(hand_made, tmp_path / "old.jsonl").taken == 0
    assert shown(hand_made, "pair", "s-pair").status == "displayed"


def test_decisions_of_another_workspace_are_taken_after_those_of_this_one(hand_made: Workspace, tmp_path: Path) -> None:
    export_kb(hand_made, tmp_path / "kb.jsonl")
    other = create_workspace(tmp_path / "other", "name: other\n")
    import_file(other, tmp_path / "kb.jsonl")
    other = open_workspace(other.folder)
    judge(other, ["s-contacts"], "reject", author="bob", now=SOON)
    mine = write_by_hand(other, "rain", written(tmp_path, "Use an umbrella."), now=SOON)
    judge(hand_made, ["s-contacts"], "approve", author="ann", now=SOON)
    export_kb(other, tmp_path / "theirs.jsonl")
    done = import_file(hand_made, tmp_path / "theirs.jsonl")
    assert (done.taken, done.skipped) == (2, ())
    assert shown(hand_made, "charge", "s-contacts").status == "rejected"
    assert shown(hand_made, "rain", mine.id).text == "Use an umbrella."
    assert import_file(hand_made, tmp_path / "theirs.jsonl").taken == 0


def test_replace_takes_the_file_in_place_of_everything(hand_made: Workspace, tmp_path: Path) -> None:
    export_kb(hand_made, tmp_path / "old.jsonl")
    judge(hand_made, ["s-contacts"], "reject")
    kb = SupportKB(hand_made)
    (tmp_path / "new.md").write_text("# New\n\nText.\n", encoding="utf-8")
    kb.add([tmp_path / "new.md"])
    done = kb.import_(tmp_path / "old.jsonl", replace=True)
    (note,) = done.notes
    assert "took the place of all that was here: 6 documents" in note
    assert "3 verdicts" in note
    export_kb(hand_made, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "old.jsonl").read_bytes()
    with hand_made.file() as file:
        assert {s.relative for s in file.staged("documents")} == {"old.jsonl"}
        assert "new.md" not in {s.id for s in file.staged("documents")}
    export_kb(hand_made, tmp_path / "kb.csv")
    with pytest.raises(BadInputError, match="--replace needs a JSONL export"):
        kb.import_(tmp_path / "kb.csv", replace=True)


def test_a_workspace_with_sources_alone_holds_something(tmp_path: Path, hand_made: Workspace) -> None:
    export_kb(hand_made, tmp_path / "kb.jsonl")
    (tmp_path / "new.md").write_text("# New\n\nText.\n", encoding="utf-8")
    kb = SupportKB(create_workspace(tmp_path / "other", "name: other\n"))
    kb.add([tmp_path / "new.md"])
    done = kb.import_(tmp_path / "kb.jsonl")
    assert done.taken == 3  # the edit and two verdicts, which wait for their solutions
    assert next(s.path.split(" ")[1:3] for s in done.skipped) == ["5", "document"]
    lost = kb.views.show()
    assert (len(lost.orphaned_edits), len(lost.orphaned_verdicts)) == (1, 2)


def test_a_changed_status_in_a_file_is_a_verdict_or_lifts_one(hand_made: Workspace, tmp_path: Path) -> None:
    lines = exported(hand_made)
    for line in lines:
        if line["id"] == "s-contacts":
            line |= {"status": "hidden", "reason": "Not now."}
        if line["id"] == "s-ipad":
            line["status"] = "displayed"
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "in.jsonl").write_text(text, encoding="utf-8")
    assert import_file(hand_made, tmp_path / "in.jsonl").taken == 2
    hidden = shown(hand_made, "charge", "s-contacts")
    assert (hidden.status, hidden.reason) == ("hidden", "Not now.")
    assert shown(hand_made, "pair-ipad", "s-ipad").status == "displayed"
    assert import_file(hand_made, tmp_path / "in.jsonl").taken == 0
