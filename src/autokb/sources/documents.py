"""Reading documents: every file becomes Markdown, or one line that says why not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from autokb.core.errors import BadInputError, UnreadableFileError
from autokb.core.marks import Mark
from autokb.core.nouns import Document, Skipped
from autokb.core.storable import without_surrogates
from autokb.sources import fields as f
from autokb.sources.decoding import clean, decode, read_bytes, text_beside
from autokb.sources.files import FoundFile, find_files
from autokb.sources.formats import Format, format_of, has_known_suffix, uncompressed
from autokb.sources.generated_pages import without_generated
from autokb.sources.markup import Markup, is_whole_page, to_markdown
from autokb.sources.named_fields import NamedFields, shown_fields
from autokb.sources.notes import id_notes, without_ids
from autokb.sources.outcomes import TRUE
from autokb.sources.outside_readers import has_outside_records, left_out, outside_reader, with_included
from autokb.sources.page import ConvertedFile, first_heading, short_title
from autokb.sources.reading import Fields, Reading, SourceRecord, each_file, read_parts, with_progress
from autokb.sources.record_files import RECORD_FORMATS, outside_records, read_records
from autokb.sources.records import PlacedRecord, join_sections, shorten_report
from autokb.sources.site_markup import site_page
from autokb.sources.subprocess_converter import LONGEST_PAGE_SECONDS, TakesTooLongError, convert_in_subprocess
from autokb.sources.wiki import wiki_page
from autokb.text.control_characters import printable_name, replace_controls

MOST_SLOW = 3  # records of one file that may take too long: a thousand of them would take hours
MANY_ARE_SLOW = f"holds {MOST_SLOW} records whose HTML takes more than {LONGEST_PAGE_SECONDS} seconds each; mend them."
# Characters of one document: what is larger is a data dump, and chunking it would take minutes.
LONGEST_DOCUMENT = 5_000_000
_USUAL_IN_A_FILE = {"title": f.DOCUMENT_TITLE_NAMES, "text": f.TEXT_NAMES}  # one record, whose id is the file's
_USUAL_NAMES = {"id": f.ID_NAMES, **_USUAL_IN_A_FILE}
_LONGEST_ID = 1_000  # characters; an id is written again in everything that refers to it
_DRAFTS = frozenset({"draft", "unpublished", "entwurf"})
NO_ID = "has no id at"
NO_SCAN = "give a version with text in it (no scan)"
_UNKNOWN = "has a file type that is not supported; convert it to HTML, Markdown, text, DOCX, PDF, wiki or JSONL."


@dataclass(frozen=True, slots=True)
class _ReadDocument:
    """A document that was read, where, and what its web page says of spans of its text; ``has_id`` if it says one."""

    document: Document
    place: str
    marks: tuple[Mark, ...] = ()
    unresolved: tuple[str, ...] = ()
    has_id: bool = True


# Complex: files, records and ids can each be refused, and the rest of a folder is still read.
def read_documents(
    paths: Sequence[Path],
    fields: Fields | None = None,
    known_markup: Markup | None = None,
    progress: Callable[[str], None] | None = None,
    added: Collection[str] = (),
    *,
    follow_links: bool = False,
    templates: Mapping[str, str] | None = None,
    convert: Mapping[str, Sequence[str]] | None = None,
    ocr: Sequence[str] = (),
) -> Reading[Document]:
    """Read every document under the paths; ``known_markup`` says what the text field of records is written in.

    ``templates`` has the words of a wiki's templates and icons, ``convert`` the commands that read files, by suffix,
    ``ocr`` the one that reads pictures of pages.
    Files keep the names they have in what was ``added`` before (see ``find_files``).
    Of a web page a document holds everything, with marks for the filter that tells text from boilerplate.
    Raises BadInputError for a path that does not exist and for two folders with different files of one name;
    anything else that is wrong is skipped with its reason.
    """
    files, skipped = find_files(paths, added, follow_links=follow_links)
    pages, generated = without_generated(files)
    skipped += generated
    read: dict[str, tuple[SourceRecord[Document], str]] = {}
    unresolved: Counter[str] = Counter()
    columns: dict[str, tuple[str, ...]] = {}
    made: list[str] = []
    fields = fields or Fields()
    named = NamedFields(fields, "text", "title", "id")
    for file, tell in each_file(pages, progress):
        try:
            read_as = partial(_read_file, columns=columns, convert=convert or {}, ocr=ocr)
            documents, unreadable = read_as(file, fields, known_markup, templates or {}, named, tell)
        except UnreadableFileError as error:
            skipped.append(Skipped(file.relative, str(error)))
            continue
        skipped.extend(unreadable)
        made += without_ids((one.place, one.has_id) for one in documents)
        for one in documents:
            unresolved.update(one.unresolved)
            record = SourceRecord(_without_controls(one.document), file.root, file.relative, one.marks)
            if not record.item.text.strip():
                skipped.append(Skipped(one.place, "holds no text, only control characters; leave it out."))
                continue
            first, first_place = read.setdefault(record.item.id, (record, one.place))
            if first is not record and not _is_copy_in_other_folder(first, record):
                reason = f"has the id {record.item.id!r}, which {first_place} has already; give it another."
                skipped.append(Skipped(one.place, reason))
    records = tuple(record for record, _ in read.values())
    present = tuple((x.root, x.relative) for x in files)
    return Reading(
        records,
        tuple(skipped),
        present,
        unresolved=tuple(unresolved.most_common()),
        misspelt=named.missing_field(),
        columns=columns,
        notes=tuple(id_notes(made, "line")),
    )


def _without_controls(document: Document) -> Document:
    """Return a document in which nothing steers a terminal, with an id that can be typed; marks keep their places."""
    document_id = printable_name(document.id)
    return Document(
        document_id,
        replace_controls(document.title).strip() or document_id,
        replace_controls(document.text),
        replace_controls(document.url).strip(),
    )


def file_id(relative: str) -> str:
    """Return the id of the document that a file is, from its path inside what was given."""
    return printable_name(without_surrogates(uncompressed(relative)))


def _is_copy_in_other_folder(one: SourceRecord[Document], two: SourceRecord[Document]) -> bool:
    """Return whether two folders hold the same file; with different content it is refused."""
    name = file_id(two.relative)
    if one.root == two.root or file_id(one.relative) != name or two.item.id != name:
        return False
    if one.item.text != two.item.text:
        raise BadInputError(
            f"{name} lies in {one.root} and in {two.root} with different content; rename one of the two files. "
            "Nothing was added."
        )
    return True


# Complex: whether a program, a plug-in or we read a file, whole or in records, follows from its name and the fields.
def _read_file(
    file: FoundFile,
    fields: Fields,
    known: Markup | None,
    templates: Mapping[str, str],
    named: NamedFields,
    tell: Callable[..., None] | None,
    *,
    columns: dict[str, tuple[str, ...]],
    convert: Mapping[str, Sequence[str]],
    ocr: Sequence[str],
) -> tuple[list[_ReadDocument], list[Skipped]]:
    outside, is_known = outside_reader(file.relative, convert), has_known_suffix(file.relative)
    in_records = not is_known and has_outside_records(file.relative)
    if outside is not None and not (in_records and outside[0] == "plugin" and fields.text):
        kind, head = outside
        data = read_bytes(file)
        page = convert_in_subprocess(kind, head + (with_included(file, data) if kind == "plugin" else data))
        return [_whole_file(page, file.relative)], left_out(file.relative, page.left_out)
    if not is_known and not in_records:
        raise UnreadableFileError(_UNKNOWN)
    data = read_bytes(file)
    format_ = format_of(file.relative, data)
    if format_ is None or format_ in RECORD_FORMATS:
        placed, bad = _placed_records(data, format_, file.relative, fields)
        named.look_in(placed, file.relative)
        for one in placed:
            read_parts(one.record, fields, _USUAL_IN_A_FILE if one.is_whole_file else _USUAL_NAMES, columns)
        read_record = partial(_read_record, fields=fields, known=known, templates=templates)
        return _documents(placed, bad, file.relative, read_record, tell)
    page = _convert_whole_file(data, format_, file, templates, ocr)
    return [_whole_file(page, file.relative, format_)], left_out(file.relative, page.left_out)


def _placed_records(
    data: bytes, kind: Format | None, relative: str, fields: Fields
) -> tuple[list[PlacedRecord], list[Skipped]]:
    if kind is None:
        return outside_records(relative, data, "documents")
    placed, bad = read_records(data, relative, kind)
    if kind in ("csv", "tsv") and fields.text is None:  # else every row of somebody's issues would be a document
        header = shown_fields(placed[0].record) if placed else "no rows"
        raise UnreadableFileError(
            f"is a table; name the column of its text with --text-field (it has {header}), "
            "or add it as issues: autokb add, --as issues."
        )
    return placed, bad


def _whole_file(page: ConvertedFile, relative: str, kind: Format | None = None) -> _ReadDocument:
    """Return the document that a converted file is (UnreadableFileError: it holds no text)."""
    _refuse_dump(page.text)
    if not page.text.strip():
        better = "save the page as it looks in a browser" if kind == "html" else NO_SCAN
        raise UnreadableFileError(f"holds no text; leave it out, or {better}.")
    name = uncompressed(relative)
    title = short_title(page.title) or PurePosixPath(name).stem.replace("-", " ").replace("_", " ").strip() or name
    document = Document(without_surrogates(name), title, page.text, page.url)
    return _ReadDocument(document, relative, page.marks, page.unresolved)


def read_fetched(
    data: bytes, kind: Format, url: str, templates: Mapping[str, str], ocr: Sequence[str] = ()
) -> SourceRecord[Document]:
    """Read what came from an address, which is its id and its place (UnreadableFileError)."""
    page = _convert_whole_file(data, kind, FoundFile("", url), templates, ocr)  # beside which there is no other file
    read = _whole_file(page, url, kind)
    return _fetched(replace(read, document=replace(read.document, id=url, url=url)), page.left_out)


def read_fetched_record(record: f.Record, document_id: str) -> SourceRecord[Document]:
    """Read an article that an interface gives, under an id (UnreadableFileError)."""
    read = _read_record(PlacedRecord(record, 1), document_id, document_id, fields=Fields(), known="html", templates={})
    return _fetched(replace(read, document=replace(read.document, id=document_id)))


def _fetched(read: _ReadDocument, lost: tuple[str, ...] = ()) -> SourceRecord[Document]:
    document = _without_controls(read.document)
    if not document.text.strip():
        raise UnreadableFileError("holds no text, only control characters; leave it out.")
    return SourceRecord(document, "", read.place, read.marks, lost)


def _convert_whole_file(
    data: bytes, kind: Format, file: FoundFile, templates: Mapping[str, str], ocr: Sequence[str]
) -> ConvertedFile:
    if kind == "pdf" and ocr:
        return convert_in_subprocess("ocr", json.dumps(ocr).encode() + b"\n" + data)
    if kind == "pdf" or kind == "docx":
        return convert_in_subprocess(kind, data)
    if kind == "html":
        return _page_of_html(decode(data, markup=True))
    if kind == "wiki":
        return wiki_page(decode(data), templates)
    # Plain Markdown is the file itself: only a byte order mark, which is no text, goes.
    text = decode(data).removeprefix("\ufeff")
    if kind == "markdown":
        return site_page(text, file.relative, templates, partial(text_beside, file))
    return ConvertedFile(clean(text))


def _documents(
    placed: Sequence[PlacedRecord],
    bad: list[Skipped],
    relative: str,
    read_record: Callable[..., _ReadDocument],
    tell: Callable[..., None] | None,
) -> tuple[list[_ReadDocument], list[Skipped]]:
    found = []
    slow = 0
    for record in with_progress(placed, tell):
        place = relative if record.is_whole_file else f"{relative}:{record.line}"
        try:
            found.append(read_record(record, relative, place))
        except UnreadableFileError as error:
            slow += isinstance(error, TakesTooLongError)
            if slow == MOST_SLOW:
                raise UnreadableFileError(MANY_ARE_SLOW) from error
            bad.append(Skipped(place, str(error)))
    return found, shorten_report(bad, relative, none_read=not found)


def _read_record(
    placed: PlacedRecord,
    relative: str,
    place: str,
    *,
    fields: Fields,
    known: Markup | None,
    templates: Mapping[str, str],
) -> _ReadDocument:
    record = placed.record
    if _is_draft(record):
        raise UnreadableFileError("is a draft that nobody has published, and is left out.")
    value = f.raw_value(record, fields.text, f.TEXT_NAMES)
    if value is None:
        raise UnreadableFileError(missing_text(record, fields.text))
    written, markup = join_sections(value, known)
    if markup == "html" and is_whole_page(written):
        page = _page_of_html(written)
    elif markup == "wiki":
        page = wiki_page(written, templates)
    else:
        page = ConvertedFile(*to_markdown(written, markup))
    _refuse_dump(page.text)
    if not page.text.strip():
        raise UnreadableFileError("has an empty text; leave it out or fill it.")
    by_line = without_surrogates(f"{uncompressed(relative)}#{placed.line}")
    document_id = _document_id(placed, uncompressed(relative), fields) or by_line
    title = f.as_text(f.raw_value(record, fields.title, f.DOCUMENT_TITLE_NAMES)) or page.title
    title = short_title(" ".join((title or first_heading(page.text)).split())) or document_id
    url = f.as_text(record.get("url"))
    document = Document(document_id, title, page.text, url)
    return _ReadDocument(document, place, page.marks, page.unresolved, has_id=document_id != by_line)


def _is_draft(record: f.Record) -> bool:
    """Return whether a help centre or a site has this page, but shows it to nobody."""
    states = {f.as_text(record.get(name)).casefold() for name in ("status", "state", "post_status")}
    return (
        f.as_text(record.get("draft")).casefold() in TRUE or record.get("published") is False or bool(states & _DRAFTS)
    )


def _refuse_dump(text: str) -> None:
    if len(text) > LONGEST_DOCUMENT:
        raise UnreadableFileError(
            f"has {len(text):,} characters, and {LONGEST_DOCUMENT:,} can be read at most; split it."
        )


def _page_of_html(html: str) -> ConvertedFile:
    return convert_in_subprocess("page", html.encode("utf-8", "surrogatepass"))


def missing_text(record: f.Record, named: str | None) -> str:
    """Return the sentence for a record without its text field."""
    names = ", ".join(sorted(map(str, record))[:20])
    if named:
        return f"has no text at {named!r}; it has {names}."
    if empty := f.matching_keys(record, f.TEXT_NAMES):
        return f"has an empty text ({', '.join(map(str, empty))}); fill it, or leave the record out."
    return f"has no text field that is known; name one with --text-field: it has {names}."


def _document_id(placed: PlacedRecord, name: str, fields: Fields) -> str:
    """Return the id of a record, or of its file where it is the whole of it; nothing where none is given."""
    if fields.id:
        return named_id(placed.record, fields.id)
    if placed.is_whole_file:
        return without_surrogates(name)
    return own_id(placed.record)


def own_id(record: f.Record) -> str:
    """Return the id that a record gives itself in a field of a known name, else nothing."""
    return checked_id(id_text(f.raw_value(record, None, f.ID_NAMES)))


def id_text(value: Any) -> str:
    """Return the id that a field holds; nothing for an object or a list, which are none."""
    return "" if isinstance(value, dict | list) else f.as_text(value).strip()


def checked_id(found: str) -> str:
    """Return an id that is no longer than one may be (UnreadableFileError)."""
    if len(found) > _LONGEST_ID:
        reason = f"has an id of {len(found):,} characters, and {_LONGEST_ID:,} can be taken; name another field"
        raise UnreadableFileError(f"{reason} with --id-field.")
    return found


def named_id(record: f.Record, path: str) -> str:
    """Return the id at the named field, which must be there and say something."""
    found = id_text(f.raw_value(record, path, ()))
    if not found:
        raise UnreadableFileError(f"{NO_ID} {path!r}; add one, or name another field with --id-field.")
    return checked_id(found)
