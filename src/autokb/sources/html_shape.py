"""Mending a page's structure before it becomes Markdown: stray list parts, tables used for layout, empty links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from string import ascii_lowercase
from typing import Any

_BLOCKS = ("p", "div", "ul", "ol", "dl", "table", "pre", "blockquote", "section", "h1", "h2", "h3", "h4", "h5", "h6")
_UNSAFE = re.compile(r"\s*(?:javascript|vbscript|data|file|about|blob)\s*:", re.IGNORECASE)
_FILE_NAME = re.compile(r".*\.(?:png|jpe?g|gif|svg|webp|bmp|ico)$|^(?:image|img|icon|photo|logo|spacer)?\d*$", re.I)
ANCHOR_MARKS = frozenset({"¶", "#", "§", "🔗", "⚓", "link", "permalink"})
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_WHITE = re.compile(r"[\t\n\f][ \t\n\f]*| [ \t\n\f]+")  # all white space but a single blank
_AROUND_CODE = ("div", "figure", "p", "td", "section")
_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
_LINE_NUMBER = re.compile(r"line-?no|line-?num|gutter| ln(?: |$)", re.IGNORECASE)
_SHOWN_AS_LINE = re.compile(r"display:\s*(?:block|flex|grid)|line(?: |$)", re.IGNORECASE)
_LETTERED = re.compile(r"^[aAiI](?= )|(?:lower|upper)-?(?:alpha|latin|roman)")  # the type of a list, or its style
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split()
_SPAN_DIGITS = 3  # of a number of rows or columns; a longer one is no number
_MOST_COPIES = 10_000  # of cells in a table
_NO_WORD = re.compile(r"\W")
_CODE = ("pre", "code", "kbd", "samp", "tt", "textarea")
# Stands for a backslash and "<" until the converter, which would double the backslash, is done.
ESCAPED_LESS_THAN = "\ue100"
_UNWRAPPED = "autokb-unwrapped"
_DROPPED = "autokb-dropped"


def mend_shape(root: Any) -> None:
    """Change the tree so that each list, table and link becomes valid Markdown."""
    from lxml import etree

    for code in list(root.iter("pre", "code")):
        _mend_code(code)
    for table in list(root.iter("table")):
        if _is_layout(table):
            _flatten(table)
        elif table.xpath("boolean(.//@rowspan | .//tr[1]/*/@colspan | .//thead/tr[2])"):
            _fill_spans(table)
    for element in list(root.iter("a", "img", "dt", "dd", "label", "font", "center", "button")):
        _mend_inline(element)
    etree.strip_elements(root, _DROPPED, "hr", with_tail=False)
    etree.strip_tags(root, _UNWRAPPED)
    for found in list(root.iter("ol", "ul")):
        _mend_list(found)
    for item in list(root.iter("li")):
        if item.getparent().tag not in ("ol", "ul", "menu"):
            item.tag = "div"
    _settle_texts(root)
    # The folded answer of an accordion is hidden until it is clicked, and still text.
    etree.strip_attributes(root, "style", "hidden", "aria-hidden", "title")


def _mend_code(code: Any) -> None:
    """Break code into the lines that a page shows as blocks, and leave out the numbers of its lines."""
    if code.tag == "code" and _is_block(code):
        code.getparent().tag, code.tag = "div", "pre"
    if code.tag == "pre":
        cell = next(code.iterancestors("td"), code)
        if _counts_lines(code.text_content(), cell):
            cell.tag = _DROPPED
        for part in code.iter("span", "code"):
            _mend_line(part)


def _is_block(code: Any) -> bool:
    """Return whether code is all of a block, and has several lines."""
    around = code.getparent()
    is_alone = code.getprevious() is code.getnext() is None and not f"{around.text or ''}{code.tail or ''}".strip()
    has_lines = "\n" in code.text_content().strip() or next(code.iter("br", "div"), None) is not None
    return around.tag in _AROUND_CODE and is_alone and has_lines


def _counts_lines(words: str, cell: Any) -> bool:
    """Return whether words are the numbers of the lines of the code beside their cell."""
    beside = cell.getnext()
    if beside is None or next(beside.iter("pre"), None) is None or _LETTER.search(words):
        return False
    is_count = _DIGITS.findall(words) == [str(number) for number in range(1, len(words.split()) + 1)]
    return is_count or _LINE_NUMBER.search(cell.get("class") or "") is not None


# Complex: what a line of code is takes a tag or a style, and another of its kind behind it.
def _mend_line(part: Any) -> None:
    names, after = f"{part.get('style') or ''} {part.get('class') or ''}", part.getnext()
    if _LINE_NUMBER.search(names) and not _LETTER.search(part.text_content()):
        part.tag = _DROPPED
    elif after is not None and after.tag == part.tag and (part.tag == "code" or _SHOWN_AS_LINE.search(names)):
        is_broken = "\n" in f"{part.text_content()[-1:]}{part.tail or ''}"
        part.tail = part.tail if is_broken else f"\n{part.tail or ''}"


# Complex: the first thing that no table of data has decides.
def _is_layout(table: Any) -> bool:
    """Return whether a table only places things: nested, with headings or steps in cells, or with a single column."""
    if table.get("role") in ("presentation", "none") or next(table.iterdescendants("table"), None) is not None:
        return True
    if any(
        next(cell.iterdescendants("h1", "h2", "h3", "h4", "h5", "h6", "ol", "pre"), None) is not None
        for cell in _cells(table)
    ):
        return True
    rows = list(table.iter("tr"))
    widest = max((sum(c.tag in ("td", "th") and _says(c) for c in row) for row in rows), default=0)
    if widest <= 1 or _counts_steps(rows):
        return True
    return len(rows) == 1 and any(next(c.iterdescendants("p", "ul", "div"), None) is not None for c in _cells(table))


def _counts_steps(rows: Sequence[Any]) -> bool:
    """Return whether the rows are numbered steps: 1, 2 and so on, each beside its words."""
    counted = [len(row) == 2 and row[0].tag == "td" and _NO_WORD.sub("", row[0].text_content()) for row in rows]
    return len(rows) > 1 and counted == [str(number) for number in range(1, len(rows) + 1)]


def _span(cell: Any, name: str) -> int:
    found = cell.get(name) or ""
    return int(found) if found.isdecimal() and len(found) <= _SPAN_DIGITS else 1


def _fill_spans(table: Any) -> None:
    """Write a cell that spans rows into each of them, and make one row of a head of several."""
    rows = list(table.iter("tr"))
    first = list(rows[0].iterchildren("td", "th"))
    if len(first) == 1 and len(rows) > 2 and rows[1].find("td") is None and table.find("caption") is None:
        first[0].tag = "caption"
        table.insert(0, first[0])
        rows.pop(0).tag = _DROPPED
    heads = _count_heads(rows)
    above: dict[int, tuple[Any, int]] = {}  # by column: a cell of an earlier row, and how many more rows it spans
    copies = iter(range(_MOST_COPIES))
    for number, row in enumerate(rows):
        row[:] = _filled_row(row, above, copies, is_head=number < heads and len(row) > 1)
    _join_heads(rows[:heads])
    for cell in _cells(table):
        cell.attrib.pop("rowspan", None)
        cell.attrib.pop("colspan", None)


def _count_heads(rows: Sequence[Any]) -> int:
    """Return how many of the first rows are the head of a table, at least 1: what spans columns has its parts below."""
    first = list(rows[0].iterchildren("td", "th"))
    heads = sum(row.getparent().tag == "thead" for row in rows)
    if len(first) > 1 and any(_span(cell, "colspan") > 1 for cell in first):
        titles = next((n for n, row in enumerate(rows) if row.find("td") is not None), 1)
        heads = max(heads, titles, *(_span(cell, "rowspan") for cell in first))
    return max(1, heads) if heads < len(rows) else 1


# Complex: a row takes the cells of those above it in the columns that it leaves to them.
def _filled_row(row: Any, above: dict[int, tuple[Any, int]], copies: Iterator[int], *, is_head: bool) -> list[Any]:
    """Return the cells of a row with those of earlier rows that span it, one a column; in a head they are repeated."""
    cells: list[Any] = []
    for cell in [*row.iterchildren("td", "th"), None]:
        while len(cells) in above and next(copies, None) is not None:
            spanning, more = above.pop(len(cells))
            if more > 1:
                above[len(cells)] = spanning, more - 1
            cells.append(deepcopy(spanning))
        for n in range(0 if cell is None else _span(cell, "colspan")):
            if n and next(copies, None) is None:
                break
            if (high := _span(cell, "rowspan")) > 1:
                above[len(cells)] = cell, high - 1
            cells.append(cell if not n else deepcopy(cell) if is_head else cell.makeelement(cell.tag))
    return cells


def _join_heads(rows: Sequence[Any]) -> None:
    """Put what stands above each cell of the last row of a head into it, and leave the other rows out."""
    for cell, *others in zip(*reversed(rows), strict=False):
        said = dict.fromkeys(words for one in others[::-1] if (words := " ".join(one.text_content().split())))
        own = " ".join(cell.text_content().split())
        said.pop(own, None)
        cell.text = ", ".join([*said, cell.text or ""] if own else said)
    for row in rows[:-1]:
        row.tag = _DROPPED


def _cells(table: Any) -> Any:
    return table.iterdescendants("td", "th")


def _says(element: Any) -> bool:
    return bool((element.text_content() or "").strip())


def _flatten(table: Any) -> None:
    for part in list(table.iterdescendants("thead", "tbody", "tfoot", "tr", "colgroup", "col")):
        if next(part.iterancestors("table"), None) is table:
            part.tag = _DROPPED if part.tag in ("col", "colgroup") else "div"
    for cell in list(table.iterdescendants("td", "th", "caption")):
        if next(cell.iterancestors("table"), None) is table:
            cell.tag = "div"
    table.tag = "div"


# Complex: one branch for each tag that needs more than to be unwrapped.
def _mend_inline(element: Any) -> None:
    tag = element.tag
    if tag == "a":
        _mend_link(element)
    elif tag == "img":
        alt = " ".join((element.get("alt") or "").split())
        source = (element.get("src") or "").strip()
        if not alt or _FILE_NAME.match(alt):
            element.tag = _DROPPED
        elif not source or _UNSAFE.match(source):
            element.text, element.tag = alt, _UNWRAPPED
    elif tag == "dt":
        element.tag = "p"
        if not _holds_blocks(element) and next(element.iter("a", "b", "strong"), None) is None:
            _wrap_content(element, "b")
    elif tag in ("dd", "center"):
        element.tag = "div"
    else:
        element.tag = _UNWRAPPED


def _holds_blocks(element: Any) -> bool:
    return len(element) > 0 and next(element.iterdescendants(*_BLOCKS), None) is not None


def _mend_link(link: Any) -> None:
    href = (link.get("href") or "").strip()
    words = (link.text_content() or "").strip()
    if words.lower() in ANCHOR_MARKS:
        link.tag = _DROPPED
    elif not href or href.startswith("#") or _UNSAFE.match(href) or _holds_blocks(link) or not _shows(link, words):
        link.tag = _UNWRAPPED


def _shows(link: Any, words: str) -> bool:
    return bool(words) or next(link.iter("img"), None) is not None


def _wrap_content(element: Any, tag: str) -> None:
    inner = element.makeelement(tag)
    inner.text, element.text = element.text, None
    inner.extend(list(element))
    element.append(inner)


# Complex: what stands between items, empty items and letters are mended one after the other.
def _mend_list(found: Any) -> None:
    """Move what stands between the items of a list into the item before it, so that the list is not torn."""
    item = None
    for child in list(found):
        tail, child.tail = (child.tail or "").strip(), None
        if child.tag == "li":
            item = child
        elif item is None:
            item = found.makeelement("li")
            found.replace(child, item)
            item.append(child)
        else:
            item.append(child)
        if tail:
            paragraph = item.makeelement("p")
            paragraph.text = tail
            item.append(paragraph)
    for child in list(found):
        if child.tag == "li" and not _says(child) and next(child.iter("img"), None) is None:
            found.remove(child)
    kind = _LETTERED.search(f"{found.get('type') or ''} {found.get('style') or ''} {found.get('class') or ''}")
    if kind and found.tag == "ol":
        _write_letters(found, kind.group())


# Complex: letters of two alphabets and two sizes, of which either may end.
def _write_letters(found: Any, kind: str) -> None:
    """Write the letters of a list before its items, which are points then: Markdown knows numbers alone."""
    letters = _ROMAN if kind.lower() == "i" or kind.endswith("roman") else ascii_lowercase
    start = found.get("start") or ""
    for number, item in enumerate(found.iterchildren("li"), int(start) if start.isdecimal() else 1):
        letter = letters[number - 1] if 0 < number <= len(letters) else str(number)
        first = item[0] if len(item) and item[0].tag in ("p", "div") and not (item.text or "").strip() else item
        first.text = f"{letter.upper() if kind[0] in 'AIu' else letter}) {(first.text or '').lstrip()}"
    found.tag = "ul"


def _settle_texts(root: Any) -> None:
    """Run wrapped lines together, and keep a written ``<name>`` from becoming a tag of the Markdown; code stays."""
    code: set[Any] = set()
    for outer in root.iter(*_CODE):
        if outer not in code:
            code.update(outer.iterdescendants())
    for element in root.iter():
        if element in code:
            continue
        text, tail = element.text, element.tail
        if text and element.tag not in _CODE and (settled := _settled(text)) != text:
            element.text = settled
        if tail and (settled := _settled(tail)) != tail:
            element.tail = settled


def _settled(text: str) -> str:
    text = _WHITE.sub(" ", text)
    return _TAG_START.sub(ESCAPED_LESS_THAN, text) if "<" in text else text
