"""HTML to Markdown: everything on the page that can be seen, with marks that tell its areas apart.

Nothing is dropped here but what is no text. What is boilerplate is for the filter to say (``chunking.boilerplate``),
for ``add`` and ``chunk`` alike, so that each span that goes has its reason.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

from autokb.core.errors import UnreadableFileError
from autokb.core.marks import AREAS, Mark, MarkKind
from autokb.sources.decoding import clean
from autokb.sources.html_areas import NEVER_TEXT, NOWHERE, areas_of
from autokb.sources.html_marks import (
    TextPlace,
    bytes_free_of_numbers,
    number_texts,
    numbers_in,
    runs,
    without_numbers,
)
from autokb.sources.html_panels import HEADINGS, settle_panels
from autokb.sources.html_shape import ESCAPED_LESS_THAN, mend_shape
from autokb.sources.html_tree import html_bytes, nodes_of, parsed_html
from autokb.sources.page import ConvertedFile, first_heading
from autokb.sources.typed_lists import mark_typed_lists

_TOO_LITTLE = 0.2  # share of the characters of running text: with less, the precise mode missed the article
_FAR_MORE = 2  # times: as much more must the default mode keep to be heard then


def kept_by_trafilatura(root: Any, lengths: Sequence[int]) -> set[int]:
    """Return the numbers of the texts that trafilatura keeps, none where it finds no article.

    Its precise mode votes; where that keeps next to nothing and its default mode far more, the default mode does.
    ``lengths`` are the characters of each numbered text, 0 for one in a link or in an area such as a menu.
    """
    kept = _kept(root, precise=True)
    characters = sum(lengths[number] for number in kept)
    if characters >= _TOO_LITTLE * sum(lengths):
        return kept
    others = _kept(root, precise=False)
    return others if sum(lengths[number] for number in others) > _FAR_MORE * characters else kept


def _kept(root: Any, *, precise: bool) -> set[int]:
    from lxml import etree
    from trafilatura import bare_extraction

    logger = logging.getLogger("trafilatura")
    if not logger.handlers:  # else it writes to the terminal about pages that it cannot read
        logger.addHandler(logging.NullHandler())
    # It works on a copy of the tree; in any format but its own for Python it leaves the text unwritten.
    document = bare_extraction(root, include_comments=False, favor_precision=precise, output_format="txt")
    body = getattr(document, "body", None)
    return set() if body is None else numbers_in(etree.tostring(body, encoding="utf-8", method="text"))


MOST_HTML = 10_000_000  # characters, of which half are tags and more; beyond it a page is a dump that nobody reads
MOST_EXTRACTED = 1_500_000  # characters; an extractor would need minutes for more
_PARTS = ("main", "dialog", "nav", "menu", "header", "footer", "aside", "form", "fieldset", "search")
# One that holds such an element was never closed: the rest of the page would become one heading.
_INSIDE_NO_HEADING = ("p", "ul", "ol", "table", "pre", "blockquote", "section", "article", *HEADINGS)

_RAISED = str.maketrans(
    "0123456789+-\u2212=()n",
    "\u2070\xb9\xb2\xb3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u207b\u207c\u207d\u207e\u207f",
)
# These begin with the signs themselves, which are searched for faster than what stands before them.
# Two spaces at the end of a line that goes on below are a line break; any other white space there says nothing.
_BREAK = re.compile(r"  \n(?<=\S  \n)(?=[ \t]*\S)")
_KEPT_BREAK = "\ue101"
_BEFORE_POINT = re.compile(r" (?<=[*)`\]] )(?=[.,;:!?](?:\s|$))")
_BLANKS = re.compile(r"\n\n\n+")
_FENCED = re.compile(r"(^ *(?:```|~~~).*?^ *(?:```|~~~)[ \t]*$)", re.MULTILINE | re.DOTALL)


# Complex: the numbers put into the page's texts must be taken out of everything that it gives.
def html_page(html: str) -> ConvertedFile:
    """Return the Markdown of a whole web page, its title and address, and marks on its areas and its article.

    Raises UnreadableFileError for a page that is nested too deeply to be read whole, or is too long.
    """
    if len(html) > MOST_HTML:
        raise UnreadableFileError(f"has {len(html):,} characters, and {MOST_HTML:,} can be read at most; split it.")
    root = parsed_html(bytes_free_of_numbers(html_bytes(html)))
    if root is None:
        return ConvertedFile("")
    title, url = _settled(root)
    body = root.find("body")
    nodes = nodes_of(root)
    areas = areas_of(nodes, root if body is None else body)
    texts = number_texts(nodes)
    kinds = [areas.get(text.element, NOWHERE) for text in texts]
    kept: set[int] = set()
    if len(html) <= MOST_EXTRACTED:
        running = [0 if t.is_linked or k else t.length for t, k in zip(texts, kinds, strict=True)]
        kept = kept_by_trafilatura(root, running)
    text, places = without_numbers(_converted(root))
    marks = [m for kind in AREAS for m in _marks(kind, places, [kind in kinds[place.number] for place in places])]
    marks += _marks("kept_by_trafilatura", places, [place.number in kept for place in places])
    return ConvertedFile(
        text, title or first_heading(text), url, tuple(sorted(marks, key=lambda m: (m.start, m.end, m.kind)))
    )


def html_to_markdown(html: str) -> ConvertedFile:
    """Return the Markdown of a piece of HTML that is all text: the field of a record, a converted document.

    Raises UnreadableFileError for one that is nested too deeply to be read whole.
    """
    root = parsed_html(html_bytes(html))
    if root is None:
        return ConvertedFile("")
    title, url = _settled(root)
    text = _converted(root)
    return ConvertedFile(text, title or first_heading(text), url)


def page_in_bytes(data: bytes) -> ConvertedFile:
    """Return a whole web page in UTF-8 as ``html_page`` reads it."""
    return html_page(data.decode("utf-8", "surrogatepass"))


def html_in_bytes(data: bytes) -> ConvertedFile:
    """Return a piece of HTML in UTF-8 as ``html_to_markdown`` reads it."""
    return html_to_markdown(data.decode("utf-8", "surrogatepass"))


# Complex: each thing that is mended here must be before anything is counted, and the title is read in between.
def _settled(root: Any) -> tuple[str, str]:
    """Mend what tells the parts of a page apart; return its title (its one h1, else its title element), its address."""
    from lxml import etree

    if root.find("body") is None:  # a page of new tags alone, all of which the parser takes for a head
        root[0].tag = "body"
    etree.strip_elements(root, "script", "style", with_tail=False)
    title, url = _words_of(root.find(".//title")), _own_address(root)
    _resolve_links(root, url)
    for raised in root.iter("sup"):
        is_number = all(ord(sign) in _RAISED for sign in raised.text_content().strip())
        for part in raised.iter() if is_number else ():  # 10 to the power of 3 is not 103
            part.text = (part.text or "").translate(_RAISED)
    for heading in root.iter(*HEADINGS):
        if next(heading.iterdescendants(*_INSIDE_NO_HEADING), None) is not None:
            heading.tag = "div"
    tops = [words for heading in root.iter("h1") if (words := _words_of(heading))]
    settle_panels(root)
    return tops[0] if len(tops) == 1 else title, url


def _words_of(element: Any) -> str:
    """Return the text of an element, or of none, with single spaces."""
    return " ".join(element.text_content().split()) if element is not None else ""


def _own_address(root: Any) -> str:
    """Return the web address that a page gives as its own, empty if it gives none."""
    for path, name in ((".//link[@rel='canonical']", "href"), (".//meta[@property='og:url']", "content")):
        address = (element.get(name) or "").strip() if (element := root.find(path)) is not None else ""
        if address.startswith(("http://", "https://")):
            return address
    return ""


def _resolve_links(root: Any, url: str) -> None:
    """Give links and pictures their whole address, where a page says what they are relative to."""
    if (base := root.find(".//base[@href]")) is None:
        return
    for link, name in [(link, name) for link in root.iter("a", "img") for name in ("href", "src")]:
        if (address := link.get(name)) and not address.startswith("#"):  # else another place of the page
            with suppress(ValueError):  # no address at all, such as http://[
                link.set(name, urljoin(urljoin(url, base.get("href")), address.strip()))


def _converted(root: Any) -> str:
    """Return the Markdown of all of a tree; the converter would leave out what it takes for menus and forms."""
    import html_to_markdown as converter
    from lxml import etree

    etree.strip_elements(root, *NEVER_TEXT, with_tail=False)
    mend_shape(root)
    for element in root.iter(*_PARTS):
        element.tag = "div"
    etree.strip_attributes(root, "role")
    body = root.find("body")
    source = etree.tostring(root if body is None else body, encoding="unicode", method="html", with_tail=False)
    options = converter.ConversionOptions(
        extract_metadata=False,
        autolinks=False,
        highlight_style="none",
        bullets="-",
        default_title=False,
        compact_tables=True,
        preprocessing=converter.PreprocessingOptions(enabled=False),
    )
    return _tidied(converter.convert(source, options).content or "")


def _tidied(text: str) -> str:
    """Return the Markdown without white space that says nothing; code blocks stay as they are."""
    text = clean(text).replace("\u00a0", " ")
    parts = _FENCED.split(text) if "```" in text or "~~~" in text else [text]
    for n in range(0, len(parts), 2):
        part = _BREAK.sub(_KEPT_BREAK + "\n", _BEFORE_POINT.sub("", parts[n]))
        part = "\n".join(line.rstrip(" \t") for line in part.split("\n")).replace(_KEPT_BREAK, "  ")
        parts[n] = _BLANKS.sub("\n\n", part)
    text = mark_typed_lists("".join(parts)).strip("\n").replace(ESCAPED_LESS_THAN, "\\<")
    return text + "\n" if text.strip() else ""


def _marks(kind: MarkKind, places: Sequence[TextPlace], chosen: Sequence[bool]) -> Iterator[Mark]:
    if any(chosen):
        for run in runs(places, chosen):
            yield Mark(run[0].start, run[-1].end, kind)
