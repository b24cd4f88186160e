"""Conversations between customers and agents: a line a message, or a line a conversation with its messages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autokb.core.conversations import AGENT, CUSTOMER, Conversation, Message, Role
from autokb.core.errors import BadInputError, UnreadableFileError
from autokb.core.nouns import Skipped
from autokb.sources import fields as f
from autokb.sources.dates import iso_date
from autokb.sources.decoding import decode, read_bytes
from autokb.sources.delimited import read_delimited
from autokb.sources.fields import Record
from autokb.sources.files import FoundFile, find_files
from autokb.sources.formats import format_of
from autokb.sources.records import PlacedRecord, read_json, read_json_lines
from autokb.text.control_characters import printable_name, replace_controls

LONGEST_MESSAGE = 20_000  # characters that are taken of one; people write fewer, logs that they paste more
MOST_MESSAGES = 5_000  # of one conversation
_KINDS = frozenset({"csv", "tsv", "jsonl", "json"})
_CONVERSATION = ("conversation", "conversation_id", "chat", "chat_id", "thread", "thread_id", "session", "id")
_ROLE = ("role", "sender", "from", "speaker", "author_type", "author")
_TEXT = ("text", "message", "content", "body")
_CUSTOMERS = frozenset({"customer", "user", "client", "visitor", "end-user", "end_user", "human", "kunde", "kundin"})
_AGENTS = frozenset({"agent", "assistant", "support", "operator", "bot", "staff", "admin", "berater", "mitarbeiter"})


def read_conversation_file(path: Path) -> Conversation:
    """Read the file of one conversation (BadInputError where it holds none, or several)."""
    if not path.is_file():
        raise BadInputError(f"There is no file {path}; give a conversation as JSON, JSONL or CSV.")
    (file,), _ = find_files([path], ())
    try:
        found, skipped = read_conversations_in(file)
    except UnreadableFileError as error:
        raise BadInputError(f"{path} {error}") from error
    if skipped:
        raise BadInputError(f"{skipped[0].path} {skipped[0].reason}")
    if len(found) != 1:
        what = f"{len(found)} conversations" if found else "no message"
        raise BadInputError(f"{path} holds {what}; give a file with the messages of one.")
    return found[0]


def read_conversations_in(file: FoundFile) -> tuple[list[Conversation], list[Skipped]]:
    """Return the conversations of a file in their order, and the messages that could not be read."""
    records, skipped = _records(file)
    found: dict[str, list[Message]] = {}
    for placed in records:
        place = f"{file.relative}:{placed.line}"
        try:
            name, messages = _read(placed.record)
        except UnreadableFileError as error:
            skipped.append(Skipped(place, str(error)))
            continue
        own = found.setdefault(name, [])
        own += messages[: MOST_MESSAGES - len(own)]
    conversations = [Conversation(name, _in_time(messages)) for name, messages in found.items() if messages]
    return conversations, skipped


def _records(file: FoundFile) -> tuple[list[PlacedRecord], list[Skipped]]:
    data = read_bytes(file)
    kind = format_of(file.relative, data)
    if kind not in _KINDS:
        raise UnreadableFileError("is of a kind that holds no conversations; export them as JSONL, JSON or CSV.")
    if kind == "jsonl":
        return read_json_lines(data, file.relative)
    if kind == "json":
        return read_json(data, file.relative)
    return read_delimited(decode(data), file.relative, "\t" if kind == "tsv" else None)


def _read(record: Record) -> tuple[str, list[Message]]:
    """Return the conversation that a record belongs to, and its messages."""
    given = printable_name(f.as_text(f.raw_value(record, None, _CONVERSATION)))
    messages = record.get("messages")
    if isinstance(messages, Sequence) and not isinstance(messages, str):
        return given, list(_messages(messages))
    return given, [_message(record)]


def _messages(given: Iterable[Any]) -> Iterator[Message]:
    for one in given:
        if not isinstance(one, Mapping):
            raise UnreadableFileError("has a message that is no object with role and text; write it as one.")
        yield _message(one)


def _message(record: Record) -> Message:
    role = _role(f.as_text(f.raw_value(record, None, _ROLE)))
    text = replace_controls(f.as_text(f.raw_value(record, None, _TEXT))).strip()
    if not text:
        raise UnreadableFileError("has a message without text; leave it out or fill it.")
    return Message(role, text[:LONGEST_MESSAGE], iso_date(f.raw_value(record, None, f.DATE_NAMES)))


def _role(name: str) -> Role:
    folded = " ".join(name.casefold().split())
    if folded in _CUSTOMERS:
        return CUSTOMER
    if folded in _AGENTS:
        return AGENT
    raise UnreadableFileError(f"has the role {name!r}; it must be customer or agent.")


def _in_time(messages: Collection[Message]) -> tuple[Message, ...]:
    """Return messages in the order of their dates where all have one, else as they stand."""
    if all(message.date for message in messages):
        return tuple(sorted(messages, key=lambda message: message.date))
    return tuple(messages)
