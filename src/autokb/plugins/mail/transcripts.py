"""What people said: chats that WhatsApp exports or that are copied from Teams, and captions of meetings (WebVTT)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape

from autokb.core.errors import UnreadableFileError
from autokb.sources.dates import date_orders, iso_date, only_order
from autokb.sources.decoding import clean, decode
from autokb.sources.page import ConvertedFile, ConvertedRecords, as_paragraph, counted

_DAY = r"(\d{1,4})([./-])(\d{1,2})[./-](\d{2,4})"
_TIME = r"(\d{1,2}:\d{2}(?::\d{2})?)(?:[ \u202f\u00a0]?([AaPp])\.?[Mm]\.?)?"
_NAME = r"([^:\n\[\]]{1,80}?)"
# 03.11.26, 10:31 - Ann Lee: text; [03/11/2026, 10:31:22] Ann Lee: text, as WhatsApp writes them; the rest is a message
_WHATSAPP = re.compile(rf"\u200e?\[?{_DAY},? (?:um )?{_TIME}\]?(?: - | )(?:{_NAME}: ?(.*)|(.*))")
# [03/11/2026 10:31] Ann Lee: text, or Ann Lee 10:31 with the text below, or [10:31] Ann Lee, as Teams copies them
_TEAMS_HEAD = re.compile(rf"(?:\[(?:{_DAY},? )?{_TIME}\] {_NAME}|{_NAME}[ \t]+(?:{_DAY},? )?{_TIME})\s*")
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


# Complex: a line begins a message, goes on with one, or is the program's own, by the program that wrote the file.
def _chat(lines: Sequence[str]) -> tuple[list[_Message], int]:
    """Return the messages of a chat, and how many lines the program wrote itself."""
    messages: list[_Message] = []
    system = 0
    is_whatsapp = any(found[7] for line in lines[:_HEAD_LINES] if (found := _WHATSAPP.fullmatch(line)))
    is_ours = False  # whether the lines that follow belong to a message
    for number, line in enumerate(lines, 1):
        if is_whatsapp and (found := _WHATSAPP.fullmatch(line)):
            first, sign, second, last, clock, half, name, text, note = found.groups()
            is_ours = note is None
            system += not is_ours
            if is_ours:
                messages.append(
                    _Message(number, name.strip(), _day(first, sign, second, last), _clock(clock, half), [text])
                )
        elif (
            not is_whatsapp
            and (found := _TEAMS_HEAD.fullmatch(line))
            and _is_head(found, lines[number - 2 : number - 1])
        ):
            first, sign, second, last, clock, half, name = (
                found.groups()[:7] if found[7] else (*found.groups()[8:], found[8])
            )
            day = _day(first, sign, second, last) if first else ""
            is_ours = True
            messages.append(_Message(number, name.strip(), day, _clock(clock, half)))
        elif is_ours:
            messages[-1].lines.append(line)
        else:
            system += bool(line.strip())
    return messages, system


def _is_head(found: re.Match[str], before: Sequence[str]) -> bool:
    """Return whether a name and a time are the head of a message: in brackets, or a name below an empty line."""
    words = (found[8] or "").split()
    return bool(found[7]) or (len(words) > 1 and not "".join(before).strip() and all(w[:1].isupper() for w in words))


def _day(first: str, sign: str, second: str, last: str) -> str:
    """Return a day with four digits of the year, in the order in which it was written."""
    year = last if len(last) > 2 or len(first) > 2 else f"20{last}"
    return f"{first}-{second:0>2}-{last:0>2}" if len(first) > 2 else f"{first}{sign}{second}{sign}{year}"


def _clock(time: str, half: str | None) -> str:
    hours, _, rest = time.partition(":")
    number = int(hours)
    if half:
        number = number % 12 + (12 if half.lower() == "p" else 0)
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
