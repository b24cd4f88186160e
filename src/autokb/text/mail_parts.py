"""What a mail has beside what its writer says: quoted mail, signatures, disclaimers, "Sent from my iPhone"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import ClassVar

from autokb.text.lexicons import AsWritten, WordLists, alternation, word_lists
from autokb.text.mail_html import is_html, text_of_html

MOST_LINES, MOST_CHARACTERS, MOST_WORDS = 10, 60, 6  # of a signature, of each of its lines, and of one below the name
FEWEST_WORDS = 4  # of a message before quoted mail: with fewer the quoted mail is what somebody passes on
TAIL = 2 * MOST_LINES * MOST_CHARACTERS  # characters at the end in which a signature begins, blank lines counted in
MOST_PARTS = 20  # of one kind, of which each stands behind the next
_WORD = re.compile(r"[^\W\d_]{2,}")
_QUOTED = re.compile(r"(?:^[ \t]*>[^\n]*\n?)+", re.MULTILINE)
_OWN_OPENING = re.compile(r"(?:^|\n)[^\n\d@]*:\Z")  # "it says:", and no date or address as before quoted mail
_DELIMITER = re.compile(r"^(?:-- ?|_{20,99})\n", re.MULTILINE)  # RFC 3676, section 4.3; mailing lists rule a line
_CONTACT = re.compile(r"(?:[^|•·\n]*[|•·]){2}|[^\n]*(?:@|\bwww\.|https?://|\+?\d[\d ()/-]{6})")
_ASKED_BEFORE = re.compile(rf"(?:>[^\n]*+\n\s*+){{0,3}}?>[> \t]*+(?:[^\W\d_][\w'’-]*+[ ,]++){{{FEWEST_WORDS - 1}}}\w")
_POSTSCRIPT = re.compile(r"\W*p\.? ?s\b", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
_SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?](?=\s|\Z)|(?=\n|\Z))")


@dataclass(frozen=True)
class MailWords(WordLists):
    """Patterns and words of the parts of mails, in all languages; the YAML file says what each is for."""

    file: ClassVar[str] = "mail_parts"
    quote_openings: tuple[AsWritten, ...] = ()
    mail_openings: tuple[AsWritten, ...] = ()
    headers: tuple[str, ...] = ()
    sent_from: tuple[AsWritten, ...] = ()
    closings: tuple[str, ...] = ()
    disclaimers: tuple[AsWritten, ...] = ()
    disclaimer_words: frozenset[str] = frozenset()


def without_mail_parts(text: str) -> tuple[str, tuple[str, ...]]:
    """Return what the writer of a mail says, and which kinds of parts left it, in words; the text itself where none.

    A part stays where nothing else would be left: a mail that only passes another on, a text that only looks like one.
    """
    said, left = text_of_html(text) if is_html(text) else text, list[str]()
    rest = said.replace("\r\n", "\n").strip()
    for kind, find, fewest in _PARTS * 2:  # what stands behind one part hides the other
        for _ in range(MOST_PARTS):
            parts = list(find(rest))
            ends = [0, *(end for _, end in parts)]
            kept = [rest[end:start].rstrip() for end, (start, _) in zip(ends, parts, strict=False)]
            without = "\n".join((*kept, rest[ends[-1] :])).strip()
            while (last := without.rpartition("\n"))[0] and not any(map(str.isalnum, last[2])):
                without = last[0].rstrip()  # the line that was drawn above what went
            if not parts or len(_WORD.findall(without)) < fewest:
                break
            rest, left = without, [*left, kind]
    return (rest, tuple(dict.fromkeys(left))) if left else (said, ())


def says_nothing(text: str) -> bool:
    """Return whether a mail, read without its parts, is nothing but a disclaimer or the line of a program."""
    ends = [0, *(end for find in (_find_disclaimers, _find_sent_from) for _, end in find(text))]
    starts = [*(start for find in (_find_disclaimers, _find_sent_from) for start, _ in find(text)), len(text)]
    return len(ends) > 1 and not any(_WORD.search(text, *gap) for gap in zip(ends, starts, strict=True))


def last_paragraph(text: str) -> str:
    """Return the last paragraph of a text, or its last line where it has but one; empty where that is all of it."""
    parts = re.split(r"\n\s*\n", text.strip())
    parts = parts if len(parts) > 1 else text.strip().split("\n")
    return parts[-1] if len(parts) > 1 else ""


# Complex: the first sign of a quote that fits counts.
def _find_quoted(text: str) -> Iterator[tuple[int, int]]:
    """Yield the mail that a message answers: from where it begins to the end, or the lines marked as quoted."""
    if mail := _beginning("mail_openings").search(text):
        yield mail.start(), len(text)
    elif opening := _beginning("quote_openings").search(text):
        lines = [one.span() for one in _QUOTED.finditer(text, opening.end())]
        yield opening.start(), opening.end() if lines else len(text)
        yield from lines
    elif _ASKED_BEFORE.match(text):
        yield from (one.span() for one in _QUOTED.finditer(text))
    else:
        marked = text.splitlines(keepends=True)
        last = list(takewhile(lambda line: line.lstrip()[:1] in ("", ">"), reversed(marked)))
        while last and not last[-1].strip():
            last.pop()
        start = len(text) - sum(map(len, last))
        if sum(bool(line.strip()) for line in last) > 1 and not _OWN_OPENING.search(text[:start].rstrip()[-TAIL:]):
            yield start, len(text)


def _find_headers(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines above a mail that is passed on: who sent it, when and to whom."""
    if (mail := _beginning("mail_openings").search(text)) and (below := _headers().match(text, mail.end())):
        yield mail.start(), below.end()


def _find_sent_from(text: str) -> Iterator[tuple[int, int]]:
    if found := _sent_from().search(text, _tail(text)):
        yield found.start("said"), len(text)


def _tail(text: str) -> int:
    return max(0, len(text) - TAIL)


def _find_signature(text: str) -> Iterator[tuple[int, int]]:
    """Yield the short lines at the end behind ``--`` or behind words that close a letter."""
    for found in (*_DELIMITER.finditer(text, _tail(text)), *_closing().finditer(text, _tail(text))):
        lines = [line for line in text[found.end() :].split("\n") if line.strip()]
        if len(lines) <= MOST_LINES and not any(map(_is_said, lines)):
            yield found.start(), len(text)
            return


def _is_said(line: str) -> bool:
    """Return whether a line says or asks something, rather than who somebody is and where."""
    is_long = len(line) > MOST_CHARACTERS or len(_WORD.findall(line)) > MOST_WORDS
    return (is_long and not _CONTACT.match(line)) or "?" in line or _POSTSCRIPT.match(line) is not None


def _find_disclaimers(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences of disclaimers, from one that begins as such; none where a question stands with them."""
    words = word_lists(MailWords).disclaimer_words
    for paragraph in _PARAGRAPH.finditer(text):
        start = end = -1
        for one in _SENTENCE.finditer(text, *paragraph.span()):
            begins = _disclaimer().match(one.group())
            if begins or (start >= 0 and words.intersection(w.casefold() for w in _WORD.findall(one.group()))):
                start, end = (one.start() if start < 0 else start), one.end()
            elif start >= 0:
                break
        if start >= 0 and "?" not in text[start : paragraph.end()]:
            yield start, end


_PARTS = (
    ("quoted mail", _find_quoted, FEWEST_WORDS),
    ("headers of mails", _find_headers, 1),
    ("disclaimers", _find_disclaimers, 1),
    ("lines of a mail program", _find_sent_from, 1),
    ("signatures", _find_signature, 1),
)


@cache
def _beginning(name: str) -> re.Pattern[str]:
    patterns: Iterable[str] = getattr(word_lists(MailWords), name)
    return re.compile(rf"^[ \t]*+(?:[_-]{{5,}}+[ \t]*+\n\s*+)?+(?:{'|'.join(patterns)})", re.IGNORECASE | re.MULTILINE)


@cache
def _headers() -> re.Pattern[str]:
    name = rf"(?:{alternation(word_lists(MailWords).headers)})"
    return re.compile(rf"(?:\s*+[*_]*+{name}[ \t]?+:[^\n]*+)*+", re.IGNORECASE)


@cache
def _sent_from() -> re.Pattern[str]:
    patterns = "|".join(word_lists(MailWords).sent_from)
    return re.compile(rf"(?:^|(?<=[.!?…)\n]))\s*+(?P<said>[*_-]*(?:{patterns})[\W_]*)\Z", re.IGNORECASE)


@cache
def _closing() -> re.Pattern[str]:
    closings = alternation(sorted(word_lists(MailWords).closings, key=len, reverse=True))
    name = r"(?:[ \t]++[^\W\d_][^\W_'’-]*+\.?){0,3}+"
    end = r"[ \t]*+[,.!]*+[ \t]*+(?:\n|\Z)"
    two = rf"(?:{closings})(?: ?/ ?(?:{closings}))?"
    return re.compile(rf"^[ \t]*+{two}(?:[ \t]*+[,.!–-]++)?+{name}{end}", re.IGNORECASE | re.MULTILINE)


@cache
def _disclaimer() -> re.Pattern[str]:
    return re.compile(rf"[\W_]*+(?:{'|'.join(word_lists(MailWords).disclaimers)})", re.IGNORECASE)
