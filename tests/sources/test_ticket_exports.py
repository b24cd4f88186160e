"""Exports of tickets as tools and desks really write them: names, notes, comments and dates are where they belong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import small_tickets
from autokb.core.tickets import Comment, Ticket
from autokb.sources import Reading, read_documents
from autokb.sources.chats import read_chats
from autokb.sources.tickets import read_tickets
from autokb.text.ticket_parts import told_ticket


def reading_of(folder: Path, content: Any, name: str = "t.json") -> Reading[Ticket]:
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return read_tickets([folder / name])


def one_of(folder: Path, content: Any, name: str = "t.json") -> Ticket:
    reading = reading_of(folder, content, name)
    assert not reading.skipped, reading.skipped
    (record,) = reading.records
    return record.item


NAMES = {"customfield_10050": "Root cause", "customfield_10051": "Root cause", "customfield_9": "Impact"}
CUSTOM = {"customfield_10050": "A *loose* cable.", "customfield_10051": "And rust.", "customfield_9": {"value": "High"}}


def test_custom_fields_of_jira_have_the_names_that_the_file_gives_them(tmp_path: Path) -> None:
    issue = small_tickets.record("A-1", "It stops", **CUSTOM)
    told = {"Root cause": "A **loose** cable.\n\nAnd rust.", "Impact": "High"}
    assert one_of(tmp_path, {"names": NAMES, "issues": [issue]}).other == told
    assert one_of(tmp_path, {**issue, "names": NAMES}).other == told
    assert one_of(tmp_path, [{"key": "A-1", "summary": "It stops", "names": NAMES, **CUSTOM}]).other == told
    column = "Custom field (Root cause)"
    table = f"Issue key,Summary,{column},{column}\nA-1,It stops,A *loose* cable.,And rust.\n"
    assert one_of(tmp_path, table, "t.csv").other == {"Root cause": told["Root cause"]}


def test_a_date_in_the_text_of_jira_stays(tmp_path: Path) -> None:
    day = {"type": "date", "attrs": {"timestamp": "1773446400000"}}
    text = {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "Due "}, day]}]}
    assert one_of(tmp_path, small_tickets.record("A-1", "x", text)).description == "Due 2026-03-14"


@pytest.mark.parametrize(
    ("dates", "order"),
    [
        (["2026-03-03T09:00:00Z", "2026-03-02T09:00:00Z"], "ba"),
        (["2026-03-02T10:00:00+02:00", "2026-03-02T08:30:00Z"], "ab"),
        (["03.03.2026", "02.03.2026", "02.03.2026"], "cba"),
        (["2026-03-02", "2026-03-02"], "ab"),
        (["2026-03-03", "soon"], "ab"),
    ],
)
def test_comments_are_in_the_order_of_time(tmp_path: Path, dates: list[str], order: str) -> None:
    comments = [{"text": text, "date": date} for text, date in zip("abc", dates, strict=False)]
    ticket = one_of(tmp_path, [{"id": "1", "title": "x", "comments": comments}])
    assert "".join(comment.text for comment in ticket.comments) == order


@pytest.mark.parametrize(
    ("record", "mark"),
    [
        ({"id": 1, "subject": "x", "via": {}, "description": "It hums."}, {"public": False}),
        (small_tickets.record("A-1", "x", "It hums."), {"jsdPublic": False}),
        (small_tickets.record("A-1", "x", "It hums."), {"visibility": {"type": "role", "value": "Team"}}),
        ({"number": 1, "title": "x", "state": "open", "body": "It hums."}, {"internal": True}),
        ({"id": "1", "title": "x", "text": "It hums."}, {"private": True}),
        ({"id": "1", "title": "x", "text": "It hums."}, {"type": "internal_note"}),
        ({"id": "1", "title": "x", "text": "It hums."}, {"public": "false"}),
    ],
)
def test_notes_of_the_team_are_kept_apart(tmp_path: Path, record: dict[str, Any], mark: dict[str, Any]) -> None:
    comments = [{"body": "Oil it.", "public": True}, {"body": "He is a VIP.", **mark}]
    place = record.get("fields", record)
    place.pop("comment", None)
    ticket = one_of(tmp_path, [{**record, "comments": comments}])
    assert [(c.text, c.internal) for c in ticket.comments] == [("Oil it.", False), ("He is a VIP.", True)]
    assert [c.text for c in told_ticket(ticket).comments] == ["Oil it."]


def test_columns_of_notes_are_notes(tmp_path: Path) -> None:
    ticket = one_of(tmp_path, "id,title,comments,work_notes\n1,x,Oil it.,He is a VIP.\n", "t.csv")
    assert ticket.comments == (Comment("Oil it."), Comment("He is a VIP.", internal=True)) and not ticket.other


ZENDESK = {"id": 5, "subject": "Pump", "requester_id": 1, "created_at": "2026-03-01T10:00:00Z"}


def test_the_first_comment_of_zendesk_is_the_description_once(tmp_path: Path) -> None:
    first = {"author_id": 1, "plain_body": "Hello,\n\nit hums.", "created_at": "2026-03-01T10:00:00Z"}
    answer = {"author_id": 2, "body": "Oil it.", "created_at": "2026-03-01T11:00:00Z"}
    for description in ("Hello,\n\nit hums.\n\nOn Mon, 2 Feb 2026, Support wrote:\n> old", "Hello, it hums", ""):
        for comments in ([first, answer], [answer, first]):
            ticket = one_of(tmp_path, [{**ZENDESK, "description": description, "comments": comments}])
            assert ticket.description == (description or "Hello,\n\nit hums.")
            assert [c.text for c in ticket.comments] == ["Oil it."]
    noted = one_of(
        tmp_path,
        [
            {
                **ZENDESK,
                "description": "He called.",
                "comments": [{**first, "plain_body": "He called.", "public": False}],
            }
        ],
    )
    assert noted.description == "" and noted.comments[0].internal


@pytest.mark.parametrize("name", ["comment_data", "comments_data", "comment_regular_data", "notes", "conversations"])
def test_comments_are_read_wherever_a_backup_keeps_them(tmp_path: Path, name: str) -> None:
    issue = {"number": 7, "title": "Crash", "state": "open", "body": "It stops.", "comments": 1}
    comment = {"user": {"login": "kim"}, "body": "Mended in 2.1.", "created_at": "2026-03-01T10:00:00Z"}
    reading = reading_of(tmp_path, [{**issue, name: [comment, {"body": "closed", "system": True}]}])
    assert [c.text for c in reading.records[0].item.comments] == ["Mended in 2.1."] and not reading.notes
    wrapped = {**issue, "comments": {"totalCount": 1, "nodes": [comment]}}
    assert [c.author for c in one_of(tmp_path, [wrapped]).comments] == ["kim"]


def test_comments_that_the_file_only_counts_are_said(tmp_path: Path) -> None:
    github = {"number": 7, "title": "Crash", "state": "open", "body": "It stops.", "comments": 3}
    jira = small_tickets.record("A-1", "It stops", comments=["first"])
    jira["fields"]["comment"]["total"] = 51
    told = "Comments that a file counts but does not hold: {}. Export them too, and add both at once."
    assert reading_of(tmp_path, [github]).notes == (told.format("3, of 1 tickets (7)"),)
    assert reading_of(tmp_path, [jira]).notes == (told.format("50, of 1 tickets (A-1)"),)


def test_lists_beside_the_tickets_are_named(tmp_path: Path) -> None:
    reading = reading_of(
        tmp_path, {"tickets": [{**ZENDESK, "description": "It hums."}], "users": [{"id": 1}, {"id": 2}]}
    )
    assert [r.item.id for r in reading.records] == ["5"]
    assert [(s.path, s.reason) for s in reading.skipped] == [
        ("t.json, users", "holds 2 objects beside the tickets, which are not read.")
    ]


def test_unclear_dates_are_counted_by_file(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(
            f"id,title,created\n{name}1,x,03/04/2026\n{name}2,y,04/05/2026\n", encoding="utf-8"
        )
    (note,) = read_tickets([tmp_path]).notes
    assert note.startswith("4 (2 of a.csv, 2 of b.csv) dates could be two days") and note.endswith(
        "03/04/2026, 04/05/2026"
    )


@pytest.mark.parametrize("draft", [{"draft": True}, {"draft": "true"}, {"status": "Draft"}, {"published": False}])
def test_a_draft_is_no_document(tmp_path: Path, draft: dict[str, Any]) -> None:
    pages = [
        {"id": "1", "body": "<p>Hold both keys.</p>", **draft},
        {"id": "2", "body": "<p>It is red.</p>", "draft": False},
    ]
    (tmp_path / "pages.json").write_text(json.dumps({"articles": pages}), encoding="utf-8")
    reading = read_documents([tmp_path / "pages.json"])
    assert [r.item.id for r in reading.records] == ["2"]
    assert [(s.path, s.reason) for s in reading.skipped] == [
        ("pages.json:1", "is a draft that nobody has published, and is left out.")
    ]


PARTS = [
    [{"type": "text", "text": "Raise the interval."}],
    [{"type": "text", "text": {"value": "Raise the interval.", "annotations": []}}],
    {"content_type": "text", "parts": ["Raise the interval."]},
    ["Raise the interval."],
    [{"type": "tool_use", "name": "look", "input": {}}, {"type": "text", "text": "Raise the interval."}],
]


@pytest.mark.parametrize("content", PARTS)
def test_a_message_in_parts_is_its_text(tmp_path: Path, content: Any) -> None:
    messages = [{"role": "user", "content": "It drops"}, {"role": "assistant", "content": content}]
    (tmp_path / "c.jsonl").write_text(json.dumps({"messages": messages}), encoding="utf-8")
    reading = read_chats([tmp_path / "c.jsonl"])
    assert [m.text for m in reading.records[0].item.messages] == ["It drops", "Raise the interval."]
    has_call = isinstance(content, list) and len(content) > 1
    assert [s.reason for s in reading.skipped] == ["parts of a message that hold no text, such as pictures."] * has_call


def test_what_nobody_said_to_a_customer_is_no_message(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    messages = [
        {"role": "system", "content": "You are a bot"},
        {"role": "user", "content": "It drops"},
        {"role": "agent", "text": "He is rude", "private": True},
        {"role": "agent", "text": [{"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "agent", "text": deep},
    ]
    (tmp_path / "c.jsonl").write_text(json.dumps({"messages": messages}), encoding="utf-8")
    reading = read_chats([tmp_path / "c.jsonl"])
    assert [m.text for m in reading.records[0].item.messages] == ["It drops"]
    assert [s.reason.partition(",")[0].partition(";")[0] for s in reading.skipped] == [
        "has the role 'system'",
        "has an internal note of the team",
        "has a message without text",
        "has a message without text",
    ]
    assert not reading.notes
