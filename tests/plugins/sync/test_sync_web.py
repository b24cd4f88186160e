"""Web pages in step: only what may have changed is fetched, and a page goes when two runs in a row lack it."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.app.synced import SyncedSource
from autokb.net.fetch import Fetcher
from autokb.plugins.sync.feed_items import SyncedItems
from autokb.plugins.sync.feeds.robots import Robots
from autokb.plugins.sync.feeds.sitemap import read_sitemap
from autokb.plugins.sync.sync import sync
from feed_server import LOOPBACK, Answer, Asked, FeedServer, page
from scanned_pages import scanned

ALLOWED = {"allow_networks": [LOOPBACK]}


def settle(folder: Path, **sources: dict[str, Any]) -> SupportKB:
    """Return a workspace with these sources."""
    if not folder.exists():
        SupportKB.create(folder, "headphones")
    (folder / "settings.yaml").write_text(json.dumps({"sources": sources}), encoding="utf-8")
    return SupportKB.open(folder)


def texts(kb: SupportKB) -> dict[str, str]:
    """Return the staged documents, by id."""
    with kb.workspace.file() as file:
        return {one.id: str(one.body["text"]) for one in file.staged("documents")}


class Site:
    """Pages with ETags and a sitemap with or without dates."""

    def __init__(self, *, dated: bool = True) -> None:
        self.pages: dict[str, str] = {f"/p{n}": f"Text number {n} about the charging case." for n in range(5)}
        self.dated = dated
        self.url = ""
        self.robots = Answer(status=404)
        self.special: dict[str, Answer] = {}

    def __call__(self, asked: Asked) -> Answer:
        if asked.path in self.special:
            return self.special[asked.path]
        if asked.path == "/robots.txt":
            return self.robots
        if asked.path == "/sitemap.xml":
            return Answer(self.sitemap())
        text = self.pages.get(asked.path)
        if text is None:
            return Answer(status=404)
        tag = f'"{hash(text)}"'
        if asked.headers.get("if-none-match") == tag:
            return Answer(status=304, headers={"ETag": tag})
        body = page(asked.path, text) if text else "<!doctype html><body><nav><a href='/'>Home</a></nav></body>"
        return Answer(body, headers={"Content-Type": "text/html", "ETag": tag})

    def sitemap(self) -> str:
        entries = []
        for path, text in self.pages.items():
            changed = f"<lastmod>{abs(hash(text))}</lastmod>" if self.dated else ""
            entries.append(f"<url><loc>{self.url}{path}</loc>{changed}</url>")
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(entries)}</urlset>'


def counts(one: SyncedSource) -> tuple[int, int, int, int]:
    return one.added, one.updated, one.unchanged, one.removed


@pytest.mark.parametrize("dated", [True, False])
def test_a_later_run_fetches_what_changed(dated: bool, tmp_path: Path) -> None:
    site = Site(dated=dated)
    with FeedServer(site) as server:
        site.url = server.url
        source = {"type": "web", "sitemap": f"{server.url}/sitemap.xml", "allow_networks": [LOOPBACK]}
        kb = settle(tmp_path / "kb", site=source)
        first = kb.sync().sources["site"]
        assert (first.error, first.skipped, counts(first)) == (None, (), (5, 0, 0, 0))
        assert first.requests == 7 and first.bytes == server.sent
        assert all("charging case" in text and "Home" not in text for text in texts(kb).values())
        site.pages["/p1"] = "Another text about the charging case."
        server.asked.clear()
        second = kb.sync().sources["site"]
        assert counts(second) == (0, 1, 4, 0)
        assert server.paths().count("/p1") == 1 and len(server.asked) == (3 if dated else 7)
        assert "Another text" in texts(kb)[f"{server.url}/p1"]


@pytest.fixture
def site() -> Iterator[tuple[Site, FeedServer]]:
    made = Site()
    with FeedServer(made) as server:
        made.url = server.url
        yield made, server


def of_site(folder: Path, server: FeedServer, **more: Any) -> SupportKB:
    source = {"type": "web", "sitemap": f"{server.url}/sitemap.xml", "allow_networks": [LOOPBACK], **more}
    return settle(folder, site=source)


def run(kb: SupportKB, pauses: list[float] | None = None, name: str = "site") -> SyncedSource:
    """Run one source without waiting; the pauses that it would have made are noted."""
    return sync(kb.workspace, [name], sleep=(pauses if pauses is not None else []).append).sources[name]


def test_a_page_goes_when_two_runs_lack_it(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    kb = of_site(tmp_path / "kb", server)
    run(kb)
    text = made.pages.pop("/p3")
    assert counts(run(kb)) == (0, 0, 5, 0) and len(texts(kb)) == 5
    made.pages["/p3"] = text
    assert counts(run(kb)) == (0, 0, 5, 0)
    del made.pages["/p3"]
    run(kb)
    assert counts(run(kb)) == (0, 0, 4, 1) and len(texts(kb)) == 4
    assert counts(run(kb)) == (0, 0, 4, 0)


def test_a_page_that_is_not_found_goes_as_well(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    kb = settle(tmp_path / "kb", site={"type": "web", "urls": [f"{server.url}/p{n}" for n in range(3)], **ALLOWED})
    assert counts(run(kb)) == (3, 0, 0, 0)
    made.special["/p1"] = Answer(status=410)
    assert counts(run(kb)) == (0, 0, 3, 0)
    assert counts(run(kb)) == (0, 0, 2, 1)


NO_SITEMAPS = (
    Answer("<html><body>Back soon</body></html>"),
    Answer("Back soon."),
    Answer(""),
    Answer("<urlset></urlset>"),
    Answer("<urlset><url><loc>http://[x</loc></url></urlset>"),
)


def test_a_site_all_of_whose_pages_are_gone_is_not_believed(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    kb = settle(tmp_path / "kb", site={"type": "web", "urls": [f"{server.url}/p{n}" for n in range(3)], **ALLOWED})
    run(kb)
    pages, made.pages = made.pages, {}
    for _ in range(3):
        done = run(kb)
        assert "lists nothing" in str(done.error) and counts(done) == (0, 0, 3, 0)
    made.pages = pages
    assert run(kb).error is None
    made.pages = {}
    kb.remove(["site"])
    assert run(kb).error is None and not texts(kb)


@pytest.mark.parametrize("text", ["{url}/p1\nhttp://[x\n", "<urlset><url><loc>{url}/p1</loc></url>{bad}</urlset>"])
def test_an_address_that_is_none_is_passed_over(text: str, site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    bad = "<url><loc>http://[x</loc></url>"
    made.special["/sitemap.xml"] = Answer("\ufeff" + text.format(url=server.url, bad=bad))
    done = run(of_site(tmp_path / "kb", server))
    assert (done.error, counts(done)) == (None, (1, 0, 0, 0))


@pytest.mark.parametrize("charset", ["undefined", "idna", "no-such", "hex"])
def test_an_encoding_that_decodes_nothing_is_passed_over(
    charset: str, site: tuple[Site, FeedServer], tmp_path: Path
) -> None:
    made, server = site
    made.special["/p1"] = Answer(page("/p1", "Of the case."), headers={"Content-Type": f"text/html; charset={charset}"})
    assert run(of_site(tmp_path / "kb", server)).error is None


def test_a_tag_that_cannot_be_sent_is_not(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    made.dated = False
    made.special["/p1"] = Answer(page("/p1", "The case."), headers={"Content-Type": "text/html", "ETag": '"\u00e9"'})
    kb = of_site(tmp_path / "kb", server)
    run(kb)
    assert (run(kb).error, len(texts(kb))) == (None, 5)


def test_pages_that_are_at_fault_themselves_end_no_run(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    made.pages = {f"/p{n:02}": f"Text {n} about the case." for n in range(10)}
    away = ("http://10.0.0.7/", "http://[x", "ftp://a.example/", "/p02", "http://169.254.169.254/", "http://[::1]/")
    made.special = {f"/p0{n}": Answer(status=302, headers={"Location": to}) for n, to in enumerate(away)}
    done = run(of_site(tmp_path / "kb", server))
    assert (done.error, done.added, len(done.skipped)) == (None, 4, 6)


def test_pages_that_fail_for_ever_do_not_stop_those_behind_them(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    made.dated = False
    made.pages = {f"/p{n:02}": f"Text {n} about the case." for n in range(10)}
    made.special = {f"/p0{n}": Answer(status=500) for n in range(1, 7)}
    kb = of_site(tmp_path / "kb", server)
    assert "one after the other" in str(run(kb).error)
    for added in (3, 0):
        done = run(kb)
        assert (done.error, done.added, len(done.skipped)) == (None, added, 6)


def test_where_pages_are_as_they_were_it_is_not_said_that_none_can_be_read(
    site: tuple[Site, FeedServer], tmp_path: Path
) -> None:
    made, server = site
    kb = of_site(tmp_path / "kb", server)
    run(kb)
    made.pages["/p1"] = "Another text."
    made.special["/p1"] = Answer(status=500)
    done = run(kb)
    assert (done.error, counts(done), len(done.skipped)) == (None, (0, 0, 5, 0), 1)


def test_a_site_that_fails_loses_nothing(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    kb = of_site(tmp_path / "kb", server)
    run(kb)
    for answer in (Answer(status=500), Answer(status=404), Answer("<urlset><url>"), Answer("", says=500), *NO_SITEMAPS):
        made.special["/sitemap.xml"] = answer
        for _ in range(3):
            failed = run(kb)
            assert failed.error is not None and counts(failed) == (0, 0, 5, 0)
    del made.special["/sitemap.xml"]
    assert counts(run(kb)) == (0, 0, 5, 0)
    assert len(texts(kb)) == 5


def test_pages_that_fail_stay_as_they_were(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    kb = of_site(tmp_path / "kb", server)
    run(kb)
    before = texts(kb)
    made.pages |= {path: text.replace("number", "no.") for path, text in made.pages.items()}
    made.special = {
        "/p0": Answer(status=500),
        "/p1": Answer(page("/p1", "cut"), headers={"Content-Type": "text/html"}, says=9_000),
        "/p2": Answer(b"\x00\x01", headers={"Content-Type": "application/zip"}),
        "/p3": Answer(status=403),
    }
    pauses: list[float] = []
    done = run(kb, pauses)
    assert done.error is None and counts(done) == (0, 1, 4, 0)
    assert sorted(one.path.rpartition("/")[2] for one in done.skipped) == ["p0", "p1", "p2", "p3"]
    assert {url for url, text in texts(kb).items() if text != before[url]} == {f"{server.url}/p4"}
    assert len(pauses) == 6  # three before each further try of what may pass
    made.special = {}
    assert counts(run(kb)) == (0, 4, 1, 0)


def test_where_pages_fail_one_after_the_other_the_run_ends_and_the_next_goes_on(tmp_path: Path) -> None:
    made = Site(dated=False)
    made.pages = {f"/p{n:02}": f"Text {n} about the case." for n in range(30)}
    with FeedServer(made) as server:
        made.url = server.url
        kb = of_site(tmp_path / "kb", server)
        made.special = {f"/p{n}": Answer(status=500) for n in range(22, 28)}
        failed = run(kb)
        assert failed.error is not None and "one after the other" in failed.error and failed.added == 22
        made.special = {}
        server.asked.clear()
        assert counts(run(kb)) == (8, 0, 22, 0)
        assert sum(path.startswith("/p") for path in server.paths()) == 8


def test_a_source_none_of_whose_pages_can_be_read_says_so(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    made.special = {"/p1": Answer(status=500)}
    kb = settle(tmp_path / "kb", site={"type": "web", "urls": [f"{server.url}/p1"], **ALLOWED})
    assert "None of its pages" in str(run(kb).error)
    made.special = {}
    assert counts(run(kb)) == (1, 0, 0, 0)


def test_a_server_that_throttles_is_waited_for(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    kb = of_site(tmp_path / "kb", server)
    throttled = iter([Answer(status=429, headers={"Retry-After": "7"})] * 2)
    inner = made.__call__

    def script(asked: Asked) -> Answer:
        return (next(throttled, None) if asked.path == "/p2" else None) or inner(asked)

    with FeedServer(script) as slow:
        made.url = slow.url
        pauses: list[float] = []
        assert counts(run(of_site(tmp_path / "kb", slow), pauses)) == (5, 0, 0, 0)
        assert pauses == [7.0, 7.0]
    made.url = server.url
    made.special["/robots.txt"] = Answer(status=503, headers={"Retry-After": "86400"})
    asked_too_much = run(kb, pauses)
    assert "86400 seconds" in str(asked_too_much.error) and len(pauses) == 2


def test_robots_are_respected(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    rules = "User-agent: *\nDisallow: /\n\nUser-agent: autokb\nDisallow: /p*1$\nCrawl-delay: 2\n"
    made.robots = Answer(rules)
    pauses: list[float] = []
    kb = of_site(tmp_path / "kb", server)
    done = run(kb, pauses)
    assert counts(done) == (4, 0, 0, 0) and [one.path for one in done.skipped] == [f"{server.url}/p1"]
    assert "/p1" not in server.paths() and pauses == [2.0] * 4
    made.robots = Answer(status=500)
    assert "robots.txt" in str(run(kb).error) and len(texts(kb)) == 4


@pytest.mark.parametrize("target", ["http://169.254.169.254/latest", "http://[::1]/", "http://10.0.0.7:9/x"])
def test_a_redirect_into_a_private_network_is_refused(
    target: str, site: tuple[Site, FeedServer], tmp_path: Path
) -> None:
    made, server = site
    made.special["/p2"] = Answer(status=302, headers={"Location": target})
    done = run(of_site(tmp_path / "kb", server))
    assert done.added == 4 and len(done.skipped) == 1 and "no public address" in done.skipped[0].reason


def test_loopback_is_reached_only_where_a_setting_says_so(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    _, server = site
    for host in (server.url, server.url.replace("127.0.0.1", "localhost")):
        kb = settle(tmp_path / "kb", site={"type": "web", "urls": [f"{host}/p1"]})
        assert "no public address" in str(run(kb).error) and not server.asked


def test_redirects_are_followed_but_not_in_a_circle(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    made.special["/p1"] = Answer(status=301, headers={"Location": "/moved"})
    made.pages["/moved"] = "Where the case is now."
    made.special["/p2"] = Answer(status=302, headers={"Location": "/p2"})
    done = run(of_site(tmp_path / "kb", server))
    assert "on and on" in done.skipped[0].reason
    assert done.added == 4 and not done.kept  # the new address is on the sitemap, too: one document


def test_an_index_of_sitemaps_and_a_packed_one(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    loop = f"<sitemap><loc>{server.url}/sitemap.xml</loc></sitemap>"
    made.special["/sitemap.xml"] = Answer(
        f"<sitemapindex><sitemap><loc>{server.url}/a.xml.gz</loc></sitemap>{loop}</sitemapindex>"
    )
    foreign = "<url><loc>https://example.com/other</loc></url></urlset>"
    made.special["/a.xml.gz"] = Answer(gzip.compress(made.sitemap().replace("</urlset>", foreign).encode()))
    done = run(of_site(tmp_path / "kb", server))
    assert done.added == 5 and [one.path for one in done.skipped] == ["https://example.com/other"]
    assert "(1 such addresses)" in done.skipped[0].reason
    made.special["/a.xml.gz"] = Answer(gzip.compress(bytes(60_000_000)))
    assert "bytes" in str(run(of_site(tmp_path / "kb", server)).error)


def test_what_was_removed_by_hand_comes_again(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    _, server = site
    kb = of_site(tmp_path / "kb", server)
    run(kb)
    assert [(one.kind, one.path, one.documents) for one in kb.sources().sources] == [("sync", "site", 5)]
    kb.remove([f"{server.url}/p2"])
    assert counts(run(kb)) == (1, 0, 4, 0)
    assert kb.remove(["site"]).documents == 5 and not texts(kb)


def test_another_list_of_a_source_takes_the_place_of_the_first(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    _, server = site
    run(of_site(tmp_path / "kb", server))
    kb = settle(tmp_path / "kb", site={"type": "web", "urls": [f"{server.url}/p4"], **ALLOWED})
    for _ in range(3):
        done = run(kb)
        assert counts(done) == (0, 0, 5, 0)
    assert "4 of 5" in str(done.error) and "--accept" in str(done.error)
    assert counts(sync(kb.workspace, accept=True).sources["site"]) == (0, 0, 1, 4)
    assert run(kb).error is None


def test_what_several_runs_lose_counts_together(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    made.pages = {f"/p{n:02}": f"Text {n} about the case." for n in range(40)}
    kb = of_site(tmp_path / "kb", server)
    run(kb)
    for left, kept in ((21, 21), (11, 21), (1, 21)):
        made.pages = dict(list(made.pages.items())[:left])
        run(kb)
        done = run(kb)
        assert len(texts(kb)) == kept and ("would be left" in str(done.error)) == (left < 21)
    assert sync(kb.workspace, accept=True).sources["site"].removed == 20 and len(texts(kb)) == 1


def test_new_pages_do_not_make_up_for_those_that_are_lost(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    made.pages = {f"/p{n:02}": f"Text {n} about the case." for n in range(8)}
    kb = of_site(tmp_path / "kb", server)
    run(kb)
    made.pages = {f"/error{n:02}": f"Error {n}: please log in." for n in range(9)}
    run(kb)
    for _ in range(2):  # by now the others are known, too
        assert "would be left" in str(run(kb).error) and len(texts(kb)) == 17
    made.pages |= {f"/p{n:02}": f"Text {n} about the case." for n in range(5)}
    assert counts(run(kb)) == (0, 0, 14, 3)


@pytest.mark.parametrize(
    "to",
    [
        "http://127.0.0.1:70000/",
        "https:///x",
        "http://:80/",
        "http://a..b/",
        "//\udcff/",
        "http://xn--/",
        "http://é" + "a" * 70,
    ],
)
def test_wherever_one_page_leads_the_others_are_read(to: str, site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    made.special["/p0"] = Answer(status=302, headers={"Location": to.encode("latin-1", "replace").decode("latin-1")})
    done = run(of_site(tmp_path / "kb", server))
    assert (done.error, done.added) == (None, 4)
    assert [one.path for one in done.skipped] == [f"{server.url}/p0"]


def test_a_site_that_hangs_holds_up_no_other_and_an_earlier_one_is_asked_no_more_than_once(tmp_path: Path) -> None:
    goes_on = threading.Event()

    def hang(asked: Asked) -> Answer:
        goes_on.wait(60)
        return Answer("The case.", headers={"Content-Type": "text/plain"})

    told: list[str] = []

    def tell(done: Any) -> None:
        told.extend(done.sources if not isinstance(done, str) else [done])
        if "hangs" in told:
            raise KeyboardInterrupt
        goes_on.set()

    made = Site()
    with FeedServer(hang) as slow, FeedServer(made) as server:
        made.url = server.url
        sources = {"hangs": f"{slow.url}/a", "quick": f"{server.url}/p1"}
        kb = settle(tmp_path / "kb", **{n: {"type": "web", "urls": [url], **ALLOWED} for n, url in sources.items()})
        with pytest.raises(KeyboardInterrupt):
            kb.watch(tell=tell)
    assert told == ["quick", "hangs"]


def test_whatever_one_source_raises_is_its_error(
    site: tuple[Site, FeedServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, server = site
    both = {name: {"type": "web", "urls": [f"{server.url}/p{n}"], **ALLOWED} for n, name in enumerate(("bad", "good"))}
    kb = settle(tmp_path / "kb", **both)
    inside = SyncedItems.keep
    for error in (MemoryError(), RecursionError(), UnicodeEncodeError("utf-8", "\udcff", 0, 1, "no")):

        def keep(self: SyncedItems, step: Any, error: Exception = error) -> None:
            if any(item.key.endswith("/p0") for item in step.items):
                raise error
            inside(self, step)

        monkeypatch.setattr(SyncedItems, "keep", keep)
        done = kb.sync().sources
        assert re.fullmatch(rf"It failed: {type(error).__name__} \(\w+\.py, line \d+\)\.", done["bad"].error or "")
        assert done["good"].error is None


@pytest.mark.parametrize(
    "foreign", ["<sitemap><loc>http://a.example/{n}</loc></sitemap>", "<a/>", "http://a.example/{n}"]
)
def test_what_a_sitemap_says_of_others_takes_no_memory(
    foreign: str, site: tuple[Site, FeedServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, server = site
    monkeypatch.setattr("autokb.plugins.sync.feeds.sitemap.MOST_ELEMENTS", 50_000)
    own = f"{server.url}/p1"
    lines = "\n".join(foreign.format(n=n) for n in range(15_000))
    is_xml = foreign.startswith("<")
    body = f"<urlset>{lines}<url><loc>{own}</loc></url></urlset>" if is_xml else f"{lines}\n{own}"
    made.special["/sitemap.xml"] = Answer(body)
    kb = of_site(tmp_path / "kb", server)
    fetcher = Fetcher((LOOPBACK,))
    tracemalloc.start()
    found, skipped = read_sitemap(f"{server.url}/sitemap.xml", fetcher, Robots(fetcher))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    fetcher.close()
    assert list(found) == [own] and len(skipped) == (foreign != "<a/>")
    assert peak < 6 * len(body) + 1_000_000
    monkeypatch.setattr("autokb.plugins.sync.feeds.sitemap.MOST_ELEMENTS", 1_000)
    assert not is_xml or "more than 1,000 elements" in str(run(kb).error)


def test_a_page_that_cannot_be_taken_is_named_in_each_run_and_fetched_once(
    site: tuple[Site, FeedServer], tmp_path: Path
) -> None:
    made, server = site
    made.dated = False
    made.pages["/p1"] = ""  # a page of menus alone
    kb = of_site(tmp_path / "kb", server)
    first = run(kb)
    again = run(kb)
    assert first.skipped == again.skipped and [one.path for one in first.skipped] == [f"{server.url}/p1"]
    assert counts(again) == (0, 0, 4, 0) and again.bytes == len(made.sitemap())
    made.pages["/p1"] = "At last a text."
    assert counts(run(kb)) == (1, 0, 4, 0) and not run(kb).skipped


def losses(kb: SupportKB) -> list[tuple[str, str]]:
    return [(one.path, one.reason) for one in kb.sources(losses=True).losses or ()]


def test_what_pages_lose_is_said_when_they_are_read_and_listed_until_they_have_it(
    site: tuple[Site, FeedServer], tmp_path: Path
) -> None:
    made, server = site
    pdf, guide, scan = (f"{server.url}/{name}" for name in ("manual.pdf", "guide.pdf", "scan.pdf"))
    made.special = {
        "/manual.pdf": Answer(scanned("Turn it on.", "", "Go home.", ""), headers={"ETag": "1"}),
        "/guide.pdf": Answer(scanned("", "Hold it on the shelf."), headers={"ETag": "2"}),
        "/scan.pdf": Answer(scanned("", ""), headers={"ETag": "3"}),
    }
    source = {"type": "web", "urls": [pdf, guide, scan], **ALLOWED}
    kb = settle(tmp_path / "kb", site=source)
    pages = (f"{pdf}, in part", "is read without: pages 2, 4, only pictures (see ocr: in settings.yaml).")
    first_page = (f"{guide}, in part", "is read without: page 1, only pictures (see ocr: in settings.yaml).")
    first = kb.sync().sources["site"]
    assert [(one.path, one.reason) for one in first.skipped if one.path != scan] == [
        pages,
        first_page,
    ] and first.added == 2
    assert losses(kb)[:2] == [first_page, pages] and losses(kb)[2][0] == scan and "only pictures" in losses(kb)[2][1]

    made.special |= {f"/{name}": Answer(status=304) for name in ("manual.pdf", "guide.pdf", "scan.pdf")}
    assert [one.path for one in kb.sync().sources["site"].skipped] == [scan] and losses(kb)[:2] == [first_page, pages]

    made.special["/guide.pdf"] = Answer(scanned("Hold it on the shelf."), headers={"ETag": "4"})
    kb.sync()
    assert losses(kb)[0] == pages and len(losses(kb)) == 2


def test_a_program_reads_pictures_of_pages_as_in_an_added_file_and_those_that_are_known_anew(
    site: tuple[Site, FeedServer], tmp_path: Path
) -> None:
    made, server = site
    made.special["/manual.pdf"] = Answer(scanned("Turn it on.", ""), headers={"ETag": "1"})
    source = {"type": "web", "urls": [f"{server.url}/manual.pdf"], **ALLOWED}
    kb = settle(tmp_path / "kb", site=source)
    kb.sync()
    assert losses(kb)
    program = f"{shlex.quote(sys.executable)} -c 'print(\"Turn it off.\")' {{file}}"
    (tmp_path / "kb" / "settings.yaml").write_text(json.dumps({"sources": {"site": source}, "ocr": program}), "utf-8")
    kb = SupportKB.open(tmp_path / "kb")
    assert counts(kb.sync().sources["site"]) == (0, 1, 0, 0)
    assert [*texts(kb).values()] == ["Turn it on.\n\nTurn it off.\n"] and losses(kb) == []
    server.asked.clear()
    assert counts(kb.sync().sources["site"]) == (0, 0, 1, 0)
    assert [asked.headers.get("if-none-match") for asked in server.asked if asked.path == "/manual.pdf"] == ["1"]


def test_what_a_removed_page_lost_is_listed_no_more(site: tuple[Site, FeedServer], tmp_path: Path) -> None:
    made, server = site
    made.special["/a.pdf"] = Answer(scanned("Turn it on.", ""), headers={"ETag": "1"})
    kb = settle(tmp_path / "kb", site={"type": "web", "urls": [f"{server.url}/a.pdf", f"{server.url}/p1"], **ALLOWED})
    kb.sync()
    assert len(losses(kb)) == 1
    kb.remove([f"{server.url}/a.pdf"])
    assert losses(kb) == []


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    made = Site(dated=False)
    made.pages = {f"/p{n:02}": f"Text {n} about the case." for n in range(60)}
    killed: list[subprocess.Popen[bytes]] = []

    def script(asked: Asked) -> Answer:
        if asked.path == "/p45" and killed:
            os.kill(killed.pop().pid, signal.SIGKILL)
        return made(asked)

    with FeedServer(script) as server:
        made.url = server.url
        kb = of_site(tmp_path / "kb", server)
        killed.append(subprocess.Popen([sys.executable, "-m", "autokb.cli", "sync", str(tmp_path / "kb")]))
        killed[0].wait()
        assert len(texts(kb)) == 40
        server.asked.clear()
        assert counts(run(kb)) == (20, 0, 40, 0)
        assert [path for path in server.paths() if path.startswith("/p")] == [f"/p{n}" for n in range(40, 60)]
