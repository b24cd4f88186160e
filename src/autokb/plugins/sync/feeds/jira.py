"""Jira: issues that a query of JQL finds, with their comments; version 3 of the interface (Cloud) or 2 (Data Center).

Pages are ordered by key, which updates leave as it is. ``updated`` is asked for in minutes before now: a date would be
one of the time zone of whoever asks, which the interface does not tell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from autokb.core.source_settings import SourceSettings
from autokb.core.tickets import Ticket
from autokb.feeds.items import Feed, Progress
from autokb.net.fetch import FeedError, Fetcher, Reply
from autokb.plugins.sync.feeds.walk import Api, Entry, Page, Phase, entries_of, read_all, walk
from autokb.sources.tickets import clean_ticket
from autokb.sources.tickets.reading import MOST_COMMENTS
from autokb.stores.workspace import Workspace

PAGE_SIZE = 100  # what both versions give with all fields
CLOCKS_APART = 10  # minutes that our clock may be behind that of the server


def read_jira(_workspace: Workspace, source: SourceSettings, fetcher: Fetcher, progress: Progress) -> Feed:
    """Yield the issues that a query finds."""
    return walk(JiraIssues(source), fetcher, progress)


class JiraIssues(Api):
    """The issues that a query finds."""

    lists_content = False

    def first(self, phase: Phase, since: str) -> str:
        """Return the address of the first page; after the first time, keys are enough to know what is there."""
        query = f"({self.source.jql})"
        if phase == "changes":
            age = datetime.now(UTC) - datetime.fromisoformat(since)
            query += f" AND updated >= -{max(0, math.ceil(age.total_seconds() / 60)) + CLOCKS_APART}m"
        asked = {
            "jql": f"{query} ORDER BY key ASC",
            "fields": "updated" if phase == "listing" and since else "*all",
            "maxResults": str(PAGE_SIZE),
        }
        return f"{self._search}?{urlencode(asked)}"

    @property
    def _search(self) -> str:
        return f"{self.base}/rest/api/{self.source.api}/search{'/jql' if self.source.api == 3 else ''}"

    def page(self, phase: Phase, since: str, value: Any, reply: Reply) -> Page:
        """Read a page; version 3 names a token for the next one, version 2 how many there are."""
        issues = entries_of(value, "issues", reply.url)
        entries = tuple(Entry(str(one.get("key")), _updated(one), one) for one in issues)
        following: dict[str, str] = {}
        if self.source.api == 3 and value.get("nextPageToken") and not value.get("isLast"):
            following = {"nextPageToken": str(value["nextPageToken"])}
        elif self.source.api == 2 and issues:
            start = _number(value.get("startAt")) + len(issues)
            following = {"startAt": str(start)} if start < _number(value.get("total")) else {}
        asked = {name: words[0] for name, words in parse_qs(urlsplit(reply.url).query).items()}
        following_page = f"{self._search}?{urlencode(asked | following)}" if following else ""
        return Page(entries, following_page, brief=phase == "listing" and bool(since))

    def content(self, entry: Entry, fetcher: Fetcher) -> Ticket:
        """Read an issue; a search gives only some comments of one that has many, and a brief one no text."""
        record = dict(entry.record)
        if _fields(record).keys() <= {"updated"}:
            record = self._whole(entry.key, fetcher)
        fields = dict(_fields(record))
        comment = fields.get("comment")
        if self.source.comments and isinstance(comment, Mapping):
            given = comment.get("comments")
            if _number(comment.get("total")) > len(given if isinstance(given, list) else []):
                url = f"{self.base}/rest/api/{self.source.api}/issue/{quote(entry.key)}/comment"
                fields["comment"] = {"comments": read_all(fetcher, url, "comments", _next_comments, MOST_COMMENTS)}
        elif not self.source.comments:
            fields.pop("comment", None)
        return clean_ticket({**record, "fields": fields})[0]

    def _whole(self, key: str, fetcher: Fetcher) -> dict[str, Any]:
        url = f"{self.base}/rest/api/{self.source.api}/issue/{quote(key)}"
        found, _ = fetcher.json(url)
        if not isinstance(found, Mapping):
            raise FeedError(f"{url} sends no issue.")
        return dict(found)


def _next_comments(value: Any, reply: Reply) -> str:
    start = _number(value.get("startAt")) + len(value.get("comments") or ())
    address = reply.url.partition("?")[0]
    return f"{address}?startAt={start}" if start < _number(value.get("total")) else ""


def _fields(issue: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = issue.get("fields")
    return fields if isinstance(fields, Mapping) else {}


def _updated(issue: Any) -> str:
    return str(_fields(issue).get("updated", ""))


def _number(value: Any) -> int:
    return value if type(value) is int and value >= 0 else 0
