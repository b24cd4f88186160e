"""The documentation as a site: it builds, has a place for every page, and loads nothing from anywhere else."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import pytest

from autokb.cli.commands import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
WITH_MKDOCS = pytest.mark.skipif(
    importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("mkdocstrings") is None,
    reason="the site's tools are not installed: pip install -c constraints.txt 'autokb[docs]'",
)
# What a page loads by itself; a link that a reader may follow is none of it.
LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*?\b(?:src|data)=[\"']?((?:https?:)?//[^\"'\s>]+)"
    r"|<link\b(?![^>]*rel=[\"']?(?:canonical|prev|next)\b)[^>]*?\bhref=[\"']?((?:https?:)?//[^\"'\s>]+)"
)
# What a user looks for, and the page that has to come first; packages and decisions have the same words in titles.
WANTED = {
    "iframe": "deployment.html",
    "ask box": "deployment.html",
    "shell completion": "start.html",
    "several machines": "deployment.html",
    "notebook": "notebooks.html",
    "chunkers": "evaluating.html",
}
OPENED = ("index.html", "reference/commands.html", "reference/python.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as ``make docs`` does, into a folder of its own."""
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stderr
    return folder


def build(settings: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Build as ``make docs`` does; a quiet build would count no warning, and so be strict about nothing."""
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(settings)]
    return subprocess.run([*words, "--site-dir", str(folder)], cwd=ROOT, capture_output=True, text=True)


def reference(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module that makes pages from the code, which is beside the documents."""
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("site_reference")


def test_every_page_has_a_place_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    for page in DOCS.glob("*.md"):
        assert re.search(rf" {re.escape(page.name)}\n", navigation), (
            f"docs/{page.name} is nowhere in nav of mkdocs.yml: add it there."
        )
    for folder in {page.parent.name for page in DOCS.glob("*/*.md")}:
        assert f"{folder}/*.md\n" in navigation, f"docs/{folder}/*.md is nowhere in nav of mkdocs.yml: add it there."


def test_every_setting_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "`AUTOKB_MODEL`" in reference(monkeypatch).settings()


def test_every_command_and_path_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    made = reference(monkeypatch)
    commands, http = made.commands(), made.http()
    for command in app.registered_commands:
        name = command.name or command.callback.__name__.rstrip("_").replace("_", "-")  # type: ignore[union-attr]
        assert f"\n## autokb {name}\n" in commands
    assert "\n## POST /v1/ask\n" in http and "Role: **reader**. Takes [Question](#question)." in http


@WITH_MKDOCS
@pytest.mark.slow
def test_the_site_is_built_and_no_page_names_anything_of_another_host(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert {"start.html", "how-good-is-it.html", "life-of-a-question.html", "index.html"} <= {p.name for p in pages}
    loaded = {page.name: LOADED.findall(page.read_text(encoding="utf-8")) for page in pages}
    assert not {name: found for name, found in loaded.items() if found}
    assert not [path.name for path in site.rglob("*.py")]
    assert 'id="autokb.app.support_kb.SupportKB.build"' in (site / "reference/python.html").read_text(encoding="utf-8")


@WITH_MKDOCS
@pytest.mark.slow
def test_no_link_shows_the_name_of_a_file_of_the_documentation(site: Path) -> None:
    shown = re.compile(r"<a [^>]*>(?:docs/)?[\w-]+\.md</a>")
    found = {page.name: shown.findall(page.read_text(encoding="utf-8")) for page in site.glob("*.html")}
    assert not {name: links for name, links in found.items() if links and name != "changelog.html"}


@WITH_MKDOCS
@pytest.mark.slow
@pytest.mark.parametrize("lost", ["nowhere.md", "#no-such-heading"])
def test_a_link_or_an_anchor_that_leads_nowhere_ends_the_build(lost: str, tmp_path: Path) -> None:
    settings, page = tmp_path / "mkdocs.yml", tmp_path / "pages" / "index.md"
    settings.write_text(
        f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: pages\nhooks: []\nnav: [index.md]\nplugins: [search]\n", "utf-8"
    )
    page.parent.mkdir()
    page.write_text("# A page\n\n[Itself](#a-page)\n", encoding="utf-8")
    assert build(settings, tmp_path / "site").returncode == 0
    page.write_text(f"# A page\n\n[Lost]({lost})\n", encoding="utf-8")
    done = build(settings, tmp_path / "site")
    assert done.returncode != 0 and lost in done.stderr
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "mkdocs build --strict\n" in makefile


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """Serve the built site on loopback."""

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@WITH_MKDOCS
@pytest.mark.slow
def test_a_browser_asks_nobody_else(address: str) -> None:
    chromium = pytest.importorskip("chromium", reason="playwright is not installed")
    if not chromium.PROGRAM.exists():
        pytest.skip("there is no Chromium")
    with chromium.launched() as browser:
        for page in OPENED:
            with chromium.opened(browser, address) as (shown, watched):
                shown.goto(f"/{page}", wait_until="networkidle")
                assert shown.locator("h1").first.is_visible()
                assert not watched, f"{page}: {watched}"


@WITH_MKDOCS
@pytest.mark.slow
def test_the_search_leads_users_to_their_pages_and_names_in_tables_stay_whole(address: str) -> None:
    chromium = pytest.importorskip("chromium", reason="playwright is not installed")
    if not chromium.PROGRAM.exists():
        pytest.skip("there is no Chromium")
    with chromium.launched() as browser, chromium.opened(browser, address, width=360) as (shown, _):
        for words, page in WANTED.items():
            shown.goto(f"/index.html?q={words.replace(' ', '+')}")
            first = shown.locator(".md-search-result__item > a").first
            first.wait_for(state="attached")
            assert first.evaluate("link => new URL(link.href).pathname") == f"/{page}", words
        shown.goto("/thresholds.html", wait_until="networkidle")
        one_word = "Array.from(document.querySelectorAll('td code')).filter(code => !/[\\s/-]/.test(code.textContent))"
        assert shown.evaluate(f"{one_word}.length") > 500
        assert shown.evaluate(f"{one_word}.filter(code => code.getClientRects().length > 1).length") == 0
        assert shown.evaluate("document.documentElement.scrollWidth") == 360
