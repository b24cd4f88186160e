"""PDF to Markdown: headings by font size, paragraphs joined across lines and pages, lists, ruled tables, code."""

from __future__ import annotations

import io
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.sources.page import Page, first_heading
from autokb.sources.pdf_blocks import blocks_to_markdown
from autokb.sources.pdf_lines import PageWords, in_reading_order, without_running_lines
from autokb.sources.pdf_tables import Grid, Table, take_tables

# Beyond it a PDF is a library; said, not cut.
MOST_PAGES = 3000


def pdf_to_markdown(data: bytes) -> Page:
    """Return the Markdown of a PDF; UnreadableFileError for one that is encrypted, broken or has no text."""
    import logging

    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    pages = without_running_lines(_pages(data))
    if not any(page.words for page in pages):
        raise UnreadableFileError("holds no text, only pictures; run text recognition on it and add the result.")
    text = blocks_to_markdown([_parts(page) for page in pages])
    return Page(text, first_heading(text))


def _pages(data: bytes) -> list[PageWords]:
    import pdfplumber
    from pdfminer.pdfdocument import PDFPasswordIncorrect
    from pdfminer.pdfparser import PDFSyntaxError
    from pdfplumber.utils.exceptions import PdfminerException

    if b"%PDF-" not in data[:1024]:
        raise UnreadableFileError("is no PDF inside; give it the suffix of its real format.")
    try:
        with pdfplumber.open(io.BytesIO(data)) as pdf:
            if len(pdf.pages) > MOST_PAGES:
                raise UnreadableFileError(f"has more than {MOST_PAGES} pages; split it.")
            if not pdf.pages:
                raise UnreadableFileError("is a broken PDF without pages; open it and save it anew.")
            return [_read(page) for page in pdf.pages]
    except (PdfminerException, PDFPasswordIncorrect, PDFSyntaxError) as error:
        inner = error.args[0] if error.args else error
        if isinstance(inner, PDFPasswordIncorrect) or isinstance(error, PDFPasswordIncorrect):
            raise UnreadableFileError("is encrypted; save it without a password.") from error
        raise UnreadableFileError("is a broken PDF; open it and save it anew.") from error


def _read(page: Any) -> PageWords:
    """Take the words and the ruled grids of a page, then let go of what else was parsed of it."""
    places = {(c["text"], round(c["x0"]), round(c["top"])) for c in page.chars}
    # Some programs print bold text twice, a hair apart; removing the doubles is slow, so only where there are some.
    source = page.dedupe_chars(tolerance=1) if len(places) * 20 < len(page.chars) * 19 else page
    words = source.extract_words(extra_attrs=["size", "fontname", "upright"], x_tolerance_ratio=0.15)
    grids = [Grid(tuple(t.bbox), tuple(tuple(row.cells) for row in t.rows)) for t in page.find_tables()]
    found = PageWords(tuple(w for w in words if w["upright"]), tuple(grids), float(page.width), float(page.height))
    page.close()
    return found


def _parts(page: PageWords) -> list[Any]:
    """Return the lines and tables of a page in reading order."""
    tables, free = take_tables(page.words, page.grids)
    parts: list[Any] = list(in_reading_order(free, page.width))
    for table in sorted(tables, key=lambda t: (t.top, t.left)):
        parts.insert(_place(parts, table), table)
    return parts


def _place(parts: list[Any], table: Table) -> int:
    """Return where a table goes: before the first part below its top in the same column."""
    below = (n for n, p in enumerate(parts) if p.top >= table.top - 1 and p.left < table.right and p.right > table.left)
    return next(below, len(parts))
