"""The log of questions: masked, bounded, in no export, and never in the way of an answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.core.errors import StoreAwayError
from autokb.core.in_use import LoggedQuestion, hashed_conversation
from autokb.stores.question_log import count_lost, read_questions
from autokb.stores.workspace import Workspace, open_workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.usage import question_log
from autokb.usage.question_log import masked_beginning

QUESTION = "my robot does not charge in the dock"
PRIVATE = "write to ann@example.org or call +49 170 1234567"
PATIENCE = 30.0  # seconds for which a test waits at most for a thread


def kept(workspace: Workspace) -> list[LoggedQuestion]:
    with workspace.file() as file:
        return read_questions(file)


def flushed(kb: SupportKB) -> list[LoggedQuestion]:
    assert kb._memory.log is not None and kb._memory.log.flush(PATIENCE)
    return kept(kb.workspace)


@pytest.fixture
def kb(hand_made: Workspace) -> Iterator[SupportKB]:
    opened = SupportKB(hand_made, keep_log=True)
    yield opened
    opened.close()


@contextmanager
def locked(workspace: Workspace) -> Iterator[None]:
    """Hold the lock by which one process at a time writes."""
    with closing(sqlite3.connect(workspace.knowledge_path, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("ROLLBACK")


def test_a_batch_is_written_once_though_its_answer_was_lost(kb: SupportKB, monkeypatch: pytest.MonkeyPatch) -> None:
    real, answers = WorkspaceFile.transaction, iter([StoreAwayError("lost"), None])

    @contextmanager
    def loses_its_answer(file: WorkspaceFile) -> Iterator[None]:
        with real(file):
            yield
        if (lost := next(answers)) is not None:  # committed, and nobody was told
            raise lost

    monkeypatch.setattr(WorkspaceFile, "transaction", loses_its_answer)
    kb.ask(QUESTION)
    assert [one.text for one in flushed(kb)] == [QUESTION] and next(answers, "both") == "both"


def test_of_a_mail_what_its_writer_says_is_kept(kb: SupportKB) -> None:
    mail = f"{QUESTION}\n\nBest regards\nKim\n\nOn Mon, 3 Nov 2026, Support wrote:\n> press the button"
    kb.ask(mail)
    kb.suggest(mail, conversation="chat 7")
    assert [one.text for one in flushed(kb)] == [QUESTION, QUESTION]


def test_what_is_asked_is_kept_masked_with_what_was_shown(kb: SupportKB) -> None:
    answer = kb.ask(f"{QUESTION}, {PRIVATE}")
    suggested = kb.suggest(QUESTION, conversation="chat 7")
    kb.ask("do you sell pizza")
    asked, live, pizza = flushed(kb)
    assert asked.text == f"{QUESTION}, write to <email-1> or call <phone-1>"
    assert (asked.outcome, asked.asked_by, asked.language) == (answer.outcome, "ask", "en") and "power" in asked.themes
    assert asked.issues == tuple(match.issue.id for match in answer.matches)
    read = [*(s for match in answer.matches for s in match.solutions), *(one.solution for one in answer.passages)]
    assert asked.solutions == tuple(s.id for s in read) and asked.solutions
    assert (live.asked_by, live.themes[0], live.issues[0]) == ("suggest", "power", "charge")
    assert live.solutions == tuple(one.solution_id for one in suggested.suggestions if one.solution_id)
    assert live.conversation == hashed_conversation("chat 7") and "7" not in live.conversation.split("-")[0]
    assert (pizza.outcome, pizza.issues, pizza.reason != "") == ("abstains", (), True)


def test_only_what_opens_with_a_log_keeps_one_and_settings_turn_it_off(hand_made: Workspace) -> None:
    for keep_log, settings, log in ((False, "", True), (True, "log_questions: false\n", True), (True, "", False)):
        (hand_made.folder / "settings.yaml").write_text(settings)
        kb = SupportKB.open(hand_made.folder, keep_log=keep_log)
        kb.ask(QUESTION, log=log)
        kb.suggest(QUESTION, log=log)
        kb.close()
        assert kept(hand_made) == []


def test_an_answer_does_not_wait_for_a_locked_file(kb: SupportKB, monkeypatch: pytest.MonkeyPatch) -> None:
    kb.load()
    with locked(kb.workspace):  # nobody can write before the block ends, and each answer is there inside of it
        assert [kb.ask(QUESTION).outcome, kb.suggest(QUESTION).outcome] == ["answered", "answered"]
        assert kept(kb.workspace) == []
    assert len(flushed(kb)) == 2
    monkeypatch.setattr(question_log, "BUSY_SECONDS", 0.0)
    assert kb._memory.log is not None
    with locked(kb.workspace):
        kb.ask(QUESTION)
        assert kb._memory.log.flush(PATIENCE)  # given up
        assert kb._memory.log.lost == 1
    kb.ask(QUESTION)
    assert len(flushed(kb)) == 3
    with kb.workspace.file() as file:
        assert count_lost(file) == 1
    assert kb.usage.gaps().log.lost == 1


def test_a_file_that_cannot_be_written_costs_the_entry_alone(kb: SupportKB, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(question_log, "keep_questions", full)
        assert kb.ask(QUESTION).outcome == "answered"
        assert flushed(kb) == [] and kb._memory.log is not None and kb._memory.log.lost == 1
    kb.ask(QUESTION)
    assert len(flushed(kb)) == 1


def test_what_comes_faster_than_it_is_written_is_counted(kb: SupportKB, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_log, "MOST_WAITING", 3)
    kb.load()
    with locked(kb.workspace):
        for _ in range(12):
            assert kb.ask(QUESTION).outcome == "answered"
    assert kb._memory.log is not None
    questions = flushed(kb)
    assert 3 <= len(questions) < 12 and len(questions) + kb._memory.log.lost == 12


def test_closing_writes_what_waits_and_a_later_question_begins_anew(kb: SupportKB) -> None:
    kb.ask(QUESTION)
    kb.close()
    assert len(kept(kb.workspace)) == 1
    kb.ask(QUESTION)
    kb.close()
    assert len(kept(kb.workspace)) == 2 and kb._memory.log is not None and kb._memory.log.lost == 0


def test_closing_does_not_wait_for_a_lock_that_stays(kb: SupportKB) -> None:
    kb.ask(QUESTION)
    assert kb._memory.log is not None
    thread = kb._memory.log._thread
    assert thread is not None
    with locked(kb.workspace):
        kb._memory.log.close(0.1)
    thread.join(PATIENCE)
    assert not thread.is_alive() and len(kept(kb.workspace)) + kb._memory.log.lost == 1


def test_the_thread_that_writes_can_be_the_one_that_closes(kb: SupportKB, monkeypatch: pytest.MonkeyPatch) -> None:
    log, keep = kb._memory.log, question_log.keep_questions
    assert log is not None

    def keep_and_close(*args: Any, **kwargs: Any) -> None:
        kb._memory.log.close()  # type: ignore[union-attr]  # as the collector of garbage does, in whatever thread it runs
        keep(*args, **kwargs)

    monkeypatch.setattr(question_log, "keep_questions", keep_and_close)
    kb.ask(QUESTION)
    thread = log._thread
    assert thread is not None
    thread.join(PATIENCE)
    assert not thread.is_alive() and log.lost == 0 and len(kept(kb.workspace)) == 1


def test_one_that_nobody_closes_writes_what_waits_when_it_goes(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made, keep_log=True)
    kb.ask(QUESTION)
    del kb
    assert len(kept(hand_made)) == 1


@pytest.mark.parametrize("suffix", ["jsonl", "md", "csv"])
def test_no_export_holds_a_question_and_no_import_touches_one(kb: SupportKB, tmp_path: Path, suffix: str) -> None:
    kb.export(tmp_path / f"before.{suffix}")
    kb.ask("does sesame oil help")
    assert len(flushed(kb)) == 1
    kb.usage.report_outcome("chat-sesame", resolved=True)
    kb.export(tmp_path / f"after.{suffix}")
    written = (tmp_path / f"after.{suffix}").read_bytes()
    assert written == (tmp_path / f"before.{suffix}").read_bytes() and b"sesame" not in written
    kb.import_(tmp_path / f"after.{suffix}", replace=suffix == "jsonl")
    assert len(kept(kb.workspace)) == 1


def test_forgetting_empties_the_log(kb: SupportKB) -> None:
    kb.ask("does sesame oil help")
    assert kb.usage.forget_questions().forgotten == 1
    assert kept(kb.workspace) == [] and kb.usage.gaps().questions == ()
    kb.close()
    held = b"".join(path.read_bytes() for path in kb.workspace.folder.iterdir() if path.is_file())
    assert b"sesame" not in held


def test_names_of_people_are_masked_where_a_message_gives_them_away(kb: SupportKB) -> None:
    kb.ask(f"Hi, I'm Anna Schmidt. {QUESTION}.\nRegards,\nAnna")
    kb.suggest("Hello Hopper, my robot does not charge. Thanks, Tom Low")
    assert [one.text for one in flushed(kb)] == [
        f"Hi, I'm <name-1>. {QUESTION}.",
        "Hello Hopper, my robot does not charge. Thanks, <name-1>",
    ]


def test_the_language_of_a_question_is_noted(kb: SupportKB) -> None:
    kb.ask("wieviel kostet bei Ihnen eigentlich eine Pizza mit Schinken und Käse?")
    assert [one.language for one in flushed(kb)] == ["de"]


@pytest.mark.parametrize("length", [0, 10, 1_985, 1_995, 3_990, 3_999, 4_001, 50_000])
def test_a_long_question_is_cut_and_no_private_word_is_cut_in_two(length: int) -> None:
    text = "x " * (length // 2) + f"ann.secretary@example.org {PRIVATE} " + "y " * 3_000
    masked = masked_beginning(text, "en")
    assert len(masked) <= 2_000 and not any(word in masked for word in ("ann", "secretary", "example", "170"))
    assert not masked.rstrip().endswith(("<", "<e", "<email", "<email-"))


def test_controls_and_halves_of_characters_are_kept_as_harmless_text(kb: SupportKB) -> None:
    kb.ask("my robot \x1b[2J does \ud800 not charge \x00 in the dock")
    (one,) = flushed(kb)
    assert one.text.isprintable() and "charge" in one.text


def test_a_read_only_workspace_answers(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    from unwritable import unwritable_copy

    with unwritable_copy(hand_made.folder) as folder:
        kb = SupportKB(open_workspace(folder), keep_log=True)
        assert kb.ask(QUESTION).outcome == "answered"
        assert kb._memory.log is not None and kb._memory.log.flush(PATIENCE) and kb._memory.log.lost == 1
        kb.close()
