"""Pages of Confluence: the storage format of one page, and the export of a space, whose pages are documents each."""

from __future__ import annotations

import io
import re
from collections import Counter
from html import escape, unescape
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.plugins.markup.outline import Outline, without_signs
from autokb.sources.archives import Archive, safe_xml, xml_attribute
from autokb.sources.decoding import clean, decode
from autokb.sources.page import ConvertedFile, ConvertedRecords, counted_all

_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,31};)")
_DECLARED = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>|<!DOCTYPE[^>\[]{0,500}>")
_NOTES = ("info", "note", "tip", "warning")
_PANELS = frozenset("expand ui-expand ui-tab auitabspage tab-page".split())
_CODE = frozenset("code noformat codeblock".split())
_SILENT = frozenset("toc anchor toc-zone livesearch pagetreesearch create-from-template loremipsum".split())
_NOT_SHOWN = frozenset("task-id task-uuid task-status placeholder parameter adf-attribute adf-fallback".split())
_KEPT = ("colspan", "rowspan", "start")
_WITHOUT_CONTENT = ("br", "hr")
_ENTITIES = "entities.xml"
_PAGES, _OTHERS = ("Page", "BlogPost"), {"Comment": "comment", "Attachment": "attachment"}
_SPLIT_CDATA = "]] >"  # how an export writes the end of a CDATA section in a text


def read_storage(data: bytes) -> ConvertedFile:
    """Return the Markdown of one page in the storage format."""
    text = clean(decode(data))
    if "<hibernate-generic" in text[:2_000]:
        raise UnreadableFileError("is a part of an export of a space; add the export's .zip.")
    if "<ac:" not in text and "<ri:" not in text:
        raise UnreadableFileError("is no page of Confluence, and no other XML is read; save it as HTML or Markdown.")
    lost: Counter[str] = Counter()
    page = _page_of(_DECLARED.sub("", text), lost)
    return ConvertedFile(page.text, page.title, left_out=_told(lost))


def read_space(data: bytes, wanted: str) -> ConvertedRecords:
    """Return the current pages of the export of a space, each under its title."""
    if wanted != "documents":
        raise UnreadableFileError(f"is an archive, which holds no {wanted}; unpack it and add what is in it.")
    archive = Archive(data, "ZIP", old="no archive")
    if _ENTITIES not in archive.names:
        raise UnreadableFileError("is no export of a space of Confluence; unpack it and add the folder.")
    lost: Counter[str] = Counter()
    bodies, pages = _parts_of(archive.read(_ENTITIES), lost)
    records = []
    for number, (page_id, title) in enumerate(pages.items(), 1):
        text = _page_of(bodies.get(page_id, ""), lost).text.strip()
        if text:
            text = f"# {title}\n\n{text}" if title else text
            records.append((number, {"id": f"confluence-{page_id}", "title": title, "text": text}))
        else:
            lost["page without a text"] += 1
    return ConvertedRecords(tuple(records), _told(lost))


def _told(lost: Counter[str]) -> tuple[str, ...]:
    several = {"old version of a page": "old versions of pages", "page without a text": "pages without a text"}
    several |= {name: name.replace("macro ", "macros ", 1) for name in lost if name.startswith("macro ")}
    return counted_all(lost, several)


def _parts_of(data: bytes, lost: Counter[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the bodies by the ids of their pages, and the titles of current pages by their ids."""
    from lxml import etree

    bodies: dict[str, str] = {}
    pages: dict[str, str] = {}
    walk = etree.iterparse(io.BytesIO(data), tag="object", resolve_entities=False, no_network=True, load_dtd=False)
    try:
        for _, one in walk:
            kind = one.get("class") or ""
            values = {p.get("name"): "".join(p.itertext()).strip() for p in one.iterfind("property")}
            if kind == "BodyContent":
                bodies[values.get("content", "")] = values.get("body", "").replace(_SPLIT_CDATA, "]]>")
            elif kind in _PAGES:
                is_current = values.get("contentStatus", "current") == "current" and not values.get("originalVersion")
                if is_current:
                    pages[one.findtext("id") or ""] = " ".join(values.get("title", "").split())
                lost["old version of a page"] += not is_current
            elif kind in _OTHERS:
                lost[_OTHERS[kind]] += 1
            one.clear()
    except etree.XMLSyntaxError as error:
        raise UnreadableFileError("is no whole export of a space; export it anew.") from error
    return bodies, pages


def _page_of(text: str, lost: Counter[str]) -> ConvertedFile:
    text = _ENTITY.sub(lambda found: escape(unescape(found[0])), without_signs(text))
    names = " ".join(f'xmlns:{name}="{name}"' for name in ("ac", "ri", "at"))
    root = safe_xml(f"<page {names}>{text}</page>".encode("utf-8", "replace"), "Confluence", recover=True)
    page = _Page(lost)
    return page.outline.markdown(page.inner(root))


class _Page:
    """One page; what is not read of it is counted in ``lost``."""

    def __init__(self, lost: Counter[str]) -> None:
        self._lost, self.outline = lost, Outline()

    def inner(self, element: Any) -> str:
        """Return the HTML of what is in an element."""
        parts = [escape(element.text or "")]
        for child in element:
            parts += [self._html(child) if isinstance(child.tag, str) else "", escape(child.tail or "")]
        return "".join(parts)

    # Complex: one branch for each kind of element that has a meaning of its own.
    def _html(self, element: Any) -> str:
        kind = element.tag.rpartition("}")[2]
        if not element.tag.startswith("{"):
            attributes = "".join(f' {n}="{escape(element.get(n))}"' for n in _KEPT if element.get(n))
            address = element.get("href") or ""
            attributes += f' href="{escape(address)}"' if address.startswith(("http", "mailto:")) else ""
            end = "" if kind in _WITHOUT_CONTENT else f"{self.inner(element)}</{kind}>"
            return f"<{kind}{attributes}>{end}"
        if kind in ("structured-macro", "macro"):
            return self._macro(element)
        if kind in ("link", "image"):
            return self._link(element) if kind == "link" else self._image(element)
        if kind in _NOT_SHOWN:
            return ""
        tag = {"task-list": "ul", "task": "li"}.get(kind)
        shown = xml_attribute(element, "emoji-fallback") if kind == "emoticon" else xml_attribute(element, "datetime")
        html = self.inner(element) or ("" if shown.startswith(":") else escape(shown))
        return f"<{tag}>{html}</{tag}>" if tag else html

    def _image(self, element: Any) -> str:
        self._lost["picture"] += 1
        caption = element.find("{ac}caption")
        return escape(xml_attribute(element, "alt")) + ("" if caption is None else f"<p>{self.inner(caption)}</p>")

    def _macro(self, element: Any) -> str:
        name = xml_attribute(element, "name").lower()
        about = {xml_attribute(one, "name"): "".join(one.itertext()) for one in element.iterfind("{ac}parameter")}
        rich, plain = element.find("{ac}rich-text-body"), element.find("{ac}plain-text-body")
        title = " ".join(about.get("title", "").split())
        if name in _SILENT:
            return ""
        if rich is not None:
            return self._with_text(name, title, self.inner(rich))
        if plain is not None:
            language = re.sub(r"[^\w+-]", "", about.get("language", ""))[:20]
            words = escape("".join(plain.itertext()))
            return (
                f'<pre><code class="language-{language}">{words}</code></pre>' if name in _CODE else f"<p>{words}</p>"
            )
        if name in ("status", "jira"):
            return escape(title or about.get("key", ""))
        self._lost[f"macro {name[:40]!r}"] += 1
        return ""

    def _with_text(self, name: str, title: str, html: str) -> str:
        if name in _PANELS:
            return self.outline.around("tab" if "tab" in name else "fold", title or "More", html)
        if name in _NOTES:
            return self.outline.around(name, title, html)
        return f"<p><strong>{escape(title)}</strong></p>{html}" if title else html

    def _link(self, element: Any) -> str:
        bodies = element.xpath("*[contains(local-name(), 'link-body')]")
        targets = element.xpath(".//@*[local-name() = 'content-title' or local-name() = 'filename']")
        words = self.inner(bodies[0]) if bodies else ""
        return words or escape(next(filter(None, targets), ""))
