"""What one publication holds in memory for questions."""

from __future__ import annotations

from pathlib import Path

import pytest

import small_tickets
from autokb.app import SupportKB
from autokb.app.snapshot import Snapshot, State
from autokb.core.errors import NothingPublishedError
from autokb.plugins.tickets.suggestions import PastTickets
from autokb.stores.workspace import Workspace, create_workspace


def test_a_part_is_opened_once_and_only_when_it_is_asked_for(hand_made: Workspace) -> None:
    held = Snapshot(hand_made, State(1, "1", None))
    assert held.held_index is None
    held.warm()  # there is nothing to ask
    assert held.held_index is None
    held.open()
    assert held.known is held.index is held.held_index
    assert held.beside == {}
    held.close()


def test_past_tickets_alone_are_enough_and_without_them_there_is_nothing(tmp_path: Path) -> None:
    workspace = create_workspace(tmp_path / "kb", "name: empty\n")
    nothing = Snapshot(workspace, State(1, "0", None))
    with pytest.raises(NothingPublishedError):
        nothing.open()
    kb = SupportKB(workspace)
    kb.add([small_tickets.write(tmp_path / "tickets.json")], "tickets")
    kb.tickets.build()
    held = Snapshot(workspace, State(1, "0", "1"))
    held.open()
    assert held.known is None and list(held.beside) == ["ticket"]
    (past,) = held.beside.values()
    assert isinstance(past, PastTickets) and past.asking.opened is past.opened
    with pytest.raises(NothingPublishedError):
        held.index.index.generation  # noqa: B018
    held.close()


def test_one_takes_the_place_of_another_where_something_was_published_or_decided(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    kb.ask("the robot does not charge")
    before = kb._memory._snapshot
    kb.ask("the robot does not charge")
    assert before is not None and kb._memory._snapshot is before
    SupportKB(hand_made).curation.hide(["s-contacts"])
    kb.ask("the robot does not charge")
    assert kb._memory._snapshot is not before
    kb.close()
    assert kb._memory._snapshot is None
