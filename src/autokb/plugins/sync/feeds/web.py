"""Web pages: those that are named and those of a sitemap, fetched again only where they may have changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.message import Message
from functools import partial
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Document, Skipped
from autokb.core.source_settings import SourceSettings
from autokb.feeds.items import AT_ONCE, Doubt, Feed, Item, Known, Progress, Step
from autokb.net.fetch import MOST_BYTES, FeedError, Fetcher, Reply, RunOverError, SiteError
from autokb.plugins.sync.feeds.page_signs import (
    PageSigns,
    doubt_of,
    is_print_page,
    is_same_site,
    plain_address,
    signs_of,
)
from autokb.plugins.sync.feeds.robots import Robots
from autokb.plugins.sync.feeds.sitemap import read_sitemap
from autokb.sources.documents import read_fetched
from autokb.sources.formats import Format, format_of
from autokb.sources.reading import SourceRecord
from autokb.stores.workspace import Workspace

UNFETCHED_AT_ONCE = 500  # items in one step that were not asked for, so that nothing is lost with them
MOST_FAILURES = 5  # pages one after the other at which a site fails: then the site does
_GONE = (404, 410)
_REFUSED = (401, 403)
_NO_TYPE = ("", "application/octet-stream", "binary/octet-stream")
_TYPES: Mapping[str, Format] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/plain": "text",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
}


# Complex: pages are stored, given up or skipped in the order of the addresses.
def read_web(workspace: Workspace, source: SourceSettings, fetcher: Fetcher, progress: Progress) -> Feed:
    """Yield all pages of a source; a run that stopped goes on with those that it had not asked for.

    Pages at which a run ended end no later one: the site may have them and fail at them alone.

    A page that is not there is no item: who stores the steps decides when it is gone.
    """
    cursor = dict(progress.cursor)
    if not cursor.get("open"):
        cursor |= {"open": True, "listing": int(cursor.get("listing", 0)) + 1}
    robots = Robots(fetcher)
    addresses = {urldefrag(url).url: "" for url in source.urls}
    skipped: list[Skipped] = []
    if source.sitemap:
        listed, skipped = read_sitemap(source.sitemap, fetcher, robots)
        addresses = listed | {url: listed.get(url, "") for url in addresses}
    pages = _Pages(
        fetcher,
        robots,
        _Addresses(addresses, progress.known, cursor["listing"]),
        partial(read_fetched, templates=workspace.spec.templates, ocr=workspace.settings.ocr),
        skipped=skipped,
        failed=dict.fromkeys(url for url in cursor.get("failed") or () if url in addresses),
        unpacked=fetcher.unpacked,
    )
    for url in addresses:
        pages.read(url)
        if pages.are_enough:
            yield pages.step(cursor)
        if pages.site_fails:
            raise FeedError(f"{MOST_FAILURES} pages one after the other cannot be read. {pages.last_reason}")
    if pages.last_reason and not pages.addresses.were_read:
        raise FeedError(f"None of its pages can be read. {pages.last_reason}")
    yield pages.step(cursor | {"open": False}, complete=True)


class _Addresses:
    """The addresses of a source that this run has not read, each with when it changed; and which are of one page."""

    def __init__(self, addresses: Mapping[str, str], known: Mapping[str, Known], listing: int) -> None:
        self.known = known
        self._left = {url: changed for url, changed in addresses.items() if not _was_in(known.get(url), listing)}
        self.were_read = len(self._left) < len(addresses)  # by a run that stopped
        self._first: dict[str, str] = {}
        for url in sorted([*known, *addresses], key=is_print_page):  # what is known keeps its address
            self._first.setdefault(plain_address(url, printed=True), url)

    def take(self, url: str) -> str | None:
        """Return when a page changed, and forget it; None where it was read."""
        return self._left.pop(url, None)

    def page_of(self, asked: str, final: str, page: PageSigns, robots: Robots) -> str:
        """Return the address of the page that an address is of: by what it says, where it leads, or how it is written.

        It is empty where that is the address itself, or one of another site or that robots.txt closes. What it says
        is no home page: systems name that on every page by mistake.
        """
        says = page.canonical if urlsplit(page.canonical).path.strip("/") else ""
        leads = final if final in self._left or final in self.known else ""
        written = self._first.get(plain_address(asked, printed=True), asked)
        for one in (says, leads, written):
            if one not in ("", asked) and is_same_site(one, asked):
                on_server = urljoin(final, urlsplit(one)._replace(scheme="", netloc="").geturl())
                return one if robots.may_read(on_server) else ""
        return ""


def _was_in(known: Known | None, listing: int) -> bool:
    return known is not None and known.listing == listing


@dataclass(slots=True)
class _Pages:
    """The pages of one step, and at which the site ``failed``, one after the other and in earlier runs."""

    fetcher: Fetcher
    robots: Robots
    addresses: _Addresses
    read_page: Callable[[bytes, Format, str], SourceRecord[Document]]
    skipped: list[Skipped]
    failed: dict[str, None]
    failing: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    fetched: int = 0
    unpacked: int = 0  # bytes before this step
    last_reason: str = ""

    # Complex: a page is closed, as it was, read or at fault, and each counts for the site.
    def read(self, url: str, *, is_first: bool = True) -> None:
        """Read a page that this run has not read, where it may have changed, and before it what it is a copy of."""
        if (changed := self.addresses.take(url)) is None:
            return
        known = self.addresses.known.get(url)
        if not self.robots.may_read(url):
            self._skip(url, "is closed by robots.txt.")
        elif known is not None and changed and known.stamp.get("lastmod") == changed:
            self.items.append(Item(url))
            self.addresses.were_read = True
        else:
            if self.fetcher.requests > 1:
                self.fetcher.pause(self.robots.of(url).delay)
            self.fetched += 1
            try:
                items = self._fetch(url, changed, known)
                if is_first and items and items[0].same_as:
                    self.read(items[0].same_as, is_first=False)
                self.items += items
                self.failing, self.addresses.were_read = [], True
                self.failed.pop(url, None)
            except RunOverError:
                raise
            except FeedError as error:
                if isinstance(error, SiteError) and url not in self.failed:
                    self.failing.append(url)
                self.items.append(Item(url))  # it is there, if not to be read
                self._skip(url, str(error))

    def _fetch(self, url: str, changed: str, known: Known | None) -> list[Item]:
        """Return a page as it is now; none where there is none."""
        stamp = {} if known is None else known.stamp
        asked = {"if-none-match": stamp.get("etag", ""), "if-modified-since": stamp.get("modified", "")}
        reply = self.fetcher.get(url, {name: value for name, value in asked.items() if value}, self.robots.may_read)
        if reply.status in _GONE:
            return []
        if reply.status == 304:
            return [Item(url, {**stamp, "lastmod": changed})]
        if reply.status != 200:
            reason = f"answers with status {reply.status}."
            doubt = Doubt("sign_in", reason, is_certain=True) if reply.status in _REFUSED else None
            return [Item(url, {"lastmod": ""}, reason=reason, doubt=doubt)]
        found = {
            "etag": reply.headers.get("etag", ""),
            "modified": reply.headers.get("last-modified", ""),
            "lastmod": changed,
        }
        try:
            kind, body = _typed(url, reply)
            content = self.read_page(body, kind, url)
            page = signs_of(replace(reply, body=body), is_html=kind == "html")
            same_as = self.addresses.page_of(url, reply.url, page, self.robots)
            return [Item(url, found, content, doubt=doubt_of(url, reply.url, page), same_as=same_as)]
        except UnreadableFileError as error:
            return [Item(url, {**found, "lastmod": ""}, reason=str(error), doubt=Doubt("other", str(error)))]
        except FeedError:
            raise
        except Exception as error:  # one page of a site that no reader foresaw stops no other
            return [Item(url, {**found, "lastmod": ""}, reason=f"cannot be read ({type(error).__name__}).")]

    def _skip(self, url: str, reason: str) -> None:
        self.skipped.append(Skipped(url, reason))
        self.last_reason = reason

    @property
    def are_enough(self) -> bool:
        """Whether they are to be stored now."""
        large = self.fetcher.unpacked - self.unpacked >= MOST_BYTES
        return self.fetched >= AT_ONCE or len(self.items) >= UNFETCHED_AT_ONCE or self.site_fails or large

    @property
    def site_fails(self) -> bool:
        """Whether it failed at so many pages that the others are not asked for."""
        return len(self.failing) == MOST_FAILURES

    def step(self, cursor: Mapping[str, Any], *, complete: bool = False) -> Step:
        """Return them, and begin the next step; where the site fails, its last pages were not met."""
        failing = self.failing if self.site_fails else []
        met = tuple(item for item in self.items if item.key not in failing)
        cursor = {**cursor, "failed": [*self.failed, *failing]}
        step = Step(met, cursor, tuple(self.skipped), complete=complete)
        self.items, self.skipped, self.fetched, self.unpacked = [], [], 0, self.fetcher.unpacked
        return step


def _typed(url: str, reply: Reply) -> tuple[Format, bytes]:
    """Return the format of an answer, and its body; a text of a named encoding comes as UTF-8."""
    said = Message()
    said["content-type"] = reply.headers.get("content-type", "")
    named = said.get_content_type() if said["content-type"] else ""
    path = urlsplit(url).path
    kind = format_of(path, reply.body) if named in _NO_TYPE else _TYPES.get(named)
    if kind == "text" and path.endswith((".md", ".markdown")):
        kind = "markdown"
    if kind is None or kind not in _TYPES.values():
        raise UnreadableFileError(f"is of a type that is not read ({named or 'none is named'}).")
    charset = said.get_content_charset("utf-8")
    if kind in ("pdf", "docx") or charset in ("utf-8", "us-ascii"):
        return kind, reply.body
    try:
        return kind, reply.body.decode(charset).encode("utf-8", "replace")
    except (LookupError, ValueError):  # an encoding that there is not, that decodes nothing or that it is not in
        return kind, reply.body
