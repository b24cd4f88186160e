"""Tabs, folds and notes of a text that becomes HTML: marked there, and made sections and labelled paragraphs behind it.

They come out as those of documentation sites do ([site_outline.py](../../sources/site_outline.py)).
"""

from __future__ import annotations

import re
from html import unescape

from autokb.sources.html import html_to_markdown
from autokb.sources.page import ConvertedFile, fenced
from autokb.sources.site_outline import Element, note_label, outlined

_START, _AFTER = "\U0010f0e0", "\U0010f0e1"
_CODE_START, _CODE_END = "\U0010f0e3", "\U0010f0e4"
_SIGN = re.compile(f"{_START}(\\d+){_AFTER}")
_CODE = re.compile(f"^([ \\t]*){_CODE_START}(\\d+){_CODE_END}", re.MULTILINE)
_PRE = re.compile(r"<pre([^>]*)>(?:\s*<code([^>]*)>)?(.*?)</pre>", re.DOTALL)
_LANGUAGE = re.compile(r"\bcode ([\w+-]+) literal-block|\blanguage-([\w+-]+)")
_BLANKS = re.compile(r"\n(?:[ \t]*\n)+")
_TAG = re.compile(r"<[^<>]*>")
_OURS = re.compile("[\U0010f0e0-\U0010f0e4]")


def without_signs(text: str) -> str:
    """Return a text without the signs that mark elements and code."""
    return _OURS.sub("", text)


class Outline:
    """What is marked in a text."""

    def __init__(self) -> None:
        """Begin a text."""
        self._elements: list[Element] = []

    def around(self, kind: str, label: str, html: str) -> str:
        """Return HTML as that of a ``tab``, a ``fold`` or a note of a kind."""
        return self.begin(kind, label) + html + self.end()

    def begin(self, kind: str, label: str = "") -> str:
        """Return what stands before it."""
        return self._sign(Element(kind, "marked", without_signs(" ".join(label.split()))))

    def end(self) -> str:
        """Return what stands behind it."""
        return self._sign(Element("end", "marked"))

    def _sign(self, element: Element) -> str:
        self._elements.append(element)
        return f"<p>{_START}{len(self._elements) - 1}{_AFTER}</p>"

    def markdown(self, html: str) -> ConvertedFile:
        """Return the Markdown of it all; in a table or a quote an element is but its label."""
        codes: list[str] = []

        def aside(found: re.Match[str]) -> str:
            language = _LANGUAGE.search(found[1] + (found[2] or ""))
            code = unescape(_TAG.sub("", found[3])).strip("\n").rstrip()
            codes.append(fenced(code, (language[1] or language[2]) if language else ""))
            return f"<p>{_CODE_START}{len(codes) - 1}{_CODE_END}</p>"

        def set_in(found: re.Match[str]) -> str:
            return "\n".join(f"{found[1]}{line}".rstrip() for line in codes[int(found[2])].split("\n"))

        page = html_to_markdown(f"<html><body>{_PRE.sub(aside, html)}</body></html>")
        text = _BLANKS.sub("\n\n", outlined(page.text, self._elements, page.title)).strip() + "\n"
        return ConvertedFile(_CODE.sub(set_in, _SIGN.sub(self._label, text)), page.title)

    def _label(self, found: re.Match[str]) -> str:
        element = self._elements[int(found[1])]
        if element.kind == "end":
            return ""
        is_panel = element.kind in ("tab", "fold")
        return f"**{element.label}** " if is_panel else f"{note_label(element.kind, element.label)} "
