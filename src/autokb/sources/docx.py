"""DOCX to Markdown by way of HTML, with the numbers and letters of lists that Word shows."""

from __future__ import annotations

import io
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.sources.archives import Archive
from autokb.sources.html import html_to_markdown
from autokb.sources.page import ConvertedFile

_DOCUMENT, _NUMBERING, _STYLES = "word/document.xml", "word/numbering.xml", "word/styles.xml"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_VALUE, _LEVEL, _NUMBER = f"{_W}val", f"{_W}ilvl", f"{_W}numId"
_TYPES = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}  # of Word and of HTML
_DIGITS = 4  # of a number or level; a longer one is none of a person
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ITEM = "autokb-item-"  # before the number of a list's item, in a bookmark at its beginning
_STYLE_MAP = "\n".join(
    [
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='Subtitle'] => p:fresh",
        "p[style-name='Code'] => pre:separator('\\n')",
    ]
)


def docx_to_markdown(data: bytes) -> ConvertedFile:
    """Return the Markdown of a Word document; UnreadableFileError for an encrypted, foreign or swollen one."""
    import mammoth

    archive = Archive(data, "DOCX", old="an old .doc", needed=_DOCUMENT, foreign="Word document")
    document = archive.xml(_DOCUMENT)
    numbering, styles = (archive.xml(name) if name in archive.names else () for name in (_NUMBERING, _STYLES))
    items = _mark_items(document, _Numbering(numbering, styles))
    _keep_boxes(document)
    result = mammoth.convert_to_html(
        io.BytesIO(_with_document(archive, document)),
        style_map=_STYLE_MAP,
        convert_image=mammoth.images.img_element(lambda image: {}),
        external_file_access=False,
    )
    return html_to_markdown(_numbered(result.value, items))


def _with_document(archive: Archive, document: Any) -> bytes:
    """Return a file with another document, without its pictures."""
    from lxml import etree

    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as file:
        for name in archive.names:
            if name.endswith((".xml", ".rels")):
                file.writestr(name, etree.tostring(document) if name == _DOCUMENT else archive.read(name))
    return written.getvalue()


def _keep_boxes(document: Any) -> None:
    """Put each text box that only a drawing holds where mammoth reads it: in one of the old kind."""
    for drawing in list(document.iter(f"{_W}drawing")):
        if boxes := list(drawing.iter(f"{_W}txbxContent")):
            drawing[:] = boxes
            drawing.tag = f"{_W}pict"
    for choice in document.iter(f"{_MC}Choice"):
        around, inner = choice.getparent(), f"//{_W}txbxContent"
        if choice.find(f".{inner}") is not None and around.find(f"{_MC}Fallback{inner}") is None:
            around[:] = [choice]
            choice.tag = f"{_MC}Fallback"


@dataclass(frozen=True, slots=True)
class _Level:
    """A level of a list as one of its ids has it, which may begin it anew."""

    list_id: str
    number_id: str
    depth: int
    type: str  # of the list in HTML
    start: int
    begins_anew: bool


class _Numbering:
    """The lists of a document by their ids, and the styles that put paragraphs into them."""

    def __init__(self, numbering: Any, styles: Any) -> None:
        self._lists = {one.get(f"{_W}abstractNumId"): one for one in numbering if one.tag == f"{_W}abstractNum"}
        self._numbers = {one.get(_NUMBER): one for one in numbering if one.tag == f"{_W}num"}
        self._styles = {one.get(f"{_W}styleId"): one for one in styles if one.tag == f"{_W}style"}

    def level(self, paragraph: Any) -> _Level | None:
        """Return the level that a paragraph is of, by what it says itself or by its style; None outside of lists."""
        style = _value(paragraph, "pPr", "pStyle")
        number_id = _value(paragraph, "pPr", "numPr", "numId") or self._number_of(style)
        found = self._list_of(number_id)
        if found is None:
            return None
        depth = _number(_value(paragraph, "pPr", "numPr", "ilvl") or _level_of_style(found, style))
        own = self._numbers[number_id].find(f"{_W}lvlOverride[@{_LEVEL}='{depth}']")
        start = _value(own, "startOverride")
        level = own.find(f"{_W}lvl") if own is not None else None
        if level is None:
            level = found.find(f"{_W}lvl[@{_LEVEL}='{depth}']")
        kind = _TYPES.get(_value(level, "numFmt"), "1")
        first = _number(start or _value(level, "start") or "1")
        return _Level(
            found.get(f"{_W}abstractNumId"), number_id, depth, type=kind, start=first, begins_anew=bool(start)
        )

    def _number_of(self, style: str) -> str:
        return _value(self._styles.get(style), "pPr", "numPr", "numId")

    def _list_of(self, number_id: str) -> Any:
        """Return the list that an id stands for, which may be that of a style."""
        found = self._lists.get(_value(self._numbers.get(number_id), "abstractNumId"))
        if style := _value(found, "numStyleLink"):
            found = self._lists.get(_value(self._numbers.get(self._number_of(style)), "abstractNumId"))
        return found


def _level_of_style(found: Any, style: str) -> str:
    """Return the level of a list that has a style, the first where none has."""
    return next(
        (one.get(_LEVEL) or "" for one in found.iter(f"{_W}lvl") if style and _value(one, "pStyle") == style), ""
    )


def _value(element: Any, *path: str) -> str:
    """Return the value of an element inside another, empty where there is none."""
    found = element.find("/".join(f"{_W}{name}" for name in path)) if element is not None else None
    return (found.get(_VALUE) or "") if found is not None else ""


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) <= _DIGITS else 0


def _mark_items(document: Any, numbering: _Numbering) -> Sequence[_Level]:
    """Put a bookmark into each paragraph of a list, which mammoth keeps; return the level of each by its number."""
    levels: list[_Level] = []
    for paragraph in document.iter(f"{_W}p"):
        level = numbering.level(paragraph)
        if level and any(part.text for part in paragraph.iter(f"{_W}t")):
            name = {f"{_W}name": f"{_ITEM}{len(levels)}"}
            paragraph.insert(1, paragraph.makeelement(f"{_W}bookmarkStart", name))  # behind its properties
            levels.append(level)
    return levels


def _numbered(html: str, levels: Sequence[_Level]) -> str:
    """Return HTML whose ordered lists have the numbers and letters of the document."""
    from lxml import etree
    from lxml import html as lxml_html

    if "<ol" not in html:
        return html
    parser = lxml_html.HTMLParser(huge_tree=True)
    root = lxml_html.document_fromstring(f"<html><body>{html}</body></html>", parser=parser)
    counts = _Counts()
    shown: dict[Any, tuple[str, int]] = {}  # by item: the type of its list, and its number
    for element in root.iter("li", "p", *_HEADINGS):
        is_alone = element.getparent().tag == "body"  # in no list, table or box
        # Under a heading, or a paragraph such as "On Windows:", steps are counted anew.
        if is_alone and (element.tag in _HEADINGS or element.text_content().rstrip().endswith(":")):
            counts.forget()
        elif names := element.xpath("a/@id[starts-with(., $start)]", start=_ITEM):
            level = levels[int(names[-1].removeprefix(_ITEM))]
            shown[element] = level.type, counts.next(level)
    for found in list(root.iter("ol")):
        _divide(found, shown)
    return str(etree.tostring(root, encoding="unicode", method="html"))


class _Counts:
    """How far each level of each list is counted."""

    def __init__(self) -> None:
        self._last: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._begun: set[tuple[str, int]] = set()

    def next(self, level: _Level) -> int:
        """Return the number of the next item of a level, which begins those below it anew."""
        last, use = self._last[level.list_id], (level.number_id, level.depth)
        is_anew = level.depth not in last or (level.begins_anew and use not in self._begun)
        number = level.start if is_anew else last[level.depth] + 1
        self._begun.add(use)
        above = {depth: n for depth, n in last.items() if depth < level.depth}
        self._last[level.list_id] = {**above, level.depth: number}
        return number

    def forget(self) -> None:
        """Begin all lists anew."""
        self._last.clear()


def _divide(found: Any, shown: Mapping[Any, tuple[str, int]]) -> None:
    """Divide a list where its items are not counted through, and give each part its type and its first number."""
    part, last = found, ("1", 0)
    for item in list(found):
        following = last[0], last[1] + 1
        last = shown.get(item, following)
        if last != following and item is not found[0]:
            later = part.makeelement("ol")
            part.addnext(later)
            part = later
        if part is not found:
            part.append(item)
        if item is part[0]:
            part.set("type", last[0])
            part.set("start", str(last[1]))
