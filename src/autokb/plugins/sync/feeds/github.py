"""GitHub: issues of a repository with their comments, by its REST interface; pull requests are left out.

Pages are in the order in which issues were opened, which nothing that happens meanwhile changes: an issue that is
updated while pages are read can come twice, and none is skipped.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from autokb.core.source_settings import SourceSettings
from autokb.core.tickets import Ticket
from autokb.feeds.items import Feed, Progress
from autokb.net.fetch import Fetcher, Reply
from autokb.plugins.sync.feeds.walk import Api, Entry, Page, Phase, entries_of, link_next, read_all, walk
from autokb.sources.tickets import clean_ticket
from autokb.sources.tickets.reading import MOST_COMMENTS
from autokb.stores.workspace import Workspace

PAGE_SIZE = 100  # the most that GitHub gives
HEADERS = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}


def read_github(_workspace: Workspace, source: SourceSettings, fetcher: Fetcher, progress: Progress) -> Feed:
    """Yield the issues of a repository."""
    return walk(GitHubIssues(source), fetcher, progress)


class GitHubIssues(Api):
    """The issues of one repository."""

    @property
    def _issues(self) -> str:
        return f"{self.base}/repos/{self.source.repo}/issues"

    def first(self, phase: Phase, since: str) -> str:
        """Return the address of the first page."""
        asked = {"state": "all", "sort": "created", "direction": "asc", "per_page": str(PAGE_SIZE)}
        return f"{self._issues}?{urlencode(asked | ({'since': since} if phase == 'changes' else {}))}"

    def page(self, phase: Phase, since: str, value: Any, reply: Reply) -> Page:
        """Read a page."""
        issues = [one for one in entries_of(value, "", reply.url) if "pull_request" not in one]
        entries = (Entry(str(one.get("number")), str(one.get("updated_at")), one) for one in issues)
        return Page(tuple(entries), link_next(value, reply))

    def content(self, entry: Entry, fetcher: Fetcher) -> Ticket:
        """Read an issue with its comments."""
        record = dict(entry.record)
        if self.source.comments and record.get("comments"):
            url = f"{self._issues}/{entry.key}/comments?per_page={PAGE_SIZE}"
            record["comments"] = read_all(fetcher, url, "", link_next, MOST_COMMENTS)
        return clean_ticket(record)[0]
