"""The text of a mail in HTML: a line for each block, with the marks that a plain mail has before quotes and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_LINES = frozenset("p div br li tr h1 h2 h3 h4 h5 h6 blockquote pre ul ol hr body".split())
_UNSEEN = frozenset({"script", "style", "head", "title"})
_QUOTED_BY = re.compile(r"yahoo_quoted|zmail_extra")  # a class or id; other programs quote by blockquote alone
_SIGNED_BY = re.compile(r"(?<!no)[_-]signature")  # gmail_signature, moz-signature, ms-outlook-mobile-signature
_BEGINS = re.compile(r"\s*+<(?:!doctype html|html|head|body|meta|div|p|span|table|blockquote|font)\b[^<>]*>", re.I)
_CLOSES = re.compile(r"</(?:div|p|span|body|blockquote|font)\s*>", re.I)
_QUOTES = re.compile(r"<(?:blockquote|div)\b[^<>]{0,300}\b(?:gmail_|moz-cite|yahoo_quoted|divRplyFwdMsg|type=.?cite)")


def is_html(text: str) -> bool:
    """Return whether a text is a mail, or what a mail program made of one, in HTML."""
    return bool(_BEGINS.match(text) and _CLOSES.search(text)) or _QUOTES.search(text) is not None


def text_of_html(markup: str) -> str:
    """Return the text that HTML shows: quoted lines behind ``>`` and a signature behind ``--``."""
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(markup.replace("\0", "").encode("utf-8", "replace"), parser)
    lines = [("", [""])]
    for piece, mark in () if root is None else _pieces(etree.iterwalk(root, ("start", "end"))):
        if piece == "\n":
            lines.append((mark, []))
        else:
            lines[-1][1].append(piece)
    told = ((mark, " ".join("".join(words).split())) for mark, words in lines)
    return "\n".join(mark + line for mark, line in told if line)


def _pieces(walk: Any) -> Iterator[tuple[str, str]]:
    """Yield the texts of a page and the ends of its lines, each with the mark of the line behind it."""
    quotes = 0
    for event, element in walk:
        named = f"{element.get('class', '')} {element.get('id', '')}"
        is_quote = element.tag == "blockquote" or _QUOTED_BY.search(named) is not None
        quotes += is_quote if event == "start" else -is_quote
        mark = "> " if quotes else ""
        if element.tag in _LINES:
            yield "\n", mark
        if event == "end":
            yield element.tail or "", mark
            continue
        if _SIGNED_BY.search(named):
            yield from (("\n", mark), ("--", mark), ("\n", mark))
        if element.tag in _UNSEEN:
            walk.skip_subtree()
        else:
            yield element.text or "", mark
