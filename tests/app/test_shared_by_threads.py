"""One ``SupportKB`` for many threads, as the service has it: what is published is exchanged under questions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import small_tickets
from autokb.app import SupportKB
from autokb.core.errors import NothingPublishedError
from autokb.stores.workspace import Workspace, create_workspace

QUESTION = "my robot does not charge in the dock"


def test_threads_ask_while_what_is_published_is_exchanged(hand_made: Workspace, tmp_path: Path) -> None:
    kb, editor = SupportKB(hand_made), SupportKB(hand_made)
    editor.add([small_tickets.write(tmp_path / "tickets.json")], "tickets")
    editor.build_tickets()
    going = True

    def ask(number: int) -> set[bool]:
        shown = set()
        while going:
            answer = kb.ask(QUESTION) if number % 2 else kb.suggest(QUESTION)
            shown.add("'s-contacts'" in str(answer.as_json()))
            kb.give_feedback(QUESTION, "helpful", conversation=str(number))
        return shown

    with ThreadPoolExecutor(6) as threads:
        asking = [threads.submit(ask, number) for number in range(6)]
        try:
            for _ in range(4):
                editor.hide(["s-contacts"])
                kb.ask(QUESTION)
                editor.hide(["s-contacts"], undo=True)
                kb.ask(QUESTION)
            editor.build_tickets(rethink=True)
            kb.suggest(QUESTION)
        finally:
            going = False
        assert set.union(*(future.result() for future in asking)) == {True, False}
    kb.close()


def test_an_index_that_was_let_go_answers_until_its_last_question_has_ended(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    kb.load()
    before = kb._index
    assert before is not None
    SupportKB(hand_made).hide(["s-contacts"])
    kb.load()
    assert kb._index is not before and "'s-contacts'" in str(before.ask(QUESTION).as_json())
    assert not before.is_current()  # its file is open still
    file = before.file
    del before
    with pytest.raises(Exception, match="closed"):
        file.meta("generation")


def test_loading_says_that_nothing_is_published(tmp_path: Path) -> None:
    kb = SupportKB(create_workspace(tmp_path / "kb", "name: empty\n"))
    with pytest.raises(NothingPublishedError, match="autokb build"):
        kb.load()
    kb.add([small_tickets.write(tmp_path / "tickets.json")], "tickets")
    kb.build_tickets()
    kb.load()
    assert kb.suggest("the camera crashes").suggestions
