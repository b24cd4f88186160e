"""Lines and tables of a PDF become Markdown blocks: headings, paragraphs, list items, tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from autokb.sources.page import as_paragraph, table_to_markdown
from autokb.sources.pdf_lines import Line
from autokb.sources.pdf_tables import Table

_NUMBERED = re.compile(r"(\d{1,3})[.)]\s+(?=\S)")
_LETTERED = re.compile(r"([a-z])[.)]\s+(?=\S)")
_BULLET = re.compile(r"(?:[•●○◦▪■□‣⁃∙·➢➤✓❖\uf0b7\uf0a7\uf0d8\u2013\u2014*o-])\s+(?=\S)")
_LONE_BULLET = re.compile(r"[•●○◦▪■□‣⁃∙➢➤❖\uf0b7\uf0a7\uf0d8]|\d{1,3}[.)]")
_ITEM = re.compile(r" *(?:- |\d+\. )")
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")
_HEADING_RATIO = 1.12
_LONGEST_HEADING = 150
_ENDS = (".", "!", "?", ":", ";")


@dataclass(slots=True)
class _Writer:
    body: float
    gap: float
    levels: dict[tuple[float, bool], int]
    # Every word of the document, to tell a hyphen of the line break from one of the word.
    vocabulary: frozenset[str]
    blocks: list[str] = field(default_factory=list)
    # Open lists: x of the marker, x of the text, characters that continuation lines are indented by, numbered.
    lists: list[tuple[float, float, int, bool]] = field(default_factory=list)
    kind: str = ""
    last: Line | None = None


def blocks_to_markdown(pages: Sequence[Sequence[Line | Table]]) -> str:
    """Return the Markdown of the pages in order."""
    lines = [part for page in pages for part in page if isinstance(part, Line)]
    body = _body_size(lines)
    words = frozenset(word for line in lines for word in re.findall(r"[^\W\d_]+", line.text.lower()))
    writer = _Writer(body, _usual_gap(pages, body), _levels(lines, body), words)
    for page in pages:
        parts = _with_markers_joined(page)
        first = True
        for n, part in enumerate(parts):
            if isinstance(part, Table):
                _close(writer)
                writer.blocks.append(table_to_markdown(part.rows))
                writer.kind = "table"
            else:
                following = parts[n + 1] if n + 1 < len(parts) else None
                _add(writer, part, following, new_page=first)
                first = False
    return _joined_blocks(writer.blocks)


def _joined_blocks(blocks: Sequence[str]) -> str:
    text = ""
    for block in filter(str.strip, blocks):
        tight = bool(_ITEM.match(block)) and bool(_ITEM.match(text.rpartition("\n\n")[2]))
        text += ("\n" if tight else "\n\n" if text else "") + block
    return text + "\n" if text else ""


def _body_size(lines: Sequence[Line]) -> float:
    sizes = Counter[float]()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda s: (sizes[s], -s), default=10.0)


def _usual_gap(pages: Sequence[Sequence[Line | Table]], body: float) -> float:
    """Return the usual distance between the baselines of two lines of body text."""
    gaps = Counter[float]()
    for page in pages:
        lines = [p for p in page if isinstance(p, Line) and p.size == body]
        for one, two in pairwise(lines):
            if 0 < two.bottom - one.bottom < 2.5 * body:
                gaps[round((two.bottom - one.bottom) * 2) / 2] += 1
    return min((g for g in gaps if gaps[g] * 5 >= max(gaps.values())), default=1.2 * body)


def _levels(lines: Sequence[Line], body: float) -> dict[tuple[float, bool], int]:
    """Return the heading level of each size above the body's; bold lines of the body's own size come last."""
    big = sorted({line.size for line in lines if _is_big(line, body)}, reverse=True)
    levels = {(size, bold): min(n, 6) for n, size in enumerate(big, 1) for bold in (False, True)}
    levels[(body, True)] = min(len(big) + 1, 6)
    return levels


def _is_big(line: Line, body: float) -> bool:
    says = sum(c.isalpha() for c in line.text) > 1
    return line.size >= body * _HEADING_RATIO and len(line.text) <= _LONGEST_HEADING and says


def _with_markers_joined(page: Sequence[Line | Table]) -> list[Line | Table]:
    """Join a bullet that stands on a line of its own (set in another font) with the text right of it."""
    result: list[Line | Table] = []
    for part in page:
        before = result[-1] if result else None
        if (
            isinstance(part, Line)
            and isinstance(before, Line)
            and _LONE_BULLET.fullmatch(before.text.strip())
            and abs(part.bottom - before.bottom) < part.size
            and part.left > before.left
        ):
            text = f"{before.text.strip()} {part.text}"
            part = Line(text, before.left, part.right, before.top, part.bottom, part.size, part.bold, part.mono)
            result.pop()
        result.append(part)
    return result


def _add(writer: _Writer, line: Line, following: Line | Table | None, *, new_page: bool) -> None:
    marker = _NUMBERED.match(line.text) or _BULLET.match(line.text) or _LETTERED.match(line.text)
    if _is_heading(writer, line, following, marker):
        _heading(writer, line)
    elif line.mono:
        _code(writer, line)
    elif marker:
        _item(writer, line, marker)
    elif _goes_on(writer, line, new_page=new_page):
        _join(writer, as_paragraph(_clean(line.text), first=False))
    else:
        _paragraph(writer, line)
    writer.last = line


def _is_heading(writer: _Writer, line: Line, following: Line | Table | None, marker: re.Match[str] | None) -> bool:
    if line.mono:
        return False
    if _is_big(line, writer.body):
        return True
    if not line.bold or line.size < writer.body or marker or len(line.text) > 100:
        return False
    last = writer.last
    apart = last is None or last.bottom > line.bottom or line.bottom - last.bottom > writer.gap * 1.25
    # Two long bold lines below each other are an emphasised paragraph.
    goes_on = isinstance(following, Line) and following.bold and 0 < following.bottom - line.bottom <= writer.gap * 1.25
    if goes_on and len(line.text) > 60:
        return False
    return apart and not line.text.rstrip().endswith((".", ",", ";", ":")) and line.text[:1].isalnum()


def _code(writer: _Writer, line: Line) -> None:
    """Add a line in a typewriter font to the code block above, or begin one."""
    if writer.kind == "code":
        writer.blocks[-1] = f"{writer.blocks[-1][:-4]}\n{line.text}\n```"
        return
    _close(writer)
    writer.blocks.append(f"```\n{line.text.replace('```', '')}\n```")
    writer.kind = "code"


def _heading(writer: _Writer, line: Line) -> None:
    level = writer.levels.get((line.size, line.bold)) or writer.levels[(writer.body, True)]
    last = writer.last
    close = last is not None and 0 < line.top - last.bottom < 0.6 * line.size and last.size == line.size
    words = _clean(line.text)
    if writer.kind == f"heading{level}" and close:
        writer.blocks[-1] += f" {words}"
    else:
        _close(writer)
        writer.blocks.append(f"{'#' * level} {words}")
    writer.kind = f"heading{level}"


def _item(writer: _Writer, line: Line, marker: re.Match[str]) -> None:
    numbered = _NUMBERED.match(line.text)
    while writer.lists and line.left < writer.lists[-1][0] - 3:
        writer.lists.pop()
    if writer.lists and abs(line.left - writer.lists[-1][0]) <= 3:
        writer.lists.pop()
    indent = writer.lists[-1][2] if writer.lists else 0
    words = as_paragraph(_clean(line.text[marker.end() :]), first=False)
    mark = f"{int(numbered.group(1))}. " if numbered else "- "
    if not numbered and marker.re is _LETTERED:
        words = f"{marker.group(1)}. {words}"
    share = marker.end() / max(1, len(line.text))
    writer.lists.append((line.left, line.left + (line.right - line.left) * share, indent + len(mark), bool(numbered)))
    writer.blocks.append(f"{' ' * indent}{mark}{words}")
    writer.kind = "item"


def _goes_on(writer: _Writer, line: Line, *, new_page: bool) -> bool:
    """Return whether a line continues the paragraph or item above it."""
    last = writer.last
    if last is None or writer.kind not in ("text", "item") or abs(line.size - last.size) > 0.6:
        return False
    open_end = not last.text.rstrip().endswith(_ENDS)
    if new_page or line.bottom <= last.bottom:
        return open_end and (line.text[:1].islower() or last.text.rstrip().endswith((",", "-")))
    if line.bottom - last.bottom > writer.gap * 1.35:
        return False
    if writer.kind == "item":
        return line.left >= writer.lists[-1][0] + 2 or (open_end and line.text[:1].islower())
    return line.bold == last.bold or open_end


def _join(writer: _Writer, words: str) -> None:
    """Add words to the block above; a hyphen at its end goes where the joined word stands elsewhere in the document."""
    block = writer.blocks[-1]
    before = re.search(r"([^\W\d_]+)-$", block)
    after = re.match(r"[^\W\d_]+", words)
    if before and after:
        whole = (before.group(1) + after.group()).lower()
        writer.blocks[-1] = (block[:-1] if whole in writer.vocabulary else block) + words
    else:
        writer.blocks[-1] = f"{block} {words}"


def _paragraph(writer: _Writer, line: Line) -> None:
    """Start a paragraph, inside the list item above where it stands under its text."""
    while writer.lists and line.left < writer.lists[-1][0] + 6:
        writer.lists.pop()
    indent = writer.lists[-1][2] if writer.lists else 0
    writer.blocks.append(" " * indent + as_paragraph(_clean(line.text)))
    writer.kind = "item" if indent else "text"


def _close(writer: _Writer) -> None:
    writer.lists.clear()
    writer.kind = ""


def _clean(text: str) -> str:
    return " ".join(_PRIVATE.sub("", text).replace("\u00ad", "").split())
