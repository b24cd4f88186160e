"""What a ticket has beside what people say of its matter: parts of mails, internal notes, notices, lines of forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

from autokb.core.tickets import Comment, Ticket
from autokb.text.lexicons import AsWritten, WordLists, word_lists
from autokb.text.mail_parts import without_mail_parts


@dataclass(frozen=True)
class TicketWords(WordLists):
    """Patterns of what programs and forms write into tickets, in all languages; the YAML file says what each is for."""

    file: ClassVar[str] = "ticket_parts"
    programs: tuple[AsWritten, ...] = ()
    notices: tuple[AsWritten, ...] = ()
    form_lines: tuple[AsWritten, ...] = ()


def told_ticket(ticket: Ticket) -> Ticket:
    """Return a ticket with what people say in it to customers and each other, its first text once."""
    description = _told(ticket.description)
    return replace(ticket, description=description, comments=tuple(_told_comments(ticket.comments, description)))


def _told_comments(comments: tuple[Comment, ...], description: str) -> Iterator[Comment]:
    for position, one in enumerate(comments):
        if one.internal or _pattern("programs").search(one.author) or _pattern("notices").match(one.text):
            continue
        text = _told(one.text)
        if text and (position or text.split() != description.split()):
            yield replace(one, text=text)


def _told(text: str) -> str:
    text, _ = without_mail_parts(text)
    return _pattern("form_lines").sub("", text).strip()


@cache
def _pattern(name: str) -> re.Pattern[str]:
    patterns: tuple[AsWritten, ...] = getattr(word_lists(TicketWords), name)
    return re.compile("|".join(patterns), re.IGNORECASE | re.MULTILINE)
