"""E-books: the chapters in the order in which they are read, each by the reader of web pages."""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import Any
from urllib.parse import unquote

from autokb.core.errors import UnreadableFileError
from autokb.sources.archives import Archive
from autokb.sources.decoding import decode
from autokb.sources.html import html_to_markdown
from autokb.sources.page import ConvertedFile, counted

_CONTAINER, _LOCKS = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


# Complex: what is locked, missing or no text is told of each chapter.
def read_epub(data: bytes) -> ConvertedFile:
    """Return the Markdown of a book (UnreadableFileError: it is locked by its shop)."""
    archive = Archive(data, "EPUB", old="no e-book", needed=_CONTAINER, foreign="e-book")
    package = next((one.get("full-path") or "" for one in archive.xml(_CONTAINER).iter("{*}rootfile")), "")
    book = archive.xml(package)
    names = _chapters(book, posixpath.dirname(package))
    locked = archive.read(_LOCKS) if _LOCKS in archive.names else b""
    if any(name.encode() in locked for name in names):
        raise UnreadableFileError("is locked by whoever sells it; give a version that is not.")
    there = [name for name in names if name in archive.names]
    texts = [html_to_markdown(decode(archive.read(name), markup=True)).text.strip() for name in there]
    title = book.find(".//{*}title")
    kinds = Counter((one.get("media-type") or "").partition("/")[0] for one in book.iter("{*}item"))
    left_out = (
        *counted(kinds["image"], "picture"),
        *counted(kinds["audio"] + kinds["video"], "sound or film", "sounds or films"),
        *counted(len(names) - len(there), "chapter that is not there", "chapters that are not there"),
    )
    words = "" if title is None else " ".join("".join(title.itertext()).split())
    return ConvertedFile("\n\n".join(filter(None, texts)), words, left_out=left_out)


def _chapters(book: Any, folder: str) -> list[str]:
    """Return the names of the pages in the order in which they are read, without the table of contents."""
    items = {one.get("id"): one for one in book.iter("{*}item")}
    spine = [items[one.get("idref")] for one in book.iter("{*}itemref") if one.get("idref") in items]
    chapters = [one for one in spine if one.get("media-type") in _PAGES and "nav" not in (one.get("properties") or "")]
    return [posixpath.normpath(posixpath.join(folder, unquote(one.get("href") or ""))) for one in chapters]
