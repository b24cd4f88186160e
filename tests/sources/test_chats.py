from __future__ import annotations

import json
from pathlib import Path

import pytest

from autokb.core.errors import BadInputError
from autokb.core.nouns import Message
from autokb.sources.chats import read_conversation_file

MESSAGES = [{"role": "customer", "text": "It is cold."}, {"role": "agent", "text": "Turn it on."}]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("chat.jsonl", "\n".join(json.dumps(m) for m in MESSAGES)),
        ("chat.json", json.dumps({"id": "7", "messages": MESSAGES})),
        ("chat.jsonl", json.dumps({"conversation": "7", "messages": MESSAGES})),
        ("chat.csv", "conversation,role,text\n7,Customer,It is cold.\n7,Support,Turn it on.\n"),
        (
            "chat.csv",
            "conversation,sender,message,date\n7,agent,Turn it on.,2024-01-02T10:05:00\n"
            "7,user,It is cold.,2024-01-02T10:04:00\n",
        ),
    ],
)
def test_a_conversation_is_read_from_every_shape(tmp_path: Path, name: str, text: str) -> None:
    messages = read_conversation_file(write(tmp_path, name, text)).messages
    assert [(m.role, m.text) for m in messages] == [("customer", "It is cold."), ("agent", "Turn it on.")]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("chat.jsonl", '{"role": "robot", "text": "hi"}', "has the role 'robot'; it must be customer or agent"),
        ("chat.jsonl", '{"role": "agent", "text": " "}', "has a message without text"),
        ("chat.json", '{"messages": ["hi"]}', "has a message that is no object"),
        ("chat.pdf", "hi", "has a file type that conversations can't be read from"),
        ("chat.csv", "conversation,role,text\n1,agent,a\n2,agent,b\n", "holds 2 conversations"),
    ],
)
def test_what_is_no_conversation_is_one_sentence(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        read_conversation_file(write(tmp_path, name, text))


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="There is no file"):
        read_conversation_file(tmp_path / "none.jsonl")


def test_what_steers_a_terminal_is_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, "chat.jsonl", json.dumps({"role": "customer", "text": "It \x1b[31mis\x1b[0m cold."}))
    (message,) = read_conversation_file(path).messages
    assert isinstance(message, Message) and "\x1b" not in message.text
