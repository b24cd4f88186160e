"""Reading raw issues: what customers wrote, with the date and the documents that helped where they are known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.core.ids import occurrences, short_id
from autokb.core.nouns import RawIssue, Skipped
from autokb.sources import fields as f
from autokb.sources.dates import DateOrder, date_orders, iso_date, only_order
from autokb.sources.decoding import clean, decode, read_bytes
from autokb.sources.documents import MANY_ARE_SLOW, MOST_SLOW, checked_id, id_text, missing_text, named_id
from autokb.sources.files import FoundFile, find_files
from autokb.sources.markup import detect_markup, to_markdown
from autokb.sources.named_fields import NamedFields, option_of, shown_fields
from autokb.sources.notes import WRITE_DATES, date_notes, id_notes, without_ids
from autokb.sources.outside_readers import has_outside_records
from autokb.sources.page import short_title
from autokb.sources.reading import Fields, Reading, SourceRecord, each_file, read_parts, with_progress
from autokb.sources.record_files import RECORD_FORMATS, outside_records, read_records, record_format
from autokb.sources.records import PlacedRecord, join_sections, read_lines, shorten_report
from autokb.sources.subprocess_converter import TakesTooLongError
from autokb.text.control_characters import printable_name, replace_controls

# Characters of one raw issue that are taken. The longest of 16,000 real ones has 55,922, its log included; what is
# longer is a file that somebody pasted, of which tokens and lists of words would need two hundred times its size.
LONGEST_ISSUE = 200_000
_CUT_MARK = " […]"
_READ_DATES = f"{WRITE_DATES}, or add the file together with one that shows the order"
_EACH_LINE = "each line, the first too"  # in the place of a column, where there is none
_USUAL_NAMES: Mapping[str, Sequence[str]] = {
    "id": f.ISSUE_ID_NAMES,
    "title": f.TITLE_NAMES,
    "text": f.TEXT_NAMES,
    "date": f.DATE_NAMES,
    "resolved_by": f.RESOLVED_NAMES,
}


@dataclass(frozen=True, slots=True)
class _Told:
    """What a ``file``'s columns say: the orders of its dates, those left out, and where the parts of issues are.

    ``fields`` are those of its first record, ``unknown`` the columns one of which may be the text, if there is none
    that is known to be. ``undated`` has what is left out by the number of its issue among all that were read.
    """

    file: str
    orders: frozenset[DateOrder]
    fields: Sequence[str] = ()
    unknown: Sequence[str] = ()
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    undated: dict[int, str] = field(default_factory=dict)


# Complex: files and records can each be refused, and dates and ids are settled over all files.
def read_issues(
    paths: Sequence[Path],
    fields: Fields | None = None,
    progress: Callable[[str], None] | None = None,
    added: Collection[str] = (),
    *,
    follow_links: bool = False,
) -> Reading[RawIssue]:
    """Read every raw issue under the paths; one without an id gets one made from its text and which occurrence it is.

    Files keep the names they have in what was ``added`` before (see ``find_files``).

    Raises BadInputError for a path that does not exist; anything else that is wrong is skipped with its reason.
    """
    fields = fields or Fields()
    files, skipped = find_files(paths, added, follow_links=follow_links)
    found: list[tuple[RawIssue, FoundFile, str]] = []
    told: list[_Told] = []
    made: list[str] = []
    named = NamedFields(fields, "text", "title", "id", "date", "resolved_by")
    for file, tell in each_file(files, progress):
        try:
            records, skipped_lines = _read_file(file, fields, named)
        except UnreadableFileError as error:
            skipped.append(Skipped(file.relative, str(error)))
            continue
        names = [str(name) for placed in records[:1] for name in placed.record]
        told.append(_Told(file.relative, _date_orders(records, fields), names, _maybe_text(records, fields)))
        before = len(found)
        slow = 0
        for record in with_progress(records, tell):
            place = f"{file.relative}:{record.line}"
            try:
                issue = _issue(record, fields, told[-1], len(found))
                found.append((_cut(issue), file, place))
                if len(issue.text) > LONGEST_ISSUE:
                    # No ``file:line``: the record was taken, so that --sync need not take its file for an unread one.
                    reason = f"all but the first {LONGEST_ISSUE:,} of its {len(issue.text):,} characters."
                    skipped_lines.append(Skipped(f"{file.relative}, line {record.line}", reason))
            except UnreadableFileError as error:
                slow += isinstance(error, TakesTooLongError)
                if slow == MOST_SLOW:
                    del found[before:]
                    told[-1].undated.clear()
                    skipped_lines = [Skipped(file.relative, MANY_ARE_SLOW)]
                    break
                skipped_lines.append(Skipped(place, str(error)))
        made += without_ids((place, bool(issue.id)) for issue, _, place in found[before:])
        skipped.extend(shorten_report(skipped_lines, file.relative, none_read=len(found) == before))
    _date_by_other_files(found, told)
    issues, duplicates = _with_unique_ids(found)
    return Reading(
        issues,
        (*skipped, *duplicates),
        tuple((x.root, x.relative) for x in files),
        misspelt=named.missing_field(),
        columns=_all_columns(told),
        notes=(*_notes(told), *id_notes(made, "text")),
        unused=tuple(_unused(told)),
    )


def _read_file(file: FoundFile, fields: Fields, named: NamedFields) -> tuple[list[PlacedRecord], list[Skipped]]:
    """Return the records of a file and what was skipped, a misspelt column among it: it would be lost unseen."""
    data = read_bytes(file)
    kind = record_format(file.relative, data)
    if kind == "text":
        return list(read_lines(clean(decode(data)))), []
    is_table = kind in ("csv", "tsv")
    if kind in RECORD_FORMATS:
        records, skipped = read_records(data, file.relative, kind)
    elif has_outside_records(file.relative):
        (records, skipped), is_table = outside_records(file.relative, data, "issues"), True
    else:
        raise UnreadableFileError(
            "has a file type that issues can't be read from; save them as CSV, TSV, JSONL, JSON or text (one a line)."
        )
    named.look_in(records, file.relative)
    if is_table:
        records = _with_text_column(records, fields)
        header = records[0].record
        for optional in ("title", "date", "resolved_by"):
            name = getattr(fields, optional)
            if name and f.raw_value(header, name, ()) is None:
                reason = f"has no column {name!r}, so nothing was read from it; it has {shown_fields(header)}."
                skipped.append(Skipped(option_of(optional), f"{file.relative} {reason}"))
    return records, skipped


def _with_text_column(rows: list[PlacedRecord], fields: Fields) -> list[PlacedRecord]:
    """Refuse a table without its columns; one column whose head is no known name holds an issue in its first line."""
    if not rows:
        raise UnreadableFileError("has no rows under its header; add some or leave it out.")
    header = rows[0].record
    for name, option in ((fields.text, "--text-field"), (fields.id, "--id-field")):
        if name and f.raw_value(header, name, ()) is None:
            raise UnreadableFileError(
                f"has no column {name!r}; its columns are {shown_fields(header)}: name one with {option}."
            )
    if fields.text or f.matching_keys(header, (*f.TEXT_NAMES, *f.TITLE_NAMES)):
        return rows
    if len(header) == 1:
        (name,) = header
        lines = ((name, 1), *((r.record[name], r.line) for r in rows))
        return [PlacedRecord({"text": text}, line, is_line=True) for text, line in lines]
    raise UnreadableFileError(
        f"has no column that is known to hold the text; name one of {shown_fields(header)} with --text-field."
    )


def _parts(placed: PlacedRecord, fields: Fields, columns: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    if placed.is_line:
        columns["text"] = (_EACH_LINE,)
    return read_parts(placed.record, fields, _USUAL_NAMES, {} if placed.is_line else columns)


def _date_orders(records: Iterable[PlacedRecord], fields: Fields) -> frozenset[DateOrder]:
    return date_orders(f.raw_value(placed.record, fields.date, f.DATE_NAMES) for placed in records)


def _date_by_other_files(found: list[tuple[RawIssue, FoundFile, str]], told: Sequence[_Told]) -> None:
    """Read the dates of files that do not show their order in the order of all others, if those have but one."""
    order = only_order({order for one in told for order in one.orders})
    for undated in (one.undated for one in told if not one.orders):
        for n, written in list(undated.items()):
            if date := iso_date(written, order):
                issue, file, place = found[n]
                found[n] = (replace(issue, date=date), file, place)
                del undated[n]


def _maybe_text(records: Sequence[PlacedRecord], fields: Fields) -> Sequence[str]:
    """Return all columns but the title's where none has a name of a text's; a file's first record has its columns."""
    if not records or fields.text or f.matching_keys(records[0].record, f.TEXT_NAMES):
        return ()
    titles = f.matching_keys(records[0].record, (fields.title,) if fields.title else f.TITLE_NAMES)
    return [name for name in records[0].record if name not in titles]


def _all_columns(told: Iterable[_Told]) -> dict[str, tuple[str, ...]]:
    """Return the columns of all files."""
    found: dict[str, tuple[str, ...]] = {}
    for part, names in (column for one in told for column in one.columns.items()):
        found[part] = tuple(dict.fromkeys((*found.get(part, ()), *names)))
    return found


def _unused(told: Iterable[_Told]) -> dict[str, None]:
    """Return the fields that no part of an issue was read from."""
    return {name: None for one in told for name in one.fields if not any(name in read for read in one.columns.values())}


def _notes(told: Sequence[_Told]) -> Iterator[str]:
    """Give a sentence about texts that may have been overlooked, and one about the dates that could not be read."""
    alone = (one.unknown for one in told if one.columns.get("title") and not one.columns.get("text"))
    if unknown := dict.fromkeys(name for names in alone for name in names):
        option = f"name it with --text-field: {shown_fields(unknown)}"
        yield f"No column is known to hold the text, so titles alone were taken; {option}."
    yield from date_notes({one.file: list(one.undated.values()) for one in told}, _READ_DATES)


def _issue(placed: PlacedRecord, fields: Fields, told: _Told, number: int) -> RawIssue:
    """Return a record's issue; a date that is left out is noted under the issue's ``number``."""
    record, found = placed.record, _parts(placed, fields, told.columns)
    value = found["text"]
    title = short_title(" ".join(f.as_text(found["title"]).split()))
    if value is None and (fields.text or not title):
        raise UnreadableFileError(missing_text(record, fields.text))
    text = clean(join_sections(value, "text")[0])
    # A form may have put HTML around what the customer wrote.
    if detect_markup(text) == "html":
        text, _ = to_markdown(text, "html")
    text = text.strip() or title
    if not text:
        raise UnreadableFileError("has an empty text; leave it out or fill it.")
    given = named_id(record, fields.id) if fields.id else checked_id(id_text(found["id"]))
    date = iso_date(found["date"], only_order(told.orders))
    issue = _without_controls(
        RawIssue(
            id=given,
            text=text,
            title=title,
            date=date,
            resolved_by=f.document_names(found["resolved_by"]),
        )
    )
    if not date and (written := f.as_text(found["date"]).strip()):
        told.undated[number] = written
    return issue


def _cut(issue: RawIssue) -> RawIssue:
    """Return an issue of no more than the greatest length; a mark at its end says that something was left out."""
    if len(issue.text) <= LONGEST_ISSUE:
        return issue
    return replace(issue, text=issue.text[:LONGEST_ISSUE].rstrip() + _CUT_MARK)


def _without_controls(issue: RawIssue) -> RawIssue:
    """Return an issue in which nothing steers a terminal, with ids that can be typed, those of documents included."""
    text = replace_controls(issue.text).strip()
    if not text:
        raise UnreadableFileError("has an empty text; leave it out or fill it.")
    return replace(
        issue,
        id=printable_name(issue.id),
        text=text,
        title=" ".join(replace_controls(issue.title).split()),
        resolved_by=tuple(filter(None, map(printable_name, issue.resolved_by))),
    )


def _with_unique_ids(
    found: Sequence[tuple[RawIssue, FoundFile, str]],
) -> tuple[tuple[SourceRecord[RawIssue], ...], list[Skipped]]:
    """Give each issue an id where it has none, and refuse an id that an earlier one has."""
    counts = occurrences(issue.full_text for issue, _, _ in found)
    place_of: dict[str, str] = {}
    records = []
    duplicates = []
    for (issue, file, place), count in zip(found, counts, strict=True):
        issue_id = issue.id or short_id("raw", issue.full_text, str(count))
        if issue_id in place_of:
            reason = f"has the id {issue_id!r}, which {place_of[issue_id]} has already; give it another."
            duplicates.append(Skipped(place, reason))
        else:
            place_of[issue_id] = place
            records.append(SourceRecord(replace(issue, id=issue_id), file.root, file.relative))
    return tuple(records), duplicates
