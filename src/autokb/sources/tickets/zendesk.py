"""Zendesk: tickets of its JSON export, one a line or in a list, with their comments where the export has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from autokb.core.tickets import Comment, Ticket, TicketLink
from autokb.sources.fields import Record, as_text
from autokb.sources.markup import detect_markup, to_markdown
from autokb.sources.reading import Fields
from autokb.sources.tickets.plain import read_plain
from autokb.sources.tickets.values import (
    as_mappings,
    comment_records,
    date_of,
    each_once,
    in_time_order,
    is_internal,
    name_of,
    names_of,
)
from autokb.text.mail_parts import without_mail_parts

_SIGNS = {"requester_id", "requester", "submitter_id", "via", "ticket_form_id", "problem_id", "followup_ids"}


def is_zendesk(record: Record) -> bool:
    """Return whether a record is a ticket."""
    return "id" in record and ("subject" in record or "raw_subject" in record) and bool(_SIGNS & set(record))


# Complex: names and texts stand in one of two fields each.
def read_zendesk(record: Record) -> Ticket:
    """Read a ticket; a custom field goes by its id, a problem and follow-ups are links."""
    title = name_of(record.get("subject") or record.get("raw_subject"))
    description = _plain(record.get("description"))
    ticket = read_plain({**record, "title": title or description or "-", "description": description}, Fields())
    description, comments = _without_first(description, in_time_order(tuple(_comments(record))), record)
    return replace(
        ticket,
        title=title or " ".join(description.split())[:80],
        description=description,
        comments=comments,
        links=each_once(_links(record)),
        project=name_of(record.get("brand_id") or record.get("group_id")),
        reporter=ticket.reporter or name_of(record.get("requester_id")),
        assignee=ticket.assignee or name_of(record.get("assignee_id")),
        resolved=date_of(record.get("solved_at") or _metric(record, "solved_at")),
        other={
            name_of(one.get("title") or one.get("id")): ", ".join(names_of(one.get("value")))
            for one in as_mappings(record.get("custom_fields") or record.get("fields"))
            if one.get("value") not in (None, "", [], False)
        },
    )


def _without_first(description: str, comments: tuple[Comment, ...], record: Record) -> tuple[str, tuple[Comment, ...]]:
    """Return description and comments apart: the ticket's first comment, perhaps a note, is its description too."""
    first = comments[0] if comments else None
    if first is None or (description and not _is_same(first, description, as_text(record.get("created_at")))):
        return description, comments
    return ("", comments) if first.internal else (description or first.text, comments[1:])


def _is_same(comment: Comment, description: str, created: str) -> bool:
    """Return whether the first comment is the description: made with the ticket, or in the same words."""
    said, told = (" ".join(without_mail_parts(text)[0].split()) for text in (comment.text, description))
    return said == told or (bool(created) and comment.date == created)


def _comments(record: Record) -> Iterator[Comment]:
    for one in comment_records(record):
        text = _plain(one.get("plain_body") or one.get("body") or one.get("html_body"))
        if text:
            author = name_of(one.get("author") or one.get("author_id"))
            yield Comment(text, author, date_of(one.get("created_at")), is_internal(one))


def _plain(value: Any) -> str:
    text = as_text(value).replace("\r\n", "\n").replace("&nbsp;", " ").strip()
    return to_markdown(text, "html")[0].strip() if detect_markup(text) == "html" else text


def _links(record: Record) -> Iterator[TicketLink]:
    yield TicketLink("Problem", name_of(record.get("problem_id")))
    for one in record.get("followup_ids") or ():
        yield TicketLink("Follow-up", name_of(one))
    via = record.get("via")
    source = via.get("source") if isinstance(via, Mapping) else None
    if isinstance(source, Mapping) and source.get("rel") == "follow_up" and isinstance(source.get("from"), Mapping):
        yield TicketLink("Follow-up", name_of(source["from"].get("ticket_id")), inward=True)


def _metric(record: Record, name: str) -> Any:
    metrics = record.get("metric_set")
    return metrics.get(name) if isinstance(metrics, Mapping) else None
