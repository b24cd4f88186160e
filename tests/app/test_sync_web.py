"""Web pages in step: only what may have changed is fetched, and a page goes when two runs in a row lack it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.core.results import SyncedSource
from feed_server import LOOPBACK, Answer, Asked, FeedServer, page


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
        return Answer(page(asked.path, text), headers={"Content-Type": "text/html", "ETag": tag})

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
