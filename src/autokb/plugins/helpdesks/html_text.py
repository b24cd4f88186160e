"""Plain text as HTML in which nothing is active."""

from __future__ import annotations

import html


def as_html(text: str) -> str:
    """Return plain text as HTML with its line breaks."""
    return html.escape(text).replace("\n", "<br>")
