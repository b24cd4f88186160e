"""Walking the pages of an interface: what changed since, or the whole list, from where the last run stopped."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Document
from autokb.core.source_settings import SourceSettings
from autokb.core.tickets import Ticket
from autokb.feeds.items import AT_ONCE, Feed, Item, Progress, Step
from autokb.net.fetch import MOST_BYTES, FeedError, Fetcher, Reply, StatusError, same_origin
from autokb.sources.fields import Record
from autokb.sources.reading import SourceRecord

Phase = Literal["listing", "changes"]
OVERLAP = timedelta(minutes=2)  # that is asked for again: an interface may show what changed a moment later
MOST_PAGES = 100_000  # of one run; the largest trackers have some thousands


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a page, with what the source calls it and when it changed."""

    key: str
    updated: str
    record: Record
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its records and where the next is.

    ``since`` is from where a later run asks for changes, where the interface says. A ``brief`` one tells what
    is there; what changed of it comes with the changes.
    """

    entries: tuple[Entry, ...]
    next: str = ""
    since: str = ""
    brief: bool = False


class Api(ABC):
    """The interface of a source, which gives pages. One that cannot list all tells what was deleted."""

    can_list = True
    lists_content = True  # a listing has whole records, so that it also tells what changed

    def __init__(self, source: SourceSettings) -> None:
        """Take the settings of the source, whose address is that of the interface."""
        self.source = source
        self.base = source.url

    @abstractmethod
    def first(self, phase: Phase, since: str) -> str:
        """Return the address of the first page."""

    @abstractmethod
    def page(self, phase: Phase, since: str, value: Any, reply: Reply) -> Page:
        """Read a page (FeedError)."""

    @abstractmethod
    def content(self, entry: Entry, fetcher: Fetcher) -> SourceRecord[Document] | Ticket:
        """Read a record, with what more has to be fetched for it (UnreadableFileError, FeedError)."""


# Complex: where a walk begins, goes on and ends is one cursor, which is stored at each turn.
def walk(api: Api, fetcher: Fetcher, progress: Progress) -> Feed:
    """Yield what changed, and what is there where the list is due; a walk that stopped goes on at its page."""
    cursor = dict(progress.cursor)
    if not cursor.get("phases"):
        cursor |= {"phases": _phases(api, progress), "next": "", "news": False}
        if cursor["phases"][0] == "listing":
            cursor["listing"] = int(cursor.get("listing", 0)) + 1
    visited: set[str] = set()
    resumed = str(cursor.get("next", ""))
    while cursor["phases"]:
        phase: Phase = cursor["phases"][0]
        url = cursor["next"] or api.first(phase, str(cursor.get("since", "")))
        try:
            value, reply = fetcher.json(url, _condition(cursor, phase, url))
        except StatusError:
            if not resumed or cursor["next"] != resumed:
                raise
            resumed = cursor["next"] = ""  # a place that the source no longer knows
            continue
        if not cursor["next"]:
            cursor["began"] = _iso(reply.moment() - OVERLAP)
        visited.add(url)
        page = Page(()) if value is None else api.page(phase, str(cursor.get("since", "")), value, reply)
        if not cursor["next"] and value is not None:
            cursor["etag"] = _tag(phase, url, page, reply)
        left = yield from _steps(api, fetcher, progress, page, cursor)
        try:
            _turn(api, cursor, page, visited)
        except FeedError:
            yield Step(left, dict(cursor))  # the next run begins anew
            raise
        yield Step(left, dict(cursor), complete=phase == "listing" and not cursor["next"])


def _phases(api: Api, progress: Progress) -> list[Phase]:
    if not api.can_list:
        return ["changes"]
    listed = progress.cursor.get("listed")
    if not listed or not progress.cursor.get("since"):
        return ["listing"]
    age = datetime.now(UTC) - datetime.fromisoformat(str(listed))
    if not progress.lacks_some and age.total_seconds() < api.source.check_deleted:
        return ["changes"]
    return ["listing"] if api.lists_content else ["listing", "changes"]


def _condition(cursor: Mapping[str, Any], phase: Phase, url: str) -> dict[str, str]:
    """Return the header that asks for an answer only where it is another one than the last time."""
    noted = cursor.get("etag") or {}
    return {"if-none-match": noted["tag"]} if phase == "changes" and noted.get("url") == url and noted["tag"] else {}


def _tag(phase: Phase, url: str, page: Page, reply: Reply) -> dict[str, str]:
    """Return what tells whether changes are as they were: that a page is says nothing of those behind it."""
    return {"url": url, "tag": reply.headers.get("etag", "")} if phase == "changes" and not page.next else {}


# Complex: what became of each record, and when a step is full, is decided at the record.
def _steps(
    api: Api, fetcher: Fetcher, progress: Progress, page: Page, cursor: dict[str, Any]
) -> Generator[Step, None, tuple[Item, ...]]:
    """Yield a page's items where many requests were made for them, and return those that are left.

    The cursor stays at the page until those are stored, which they are together with the next place.
    """
    items: list[Item] = []
    requests, unpacked = fetcher.requests, fetcher.unpacked
    for entry in page.entries:
        known = progress.known.get(entry.key)
        stamp = {"updated": entry.updated}
        if entry.gone:
            items.append(Item(entry.key, gone=True))
        elif known is not None and known.stamp and (page.brief or known.stamp.get("updated") == entry.updated):
            items.append(Item(entry.key))
        else:
            cursor["news"] = True
            try:
                items.append(Item(entry.key, stamp, api.content(entry, fetcher)))
            except (UnreadableFileError, StatusError) as error:  # a ticket may go while its comments are asked for
                items.append(Item(entry.key, stamp, reason=str(error)))
            except FeedError:
                raise
            except Exception as error:  # one record that no reader foresaw stops no other
                items.append(Item(entry.key, stamp, reason=f"cannot be read ({type(error).__name__})."))
        if fetcher.requests - requests >= AT_ONCE or fetcher.unpacked - unpacked >= MOST_BYTES:
            yield Step(tuple(items), dict(cursor))
            items, requests, unpacked = [], fetcher.requests, fetcher.unpacked
    return tuple(items)


def _turn(api: Api, cursor: dict[str, Any], page: Page, visited: set[str]) -> None:
    """Move the cursor to the next page, or to the end of its phase."""
    if page.next:
        if page.next in visited or len(visited) > MOST_PAGES or not same_origin(page.next, api.base):
            cursor |= {"phases": [], "next": ""}
            where = "back to a page before" if page.next in visited else f"to {page.next}, and is not followed"
            raise FeedError(f"{api.base}: a page leads {where}; what was read is kept.")
        cursor["next"] = page.next
        return
    phase, *rest = cursor["phases"]
    cursor |= {"phases": rest, "next": ""}
    if phase == "listing":
        cursor["listed"] = _iso(datetime.now(UTC))
    if page.since:
        cursor["since"] = page.since
    elif not page.brief and (cursor["news"] or not cursor.get("since")):
        cursor |= {"since": cursor["began"], "news": False}


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def entries_of(value: Any, name: str, url: str) -> Sequence[Record]:
    """Return the records of an answer: a list, or the list that an object has under a name (FeedError)."""
    found = value.get(name) if isinstance(value, Mapping) else value if not name else None
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        raise FeedError(f"{url} sends no list of {name or 'records'}.")
    return found


def read_all(fetcher: Fetcher, url: str, name: str, next_of: Any, most: int) -> list[Record]:
    """Return the records of all pages from an address on, at most so many (FeedError, UnreadableFileError)."""
    found: list[Record] = []
    visited = set()
    first = url
    while url and len(found) < most:
        if url in visited or not same_origin(url, first):
            raise UnreadableFileError(f"has {name or 'comments'} whose pages lead in a circle or elsewhere.")
        visited.add(url)
        value, reply = fetcher.json(url)
        found += entries_of(value, name, url)
        url = next_of(value, reply)
    return found[:most]


def link_next(_value: Any, reply: Reply) -> str:
    """Return the next page that a ``Link`` header names (RFC 8288)."""
    for part in reply.headers.get("link", "").split(","):
        target, *params = part.split(";")
        if any(param.strip().casefold() in ('rel="next"', "rel=next") for param in params):
            return target.strip().removeprefix("<").removesuffix(">")
    return ""
