"""Mails and mailboxes. A mail is a document; as issues, the first mail of each thread; as tickets, a thread with its
replies as comments; as chats, a thread as a conversation.

The text of a mail is its plain text, or its HTML where it has no other. Attachments are named, and not opened.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.sources.archives import OLE_SIGNATURE
from autokb.sources.decoding import clean
from autokb.sources.html import html_to_markdown
from autokb.sources.page import ConvertedFile, ConvertedRecords, as_paragraph, counted

MOST_MAILS = 100_000  # of a mailbox
MOST_PARTS = 1_000  # of a mail; people attach fewer, and each costs time
_LONGEST_HEADER = 10_000  # characters
_MOST_NAMED = 10  # attachments of a file that are named
_FROM_LINE = re.compile(rb"^From [^\r\n]{0,500}\r?\n", re.MULTILINE)
_ESCAPED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_MESSAGE_ID = re.compile(r"<([^<>\s]{1,500})>")
_HEADER = re.compile(
    rb"^(from|to|subject|date|message-id|received|return-path|mime-version|delivered-to|x-[\w-]+)[ \t]*:", re.I | re.M
)
_HEAD_BYTES = 20_000
_TEXTS = ("text/plain", "text/html")
_ENCRYPTED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "multipart/encrypted")
NO_MAIL = "is no mail; save it as EML with its headers."


@dataclass(frozen=True, slots=True)
class _Mail:
    id: str
    before: tuple[str, ...]  # the ids of the thread's mails before it, the first one first
    subject: str
    sender: str
    date: str
    text: str
    attachments: tuple[str, ...]


def read_eml(data: bytes) -> ConvertedFile:
    """Return a mail as a document."""
    return _document(_eml(data))


def read_msg(data: bytes) -> ConvertedFile:
    """Return a mail of Outlook as a document."""
    return _document(_msg(data))


def eml_records(data: bytes, wanted: str) -> ConvertedRecords:
    """Return a mail as an issue, a ticket or a conversation."""
    return _records([_eml(data)], wanted)


def msg_records(data: bytes, wanted: str) -> ConvertedRecords:
    """Return a mail of Outlook as an issue, a ticket or a conversation."""
    return _records([_msg(data)], wanted)


def mbox_records(data: bytes, wanted: str) -> ConvertedRecords:
    """Return the mails of a mailbox; one that cannot be read is left out."""
    starts = [found for found in _FROM_LINE.finditer(data) if _begins_mail(data, found)]
    if not starts or data[: starts[0].start()].strip():
        raise UnreadableFileError("is no mailbox: its first line does not begin with 'From '; save it as mbox.")
    if len(starts) > MOST_MAILS:
        raise UnreadableFileError(f"holds more than {MOST_MAILS:,} mails; split it into smaller files.")
    ends = [*(found.start() for found in starts[1:]), len(data)]
    mails, bad = [], 0
    for found, end in zip(starts, ends, strict=True):
        try:
            mails.append(_eml(_ESCAPED_FROM.sub(rb"\1", data[found.end() : end])))
        except (UnreadableFileError, RecursionError):
            bad += 1
    found_records = _records(mails, wanted)
    lost = counted(bad, "mail that is encrypted or damaged", "mails that are encrypted or damaged")
    return ConvertedRecords(found_records.records, (*lost, *found_records.left_out))


def _begins_mail(data: bytes, found: re.Match[bytes]) -> bool:
    """Return whether a line that begins with "From " stands behind an empty line and before a header."""
    before = data[max(0, found.start() - 4) : found.start()]
    return (not before or before.endswith((b"\n\n", b"\n\r\n"))) and bool(
        re.match(rb"[\w-]+:|>From ", data[found.end() : found.end() + 100])
    )


def _document(mail: _Mail) -> ConvertedFile:
    about = [
        f"{name}: {as_paragraph(value)}  " for name, value in (("From", mail.sender), ("Date", mail.date)) if value
    ]
    title = [f"# {as_paragraph(mail.subject, first=False)}"] if mail.subject else []
    text = "\n\n".join([*title, *(["\n".join(about).rstrip()] if about else []), mail.text])
    return ConvertedFile(text if mail.text else "", mail.subject, left_out=_named([mail]))


# Complex: threads are put together, and whatever is no record of theirs is counted.
def _records(mails: Sequence[_Mail], wanted: str) -> ConvertedRecords:
    with_text = [mail for mail in mails if mail.text]
    threads: dict[str, list[tuple[int, _Mail]]] = {}
    thread_of: dict[str, str] = {}
    for number, mail in enumerate(mails, 1):
        known = (thread_of[one] for one in mail.before if one in thread_of)
        key = next(known, mail.before[0] if mail.before else mail.id or f"#{number}")
        for one in (mail.id, *mail.before):
            thread_of.setdefault(one, key)
        if mail.text:
            threads.setdefault(key, []).append((number, mail))
    as_records: Mapping[str, Callable[[str, list[tuple[int, _Mail]]], Iterable[tuple[int, dict[str, Any]]]]]
    as_records = {"issues": _as_issue, "tickets": _as_ticket, "chats": _as_messages}
    make = as_records.get(wanted, _as_documents)
    records = [record for key, thread in threads.items() for record in make(key, thread)]
    empty = counted(len(mails) - len(with_text), "mail without a text", "mails without a text")
    replies = len(with_text) - len(threads) if wanted == "issues" else 0
    answers = counted(replies, "reply to another mail of the file", "replies to other mails of the file")
    return ConvertedRecords(tuple(records), (*empty, *answers, *_named(mails)))


def _as_documents(_: str, thread: list[tuple[int, _Mail]]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, mail in thread:
        yield number, {**_about(mail), "text": _document(mail).text}


def _as_issue(_: str, thread: list[tuple[int, _Mail]]) -> Iterator[tuple[int, dict[str, Any]]]:
    number, mail = _in_time(thread)[0]
    yield number, _about(mail)


def _as_ticket(_: str, thread: list[tuple[int, _Mail]]) -> Iterator[tuple[int, dict[str, Any]]]:
    (number, mail), *others = _in_time(thread)
    comments = [{"text": one.text, "author": one.sender, "date": one.date} for _, one in others]
    yield number, {**_about(mail), "reporter": mail.sender, "comments": comments}


def _as_messages(key: str, thread: list[tuple[int, _Mail]]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, mail in thread:
        name, address = parseaddr(mail.sender)
        yield number, {"conversation": key, "from": name or address, "text": mail.text, "date": mail.date}


def _in_time(thread: list[tuple[int, _Mail]]) -> list[tuple[int, _Mail]]:
    """Return a thread with its first mail first: by the replies' own word, then by date."""
    return sorted(thread, key=lambda one: (len(one[1].before) > 0, one[1].date))


def _about(mail: _Mail) -> dict[str, Any]:
    found = {"id": mail.id, "title": mail.subject, "text": mail.text, "date": mail.date}
    return {name: value for name, value in found.items() if value}


def _named(mails: Iterable[_Mail]) -> tuple[str, ...]:
    names = [f"the attachment {name!r}" for mail in mails for name in mail.attachments]
    return (*names[:_MOST_NAMED], *counted(len(names[_MOST_NAMED:]), "further attachment"))


# -- Internet mail -----------------------------------------------------------------------------------------------


def _eml(data: bytes) -> _Mail:
    if data.startswith(OLE_SIGNATURE) or not _HEADER.search(data[:_HEAD_BYTES].split(b"\n\n")[0].split(b"\r\n\r\n")[0]):
        raise UnreadableFileError(NO_MAIL)
    message = message_from_bytes(data, policy=policy.compat32)
    if message.get_content_type() in _ENCRYPTED:
        raise UnreadableFileError("is encrypted; save it as it is shown.")
    parts = list(_parts(message))
    if len(parts) > MOST_PARTS:
        raise UnreadableFileError(f"has more than {MOST_PARTS:,} parts; save its text.")
    return _Mail(
        id="".join(_ids(message, "Message-ID")[:1]),
        before=tuple(_ids(message, "References") or _ids(message, "In-Reply-To")[:1]),
        subject=_header(message, "Subject"),
        sender=_header(message, "From"),
        date=_date(_header(message, "Date")),
        text=_text(*(_contents(parts, kind) for kind in _TEXTS)),
        attachments=tuple(_name(part) for part in parts if not _is_text(part)),
    )


def _parts(message: Message) -> Iterator[Message]:
    """Give the parts of a mail that hold something; a mail inside of it is one of them."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if part.is_multipart() and (part.get_content_maintype() == "multipart" or part is message):
            inner = part.get_payload()
            waiting += reversed([one for one in inner if isinstance(one, Message)] if isinstance(inner, list) else [])
        else:
            yield part


def _name(part: Message) -> str:
    return _decoded(part.get_filename() or "") or part.get_content_type()


def _contents(parts: Iterable[Message], kind: str) -> str:
    found = (_content(part) for part in parts if _is_text(part) and part.get_content_type() == kind)
    return "\n\n".join(text for text in found if text.strip())


def _is_text(part: Message) -> bool:
    """Return whether a part is shown as the mail's own text."""
    is_named = bool(part.get_filename()) or part.get_content_disposition() == "attachment"
    return part.get_content_type() in _TEXTS and not is_named


def _content(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    for encoding in (str(part.get_content_charset() or "utf-8"), "utf-8", "cp1252"):
        with contextlib.suppress(LookupError, UnicodeDecodeError, ValueError):
            return data.decode(encoding)
    return data.decode("utf-8", "replace")


def _header(message: Message, name: str) -> str:
    return _decoded(str(message.get(name) or "")[:_LONGEST_HEADER])


def _decoded(value: str) -> str:
    with contextlib.suppress(LookupError, ValueError, MessageError):
        value = str(make_header(decode_header(value)))
    return " ".join(clean(value).split())


def _ids(message: Message, name: str) -> list[str]:
    return _MESSAGE_ID.findall(str(message.get(name) or "")[:_LONGEST_HEADER])


def _date(written: str) -> str:
    with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError):
        return parsedate_to_datetime(written).isoformat()
    return ""


def _text(plain: str, rich: str) -> str:
    """Return the plain text, or where there is none the HTML as Markdown."""
    return clean(plain).strip() or (html_to_markdown(clean(rich)).text.strip() if rich.strip() else "")


# -- Outlook -----------------------------------------------------------------------------------------------------


# Complex: each property may be missing, and each way to be damaged is one refusal.
def _msg(data: bytes) -> _Mail:
    try:
        from oxmsg import Message as OutlookMessage
    except ImportError as error:
        raise UnreadableFileError("needs a library for mails of Outlook: pip install 'autokb[mail]'.") from error

    try:
        message = OutlookMessage.load(io.BytesIO(data))
        headers = {name.casefold(): value for name, value in message.message_headers.items()}
        before = _MESSAGE_ID.findall(headers.get("references", "") or headers.get("in-reply-to", ""))
        sent = message.sent_date
        return _Mail(
            id="".join(_MESSAGE_ID.findall(headers.get("message-id", ""))[:1]),
            before=tuple(before),
            subject=" ".join((message.subject or "").split()),
            sender=_decoded(message.sender or ""),
            date=sent.isoformat() if sent else "",
            text=_text(message.body or "", message.html_body or ""),
            attachments=tuple(one.file_name or "without a name" for one in message.attachments),
        )
    except (OSError, ValueError, KeyError, IndexError, AttributeError, TypeError, AssertionError) as error:
        raise UnreadableFileError("is no whole mail of Outlook; open it and save it anew, or as EML.") from error
