"""What readers say of what they took only in part: ids that some records lack, dates that could be two days."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autokb.sources import Fields, Reading, read_documents, read_issues
from autokb.sources.chats import read_chats
from autokb.sources.tickets import read_tickets

Read = Callable[..., Reading[Any]]
UNDATED = "dates could be two days or are no dates, so they are left out; write dates as YYYY-MM-DD: "


def write(folder: Path, name: str, *records: dict[str, Any]) -> Path:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    return path


def talk(text: str, **fields: str) -> dict[str, Any]:
    return {"messages": [{"role": "customer", "text": text}], **fields}


RECORDS: dict[Read, Callable[..., dict[str, Any]]] = {
    read_documents: lambda text, **fields: {"text": text, **fields},
    read_issues: lambda text, **fields: {"text": text, **fields},
    read_tickets: lambda text, **fields: {"title": text, **fields},
    read_chats: talk,
}


@pytest.mark.parametrize("read", RECORDS)
def test_ids_that_some_records_of_a_file_lack_are_said(tmp_path: Path, read: Read) -> None:
    record = RECORDS[read]
    some = write(tmp_path, "some.jsonl", record("a", id="1"), record("b"), record("c", id=""), record("d", id=" "))
    more = write(tmp_path, "more.jsonl", record("e", id="2"), record("f"))
    (note,) = read([some, more]).notes
    named = "some.jsonl:2, some.jsonl:3, some.jsonl:4, …"
    assert note.startswith(f"Records without an id in a file where others have one: 4 ({named}). Their ids are made")
    assert "--id-field" in note


@pytest.mark.parametrize("read", RECORDS)
def test_ids_that_all_records_of_a_file_lack_are_no_surprise(tmp_path: Path, read: Read) -> None:
    record = RECORDS[read]
    none = write(tmp_path, "none.jsonl", record("a"), record("b"))
    every = write(tmp_path, "all.jsonl", record("c", id="1"), record("d", id="2"))
    reading = read([none, every])
    assert (len(reading.records), reading.notes) == (4, ())


def test_a_named_column_without_an_id_skips_the_record_and_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, "i.jsonl", {"nr": "1", "text": "a"}, {"nr": "", "text": "b"})
    reading = read_issues([path], Fields(id="nr"))
    assert (len(reading.records), len(reading.skipped), reading.notes) == (1, 1, ())


def test_unclear_dates_of_tickets_are_counted_and_shown(tmp_path: Path) -> None:
    rows = (
        "id,title,created,updated,resolved,comments\n"
        "1,It hums,03/04/2026,2026-05-01,yes,\n2,It stops,13/04/2026,,,\n3,It rains,04/05/2026,soon,1,\n"
    )
    path = tmp_path / "t.csv"
    path.write_text(rows, encoding="utf-8")
    reading = read_tickets([path])
    assert reading.notes == (f"2 {UNDATED}03/04/2026, 04/05/2026",), "a word in a column of dates is none"
    assert [r.item.created for r in reading.records] == ["", "2026-04-13", ""]
    comment = {"text": "Oil it.", "created": "05/06/2026"}
    (note,) = read_tickets([write(tmp_path, "c.jsonl", {"id": "1", "title": "a", "comments": [comment]})]).notes
    assert note.startswith("1 date could be two days") and note.endswith(": 05/06/2026")


def test_dates_of_jiras_own_table_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        'Issue key,Summary,Created,Comment\nA-1,It hangs,13/Mar/26 2:05 PM,"01/Apr/26 8:00 AM;ann;first"\n',
        encoding="utf-8",
    )
    reading = read_tickets([path])
    (record,) = reading.records
    assert (record.item.created, record.item.comments[0].date) == ("2026-03-13", "2026-04-01")
    assert reading.notes == ()


def test_unclear_dates_of_conversations_are_counted_and_shown(tmp_path: Path) -> None:
    rows = "conversation,role,text,date\n1,customer,a,03/04/2026\n1,agent,b,13/04/2026\n2,customer,c,04/05/2026\n"
    path = tmp_path / "c.csv"
    path.write_text(rows, encoding="utf-8")
    assert read_chats([path]).notes == (f"2 {UNDATED}03/04/2026, 04/05/2026",)
    whole = write(tmp_path, "c.jsonl", talk("a", id="1", date="03/04/2026"), talk("b", id="2", date="2026-05-04"))
    (note,) = read_chats([whole]).notes
    assert note.startswith("1 date could be two days") and note.endswith(": 03/04/2026")


def test_a_table_that_cannot_be_a_document_names_its_columns_and_the_option(tmp_path: Path) -> None:
    path = tmp_path / "help.csv"
    path.write_text("Title,Article,Url\nPairing,Hold the button.,/pairing\n", encoding="utf-8")
    (skipped,) = read_documents([path]).skipped
    assert "--text-field (it has Title, Article, Url)" in skipped.reason
    (record,) = read_documents([path], Fields(text="Article")).records
    assert (record.item.title, record.item.text.strip()) == ("Pairing", "Hold the button.")
    path.write_text("Title,Article,Url\n", encoding="utf-8")
    (skipped,) = read_documents([path]).skipped
    assert "it has no rows" in skipped.reason
