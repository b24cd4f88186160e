"""A page of a document as it is read: its pieces, what solutions cite of it, and the places that were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from autokb.core.nouns import Document, Span
from autokb.core.results import Result
from autokb.text.front_matter import Described, described
from autokb.text.readable_markdown import Piece, cut, page_starts, pieces, runs

PAGE_CHARACTERS = 20_000  # code points of a page at most: some ten printed pages, 60 KB as HTML
MOST_CITATIONS = 60  # solutions that are listed beside a page
MOST_PLACES = 50  # that can be asked for at once


@dataclass(frozen=True, slots=True)
class CitedPassage(Result):
    """A solution and the places of the document that it cites; ``reason`` says why something of it is not shown."""

    solution_id: str
    title: str
    status: str
    spans: tuple[Span, ...]
    issue: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CitedBy(Result):
    """Solutions that cite the same places under the same title, for several nodes; ``first`` is one of them."""

    title: str
    spans: tuple[Span, ...]
    solutions: tuple[tuple[str, str], ...]
    first: CitedPassage


@dataclass(frozen=True, slots=True)
class ShownRun(Result):
    """Characters that look alike; those that were ``asked`` for are of the ``main`` place or of further ones."""

    text: str
    style: str
    asked: bool
    cited: bool
    main: bool


@dataclass(frozen=True, slots=True)
class ShownPiece(Result):
    """A heading, paragraph, item, table or code as runs, ``start`` in code points of the document."""

    kind: str
    level: int
    start: int
    runs: tuple[ShownRun, ...]


@dataclass(frozen=True, slots=True)
class DocumentPage(Result):
    """A page of a document; ``start`` and ``end`` are its code points, ``cited_by`` what cites something of it."""

    id: str
    title: str
    url: str
    described: Described
    page: int
    pages: int
    start: int
    end: int
    characters: int
    pieces: tuple[ShownPiece, ...]
    cited_by: tuple[CitedBy, ...]
    citing_solutions: int


# Complex: places, page and citations narrow one another down, from the text to what is shown.
def view_document(
    document: Document, cited: Sequence[CitedPassage], asked: Sequence[Span], page: int | None
) -> DocumentPage:
    """Return one page: the one asked for, else the one on which the main place begins, the first that was asked for.

    Places outside the text are skipped.
    """
    text = document.text
    places = list(dict.fromkeys((a, b) for a, b in asked if 0 <= a < b <= len(text)))[:MOST_PLACES]
    starts = _page_starts(text)
    wanted = page if page is not None else sum(s <= places[0][0] for s in starts) if places else 1
    number = min(max(wanted, 1), len(starts))
    start, end = starts[number - 1], starts[number] if number < len(starts) else len(text)
    here = [one for one in cited if any(a < end and start < b for a, b in one.spans)]
    spans = sorted({(a, b) for one in here for a, b in one.spans if a < end and start < b})
    listed = _group(here)
    return DocumentPage(
        id=document.id,
        title=document.title,
        url=document.url,
        described=described(document.text),
        page=number,
        pages=len(starts),
        start=start,
        end=end,
        characters=len(text),
        pieces=tuple(_shown(text, start, end, places, spans)),
        cited_by=tuple(listed[:MOST_CITATIONS]),
        citing_solutions=len(here),
    )


@lru_cache(maxsize=32)
def _page_starts(text: str) -> tuple[int, ...]:
    return page_starts(text, PAGE_CHARACTERS)


def _group(cited: Sequence[CitedPassage]) -> list[CitedBy]:
    """Return the solutions in the order of their first places, those alike as one."""
    grouped: dict[tuple[tuple[Span, ...], str], list[CitedPassage]] = {}
    for one in sorted(cited, key=lambda c: (c.spans, c.title, c.solution_id)):
        grouped.setdefault((tuple(sorted(set(one.spans))), one.title), []).append(one)
    return [
        CitedBy(title, spans, tuple((one.solution_id, one.status) for one in some), some[0])
        for (spans, title), some in grouped.items()
    ]


# Complex: a run is asked for, cited or the main one by the places that it lies in, and like runs are joined.
def _shown(text: str, start: int, end: int, asked: Sequence[Span], cited: Sequence[Span]) -> Iterator[ShownPiece]:
    """Give the pieces of a part of a text; the first place of those ``asked`` for is the main one."""
    part = text[start:end]
    for piece in pieces(part):  # only of this page: a document of megabytes takes seconds to be read whole
        inside_asked = [_moved(span, -start) for span in asked if _touches(span, piece, start)]
        inside_cited = [_moved(span, -start) for span in cited if _touches(span, piece, start)]
        found: list[ShownRun] = []
        for run, places in cut(runs(part, piece), [*inside_asked, *inside_cited]):
            is_asked = any(n < len(inside_asked) for n in places)
            is_cited = not is_asked and bool(places)
            is_main = any(n < len(inside_asked) and inside_asked[n] == _moved(asked[0], -start) for n in places)
            one = ShownRun(part[run.start : run.end], run.style, is_asked, is_cited, is_main)
            last = found[-1] if found else None
            if last and replace(last, text=one.text) == one:
                found[-1] = replace(last, text=last.text + one.text)
            else:
                found.append(one)
        yield ShownPiece(piece.kind, piece.level, start + piece.start, tuple(found))


def _touches(span: Span, piece: Piece, offset: int) -> bool:
    return span[0] < offset + piece.end and offset + piece.start < span[1]


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def view_text(text: str) -> tuple[ShownPiece, ...]:
    """Return the start of a text in pieces, as much as a page of a document has."""
    short = text[:PAGE_CHARACTERS]
    return tuple(_shown(short, 0, len(short), (), ()))
