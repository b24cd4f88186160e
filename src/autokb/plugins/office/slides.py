"""Slides: each is a section under its title, with its lists, tables and texts in their order.

What a speaker alone sees is not read: notes may say what customers should not hear.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import Any

from autokb.sources.archives import Archive
from autokb.sources.html import html_to_markdown
from autokb.sources.page import ConvertedFile, counted_all

_DEEPEST = 8  # level of a list, as PowerPoint has them
_SHOW = "ppt/presentation.xml"
_SEVERAL = {"slide's speaker notes": "slides' speaker notes", "part with macros": "parts with macros"}
_FRAME = ("dt", "ftr", "sldNum", "hdr")  # placeholders that say the same on each slide
_TITLES = ("title", "ctrTitle")
_LISTS = (None, "body", "obj")  # placeholders whose paragraphs have bullets unless they say otherwise


def read_slides(data: bytes) -> ConvertedFile:
    """Return the slides that are shown, in their order."""
    archive = Archive(data, "PPTX", old="an old .ppt", needed=_SHOW, foreign="presentation")
    targets = archive.relations(_SHOW)
    lost: Counter[str] = Counter()
    parts = []
    for number, one in enumerate(archive.xml(_SHOW).iterfind("{*}sldIdLst/{*}sldId"), 1):
        part = targets.get(next((value for name, value in one.items() if name.startswith("{")), ""), "")
        if part in archive.names:
            parts.append(_slide(archive, part, number, lost))
    page = html_to_markdown(f"<html><body>{''.join(parts)}</body></html>")
    lost["comment"] = archive.count("ppt/comments/")
    lost["part with macros"] = archive.count("ppt/vbaProject.bin")
    return ConvertedFile(page.text, page.title, left_out=counted_all(lost, _SEVERAL))


def _slide(archive: Archive, part: str, number: int, lost: Counter[str]) -> str:
    """Return the HTML of a slide, nothing for a hidden one."""
    slide, links = archive.xml(part), archive.relations(part)
    if slide.get("show") == "0":
        lost["hidden slide"] += 1
        return ""
    lost["slide's speaker notes"] += _has_notes(archive, links)
    shapes = list(_shapes(slide.find("{*}cSld/{*}spTree"), lost))
    title = next((" ".join(_words(s)) for s in shapes if _placeholder(s) in _TITLES and any(_words(s))), "")
    level = 1 if number == 1 and title else 2
    texts = [_as_html(s, links) for s in shapes if _placeholder(s) not in (*_TITLES, *_FRAME)]
    return f"<h{level}>{escape(title or f'Slide {number}')}</h{level}>{''.join(texts)}"


def _has_notes(archive: Archive, links: dict[str, str]) -> bool:
    """Return whether somebody wrote notes on a slide."""
    parts = [part for part in links.values() if "/notesSlides/" in part and part in archive.names]
    shapes = (shape for part in parts for shape in archive.xml(part).iter("{*}sp"))
    return any(any(_words(shape)) for shape in shapes if _placeholder(shape) == "body")


def _shapes(tree: Any, lost: Counter[str]) -> Any:
    """Give the shapes and tables of a slide, those of groups too, and count what holds no text."""
    for shape in () if tree is None else tree:
        kind = shape.tag.rpartition("}")[2]
        if kind == "grpSp":
            yield from _shapes(shape, lost)
        elif kind == "pic":
            lost["picture"] += 1
        elif kind == "AlternateContent":  # the first of several ways to show the same
            yield from _shapes(next(iter(shape), None), lost)
        elif kind == "graphicFrame" and shape.find(".//{*}tbl") is None:
            lost[_kind_of(shape)] += 1
        elif kind in ("sp", "graphicFrame"):
            yield shape


def _kind_of(frame: Any) -> str:
    data = frame.find(".//{*}graphicData")
    last = "" if data is None else (data.get("uri") or "").rpartition("/")[2]
    return {"chart": "chart", "diagram": "drawing"}.get(last, "embedded object")


def _placeholder(shape: Any) -> str | None:
    """Return which part of the slide's layout a shape fills, an empty text where it fills none."""
    found = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return "" if found is None else found.get("type")


def _words(shape: Any) -> list[str]:
    return [text.strip() for text in shape.itertext("{*}t") if text.strip()]


def _as_html(shape: Any, links: dict[str, str]) -> str:
    table = shape.find(".//{*}tbl")
    if table is None:
        return _list(shape, links)
    rows = (_row(row, "td" if n else "th", links) for n, row in enumerate(table.iterfind("{*}tr")))
    return f"<table>{''.join(rows)}</table>"


def _row(row: Any, tag: str, links: dict[str, str]) -> str:
    cells = (cell for cell in row.iterfind("{*}tc") if cell.get("hMerge") != "1" and cell.get("vMerge") != "1")
    texts = ((cell, "<br>".join(_runs(p, links) for p in cell.iter("{*}p"))) for cell in cells)
    return f"<tr>{''.join(f'<{tag}{_span(cell)}>{text}</{tag}>' for cell, text in texts)}</tr>"


def _span(cell: Any) -> str:
    found = (("colspan", cell.get("gridSpan")), ("rowspan", cell.get("rowSpan")))
    return "".join(f' {name}="{int(value)}"' for name, value in found if value and value.isdecimal())


# Complex: lists open and close by the level and the tag of each paragraph.
def _list(shape: Any, links: dict[str, str]) -> str:
    """Return the paragraphs of a shape: those with bullets or numbers as lists in each other."""
    parts: list[str] = []
    opened: list[str] = []
    for paragraph in shape.iterfind("{*}txBody/{*}p"):
        if not (words := _runs(paragraph, links).strip()):
            continue
        level, tag = _item(paragraph, has_bullets=_placeholder(shape) in _LISTS)
        while len(opened) > level or (opened and len(opened) == level and opened[-1] != tag):
            parts.append(f"</li></{opened.pop()}>")
        parts.append("</li>" if level and len(opened) == level else "")
        while len(opened) < level:
            parts.append(f"<{tag}>" if len(opened) + 1 == level else f"<{tag}><li>")
            opened.append(tag)
        parts.append(f"<li>{words}" if level else f"<p>{words}</p>")
    return "".join([*parts, *(f"</li></{tag}>" for tag in reversed(opened))])


def _item(paragraph: Any, *, has_bullets: bool) -> tuple[int, str]:
    """Return how deep in lists a paragraph stands, 0 for none, and the tag of its list."""
    about = paragraph.find("{*}pPr")
    marks = {child.tag.rpartition("}")[2] for child in (about if about is not None else ())}
    is_item = bool(marks & {"buChar", "buAutoNum", "buBlip"}) or (has_bullets and "buNone" not in marks)
    level = (about.get("lvl") if about is not None else None) or "0"
    return (min(int(level), _DEEPEST) + 1 if is_item else 0), "ol" if "buAutoNum" in marks else "ul"


def _runs(paragraph: Any, links: dict[str, str]) -> str:
    """Return the words of a paragraph, with its links and line breaks."""
    parts = []
    for run in paragraph:
        if run.tag.endswith("}br"):
            parts.append("<br>")
        words = escape("".join(run.itertext("{*}t")))
        link = run.find("{*}rPr/{*}hlinkClick")
        target = "" if link is None else links.get(next((v for n, v in link.items() if n.endswith("}id")), ""), "")
        is_address = target.startswith(("http://", "https://", "mailto:"))
        parts.append(f'<a href="{escape(target)}">{words}</a>' if is_address and words else words)
    return "".join(parts)
