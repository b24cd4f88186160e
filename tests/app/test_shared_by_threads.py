"""One ``SupportKB`` for many threads, as the service has it: what is published is exchanged under questions."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

import small_tickets
from autokb.app import SupportKB
from autokb.app.snapshot import Snapshot
from autokb.core.errors import NothingPublishedError
from autokb.stores.workspace import Workspace, create_workspace
from served_process import wait_until

QUESTION = "my robot does not charge in the dock"


def test_threads_ask_while_what_is_published_is_exchanged(hand_made: Workspace, tmp_path: Path) -> None:
    kb, editor = SupportKB(hand_made), SupportKB(hand_made)
    editor.add([small_tickets.write(tmp_path / "tickets.json")], "tickets")
    editor.tickets.build()
    going, shown = True, set[bool]()

    def ask(number: int) -> None:
        while going:
            answer = kb.ask(QUESTION) if number % 2 else kb.suggest(QUESTION)
            shown.add("'s-contacts'" in str(answer.as_json()))
            kb.usage.give_feedback(QUESTION, "helpful", conversation=str(number))

    with ThreadPoolExecutor(6) as threads:
        asking = [threads.submit(ask, number) for number in range(6)]
        try:
            for undo in (False, True) * 4:
                shown.clear()
                editor.curation.hide(["s-contacts"], undo=undo)
                wait_until(lambda undo=undo: undo in shown)  # type: ignore[misc]
            editor.tickets.build(rethink=True)
            kb.suggest(QUESTION)
        finally:
            going = False
        for future in asking:
            future.result()
    kb.close()


def test_an_index_that_was_let_go_answers_until_its_last_question_has_ended(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    kb.load()
    before = kb._memory.held_index
    assert before is not None
    SupportKB(hand_made).curation.hide(["s-contacts"])
    kb.load()
    assert kb._memory.held_index is not before and "'s-contacts'" in str(before.ask(QUESTION).as_json())
    assert before.file.generation != before.index.generation  # its file is open still
    file = before.file
    del before
    with pytest.raises(Exception, match="closed"):
        file.meta("generation")


def test_loading_says_that_nothing_is_published(tmp_path: Path) -> None:
    kb = SupportKB(create_workspace(tmp_path / "kb", "name: empty\n"))
    with pytest.raises(NothingPublishedError, match="autokb build"):
        kb.load()
    kb.add([small_tickets.write(tmp_path / "tickets.json")], "tickets")
    kb.tickets.build()
    kb.load()
    assert kb.suggest("the camera crashes").suggestions


def test_who_follows_answers_from_what_was_there_until_the_new_is_loaded(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb, editor, loads = SupportKB(hand_made), SupportKB(hand_made), Event()
    assert kb.follow() and not kb.follow()
    before = kb._memory.held_index
    editor.curation.hide(["s-contacts"])

    def open_late(self: Snapshot) -> None:
        assert loads.wait(60)
        opened(self)

    opened = Snapshot.open
    monkeypatch.setattr(Snapshot, "open", open_late)
    with ThreadPoolExecutor(1) as threads:
        following = threads.submit(kb.follow)
        for _ in range(3):  # nobody waits for the load, which waits for us
            assert "'s-contacts'" in str(kb.ask(QUESTION).as_json()) and kb.suggest(QUESTION).suggestions
            assert kb._memory.held_index is before
        loads.set()
        assert following.result()
    assert kb._memory.held_index is not before and "'s-contacts'" not in str(kb.ask(QUESTION).as_json())
    kb.close()


def test_who_follows_meets_tickets_and_an_empty_workspace(tmp_path: Path) -> None:
    kb = SupportKB(create_workspace(tmp_path / "kb", "name: empty\n"))
    with pytest.raises(NothingPublishedError, match="autokb build"):
        kb.follow()
    editor = SupportKB.open(tmp_path / "kb")
    editor.add([small_tickets.write(tmp_path / "tickets.json")], "tickets")
    editor.tickets.build()
    assert kb.follow() and kb.suggest("the camera crashes").suggestions
    (tmp_path / "rain.md").write_text("# Rain\n\n1. Dry the robot with a cloth.\n2. Let it rest.\n", encoding="utf-8")
    editor.add([tmp_path / "rain.md"])
    editor.build()
    assert kb.follow() and kb.ask("how do I dry the robot after rain").outcome == "answered"
    assert kb.suggest("the camera crashes").suggestions  # from the tickets, which were loaded with it
    editor.remove(["rain.md"])
    editor.build(force="ann")
    assert kb.follow() and kb._memory.held_index is None
    with pytest.raises(NothingPublishedError, match="autokb build"):
        kb.ask("how do I dry the robot after rain")
    editor.add([tmp_path / "rain.md"])
    editor.build()
    assert kb.follow() and kb.ask("how do I dry the robot after rain").outcome == "answered"
    kb.load()
    kb.close()


def test_a_file_that_was_put_in_the_place_of_another_is_read(hand_made: Workspace, tmp_path: Path) -> None:
    kb = SupportKB(hand_made)
    kb.follow()
    assert not kb.keys.are_needed() and "'s-contacts'" in str(kb.ask(QUESTION).as_json())
    shutil.copytree(hand_made.folder, tmp_path / "other")
    other = SupportKB.open(tmp_path / "other")
    other.keys.create("reader")
    other.curation.hide(["s-contacts"])
    with other.workspace.file() as file:
        file.copy_to(tmp_path / "copy.db")
    (tmp_path / "copy.db").replace(hand_made.knowledge_path)
    assert kb.keys.are_needed() and kb.follow() and "'s-contacts'" not in str(kb.ask(QUESTION).as_json())
    kb.close()
