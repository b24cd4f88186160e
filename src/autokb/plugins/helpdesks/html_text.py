"""Plain text as HTML in which nothing is active, and the text of the HTML that a helpdesk sends."""

from __future__ import annotations

import html
from html.parser import HTMLParser

_LINES = frozenset({"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "ul", "ol"})
_UNSEEN = frozenset({"script", "style", "head", "title"})


def as_html(text: str) -> str:
    """Return plain text as HTML with its line breaks."""
    return html.escape(text).replace("\n", "<br>")


def text_of_html(markup: str) -> str:
    """Return the text that HTML shows, a line for each block."""
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.found).split("\n"))
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._unseen += tag in _UNSEEN
        if tag in _LINES:
            self.found.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(0, self._unseen - (tag in _UNSEEN))
        if tag in _LINES:
            self.found.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.found.append(data.replace("\n", " "))
