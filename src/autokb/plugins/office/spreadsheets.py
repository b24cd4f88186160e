"""Spreadsheets: sheets of questions and answers become sections, other sheets tables; rows become records.

A formula is read as the value that the program stored with it. Each cell of merged ones has their value.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.sources.archives import OLE_SIGNATURE, Archive
from autokb.sources.delimited import row_as_record
from autokb.sources.page import ConvertedFile, ConvertedRecords, as_paragraph, counted, table_to_markdown

MOST_CELLS = 5_000_000  # of a sheet with all that is empty between them; a table of 500,000 rows has ten columns
_LONGEST_CELL = 200  # characters in a table; with longer ones a row is a section, for a table cannot be read
_ALIKE = 0.5  # share of the columns that a sheet needs in common with the largest one, for rows of the same kind
_PERCENT_FORMATS = ("9", "10")  # numbers of the formats that all spreadsheets have
_QUESTIONS = frozenset(
    "question questions frage fragen problem issue topic thema symptom fehler error faq title titel".split()
)
_ANSWERS = frozenset("answer answers antwort antworten solution lösung resolution response reply abhilfe".split())
_ITEM = re.compile(r"(?:[-*]|\d{1,3}[.)]) ")
_LOCKED = "EncryptedPackage".encode("utf-16-le")  # the name of what a file with a password holds
_ENCRYPTED = "is encrypted; save it as XLSX without a password."
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet: lines above its header, the header, and the rows under it with their numbers."""

    name: str
    above: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]


def read_spreadsheet(data: bytes) -> ConvertedFile:
    """Return the sheets that can be seen, each under its name where there are several."""
    sheets, left_out = _read(data)
    parts = []
    for sheet in sheets:
        level = 2
        if len(sheets) > 1:
            parts.append(f"## {as_paragraph(sheet.name, first=False)}")
            level = 3
        parts += [as_paragraph(line) for line in sheet.above]
        parts += _as_markdown(sheet, level)
    return ConvertedFile("\n\n".join(parts), left_out=left_out)


# Complex: which sheets hold the same records is known from the largest; the others are named.
def read_rows(data: bytes, wanted: str) -> ConvertedRecords:
    """Return the rows of the largest sheet, and of those with its columns; they are numbered on from sheet to sheet."""
    sheets, left_out = _read(data)
    sheets = [sheet for sheet in sheets if sheet.rows]
    if not sheets:
        raise UnreadableFileError("has no sheet with rows under a header; add some or leave it out.")
    columns = _columns(max(sheets, key=lambda sheet: len(sheet.rows)))
    alike = [sheet for sheet in sheets if len(columns & _columns(sheet)) >= _ALIKE * len(columns)]
    found: list[tuple[int, Mapping[str, Any]]] = []
    start = 0
    for sheet in alike:
        several = [name for name, count in Counter(sheet.header).items() if name and count > 1]
        lists = several if wanted == "tickets" else []  # as columns of comments, which Jira repeats
        found += [(start + number, row_as_record(sheet.header, cells, lists)) for number, cells in sheet.rows]
        start += sheet.rows[-1][0]
    others = [f"the sheet {sheet.name!r}, which has other columns" for sheet in sheets if sheet not in alike]
    over = counted(sum(len(s.above) for s in alike), "line above the columns", "lines above the columns")
    return ConvertedRecords(tuple(found), (*left_out, *others, *over))


def _columns(sheet: _Sheet) -> set[str]:
    return {name.casefold() for name in sheet.header}


# Complex: what is no sheet that can be seen, and each way in which a file can be bad, has its own sentence.
def _read(data: bytes) -> tuple[list[_Sheet], tuple[str, ...]]:
    """Return the sheets that can be seen, and what is left out."""
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise UnreadableFileError("needs a library for spreadsheets: pip install 'autokb[office]'.") from error

    if data.startswith(OLE_SIGNATURE) and _LOCKED in data:
        raise UnreadableFileError(_ENCRYPTED)
    archive = None if data.startswith(OLE_SIGNATURE) else Archive(data, "XLSX", old="an old .xls")
    percent = _percent_cells(archive) if archive else {}
    sheets, left_out = [], []
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        for about in book.sheets_metadata:
            if about.typ != calamine.SheetTypeEnum.WorkSheet:
                left_out.append(f"the chart {about.name!r}")
            elif about.visible != calamine.SheetVisibleEnum.Visible:
                left_out.append(f"the hidden sheet {about.name!r}")
            elif sheet := _sheet(book.get_sheet_by_name(about.name), percent.get(about.name, frozenset())):
                sheets.append(sheet)
    except calamine.PasswordError as error:
        raise UnreadableFileError(_ENCRYPTED) from error
    except (calamine.CalamineError, ValueError) as error:
        raise UnreadableFileError("is no whole spreadsheet; open it and save it anew as XLSX.") from error
    return sheets, (*left_out, *(_beside(archive) if archive else ()))


def _beside(archive: Archive) -> tuple[str, ...]:
    """Return what a file has beside its sheets."""
    return (
        *counted(archive.count("xl/media/", "Pictures/"), "picture"),
        *counted(archive.count("xl/charts/chart"), "chart in a sheet", "charts in sheets"),
        *counted(archive.count("xl/comments", "xl/threadedComments/"), "part with comments", "parts with comments"),
        *counted(archive.count("xl/vbaProject.bin", "Basic/"), "part with macros", "parts with macros"),
    )


# Complex: merged cells, shown values and the header are found one from the other.
def _sheet(sheet: Any, percent: frozenset[tuple[int, int]]) -> _Sheet | None:
    """Return what a sheet holds, None for an empty one; its header is the first row with two different cells."""
    bottom, right = sheet.end or (0, 0)
    if bottom * right > MOST_CELLS:
        raise UnreadableFileError(f"has a sheet of more than {MOST_CELLS:,} cells; split it.")
    values = sheet.to_python(skip_empty_area=False)
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        for row in values[top : bottom + 1]:
            row[left : right + 1] = [values[top][left]] * (min(right + 1, len(row)) - left)
    shown = ([_shown(v, is_percent=(n, m) in percent) for m, v in enumerate(row)] for n, row in enumerate(values))
    rows = [(number, tuple(cells)) for number, cells in enumerate(shown, 1) if any(cells)]
    if not rows:
        return None
    head = next((n for n, (_, cells) in enumerate(rows) if len({*cells} - {""}) > 1), 0)
    above = tuple(next(filter(None, cells)) for _, cells in rows[:head])
    return _Sheet(sheet.name, above, tuple(" ".join(cell.split()) for cell in rows[head][1]), tuple(rows[head + 1 :]))


def _shown(value: Any, *, is_percent: bool) -> str:
    """Return a cell as people read it."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return f"{value * 100:.10g}%" if is_percent else f"{value:.15g}" if abs(value) < 1e15 else f"{value:.0f}"
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds") if value.time() != time() else value.date().isoformat()
    if isinstance(value, date | time | timedelta):
        return str(value)
    return str(value).replace("\r\n", "\n").replace("\r", "\n").strip()


# Complex: a cell is found by its style, its sheet's part and that part's name in the workbook.
def _percent_cells(archive: Archive) -> dict[str, frozenset[tuple[int, int]]]:
    """Return the cells of each sheet of an XLSX whose numbers are shown as percentages."""
    if "xl/styles.xml" not in archive.names or "xl/workbook.xml" not in archive.names:
        return {}
    wanted = _percent_styles(archive.xml("xl/styles.xml"))
    targets = archive.relations("xl/workbook.xml")
    found = {}
    for sheet in archive.xml("xl/workbook.xml").iter("{*}sheet") if wanted else ():
        part = targets.get(next((value for name, value in sheet.items() if name.endswith("}id")), ""), "")
        if part in archive.names:
            cells = (one.get("r") or "" for one in archive.xml(part).iter("{*}c") if one.get("s") in wanted)
            found[sheet.get("name") or ""] = frozenset(_place(one) for one in map(_REFERENCE.fullmatch, cells) if one)
    return found


def _percent_styles(styles: Any) -> set[str]:
    """Return the numbers of the styles that show a percentage."""
    formats = {one.get("numFmtId") for one in styles.iter("{*}numFmt") if "%" in (one.get("formatCode") or "")}
    of_cells = [one.get("numFmtId") for cells in styles.iter("{*}cellXfs") for one in cells.iter("{*}xf")]
    return {str(n) for n, one in enumerate(of_cells) if one in formats or one in _PERCENT_FORMATS}


def _place(reference: re.Match[str]) -> tuple[int, int]:
    column = 0
    for letter in reference[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(reference[2]) - 1, column - 1


def _as_markdown(sheet: _Sheet, level: int) -> Iterator[str]:
    """Give questions with their answers as sections; other rows as a table, or as sections where cells are long."""
    question = _column(sheet.header, _QUESTIONS)
    answer = _column(sheet.header, _ANSWERS, question)
    rows = [cells for _, cells in sheet.rows]
    if question is not None and answer is not None:
        yield from _as_sections(sheet.header, rows, level, question, answer)
    elif max((len(cell) for cells in rows for cell in cells), default=0) > _LONGEST_CELL:
        yield from _as_sections(sheet.header, rows, level, next(n for n, name in enumerate(sheet.header) if name), None)
    else:
        yield _as_table([sheet.header, *rows])


def _as_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a table without its empty columns, a single cell as a paragraph."""
    used = [n for n in range(len(rows[0])) if any(cells[n] for cells in rows)]
    kept = [[cells[n] for n in used] for cells in rows]
    return table_to_markdown(kept) if len(kept) > 1 or len(used) > 1 else as_paragraph(kept[0][0])


def _column(header: Sequence[str], names: Set[str], other: int | None = None) -> int | None:
    """Return the first column whose name has one of some words, and which is not the ``other`` one."""
    heads = [set(re.findall(r"\w+", name.casefold())) for name in header]
    return next((n for n, words in enumerate(heads) if words & names and n != other), None)


def _as_sections(
    header: Sequence[str], rows: Sequence[Sequence[str]], level: int, heading: int, answer: int | None
) -> Iterator[str]:
    before = ""
    for cells in rows:
        words = " ".join(cells[heading].split())
        if words and words != before:
            yield f"{'#' * level} {as_paragraph(words, first=False)}"
            before = words
        if answer is not None and cells[answer]:
            yield _as_text(cells[answer])
        for n, (name, cell) in enumerate(zip(header, cells, strict=True)):
            if cell and n not in (heading, answer):
                yield f"{as_paragraph(name, first=False)}: {_as_text(cell)}" if name else _as_text(cell)


def _as_text(cell: str) -> str:
    """Return the lines of a cell, each of which stays one; lists that people typed stay lists."""
    lines = (line.strip() for line in cell.split("\n"))
    return "\n".join(line if not line or _ITEM.match(line) else f"{as_paragraph(line)}  " for line in lines).rstrip()
