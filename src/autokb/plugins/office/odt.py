"""Texts of OpenDocument: headings, lists, tables and links as HTML; what was deleted or remarked is left out."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.sources.archives import Archive, xml_attribute
from autokb.sources.html import html_to_markdown
from autokb.sources.page import ConvertedFile, counted_all

_TAGS = {"p": "p", "table": "table", "list-item": "li", "list-header": "li", "table-row": "tr"}
_SILENT = {
    "annotation": "remark",
    "tracked-changes": "",
    "forms": "form",
    "sequence-decls": "",
    "table-of-content": "table of contents",
}
_LOST = {"image": "picture", "object": "embedded object", "object-ole": "embedded object", "plugin": "embedded object"}
_SEVERAL = {"part with macros": "parts with macros", "table of contents": "tables of contents"}
_MOST_REPEATED = 100  # times that a cell is written; sheets repeat empty ones to their last column


def read_odt(data: bytes) -> ConvertedFile:
    """Return the Markdown of a text."""
    archive = Archive(data, "ODT", old="an old .doc", needed="content.xml", foreign="text of OpenDocument")
    manifest = archive.read("META-INF/manifest.xml") if "META-INF/manifest.xml" in archive.names else b""
    if b"encryption-data" in manifest:
        raise UnreadableFileError("is encrypted; save it as ODT without a password.")
    content = archive.xml("content.xml")
    reader = _Reader(_numbered_lists(content, archive))
    html = "".join(reader.html(child) for body in content.iterfind("{*}body/{*}text") for child in body)
    page = html_to_markdown(f"<html><body>{html}</body></html>")
    title = ""
    if "meta.xml" in archive.names:
        title = " ".join("".join(archive.xml("meta.xml").itertext("{*}title")).split())
    reader.lost["part with macros"] = archive.count("Basic/", "Scripts/")
    lost = counted_all(reader.lost, _SEVERAL)
    return ConvertedFile(page.text, page.title or title, left_out=lost)


def _numbered_lists(content: Any, archive: Archive) -> set[tuple[str, int]]:
    """Return the names of the styles of lists with each level at which items have numbers."""
    roots = [content, *([archive.xml("styles.xml")] if "styles.xml" in archive.names else [])]
    styles = [style for root in roots for style in root.iter("{*}list-style")]
    return {
        (xml_attribute(style, "name"), int(level))
        for style in styles
        for one in style.iterfind("{*}list-level-style-number")
        if (level := xml_attribute(one, "level")).isdecimal() and xml_attribute(one, "num-format")
    }


class _Reader:
    def __init__(self, numbered: set[tuple[str, int]]) -> None:
        self._numbered = numbered
        self._lists: list[str] = []
        self.lost: Counter[str] = Counter()

    def html(self, element: Any) -> str:
        """Return the HTML of an element."""
        kind = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        if kind in _SILENT:
            self.lost[_SILENT[kind]] += bool(_SILENT[kind])
            return ""
        if kind in _LOST:
            self.lost[_LOST[kind]] += 1
            return ""
        return self._as(kind, element)

    # Complex: one branch for each kind of element that has a meaning of its own.
    def _as(self, kind: str, element: Any) -> str:
        if kind in ("line-break", "tab", "s"):
            return "<br>" if kind == "line-break" else " "
        if kind == "note":  # at the foot of the page
            words = (word for body in element.iterfind("{*}note-body") for word in body.itertext())
            return f" ({escape(' '.join(''.join(words).split()))})"
        if kind == "list":
            return self._list(element)
        if kind == "table-cell":
            return self._cell(element)
        inner = self._inner(element)
        if kind == "a":
            address = xml_attribute(element, "href")
            return f'<a href="{escape(address)}">{inner}</a>' if address.startswith(("http", "mailto:")) else inner
        tag = f"h{min(6, int(xml_attribute(element, 'outline-level') or 1))}" if kind == "h" else _TAGS.get(kind)
        return f"<{tag}>{inner}</{tag}>" if tag else inner

    def _list(self, element: Any) -> str:
        """Return a list, whose style may be that of the list around it, and goes by how deep it is."""
        self._lists.append(xml_attribute(element, "style-name") or (self._lists[-1] if self._lists else ""))
        tag = "ol" if (self._lists[-1], len(self._lists)) in self._numbered else "ul"
        start = next((n for child in element if (n := xml_attribute(child, "start-value")).isdecimal()), "1")
        inner = self._inner(element)
        self._lists.pop()
        return f"<{tag} start={start}>{inner}</{tag}>"

    def _cell(self, element: Any) -> str:
        spans = {"colspan": "number-columns-spanned", "rowspan": "number-rows-spanned"}
        written = "".join(
            f' {name}="{n}"' for name, of in spans.items() if (n := xml_attribute(element, of)).isdecimal()
        )
        times = xml_attribute(element, "number-columns-repeated")
        is_plain = times.isdecimal() and element.find(".//{*}table") is None
        return f"<td{written}>{self._inner(element)}</td>" * (min(int(times), _MOST_REPEATED) if is_plain else 1)

    def _inner(self, element: Any) -> str:
        parts = [escape(element.text or "")]
        for child in element:
            parts += [self.html(child), escape(child.tail or "")]
        return "".join(parts)
