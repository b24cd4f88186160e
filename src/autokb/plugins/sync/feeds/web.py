"""Web pages: those that are named and those of a sitemap, fetched again only where they may have changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from email.message import Message
from typing import Any
from urllib.parse import urldefrag, urlsplit

from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Skipped
from autokb.core.source_settings import SourceSettings
from autokb.feeds.items import AT_ONCE, Feed, Item, Known, Progress, Step
from autokb.net.fetch import MOST_BYTES, FeedError, Fetcher, Reply, RunOverError, SiteError
from autokb.plugins.sync.feeds.robots import Robots
from autokb.plugins.sync.feeds.sitemap import read_sitemap
from autokb.sources.documents import read_fetched
from autokb.sources.formats import Format, format_of
from autokb.stores.workspace import Workspace

UNFETCHED_AT_ONCE = 500  # items in one step that were not asked for, so that nothing is lost with them
MOST_FAILURES = 5  # pages one after the other at which a site fails: then the site does
_GONE = (404, 410)
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
        workspace.spec.templates,
        skipped,
        [url for url in cursor.get("failed") or () if url in addresses],
    )
    for url, changed in addresses.items():
        known = progress.known.get(url)
        if known is not None and known.listing == cursor["listing"]:
            pages.were_read = True
            continue  # the run that stopped had it
        pages.read(url, changed, known)
        if pages.are_enough:
            yield pages.step(cursor)
        if pages.site_fails:
            raise FeedError(f"{MOST_FAILURES} pages one after the other cannot be read. {pages.last_reason}")
    if pages.last_reason and not pages.were_read:
        raise FeedError(f"None of its pages can be read. {pages.last_reason}")
    yield pages.step(cursor | {"open": False}, complete=True)


class _Pages:
    """The pages of one step, and at which the site failed, one after the other and in earlier runs."""

    def __init__(
        self,
        fetcher: Fetcher,
        robots: Robots,
        templates: Mapping[str, str],
        skipped: Sequence[Skipped],
        failed: Iterable[str],
    ) -> None:
        self._fetcher, self._robots, self._templates = fetcher, robots, templates
        self._items: list[Item] = []
        self._skipped = list(skipped)
        self._fetched, self._unpacked = 0, fetcher.unpacked
        self._failing: list[str] = []
        self._failed = dict.fromkeys(failed)
        self.were_read = False
        self.last_reason = ""

    def read(self, url: str, changed: str, known: Known | None) -> None:
        """Read a page where it may have changed."""
        if not self._robots.may_read(url):
            self._skip(url, "is closed by robots.txt.")
        elif known is not None and changed and known.stamp.get("lastmod") == changed:
            self._items.append(Item(url))
            self.were_read = True
        else:
            if self._fetcher.requests > 1:
                self._fetcher.pause(self._robots.of(url).delay)
            self._fetched += 1
            try:
                self._items += _fetch(url, changed, known, self._fetcher, self._robots, self._templates)
                self._failing, self.were_read = [], True
                self._failed.pop(url, None)
            except RunOverError:
                raise
            except FeedError as error:
                if isinstance(error, SiteError) and url not in self._failed:
                    self._failing.append(url)
                self._items.append(Item(url))  # it is there, if not to be read
                self._skip(url, str(error))

    def _skip(self, url: str, reason: str) -> None:
        self._skipped.append(Skipped(url, reason))
        self.last_reason = reason

    @property
    def are_enough(self) -> bool:
        """Whether they are to be stored now."""
        large = self._fetcher.unpacked - self._unpacked >= MOST_BYTES
        return self._fetched >= AT_ONCE or len(self._items) >= UNFETCHED_AT_ONCE or self.site_fails or large

    @property
    def site_fails(self) -> bool:
        """Whether it failed at so many pages that the others are not asked for."""
        return len(self._failing) == MOST_FAILURES

    def step(self, cursor: Mapping[str, Any], *, complete: bool = False) -> Step:
        """Return them, and begin the next step; where the site fails, its last pages were not met."""
        failing = self._failing if self.site_fails else []
        met = tuple(item for item in self._items if item.key not in failing)
        cursor = {**cursor, "failed": [*self._failed, *failing]}
        step = Step(met, cursor, tuple(self._skipped), complete=complete)
        self._items, self._skipped, self._fetched, self._unpacked = [], [], 0, self._fetcher.unpacked
        return step


def _fetch(
    url: str, changed: str, known: Known | None, fetcher: Fetcher, robots: Robots, templates: Mapping[str, str]
) -> list[Item]:
    """Return a page as it is now; none where there is none."""
    stamp = {} if known is None else known.stamp
    asked = {"if-none-match": stamp.get("etag", ""), "if-modified-since": stamp.get("modified", "")}
    reply = fetcher.get(url, {name: value for name, value in asked.items() if value}, robots.may_read)
    if reply.status in _GONE:
        return []
    if reply.status == 304:
        return [Item(url, {**stamp, "lastmod": changed})]
    if reply.status != 200:
        return [Item(url, {"lastmod": ""}, reason=f"answers with status {reply.status}.")]
    found = {
        "etag": reply.headers.get("etag", ""),
        "modified": reply.headers.get("last-modified", ""),
        "lastmod": changed,
    }
    try:
        kind, body = _typed(url, reply)
        return [Item(url, found, read_fetched(body, kind, url, templates))]
    except UnreadableFileError as error:
        return [Item(url, {**found, "lastmod": ""}, reason=str(error))]
    except Exception as error:  # one page of a site that no reader foresaw stops no other
        return [Item(url, {**found, "lastmod": ""}, reason=f"cannot be read ({type(error).__name__}).")]


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
