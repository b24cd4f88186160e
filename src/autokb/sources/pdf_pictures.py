"""Pages of a PDF that are pictures: a program of the settings (``ocr:``) reads them, else they are named."""

from __future__ import annotations

import io
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.sources.outside_readers import run_program
from autokb.sources.pdf_lines import PageWords

REMEDY = "run text recognition on it and add the result, or name a program under ocr: in settings.yaml"
RESOLUTION = 300  # dots an inch: what tesseract advises
MOST_PIXELS = 5_000  # of a side: a page of A3 at that resolution
PAGE_SECONDS = 60  # of one page; tesseract takes about three
# Of all pages of a file, by the clock, and of the processor for their pictures: the file is read after that, too.
FILE_SECONDS = 600
_PICTURE_SECONDS = 150


def recognise(
    data: bytes, pages: Sequence[PageWords], command: Sequence[str]
) -> tuple[list[PageWords], tuple[str, ...]]:
    """Return the pages with what the command reads of those that are pictures, and what is said of those unread.

    A page at which it fails leaves the others as they are.
    """
    pictures = [n for n, page in enumerate(pages) if page.is_drawn and not page.words]
    if not pictures:
        return [*pages], ()
    if not command:
        return [*pages], (f"{_named(pictures)}, only pictures (see ocr: in settings.yaml)",)
    import pdfplumber

    found, failed = [*pages], defaultdict[str, list[int]](list)
    ends, used_up = time.monotonic() + FILE_SECONDS, time.process_time() + _PICTURE_SECONDS
    with pdfplumber.open(io.BytesIO(data)) as pdf:
        for n in pictures:
            try:
                if time.monotonic() > ends or time.process_time() > used_up:
                    raise UnreadableFileError(f"is not reached in {FILE_SECONDS} seconds; split the file.")
                found[n] = replace(pages[n], recognised=_text_of(_picture(pdf.pages[n]), command))
            except (UnreadableFileError, OSError, ValueError) as error:
                failed[str(error).rstrip(".")].append(n)
    return found, tuple(f"{_named(numbers)}, which {reason}" for reason, numbers in failed.items())


def _text_of(picture: bytes, command: Sequence[str]) -> str:
    written = run_program(command, picture, ".png", PAGE_SECONDS)
    text = written.decode("utf-8", "replace").replace("\f", "").strip()
    if not text:
        raise UnreadableFileError(f"makes {command[0]!r} write nothing.")
    return text


def _picture(page: Any) -> bytes:
    longest = float(max(page.width, page.height))
    picture = io.BytesIO()
    page.to_image(resolution=min(RESOLUTION, 72 * MOST_PIXELS / longest)).original.save(picture, "PNG")
    return picture.getvalue()


def _named(pages: Iterable[int]) -> str:
    """Return positions of pages as their numbers: pages 2-4, 7."""
    spans: list[list[int]] = []
    for number in (n + 1 for n in pages):
        if spans and number == spans[-1][-1] + 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    written = ", ".join("-".join(map(str, span)) for span in spans)
    return f"page {written}" if written.isdecimal() else f"pages {written}"
