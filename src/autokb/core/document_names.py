"""Which document a link means: its id counts, else a stem that only one document has, else its URL, else its title."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from autokb.core.nouns import Document

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|www\.", re.IGNORECASE)
# The language of a page is no part of what it is about: /en-US/kb/x and /kb/x name one article.
_LOCALE = re.compile(r"[a-z]{2,3}-[A-Za-z]{2,4}|en|de|fr|es|it|pt|nl|ja|ko|zh|ru|pl|cs|sv|da|fi|tr|hu", re.IGNORECASE)


class DocumentNames:
    """Finds the document that a name means; built once for a set of documents."""

    def __init__(self, documents: Iterable[Document]) -> None:
        documents = tuple(documents)
        self._ids = frozenset(d.id for d in documents)
        self._files = _only_ones((file_name(d.id), d.id) for d in documents)
        self._stems = _only_ones((stem(d.id), d.id) for d in documents)
        self._urls = _only_ones((normal_url(d.url), d.id) for d in documents if d.url)
        self._titles = _only_ones((plain_title(d.title), d.id) for d in documents)
        # A document that knows its own address is not guessed from another one.
        self._without_url = frozenset(d.id for d in documents if not d.url)

    def resolve(self, name: str) -> str | None:
        """Return the id of the document that the name means, or None."""
        return self._by_place(name.strip()) or self.by_title(name)

    def by_title(self, name: str) -> str | None:
        """Return the id of the document that the name means as a title, and in no other way, or None."""
        name = name.strip()
        return None if self._by_place(name) or _URL.match(name) else self._titles.get(plain_title(name))

    def _by_place(self, name: str) -> str | None:
        if name in self._ids:
            return name
        found = self._stems.get(name) or self._files.get(name) or self._urls.get(normal_url(name))
        if found or not _URL.match(name):
            return found
        # The last part may be the file of a document that does not say its own address.
        last = file_name(normal_url(name).partition("?")[0])
        found = self._files.get(last) or self._stems.get(last)
        return found if found in self._without_url else None


def _only_ones(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the names that lead to a single id."""
    found: dict[str, set[str]] = {}
    for name, document in pairs:
        if name:
            found.setdefault(name, set()).add(document)
    return {name: next(iter(ids)) for name, ids in found.items() if len(ids) == 1}


def plain_title(title: str) -> str:
    """Return a title, or a heading, as two are compared, whatever the case and the white space."""
    return " ".join(title.split()).casefold()


def file_name(path: str) -> str:
    """Return the last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def stem(path: str) -> str:
    """Return the file name without its last suffix."""
    return PurePosixPath(file_name(path)).stem


def normal_url(url: str) -> str:
    """Return an address without what does not change the page: scheme, www, fragment, locale, last slash."""
    url = url.strip()
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
    except ValueError:
        return url
    host = parts.netloc.rpartition("@")[2].casefold().removeprefix("www.")
    host = host.removesuffix(":443").removesuffix(":80")
    path = [p for p in unquote(parts.path).split("/") if p]
    if len(path) > 1 and _LOCALE.fullmatch(path[0]):
        path = path[1:]
    query = f"?{parts.query}" if parts.query else ""
    return "/".join([host, *path]) + query
