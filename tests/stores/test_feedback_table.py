"""The table of feedback: what is stored once, in order, and stays known when it was taken back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autokb.core.errors import AutokbError
from autokb.core.in_use import Feedback, feedback_id, resolved_questions
from autokb.stores.database import failures_as_sentences
from autokb.stores.feedback import (
    feedback_ids,
    find_feedback,
    keep_feedback,
    read_feedback,
    replace_all_feedback,
    take_back,
)
from autokb.stores.schema import SCHEMA_VERSION
from autokb.stores.workspace_file import WorkspaceFile
from unwritable import unwritable_copy

ONE = Feedback("f-1", "it leaks", "used", "s", documents=("a.md",), suggested="Dry it.", date="2026-01-01")
OTHER = replace(ONE, id="f-2", query="it hums", verdict="rejected", text="Hänge es auf 😀\nzweitens")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[WorkspaceFile]:
    opened = WorkspaceFile(tmp_path / "knowledge.db", create=True)
    yield opened
    opened.close()


def keep(file: WorkspaceFile, *feedback: Feedback) -> list[Feedback | None]:
    with file.transaction():
        return [keep_feedback(file, one) for one in feedback]


def test_what_is_kept_is_read_back_in_order_and_once(file: WorkspaceFile) -> None:
    generation = file.meta("generation")
    assert keep(file, ONE, OTHER, ONE) == [replace(ONE, number=1), replace(OTHER, number=2), None]
    assert read_feedback(WorkspaceFile(file.path)) == [replace(ONE, number=1), replace(OTHER, number=2)]
    assert read_feedback(file, limit=1) == [replace(ONE, number=1)]
    assert read_feedback(file, after=1) == [replace(OTHER, number=2)]
    assert file.meta("generation") == generation  # a service need not load its index anew for each click


def test_what_was_taken_back_is_known_and_counts_again_when_it_is_given_again(file: WorkspaceFile) -> None:
    keep(file, ONE, OTHER)
    with file.transaction():
        take_back(file, "f-1")
    assert [one.id for one in read_feedback(file)] == ["f-2"]
    assert (feedback_ids(file), feedback_ids(file, undone=True)) == ({"f-1", "f-2"}, {"f-1"})
    assert find_feedback(file, "f-1") == replace(ONE, number=1)
    assert keep(file, ONE) == [replace(ONE, number=1)]
    assert [one.id for one in read_feedback(file)] == ["f-1", "f-2"]


def test_numbers_of_a_file_stay_where_they_grow(file: WorkspaceFile) -> None:
    keep(file, OTHER)
    given = [replace(ONE, id=f"f-{n}", number=n) for n in (3, 7, 7, 0)]
    with file.transaction():
        replace_all_feedback(file, [replace(one, id=f"g-{n}") for n, one in enumerate(given)])
    assert [(one.id, one.number) for one in read_feedback(file)] == [("g-0", 3), ("g-1", 7), ("g-2", 8), ("g-3", 9)]


def test_a_transaction_that_fails_keeps_nothing(file: WorkspaceFile) -> None:
    with pytest.raises(RuntimeError), file.transaction():
        keep_feedback(file, ONE)
        raise RuntimeError
    assert read_feedback(file) == []


def test_a_damaged_row_is_one_sentence_without_its_text(file: WorkspaceFile) -> None:
    keep(file, ONE)
    db = sqlite3.connect(file.path)
    db.execute('UPDATE feedback SET body = \'{"query":"my secret"}\'')
    db.commit()
    db.close()
    with pytest.raises(AutokbError, match="is damaged") as raised, failures_as_sentences(file.path):
        read_feedback(file)
    assert "secret" not in str(raised.value)


@pytest.fixture
def fifth(tmp_path: Path) -> Path:
    """A file of version 5, which had no feedback."""
    path = tmp_path / "knowledge.db"
    WorkspaceFile(path, create=True).close()
    db = sqlite3.connect(path)
    db.executescript("DROP TABLE feedback; UPDATE meta SET value = '5' WHERE key = 'schema';")
    db.close()
    return path


def test_a_file_of_version_5_gets_the_table(fifth: Path) -> None:
    file = WorkspaceFile(fifth)
    assert file.meta("schema") == SCHEMA_VERSION
    keep(file, ONE)
    assert [one.id for one in read_feedback(file)] == ["f-1"]
    file.close()


def test_a_file_of_version_5_that_nobody_can_write_has_none(fifth: Path) -> None:
    with unwritable_copy(fifth.parent) as folder:
        file = WorkspaceFile(folder / fifth.name)
        assert (file.meta("schema"), read_feedback(file), find_feedback(file, "f-1")) == ("5", [], None)
        assert feedback_ids(file) == frozenset()
        file.close()


def test_an_id_is_made_from_what_was_said_and_not_from_when() -> None:
    said = Feedback("", "It  leaks", "used", "s", " text ", conversation="c", author="ann", group="eu")
    same = replace(said, query="it leaks", text="text", date="2026-02-02", number=9, suggested="x", documents=("a.md",))
    assert feedback_id(said) == feedback_id(same)
    others = [
        replace(said, **{name: "edited"})  # type: ignore[arg-type]
        for name in ("query", "verdict", "solution_id", "text", "conversation", "author", "group")
    ]
    tickets = [replace(said, solution_id=None, documents=documents) for documents in ((), ("T-1",), ("T-2",))]
    assert len(set(map(feedback_id, (said, *others, *tickets)))) == 11


def test_the_last_word_on_a_solution_for_a_question_counts() -> None:
    used = replace(ONE, number=1)
    failed = replace(ONE, id="f-3", verdict="unhelpful", query="It leaks", number=2)
    assert resolved_questions([used]) == [used]
    assert resolved_questions([failed, used]) == []
    elsewhere = replace(failed, conversation="c")
    edited, by_hand = replace(used, id="f-4", verdict="edited", query="x"), replace(used, documents=(), query="y")
    assert resolved_questions([used, elsewhere, edited, by_hand]) == [used, edited]
