"""Jira: issues of its REST interface (wiki markup or document format), flat records of an archive, and its CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from autokb.core.tickets import Comment, Ticket, TicketLink
from autokb.sources.fields import Record, as_text, plain_name
from autokb.sources.jira_document import document_to_markdown
from autokb.sources.jira_markup import jira_to_markdown
from autokb.sources.tickets.values import (
    as_mappings,
    comment_records,
    date_of,
    each_once,
    is_internal,
    name_of,
    names_of,
)

PARENT = "Parent-Subtask"
_FLAT_NAMES = {  # of an archive or a table, and what the REST interface calls them
    "type": "issuetype",
    "issue_type": "issuetype",
    "affects_versions": "versions",
    "fix_versions": "fixVersions",
    "resolved": "resolutiondate",
}
_CUSTOM_FIELD = re.compile(r"customfield_\d+|Custom field \((.+)\)", re.IGNORECASE)
_LINK_COLUMN = re.compile(r"(Inward|Outward) issue link \((.+)\)", re.IGNORECASE)
_COMMENT_CELL = re.compile(r"([^;]{4,40});([^;]{0,100});(.*)", re.DOTALL)  # date; author; text


def is_jira(record: Record) -> bool:
    """Return whether a record is an issue of Jira's REST interface."""
    return isinstance(record.get("key"), str) and isinstance(record.get("fields"), Mapping)


def is_flat_jira(record: Record) -> bool:
    """Return whether a record is an issue of an archive whose fields stand beside its key."""
    return isinstance(record.get("key"), str) and "summary" in record


def is_jira_row(record: Record) -> bool:
    """Return whether a record is a row of Jira's CSV export."""
    return "Issue key" in record and "Summary" in record


def read_jira(record: Record) -> Ticket:
    """Read an issue of the REST interface."""
    fields: Record = record["fields"]
    return Ticket(
        id=name_of(record["key"]),
        title=name_of(fields.get("summary")),
        description=_text(fields.get("description")),
        comments=tuple(_comments(fields, record)),
        links=each_once(_links(fields)),
        project=_key_of(fields.get("project")),
        type=name_of(fields.get("issuetype")),
        status=name_of(fields.get("status")),
        resolution=name_of(fields.get("resolution")),
        priority=name_of(fields.get("priority")),
        environment=_text(fields.get("environment")),
        reporter=name_of(fields.get("reporter")),
        assignee=name_of(fields.get("assignee")),
        components=names_of(fields.get("components")),
        labels=names_of(fields.get("labels")),
        versions=names_of(fields.get("versions")),
        fix_versions=names_of(fields.get("fixVersions")),
        created=date_of(fields.get("created")),
        updated=date_of(fields.get("updated")),
        resolved=date_of(fields.get("resolutiondate")),
        url=as_text(record.get("self")),
        other=_custom_fields(fields, record.get("names")),
    )


def read_flat_jira(record: Record) -> Ticket:
    """Read an issue of an archive: its fields stand beside its key, and some have other names."""
    fields = {**record, **{name: record[other] for other, name in _FLAT_NAMES.items() if record.get(other)}}
    subtasks = [TicketLink(PARENT, _key_of(task)) for task in _list(record.get("subtasks"))]
    links = [
        TicketLink(name_of(link.get("type")), _key_of(link.get("key")), link.get("direction") == "inward")
        for link in as_mappings(record.get("links"))
    ]
    ticket = read_jira({"key": record["key"], "fields": fields, "names": record.get("names")})
    return replace(ticket, links=each_once([*ticket.links, *subtasks, *links]))


# Complex: links, custom fields and comments stand in columns of their own kinds.
def read_jira_row(record: Record) -> Ticket:
    """Read a row of the CSV export; a column that stands there several times holds a list."""
    flat = {plain_name(str(column)).replace("/s", "s"): cell for column, cell in record.items()}
    flat |= {"key": flat["issue_key"], "project": flat.get("project_key"), "parent": None}
    links = [TicketLink(PARENT, one, inward=True) for one in names_of(flat.get("parent_key"))]
    other: dict[str, list[str]] = {}
    for column, cell in record.items():
        if found := _LINK_COLUMN.fullmatch(str(column)):
            links += [TicketLink(found[2], one, found[1].casefold() == "inward") for one in names_of(cell)]
        elif (found := _CUSTOM_FIELD.fullmatch(str(column))) and (text := as_text(cell).strip()):
            other.setdefault(found[1] or str(column), []).append(_text(text))
    comments = (_comment_cell(as_text(cell)) for cell in _list(record.get("Comment")) if as_text(cell).strip())
    ticket = read_flat_jira({name: cell for name, cell in flat.items() if name not in ("comment", "links")})
    named = {name: "\n\n".join(texts) for name, texts in other.items()}
    return replace(ticket, comments=tuple(comments), links=each_once(links), other=named)


def _text(value: Any) -> str:
    """Return a text in either of Jira's formats as Markdown."""
    return document_to_markdown(value) if isinstance(value, Mapping) else jira_to_markdown(as_text(value))


def _comments(*records: Record) -> Iterator[Comment]:
    for one in comment_records(*records):
        if text := _text(one.get("body")):
            yield Comment(text, name_of(one.get("author")), date_of(one.get("created")), is_internal(one))


def _comment_cell(cell: str) -> Comment:
    found = _COMMENT_CELL.fullmatch(cell)
    if found and any(c.isdigit() for c in found[1]):
        return Comment(jira_to_markdown(found[3]), found[2].strip(), date_of(found[1]))
    return Comment(jira_to_markdown(cell))


def _links(fields: Record) -> Iterator[TicketLink]:
    yield TicketLink(PARENT, _key_of(fields.get("parent")), inward=True)
    for task in as_mappings(fields.get("subtasks")):
        yield TicketLink(PARENT, _key_of(task))
    for link in as_mappings(fields.get("issuelinks")):
        kind = name_of(link.get("type"))
        yield TicketLink(kind, _key_of(link.get("outwardIssue")))
        yield TicketLink(kind, _key_of(link.get("inwardIssue")), inward=True)


def _custom_fields(fields: Record, names: Any) -> dict[str, str]:
    """Return the custom fields that say something, by the ``names`` that the export gives them, else by their own."""
    found: dict[str, str] = {}
    for name, value in fields.items():
        if _CUSTOM_FIELD.fullmatch(str(name)) and value not in (None, "", []):
            is_document = isinstance(value, Mapping) and value.get("type") == "doc"
            text = _text(value) if is_document or isinstance(value, str) else ", ".join(names_of(value))
            if text:
                called = name_of(names.get(name)) if isinstance(names, Mapping) else ""
                found[called or str(name)] = "\n\n".join(filter(None, (found.get(called), text)))
    return found


def _key_of(value: Any) -> str:
    return name_of(value.get("key")) if isinstance(value, Mapping) else name_of(value)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
