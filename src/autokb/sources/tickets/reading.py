"""Reading past tickets: each record is known by its shape; comments in a file of their own find their tickets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.core.ids import short_id
from autokb.core.nouns import Skipped
from autokb.core.tickets import DATE_FIELDS, LIST_FIELDS, Comment, Ticket
from autokb.sources.dates import iso_date
from autokb.sources.documents import MANY_ARE_SLOW, MOST_SLOW
from autokb.sources.fields import Record
from autokb.sources.files import FoundFile, find_files
from autokb.sources.named_fields import NamedFields
from autokb.sources.notes import date_notes, id_notes, named, without_ids
from autokb.sources.page import short_title
from autokb.sources.reading import Fields, Reading, SourceRecord, each_file, with_progress
from autokb.sources.record_files import read_record_file
from autokb.sources.records import PlacedRecord, shorten_report
from autokb.sources.subprocess_converter import TakesTooLongError
from autokb.sources.tickets.github import (
    find_references,
    is_github,
    is_github_comment,
    read_github,
    read_github_comment,
)
from autokb.sources.tickets.jira import (
    is_flat_jira,
    is_jira,
    is_jira_row,
    read_flat_jira,
    read_jira,
    read_jira_row,
)
from autokb.sources.tickets.plain import read_plain
from autokb.sources.tickets.values import comments_counted, each_once, in_time_order
from autokb.sources.tickets.zendesk import is_zendesk, read_zendesk
from autokb.text.control_characters import printable_name, replace_controls

LONGEST_TEXT = 200_000  # characters of one text of a ticket; a longer one is a log that somebody pasted, and is cut
MOST_COMMENTS = 2_000  # of one ticket; machines write more
_CUT_MARK = " […]"
_FEWEST_DIGITS = 2  # of what may be a date: ``resolved`` may hold "yes" or 1
_NO_TICKETS = "has a file type that tickets can't be read from; export them as JSON, JSONL, CSV or TSV."
_IN_ONE_LINE = ("project", "type", "status", "resolution", "priority", "reporter", "assignee", "url")
_TRACKERS = (is_jira, is_jira_row, is_github, is_github_comment, is_zendesk)


@dataclass(slots=True)
class _Told:
    """The places of tickets whose ids are made although others of their file have one, and dates that are left out.

    ``counted`` has how many comments the record of a ticket says that there are.
    """

    made: list[str] = field(default_factory=list)
    undated: dict[str, list[str]] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)


def read_tickets(
    paths: Sequence[Path],
    fields: Fields | None = None,
    progress: Callable[[str], None] | None = None,
    added: Collection[str] = (),
    *,
    follow_links: bool = False,
) -> Reading[Ticket]:
    """Read every ticket under the paths; one without an id gets one made from its text.

    Raises BadInputError for a path that does not exist; anything else that is wrong is skipped with its reason.
    """
    fields = fields or Fields()
    files, skipped = find_files(paths, added, follow_links=follow_links)
    named = NamedFields(fields, "text", "title", "id", "date")
    found: dict[str, tuple[SourceRecord[Ticket], str]] = {}
    comments: list[tuple[str, Comment, str]] = []
    told = _Told()
    for file, tell in each_file(files, progress):
        try:
            records, bad = read_record_file(file, _NO_TICKETS, wanted="tickets", repeated=True)
        except UnreadableFileError as error:
            skipped.append(Skipped(file.relative, str(error)))
            continue
        named.look_in((r for r in records if not any(known(r.record) for known in _TRACKERS)), file.relative)
        skipped += _read_file(
            file=file, records=records, bad=bad, fields=fields, found=found, comments=comments, told=told, tell=tell
        )
    skipped += _attach(comments, found)
    present = tuple((x.root, x.relative) for x in files)
    return Reading(
        tuple(record for record, _ in found.values()),
        tuple(skipped),
        present,
        misspelt=named.missing_field(),
        notes=(*date_notes(told.undated), *id_notes(told.made, "text"), *_missing_comments(told, found)),
    )


def _read_file(
    file: FoundFile,
    records: Sequence[PlacedRecord],
    bad: list[Skipped],
    fields: Fields,
    found: dict[str, tuple[SourceRecord[Ticket], str]],
    comments: list[tuple[str, Comment, str]],
    told: _Told,
    tell: Callable[..., None] | None,
) -> list[Skipped]:
    """Add a file's tickets to what was found, and return what was skipped of it."""
    new: dict[str, tuple[SourceRecord[Ticket], str]] = {}
    ids: list[tuple[str, bool]] = []
    undated: list[str] = []
    slow = 0
    for placed in with_progress(records, tell):
        place = f"{file.relative}:{placed.line}"
        try:
            if is_github_comment(placed.record):
                number, comment = read_github_comment(placed.record)
                comments.append((number, replace(comment, date=iso_date(comment.date)), place))
                continue
            written = read_ticket(placed.record, fields)
            ticket, cut = _bounded(_without_controls(written))
        except UnreadableFileError as error:
            slow += isinstance(error, TakesTooLongError)
            if slow == MOST_SLOW:
                return [Skipped(file.relative, MANY_ARE_SLOW)]
            bad.append(Skipped(place, str(error)))
            continue
        bad += [Skipped(f"{file.relative}, line {placed.line}", reason) for reason in cut]
        if first := found.get(ticket.id) or new.get(ticket.id):
            reason = f"has the id {ticket.id!r}, which {first[1]} has already; give it another, or leave it out."
            if first[0].item != ticket:
                bad.append(Skipped(place, reason))
            continue
        new[ticket.id] = (SourceRecord(ticket, file.root, file.relative), place)
        told.counted[ticket.id] = comments_counted(placed.record)
        ids.append((place, ticket.id == printable_name(written.id)))
        undated += _unread_dates(written)
    found |= new
    told.made += without_ids(ids)
    told.undated[file.relative] = undated
    return shorten_report(bad, file.relative, none_read=not new)


def _missing_comments(told: _Told, found: Mapping[str, tuple[SourceRecord[Ticket], str]]) -> Iterator[str]:
    """Give a sentence about comments that a file counts but does not hold."""
    lacks = {i: n - len(found[i][0].item.comments) for i, n in told.counted.items()}
    lacks = {ticket: n for ticket, n in lacks.items() if n > 0}
    if lacks:
        where = f"{sum(lacks.values())}, of {len(lacks)} tickets ({named(list(lacks))})"
        yield f"Comments that a file counts but does not hold: {where}. Export them too, and add both at once."


def _unread_dates(written: Ticket) -> list[str]:
    """Return what may be dates of a ticket as it is written, and cannot be read as such."""
    dates = (written.created, written.updated, written.resolved, *(comment.date for comment in written.comments))
    return [date for date in dates if sum(map(str.isdigit, date)) >= _FEWEST_DIGITS and not iso_date(date)]


def clean_ticket(record: Record, fields: Fields | None = None) -> tuple[Ticket, list[str]]:
    """Read one record as it can be stored, and say what of it was cut (UnreadableFileError)."""
    return _bounded(_without_controls(read_ticket(record, fields)))


def read_ticket(record: Record, fields: Fields | None = None) -> Ticket:
    """Read one record, whatever tracker it is of, its dates as they are written (UnreadableFileError)."""
    fields = fields or Fields()
    if is_jira(record):
        return read_jira(record)
    if is_jira_row(record):
        return read_jira_row(record)
    if is_flat_jira(record) and not (fields.text or fields.title or fields.id):
        return read_flat_jira(record)
    if is_github(record):
        return read_github(record)
    if is_zendesk(record):
        return read_zendesk(record)
    return read_plain(record, fields)


# Complex: one line for each field, and what is empty after cleaning is left out or replaced.
def _without_controls(ticket: Ticket) -> Ticket:
    """Return a ticket in which nothing steers a terminal, with ids that can be typed and dates in ISO 8601."""

    def line(text: str) -> str:
        return " ".join(replace_controls(text).split())

    description = replace_controls(ticket.description).strip()
    title = short_title(line(ticket.title)) or " ".join(description.split())[:80]
    if not title:
        raise UnreadableFileError("has neither a title nor a text; leave it out or fill it.")
    given = printable_name(ticket.id)
    fields: dict[str, Any] = {name: line(getattr(ticket, name)) for name in _IN_ONE_LINE}
    fields |= {name: line(iso_date(getattr(ticket, name))) for name in DATE_FIELDS}
    fields |= {name: tuple(filter(None, map(line, getattr(ticket, name)))) for name in LIST_FIELDS}
    return replace(
        ticket,
        id=given or short_id("ticket", title, description),
        title=title,
        description=description,
        comments=in_time_order(
            [
                Comment(text, line(c.author), line(iso_date(c.date)), c.internal)
                for c in ticket.comments
                if (text := replace_controls(c.text).strip())
            ]
        ),
        links=tuple(
            replace(link, type=line(link.type) or "Relates", target=target)
            for link in ticket.links
            if (target := printable_name(link.target)) and target != given
        ),
        environment=replace_controls(ticket.environment).strip(),
        other={line(name): replace_controls(text).strip() for name, text in ticket.other.items() if line(name)},
        **fields,
    )


def _bounded(ticket: Ticket) -> tuple[Ticket, list[str]]:
    """Return a ticket whose texts are no longer than the greatest length, and what was cut."""
    cut: list[str] = []

    def short(text: str, name: str) -> str:
        if len(text) <= LONGEST_TEXT:
            return text
        cut.append(f"all but the first {LONGEST_TEXT:,} of the {len(text):,} characters of its {name}.")
        return text[:LONGEST_TEXT].rstrip() + _CUT_MARK

    if len(ticket.comments) > MOST_COMMENTS:
        cut.append(f"all but the first {MOST_COMMENTS:,} of its {len(ticket.comments):,} comments.")
    return replace(
        ticket,
        description=short(ticket.description, "description"),
        environment=short(ticket.environment, "environment"),
        comments=tuple(replace(c, text=short(c.text, "comments")) for c in ticket.comments[:MOST_COMMENTS]),
        other={name: short(text, name) for name, text in ticket.other.items()},
    ), cut


def _attach(
    comments: Sequence[tuple[str, Comment, str]], found: dict[str, tuple[SourceRecord[Ticket], str]]
) -> list[Skipped]:
    """Give tickets the comments that came in a file of their own; returns those without a ticket."""
    strays = []
    for number, comment, place in comments:
        if number not in found:
            strays.append(
                Skipped(place, f"is a comment of the ticket {number}, which was not given; add both at once.")
            )
        elif text := replace_controls(comment.text).strip():
            record, where = found[number]
            has = {(c.date, c.text) for c in record.item.comments}
            if (comment.date, text) not in has and len(record.item.comments) < MOST_COMMENTS:
                one = replace(comment, text=text[:LONGEST_TEXT])
                links = each_once((*record.item.links, *find_references(one.text)))
                ticket = replace(record.item, comments=in_time_order((*record.item.comments, one)), links=links)
                found[number] = (replace(record, item=ticket), where)
    return shorten_report(strays, strays[0].path.rpartition(":")[0]) if strays else []
