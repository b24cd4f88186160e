"""Sources in step: what 10,000 documents cost the first time and when 100 have changed, and what a kill costs.

A server on this machine gives them as articles of a help centre, and some as pages with a dated sitemap and without
dates, and asks every five hundredth request (of lists every twentieth) to wait a second. The first run of the dated
pages is killed at 20 points; a page that was stored and is sent again counts. Times are those of this machine and
server, and no promise.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from autokb.app import SupportKB
from autokb.app.synced import SyncedSource
from autokb.feeds.items import AT_ONCE
from benchmarks.figures import Figure, Result
from benchmarks.running import folder

DOCUMENTS, PAGES, KILLS = 10_000, 10_000, 20
CHANGED = 100  # documents, of which one changes between two runs
THROTTLED, THROTTLED_LISTS = 500, 20  # requests for pages and for lists of articles, of which one is asked to wait
PAGE_SIZE = 100  # articles of a page
START = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = "case charge bud pair phone light button hold sound cable press reset second noise left right".split()


@dataclass
class Site:
    """The documents with their versions, what was asked for, and which process is killed at which request."""

    count: int
    versions: dict[int, int] = field(default_factory=dict)
    dated: bool = True
    throttled: int = THROTTLED
    asked: int = 0
    sent: int = 0
    given: Counter[int] = field(default_factory=Counter)  # how often each page was sent
    kills: list[int] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None
    url: str = ""

    def text(self, number: int) -> str:
        """Return what a document says now."""
        dice = random.Random(number * 1_000 + self.versions.get(number, 0))
        return " ".join(dice.choice(WORDS) for _ in range(120)).capitalize() + "."

    def changed(self, number: int) -> str:
        """Return when a document was last changed."""
        moment = datetime.now(UTC) if self.versions.get(number) else START + timedelta(minutes=number)
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

    def answer(self, target: str, tag: str) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body."""
        parts = urlsplit(target)
        if parts.path == "/robots.txt":
            return 404, {}, b""
        if parts.path == "/sitemap.xml":
            return 200, {"Content-Type": "application/xml"}, self._sitemap()
        if parts.path.startswith("/api/"):
            return self._articles({name: words[0] for name, words in parse_qs(parts.query).items()}, parts.path)
        number = int(parts.path.removeprefix("/page-"))
        now = f'"{number}-{self.versions.get(number, 0)}"'
        if tag == now:
            return 304, {"ETag": now}, b""
        self.given[number] += 1
        head = f"<!doctype html><html><head><title>Page {number}</title></head><body><nav><a href='/'>Home</a></nav>"
        html = f"{head}<main><h1>Page {number}</h1><p>{self.text(number)}</p></main></body></html>"
        return 200, {"Content-Type": "text/html", "ETag": now}, html.encode()

    def _sitemap(self) -> bytes:
        entries = []
        for number in range(self.count):
            date = f"<lastmod>{START.date()}-{self.versions.get(number, 0)}</lastmod>" if self.dated else ""
            entries.append(f"<url><loc>{self.url}/page-{number}</loc>{date}</url>")
        return f"<urlset>{''.join(entries)}</urlset>".encode()

    def _articles(self, query: dict[str, str], path: str) -> tuple[int, dict[str, str], bytes]:
        numbers = list(range(self.count))
        if "start_time" in query:
            since = int(query["start_time"])
            numbers = [n for n in numbers if datetime.fromisoformat(self.changed(n)).timestamp() >= since]
        start = int(query.get("page[after]", "0"))
        shown = [
            {
                "id": n,
                "title": f"Article {n}",
                "body": f"<p>{self.text(n)}</p>",
                "html_url": f"https://help.example.com/{n}",
                "updated_at": self.changed(n),
            }
            for n in numbers[start : start + PAGE_SIZE]
        ]
        following = f"{self.url}{path}?page[after]={start + PAGE_SIZE}"
        links = {"meta": {"has_more": start + PAGE_SIZE < len(numbers)}, "links": {"next": following}}
        more = {"end_of_stream": True, "next_page": None} if "start_time" in query else links
        return 200, {"Content-Type": "application/json"}, json.dumps({"articles": shown, **more}).encode()


@contextmanager
def served(site: Site) -> Iterator[None]:
    """Serve a site; some requests are told to wait, and some end the process that is reading."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            site.asked += 1
            if site.kills and site.asked >= site.kills[0] and site.process is not None:
                site.kills.pop(0)
                os.kill(site.process.pid, signal.SIGKILL)
            if site.asked % site.throttled == 0:
                status, headers, body = 429, {"Retry-After": "1"}, b""
            else:
                status, headers, body = site.answer(self.path, self.headers.get("If-None-Match", ""))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            site.sent += len(body)

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:  # whoever asked was killed
                return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def run(options: argparse.Namespace) -> Result:
    """Read pages and articles, change some, read again."""
    count, pages, kills = (1_000, 200, 3) if options.quick else (DOCUMENTS, PAGES, KILLS)
    figures: list[Figure] = []
    with folder() as place:
        site = Site(count, throttled=THROTTLED_LISTS)
        with served(site):
            source = {"type": "zendesk", "url": site.url}
            figures += _twice(_workspace(place / "articles", source), site, "articles")
        site = Site(pages)
        with served(site):
            figures += _pages(place / "dated", site, kills)
        site = Site(pages // 2, dated=False)
        with served(site):
            source = {"type": "web", "sitemap": f"{site.url}/sitemap.xml"}
            figures += _twice(_workspace(place / "undated", source), site, "undated_pages")
    return Result("sync", figures)


def _workspace(place: Path, source: dict[str, Any]) -> Path:
    if not place.exists():
        SupportKB.create(place, "headphones")
    sources = {"it": {**source, "allow_networks": ["127.0.0.0/8"]}}
    (place / "settings.yaml").write_text(json.dumps({"sources": sources}), encoding="utf-8")
    return place


def _pages(place: Path, site: Site, kills: int) -> Iterator[Figure]:
    """Kill the first run, go on, change some pages and read them."""
    workspace = _workspace(place, {"type": "web", "sitemap": f"{site.url}/sitemap.xml"})
    dice = random.Random(1)
    site.kills = sorted(dice.sample(range(10, site.count), kills))
    killed = again = 0
    started = time.perf_counter()
    while site.kills:
        stored = _stored(workspace)
        before = Counter(site.given)
        site.process = subprocess.Popen([sys.executable, "-m", "autokb.cli", "sync", str(workspace)])
        killed += site.process.wait() == -signal.SIGKILL
        again += sum((site.given - before)[number] for number in stored)
    site.process = None
    stored, before = _stored(workspace), Counter(site.given)
    _sync(workspace)
    again += sum((site.given - before)[number] for number in stored)
    yield Figure("pages.kills", killed, "", at_least=kills)
    yield Figure("pages.stored_and_sent_again", again, "", at_most=0)
    yield Figure("pages.sent_in_vain_a_kill", (site.given.total() - site.count) / kills, "", at_most=AT_ONCE)
    yield Figure("pages.stored", len(_stored(workspace)), "", at_least=site.count)
    yield Figure("pages.first.seconds", time.perf_counter() - started, "s")
    yield Figure("pages.first.requests", site.asked)
    yield Figure("pages.first.bytes", site.sent, "bytes")
    yield from _again(workspace, site, "pages")


def _twice(workspace: Path, site: Site, name: str) -> Iterator[Figure]:
    started = time.perf_counter()
    first = _sync(workspace)
    yield Figure(f"{name}.first.seconds", time.perf_counter() - started, "s")
    yield Figure(f"{name}.first.stored", first.added, "", at_least=site.count)
    yield Figure(f"{name}.first.requests", first.requests)
    yield Figure(f"{name}.first.bytes", first.bytes, "bytes")
    yield from _again(workspace, site, name)


def _again(workspace: Path, site: Site, name: str) -> Iterator[Figure]:
    """Change some documents and say what the next run took."""
    changed = site.count // CHANGED
    for number in random.Random(name).sample(range(site.count), changed):
        site.versions[number] = site.versions.get(number, 0) + 1
    started = time.perf_counter()
    done = _sync(workspace)
    yield Figure(f"{name}.changed.seconds", time.perf_counter() - started, "s")
    yield Figure(f"{name}.changed.updated", done.updated, "", at_least=changed)
    yield Figure(f"{name}.changed.requests", done.requests)
    yield Figure(f"{name}.changed.bytes", done.bytes, "bytes")


def _sync(workspace: Path) -> SyncedSource:
    kb = SupportKB.open(workspace)
    try:
        done = kb.sync().sources["it"]
    finally:
        kb.close()
    if done.error:
        raise SystemExit(done.error)
    return done


def _stored(workspace: Path) -> set[int]:
    """Return the numbers of the pages that are staged."""
    with SupportKB.open(workspace).workspace.file() as file:
        return {int(one.id.rpartition("-")[2]) for one in file.staged_places()}
