"""GitHub: issues of its REST interface or of ``gh issue list --json``; texts are Markdown already."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from autokb.core.tickets import Comment, Ticket, TicketLink
from autokb.sources.fields import Record, as_text
from autokb.sources.reading import Fields
from autokb.sources.tickets.plain import read_plain
from autokb.sources.tickets.values import comment_records, date_of, each_once, is_internal, name_of, names_of

# What GitHub itself reads as a relation (docs: "Linking a pull request to an issue", "Marking as duplicate").
_REFERENCE = re.compile(
    r"(?:(?:(?P<duplicate>duplicate of)|(?P<closes>\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?))):?\s*+)?"
    r"(?<![\w/&])#(?P<number>\d{1,9})\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_HIDDEN = re.compile(rf"({_CODE.pattern})|<!--.*?(?:-->|\Z)", re.DOTALL)  # a form's instructions, which no page shows


def is_github(record: Record) -> bool:
    """Return whether a record is an issue (or a pull request)."""
    return "number" in record and "title" in record and bool({"state", "html_url", "url", "user"} & set(record))


def is_github_comment(record: Record) -> bool:
    """Return whether a record is a comment of a list of its own, which names its issue."""
    return "issue_url" in record and "body" in record


# Complex: names stand in one of two fields each.
def read_github(record: Record) -> Ticket:
    """Read an issue; references to others in its texts are its links."""
    ticket = read_plain(
        {**record, "id": record["number"], "url": record.get("html_url") or record.get("url")}, Fields()
    )
    description = _text(record.get("body"))
    comments = tuple(_comment(one) for one in comment_records(record) if _text(one.get("body")))
    links = (link for text in (description, *(c.text for c in comments)) for link in find_references(text))
    milestone = name_of(record.get("milestone"))
    return replace(
        ticket,
        description=description,
        comments=comments,
        links=each_once(link for link in links if link.target != ticket.id),
        project=name_of(record.get("repository")),
        type="pull request" if "pull_request" in record else "issue",
        status=ticket.status.casefold(),
        resolution=name_of(record.get("state_reason") or record.get("stateReason")).casefold(),
        assignee=next(iter(names_of(record.get("assignees"))), "") or ticket.assignee,
        fix_versions=(milestone,) if milestone else (),
        other={},
    )


def read_github_comment(record: Record) -> tuple[str, Comment]:
    """Return the number of a comment's issue, and the comment."""
    return as_text(record["issue_url"]).rpartition("/")[2], _comment(record)


def find_references(text: str) -> Iterator[TicketLink]:
    """Yield what a text says of other issues: duplicates, what it closes, and mere mentions; code says nothing."""
    for found in _REFERENCE.finditer(_CODE.sub(" ", text)):
        kind = "Duplicate" if found["duplicate"] else "Closes" if found["closes"] else "Mentions"
        yield TicketLink(kind, found["number"])


def _comment(record: Record) -> Comment:
    return Comment(
        _text(record.get("body")),
        name_of(record.get("user") or record.get("author")),
        date_of(record.get("created_at") or record.get("createdAt")),
        is_internal(record),
    )


def _text(value: Any) -> str:
    """Return a text without what its author does not show: comments of HTML outside of code."""
    text = as_text(value).replace("\r\n", "\n")
    return _HIDDEN.sub(lambda found: found[1] or ("" if found[0].endswith("-->") else found[0]), text).strip()
