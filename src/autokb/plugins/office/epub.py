"""E-books: the chapters in the order in which they are read, each by the reader of web pages."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from autokb.core.errors import UnreadableFileError
from autokb.sources.archives import Archive
from autokb.sources.decoding import decode
from autokb.sources.html import html_to_markdown
from autokb.sources.page import ConvertedFile, counted

_CONTAINER = "META-INF/container.xml"
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read_epub(data: bytes) -> ConvertedFile:
    """Return the Markdown of a book (UnreadableFileError: it is locked by its shop)."""
    archive = Archive(data, "EPUB", old="no e-book", needed=_CONTAINER, foreign="e-book")
    package = next((one.get("full-path") or "" for one in archive.xml(_CONTAINER).iter("{*}rootfile")), "")
    book = archive.xml(package)
    folder = posixpath.dirname(package)
    items = {one.get("id"): one for one in book.iter("{*}item")}
    spine = [items[one.get("idref")] for one in book.iter("{*}itemref") if one.get("idref") in items]
    chapters = [one for one in spine if one.get("media-type") in _PAGES and "nav" not in (one.get("properties") or "")]
    names = [posixpath.normpath(posixpath.join(folder, unquote(one.get("href") or ""))) for one in chapters]
    locked = archive.read("META-INF/encryption.xml") if "META-INF/encryption.xml" in archive.names else b""
    if any(name.encode() in locked for name in names):
        raise UnreadableFileError("is locked by whoever sells it; give a version that is not.")
    texts = [
        html_to_markdown(decode(archive.read(name), markup=True)).text.strip()
        for name in names
        if name in archive.names
    ]
    title = (
        " ".join("".join(next(iter(book.iter("{*}title")), book).itertext()).split())
        if book.find(".//{*}title") is not None
        else ""
    )
    pictures = sum((one.get("media-type") or "").startswith("image/") for one in items.values())
    sounds = sum((one.get("media-type") or "").startswith(("audio/", "video/")) for one in items.values())
    missing = sum(name not in archive.names for name in names)
    left_out = (
        *counted(pictures, "picture"),
        *counted(sounds, "sound or film", "sounds or films"),
        *counted(missing, "chapter that is not there", "chapters that are not there"),
    )
    return ConvertedFile("\n\n".join(filter(None, texts)), title, left_out=left_out)
