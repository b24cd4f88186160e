"""Telling what markup a text is written in, and turning each kind into Markdown."""

from __future__ import annotations

import re
from typing import Literal

from autokb.sources.decoding import clean

Markup = Literal["markdown", "html", "wiki", "text"]

_LOOKED_AT = 200_000
_HTML_START = re.compile(
    r"\s*(?:<!doctype html|<html|<\?xml|<body|<(?:p|div|h[1-6]|ul|ol|table|article|section)\b[^<>]*>)", re.I
)
_HTML_TAG = re.compile(r"</(?:p|div|li|ul|ol|table|tr|td|h[1-6]|span|a|strong|em|b|body)\s*>", re.I)
_WIKI = (
    re.compile(r"'''[^'\n]+'''|(?<!')''[^'\n]+''(?!')"),
    re.compile(r"\[\[[^\[\]\n]{1,200}\]\](?!\()"),
    re.compile(r"\{(?:menu|button|key|filepath|pref) [^{}\n]*\}|\{(?:note|warning)\}|\{for [^{}\n]{1,80}\}"),
    re.compile(r"^(={1,6})[^=\n][^\n]*?\1[ \t]*$", re.M),
    re.compile(r"\[https?://[^\s\]]{1,300} [^\]\n]{1,300}\]"),
    re.compile(r"^__(?:TOC|NOTOC)__", re.M),
    re.compile(r"^\{\|", re.M),
)
# A Markdown text may quote one of them in code; two kinds, or many of one, are no accident.
_KINDS_OF_WIKI = 2
_MANY = 3


def detect(text: str) -> Markup:
    """Return the markup of a text that comes without a file name; when in doubt it is Markdown as it stands."""
    head = text[:_LOOKED_AT]
    closing = len(_HTML_TAG.findall(head))
    if (_HTML_START.match(head) and closing) or closing >= _MANY + 1:
        return "html"
    counts = [len(pattern.findall(head)) for pattern in _WIKI]
    if sum(1 for c in counts if c) >= _KINDS_OF_WIKI or max(counts) >= _MANY or (counts[1] or counts[2]):
        return "wiki" if not re.search(r"^```", head, re.M) else "markdown"
    return "markdown"


def to_markdown(text: str, markup: Markup) -> tuple[str, str]:
    """Return the Markdown of a text and the title it names itself (or an empty one)."""
    if markup == "html":
        from autokb.sources.html import html_to_markdown

        page = html_to_markdown(text)
        return page.text, page.title
    if markup == "wiki":
        from autokb.sources.wiki import wiki_to_markdown

        return wiki_to_markdown(text), ""
    return clean(text), ""
