"""HTML as a tree: what no page means is taken out of its bytes, and what nests too deeply is refused.

The bytes are searched, not the text: that one byte is missing is found out in no time, and most pages need no mending.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.core.storable import without_surrogates

# No page written for people comes near it; past 2,047 the parser itself would drop the rest without a word.
DEEPEST_NESTING = 500
_REPLACED = ((b"\r\n", b"\n"), (b"\r", b"\n"), (b"\0", b""), (b"\xef\xbb\xbf", b""), (b"\x0c", b"\n"), (b"\x0b", b"\n"))
# No XML text may hold them, so no tree takes them; a terminal's escape is among them.
_CONTROLS = bytes(n for n in range(32) if n not in b"\t\n\r\x0b\x0c")
_NOT_CHARACTERS = re.compile(rb"\xef\xbf[\xbe\xbf]")
_REFERENCE = re.compile(rb"&#(?:[xX]0*([0-9a-fA-F]{1,6})(?![0-9a-fA-F])|0*([0-9]{1,7})(?![0-9]));?")
_XML_DECLARATION = re.compile(rb"\s*<\?xml[^>]*\?>")
# UTF-8 that was read as Latin-1 and saved again: the control characters in it betray it.
_READ_TWICE = re.compile(r"\u00c2[\u0080-\u00bf]|[\u00c3-\u00f4][\u0080-\u009f][\u0080-\u00bf]{0,2}|\u00ef\u00bb\u00bf")
_PERHAPS_READ_TWICE = re.compile(rb"\xc3[\x82-\xb4]\xc2")
# The signs that stand for something of ours while a page becomes Markdown: U+E100 and U+E101.
_OURS = re.compile(rb"\xee\x84[\x80\x81]")

Node = tuple[Any, Any, str | None, str | None]  # an element, its parent, its text, its tail


def html_bytes(html: str) -> bytes:
    r"""Return a page as UTF-8, with ``\n`` as its only line end, without NUL, lone surrogates and byte order marks."""
    try:
        data = html.encode()
    except UnicodeEncodeError:
        data = without_surrogates(html).encode()
    for old, new in _REPLACED:
        data = data.replace(old, new)
    data = data.translate(None, _CONTROLS)
    return _NOT_CHARACTERS.sub(b"", data) if b"\xef\xbf" in data else data


def parsed_html(data: bytes) -> Any:
    """Return the root of a page in UTF-8, None for one without anything.

    Raises UnreadableFileError for a page that is nested too deeply to be read whole.
    """
    from lxml import etree
    from lxml import html as lxml_html

    if declared := _XML_DECLARATION.match(data):
        data = data[declared.end() :]
    if b"\xee\x84" in data:
        data = _OURS.sub(b"", data)
    if _PERHAPS_READ_TWICE.search(data):
        data = _READ_TWICE.sub(_read_once, data.decode()).encode()
    data = _REFERENCE.sub(_readable, data)
    if not data.strip():
        return None
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    # Every element is of the one class that the extractors know; choosing among a dozen costs more than the parsing.
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=lxml_html.HtmlElement))
    try:
        root = lxml_html.document_fromstring(data, parser=parser)
    except etree.ParserError:
        return None
    etree.strip_elements(root, "svg", with_tail=False)  # a drawing may have more elements than a hundred pages
    if _too_deep()(root):
        raise UnreadableFileError(f"nests more than {DEEPEST_NESTING} elements into each other; flatten it.")
    return root


def nodes_of(root: Any) -> list[Node]:
    """Return all elements in order with what several steps ask of each; while the list lives, none is made again."""
    return [(element, element.getparent(), element.text, element.tail) for element in root.iter()]


@lru_cache(maxsize=1)
def _too_deep() -> Any:
    """Return what tells whether anything stands deeper below a root than is read."""
    from lxml import etree

    return etree.XPath(f"boolean({'/'.join('*' * DEEPEST_NESTING)})")


def _readable(found: re.Match[bytes]) -> bytes:
    """Return a reference by number, nothing for a character that no text may hold or that stands for one of ours."""
    number = int(found.group(1), 16) if found.group(1) else int(found.group(2))
    if number in (0x0B, 0x0C):
        return b" "
    is_control = number < 32 and number not in (0x09, 0x0A, 0x0D)
    is_none = 0xD800 <= number < 0xE000 or number in (0xFFFE, 0xFFFF) or number > 0x10FFFF
    is_ours = number in (0xE100, 0xE101) or 0x100000 <= number < 0x102000  # the latter number texts: html_marks
    return b"" if is_control or is_none or is_ours else found.group()


def _read_once(found: re.Match[str]) -> str:
    try:
        return found.group().encode("latin-1").decode("utf-8").replace("\ufeff", "")
    except UnicodeDecodeError:
        return found.group()
