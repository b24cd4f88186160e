"""DOCX to Markdown by way of HTML; numbered steps go on after a remark where the document's own numbering does."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from autokb.sources.archives import Archive
from autokb.sources.html import html_to_markdown
from autokb.sources.page import ConvertedFile

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
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

    parts = _read_parts(data)
    result = mammoth.convert_to_html(
        io.BytesIO(_with_boxes(data, parts)),
        style_map=_STYLE_MAP,
        convert_image=mammoth.images.img_element(lambda image: {}),
        external_file_access=False,
    )
    return html_to_markdown(_continue_numbering(result.value, parts))


def _read_parts(data: bytes) -> dict[str, bytes]:
    archive = Archive(data, "DOCX", old="an old .doc", needed="word/document.xml", foreign="Word document")
    wanted = {"word/document.xml", "word/styles.xml"} & set(archive.names)
    return {name: archive.read(name) for name in sorted(wanted)}


def _xml_parser() -> Any:
    from lxml import etree

    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)


def _with_boxes(data: bytes, parts: dict[str, bytes]) -> bytes:
    """Return a document with each text box that only a drawing holds where mammoth reads it: in one of the old kind."""
    from lxml import etree

    root = etree.fromstring(parts["word/document.xml"], _xml_parser())
    if next(root.iter(f"{_W}txbxContent"), None) is None:
        return data
    for drawing in list(root.iter(f"{_W}drawing")):
        if boxes := list(drawing.iter(f"{_W}txbxContent")):
            drawing[:] = boxes
            drawing.tag = f"{_W}pict"
    for choice in root.iter(f"{_MC}Choice"):
        around, inner = choice.getparent(), f"//{_W}txbxContent"
        if choice.find(f".{inner}") is not None and around.find(f"{_MC}Fallback{inner}") is None:
            around[:] = [choice]
            choice.tag = f"{_MC}Fallback"
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(written, "w") as after:
        for name in before.namelist():
            after.writestr(name, etree.tostring(root) if name == "word/document.xml" else before.read(name))
    return written.getvalue()


# Complex: whether a list goes on depends on all that stood between it and the one before.
def _continue_numbering(html: str, parts: dict[str, bytes]) -> str:
    """Let an ordered list start where the one before stopped, if both have the same numbering in the document."""
    from lxml import etree
    from lxml import html as lxml_html

    if html.count("<ol") < 2:
        return html
    parser = lxml_html.HTMLParser(huge_tree=True)
    root = lxml_html.document_fromstring(f"<html><body>{html}</body></html>", parser=parser)
    items = list(root.iter("li"))
    numbering_ids = _numbering_ids(parts)
    if len(items) != len(numbering_ids):
        return html
    numbering_of = dict(zip(items, numbering_ids, strict=True))
    last_numbering, last_number = "", 0
    for element in root.find("body"):
        is_announcement = element.tag == "p" and (element.text_content() or "").rstrip().endswith(":")
        # Under a heading, or a paragraph such as "On Windows:", steps are counted anew.
        if is_announcement or element.tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            last_number = 0
        elif element.tag == "ol":
            steps = [child for child in element if child.tag == "li"]
            numbering = numbering_of.get(steps[0], "") if steps else ""
            before = last_number if numbering == last_numbering else 0
            if before:
                element.set("start", str(before + 1))
            last_numbering, last_number = numbering, before + len(steps)
    return str(etree.tostring(root, encoding="unicode", method="html"))


def _numbering_ids(parts: dict[str, bytes]) -> list[str]:
    """Return the numbering id of every list paragraph in order, its own or its style's."""
    from lxml import etree

    parser = _xml_parser()
    id_of_style: dict[str, str] = {}
    if "word/styles.xml" in parts:
        for style in etree.fromstring(parts["word/styles.xml"], parser).iter(f"{_W}style"):
            if found := _numbering_id(style):
                id_of_style[style.get(f"{_W}styleId") or ""] = found
    ids = []
    for paragraph in etree.fromstring(parts["word/document.xml"], parser).iter(f"{_W}p"):
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        found = _numbering_id(paragraph) or id_of_style.get(style.get(f"{_W}val") if style is not None else "", "")
        # Word writes 0 where a paragraph takes no part in its style's numbering.
        if found and found != "0":
            ids.append(found)
    return ids


def _numbering_id(element: Any) -> str:
    number = element.find(f"{_W}pPr/{_W}numPr/{_W}numId")
    return number.get(f"{_W}val") or "" if number is not None else ""
