"""The tables of what is in use: questions of which the newest stay, closed gaps, arms and outcomes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from autokb.core.errors import AutokbError
from autokb.core.in_use import AssignedArm, ClosedGap, ConversationOutcome, LoggedQuestion
from autokb.stores import outcomes as outcome_tables
from autokb.stores import question_log
from autokb.stores.database import failures_as_sentences
from autokb.stores.outcomes import find_outcome, keep_arms, keep_outcome, read_arms, read_outcomes
from autokb.stores.question_log import (
    close_gaps,
    count_lost,
    forget_questions,
    keep_questions,
    open_gaps,
    read_closed_gaps,
    read_questions,
)
from autokb.stores.schema import SCHEMA_VERSION
from autokb.stores.workspace_file import WorkspaceFile
from unwritable import unwritable_copy

ONE = LoggedQuestion("do you sell pizza", "abstains", "ask", "2026-01-01T00:00:00+00:00", "en", "off topic")
OTHER = replace(ONE, text="Hänge es auf 😀", outcome="answered", themes=("power",), issues=("i",), solutions=("s", "t"))


@pytest.fixture
def file(tmp_path: Path) -> Iterator[WorkspaceFile]:
    opened = WorkspaceFile(tmp_path / "knowledge.db", create=True)
    yield opened
    opened.close()


def keep(file: WorkspaceFile, *questions: LoggedQuestion, lost: int = 0) -> None:
    with file.transaction():
        keep_questions(file, questions, lost=lost)


def test_a_flood_of_the_ask_box_removes_no_question_of_others(
    file: WorkspaceFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_log, "MOST_QUESTIONS", 10)
    monkeypatch.setattr(question_log, "MOST_OF_BOX", 4)
    box = replace(ONE, asked_by="box", text="box")
    keep(file, *[replace(ONE, text=f"staff {n}") for n in range(5)])
    for _ in range(7):
        keep(file, *[box] * 3)
    kept = [one.text for one in read_questions(file)]
    assert kept == [*(f"staff {n}" for n in range(5)), *["box"] * 4]
    keep(file, *[replace(ONE, text=f"later {n}") for n in range(8)])
    kept = [one.text for one in read_questions(file)]
    assert len(kept) == 10 and kept[-8:] == [f"later {n}" for n in range(8)]


def test_questions_are_read_back_in_order_and_no_reader_loads_anew(file: WorkspaceFile) -> None:
    generation = file.meta("generation")
    keep(file, ONE, OTHER)
    assert read_questions(WorkspaceFile(file.path)) == [replace(ONE, number=1), replace(OTHER, number=2)]
    assert file.meta("generation") == generation


def test_the_newest_stay(file: WorkspaceFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_log, "MOST_QUESTIONS", 3)
    keep(file, *(replace(ONE, text=str(n)) for n in range(5)))
    keep(file, replace(ONE, text="5"))
    assert [one.text for one in read_questions(file)] == ["3", "4", "5"]


def test_what_was_lost_is_counted_until_the_log_is_emptied(file: WorkspaceFile) -> None:
    keep(file, ONE, lost=2)
    keep(file, lost=3)
    assert count_lost(file) == 5
    assert (forget_questions(file), forget_questions(file), count_lost(file)) == (1, 0, 0)


def test_nothing_of_a_forgotten_question_is_left_in_the_files(tmp_path: Path) -> None:
    file = WorkspaceFile(tmp_path / "knowledge.db", create=True)
    keep(file, *(replace(ONE, text=f"sesame {n} " * 200) for n in range(50)))

    def held() -> bytes:
        return b"".join(path.read_bytes() for path in tmp_path.iterdir())

    assert b"sesame 7 " in held()
    assert forget_questions(file) == 50
    assert b"sesame" not in held()
    file.close()


def test_gaps_are_closed_and_opened(file: WorkspaceFile) -> None:
    closed = [ClosedGap("gap-1", "done", "ann", "2026-01-01"), ClosedGap("gap-2", "dismissed", "", "2026-01-02")]
    with file.transaction():
        close_gaps(file, closed)
        close_gaps(file, [replace(closed[0], status="dismissed")])
    assert read_closed_gaps(file) == {"gap-1": replace(closed[0], status="dismissed"), "gap-2": closed[1]}
    with file.transaction():
        open_gaps(file, ["gap-1", "gap-3"])
    assert list(read_closed_gaps(file)) == ["gap-2"]


def test_the_first_arm_of_a_conversation_stays_in_each_experiment(
    file: WorkspaceFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = AssignedArm("c1", "a", "control", "2026-01-01")
    with file.transaction():
        keep_arms(file, [first, replace(first, arm="treatment"), replace(first, salt="b", arm="treatment")])
    assert read_arms(file, "a") == [first]
    assert [one.arm for one in read_arms(file, "b")] == ["treatment"] and read_arms(file, "c") == []
    monkeypatch.setattr(outcome_tables, "MOST_ARMS", 2)
    with file.transaction():
        keep_arms(file, [replace(first, conversation="c2")])
    assert [one.conversation for one in read_arms(file, "a")] == ["c2"]


def test_an_outcome_grows_and_is_stored_once(file: WorkspaceFile) -> None:
    first = ConversationOutcome("c1", resolved=True, date="2026-01-01")
    later = ConversationOutcome("c1", returned=False, seconds=12.5, date="2026-02-01")
    whole = ConversationOutcome("c1", True, False, 12.5, "2026-01-01")
    with file.transaction():
        assert keep_outcome(file, first) == (first, True)
        assert keep_outcome(file, first) == (first, False)
        assert keep_outcome(file, later) == (whole, True)
        assert keep_outcome(file, later) == (whole, False)
        assert keep_outcome(file, replace(first, resolved=False))[0] == replace(whole, resolved=False)
        keep_outcome(file, replace(first, conversation="a"))
    assert find_outcome(file, "c1") == replace(whole, resolved=False) and find_outcome(file, "x") is None
    assert [one.conversation for one in read_outcomes(WorkspaceFile(file.path))] == ["a", "c1"]


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("question", 'body = \'{"text":"my secret"}\''),
        ("question", "body = x'ff'"),
        ("closed_gap", "status = 'half'"),
        ("arm", "arm = 'secret'"),
        ("outcome", "resolved = 'secret'"),
        ("outcome", "seconds = 'secret'"),
    ],
)
def test_a_damaged_row_is_one_sentence_without_its_text(file: WorkspaceFile, table: str, change: str) -> None:
    keep(file, ONE)
    with file.transaction():
        close_gaps(file, [ClosedGap("gap-1", "done", "ann", "2026-01-01")])
        keep_arms(file, [AssignedArm("c", "", "control", "2026-01-01")])
        keep_outcome(file, ConversationOutcome("c", True, date="2026-01-01"))
    with closing(sqlite3.connect(file.path)) as db:
        db.execute(f"UPDATE {table} SET {change}")
        db.commit()
    with pytest.raises(AutokbError, match="is damaged") as raised, failures_as_sentences(file.path):
        read_questions(file), read_closed_gaps(file), read_arms(file, ""), read_outcomes(file)
    assert "secret" not in str(raised.value)


@pytest.fixture
def seventh(tmp_path: Path) -> Path:
    """A file of version 7, which had none of these tables."""
    path = tmp_path / "knowledge.db"
    WorkspaceFile(path, create=True).close()
    with closing(sqlite3.connect(path)) as db:
        db.executescript("".join(f"DROP TABLE {name};" for name in ("question", "closed_gap", "arm", "outcome")))
        db.execute("UPDATE meta SET value = '7' WHERE key = 'schema'")
        db.commit()
    return path


def test_a_file_of_version_7_gets_the_tables(seventh: Path) -> None:
    file = WorkspaceFile(seventh)
    assert file.meta("schema") == SCHEMA_VERSION
    keep(file, ONE)
    assert [one.text for one in read_questions(file)] == [ONE.text]
    file.close()


def test_a_file_of_version_7_that_nobody_can_write_has_none(seventh: Path) -> None:
    with unwritable_copy(seventh.parent) as folder:
        file = WorkspaceFile(folder / seventh.name)
        assert (file.meta("schema"), read_questions(file), read_closed_gaps(file)) == ("7", [], {})
        assert (read_arms(file, ""), read_outcomes(file), find_outcome(file, "c"), forget_questions(file)) == (
            [],
            [],
            None,
            0,
        )
        file.close()
