"""Answers that people accepted go into an export and come back, as every decision of a person does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import small_tickets
from autokb.app import SupportKB

QUESTION = "the handset is empty after a night"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tickets")
    kb = SupportKB.create(folder / "kb", "headphones")
    kb.add([small_tickets.write(folder / "tickets.json", small_tickets.RECORDS)], "tickets")
    kb.tickets.build()
    return kb.workspace.folder


@pytest.fixture
def kb(built: Path, tmp_path: Path) -> SupportKB:
    """Return tickets with an accepted answer, and with one that was taken back."""
    kb = SupportKB.open(shutil.copytree(built, tmp_path / "kb"))
    kb.tickets.accept("no menu is dark", "APP-4", author="bob")
    kb.tickets.accept(QUESTION, "APP-3", author="ann")
    kb.tickets.accept("no menu is dark", "APP-4", undo=True)
    return kb


@pytest.fixture
def without(built: Path, tmp_path: Path) -> SupportKB:
    """Return the same tickets without any answer."""
    return SupportKB.open(shutil.copytree(built, tmp_path / "without"))


def questions(kb: SupportKB, ticket: str = "APP-3") -> list[tuple[str, str]]:
    return [(one.question, one.author) for one in kb.tickets.show(ticket).answers]


def answer_lines(path: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["kind"] == "ticket_answer"]


def test_an_empty_workspace_gets_them_with_the_tickets(kb: SupportKB, tmp_path: Path) -> None:
    kb.export(tmp_path / "kb.jsonl")
    (line,) = answer_lines(tmp_path / "kb.jsonl")
    assert (line["question"], line["ticket"], line["author"]) == (QUESTION, "APP-3", "ann")
    other = SupportKB.create(tmp_path / "other", "headphones")
    assert other.import_(tmp_path / "kb.jsonl").skipped == ()
    assert questions(other) == [(QUESTION, "ann")]
    assert other.tickets.ask(QUESTION).tickets[0].id == "APP-3"
    other.export(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "kb.jsonl").read_bytes()


def test_a_workspace_that_holds_tickets_takes_those_it_does_not_know(
    kb: SupportKB, without: SupportKB, tmp_path: Path
) -> None:
    kb.export(tmp_path / "kb.jsonl")
    count = len((tmp_path / "kb.jsonl").read_text(encoding="utf-8").splitlines())
    first = without.import_(tmp_path / "kb.jsonl")
    assert (first.taken, first.unchanged, first.skipped) == (1, count - 1, ())
    assert questions(without) == [(QUESTION, "ann")]
    again = without.import_(tmp_path / "kb.jsonl")
    assert (again.taken, again.unchanged, again.skipped) == (0, count, ())


def test_what_was_taken_back_here_does_not_come_back_with_an_old_export(kb: SupportKB, tmp_path: Path) -> None:
    kb.export(tmp_path / "kb.jsonl")
    kb.tickets.accept(QUESTION, "APP-3", undo=True)
    done = kb.import_(tmp_path / "kb.jsonl")
    assert done.taken == 0
    (skipped,) = done.skipped
    assert skipped.path == "ticket APP-3"
    assert "taken back here since" in skipped.reason
    assert questions(kb) == []


def test_a_file_that_takes_the_place_of_all_brings_its_answers_and_no_others(
    kb: SupportKB, without: SupportKB, tmp_path: Path
) -> None:
    kb.export(tmp_path / "kb.jsonl")
    without.tickets.accept("nothing can be printed", "APP-2")
    done = without.import_(tmp_path / "kb.jsonl", replace=True)
    assert any("1 accepted answer" in note for note in done.notes)
    assert (questions(without), questions(without, "APP-2")) == ([(QUESTION, "ann")], [])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"question": None}, "question must be text of 1 to 10,000 characters"),
        ({"question": " \x01 "}, "question must be text of 1 to 10,000 characters"),
        ({"question": "x" * 10_001}, "question must be text of 1 to 10,000 characters"),
        ({"ticket": ""}, "ticket must be an id"),
        ({"number": -1}, "number must be"),
    ],
)
def test_a_line_that_is_none_is_named(
    kb: SupportKB, without: SupportKB, tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    kb.export(tmp_path / "kb.jsonl")
    (line,) = answer_lines(tmp_path / "kb.jsonl")
    (tmp_path / "one.jsonl").write_text(json.dumps({**line, **change}) + "\n" + json.dumps({**line, "id": "2"}))
    done = without.import_(tmp_path / "one.jsonl")
    assert done.taken == 1
    (skipped,) = done.skipped
    assert skipped.path == "line 1" and why in skipped.reason


def test_one_question_and_ticket_is_one_answer_however_it_is_written(
    kb: SupportKB, without: SupportKB, tmp_path: Path
) -> None:
    kb.export(tmp_path / "kb.jsonl")
    (line,) = answer_lines(tmp_path / "kb.jsonl")
    other = {**line, "id": "another", "question": f" {QUESTION.upper()}\t", "number": None, "author": "\x1b[1mcy"}
    new = {**line, "id": "new", "question": "the battery is flat", "author": None, "number": None}
    (tmp_path / "some.jsonl").write_text("\n".join(map(json.dumps, (line, other, new))), encoding="utf-8")
    done = without.import_(tmp_path / "some.jsonl")
    assert (done.taken, done.unchanged) == (2, 1)
    assert questions(without) == [(QUESTION, "ann"), ("the battery is flat", "")]
