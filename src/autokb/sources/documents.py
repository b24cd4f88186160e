"""Reading documents: every file becomes Markdown, or one line that says why not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from autokb.core.errors import BadInputError, UnreadableFileError
from autokb.core.nouns import Document, Skipped
from autokb.sources import fields as f
from autokb.sources.decoding import clean, decode, read_bytes, without_surrogates
from autokb.sources.delimited import read_delimited
from autokb.sources.files import FoundFile, find_files
from autokb.sources.formats import Format, format_of, known_suffix, uncompressed
from autokb.sources.markup import Markup, to_markdown
from autokb.sources.page import Page, first_heading
from autokb.sources.reading import Fields, Reading, SourceRecord
from autokb.sources.records import Placed, read_json, read_json_lines, shortened
from autokb.sources.sections import joined

_UNKNOWN = "is of a kind that is not read; save it as HTML, Markdown, text, DOCX, PDF, wiki or JSONL."


@dataclass(frozen=True, slots=True)
class _Taken:
    """A document that is read, and where."""

    record: SourceRecord[Document]
    place: str


def read_documents(
    paths: Sequence[Path],
    fields: Fields | None = None,
    known_markup: Markup | None = None,
    progress: Callable[[str], None] | None = None,
) -> Reading[Document]:
    """Read every document under the paths; ``known_markup`` says what the text field of records is written in.

    Raises BadInputError for a path that does not exist and for two folders with different files of one name;
    anything else that is wrong is skipped with its reason.
    """
    files, skipped = find_files(paths)
    taken: dict[str, _Taken] = {}
    for file in files:
        if progress:
            progress(file.relative)
        try:
            found, bad = _read_file(file, fields or Fields(), known_markup)
        except UnreadableFileError as error:
            skipped.append(Skipped(file.relative, str(error)))
            continue
        skipped.extend(bad)
        skipped.extend(_keep_first(file, found, taken))
    return Reading(tuple(t.record for t in taken.values()), tuple(skipped), tuple((x.root, x.relative) for x in files))


def _keep_first(file: FoundFile, found: Iterable[tuple[Document, str]], taken: dict[str, _Taken]) -> Iterator[Skipped]:
    for document, place in found:
        new = _Taken(SourceRecord(document, file.root, file.relative), place)
        first = taken.setdefault(document.id, new)
        if first is not new and not _is_namesake(first, new):
            yield Skipped(place, f"has the id {document.id!r}, which {first.place} has already; give it another.")


def _is_namesake(first: _Taken, new: _Taken) -> bool:
    """Return whether another folder holds the same file; with other content it is refused."""
    one, two = first.record, new.record
    name = uncompressed(two.relative)
    if one.root == two.root or uncompressed(one.relative) != name or two.item.id != name:
        return False
    if one.item.text != two.item.text:
        raise BadInputError(
            f"{name} lies in {one.root} and in {two.root} with different content; rename one of the two files. "
            "Nothing was added."
        )
    return True


def _read_file(
    file: FoundFile, fields: Fields, known: Markup | None
) -> tuple[list[tuple[Document, str]], list[Skipped]]:
    if not known_suffix(file.relative):
        raise UnreadableFileError(_UNKNOWN)
    data = read_bytes(file)
    kind = format_of(file.relative, data)
    if kind is None:
        raise UnreadableFileError(_UNKNOWN)
    if kind in ("csv", "tsv") and fields.text is None:  # else every row of somebody's issues would become a document
        raise UnreadableFileError(
            "is a table; name the column of its text with --text-field, or add it as issues: autokb add, --as issues."
        )
    if kind in ("jsonl", "json", "csv", "tsv"):
        placed, bad = read_records(data, file.relative, kind)
        return _documents(placed, bad, file.relative, fields, known)
    page = _page(data, kind)
    if not page.text.strip():
        raise UnreadableFileError("holds no text; leave it out, or give a version with text in it (no scan).")
    name = uncompressed(file.relative)
    title = page.title or PurePosixPath(name).stem.replace("-", " ").replace("_", " ").strip() or name
    return [(Document(without_surrogates(name), title, page.text, page.url), file.relative)], []


def read_records(data: bytes, relative: str, kind: Format) -> tuple[list[Placed], list[Skipped]]:
    """Return the records of a JSON Lines, JSON, CSV or TSV file."""
    if kind == "jsonl":
        return read_json_lines(data, relative)
    if kind == "json":
        return read_json(data, relative)
    return read_delimited(decode(data), relative, "\t" if kind == "tsv" else None)


def _page(data: bytes, kind: Format) -> Page:
    if kind in ("pdf", "docx"):
        from autokb.sources.apart import convert_apart

        return convert_apart(kind, data)
    if kind == "html":
        from autokb.sources.html import html_to_markdown

        return html_to_markdown(decode(data, markup=True))
    if kind == "wiki":
        return Page(to_markdown(decode(data), "wiki")[0])
    # The Markdown of a .md file is the file itself: only a byte order mark, which is no text, goes.
    text = decode(data).removeprefix("\ufeff")
    return Page(text, first_heading(text)) if kind == "markdown" else Page(clean(text))


def _documents(
    placed: Iterable[Placed], bad: list[Skipped], relative: str, fields: Fields, known: Markup | None
) -> tuple[list[tuple[Document, str]], list[Skipped]]:
    found = []
    for record in placed:
        place = relative if record.alone else f"{relative}:{record.place}"
        try:
            found.append((_document(record, relative, fields, known), place))
        except UnreadableFileError as error:
            bad.append(Skipped(place, str(error)))
    return found, shortened(bad, relative, none_read=not found)


def _document(placed: Placed, relative: str, fields: Fields, known: Markup | None) -> Document:
    record = placed.record
    value = f.raw_value(record, fields.text, f.TEXT_NAMES)
    if value is None:
        raise UnreadableFileError(missing_text(record, fields.text))
    text, named = to_markdown(*joined(value, known))
    if not text.strip():
        raise UnreadableFileError("has an empty text; leave it out or fill it.")
    document_id = _document_id(placed, uncompressed(relative), fields)
    title = f.as_text(f.raw_value(record, fields.title, f.DOCUMENT_TITLE_NAMES)) or named or first_heading(text)
    url = f.as_text(record.get("url"))
    return Document(document_id, " ".join(title.split()) or document_id, text, url)


def missing_text(record: f.Record, named: str | None) -> str:
    """Return the sentence for a record without its text field."""
    names = ", ".join(sorted(map(str, record))[:20])
    if named:
        return f"has no text at {named!r}; it has {names}."
    return f"has no text field that is known; name one with --text-field: it has {names}."


def _document_id(placed: Placed, name: str, fields: Fields) -> str:
    if fields.id:
        return named_id(placed.record, fields.id)
    if placed.alone:
        return without_surrogates(name)
    return f.as_text(f.raw_value(placed.record, None, f.ID_NAMES)).strip() or without_surrogates(
        f"{name}#{placed.place}"
    )


def named_id(record: f.Record, path: str) -> str:
    """Return the id at the named field, which must be there and say something."""
    value: Any = f.raw_value(record, path, ())
    found = "" if isinstance(value, dict | list) else f.as_text(value).strip()
    if not found:
        raise UnreadableFileError(f"has no id at {path!r}; add one, or name another field with --id-field.")
    return found
