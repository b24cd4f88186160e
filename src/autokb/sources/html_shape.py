"""Mending a page's structure before it becomes Markdown: stray list parts, tables used for layout, empty links."""

from __future__ import annotations

import re
from typing import Any

_BLOCKS = ("p", "div", "ul", "ol", "dl", "table", "pre", "blockquote", "section", "h1", "h2", "h3", "h4", "h5", "h6")
_UNSAFE = re.compile(r"\s*(?:javascript|vbscript|data|file|about|blob)\s*:", re.IGNORECASE)
_FILE_NAME = re.compile(r".*\.(?:png|jpe?g|gif|svg|webp|bmp|ico)$|^(?:image|img|icon|photo|logo|spacer)?\d*$", re.I)
ANCHOR_MARKS = frozenset({"¶", "#", "§", "🔗", "⚓", "link", "permalink"})
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_WHITE = re.compile(r"[\t\n\f][ \t\n\f]*| [ \t\n\f]+")  # all white space but a single blank
_CODE = ("pre", "code", "kbd", "samp", "tt", "textarea")
# Stands for a backslash and "<" until the converter, which would double the backslash, is done.
ESCAPED_LESS_THAN = "\ue100"
_UNWRAPPED = "autokb-unwrapped"
_DROPPED = "autokb-dropped"


def mend_shape(root: Any) -> None:
    """Change the tree so that each list, table and link becomes valid Markdown."""
    from lxml import etree

    for table in list(root.iter("table")):
        if _is_layout(table):
            _flatten(table)
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
    if widest <= 1:
        return True
    return len(rows) == 1 and any(next(c.iterdescendants("p", "ul", "div"), None) is not None for c in _cells(table))


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
