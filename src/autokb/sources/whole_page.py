"""HTML to the Markdown of everything on a page, menus and footers too, with marks that tell its parts apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.core.marks import Mark, MarkKind
from autokb.sources.html import markdown_of, own_address, page_title, words_of
from autokb.sources.html_extractors import kept_by_readability, kept_by_trafilatura
from autokb.sources.html_furniture import NEVER_TEXT
from autokb.sources.html_landmarks import NOWHERE, landmarks
from autokb.sources.html_marks import Place, bytes_free_of_numbers, free_of_numbers, number_texts, runs, without_numbers
from autokb.sources.html_shape import mend_shape
from autokb.sources.html_tree import html_bytes, nodes_of, parsed_html

MOST_HTML = 10_000_000  # characters, of which half are tags and more; beyond it a page is a dump that nobody reads
MOST_EXTRACTED = 1_500_000  # an extractor would need minutes for more
_LANDMARKS: tuple[MarkKind, ...] = ("nav", "header", "footer", "aside", "form", "hidden", "dialog", "named")

_PARTS = ("main", "dialog", "nav", "menu", "header", "footer", "aside", "form", "fieldset", "search")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# One that holds such an element was never closed: the rest of the page would become one heading.
_INSIDE_NO_HEADING = ("p", "ul", "ol", "table", "pre", "blockquote", "section", "article", *_HEADINGS)


@dataclass(frozen=True, slots=True)
class WholePage:
    """A page with everything on it; ``marks`` are hints about spans of ``text``."""

    text: str
    title: str = ""
    url: str = ""
    marks: tuple[Mark, ...] = ()


def whole_page(html: str) -> WholePage:
    """Return the Markdown of the whole page that can be seen.

    Raises UnreadableFileError for a page that is nested too deeply to be read whole, or is too long.
    """
    from lxml import etree

    if len(html) > MOST_HTML:
        raise UnreadableFileError(f"has {len(html):,} characters, and {MOST_HTML:,} can be cut at most; split it.")
    root = parsed_html(bytes_free_of_numbers(html_bytes(html)))
    if root is None:
        return WholePage("")
    title, url = words_of(root.find(".//title")), own_address(root)
    body = root.find("body")
    nodes = nodes_of(root)
    stands_in = landmarks(nodes, root if body is None else body)
    around, linked = number_texts(nodes)
    kinds = [stands_in.get(element, NOWHERE) for element in around]
    kept: dict[MarkKind, set[int]] = {}
    if len(html) <= MOST_EXTRACTED:
        kept["kept_by_trafilatura"] = kept_by_trafilatura(root)
    etree.strip_elements(root, *(tag for tag in NEVER_TEXT if tag != "dialog"), with_tail=False)
    if kept:
        kept["kept_by_readability"] = kept_by_readability(deepcopy(root))
    text, places = without_numbers(_whole_markdown(root))
    marks = [*_landmark_marks(places, kinds, linked), *_kept_marks(places, kept, linked)]
    title = free_of_numbers(page_title(root, title, text))
    return WholePage(text, title, url, tuple(sorted(marks, key=lambda m: (m.start, m.end, m.kind))))


def _whole_markdown(root: Any) -> str:
    """Convert the whole body: the converter would leave out what it takes for menus and forms, we what is not main."""
    from lxml import etree

    for heading in root.iter(*_HEADINGS):
        if next(heading.iterdescendants(*_INSIDE_NO_HEADING), None) is not None:
            heading.tag = "div"
    mend_shape(root)
    for element in root.iter(*_PARTS):
        element.tag = "div"
    etree.strip_attributes(root, "role")
    return markdown_of(root)


def _landmark_marks(
    places: Sequence[Place], kinds: Sequence[frozenset[MarkKind]], linked: Sequence[bool]
) -> Iterator[Mark]:
    present = frozenset().union(*kinds)
    for kind in (k for k in _LANDMARKS if k in present):
        yield from _marks(kind, places, [kind in kinds[place.number] for place in places], linked)


def _kept_marks(places: Sequence[Place], kept: dict[MarkKind, set[int]], linked: Sequence[bool]) -> Iterator[Mark]:
    for kind, numbers in kept.items():
        yield from _marks(kind, places, [place.number in numbers for place in places], linked)


def _marks(kind: MarkKind, places: Sequence[Place], chosen: Sequence[bool], linked: Sequence[bool]) -> Iterator[Mark]:
    for run in runs(places, chosen):
        start, end = run[0].start, run[-1].end
        in_links = sum(p.end - p.start for p in run if linked[p.number])
        yield Mark(start, end, kind, round(in_links / max(1, end - start), 3))
