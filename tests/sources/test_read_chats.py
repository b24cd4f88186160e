"""Conversations of many files: every shape, named fields, what is wrong with a line, and what is hostile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autokb.core.nouns import Conversation, Message, Skipped
from autokb.sources import Fields, Reading
from autokb.sources.chats import LONGEST_MESSAGE, MOST_MESSAGES, read_chats, read_conversation_file

COLD = Message("customer", "It is cold.")
ON = Message("agent", "Turn it on.")
MESSAGES = [{"role": "customer", "text": "It is cold."}, {"role": "agent", "text": "Turn it on."}]


def write(here: Path, name: str, content: Any) -> Path:
    path = here / name
    if isinstance(content, list):
        content = "\n".join(json.dumps(line) for line in content)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def read(here: Path, name: str, content: Any, fields: Fields | None = None) -> dict[str, tuple[Message, ...]]:
    reading = read_chats([write(here, name, content)], fields)
    assert not reading.skipped, reading.skipped
    return found(reading)


def found(reading: Reading[Conversation]) -> dict[str, tuple[Message, ...]]:
    return {record.item.id: record.item.messages for record in reading.records}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.jsonl", [{"conversation": 7, **m} for m in MESSAGES]),
        ("c.jsonl", [{"conversation": "7", "messages": MESSAGES}]),
        ("c.jsonl", [{"conversation": "7", "messages": [m]} for m in MESSAGES]),
        ("c.json", {"id": "7", "messages": MESSAGES}),
        ("c.json", {"conversations": [{"id": "7", "messages": MESSAGES}]}),
        ("c.csv", "conversation,role,text\n7,customer,It is cold.\n7,agent,Turn it on.\n"),
        ("c.tsv", "Chat_ID\tSender\tMessage\n7\tVisitor\tIt is cold.\n7\tSupport\tTurn it on.\n"),
    ],
)
def test_a_conversation_in_one_line_or_in_several_is_one_record(tmp_path: Path, name: str, content: Any) -> None:
    assert read(tmp_path, name, content) == {"7": (COLD, ON)}


def test_lines_of_conversations_may_be_mixed_and_dates_order_their_messages(tmp_path: Path) -> None:
    rows = (
        "conversation,role,text,date\n1,agent,second,2024-01-01T10:05\n2,customer,other,\n"
        "1,customer,first,2024-01-01T10:04\n2,agent,reply,2023-01-01\n"
    )
    one, two = read(tmp_path, "c.csv", rows).values()
    assert [m.text for m in one] == ["first", "second"] and one[0].date == "2024-01-01T10:04"
    assert [m.text for m in two] == ["other", "reply"]  # not every one has a date: as they stand


def test_without_ids_a_file_of_messages_is_one_conversation_and_each_line_with_messages_is_one(tmp_path: Path) -> None:
    (name, messages), *more = read(tmp_path, "c.jsonl", MESSAGES).items()
    assert messages == (COLD, ON) and name.startswith("chat-") and not more
    assert list(read(tmp_path, "d.jsonl", MESSAGES)) == [name]
    several = read(tmp_path, "e.jsonl", [{"messages": MESSAGES}, {"messages": MESSAGES[:1]}])
    assert list(several.values()) == [(COLD, ON), (COLD,)] and next(iter(several)) == name


def test_an_id_is_the_conversations_where_messages_share_it_else_their_own(tmp_path: Path) -> None:
    (own,) = read(tmp_path, "own.csv", "id,role,text\n1,customer,It is cold.\n2,agent,Turn it on.\n").values()
    assert own == (COLD, ON)
    shared = "id,role,text\n1,customer,It is cold.\n1,agent,Turn it on.\n2,customer,It is hot.\n"
    assert {name: len(m) for name, m in read(tmp_path, "shared.csv", shared).items()} == {"1": 2, "2": 1}


def test_named_fields_are_those_of_messages_and_the_conversations_id(tmp_path: Path) -> None:
    fields = Fields(text="words", id="case", date="at")
    rows = "case,id,role,text,words,at\nA,1,customer,x,It is cold.,2024-01-01\nA,2,agent,y,Turn it on.,2024-01-01\n"
    expected = {"A": (Message("customer", "It is cold.", "2024-01-01"), Message("agent", "Turn it on.", "2024-01-01"))}
    assert read(tmp_path, "c.csv", rows, fields) == expected
    inner = [{"role": m["role"], "words": m["text"]} for m in MESSAGES]
    nested = [{"case": "A", "at": "2024-01-01", "messages": inner}]
    assert read(tmp_path, "c.jsonl", nested, fields) == expected
    by_path = Fields(text="messages[].words", id="case", date="at")
    assert read(tmp_path, "c.jsonl", nested, by_path) == expected


@pytest.mark.parametrize("option", ["text", "id", "date"])
def test_a_misspelt_field_is_named(tmp_path: Path, option: str) -> None:
    for content in ([{"conversation": "7", "messages": MESSAGES}], MESSAGES):
        reading = read_chats([write(tmp_path, "c.jsonl", content)], Fields(**{option: "wrods"}))
        assert f"'wrods' that --{option}-field names" in reading.misspelt and "role" in reading.misspelt


def test_bad_lines_are_named_with_their_reasons_and_the_others_taken(tmp_path: Path) -> None:
    lines = [
        json.dumps({"conversation": "1", **MESSAGES[0]}),
        json.dumps({"conversation": "1", "role": "system", "text": "joined"}),
        json.dumps({"conversation": "1", "role": "agent", "text": ""}),
        json.dumps({"role": "agent", "text": "whose?"}),
        json.dumps({"conversation": "2", "messages": []}),
        json.dumps({"conversation": "3", "messages": ["hi", MESSAGES[1]]}),
        "{no json",
        json.dumps({"conversation": "1", "text": "who?"}),
        json.dumps({"conversation": "4" * 2_000, **MESSAGES[0]}),
        json.dumps({"conversation": "1", **MESSAGES[1]}),
    ]
    reading = read_chats([write(tmp_path, "c.jsonl", "\n".join(lines))])
    assert found(reading) == {"1": (COLD, ON), "3": (ON,)}
    reasons = {s.path: s.reason for s in reading.skipped}
    assert set(reasons) == {f"c.jsonl:{n}" for n in range(2, 10)}
    assert reasons["c.jsonl:2"] == "has the role 'system'; it must be customer or agent."
    assert reasons["c.jsonl:4"].startswith("does not name its conversation")
    assert "without a role" in reasons["c.jsonl:8"]


def test_an_id_that_another_file_has_is_refused_and_a_copy_is_not(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", [{"id": "7", "messages": MESSAGES}, {"id": "8", "messages": MESSAGES}])
    write(tmp_path, "b.jsonl", [{"id": "7", "messages": MESSAGES[:1]}, {"id": "8", "messages": MESSAGES}])
    reading = read_chats([tmp_path])
    assert found(reading) == {"7": (COLD, ON), "8": (COLD, ON)}
    reason = "has the id '7', which a.jsonl:1 has already; give it another."
    assert reading.skipped == (Skipped("b.jsonl:1", reason),)
    assert sorted(name for _, name in reading.present) == ["a.jsonl", "b.jsonl"]


def test_what_steers_a_terminal_and_endless_texts_are_bounded(tmp_path: Path) -> None:
    record = {"id": "a\x1b[2J", "date": "2024-01-01T10:00\x1b[2J", "role": "user", "text": "x\x9b" * LONGEST_MESSAGE}
    reading = read_chats([write(tmp_path, "c.jsonl", [record, record | {"text": "\ud800 y"}])])
    (one,) = (r.item for r in reading.records)
    assert one.id.isprintable() and all(m.date.isprintable() for m in one.messages)
    assert "\x9b" not in one.messages[0].text and one.messages[0].text.endswith(" […]")
    assert len(one.messages[0].text) <= LONGEST_MESSAGE + 4
    assert reading.skipped[0].path == "c.jsonl, line 1" and "all but the first 20,000" in reading.skipped[0].reason
    one.messages[1].text.encode()
    assert read_conversation_file(tmp_path / "c.jsonl").messages == one.messages  # what was cut is no fault


def test_the_first_messages_of_an_endless_conversation_are_taken(tmp_path: Path) -> None:
    rows = [{"conversation": "1", "role": "agent", "text": str(n)} for n in range(MOST_MESSAGES + 2)]
    reading = read_chats([write(tmp_path, "c.jsonl", rows)])
    assert [m.text for m in reading.records[0].item.messages] == [str(n) for n in range(MOST_MESSAGES)]
    assert reading.skipped == (
        Skipped("c.jsonl, line 1", "all but the first 5,000 of the 5,002 messages of a conversation."),
    )


def test_a_file_of_something_else_is_one_line(tmp_path: Path) -> None:
    write(tmp_path, "issues.csv", "id,text\n1,It leaks\n2,It hums\n")
    write(tmp_path, "page.html", "<p>x</p>")
    reading = read_chats([tmp_path])
    assert not reading.records
    reasons = {s.path: s.reason for s in reading.skipped}
    assert reasons["issues.csv"].startswith("holds 2 records, and each has a message without a role")
    assert "has a file type that conversations can't be read from" in reasons["page.html"]


@pytest.mark.parametrize("content", ["{", "[]", '{"a": 1}', "[[[[", '{"messages": 5}', '{"messages": [[]]}', "null"])
def test_odd_files_end_with_a_reason(tmp_path: Path, content: str) -> None:
    reading = read_chats([write(tmp_path, "c.json", content)])
    assert not reading.records and (reading.skipped or content == "[]")


def test_progress_names_files_and_records(tmp_path: Path) -> None:
    write(tmp_path, "c.jsonl", [{"conversation": str(n), **MESSAGES[0]} for n in range(1_001)])
    told: list[str] = []
    read_chats([tmp_path], progress=told.append)
    assert told == ["1 of 1, c.jsonl", "1 of 1, c.jsonl, record 1,000 of 1,001"]


AUTHORS = (
    "Conversation,Author,Message,Sent at\n"
    '1,Mia Berg,It is cold.,2024-01-02 10:04\n1,"Lee, Ann",Turn it on.,2024-01-02 10:05\n'
    "2,customer,Hello.,2024-01-03 10:05\n2,BOB,Hi.,03/04/2024\n"
)


def test_authors_are_agents_by_their_names_and_customers_else(tmp_path: Path) -> None:
    path = tmp_path / "chats.csv"
    path.write_text(AUTHORS, encoding="utf-8")
    read = read_chats([path], Fields(agents='"lee,  ann", Bob'))
    assert [[m.role for m in one.item.messages] for one in read.records] == [["customer", "agent"]] * 2
    assert not read.skipped and any("Read as customers" in note and "Mia Berg" in note for note in read.notes)
    asked = read_chats([path])
    assert len(asked.skipped) == 3 and any(
        "Authors whose names are no role: 3 (Mia Berg, Lee, Ann, BOB)" in note and "--agents NAME,NAME" in note
        for note in asked.notes
    )
    assert "'carl', whom --agents names" in read_chats([path], Fields(agents="Carl,Bob")).misspelt


def test_the_columns_of_messages_are_told_and_dates_that_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "chats.csv"
    path.write_text(AUTHORS, encoding="utf-8")
    read = read_chats([path], Fields(agents='Bob, "Lee, Ann"'))
    assert read.columns == {"text": ("Message",), "date": ("Sent at",)}
    assert read.records[0].item.messages[0].date == "2024-01-02 10:04"
    assert any("03/04/2024" in note and "left out" in note for note in read.notes)
    path.write_text(AUTHORS.replace("Sent at", "Moment"), encoding="utf-8")
    assert read_chats([path], Fields(agents='Bob, "Lee, Ann"')).columns["date"] == (), "which add says"


@pytest.mark.parametrize(
    "header", ["Sent at", "sentAt", "sent_on", "Date received", "Submitted", "Gesendet am", "createdAt"]
)
def test_a_date_is_found_under_the_names_that_people_use(tmp_path: Path, header: str) -> None:
    path = tmp_path / "chats.csv"
    path.write_text(f"role,text,{header}\ncustomer,It is cold.,2024-01-02\n", encoding="utf-8")
    assert read_chats([path]).records[0].item.messages[0].date == "2024-01-02"
