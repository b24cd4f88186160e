"""Jira: issues of its REST interface (wiki markup or document format), flat records of an archive, and its CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from autokb.core.tickets import Comment, Ticket, TicketLink
from autokb.sources.fields import Record, as_text
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
    """Read an issue of an archive."""
    parent = [TicketLink(PARENT, _key_of(record.get("parent")), inward=True)]
    subtasks = [TicketLink(PARENT, _key_of(task)) for task in _list(record.get("subtasks"))]
    links = [
        TicketLink(name_of(link.get("type")), _key_of(link.get("key")), link.get("direction") == "inward")
        for link in as_mappings(record.get("links"))
    ]
    return Ticket(
        id=name_of(record["key"]),
        title=name_of(record["summary"]),
        description=_text(record.get("description")),
        comments=tuple(_comments(record)),
        links=each_once([*parent, *subtasks, *links]),
        project=_key_of(record.get("project")),
        type=name_of(record.get("issue_type") or record.get("issuetype") or record.get("type")),
        status=name_of(record.get("status")),
        resolution=name_of(record.get("resolution")),
        priority=name_of(record.get("priority")),
        environment=_text(record.get("environment")),
        reporter=name_of(record.get("reporter")),
        assignee=name_of(record.get("assignee")),
        components=names_of(record.get("components")),
        labels=names_of(record.get("labels")),
        versions=names_of(record.get("affects_versions") or record.get("versions")),
        fix_versions=names_of(record.get("fix_versions") or record.get("fixVersions")),
        created=date_of(record.get("created")),
        updated=date_of(record.get("updated")),
        resolved=date_of(record.get("resolved") or record.get("resolutiondate")),
        other=_custom_fields(record, record.get("names")),
    )


# Complex: one line for each field, under the column names of several versions.
def read_jira_row(record: Record) -> Ticket:
    """Read a row of the CSV export; a column that stands there several times holds a list."""
    links = [TicketLink(PARENT, one, inward=True) for one in names_of(record.get("Parent key"))]
    for column, cell in record.items():
        if found := _LINK_COLUMN.fullmatch(str(column)):
            links += [TicketLink(found[2], one, found[1].casefold() == "inward") for one in names_of(cell)]
    other = {}
    for column, cell in record.items():
        if (found := _CUSTOM_FIELD.fullmatch(str(column))) and as_text(cell).strip():
            other[found[1] or str(column)] = _text(as_text(cell))
    return Ticket(
        id=name_of(record["Issue key"]),
        title=name_of(record["Summary"]),
        description=_text(record.get("Description")),
        comments=tuple(_comment_cell(as_text(cell)) for cell in _list(record.get("Comment")) if as_text(cell).strip()),
        links=each_once(links),
        project=name_of(record.get("Project key")),
        type=name_of(record.get("Issue Type")),
        status=name_of(record.get("Status")),
        resolution=name_of(record.get("Resolution")),
        priority=name_of(record.get("Priority")),
        environment=_text(record.get("Environment")),
        reporter=name_of(record.get("Reporter")),
        assignee=name_of(record.get("Assignee")),
        components=names_of(record.get("Component/s") or record.get("Components")),
        labels=names_of(record.get("Labels")),
        versions=names_of(record.get("Affects Version/s") or record.get("Affects versions")),
        fix_versions=names_of(record.get("Fix Version/s") or record.get("Fix versions")),
        created=date_of(record.get("Created")),
        updated=date_of(record.get("Updated")),
        resolved=date_of(record.get("Resolved")),
        other=other,
    )


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
