"""What people said: chats that WhatsApp exports or that are copied from Teams, and captions of meetings (WebVTT)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import pairwise

from autokb.core.errors import UnreadableFileError
from autokb.sources.dates import date_orders, iso_date, only_order
from autokb.sources.decoding import clean, decode
from autokb.sources.page import ConvertedFile, ConvertedRecords, as_paragraph, counted

_DAY = r"(?P<first>\d{1,4})(?P<sign>[./-])(?P<second>\d{1,2})[./-](?P<last>\d{2,4})"
_TIME = r"(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)(?:[ \u202f\u00a0]?(?P<half>[AaPp])\.?[Mm]\.?)?"
_NAME = r"(?P<name>[^:\n\[\]]{1,80}?)"
# 03.11.26, 10:31 - Ann Lee: text; [03/11/2026, 10:31:22] Ann Lee: text, as WhatsApp writes them; the rest is a message
_WHATSAPP = re.compile(rf"\u200e?\[?{_DAY},? (?:um )?{_TIME}\]?(?: - | )(?:{_NAME}: ?(?P<text>.*)|(?P<note>.*))")
# [03/11/2026 10:31] Ann Lee: text, or Ann Lee 10:31 with the text below, or [10:31] Ann Lee, as Teams copies them
_TEAMS = re.compile(rf"\[(?:{_DAY},? )?{_TIME}\] {_NAME}\s*")
_TEAMS_WITH_NAME_FIRST = re.compile(rf"{_NAME}[ \t]+(?:{_DAY},? )?{_TIME}\s*")
_OMITTED = re.compile(
    r"<(?:media|medien)[^<>]{0,40}>|\u200e?<(?:attached|anhang): [^<>]*>|"
    r"\u200e?(?:image|video|audio|sticker|gif|document|bild|dokument) (?:omitted|weggelassen)|"
    r".* \((?:file attached|datei angehängt)\)",
    re.IGNORECASE,
)
_HEAD_LINES = 50  # by which the program is known that wrote a chat
_CUE = re.compile(r"\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}\s+-->\s+(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?[ \t]+([^<>]{1,200})>")
_TAG = re.compile(r"</?[a-z][^<>]{0,200}>|<\d[\d:.]{0,20}>", re.IGNORECASE)
_SPEAKER = re.compile(r"([^\W\d_][^:\n.!?]{0,60}): (?=\S)")
NO_CHAT = (
    "holds no messages that are known: lines such as '03.11.26, 10:31 - Ann Lee: text'; export the chat as JSONL, "
    "JSON or CSV."
)


@dataclass(slots=True)
class _Message:
    line: int
    name: str
    day: str = ""
    time: str = ""
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()

    @property
    def said(self) -> str:
        return " ".join(self.lines)


# Complex: dates, media and empty messages are settled over all messages of a chat.
def chat_records(data: bytes, wanted: str) -> ConvertedRecords:
    """Return the messages of a chat of WhatsApp or Teams that was saved as text."""
    if wanted != "chats":
        raise UnreadableFileError(f"is a text, which holds no {wanted}; add it as documents or --as chats.")
    messages, system = _chat(clean(decode(data)).split("\n"))
    if not any(one.text for one in messages):
        raise UnreadableFileError(NO_CHAT)
    order = only_order(date_orders(one.day for one in messages))
    media = sum(1 for one in messages if _OMITTED.fullmatch(one.text))
    records = []
    for one in messages:
        if one.text and not _OMITTED.fullmatch(one.text):
            day = iso_date(one.day, order) or one.day
            date = f"{day}T{one.time}" if iso_date(day) and one.time else day
            records.append((one.line, {"from": one.name, "text": one.text, **({"date": date} if date else {})}))
    left_out = (
        *counted(system, "line of the program itself", "lines of the program itself"),
        *counted(media, "picture, video or file", "pictures, videos or files"),
    )
    return ConvertedRecords(tuple(records), left_out)


def _chat(lines: Sequence[str]) -> tuple[list[_Message], int]:
    """Return the messages of a chat, and how many lines the program wrote itself."""
    messages: list[_Message] = []
    system = 0
    is_whatsapp = any(found["name"] for one in lines[:_HEAD_LINES] if (found := _WHATSAPP.fullmatch(one)))
    is_ours = False  # whether the lines that follow belong to a message
    for number, (before, line) in enumerate(pairwise(("", *lines)), 1):
        if found := _WHATSAPP.fullmatch(line) if is_whatsapp else _head_of_teams(line, before):
            said = found.groupdict()
            is_ours = said.get("note") is None
            system += not is_ours
            if is_ours:
                text = [said["text"]] if "text" in said else []
                messages.append(_Message(number, said["name"].strip(), _day(found), _clock(found), text))
        elif is_ours:
            messages[-1].lines.append(line)
        else:
            system += bool(line.strip())
    return messages, system


def _head_of_teams(line: str, before: str) -> re.Match[str] | None:
    """Return the head of a message: a name and a time in brackets, or a name of several words below an empty line."""
    found = _TEAMS_WITH_NAME_FIRST.fullmatch(line)
    words = found["name"].split() if found else []
    is_head = len(words) > 1 and not before.strip() and all(word[:1].isupper() for word in words)
    return _TEAMS.fullmatch(line) or (found if is_head else None)


def _day(head: re.Match[str]) -> str:
    """Return a day with four digits of the year, in the order in which it was written; nothing where there is none."""
    first, sign, second, last = head.group("first", "sign", "second", "last")
    if not first or len(first) > 2:
        return f"{first}-{second:0>2}-{last:0>2}" if first else ""
    return f"{first}{sign}{second}{sign}{last if len(last) > 2 else f'20{last}'}"


def _clock(head: re.Match[str]) -> str:
    hours, _, rest = head["clock"].partition(":")
    number = int(hours)
    if head["half"]:
        number = number % 12 + (12 if head["half"].lower() == "p" else 0)
    return f"{number:02}:{rest}"


def read_vtt(data: bytes) -> ConvertedFile:
    """Return the captions of a meeting, a paragraph for each turn of a speaker."""
    turns, left_out = _captions(data)
    parts = [
        f"**{as_paragraph(one.name, first=False)}:** {one.said}" if one.name else as_paragraph(one.said)
        for one in turns
    ]
    return ConvertedFile("\n\n".join(parts), left_out=left_out)


def vtt_records(data: bytes, wanted: str) -> ConvertedRecords:
    """Return each turn of a speaker as a message, or all of it as the text of one document, issue or ticket."""
    turns, left_out = _captions(data)
    if wanted == "chats":
        if any(not one.name for one in turns):
            raise UnreadableFileError("does not say who speaks (<v Ann Lee>); save it with the names of speakers.")
        return ConvertedRecords(tuple((one.line, {"from": one.name, "text": one.said}) for one in turns), left_out)
    text = "\n\n".join(f"{one.name}: {one.said}" if one.name else one.said for one in turns)
    return ConvertedRecords(((1, {"text": text}),) if text else (), left_out)


def _captions(data: bytes) -> tuple[list[_Message], tuple[str, ...]]:
    lines = clean(decode(data)).split("\n")
    if not lines[0].startswith("WEBVTT"):
        raise UnreadableFileError("is no WebVTT: its first line is not WEBVTT; save the captions anew.")
    turns: list[_Message] = []
    notes = 0
    for start, block in _blocks(lines):
        cue = next((n for n, line in enumerate(block[:2]) if _CUE.match(line)), None)
        if cue is None:
            notes += block[0].startswith("NOTE")
            continue
        before, *voices = _VOICE.split("\n".join(block[cue + 1 :]))
        for name, words in (("", before), *zip(voices[::2], voices[1::2], strict=True)):
            _add_turn(turns, start, unescape(name).strip(), " ".join(unescape(_TAG.sub("", words)).split()))
    return turns, counted(notes, "note")


def _add_turn(turns: list[_Message], line: int, name: str, text: str) -> None:
    """Add what somebody says to their turn, or begin one; captions that roll repeat their last line."""
    if not name and (speaker := _SPEAKER.match(text)):
        name, text = speaker[1].strip(), text[speaker.end() :]
    if turns and turns[-1].name == name and text:
        turns[-1].lines += [text] if text != turns[-1].lines[-1] else []
    elif text:
        turns.append(_Message(line, name, lines=[text]))


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    block: list[str] = []
    for number, line in enumerate((*lines, ""), 1):
        if line.strip():
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []
