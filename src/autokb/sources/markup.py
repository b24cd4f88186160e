"""Detecting what markup a text is written in, and turning each kind into Markdown."""

from __future__ import annotations

import re
from typing import Literal

from autokb.sources.decoding import clean
from autokb.sources.subprocess_converter import convert_in_subprocess

Markup = Literal["markdown", "html", "wiki", "text"]

# Characters: a text shows its markup early.
_SAMPLE_CHARACTERS = 200_000
_HTML_START = re.compile(
    r"\s*(?:<!doctype html|<html|<\?xml|<body|<(?:p|div|h[1-6]|ul|ol|table|article|section)\b[^<>]*>)", re.I
)
_WHOLE_PAGE = re.compile(r"\s*(?:<\?xml[^<>]*>\s*)?<(?:!doctype html|html|body)\b", re.IGNORECASE)
_HTML_CLOSING_TAG = re.compile(r"</(?:p|div|li|ul|ol|table|tr|td|h[1-6]|span|a|strong|em|b|body)\s*>", re.I)
_MARKDOWN_FENCE = re.compile(r"^```", re.M)
_WIKI = (
    re.compile(r"'''[^'\n]+'''|(?<!')''[^'\n]+''(?!')"),
    re.compile(r"\[\[[^\[\]\n]{1,200}\]\](?!\()"),
    re.compile(r"\{(?:menu|button|key|filepath|pref) [^{}\n]*\}|\{(?:note|warning)\}|\{for [^{}\n]{1,80}\}"),
    re.compile(r"^(={1,6})[^=\n][^\n]*?\1[ \t]*$", re.M),
    re.compile(r"\[https?://[^\s\]]{1,300} [^\]\n]{1,300}\]"),
    re.compile(r"^__(?:TOC|NOTOC)__", re.M),
    re.compile(r"^\{\|", re.M),
)
# Wiki links and macros are written nowhere else: one of them is enough.
_WIKI_LINKS, _WIKI_MACROS = 1, 2
# A Markdown text may quote other wiki markup; two kinds, or three pieces of one, are no accident.
_MIN_WIKI_KINDS = 2
_MIN_WIKI_PIECES = 3
# Markdown may hold HTML in places: a text that does not begin as a page needs so many closing tags.
_MIN_CLOSING_TAGS = 4


def detect_markup(text: str) -> Markup:
    """Return the markup of a text that comes without a file name; when in doubt it is Markdown as it stands."""
    head = text[:_SAMPLE_CHARACTERS]
    closing_tags = len(_HTML_CLOSING_TAG.findall(head))
    if (_HTML_START.match(head) and closing_tags) or closing_tags >= _MIN_CLOSING_TAGS:
        return "html"
    counts = [len(pattern.findall(head)) for pattern in _WIKI]
    is_wiki = (
        counts[_WIKI_LINKS] > 0
        or counts[_WIKI_MACROS] > 0
        or sum(count > 0 for count in counts) >= _MIN_WIKI_KINDS
        or max(counts) >= _MIN_WIKI_PIECES
    )
    return "wiki" if is_wiki and not _MARKDOWN_FENCE.search(head) else "markdown"


def is_whole_page(html: str) -> bool:
    """Return whether HTML is a web page of its own, no piece of one."""
    return _WHOLE_PAGE.match(html) is not None


def to_markdown(text: str, markup: Markup) -> tuple[str, str]:
    """Return the Markdown of a text and the title it names itself (or an empty one)."""
    if markup == "html":
        page = convert_in_subprocess("html", text.encode("utf-8", "surrogatepass"))
        return page.text, page.title
    if markup == "wiki":
        from autokb.sources.wiki import wiki_to_markdown

        return wiki_to_markdown(text), ""
    return clean(text), ""
