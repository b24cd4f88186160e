"""Findings, on real workspaces: every kind is found with its places, and what people said of it outlives builds."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.findings import SettledFinding, joined_trees
from autokb.core.nouns import DISPLAYED, KnowledgeBase
from autokb.plugins.insight import findings, stale
from autokb.plugins.insight.findings import Finding, FindingPlace
from autokb.plugins.insight.stale import find_stale
from autokb.stores.findings import keep_finding
from autokb.stores.published import read_published
from autokb.stores.workspace import Workspace
from lost_edit import FINDING, LOST_EDIT, keep_lost_edit
from two_manuals import build_two_manuals

ROOT = Path(__file__).resolve().parents[3]
ROUTER = """\
# Router

## Reset the router

1. Hold the reset button of the router for 10 seconds.
2. Wait until the light is green.

## The network is slow

1. Move the router away from the oven.
2. Choose channel 11 in the settings.
"""
BOX = """\
# Box

## Reset your router

1. Hold the reset button of the router for 30 seconds.
2. Plug the cable in again.

## No picture

1. Press Input on the remote.
"""
ISSUES = """\
id,text
1,how do I reset the router
2,reset router to factory settings please
3,my network is slow in the evening
4,there is no picture on the screen
5,the picture is gone again
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built knowledge base of two manuals, and the folder of these beside it."""
    return build_two_manuals(tmp_path_factory.mktemp("stale"), ROUTER, BOX, ISSUES)


@pytest.fixture
def kb(built: Path, tmp_path: Path) -> SupportKB:
    """A copy of it, with manuals of one's own."""
    shutil.copytree(built / "manuals", tmp_path / "manuals")
    shutil.copytree(built / "kb", tmp_path / "kb")
    found = SupportKB.open(tmp_path / "kb")
    found.remove([built / "manuals"])
    found.add([tmp_path / "manuals"])
    return found


def manuals(kb: SupportKB) -> Path:
    return kb.workspace.folder.parent / "manuals"


def write(kb: SupportKB, name: str, text: str) -> None:
    """Write a manual, and build."""
    (manuals(kb) / name).write_text(text, encoding="utf-8")
    kb.add([manuals(kb)])
    kb.build()


def published(kb: SupportKB) -> KnowledgeBase:
    with kb.workspace.file() as file:
        return read_published(file).kb


def shown_of(kb: SupportKB, document: str) -> list[str]:
    """Return the ids of the solutions that readers see of a document."""
    shown = (s for s in published(kb).solutions.values() if s.status in DISPLAYED)
    return sorted(s.id for s in shown if s.evidence and s.evidence[0].document == document)


def are_exact(kb: SupportKB, places: Iterable[FindingPlace]) -> bool:
    """Return whether each place in a document quotes what stands there."""
    documents = published(kb).documents
    return all(documents[p.document].text[p.start : p.end] == p.quote for p in places if p.end)


def of_kind(kb: SupportKB, kind: str) -> list[Finding]:
    return list(kb.curation.stale(kind).findings)


def test_a_finding_is_settled_with_who_and_when_and_opened_again(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    keep_lost_edit(hand_made)
    (found,) = of_kind(kb, "source_changed")
    assert (found.id, found.status, found.places[0].quote) == (FINDING, "open", LOST_EDIT.text)
    assert kb.curation.settle_finding(found.id, "dismissed", author="ann").changed == 1
    assert kb.curation.settle_finding(found.id, "dismissed", author="bob").changed == 0
    assert of_kind(kb, "source_changed") == []
    whole = kb.curation.stale(settled=True)
    assert [(one.id, one.status, one.author) for one in whole.findings] == [(found.id, "dismissed", "bob")]
    assert whole.settled == 1 and whole.counts["source_changed"] == 0 and whole.findings[0].date[:2] == "20"
    assert kb.curation.settle_finding(found.id, "open").changed == 1
    assert [one.id for one in of_kind(kb, "source_changed")] == [found.id]


def test_what_was_said_of_is_looked_for_among_its_kind_alone(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = SupportKB(hand_made)
    keep_lost_edit(hand_made)
    kb.curation.settle_finding(FINDING, "dismissed")
    monkeypatch.setattr(stale, "FINDERS", {"source_changed": findings.changed_sources, "outdated": None})
    assert kb.curation.settle_finding(FINDING, "settled").changed == 1
    monkeypatch.setattr(stale, "FINDERS", {})
    assert kb.curation.settle_finding(FINDING, "open").changed == 1


def test_what_cannot_be_said_is_refused(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    keep_lost_edit(hand_made)
    with pytest.raises(BadInputError, match="--join ISSUE ISSUE"):
        kb.curation.settle_finding(FINDING, "joined")
    with pytest.raises(UnknownIdError, match="autokb stale"):
        kb.curation.settle_finding("finding-none")
    for kind in ("rotten", "uncited", "duplicate"):
        with pytest.raises(BadInputError, match="A kind is one of source_changed, outdated, contradiction, not"):
            kb.curation.stale(kind)
    with pytest.raises(UnknownIdError, match=r"'none'.*autokb show"):
        kb.curation.join_trees("pair", "none")
    with pytest.raises(BadInputError, match="in one tree already"):
        kb.curation.join_trees("pair", "pair")


def test_what_an_earlier_version_kept_of_kinds_that_are_gone_is_listed_and_opened_again(hand_made: Workspace) -> None:
    earlier = [
        SettledFinding("f1", "uncited", "dismissed", "ann", "2026-01-01"),
        SettledFinding("f2", "duplicate", "settled", "ann", "2026-01-01"),
        SettledFinding("f3", "duplicate", "joined", "bob", "2026-01-02", ("gone", "pair"), ("It is gone", "Pair")),
    ]
    with hand_made.file() as file, file.transaction():
        for said in earlier:
            keep_finding(file, said)
    kb = SupportKB(hand_made)
    found = kb.curation.stale(settled=True).findings
    assert {(one.id, one.kind, one.status, one.author) for one in found} == {
        (one.id, one.kind, one.status, one.author) for one in earlier
    }
    assert found[-1].id == "f1"
    assert next(place.quote for one in found if one.id == "f3" for place in one.places) == "It is gone"
    for said in earlier:
        assert kb.curation.settle_finding(said.id, "open").changed == 1
    assert kb.curation.stale(settled=True).findings == ()


def test_the_command_says_what_is_settled_and_does_one_thing_at_a_time(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(hand_made.folder)
    keep_lost_edit(hand_made)
    assert main(["stale", folder, "--settled"]) == 0
    assert "Nothing is settled." in capsys.readouterr().out
    for what in (["--settle", FINDING], ["--dismiss", FINDING], ["--join", "a", "b"], ["--undo", FINDING]):
        for more in (["--model", "offline"], ["--budget", "1"]):
            assert main(["stale", folder, *what, *more]) == 2
            assert "go without --model and --budget" in " ".join(capsys.readouterr().err.split())
    assert main(["stale", folder, "--join", "a", "b", "--settle", FINDING]) == 2
    assert [one.id for one in of_kind(SupportKB(hand_made), "source_changed")] == [FINDING]


def test_an_approved_text_whose_source_changes_or_goes(kb: SupportKB) -> None:
    (solution,) = shown_of(kb, "router.md")
    kb.curation.approve([solution], author="ann")
    assert of_kind(kb, "source_changed") == []
    write(kb, "router.md", ROUTER.replace("channel 11", "channel 6"))
    (found,) = of_kind(kb, "source_changed")
    assert "has changed since ann approved it" in found.text and found.places[0].solution == solution
    assert are_exact(kb, found.places) and any("channel 6" in place.quote for place in found.places)
    kb.curation.settle_finding(found.id, author="bob")
    write(kb, "box.md", BOX.replace("Press Input", "Press Source"))
    assert of_kind(kb, "source_changed") == []  # settled over builds
    write(kb, "router.md", ROUTER.replace("channel 11", "channel 1"))
    (again,) = of_kind(kb, "source_changed")
    assert again.id != found.id  # which is another change
    kb.curation.reject([solution])
    assert of_kind(kb, "source_changed") == []
    kb.curation.undo(solution)
    (manuals(kb) / "router.md").unlink()
    kb.add([manuals(kb)], sync=True)
    kb.build()
    (gone,) = of_kind(kb, "source_changed")
    assert "is gone since ann approved it" in gone.text and gone.places[0].document == "router.md"


def test_a_text_that_was_edited_and_approved_since_is_told_as_edited(kb: SupportKB) -> None:
    (solution,) = shown_of(kb, "router.md")

    def edit(steps: list[str]) -> None:
        kb.curation.edit(solution, steps=steps, author="ann")
        kb.curation.approve([solution], author="bob")

    edit(["Unplug it."])
    write(kb, "router.md", ROUTER.replace("channel 11", "channel 6"))
    (first,) = of_kind(kb, "source_changed")
    assert "has changed since ann edited it" in first.text
    kb.curation.settle_finding(first.id)
    edit(["Unplug it for a minute."])
    assert of_kind(kb, "source_changed") == []
    write(kb, "router.md", ROUTER.replace("channel 11", "channel 1"))
    assert "has changed since ann edited it" in of_kind(kb, "source_changed")[0].text


def test_a_source_that_nobody_changes_is_outdated_by_its_own_date_or_that_of_its_adding(kb: SupportKB) -> None:
    write(kb, "news.md", "---\nupdated: 2024-03-01\n---\n# News\n\nTap Update in the app.\n")

    with kb.workspace.file() as file:
        added = max(str(one.body["added"]) for one in file.staged("documents"))

    def outdated(days: int) -> dict[str, str]:
        day = date.fromisoformat(added) + timedelta(days=days)
        found = find_stale(kb.workspace, kb._memory.views.solutions, "outdated", today=day).findings
        return {one.places[0].document: one.id for one in found}

    assert set(outdated(0)) == {"news.md"} and outdated(365) == outdated(0)
    assert set(outdated(366)) == {"news.md", "router.md", "box.md"}
    assert outdated(400) == outdated(366)  # it stays one finding, however long it lasts
    (kb.workspace.folder / "settings.yaml").write_text("stale_after: 1000000000\n", encoding="utf-8")
    assert SupportKB.open(kb.workspace.folder).curation.stale("outdated").findings == ()  # before the year 1
    before = outdated(366)
    write(kb, "box.md", BOX + "\nCall nobody.\n")
    assert outdated(366)["router.md"] == before["router.md"] and outdated(366)["box.md"] != before["box.md"]


def test_a_document_keeps_its_day_until_its_text_changes(kb: SupportKB, tmp_path: Path) -> None:
    def days() -> dict[str, str]:
        with kb.workspace.file() as file:
            return {one.id: str(one.body["added"]) for one in file.staged("documents")}

    with kb.workspace.file() as file, file.transaction():
        file.stage("documents", [replace(s, body={**s.body, "added": "2024-01-01"}) for s in file.staged("documents")])
    done = kb.add([manuals(kb)])
    assert (done.added, done.updated, done.unchanged) == (0, 0, 2) and set(days().values()) == {"2024-01-01"}
    today = datetime.now(UTC).date().isoformat()
    moved = manuals(kb).rename(tmp_path / "moved")
    kb.add([moved])
    assert set(days().values()) == {"2024-01-01"}
    (moved / "box.md").write_text(BOX + "\nCall nobody.\n", encoding="utf-8")
    assert kb.add([moved]).updated == 1
    assert days()["router.md"] == "2024-01-01" and today <= days()["box.md"] <= datetime.now(UTC).date().isoformat()


def test_two_manuals_that_say_opposite_things_to_the_same_customer(kb: SupportKB) -> None:
    (found,) = of_kind(kb, "contradiction")
    assert found.text == "They name different amounts: 30 and 10." and are_exact(kb, found.places)
    assert {place.document for place in found.places} == {"router.md", "box.md"}
    assert next(p.solution for p in found.places if p.document == "box.md") in shown_of(kb, "box.md")
    kb.curation.settle_finding(found.id, "dismissed", author="ann")
    write(kb, "router.md", ROUTER.replace("channel 11", "channel 6"))
    assert of_kind(kb, "contradiction") == []  # for another step has changed
    write(kb, "router.md", ROUTER.replace("10 seconds", "20 seconds"))
    assert [one.text for one in of_kind(kb, "contradiction")] == ["They name different amounts: 30 and 20."]
    write(kb, "router.md", ROUTER.replace("10 seconds", "30 seconds"))
    assert of_kind(kb, "contradiction") == []


def test_an_edited_step_that_contradicts_is_told_as_it_was_edited(kb: SupportKB) -> None:
    with kb.workspace.file() as file:
        solutions = kb._memory.views.solutions.read(file).decided.solutions
    (solution,) = (i for i in shown_of(kb, "box.md") if "30 seconds" in solutions[i].text)

    def of_edit(seconds: int) -> Finding:
        hold = f"Hold the reset button of the router for {seconds} seconds."
        kb.curation.edit(solution, steps=["Plug the cable in again.", hold], author="ann")
        (found,) = [one for one in of_kind(kb, "contradiction") if hold in {p.quote for p in one.places if not p.end}]
        assert solution in {p.solution for p in found.places if not p.end} and are_exact(kb, found.places)
        return found

    before = of_edit(40)
    kb.curation.settle_finding(before.id, "dismissed")
    assert of_edit(50).id != before.id  # which is another contradiction


def test_the_shipped_headphones_limit_the_volume_both_ways(_built_headphones: Path, tmp_path: Path) -> None:
    headphones = SupportKB.open(shutil.copytree(_built_headphones, tmp_path / "kb"))
    whole = headphones.curation.stale()
    assert [(one.kind, one.text) for one in whole.findings] == [("contradiction", "One undoes what the other does.")]
    assert {place.document for place in whole.findings[0].places} == {"volume.md"}
    assert are_exact(headphones, whole.findings[0].places)
    assert all(place.solution and place.issue for place in whole.findings[0].places)


def test_trees_that_people_join_are_one_in_every_build(kb: SupportKB) -> None:
    before = published(kb)
    roots = set(sorted(i for i, issue in before.issues.items() if not issue.parent_id)[:2])
    raw = {i for root in roots for i in before.issues[root].raw_issues}
    texts = {s.text for s in before.solutions.values() if s.issue_id in roots}
    approved = [s.id for s in before.solutions.values() if s.issue_id in roots]
    kb.curation.approve(approved, author="ann")
    pair = kb.curation.join_trees(*roots, author="ann")
    assert (pair.kind, pair.status, pair.changed) == ("duplicate", "joined", 1)
    assert kb.curation.join_trees(*sorted(roots, reverse=True), author="ann") == replace(pair, changed=0)
    for _ in range(2):  # it is laid over every build
        kb.build()
        after = published(kb)
        (home,) = roots & after.issues.keys()
        assert set(after.issues[home].raw_issues) == raw and len(after.issues) == len(before.issues) - 1
        on_home = [s for s in after.solutions.values() if s.issue_id == home]
        assert {s.text for s in on_home} == texts and {s.status for s in on_home} == {"approved"}
    (joined,) = kb.curation.stale(settled=True).findings
    assert (joined.id, joined.kind, joined.status, joined.author) == (pair.id, "duplicate", "joined", "ann")
    assert {place.quote for place in joined.places} == {before.issues[root].text for root in roots}
    assert {place.issue for place in joined.places} == {home, ""} and kb.curation.stale().settled == 1
    assert kb.curation.settle_finding(pair.id, "open").changed == 1
    kb.build()
    assert published(kb) == replace(before, solutions=published(kb).solutions)


def test_joins_that_meet_are_one() -> None:
    said = [
        SettledFinding("f1", "duplicate", "joined", "", "", ("a", "b")),
        SettledFinding("f2", "duplicate", "joined", "", "", ("c", "d")),
        SettledFinding("f3", "duplicate", "joined", "", "", ("d", "a")),
        SettledFinding("f4", "duplicate", "dismissed", "", "", ("x", "y")),
    ]
    assert joined_trees(said) == [("a", "b", "c", "d")]
