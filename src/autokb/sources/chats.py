"""Conversations between customers and agents: a line a message, or a line a conversation with its messages."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError, UnreadableFileError
from autokb.core.ids import short_id
from autokb.core.in_use import folded
from autokb.core.nouns import AGENT, CUSTOMER, Conversation, Message, Role, Skipped
from autokb.sources import fields as f
from autokb.sources.dates import iso_date
from autokb.sources.documents import checked_id, named_id
from autokb.sources.fields import Record
from autokb.sources.files import find_files
from autokb.sources.named_fields import NamedFields, shown_fields
from autokb.sources.notes import date_notes, id_notes, named, without_ids
from autokb.sources.reading import Fields, Reading, SourceRecord, each_file, read_parts, with_progress
from autokb.sources.record_files import read_record_file
from autokb.sources.records import PlacedRecord, shorten_report
from autokb.sources.tickets.values import is_internal
from autokb.text.control_characters import printable_name, replace_controls

LONGEST_MESSAGE = 20_000  # characters that are taken of one; people write fewer, logs that they paste more
MOST_MESSAGES = 5_000  # of one conversation
_CUT_MARK = " […]"
_LONGEST_ROLE = 40  # characters of an unknown role that its reason shows
_NO_CHATS = "has a file type that conversations can't be read from; export them as JSONL, JSON or CSV."
_MESSAGES = "messages"
_CONVERSATION = ("conversation", "conversation_id", "chat", "chat_id", "thread", "thread_id", "session", "session_id")
_ID = ("id",)
_ROLE = ("role", "sender", "from", "speaker", "author_type", "author")
_TEXT = ("text", "message", "content", "body")
_PARTS = ("text", "value", "parts", *_TEXT)  # where a part of a message has its text
_OF_TOOLS = ("tool", "function")  # how the kinds of parts begin that are no words of anybody
_DEEPEST_PART = 5
_USUAL_NAMES = {"text": _TEXT, "date": f.DATE_NAMES}
_CUSTOMERS = frozenset({"customer", "user", "client", "visitor", "end-user", "end_user", "human", "kunde", "kundin"})
_PROGRAMS = frozenset({"system", "developer", "tool", "function"})
_AGENTS = frozenset({"agent", "assistant", "support", "operator", "bot", "staff", "admin", "berater", "mitarbeiter"})


def read_chats(
    paths: Sequence[Path],
    fields: Fields | None = None,
    progress: Callable[[str], None] | None = None,
    added: Collection[str] = (),
    *,
    follow_links: bool = False,
) -> Reading[Conversation]:
    """Read every conversation under the paths; one without an id gets one made from its messages.

    Of ``fields`` the text, the date and the names of agents are a message's, the id is the conversation's. Raises
    BadInputError for a path that does not exist; anything else that is wrong is skipped with its reason.
    """
    fields = fields or Fields()
    agents = _names_of_agents(fields)
    authors: dict[str, None] = {}
    columns: dict[str, tuple[str, ...]] = {}
    files, skipped = find_files(paths, added, follow_links=follow_links)
    wanted = NamedFields(_of_message(fields), "text", "id", "date")
    found: dict[str, tuple[SourceRecord[Conversation], str]] = {}
    undated: dict[str, list[str]] = {}
    made: list[str] = []
    for file, tell in each_file(files, progress):
        try:
            records, bad = read_record_file(file, _NO_CHATS, _MESSAGES, wanted="chats")
        except UnreadableFileError as error:
            skipped.append(Skipped(file.relative, str(error)))
            continue
        wanted.look_in(_with_messages(records), file.relative)
        read = _read_conversations(records, fields, file.relative, tell, columns)
        authors |= read.authors
        bad += [*read.bad, *read.cut]
        undated[file.relative] = read.undated
        made += without_ids((f"{file.relative}:{line}", line not in read.made) for _, line in read.conversations)
        new = {}
        for conversation, line in read.conversations:
            place = f"{file.relative}:{line}"
            if (first := found.get(conversation.id)) is None:
                new[conversation.id] = (SourceRecord(conversation, file.root, file.relative), place)
            elif first[0].item != conversation:
                reason = f"has the id {conversation.id!r}, which {first[1]} has already; give it another."
                bad.append(Skipped(place, reason))
        found |= new
        skipped += shorten_report(bad, file.relative, none_read=not read.conversations)
    present = tuple((x.root, x.relative) for x in files)
    return Reading(
        tuple(record for record, _ in found.values()),
        tuple(skipped),
        present,
        misspelt=wanted.missing_field() or _missing_agent(agents, authors),
        columns=columns,
        notes=(*date_notes(undated), *id_notes(made, "messages"), *_author_notes(agents, authors)),
    )


def _names_of_agents(fields: Fields) -> frozenset[str]:
    """Return the names that ``--agents`` gives, folded; one with a comma in it stands in quotes."""
    names = next(csv.reader([fields.agents or ""], skipinitialspace=True), [])
    return frozenset(filter(None, map(folded, names)))


def _missing_agent(agents: Collection[str], authors: Iterable[str]) -> str:
    """Return a sentence about a name of an agent under which nobody wrote; nothing where all did."""
    if not (stray := sorted(set(agents) - set(map(folded, authors)))):
        return ""
    return f"No message is by {stray[0]!r}, whom --agents names; the authors are: {shown_fields(authors)}."


def _author_notes(agents: Collection[str], authors: Iterable[str]) -> Iterator[str]:
    """Give a sentence about authors whose names are no roles: who they are taken for, or how to say it."""
    others = [name for name in authors if folded(name) not in agents]
    if agents and others:
        yield f"Read as customers, for --agents does not name them: {named(others)}"
    elif others:
        yield (
            f"Authors whose names are no role: {len(others)} ({named(others)}). Name those who are agents, with commas "
            "between: --agents NAME,NAME. All others are read as customers then."
        )


def read_conversation_file(path: Path) -> Conversation:
    """Read the file of one conversation (BadInputError where it holds none, or several)."""
    if not path.is_file():
        raise BadInputError(f"There is no file {path}; give a conversation as JSON, JSONL or CSV.")
    (file,), _ = find_files([path], ())
    try:
        records, bad = read_record_file(file, _NO_CHATS, _MESSAGES, wanted="chats")
    except UnreadableFileError as error:
        raise BadInputError(f"{path} {error}") from error
    read = _read_conversations(records, Fields(), file.relative)
    if bad := [*bad, *read.bad]:
        raise BadInputError(f"{bad[0].path} {bad[0].reason}")
    if len(read.conversations) != 1:
        what = f"{len(read.conversations)} conversations" if read.conversations else "no message"
        raise BadInputError(f"{path} holds {what}; give a file with the messages of one.")
    return read.conversations[0][0]


def _with_messages(records: Iterable[PlacedRecord]) -> Iterator[PlacedRecord]:
    """Give records and the messages inside of them, all of which may have a field that a person named."""
    for placed in records:
        yield placed
        for message in _inner(placed.record) or ():
            if isinstance(message, Mapping):
                yield PlacedRecord(message, placed.line)


def _inner(record: Record) -> list[Any] | None:
    """Return the messages of a conversation's record, None where it is a message itself."""
    messages = record.get(_MESSAGES)
    return messages if isinstance(messages, list) else None


def _of_message(fields: Fields) -> Fields:
    """Return the fields of text and date as a message has them, also where they were named from the conversation's."""
    text, date = (name and name.removeprefix(f"{_MESSAGES}[].") for name in (fields.text, fields.date))
    return replace(fields, text=text, date=date)


@dataclass(slots=True)
class _ReadFile:
    """The conversations of a file with the lines they begin in, what was not taken of it, and what was cut.

    ``undated`` are the dates that could not be read, ``made`` the lines of conversations without an id, ``authors`` the
    names in the place of a role.
    """

    conversations: list[tuple[Conversation, int]] = field(default_factory=list)
    bad: list[Skipped] = field(default_factory=list)
    cut: list[Skipped] = field(default_factory=list)
    undated: list[str] = field(default_factory=list)
    made: set[int] = field(default_factory=set)
    authors: dict[str, None] = field(default_factory=dict)


# Complex: a record is a message or a conversation of them, and both may be bad, long or without an id.
def _read_conversations(
    records: Sequence[PlacedRecord],
    fields: Fields,
    relative: str,
    tell: Callable[..., None] | None = None,
    columns: dict[str, tuple[str, ...]] | None = None,
) -> _ReadFile:
    """Put the messages of a file together; ``columns`` gets the names of the fields that hold their parts."""
    read = _ReadFile()
    agents, columns = _names_of_agents(fields), {} if columns is None else columns
    parts = _of_message(fields)
    names = _conversation_fields(records)
    found: dict[tuple[str, int], tuple[int, list[Message]]] = {}
    for placed in with_progress(records, tell):
        inner = _inner(placed.record)
        try:
            given = _conversation_id(placed.record, inner, fields, names)
        except UnreadableFileError as error:
            read.bad.append(Skipped(f"{relative}:{placed.line}", str(error)))
            continue
        # Messages without a conversation are one, records of conversations without an id are one each.
        key = (given, 0 if given or inner is None else placed.line)
        _, messages = found.setdefault(key, (placed.line, []))
        inside, date = ([placed.record], "") if inner is None else (inner, _date(placed.record, parts, read.undated))
        _note_columns(placed.record, parts, columns)
        for one in inside:
            try:
                message = _message(one, parts, date, read.undated, agents, read.authors)
            except UnreadableFileError as error:
                read.bad.append(Skipped(f"{relative}:{placed.line}", str(error)))
                continue
            # No ``file:line``: the message was taken, so that --sync need not take its file for an unread one.
            lost = _lost(message, f.raw_value(one, parts.text, _TEXT))
            read.cut += [Skipped(f"{relative}, line {placed.line}", reason) for reason in lost]
            if len(message.text) > LONGEST_MESSAGE:
                message = Message(message.role, message.text[:LONGEST_MESSAGE].rstrip() + _CUT_MARK, message.date)
            messages.append(message)
    for (given, _), (line, messages) in found.items():
        if len(messages) > MOST_MESSAGES:
            reason = f"all but the first {MOST_MESSAGES:,} of the {len(messages):,} messages of a conversation."
            read.cut.append(Skipped(f"{relative}, line {line}", reason))
        if not given:
            read.made.add(line)
        if messages:
            read.conversations.append((_conversation(given, messages), line))
    return read


def _lost(message: Message, content: Any) -> Iterator[str]:
    """Say what of a message is not taken."""
    if isinstance(content, list) and not all(map(_said, content)):
        yield "parts of a message that hold no text, such as pictures."
    if len(message.text) > LONGEST_MESSAGE:
        yield f"all but the first {LONGEST_MESSAGE:,} of the {len(message.text):,} characters of a message."


def _note_columns(record: Record, fields: Fields, columns: dict[str, tuple[str, ...]]) -> None:
    """Note which fields of a message, or of a conversation and its messages, hold text and date."""
    if (inner := _inner(record)) is None:
        read_parts(record, fields, _USUAL_NAMES, columns)
        return
    read_parts(record, fields, {"date": f.DATE_NAMES}, columns)
    for message in inner:
        if isinstance(message, Mapping):
            read_parts(message, fields, _USUAL_NAMES, columns)


def _conversation(given: str, messages: Sequence[Message]) -> Conversation:
    """Return a conversation of the first messages, under an id made from them where none is ``given``."""
    if all(message.date for message in messages):  # else they stay as they stand
        messages = sorted(messages, key=lambda message: message.date)
    taken = tuple(messages)[:MOST_MESSAGES]
    made = short_id("chat", *(part for m in taken for part in (m.role, m.text, m.date)))
    return Conversation(given or made, taken)


def _conversation_fields(records: Iterable[PlacedRecord]) -> tuple[str, ...]:
    """Return the names of the fields that hold the id of a message's conversation; none where all are of one.

    ``id`` is such a field only where messages share a value of it; otherwise it is the message's own.
    """
    messages = [placed.record for placed in records if _inner(placed.record) is None]
    if any(f.raw_value(message, None, _CONVERSATION) is not None for message in messages):
        return _CONVERSATION
    ids = [text for message in messages if (text := f.as_text(f.raw_value(message, None, _ID)))]
    return _ID if len(set(ids)) < len(ids) else ()


def _conversation_id(record: Record, inner: list[Any] | None, fields: Fields, names: Sequence[str]) -> str:
    """Return the id of a record's conversation, which ``names`` hold where it is a message; nothing without one."""
    if fields.id:
        given = printable_name(named_id(record, fields.id))
    else:
        searched = names if inner is None else (*_CONVERSATION, *_ID)
        given = printable_name(checked_id(f.as_text(f.raw_value(record, None, searched)).strip()))
    if names and inner is None and not given:
        raise UnreadableFileError("does not name its conversation, as others do; give it the id of one.")
    if inner == []:
        raise UnreadableFileError("has no messages; leave it out or fill it.")
    return given


def read_message(record: Any) -> Message:
    """Read what a program passes as a message (UnreadableFileError says what is wrong with it)."""
    return _message(record, Fields(), "", [], frozenset(), {})


def _message(
    record: Any, fields: Fields, date: str, undated: list[str], agents: Collection[str], authors: dict[str, None]
) -> Message:
    """Read a message; ``date`` is that of its conversation's record. Names that are no roles go to ``authors``."""
    if not isinstance(record, Mapping):
        raise UnreadableFileError("has a message that is no object with role and text; write it as one.")
    role = _role(f.as_text(f.raw_value(record, None, _ROLE)), agents, authors)
    if is_internal(record):
        raise UnreadableFileError("has an internal note of the team, which is left out: no customer read it.")
    text = replace_controls(_said(f.raw_value(record, fields.text, _TEXT))).strip()
    if not text:
        raise UnreadableFileError("has a message without text; leave it out or fill it.")
    return Message(role, text, _date(record, fields, undated) or date)


def _said(content: Any, depth: int = 0) -> str:
    """Return the text of a message: as it stands, or that of its parts one after the other."""
    if depth > _DEEPEST_PART:
        return ""
    if isinstance(content, list):
        return "\n\n".join(filter(None, (_said(part, depth + 1) for part in content)))
    if not isinstance(content, Mapping):
        return f.as_text(content)
    if f.as_text(content.get("type")).startswith(_OF_TOOLS):
        return ""
    return next((text for name in _PARTS if (text := _said(content.get(name), depth + 1))), "")


def _date(record: Record, fields: Fields, undated: list[str]) -> str:
    """Return the date of a record; one that cannot be read is noted in ``undated``."""
    value = f.raw_value(record, fields.date, f.DATE_NAMES)
    date = " ".join(replace_controls(iso_date(value)).split())
    if not date and (written := f.as_text(value).strip()):
        undated.append(written)
    return date


def _role(name: str, agents: Collection[str], authors: dict[str, None]) -> Role:
    """Return a role by its name, or an author's where ``agents`` are named; other names go to ``authors``."""
    role = folded(name)
    if role in _CUSTOMERS:
        return CUSTOMER
    if role in _AGENTS:
        return AGENT
    if not role:
        raise UnreadableFileError("has a message without a role; it must be customer or agent.")
    if role not in _PROGRAMS:
        authors[printable_name(name[:_LONGEST_ROLE])] = None
        if agents:
            return AGENT if role in agents else CUSTOMER
    raise UnreadableFileError(f"has the role {name[:_LONGEST_ROLE]!r}; it must be customer or agent.")
