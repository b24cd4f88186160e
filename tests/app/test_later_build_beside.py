"""A later build is loaded beside those who leaf through the one before, and nobody waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.core.errors import UnknownIdError
from autokb.core.ids import canonical_json
from autokb.pipeline.steps.publish import KINDS
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.views import solutions_in_memory

OLD, NEW = "Wipe the charging contacts.", "Polish the copper tongues."


def publish(workspace: Workspace, change: Callable[[dict[str, Any]], None], new_id: str = "s-contacts") -> None:
    """Publish all that is there with one solution changed, or another like it."""
    with workspace.file() as file:
        records = {(kind, i): body for kind, i, body in file.lines() if kind in KINDS}
        body = file.record("solution", "s-contacts")
        assert body is not None
        change(body)
        records["solution", new_id] = canonical_json(body)
        with file.transaction():
            file.publish(records, KINDS)


def say(text: str) -> Callable[[dict[str, Any]], None]:
    return lambda body: body.update(text=text, steps=[text])


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    publish(hand_made, say(OLD))
    kb = SupportKB(hand_made)
    kb.views.load(follows=True)
    return kb


def texts(kb: SupportKB) -> set[str]:
    """Return the solution's text as each page and list has it."""
    queue = {one.id: one.solution for one in kb.curation.review().items}
    assert queue["s-contacts"] is not None
    return {
        kb.views.solution("s-contacts").text,
        next(one.text for one in kb.views.solutions().items if one.id == "s-contacts"),
        queue["s-contacts"].text,
        kb.views.known_solution("s-contacts")[0].text,
    }


def found(kb: SupportKB, query: str) -> set[str]:
    return {one.id for one in kb.views.search(query).items if one.kind == "solution"}


def test_the_build_before_is_shown_until_the_later_one_is_loaded(
    kb: SupportKB, hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_file: WorkspaceFile) -> None:
        raise AssertionError("a reader waits for all solutions")

    monkeypatch.setattr(solutions_in_memory, "_read_built", never)
    assert texts(kb) == {OLD}
    publish(hand_made, say(NEW))
    assert texts(kb) == {OLD} and "s-contacts" in found(kb, "wipe charging") and not found(kb, "copper")
    kb.views.load(follows=True)
    assert texts(kb) == {NEW} and found(kb, "copper") == {"s-contacts"}
    assert "s-contacts" not in found(kb, "wipe charging")


def test_what_is_decided_meanwhile_is_shown_at_once_and_stays(kb: SupportKB, hand_made: Workspace) -> None:
    publish(hand_made, say(NEW))
    SupportKB(hand_made).curation.hide(["s-rain"])  # in another process
    assert kb.views.known_solution("s-rain")[0].status == kb.views.solution("s-rain").status == "hidden"
    assert texts(kb) == {OLD}
    kb.curation.edit("s-gloves", "Wear thick mittens.")
    assert kb.views.solution("s-gloves").text == kb.views.known_solution("s-gloves")[0].text
    assert found(kb, "thick mittens") == {"s-gloves"}
    kb.views.load(follows=True)
    assert texts(kb) == {NEW} and kb.views.known_solution("s-rain")[0].status == "hidden"
    assert found(kb, "thick mittens") == {"s-gloves"}


def test_a_decision_is_of_the_later_build(kb: SupportKB, hand_made: Workspace) -> None:
    publish(hand_made, say(NEW))
    kb.curation.approve(["s-contacts"])
    assert kb.views.solution("s-contacts").text == NEW
    assert SupportKB(hand_made).views.solution("s-contacts").status == "approved"


def test_an_id_of_the_later_build_is_worth_waiting_for(kb: SupportKB, hand_made: Workspace) -> None:
    looks: list[Callable[[SupportKB], bool]] = [
        lambda kb: kb.views.solution("s-new 0").text == NEW,
        lambda kb: kb.curation.history("s-new 1").is_there,
        lambda kb: kb.views.known_solution("s-new 2")[0].text == NEW,
    ]
    for n, look in enumerate(looks):
        publish(hand_made, say(NEW), f"s-new {n}")
        assert f"s-new {n}" not in {one.id for one in kb.views.solutions().items}
        assert look(kb)
        kb.views.load(follows=True)
    for look_up in (kb.views.solution, kb.views.known_solution, kb.curation.history):
        with pytest.raises(UnknownIdError):
            look_up("s-gone")


def test_who_follows_nothing_is_shown_the_latest(kb: SupportKB, hand_made: Workspace) -> None:
    kb.views.load()
    publish(hand_made, say(NEW))
    assert texts(kb) == {NEW}
