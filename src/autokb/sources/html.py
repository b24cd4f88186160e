"""HTML to Markdown: page furniture goes, the structure is mended, headings, lists, tables and code stay."""

from __future__ import annotations

import re
from typing import Any

from autokb.sources.decoding import clean
from autokb.sources.html_furniture import drop_furniture
from autokb.sources.html_shape import ESCAPED_LESS_THAN, mend_shape
from autokb.sources.html_tree import html_bytes, parsed_html
from autokb.sources.page import Page, first_heading

# These begin with the signs themselves, which are searched for faster than what stands before them.
# Two spaces at the end of a line that goes on below are a line break; any other white space there says nothing.
_BREAK = re.compile(r"  \n(?<=\S  \n)(?=[ \t]*\S)")
_KEPT_BREAK = "\ue101"
_BEFORE_POINT = re.compile(r" (?<=[*)`\]] )(?=[.,;:!?](?:\s|$))")
_BLANKS = re.compile(r"\n\n\n+")
_FENCED = re.compile(r"(^ *(?:```|~~~).*?^ *(?:```|~~~)[ \t]*$)", re.MULTILINE | re.DOTALL)


def html_to_markdown(html: str) -> Page:
    """Return the Markdown, title and own address of an HTML page or fragment.

    Raises UnreadableFileError for a page that is nested too deeply to be read whole.
    """
    root = parsed_html(html_bytes(html))
    if root is None:
        return Page("")
    title = words_of(root.find(".//title"))
    url = own_address(root)
    drop_furniture(root)
    mend_shape(root)
    text = markdown_of(root)
    return Page(text, page_title(root, title, text), url)


def words_of(element: Any) -> str:
    """Return the text of an element, or of none, with single spaces."""
    return " ".join(element.text_content().split()) if element is not None else ""


def own_address(root: Any) -> str:
    """Return the web address that a page gives as its own, empty if it gives none."""
    for path, name in ((".//link[@rel='canonical']", "href"), (".//meta[@property='og:url']", "content")):
        address = (element.get(name) or "").strip() if (element := root.find(path)) is not None else ""
        if address.startswith(("http://", "https://")):
            return address
    return ""


def page_title(root: Any, title: str, text: str) -> str:
    """Prefer the page's one h1, then its title element, then its first heading."""
    tops = [words for h in root.iter("h1") if (words := words_of(h))]
    return tops[0] if len(tops) == 1 else title or first_heading(text)


def markdown_of(root: Any) -> str:
    """Return the Markdown of a tree whose furniture is out and whose shape is mended."""
    import html_to_markdown as converter
    from lxml import etree

    source = etree.tostring(_main_part(root), encoding="unicode", method="html", with_tail=False)
    options = converter.ConversionOptions(
        extract_metadata=False,
        autolinks=False,
        highlight_style="none",
        bullets="-",
        default_title=False,
        compact_tables=True,
        # What goes was decided on the tree; the converter would drop kept headers, menus and forms without a word.
        preprocessing=converter.PreprocessingOptions(enabled=False),
    )
    return _tidied(converter.convert(source, options).content or "")


def _main_part(root: Any) -> Any:
    """Return the page's one main element where most of the text is in it, else the whole body."""
    body = root.find("body")
    body = root if body is None else body
    mains = [e for e in body.iter("main", "div") if e.tag == "main" or e.get("role") == "main"]
    if len(mains) == 1 and len(mains[0].text_content()) * 2 > len(body.text_content()):
        return mains[0]
    return body


def _tidied(text: str) -> str:
    """Return the Markdown without white space that says nothing; code blocks stay as they are."""
    text = clean(text).replace("\u00a0", " ")
    parts = _FENCED.split(text) if "```" in text or "~~~" in text else [text]
    for n in range(0, len(parts), 2):
        part = _BREAK.sub(_KEPT_BREAK + "\n", _BEFORE_POINT.sub("", parts[n]))
        part = "\n".join(line.rstrip(" \t") for line in part.split("\n")).replace(_KEPT_BREAK, "  ")
        parts[n] = _BLANKS.sub("\n\n", part)
    text = "".join(parts).strip("\n").replace(ESCAPED_LESS_THAN, "\\<")
    return text + "\n" if text.strip() else ""
