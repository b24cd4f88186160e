"""A solution's text is edited, taken back, approved by two people, reviewed, and its history told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.domain import read_domain
from autokb.core.errors import BadInputError, ChangedMeanwhileError, UnknownIdError
from autokb.core.ids import canonical_json
from autokb.core.in_use import LoggedQuestion
from autokb.exchange.export_kb import export_kb
from autokb.exchange.import_kb import import_file
from autokb.stores.question_log import keep_questions
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from dated_decisions import edit, judge, undo

SOON = "2026-11-01T10:00:00+00:00"


def needs_two(workspace: Workspace) -> SupportKB:
    """Publish that two people must approve a text, as a build does."""
    with workspace.file() as file, file.transaction():
        settings = {("setting", name): canonical_json(body) for name, body in file.records("setting")}
        file.publish({**settings, ("setting", "review"): '{"approvals":2}'}, ["setting"])
    return SupportKB(workspace)


# -- edits ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "text", "steps"),
    [
        ({"text": "Switch it off and on."}, "Switch it off and on.", ("Switch it off and on.",)),
        ({"text": "Restart\r\n1. Off. \r\n2) On.\r\n"}, "Restart\n1. Off.\n2) On.", ("Off.", "On.")),
        ({"text": "Restart\nOff.\nOn."}, "Restart\nOff.\nOn.", ("Off.", "On.")),
        ({"steps": ["1. Off.", " - On. ", ""]}, "Restart\n1. Off.\n2. On.", ("Off.", "On.")),
        ({"steps": ["Off.\nwait", "On."]}, "Restart\n1. Off.\n   wait\n2. On.", ("Off.\nwait", "On.")),
        ({"steps": ["1. Do:\n- a\n- b", "On."]}, "Restart\n1. Do:\n   - a\n   - b\n2. On.", ("Do:\n- a\n- b", "On.")),
        ({"steps": ["Off.\n2. Wait.", "On."]}, "Restart\n1. Off.\n2. Wait.\n3. On.", ("Off.", "Wait.", "On.")),
        ({"text": "Of\x1b[31mf\u202e \ud800"}, "Of [31mf  \ufffd", ("Of [31mf  \ufffd",)),
    ],
)
def test_text_and_steps_say_the_same(hand_made: Workspace, given: dict, text: str, steps: tuple[str, ...]) -> None:  # type: ignore[type-arg]
    done = edit(hand_made, "s-pair", author="ann", now=SOON, **given)
    assert (done.text, done.steps, done.changed, done.edited_by, done.edited_at) == (text, steps, 1, "ann", SOON)
    shown = SupportKB(hand_made).views.solution("s-pair")
    assert (shown.text, shown.steps, shown.version) == (text, steps, done.version)
    assert (shown.edited_by, shown.edited_at, shown.source_changed) == ("ann", SOON, False)
    assert edit(hand_made, "s-pair", text=text).changed == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "one of them"),
        ({"text": " \n", "steps": ["", " "]}, "one of them"),
        ({"text": "Off.", "steps": ["Off."]}, "one of them"),
        ({"text": "x" * 100_001}, "more than 100,000 characters"),
        ({"steps": ["x" * 60_000] * 2}, "more than 100,000 characters"),
    ],
)
def test_what_is_no_text_changes_nothing(hand_made: Workspace, given: dict, words: str) -> None:  # type: ignore[type-arg]
    before = SupportKB(hand_made).views.solutions()
    with pytest.raises(BadInputError, match=words):
        edit(hand_made, "s-pair", **given)
    with pytest.raises(BadInputError, match="No solution has the id"):
        edit(hand_made, "s-none", text="Off.")
    assert SupportKB(hand_made).views.solutions() == before


def test_an_edit_that_breaks_a_rule_is_refused_with_its_name_and_nothing_is_stored(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    before = kb.views.solution("s-pair")
    for given in ({"text": "Call our support."}, {"steps": ["Dry it.", "Call our support."]}):
        with pytest.raises(BadInputError, match=r"breaks a rule of the domain\. no-support: .*Nothing was stored"):
            kb.curation.edit("s-pair", **given)
    assert kb.views.solution("s-pair") == before and not kb.curation.history("s-pair").items
    assert kb.curation.edit("s-support", "Ask a shop for a Badger's blades.").status == "displayed"
    assert kb.curation.undo("s-support").status == "withheld"
    with pytest.raises(BadInputError, match=r"withheld.*autokb edit"):
        kb.curation.approve(["s-support"])


def test_who_read_an_earlier_text_overwrites_nothing(hand_made: Workspace) -> None:
    kb, other = SupportKB(hand_made), SupportKB(open_workspace(hand_made.folder))
    read = kb.views.solution("s-pair").version
    done = other.curation.edit("s-pair", "Theirs.", version=read)
    for act in (
        lambda: kb.curation.edit("s-pair", "Mine.", version=read),
        lambda: kb.curation.approve(["s-pair"], version=read),
        lambda: kb.curation.undo("s-pair", version=read),
    ):
        with pytest.raises(ChangedMeanwhileError, match="read it again"):
            act()
    assert kb.views.solution("s-pair").text == "Theirs."
    assert kb.curation.edit("s-pair", "Mine.", version=done.version).text == "Mine."


def test_undo_takes_back_the_newest_again_and_again(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    built = kb.views.solution("s-pair").text
    kb.curation.edit("s-pair", "One.", author="ann")
    kb.curation.approve(["s-pair"], author="bob")
    kb.curation.edit("s-pair", "Two.", author="ann")
    kb.curation.hide(["s-pair"])
    undone = [kb.curation.undo("s-pair", author="cyd") for _ in range(4)]
    assert [(one.undone, one.undone_by, one.text, one.status) for one in undone] == [
        ("hidden", "", "Two.", "displayed"),
        ("edited", "ann", "One.", "approved"),
        ("approved", "bob", "One.", "displayed"),
        ("edited", "ann", built, "displayed"),
    ]
    with pytest.raises(BadInputError, match="nothing can be taken back"):
        kb.curation.undo("s-pair")


def test_a_file_brings_back_no_edit_that_was_taken_back(hand_made: Workspace, tmp_path: Path) -> None:
    kb, target = SupportKB(hand_made), tmp_path / "kb.md"
    export_kb(hand_made, target)
    text = target.read_text(encoding="utf-8").replace("Plug the dock into another socket.", "Plug it in.")
    target.write_text(text, encoding="utf-8")
    assert import_file(hand_made, target).taken == 1
    kb.curation.undo("s-socket")  # the edit, which is newer than the rejection
    done = import_file(hand_made, target)
    assert done.taken == 0 and any("taken back here since" in one.reason for one in done.skipped)
    assert "Plug it in." not in kb.views.solution("s-socket").text


def test_an_edit_taken_back_is_in_no_export_and_stays_so(hand_made: Workspace, tmp_path: Path) -> None:
    export_kb(hand_made, tmp_path / "old.jsonl")
    undo(hand_made, "s-rain")
    built = SupportKB(hand_made).views.solution("s-rain").text
    done = import_file(hand_made, tmp_path / "old.jsonl")
    assert done.taken == 0 and "autokb edit" in done.skipped[0].reason
    assert SupportKB(hand_made).views.solution("s-rain").text == built
    export_kb(hand_made, tmp_path / "new.jsonl")
    assert '"kind":"edit"' not in (tmp_path / "new.jsonl").read_text(encoding="utf-8")


# -- two people -------------------------------------------------------------------------------------------------


def test_two_people_must_approve_the_same_text(hand_made: Workspace) -> None:
    kb = needs_two(hand_made)
    kb.curation.edit("s-pair", "Off and on.", author="ann")
    first = kb.curation.approve(["s-pair"], author="bob").solutions[0]
    assert first.status == "displayed" and "Approved by bob; one other person" in first.reason
    assert kb.curation.approve(["s-pair"], author="bob").changed == 0
    shown = kb.views.solution("s-pair")
    assert (shown.waiting, [a.author for a in shown.approvals], shown.approvals_needed) == (True, ["bob"], 2)
    assert kb.curation.approve(["s-pair"], author="ann").solutions[0].status == "approved"
    assert not kb.views.solution("s-pair").waiting
    kb.curation.edit("s-pair", "On and off.", author="bob")  # approves nothing, and the approvals were for another text
    assert kb.views.solution("s-pair").approvals == ()
    assert kb.curation.undo("s-pair").status == "approved"
    assert kb.curation.undo("s-pair").status == "displayed"
    assert kb.views.solution("s-pair").waiting


def test_a_rejection_between_two_approvals_takes_the_first_away(hand_made: Workspace) -> None:
    kb = needs_two(hand_made)
    kb.curation.approve(["s-pair"], author="ann")
    kb.curation.reject(["s-pair"], author="bob")
    assert kb.curation.approve(["s-pair"], author="cyd").solutions[0].status == "displayed"
    assert [a.author for a in kb.views.solution("s-pair").approvals] == ["cyd"]


def test_whoever_has_no_name_is_one_person_and_who_writes_approves(hand_made: Workspace, tmp_path: Path) -> None:
    kb = needs_two(hand_made)
    assert kb.curation.approve(["s-pair"]).changed == 1
    assert kb.curation.approve(["s-pair"]).changed == 0
    (tmp_path / "own.md").write_text("Carry it.", encoding="utf-8")
    written = kb.curation.write("charge", tmp_path / "own.md", author="ann")
    assert written.status == "displayed" and kb.views.solution(written.id).waiting
    assert kb.curation.approve([written.id], author="ann").changed == 0
    assert kb.curation.approve([written.id], author="bob").solutions[0].status == "approved"


def test_how_many_approve_is_told_with_an_export(hand_made: Workspace, tmp_path: Path) -> None:
    kb = needs_two(hand_made)
    kb.curation.approve(["s-pair"], author="ann")
    export_kb(hand_made, tmp_path / "kb.jsonl")
    copy = create_workspace(tmp_path / "copy", "name: copy\n")
    import_file(copy, tmp_path / "kb.jsonl")
    assert SupportKB(open_workspace(copy.folder)).views.solution("s-pair") == kb.views.solution("s-pair")


@pytest.mark.parametrize("wrong", [0, 10, "2", True, 1.5, None])
def test_a_domain_says_how_many_in_whole_numbers(wrong: object) -> None:
    assert read_domain({"name": "x", "review": {"approvals": 2}}).review.approvals == 2
    assert read_domain({"name": "x"}).review.approvals == 1
    with pytest.raises(BadInputError, match="approvals must be a whole number from 1 to 9"):
        read_domain({"name": "x", "review": {"approvals": wrong}})


# -- history and queue ------------------------------------------------------------------------------------------


def test_a_history_tells_who_did_what_with_the_texts(hand_made: Workspace) -> None:
    built = SupportKB(hand_made).views.solution("s-pair").text
    edit(hand_made, "s-pair", text="One.", author="ann", now="2026-01-01")
    judge(hand_made, ["s-pair"], "approve", author="bob", now="2026-01-02")
    edit(hand_made, "s-pair", text="Two.", author="cyd", now="2026-01-03")
    undo(hand_made, "s-pair", author="dee", now="2026-01-04")
    told = SupportKB(hand_made).curation.history("s-pair")
    assert told.is_there
    assert [(e.what, e.author, e.date, e.undone, e.before, e.after) for e in told.items] == [
        ("undone", "dee", "2026-01-04", False, "Two.", "One."),
        ("edited", "cyd", "2026-01-03", True, "One.", "Two."),
        ("approved", "bob", "2026-01-02", False, None, None),
        ("edited", "ann", "2026-01-01", False, built, "One."),
    ]
    assert SupportKB(hand_made).curation.history("s-noapp").items == ()
    with pytest.raises(UnknownIdError):
        SupportKB(hand_made).curation.history("s-none")


def test_the_queue_is_in_the_order_of_the_formula(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    kb.usage.give_feedback("it does not pair", "rejected", "s-pair")
    kb.usage.give_feedback("it does not pair at all", "unhelpful", "s-pair")
    with hand_made.file() as file, file.transaction():
        shown = [("s-hopper", "s-gloves"), ("s-hopper",), ()]
        keep_questions(file, [LoggedQuestion("blunt", "answered", "ask", SOON, solutions=some) for some in shown])
    page = kb.curation.review()
    items = {item.id: item for item in page.items}
    assert [-item.impact for item in page.items] == sorted(-item.impact for item in page.items)
    # 3 raw issues of the node and 2 of feedback, weight of disliked and unreviewed
    assert (items["s-pair"].reported, items["s-pair"].asked) == (3, 2)
    assert items["s-pair"].impact == (1 + 3 + 2) * (4 + 1)
    # nothing was reported for the node itself, 2 questions were answered by it
    assert (items["s-hopper"].reported, items["s-hopper"].asked, items["s-hopper"].impact) == (0, 2, 1 + 0 + 2)
    # 2 raw issues of the node, weight of withheld and of a broken rule
    assert {r.kind for r in items["s-support"].reasons} == {"withheld", "rules"}
    assert items["s-support"].impact == (1 + 2) * (4 + 2)
    assert not {"s-socket", "s-ipad"} & items.keys()  # rejected, and approved
    assert page.counts["all"] == len(page.items) and page.counts["withheld"] == 1
    walked, after = [], ""
    while True:
        some = kb.curation.review(2, after)
        walked += [item.id for item in some.items]
        if some.next is None:
            break
        after = some.next
        if len(walked) == 4:
            kb.curation.approve([walked[3]])  # what has left the queue is no place to get lost at
    assert walked == [item.id for item in page.items]
    assert {item.id for item in kb.curation.review(kind="withheld").items} == {"s-support"}
    for wrong in ({"kind": "none"}, {"after": "x"}, {"after": "1:"}, {"limit": 0}):
        with pytest.raises(BadInputError):
            kb.curation.review(**wrong)  # type: ignore[arg-type]


def test_what_a_rule_may_forbid_is_for_a_person_to_decide(hand_made: Workspace, tmp_path: Path) -> None:
    kb = SupportKB(hand_made)
    kb.export(tmp_path / "kb.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "kb.jsonl").read_text(encoding="utf-8").splitlines()]
    (pair,) = (line for line in lines if line.get("id") == "s-pair")
    pair["rules"] = [{"rule": "no-force", "verdict": "doubt", "reason": "Firmly may be too much."}]
    (tmp_path / "kb.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert kb.import_(tmp_path / "kb.jsonl", replace=True).skipped == ()
    (item,) = kb.curation.review(kind="doubt").items
    assert item.id == "s-pair" and "no-force: Firmly may be too much." in item.reasons[0].text
    kb.curation.approve(["s-pair"])
    assert kb.curation.review(kind="doubt").items == ()


def test_more_steps_than_places_and_repaired_ones_are_named(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    kb.curation.edit("s-pair", steps=["Off.", "Wait.", "On."])
    kinds = {item.id: {r.kind for r in item.reasons} for item in kb.curation.review().items}
    assert "little_evidence" in kinds["s-pair"] and "little_evidence" not in kinds["s-ios"]
    assert "rules" in kinds["s-android"]


def test_an_edit_without_its_solution_is_named_by_the_first_letters_of_its_id(hand_made: Workspace) -> None:
    kb, forget = SupportKB(hand_made), {"s-pair", "s-ios"}
    for solution in sorted(forget):
        kb.curation.edit(solution, f"Switch {solution} off.", author="ann")
    with hand_made.file() as file, file.transaction():
        solutions = {(kind, i): body for kind, i, body in file.lines() if kind == "solution"}
        file.publish({key: body for key, body in solutions.items() if key[1] not in forget}, ["solution"])
    lost = [one.id for one in kb.views.show().orphaned_edits if one.solution_id in forget]
    for given in (lost[0][:12], lost[0].removeprefix("edit-")[:7]):
        assert kb.curation.dismiss_edit(given).id == lost[0]
    with pytest.raises(BadInputError, match=r"edits without their solution have an id that starts with 'edit-'"):
        kb.curation.dismiss_edit("edit-")
    with pytest.raises(BadInputError, match=f"{lost[0]} has no solution that it could belong to"):
        kb.curation.approve([lost[0][:12]])
    with pytest.raises(BadInputError, match="No solution has the id"):  # without edit- it is one of a solution
        kb.curation.approve([lost[0].removeprefix("edit-")])


def test_a_solution_by_hand_is_withdrawn_as_undo_says(hand_made: Workspace, tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text("# Charge it\n\n1. Clean it.\n", encoding="utf-8")
    kb = SupportKB(hand_made)
    written = kb.curation.write("charge", tmp_path / "own.md")
    with pytest.raises(
        BadInputError, match=f"written by hand; this withdraws it: autokb reject WORKSPACE {written.id}"
    ):
        kb.curation.undo(written.id)
    assert kb.curation.reject([written.id]).solutions[0].status == "rejected"
    assert kb.curation.undo(written.id).undone == "rejected"
    with pytest.raises(BadInputError, match=r"can be taken back\. Nothing was changed"):
        kb.curation.undo("s-pair")


def test_an_edit_without_its_solution_is_dismissed_and_kept(hand_made: Workspace, tmp_path: Path) -> None:
    kb = SupportKB(hand_made)
    kb.curation.edit("s-pair", "Switch it off.", author="ann")
    with hand_made.file() as file, file.transaction():
        solutions = {(kind, i): body for kind, i, body in file.lines() if kind == "solution"}
        file.publish({key: body for key, body in solutions.items() if key[1] != "s-pair"}, ["solution"])
    (lost,) = [
        item for item in kb.curation.review(kind="edit_orphaned").items if item.edit and item.edit.author == "ann"
    ]
    before = kb.curation.review().counts["all"]
    done = kb.curation.dismiss_edit(lost.id, author="bob")
    assert (done.dismissed, done.changed, done.solution_id, done.text) == (True, 1, "s-pair", "Switch it off.")
    assert kb.curation.dismiss_edit(lost.id).changed == 0
    assert kb.curation.review().counts["all"] == before - 1 and lost.id not in {
        item.id for item in kb.curation.review().items
    }
    assert [one.dismissed for one in kb.views.show().orphaned_edits if one.id == lost.id] == [True]
    told = kb.curation.history("s-pair").items[0]
    assert (told.what, told.author, told.decision) == ("dismissed", "bob", lost.id)
    export_kb(hand_made, tmp_path / "kb.jsonl")
    copy = create_workspace(tmp_path / "copy", "name: copy\n")
    import_file(copy, tmp_path / "kb.jsonl")
    other = SupportKB(open_workspace(copy.folder))
    assert lost.id not in {item.id for item in other.curation.review().items} and lost.id in str(
        other.views.show().orphaned_edits
    )
    back = kb.curation.dismiss_edit(lost.id, undo=True, author="cyd")
    assert (back.dismissed, back.changed) == (False, 1) and kb.curation.review().counts["all"] == before
    assert [one.what for one in kb.curation.history("s-pair").items][:3] == ["queued again", "dismissed", "edited"]
    kb.curation.dismiss_edit(lost.id)
    with hand_made.file() as file, file.transaction():
        file.publish(solutions, ["solution"])
    assert kb.views.solution("s-pair").text == "Switch it off." and kb.views.solution("s-pair").edited_by == "ann"
    for wrong in (lost.id, "edit-none", ""):  # the first one has its solution again
        with pytest.raises(UnknownIdError, match="Nothing was changed"):
            kb.curation.dismiss_edit(wrong)
