"""What people decided holds when the same issues come again under other ids, in other words, in other trees."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import model_workspace
from autokb.app import SupportKB
from autokb.app.create import create

FORMS = {"plain": "{}", "mail": "Hello, {}. Thanks, Jo", "quoted": "> {}\n"}
HAND = "Ring the bell twice."


def issues_as(kb: SupportKB, form: str) -> None:
    """Add the issues under ids and in words of a form."""
    texts = [FORMS[form].format(text) for text in model_workspace.ISSUES.values()]
    file = kb.workspace.folder.parent / f"{form}.jsonl"
    lines = (json.dumps({"id": f"{form}-{n}", "text": text}) for n, text in enumerate(texts))
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    kb.add([file], "issues", model_workspace.FIELDS)


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A built workspace on whose solutions a person has decided each of five things."""
    place = tmp_path_factory.mktemp("decided")
    model_workspace.write_sources(place / "source")
    create(place / "kb", str(place / "source" / "domain.yaml"))
    kb = SupportKB.open(place / "kb")
    kb.add([place / "source" / "manuals"])
    issues_as(kb, "plain")
    kb.build()
    by_title = {one.text.partition("\n")[0]: one.id for one in kb.views.solutions().items}
    kb.curation.approve([by_title["The kettle app: Connect on Android"]], author="ann")
    kb.curation.reject([by_title["The kettle app: Connect on iPhone"]], author="bob")
    kb.curation.edit(by_title["Descaling"], "Descale it twice a week.", author="ann")
    kb.curation.hide([by_title["Loud noise"]], author="cyd")
    leak = next(tree for tree in kb.views.show().trees if "leak" in tree.text.lower())
    (place / "hand.md").write_text(HAND, encoding="utf-8")
    kb.curation.write(leak.id, place / "hand.md", author="ann")
    kb.close()
    return {"folder": place / "kb", "solutions": set(by_title.values()), "leak": leak.id}


@pytest.fixture
def kb(decided: dict[str, Any], tmp_path: Path) -> SupportKB:
    return SupportKB.open(shutil.copytree(decided["folder"], tmp_path / "kb"))


def held(kb: SupportKB) -> dict[str, str]:
    """What is shown of each text that a person decided something on."""
    return {one.text.partition("\n")[0]: one.status for one in kb.views.solutions().items}


@pytest.mark.parametrize("form", ["mail", "quoted"])
def test_every_decision_follows_to_the_tree_that_says_the_same(
    kb: SupportKB, decided: dict[str, Any], form: str
) -> None:
    kb.remove([f"plain-{n}" for n in range(len(model_workspace.ISSUES))])
    issues_as(kb, form)
    built = kb.build(rethink=True)
    assert built.refusal is None
    assert built.orphaned == 0
    found = held(kb)
    assert found["The kettle app: Connect on Android"] == "approved"
    assert found["The kettle app: Connect on iPhone"] == "rejected"
    # another tree may show the section, too; where it was hidden it stays so
    assert "hidden" in {one.status for one in kb.views.solutions().items if one.text.startswith("Loud noise")}
    assert found["Descale it twice a week."] == "displayed"
    assert found[HAND] == "approved"
    now = {one.id for one in kb.views.solutions().items if one.text != HAND}
    assert not now & decided["solutions"], "no solution has its old id, so each decision had to find its own"
    assert kb.ask("Water leaks from the bottom").matches[0].solutions[0].text == HAND


def test_an_answer_by_hand_is_shown_when_nothing_is_left_of_its_problem_and_finds_it_again(
    kb: SupportKB, decided: dict[str, Any], tmp_path: Path
) -> None:
    leaks = [f"plain-{n}" for n, text in enumerate(model_workspace.ISSUES.values()) if "leak" in text]
    kb.remove(leaks)
    kb.build()
    own = next(tree for tree in kb.views.show().trees if tree.id == decided["leak"])
    assert "leak" in own.text.lower()
    assert kb.views.show_issue(own.id).solutions[0].text == HAND  # type: ignore[index]
    answer = kb.ask("kettle leaking water on the table")
    assert HAND in [s.text for m in answer.matches for s in m.solutions]
    kb.export(tmp_path / "kb.jsonl")
    create(tmp_path / "copy", str(kb.workspace.folder / "domain.yaml"))
    copy = SupportKB.open(tmp_path / "copy")
    copy.import_(tmp_path / "kb.jsonl")
    assert HAND in held(copy)
    issues_as(kb, "mail")
    kb.remove([f"plain-{n}" for n in range(len(model_workspace.ISSUES)) if f"plain-{n}" not in leaks])
    kb.build(rethink=True)
    assert decided["leak"] not in {tree.id for tree in kb.views.show().trees}
    assert kb.ask("Water leaks from the bottom").matches[0].solutions[0].text == HAND


def test_a_rollback_to_before_an_answer_was_written_shows_it_too(kb: SupportKB) -> None:
    kb.remove([f"plain-{n}" for n in range(len(model_workspace.ISSUES))])
    issues_as(kb, "mail")
    kb.build(rethink=True)
    noise = next(tree for tree in kb.views.show().trees if "loud" in tree.text.lower())
    (kb.workspace.folder / "later.md").write_text("Put it on a towel.", encoding="utf-8")
    kb.curation.write(noise.id, kb.workspace.folder / "later.md", author="bob")
    kb.versions.roll_back(1, author="ann")
    assert {HAND, "Put it on a towel."} <= set(held(kb))
    answer = kb.ask(noise.text)
    assert "Put it on a towel." in [s.text for m in answer.matches for s in m.solutions]
