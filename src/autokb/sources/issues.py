"""Reading raw issues: what customers wrote, with the date and the documents that helped where they are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from autokb.core.errors import UnreadableFileError
from autokb.core.ids import occurrences, short_id
from autokb.core.nouns import RawIssue, Skipped
from autokb.sources import fields as f
from autokb.sources.dates import iso_date
from autokb.sources.decoding import clean, decode, read_bytes
from autokb.sources.documents import missing_text, named_id, read_records
from autokb.sources.files import FoundFile, find_files
from autokb.sources.formats import Format, format_of
from autokb.sources.markup import detect, to_markdown
from autokb.sources.reading import Fields, Reading, SourceRecord
from autokb.sources.records import Placed, lines_of, shortened
from autokb.sources.sections import joined

_UNKNOWN = "is of a kind that holds no issues; save them as CSV, TSV, JSONL, JSON or text (one a line)."
_KNOWN: frozenset[Format] = frozenset({"csv", "tsv", "jsonl", "json", "text"})


def read_issues(
    paths: Sequence[Path], fields: Fields | None = None, progress: Callable[[str], None] | None = None
) -> Reading[RawIssue]:
    """Read every raw issue under the paths; one without an id gets one made from its text and which occurrence it is.

    Raises BadInputError for a path that does not exist; anything else that is wrong is skipped with its reason.
    """
    fields = fields or Fields()
    files, skipped = find_files(paths)
    found: list[tuple[RawIssue, FoundFile, str]] = []
    for file in files:
        if progress:
            progress(file.relative)
        try:
            placed, bad = _placed(file, fields)
        except UnreadableFileError as error:
            skipped.append(Skipped(file.relative, str(error)))
            continue
        before = len(found)
        for record in placed:
            place = f"{file.relative}:{record.place}"
            try:
                found.append((_issue(record, fields), file, place))
            except UnreadableFileError as error:
                bad.append(Skipped(place, str(error)))
        skipped.extend(shortened(bad, file.relative, none_read=len(found) == before))
    records, twice = _with_ids(found)
    return Reading(records, (*skipped, *twice), tuple((x.root, x.relative) for x in files))


def _placed(file: FoundFile, fields: Fields) -> tuple[list[Placed], list[Skipped]]:
    data = read_bytes(file)
    kind = format_of(file.relative, data)
    if kind not in _KNOWN:
        raise UnreadableFileError(_UNKNOWN)
    if kind == "text":
        return list(lines_of(clean(decode(data)))), []
    placed, bad = read_records(data, file.relative, kind)
    if kind in ("csv", "tsv"):
        placed = _with_text_column(placed, fields)
        bad = [*bad, *_missing_columns(placed[0].record, file.relative, fields)]
    return placed, bad


def _missing_columns(header: f.Record, relative: str, fields: Fields) -> Iterator[Skipped]:
    """Name the columns that were asked for and are not there: a misspelt one would lose the history unseen."""
    named = (
        (fields.title, "--title-field"),
        (fields.date, "--date-field"),
        (fields.resolved_by, "--resolved-by-field"),
    )
    for name, option in named:
        if name and f.raw_value(header, name, ()) is None:
            reason = f"{relative} has no column {name!r}, so nothing was read from it; it has {_named(header)}."
            yield Skipped(option, reason)


def _with_text_column(rows: list[Placed], fields: Fields) -> list[Placed]:
    """Refuse a table without its columns; one column whose head is no known name holds an issue in its first line."""
    if not rows:
        raise UnreadableFileError("has no rows under its header; add some or leave it out.")
    header = rows[0].record
    for name, option in ((fields.text, "--text-field"), (fields.id, "--id-field")):
        if name and f.raw_value(header, name, ()) is None:
            raise UnreadableFileError(
                f"has no column {name!r}; its columns are {_named(header)}: name one with {option}."
            )
    if fields.text or any(n.casefold() in (*f.TEXT_NAMES, *f.TITLE_NAMES) for n in header):
        return rows
    if len(header) == 1:
        (name,) = header
        return [Placed({"text": name}, 1), *(Placed({"text": r.record[name]}, r.place) for r in rows)]
    raise UnreadableFileError(
        f"has no column that is known to hold the text; name one of {_named(header)} with --text-field."
    )


def _named(header: Iterable[str]) -> str:
    return ", ".join(list(header)[:20])


def _issue(placed: Placed, fields: Fields) -> RawIssue:
    record = placed.record
    value = f.raw_value(record, fields.text, f.TEXT_NAMES)
    title = " ".join(f.as_text(f.raw_value(record, fields.title, f.TITLE_NAMES)).split())
    if value is None and (fields.text or not title):
        raise UnreadableFileError(missing_text(record, fields.text))
    text = _plain(joined(value, "text")[0]) or title
    if not text:
        raise UnreadableFileError("has an empty text; leave it out or fill it.")
    given = named_id(record, fields.id) if fields.id else f.as_text(f.raw_value(record, None, f.ID_NAMES)).strip()
    return RawIssue(
        id=given,
        text=text,
        title=title,
        date=iso_date(f.raw_value(record, fields.date, f.DATE_NAMES)),
        resolved_by=f.names_in(f.raw_value(record, fields.resolved_by, f.RESOLVED_NAMES)),
    )


def _plain(text: str) -> str:
    """Return what the customer wrote, without the HTML that a form may have put around it."""
    text = clean(text)
    return (to_markdown(text, "html")[0] if detect(text) == "html" else text).strip()


def _with_ids(
    found: Sequence[tuple[RawIssue, FoundFile, str]],
) -> tuple[tuple[SourceRecord[RawIssue], ...], list[Skipped]]:
    counts = occurrences(issue.full_text for issue, _, _ in found)
    taken: dict[str, str] = {}
    records = []
    twice = []
    for (issue, file, place), count in zip(found, counts, strict=True):
        issue_id = issue.id or short_id("raw", issue.full_text, str(count))
        if issue_id in taken:
            twice.append(
                Skipped(place, f"has the id {issue_id!r}, which {taken[issue_id]} has already; give it another.")
            )
            continue
        taken[issue_id] = place
        records.append(
            SourceRecord(
                RawIssue(issue_id, issue.text, issue.title, issue.date, issue.resolved_by), file.root, file.relative
            )
        )
    return tuple(records), twice
