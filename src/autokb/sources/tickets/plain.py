"""Any other table of tickets, by the fields that a person named or that usually have such names."""

from __future__ import annotations

from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.core.tickets import Comment, Ticket, TicketLink
from autokb.sources import fields as f
from autokb.sources.documents import missing_text
from autokb.sources.reading import Fields
from autokb.sources.tickets.values import (
    as_mappings,
    comment_records,
    date_of,
    each_once,
    is_internal,
    name_of,
    names_of,
)

_TITLES = ("summary", *f.TITLE_NAMES)
_KNOWN_IDS = ("id", "key", "ticket", "ticket_id", "number", "issue_id", "case", "case_id")
_IDS = tuple(dict.fromkeys((*_KNOWN_IDS, *f.NUMBER_NAMES)))
_RESOLVED = ("resolved", "resolved_at", "closed", "closed_at", "solved_at", "resolutiondate")
_INTERNAL = ("internal_notes", "internal_note", "private_notes", "private_note", "work_notes", "interne_notizen")
_KNOWN = (
    *_TITLES, *_IDS, *_RESOLVED, *f.TEXT_NAMES, *f.DATE_NAMES, "comments", "links", "project", "type", "status",
    "resolution", "priority", "environment", "reporter", "requester", "assignee", "components", "component", "product",
    "labels", "tags", "versions", "version", "fix_versions", "updated", "updated_at", "url", *_INTERNAL,
)  # fmt: skip


def read_plain(record: f.Record, fields: Fields) -> Ticket:
    """Read a record; its other columns can be sections of the template, by their names."""

    def value(*names: str) -> Any:
        return f.raw_value(record, None, names)

    text = f.as_text(f.raw_value(record, fields.text, f.TEXT_NAMES)).replace("\r\n", "\n").strip()
    title = name_of(f.raw_value(record, fields.title, _TITLES))
    if not text and not title:
        raise UnreadableFileError(missing_text(record, fields.text))
    named = {f.plain_name(n) for n in (fields.text, fields.title, fields.id, fields.date) if n}
    return Ticket(
        id=name_of(f.raw_value(record, fields.id, _IDS)),
        title=title or " ".join(text.split())[:80],
        description=text if text != title else "",
        comments=(*_comments(record, value("comments", "comment")), *_notes(value(*_INTERNAL))),
        links=each_once(_links(value("links"))),
        project=name_of(value("project")),
        type=name_of(value("type", "issue_type")),
        status=name_of(value("status", "state")),
        resolution=name_of(value("resolution")),
        priority=name_of(value("priority")),
        environment=f.as_text(value("environment")),
        reporter=name_of(value("reporter", "requester", "author", "user")),
        assignee=name_of(value("assignee")),
        components=names_of(value("components", "component", "product")),
        labels=names_of(value("labels", "tags")),
        versions=names_of(value("versions", "version", "affects_versions")),
        fix_versions=names_of(value("fix_versions")),
        created=date_of(f.raw_value(record, fields.date, f.DATE_NAMES)),
        updated=date_of(value("updated", "updated_at")),
        resolved=date_of(value(*_RESOLVED)),
        url=f.as_text(value("url")),
        other={
            str(name): f.as_text(cell).strip()
            for name, cell in record.items()
            if f.plain_name(str(name)) not in {*_KNOWN, *named} and isinstance(cell, str | int | float) and cell != ""
        },
    )


def _comments(record: f.Record, value: Any) -> list[Comment]:
    found = [Comment(text) for text in _texts(value)]
    for one in comment_records(record):
        text = f.as_text(f.raw_value(one, None, f.TEXT_NAMES)).strip()
        author = name_of(f.raw_value(one, None, ("author", "user", "name")))
        found.append(Comment(text, author, date_of(f.raw_value(one, None, f.DATE_NAMES)), is_internal(one)))
    return [comment for comment in found if comment.text]


def _notes(value: Any) -> list[Comment]:
    return [Comment(text, internal=True) for text in _texts(value)]


def _texts(value: Any) -> list[str]:
    plain = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str | int | float)]
    return list(filter(None, (f.as_text(one).strip() for one in plain)))


def _links(value: Any) -> list[TicketLink]:
    """Return links: objects with a type and a target, or mere ids, which then are related."""
    objects = [
        TicketLink(
            name_of(one.get("type")) or "Relates",
            name_of(f.raw_value(one, None, ("target", "key", *_IDS))),
            one.get("direction") == "inward",
        )
        for one in as_mappings(value)
    ]
    plain = value if isinstance(value, str) else [one for one in value or () if not hasattr(one, "get")]
    return [*objects, *(TicketLink("Relates", target) for target in names_of(plain))]
