from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import small_tickets
from autokb.core.tickets import Comment, Ticket, TicketLink
from autokb.sources import Fields
from autokb.sources.tickets import read_tickets


def read(here: Path, name: str, content: Any, fields: Fields | None = None) -> dict[str, Ticket]:
    text = content if isinstance(content, str) else json.dumps(content)
    (here / name).write_text(text, encoding="utf-8")
    reading = read_tickets([here / name], fields)
    assert not reading.skipped, reading.skipped
    return {record.item.id: record.item for record in reading.records}


def test_jira_over_rest(tmp_path: Path) -> None:
    one = read(tmp_path, "t.json", {"issues": small_tickets.RECORDS})["APP-1"]
    assert one.title == "App crashes when the camera is closed"
    assert one.description.startswith("The app closes at once.\n\n### Steps to reproduce\n\n1. Open the camera")
    assert one.links == (TicketLink("Duplicate", "APP-2"), TicketLink("Relates", "OLD-9"))
    assert one.comments[1].text == "### Root cause\n\nThe surface was freed twice.\n\n### Solution\n\nUpdate to 2.1."
    assert (one.comments[0].author, one.comments[0].date) == ("kim", "2024-03-02T08:00:00.000+0000")
    assert (one.status, one.resolution, one.priority, one.components) == ("Closed", "Fixed", "High", ("Camera",))
    assert (one.project, one.created) == ("APP", "2024-03-01T08:00:00.000+0000")


def test_jira_parents_and_custom_fields(tmp_path: Path) -> None:
    record = small_tickets.record("A-2", "x", parent={"key": "A-1"}, subtasks=[{"key": "A-3"}], customfield_7="*why*")
    one = read(tmp_path, "t.jsonl", record)["A-2"]
    assert one.links == (TicketLink("Parent-Subtask", "A-1", inward=True), TicketLink("Parent-Subtask", "A-3"))
    assert one.other == {"customfield_7": "**why**"}


def test_jira_csv_keeps_columns_of_one_name(tmp_path: Path) -> None:
    rows = (
        "Issue key,Summary,Status,Comment,Comment,Outward issue link (Duplicate),"
        "Inward issue link (Blocks),Component/s\n"
        '"A-1","It hangs","Open","01/Mar/24 8:00 AM;ann;first","02/Mar/24 8:00 AM;bob;second; with more",'
        '"A-2","A-9","UI"\n'
    )
    one = read(tmp_path, "t.csv", rows)["A-1"]
    assert [c.text for c in one.comments] == ["first", "second; with more"]
    assert [c.author for c in one.comments] == ["ann", "bob"]
    assert one.links == (TicketLink("Duplicate", "A-2"), TicketLink("Blocks", "A-9", inward=True))
    assert (one.status, one.components) == ("Open", ("UI",))


def test_what_a_page_of_github_hides_is_no_text_of_the_ticket(tmp_path: Path) -> None:
    body = "<!-- Fill in\nthis form, see #8 -->\nIt stops.\n```html\n<!-- kept -->\n```\nSo does `<!--`. <!-- open"
    issue = {"number": 7, "title": "Crash", "body": body, "state": "open", "comments": [{"body": "<!-- only this -->"}]}
    one = read(tmp_path, "issues.json", json.dumps([issue]))["7"]
    assert one.description == "It stops.\n```html\n<!-- kept -->\n```\nSo does `<!--`. <!-- open"
    assert (one.comments, one.links) == ((), ())


def test_github_with_references_and_comments_of_a_file_of_their_own(tmp_path: Path) -> None:
    issue = {
        "number": 7, "title": "Crash", "body": "Duplicate of #3.\r\nSee `#99`.", "state": "closed",
        "user": {"login": "ann"}, "labels": [{"name": "bug"}], "comments": 1,
        "created_at": "2024-01-01T00:00:00Z", "state_reason": "completed",
    }  # fmt: skip
    comment = {"issue_url": "https://a.example/issues/7", "body": "Fixes #4, like #5", "user": {"login": "bob"}}
    (tmp_path / "comments.json").write_text(json.dumps([comment]), encoding="utf-8")
    (tmp_path / "issues.json").write_text(json.dumps([issue]), encoding="utf-8")
    (record,) = read_tickets([tmp_path]).records
    one = record.item
    assert (one.id, one.status, one.resolution, one.labels, one.reporter) == (
        "7",
        "closed",
        "completed",
        ("bug",),
        "ann",
    )
    assert one.comments == (Comment("Fixes #4, like #5", "bob"),)
    assert one.links == (TicketLink("Duplicate", "3"), TicketLink("Closes", "4"), TicketLink("Mentions", "5"))


def test_zendesk(tmp_path: Path) -> None:
    record = {
        "id": 12, "subject": "No sound", "description": "It is silent.", "status": "solved", "requester_id": 5,
        "tags": ["audio"], "problem_id": 10, "followup_ids": [13], "created_at": "2024-01-01T00:00:00Z",
        "custom_fields": [{"id": 77, "value": "Pro"}, {"id": 78, "value": None}],
        "comments": [{"author_id": 5, "body": "It is silent."},
                     {"author_id": 6, "html_body": "<p>Try <b>this</b></p>"}],
    }  # fmt: skip
    one = read(tmp_path, "t.json", {"tickets": [record]})["12"]
    assert (one.title, one.description, one.status, one.labels) == ("No sound", "It is silent.", "solved", ("audio",))
    assert [c.text for c in one.comments] == ["Try **this**"]
    assert one.links == (TicketLink("Problem", "10"), TicketLink("Follow-up", "13"))
    assert one.other == {"77": "Pro"}


def test_any_table_by_its_fields(tmp_path: Path) -> None:
    rows = "no,what,body,Severity,links\n1,It leaks,Water everywhere,high,2\n2,It hums,All night,low,\n"
    found = read(tmp_path, "t.csv", rows, Fields(id="no", title="what"))
    assert found["1"].title == "It leaks" and found["1"].description == "Water everywhere"
    assert found["1"].other == {"Severity": "high"} and found["1"].links == (TicketLink("Relates", "2"),)
    found = read(tmp_path, "n.csv", "Ticket No,Subject,Fix Versions\n7,It leaks,2\n")
    assert found["7"].other == {} and found["7"].fix_versions == ("2",), "a column that is known is no section"


def test_bad_records_are_named_and_the_others_taken(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(
        '{"id": "1", "title": "fine"}\n{"id": "2"}\n{"id": "1", "title": "another"}\nno json\n[1]\n', encoding="utf-8"
    )
    reading = read_tickets([tmp_path / "t.jsonl"])
    assert [record.item.id for record in reading.records] == ["1"]
    assert {skipped.path for skipped in reading.skipped} == {f"t.jsonl:{n}" for n in (2, 3, 4, 5)}


def test_what_steers_a_terminal_and_endless_texts_are_bounded(tmp_path: Path) -> None:
    record = {"id": "a\x1b[2J", "title": "t\x1b]0;x\x07", "text": "x" * 300_000, "comments": ["c\x9b1m"]}
    (tmp_path / "t.json").write_text(json.dumps([record]), encoding="utf-8")
    reading = read_tickets([tmp_path / "t.json"])
    one = reading.records[0].item
    assert one.id.isprintable() and one.title.isprintable() and one.comments[0].text.isprintable()
    assert len(one.description) < 200_100
    assert "all but the first 200,000" in reading.skipped[0].reason


def test_a_misspelt_field_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert "--text-field" in read_tickets([tmp_path / "t.csv"], Fields(text="nothing")).misspelt


@pytest.mark.parametrize(
    "content",
    ["{", "[]", '{"a": 1}', "[[[[", '[{"fields": {}, "key": "A"}]', '[{"number": 1, "title": null, "state": "x"}]'],
)
def test_odd_files_end_with_a_reason(tmp_path: Path, content: str) -> None:
    (tmp_path / "t.json").write_text(content, encoding="utf-8")
    reading = read_tickets([tmp_path / "t.json"])
    assert not reading.records and (reading.skipped or content == "[]")
