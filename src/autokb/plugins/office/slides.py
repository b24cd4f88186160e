"""Slides: each is a section under its title, with its lists, tables and texts in their order.

What a speaker alone sees is not read: notes may say what customers should not hear.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import Any

from autokb.sources.archives import Archive
from autokb.sources.html import html_to_markdown
from autokb.sources.page import ConvertedFile, counted

_FRAME = ("dt", "ftr", "sldNum", "hdr")  # placeholders that say the same on each slide
_TITLES = ("title", "ctrTitle")
_LISTS = (None, "body", "obj")  # placeholders whose paragraphs have bullets unless they say otherwise


def read_slides(data: bytes) -> ConvertedFile:
    """Return the slides that are shown, in their order."""
    archive = Archive(data, "PPTX", old="an old .ppt", needed="ppt/presentation.xml", foreign="presentation")
    targets = archive.relations("ppt/presentation.xml")
    lost: Counter[str] = Counter()
    parts = []
    numbers = enumerate(archive.xml("ppt/presentation.xml").iterfind("{*}sldIdLst/{*}sldId"), 1)
    for number, one in numbers:
        part = targets.get(next((value for name, value in one.items() if name.startswith("{")), ""), "")
        if part not in archive.names:
            continue
        slide = archive.xml(part)
        if slide.get("show") == "0":
            lost["hidden slide"] += 1
            continue
        links = archive.relations(part)
        lost["slide's speaker notes"] += any("/notesSlides/" in target for target in links.values()) and _has_notes(
            archive, links
        )
        shapes = list(_shapes(slide.find("{*}cSld/{*}spTree"), lost))
        title = next((" ".join(_words(s)) for s in shapes if _placeholder(s) in _TITLES and any(_words(s))), "")
        level = 1 if number == 1 and title else 2
        parts.append(f"<h{level}>{escape(title or f'Slide {number}')}</h{level}>")
        parts += [_as_html(s, links) for s in shapes if _placeholder(s) not in (*_TITLES, *_FRAME)]
    page = html_to_markdown(f"<html><body>{''.join(parts)}</body></html>")
    comments = counted(archive.count("ppt/comments/"), "part with comments", "parts with comments")
    macros = counted(archive.count("ppt/vbaProject.bin"), "part with macros")
    left_out = [part for name, number in lost.items() for part in counted(number, name, _several(name))]
    return ConvertedFile(page.text, page.title, left_out=(*left_out, *comments, *macros))


def _several(name: str) -> str:
    return "slides' speaker notes" if name.startswith("slide's") else f"{name}s"


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
            uri = (found.get("uri") or "") if (found := shape.find(".//{*}graphicData")) is not None else ""
            lost["chart" if uri.endswith("chart") else "drawing" if uri.endswith("diagram") else "embedded object"] += 1
        elif kind in ("sp", "graphicFrame"):
            yield shape


def _placeholder(shape: Any) -> str | None:
    """Return which part of the slide's layout a shape fills, an empty text where it fills none."""
    found = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return "" if found is None else found.get("type")


def _words(shape: Any) -> list[str]:
    return [text.strip() for text in shape.itertext("{*}t") if text.strip()]


def _as_html(shape: Any, links: dict[str, str]) -> str:
    if (table := shape.find(".//{*}tbl")) is not None:
        rows = []
        for n, row in enumerate(table.iterfind("{*}tr")):
            tag = "td" if n else "th"
            cells = [
                f"<{tag}{_span(cell)}>{'<br>'.join(_runs(p, links) for p in cell.iter('{*}p'))}</{tag}>"
                for cell in row.iterfind("{*}tc")
                if cell.get("hMerge") != "1" and cell.get("vMerge") != "1"
            ]
            rows.append(f"<tr>{''.join(cells)}</tr>")
        return f"<table>{''.join(rows)}</table>"
    return _list(shape, links)


def _span(cell: Any) -> str:
    found = (("colspan", cell.get("gridSpan")), ("rowspan", cell.get("rowSpan")))
    return "".join(f' {name}="{int(value)}"' for name, value in found if value and value.isdecimal())


def _list(shape: Any, links: dict[str, str]) -> str:
    """Return the paragraphs of a shape: those with bullets or numbers as lists in each other."""
    parts: list[str] = []
    opened: list[str] = []
    has_bullets = _placeholder(shape) in _LISTS
    for paragraph in shape.iterfind("{*}txBody/{*}p"):
        if not (words := _runs(paragraph, links).strip()):
            continue
        about = paragraph.find("{*}pPr")
        marks = {child.tag.rpartition("}")[2] for child in (about if about is not None else ())}
        is_item = bool(marks & {"buChar", "buAutoNum", "buBlip"}) or (has_bullets and "buNone" not in marks)
        level = int((about.get("lvl") if about is not None else None) or 0) + 1 if is_item else 0
        tag = "ol" if "buAutoNum" in marks else "ul"
        while len(opened) > level or (opened and len(opened) == level and opened[-1] != tag):
            parts.append(f"</li></{opened.pop()}>")
        if is_item:
            parts.append("</li>" if len(opened) == level else "")
            while len(opened) < level:
                parts.append(f"<{tag}>" if len(opened) + 1 == level else f"<{tag}><li>")
                opened.append(tag)
            parts.append(f"<li>{words}")
        else:
            parts.append(f"<p>{words}</p>")
    return "".join([*parts, *(f"</li></{tag}>" for tag in reversed(opened))])


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
