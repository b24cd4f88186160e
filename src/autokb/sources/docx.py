"""DOCX to Markdown by way of HTML; numbered steps go on after a remark where the document's own numbering does."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.sources.decoding import MAX_FILE_BYTES
from autokb.sources.html import html_to_markdown
from autokb.sources.page import Page

_OLE = b"\xd0\xcf\x11\xe0"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STYLES = "\n".join(
    [
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='Subtitle'] => p:fresh",
        "p[style-name='Code'] => pre:separator('\\n')",
    ]
)
_MOST_PARTS = 10_000


def docx_to_markdown(data: bytes) -> Page:
    """Return the Markdown of a Word document; UnreadableFileError for an encrypted, foreign or swollen one."""
    import mammoth

    parts = _parts(data)
    result = mammoth.convert_to_html(
        io.BytesIO(data),
        style_map=_STYLES,
        convert_image=mammoth.images.img_element(lambda image: {}),
        external_file_access=False,
    )
    return html_to_markdown(_with_numbers(result.value, parts))


def _parts(data: bytes) -> dict[str, bytes]:
    if data.startswith(_OLE):
        raise UnreadableFileError("is encrypted or an old .doc; save it as DOCX without a password.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            if len(infos) > _MOST_PARTS or sum(info.file_size for info in infos) > MAX_FILE_BYTES:
                limit = MAX_FILE_BYTES // (1024 * 1024)
                raise UnreadableFileError(f"unpacks to more than {limit} MB; take out its pictures or split it.")
            names = {info.filename for info in infos}
            if "word/document.xml" not in names:
                raise UnreadableFileError("is no Word document; save it as DOCX.")
            wanted = names & {"word/document.xml", "word/styles.xml"}
            return {name: archive.read(name) for name in sorted(wanted)}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise UnreadableFileError("is no whole DOCX file; open it and save it anew.") from error


def _with_numbers(html: str, parts: dict[str, bytes]) -> str:
    """Let an ordered list start where the one before stopped, if both carry the same number in the document."""
    from lxml import etree
    from lxml import html as lxml_html

    if html.count("<ol") < 2:
        return html
    root = lxml_html.document_fromstring(
        f"<html><body>{html}</body></html>", parser=lxml_html.HTMLParser(huge_tree=True)
    )
    items = list(root.iter("li"))
    numbers = _list_numbers(parts)
    if len(items) != len(numbers):
        return html
    number_of = dict(zip(items, numbers, strict=True))
    _go_on(root.find("body"), number_of)
    return str(etree.tostring(root, encoding="unicode", method="html"))


def _go_on(body: Any, number_of: dict[Any, str]) -> None:
    last: tuple[str, int] | None = None
    for element in body:
        if element.tag in ("h1", "h2", "h3", "h4", "h5", "h6") or _announces(element):
            last = None
        elif element.tag == "ol":
            items = [child for child in element if child.tag == "li"]
            number = number_of.get(items[0], "") if items else ""
            start = last[1] + 1 if last and last[0] == number else 1
            if start > 1:
                element.set("start", str(start))
            last = (number, start + len(items) - 1)


def _announces(element: Any) -> bool:
    """Return whether a paragraph such as "On Windows:" opens a list of its own."""
    return element.tag == "p" and (element.text_content() or "").rstrip().endswith(":")


def _list_numbers(parts: dict[str, bytes]) -> list[str]:
    """Return the numbering id of every list paragraph in order, its own or its style's."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    styled: dict[str, str] = {}
    if "word/styles.xml" in parts:
        for style in etree.fromstring(parts["word/styles.xml"], parser).iter(f"{_W}style"):
            if found := _number(style):
                styled[style.get(f"{_W}styleId") or ""] = found
    numbers = []
    for paragraph in etree.fromstring(parts["word/document.xml"], parser).iter(f"{_W}p"):
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        found = _number(paragraph) or styled.get(style.get(f"{_W}val") if style is not None else "", "")
        if found and found != "0":
            numbers.append(found)
    return numbers


def _number(element: Any) -> str:
    number = element.find(f"{_W}pPr/{_W}numPr/{_W}numId")
    return number.get(f"{_W}val") or "" if number is not None else ""
