"""Zendesk: articles of the help centre, and tickets by the incremental export, which also tells what was deleted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from autokb.core.nouns import Document
from autokb.core.source_settings import TICKETS, SourceSettings
from autokb.core.tickets import Ticket
from autokb.feeds.items import Feed, Progress
from autokb.net.fetch import Fetcher, Reply
from autokb.plugins.sync.feeds.walk import Api, Entry, Page, Phase, entries_of, read_all, walk
from autokb.sources.documents import read_fetched_record
from autokb.sources.reading import SourceRecord
from autokb.sources.tickets import clean_ticket
from autokb.sources.tickets.reading import MOST_COMMENTS
from autokb.stores.workspace import Workspace

PAGE_SIZE = 100  # the most that lists give


def read_zendesk(_workspace: Workspace, source: SourceSettings, fetcher: Fetcher, progress: Progress) -> Feed:
    """Yield the tickets, or the articles of the help centre."""
    api = ZendeskTickets(source) if source.content == TICKETS else ZendeskArticles(source)
    return walk(api, fetcher, progress)


class ZendeskArticles(Api):
    """The articles of a help centre, drafts left out."""

    def first(self, phase: Phase, since: str) -> str:
        """Return the address of the first page; the export of changes knows no locale, and has all of them."""
        centre = f"{self.base}/api/v2/help_center"
        if phase == "changes":
            moment = int(datetime.fromisoformat(since).astimezone(UTC).timestamp())
            return f"{centre}/incremental/articles.json?start_time={moment}"
        locale = f"/{self.source.locale}" if self.source.locale else ""
        return f"{centre}{locale}/articles.json?{urlencode({'page[size]': PAGE_SIZE})}"

    def page(self, phase: Phase, since: str, value: Any, reply: Reply) -> Page:
        """Read a page."""
        found = entries_of(value, "articles", reply.url)
        entries = tuple(
            Entry(str(one.get("id")), str(one.get("updated_at")), one, gone=_is_true(one.get("draft")))
            for one in found
            if not self.source.locale or str(one.get("locale", "")).casefold() == self.source.locale.casefold()
        )
        following = str(value.get("next_page") or "") if phase == "changes" else _next_link(value, reply)
        # The last page of changes names one that begins where it ends, for a later time.
        is_last = phase == "changes" and (not found or _is_true(value.get("end_of_stream")) or following == reply.url)
        return Page(entries, "" if is_last else following)

    def content(self, entry: Entry, fetcher: Fetcher) -> SourceRecord[Document]:
        """Read an article."""
        one = entry.record
        url = one.get("html_url") or one.get("url")
        record = {"title": one.get("title") or one.get("name"), "body": one.get("body") or "", "url": url}
        return read_fetched_record(record, f"{self.source.name}/{entry.key}")


class ZendeskTickets(Api):
    """The tickets of an account, with their comments."""

    can_list = False

    def first(self, phase: Phase, since: str) -> str:
        """Return the address of the first page: ``since`` is the cursor that the last run was given."""
        asked = {"cursor": since} if since else {"start_time": "0"}
        return f"{self.base}/api/v2/incremental/tickets/cursor.json?{urlencode(asked)}"

    def page(self, phase: Phase, since: str, value: Any, reply: Reply) -> Page:
        """Read a page."""
        tickets = entries_of(value, "tickets", reply.url)
        entries = (
            Entry(str(one.get("id")), str(one.get("updated_at")), one, gone=one.get("status") == "deleted")
            for one in tickets
        )
        cursor = str(value.get("after_cursor") or since)
        is_last = _is_true(value.get("end_of_stream")) or cursor == since
        return Page(tuple(entries), "" if is_last else self.first(phase, cursor), since=cursor)

    def content(self, entry: Entry, fetcher: Fetcher) -> Ticket:
        """Read a ticket with its comments."""
        record = dict(entry.record)
        if self.source.comments:
            url = f"{self.base}/api/v2/tickets/{entry.key}/comments.json?{urlencode({'page[size]': PAGE_SIZE})}"
            record["comments"] = read_all(fetcher, url, "comments", _next_link, MOST_COMMENTS)
        return clean_ticket(record)[0]


def _next_link(value: Any, reply: Reply) -> str:
    """Return the next page of a list with cursors."""
    meta, links = value.get("meta"), value.get("links")
    if not isinstance(links, Mapping) or (isinstance(meta, Mapping) and not _is_true(meta.get("has_more"))):
        return ""
    return str(links.get("next") or "")


def _is_true(value: Any) -> bool:
    return value is True
