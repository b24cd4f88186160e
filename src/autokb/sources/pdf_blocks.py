"""Lines and tables of a PDF become Markdown blocks: headings, paragraphs, list items, tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import NamedTuple

from autokb.sources.line_joins import SOFT_HYPHEN, join_lines, join_two, vocabulary
from autokb.sources.page import as_paragraph, table_to_markdown
from autokb.sources.pdf_lines import Line
from autokb.sources.pdf_tables import Table

_NUMBERED = re.compile(r"(\d{1,3})[.)]\s+(?=\S)")
_LETTERED = re.compile(r"([a-z])[.)]\s+(?=\S)")
_BULLET = re.compile(r"(?:[•●○◦▪■□‣⁃∙·➢➤✓❖\uf0b7\uf0a7\uf0d8\u2013\u2014*o-])\s+(?=\S)")
_LONE_MARKER = re.compile(r"[•●○◦▪■□‣⁃∙➢➤❖\uf0b7\uf0a7\uf0d8]|\d{1,3}[.)]")
_MARKDOWN_ITEM = re.compile(r" *(?:- |\d+\. )")
# Private characters are pictures of a font.
_NOT_TEXT = re.compile(r"[\ue000-\uf8ff]")
_SENTENCE_ENDS = (".", "!", "?", ":", ";")

# Times the size of body text.
_MIN_HEADING_SIZE = 1.12
_MAX_LEADING = 2.5
_USUAL_LEADING = 1.2
# A size at most this far from another, in points, is the same.
_SIZE_TOLERANCE = 0.6
# Times the usual leading: more space sets a bold line apart as a heading, still more ends a paragraph.
_HEADING_SPACE = 1.25
_PARAGRAPH_SPACE = 1.35
# A heading goes on in the next line where less than this many times its size is between the two.
_MAX_SPACE_IN_HEADING = 0.6
# Characters.
_MAX_HEADING_CHARACTERS = 150
_MAX_BOLD_HEADING_CHARACTERS = 100
_MAX_CONTINUED_BOLD_HEADING_CHARACTERS = 60
# Points: markers this close begin items of one list, and text so far right of a marker belongs to its item.
_MARKER_TOLERANCE = 3
_ITEM_INDENT = 2
_PARAGRAPH_IN_ITEM_INDENT = 6
_TABLE_TOLERANCE = 5  # points between the left edges of one table on two pages


# Of a page: what a program recognised in its picture is text alone.
PlacedPart = Line | Table
Part = PlacedPart | str


class _OpenPdfList(NamedTuple):
    left: float  # of the marker, in points
    content_indent: int  # in characters


def blocks_to_markdown(pages: Sequence[Sequence[Part]]) -> str:
    """Return the Markdown of the pages in order."""
    writer = _PdfWriter(pages)
    for page in pages:
        parts = _join_lone_markers(page)
        is_first_line = True
        for n, part in enumerate(parts):
            if isinstance(part, Table):
                writer.write_table(part, is_new_page=n == 0)
            elif isinstance(part, str):
                writer.write_recognised(part)
            else:
                writer.write_line(part, parts[n + 1] if n + 1 < len(parts) else None, is_new_page=is_first_line)
                is_first_line = False
    # A soft hyphen only says where a word may be divided.
    return writer.text().replace(SOFT_HYPHEN, "")


def _join_lone_markers(page: Sequence[Part]) -> list[Part]:
    """Join a bullet that is a line of its own (set in another font) with the text right of it."""
    result: list[Part] = []
    for part in page:
        before = result[-1] if result else None
        if (
            isinstance(part, Line)
            and isinstance(before, Line)
            and _LONE_MARKER.fullmatch(before.text.strip())
            and abs(part.bottom - before.bottom) < part.size
            and part.left > before.left
        ):
            text = f"{before.text.strip()} {part.text}"
            part = replace(part, text=text, left=before.left, top=before.top)
            result.pop()
        result.append(part)
    return result


class _PdfWriter:
    """The blocks written so far, the last of which lines may go on, and what is usual in the document."""

    def __init__(self, pages: Sequence[Sequence[Part]]) -> None:
        lines = [part for page in pages for part in page if isinstance(part, Line)]
        characters_of_size = Counter[float]()
        for line in lines:
            characters_of_size[line.size] += len(line.text)
        self._body_size = max(characters_of_size, key=lambda size: (characters_of_size[size], -size), default=10.0)
        self._leading = self._usual_leading(pages)
        # The heading level of each size above the body's; bold lines of the body's own size come last.
        sizes = sorted({line.size for line in lines if self._is_large(line)}, reverse=True)
        self._level_of_size = {size: min(n, 6) for n, size in enumerate(sizes, 1)}
        self._bold_level = min(len(sizes) + 1, 6)
        # To tell a hyphen of the line break from one of the word.
        self._vocabulary = vocabulary(text for part in chain(*pages) for text in _texts(part))
        self.blocks: list[str] = []
        # The tables by their blocks, which they take when all of their pages are read.
        self._tables: dict[int, tuple[float, list[list[str]]]] = {}
        self._lists: list[_OpenPdfList] = []
        self._kind = ""
        self._last: Line | None = None

    def _usual_leading(self, pages: Sequence[Sequence[Part]]) -> float:
        """Return the usual distance between the baselines of two lines of body text, in half points."""
        counts = Counter[float]()
        for page in pages:
            lines = [part for part in page if isinstance(part, Line) and part.size == self._body_size]
            for one, two in pairwise(lines):
                if 0 < two.bottom - one.bottom < _MAX_LEADING * self._body_size:
                    counts[round((two.bottom - one.bottom) * 2) / 2] += 1
        # Lines of one paragraph are nearer than paragraphs, and need not be the most: the least that is no exception.
        often = (leading for leading in counts if counts[leading] * 5 >= max(counts.values()))
        return min(often, default=_USUAL_LEADING * self._body_size)

    def _is_large(self, line: Line) -> bool:
        letters = sum(character.isalpha() for character in line.text)
        is_short = len(line.text) <= _MAX_HEADING_CHARACTERS
        return line.size >= self._body_size * _MIN_HEADING_SIZE and is_short and letters > 1

    def write_table(self, table: Table, *, is_new_page: bool) -> None:
        """Write a table as a block of its own, or below that on the page before which it goes on."""
        rows = [[join_lines(cell.split("\n"), self._vocabulary) for cell in row] for row in table.rows]
        left, above = self._tables.get(len(self.blocks) - 1, (0.0, [[""]]))
        is_near = abs(table.left - left) < _TABLE_TOLERANCE
        if is_new_page and self._kind == "table" and is_near and len(rows[0]) == len(above[0]):
            above += rows[rows[0] == above[0] :]  # the head is on each page, or on the first alone
            return
        self._close()
        self._tables[len(self.blocks)] = table.left, rows
        self.blocks.append("table")
        self._kind = "table"

    def text(self) -> str:
        """The Markdown of all blocks."""
        for n, (_, rows) in self._tables.items():
            self.blocks[n] = table_to_markdown(rows)
        blocks = [block for block in self.blocks if block.strip()]
        text = blocks[0] if blocks else ""
        for above, block in pairwise(blocks):
            is_tight = _MARKDOWN_ITEM.match(block) and _MARKDOWN_ITEM.match(above)
            text += ("\n" if is_tight else "\n\n") + block
        return text + "\n" if text else ""

    def write_recognised(self, text: str) -> None:
        """Write the paragraphs that a program reads in a picture of a page, between which it leaves a line blank."""
        self._close()
        paragraphs = [paragraph.split("\n") for paragraph in re.split(r"\n[ \t]*\n", text)]
        joined = (join_lines(map(_clean, lines), self._vocabulary) for lines in paragraphs)
        self.blocks += [as_paragraph(words) for words in joined]
        self._last = None

    def write_line(self, line: Line, following: Part | None, *, is_new_page: bool) -> None:
        """Write a line as a block, or at the end of the block above that it goes on."""
        marker = _NUMBERED.match(line.text) or _BULLET.match(line.text) or _LETTERED.match(line.text)
        if not line.mono and (self._is_large(line) or (not marker and self._is_bold_heading(line, following))):
            self._write_heading(line)
        elif line.mono:
            self._write_code(line)
        elif marker:
            self._write_item(line, marker)
        elif self._continues_block(line, is_new_page=is_new_page):
            self._append_words(as_paragraph(_clean(line.text), first=False))
        else:
            self._write_paragraph(line)
        self._last = line

    # Complex: bold type, length, space and last character make a heading only together.
    def _is_bold_heading(self, line: Line, following: Part | None) -> bool:
        if not line.bold or line.size < self._body_size or len(line.text) > _MAX_BOLD_HEADING_CHARACTERS:
            return False
        space = self._leading * _HEADING_SPACE
        # Two long bold lines below each other are an emphasised paragraph.
        is_continued = isinstance(following, Line) and following.bold and 0 < following.bottom - line.bottom <= space
        if is_continued and len(line.text) > _MAX_CONTINUED_BOLD_HEADING_CHARACTERS:
            return False
        last = self._last
        is_set_apart = last is None or last.bottom > line.bottom or line.bottom - last.bottom > space
        return is_set_apart and not line.text.rstrip().endswith((".", ",", ";", ":")) and line.text[:1].isalnum()

    def _write_heading(self, line: Line) -> None:
        level = self._level_of_size.get(line.size, self._bold_level)
        last = self._last
        is_close = (
            last is not None
            and 0 < line.top - last.bottom < _MAX_SPACE_IN_HEADING * line.size
            and last.size == line.size
        )
        if self._kind == f"heading{level}" and is_close:
            self._append_words(_clean(line.text))
        else:
            self._close()
            self.blocks.append(f"{'#' * level} {_clean(line.text)}")
        self._kind = f"heading{level}"

    def _write_code(self, line: Line) -> None:
        if self._kind == "code":
            self.blocks[-1] = self.blocks[-1].removesuffix("```") + f"{line.text}\n```"
            return
        self._close()
        self.blocks.append(f"```\n{line.text.replace('```', '')}\n```")
        self._kind = "code"

    def _write_item(self, line: Line, marker: re.Match[str]) -> None:
        while self._lists and line.left < self._lists[-1].left - _MARKER_TOLERANCE:
            self._lists.pop()
        if self._lists and abs(line.left - self._lists[-1].left) <= _MARKER_TOLERANCE:
            self._lists.pop()
        indent = self._lists[-1].content_indent if self._lists else 0
        words = as_paragraph(_clean(line.text[marker.end() :]), first=False)
        mark = f"{int(marker.group(1))}. " if marker.re is _NUMBERED else "- "
        # Markdown has no lettered lists.
        if marker.re is _LETTERED:
            words = f"{marker.group(1)}. {words}"
        self._lists.append(_OpenPdfList(line.left, indent + len(mark)))
        self.blocks.append(f"{' ' * indent}{mark}{words}")
        self._kind = "item"

    # Complex: one condition for each sign that a line goes on or does not, the surest first.
    def _continues_block(self, line: Line, *, is_new_page: bool) -> bool:
        """Return whether a line goes on the paragraph or item above it."""
        last = self._last
        if last is None or self._kind not in ("text", "item") or abs(line.size - last.size) > _SIZE_TOLERANCE:
            return False
        is_open = not last.text.rstrip().endswith(_SENTENCE_ENDS)
        if is_new_page or line.bottom <= last.bottom:
            return is_open and (line.text[:1].islower() or last.text.rstrip().endswith((",", "-")))
        if line.bottom - last.bottom > self._leading * _PARAGRAPH_SPACE:
            return False
        if self._kind == "item":
            return line.left >= self._lists[-1].left + _ITEM_INDENT or (is_open and line.text[:1].islower())
        return line.bold == last.bold or is_open

    def _append_words(self, words: str) -> None:
        """Add words to the block above, without what the line break put between them."""
        self.blocks[-1] = join_two(self.blocks[-1], words, self._vocabulary)

    def _write_paragraph(self, line: Line) -> None:
        """Begin a paragraph, inside the list item above where it is under the item's text."""
        while self._lists and line.left < self._lists[-1].left + _PARAGRAPH_IN_ITEM_INDENT:
            self._lists.pop()
        indent = self._lists[-1].content_indent if self._lists else 0
        self.blocks.append(" " * indent + as_paragraph(_clean(line.text)))
        self._kind = "item" if indent else "text"

    def _close(self) -> None:
        self._lists.clear()
        self._kind = ""


def _texts(part: Part) -> Iterable[str]:
    return [part] if isinstance(part, str) else [part.text] if isinstance(part, Line) else chain(*part.rows)


def _clean(text: str) -> str:
    return " ".join(_NOT_TEXT.sub("", text).split())
