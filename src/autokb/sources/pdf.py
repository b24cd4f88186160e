"""PDF to Markdown: headings by font size, paragraphs joined across lines and pages, lists, ruled tables, code."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import zlib
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.sources.page import ConvertedFile, counted_all, first_heading
from autokb.sources.pdf_blocks import Part, PlacedPart, blocks_to_markdown
from autokb.sources.pdf_fields import words_of_fields
from autokb.sources.pdf_lines import PageWords, in_reading_order, without_running_lines
from autokb.sources.pdf_pictures import REMEDY, recognise
from autokb.sources.pdf_tables import Box, Grid, take_tables

# Beyond it a PDF is a library: it is refused, not cut.
MAX_PAGES = 3000
# What one page may unpack to: a full page of text takes a hundredth of it, a detailed drawing a quarter; each character
# of it takes a kilobyte to read.
MAX_PAGE_MEGABYTES = 20
# Acrobat reads a file whose header is anywhere in its first 1024 bytes (PDF Reference 1.7, implementation note 13).
_HEADER_BYTES = 1024
# Share of a page's characters that have places of their own; below it bold text was printed twice.
_MIN_DISTINCT_CHARACTERS = 0.95
# Share of a character's size from which the space to the next parts two words.
_WORD_SPACE = 0.15
# What pdfminer writes for a letter of a font that does not say which letter it is.
_NO_LETTERS = "(cid:"
# Share of a page that its pictures take, and how many curves it has, from where without text it is a scan or outlines.
_PICTURED = 0.1
_OUTLINES = 100
_TOUCH = 3  # points between strokes that are one ruling; pdfplumber's own tolerance


def pdf_to_markdown(data: bytes, ocr: Sequence[str] = ()) -> ConvertedFile:
    """Return the Markdown of a PDF; UnreadableFileError for one that is encrypted, broken or has no text.

    ``ocr`` is the command that reads pictures of pages without text; without one these are named as left out.
    """
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    lost = Counter[str]()
    pages, unread = recognise(data, without_running_lines(_read_pages(data, lost)), ocr)
    if not any(page.words or page.recognised for page in pages):
        failed = f" ({'; '.join(unread)})" if ocr and unread else ""
        raise UnreadableFileError(f"holds no text, only pictures{failed}; {REMEDY}.")
    text = blocks_to_markdown([_lines_and_tables(page) for page in pages])
    return ConvertedFile(text, first_heading(text), left_out=(*unread, *counted_all(lost)))


def pdf_with_ocr(sent: bytes) -> ConvertedFile:
    """Return the Markdown of a PDF before which stands the command that reads its pictures, as JSON in a line."""
    head, _, data = sent.partition(b"\n")
    return pdf_to_markdown(data, json.loads(head))


def _read_pages(data: bytes, lost: Counter[str]) -> list[PageWords]:
    import pdfplumber
    from pdfminer.pdfdocument import PDFPasswordIncorrect
    from pdfminer.pdfparser import PDFSyntaxError
    from pdfplumber.utils.exceptions import PdfminerException

    if b"%PDF-" not in data[:_HEADER_BYTES]:
        raise UnreadableFileError("is not a PDF file; give it the suffix of its real format.")
    try:
        with pdfplumber.open(io.BytesIO(data)) as pdf:
            if len(pdf.pages) > MAX_PAGES:
                raise UnreadableFileError(f"has more than {MAX_PAGES} pages; split it.")
            if not pdf.pages:
                raise UnreadableFileError("is a broken PDF without pages; open it and save it anew.")
            return [_read_page(page, lost) for page in pdf.pages]
    except (PdfminerException, PDFPasswordIncorrect, PDFSyntaxError) as error:
        # pdfplumber wraps what pdfminer raises.
        if any(isinstance(e, PDFPasswordIncorrect) for e in (error, *error.args[:1])):
            raise UnreadableFileError("is encrypted; save it without a password.") from error
        raise UnreadableFileError("is a broken PDF; open it and save it anew.") from error


def _read_page(page: Any, lost: Counter[str]) -> PageWords:
    """Take the words and the ruled grids of a page, then let go of what else was parsed of it."""
    _refuse_bomb(page)
    places = {(c["text"], round(c["x0"]), round(c["top"])) for c in page.chars}
    # Some programs print bold text twice, a hair apart; removing the doubles is slow, so only where there are some.
    source = page.dedupe_chars(tolerance=1) if len(places) < len(page.chars) * _MIN_DISTINCT_CHARACTERS else page
    words = source.extract_words(extra_attrs=["size", "fontname", "upright"], x_tolerance_ratio=_WORD_SPACE)
    grids = [Grid(tuple(t.bbox), tuple(tuple(row.cells) for row in t.rows)) for t in page.find_tables()]
    shown = [word for word in words if word["upright"] and _NO_LETTERS not in word["text"]]
    lost["turned or unreadable letter"] += sum(not c["upright"] or _NO_LETTERS in c["text"] for c in page.chars)
    is_drawn = len(shown) < len(words) or _is_drawn(page)
    of_fields = words_of_fields(page, shown, lost)
    found = PageWords((*shown, *of_fields), tuple(grids), _rules(page), float(page.width), float(page.height), is_drawn)
    page.close()
    return found


def _rules(page: Any) -> tuple[Box, ...]:
    """Return the horizontal rulings of a page from its top, those that touch each other as one."""
    from pdfplumber.table import merge_edges

    edges = merge_edges([edge for edge in page.edges if edge["orientation"] == "h"], _TOUCH, _TOUCH, _TOUCH, _TOUCH)
    return tuple((e["x0"], e["top"], e["x1"], e["bottom"]) for e in sorted(edges, key=itemgetter("top")))


def _is_drawn(page: Any) -> bool:
    """Return whether a page has a large picture, or so many curves that letters may be among them."""
    pictured = sum(picture["width"] * picture["height"] for picture in page.images) / (page.width * page.height)
    return bool(pictured > _PICTURED or len(page.curves) > _OUTLINES)


def _refuse_bomb(page: Any) -> None:
    """Refuse a page that unpacks to too much, before it is parsed."""
    from pdfminer.pdftypes import PDFStream, resolve1

    left = MAX_PAGE_MEGABYTES * 1_000_000
    for part in page.page_obj.contents:
        stream = resolve1(part)
        if isinstance(stream, PDFStream):
            left -= _unpacked_length(stream, left)
        if left < 0:
            raise UnreadableFileError(
                f"has a page that unpacks to more than {MAX_PAGE_MEGABYTES} MB; save it anew, or take that page out."
            )


def _unpacked_length(stream: Any, most: int) -> int:
    """Return how many bytes a stream unpacks to, without unpacking many more than ``most``."""
    from pdfminer.pdftypes import LITERALS_FLATE_DECODE

    packed = stream.get_rawdata()
    if packed is None:
        return len(stream.get_data())  # it was unpacked for another page
    filters = stream.get_filters()
    if filters and filters[0][0] in LITERALS_FLATE_DECODE:
        with contextlib.suppress(zlib.error):  # encrypted or damaged; pdfminer knows more about both
            return len(zlib.decompressobj().decompress(packed, most + 1))
    return len(packed)


def _lines_and_tables(page: PageWords) -> Sequence[Part]:
    """Return the parts of a page in reading order: a table before the first line below its top in its column."""
    if page.recognised:
        return [page.recognised]
    tables, words = take_tables(page.words, page.grids)
    parts: list[PlacedPart] = list(in_reading_order(words, page.width, page.rules))
    for table in sorted(tables, key=lambda t: (t.top, t.left)):
        below = (
            n
            for n, part in enumerate(parts)
            if part.top >= table.top - 1 and part.left < table.right and part.right > table.left
        )
        parts.insert(next(below, len(parts)), table)
    return parts
