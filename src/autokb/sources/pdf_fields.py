"""What lies on a PDF page: the values of its form's fields and notes that are shown, as words beside their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from autokb.sources.pdf_lines import DEFAULT_SIZE
from autokb.sources.pdf_tables import Word

MOST_FIELDS = 1_000  # of one page; a form that people fill in has some fifty
# How far up a field may take what it does not say itself from its parents; forms have three levels.
_MOST_PARENTS = 16
# Flags of annotations and of fields (PDF 32000-1, tables 165, 226 and 228).
_UNSEEN = 1 << 1 | 1 << 5  # hidden, not for the screen
_WITHOUT_VALUE = 1 << 13 | 1 << 16  # passwords, push buttons
CHOSEN, NOT_CHOSEN = "[x]", "[ ]"
_COMMENTS = frozenset("Text Highlight Underline StrikeOut Squiggly Caret Stamp Square Circle Line Ink".split())
_LEADING = 1.2  # times the size of a field's text


def words_of_fields(page: Any, words: Sequence[Word], lost: Counter[str]) -> Iterator[Word]:
    """Give the values of a page's fields and its shown notes as words; what is not read of them is counted in ``lost``.

    A value stands on the line of its label, in its size: the nearest of the page's ``words`` beside its box.
    """
    from pdfminer.pdftypes import dict_value, list_value, resolve1

    found = [dict_value(one) for one in list_value(page.page_obj.annots or [])]
    lost["form field"] += max(0, len(found) - MOST_FIELDS)
    found = [one for one in found[:MOST_FIELDS] if resolve1(one.get("Rect"))]
    # pdfplumber resolves all that a field refers to, which leads in circles; it needs their places to turn them.
    page.page_obj.annots = [{"Rect": [*map(resolve1, list_value(one["Rect"]))]} for one in found]
    for one, box in zip(found, page.annots, strict=True):
        text = _shown_text(one, lost)
        if text:
            yield from _beside_label(text.splitlines(), box, words)


def _shown_text(annotation: Any, lost: Counter[str]) -> str:
    kind = _name(annotation.get("Subtype"))
    if (_inherited(annotation, "F") or 0) & _UNSEEN:
        return ""
    if kind == "Widget":
        return _value_of_field(annotation)
    text = _text(annotation.get("Contents"))
    lost["comment"] += bool(text) and kind in _COMMENTS
    return text if kind == "FreeText" else ""


def _value_of_field(field: Any) -> str:
    """Return what a field shows: its text, the labels of what is chosen, or whether a box is ticked."""
    if (_inherited(field, "Ff") or 0) & _WITHOUT_VALUE:
        return ""
    value = _inherited(field, "V")
    if _name(_inherited(field, "FT")) == "Btn":
        state = _name(field.get("AS")) or _name(value)
        return CHOSEN if state and state != "Off" else NOT_CHOSEN
    return _shown_values(field, value if isinstance(value, list) else [value])


def _shown_values(field: Any, values: Sequence[Any]) -> str:
    """Return the text of a field, or of a choice the labels of its values."""
    from pdfminer.pdftypes import resolve_all

    options = [one for one in resolve_all(_inherited(field, "Opt")) or () if isinstance(one, list)]
    labels = {_text(name): _text(label) for name, label in options}
    return ", ".join(labels.get(_text(one), _text(one)) for one in values)


def _inherited(field: Any, name: str) -> Any:
    from pdfminer.pdftypes import resolve1

    for _ in range(_MOST_PARENTS):
        if not isinstance(field, dict) or name in field:
            break
        field = resolve1(field.get("Parent"))
    return resolve1(field.get(name)) if isinstance(field, dict) else None


def _name(value: Any) -> str:
    from pdfminer.psparser import PSLiteral

    return str(value.name) if isinstance(value, PSLiteral) else ""


def _text(value: Any) -> str:
    from pdfminer.pdftypes import PDFStream, resolve1
    from pdfminer.utils import decode_text

    value = resolve1(value)
    data = value.get_data() if isinstance(value, PDFStream) else value
    return decode_text(data).replace("\r\n", "\n").replace("\r", "\n") if isinstance(data, bytes) else ""


def _beside_label(lines: Iterable[str], box: Any, words: Sequence[Word]) -> Iterator[Word]:
    """Place the lines of a value in its box, the first one on the line of the label left or right of it."""
    beside = [word for word in words if box["top"] <= (word["top"] + word["bottom"]) / 2 <= box["bottom"]]
    label = min(beside, key=lambda word: max(box["x0"] - word["x1"], word["x0"] - box["x1"]), default=None)
    size = label["size"] if label else min((word["size"] for word in words), default=DEFAULT_SIZE)
    bottom = label["bottom"] if label else box["top"] + size
    for n, line in enumerate(lines):
        low = bottom + n * _LEADING * size
        left, right, top = box["x0"], box["x1"], low - size
        yield Word(text=line, x0=left, x1=right, top=top, bottom=low, size=size, fontname="", upright=True)
