"""The ask box in a frame of another site, in a real browser."""

from __future__ import annotations

import http.server
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autokb.stores.workspace import Workspace
from autokb.web.pages.rendering import said_in_box
from served_workspace import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame

SECONDS = 60  # that the frame may take to be told of its scheme
DEPLOYMENT = Path(__file__).parents[3] / "docs" / "deployment.md"
pytestmark = pytest.mark.slow  # a browser draws the pages
AUDIT = (Path(__file__).parent / "page_audit.js").read_text(encoding="utf-8")


@contextmanager
def site(folder: Path) -> Iterator[str]:
    """Serve the files of a folder as another site."""
    handler = partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_args: object) -> None:
        """Say nothing."""


def iframe_of_the_docs(url: str, more: str = "") -> str:
    """Return the iframe that the documentation shows, for a service at ``url``."""
    shown = re.search(r"<iframe .*?</iframe>", DEPLOYMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    return shown[0].replace("https://kb.example.com", url).replace("<iframe ", f"<iframe {more} ")


@contextmanager
def framed(place: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Serve a folder of pages that may show the box of a workspace; gives the addresses of both."""
    place.mkdir()
    with site(place) as friend:
        (folder / "settings.yaml").write_text(f"embed: {{origins: ['{friend}/']}}\n", encoding="utf-8")
        with served(folder) as url:
            yield friend, url


def test_the_iframe_of_the_docs_fits_a_phone_and_has_the_colours_of_its_page(
    browser: Browser, hand_made: Workspace, tmp_path: Path
) -> None:
    place = tmp_path / "site"
    with framed(place, hand_made.folder) as (friend, url):
        # Emulated colours would reach the frame whatever the page around it says, so the system's own are left.
        context = browser.new_context(viewport={"width": 360, "height": 800}, color_scheme="null")
        page = context.new_page()
        colours = []
        for scheme in ("light", "dark"):
            frame = iframe_of_the_docs(url).replace("color-scheme: light", f"color-scheme: {scheme}")
            # Each page has a name of its own: one that is written again within the second is taken for unchanged.
            (place / f"{scheme}.html").write_text(
                f'<!doctype html><meta name="viewport" content="width=device-width"><title>Help</title>{frame}', "utf-8"
            )
            page.goto(f"{friend}/{scheme}.html")
            page.frame_locator("iframe").locator("textarea").wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") == 360
            assert page.frames[1].evaluate("document.documentElement.scrollWidth <= innerWidth")
            # The frame is told of its scheme when the page around it is drawn, some moments later.
            # It is asked in turns of ours: a page that evaluates a condition by itself is forbidden to by its policy.
            end = time.monotonic() + SECONDS
            while not page.frames[1].evaluate(f"matchMedia('(prefers-color-scheme: {scheme})').matches"):
                assert time.monotonic() < end, f"the frame is never {scheme}"
                page.wait_for_timeout(20)
            colours.append(page.frames[1].evaluate("getComputedStyle(document.body).backgroundColor"))
        assert colours[0] != colours[1]
        context.close()


@pytest.mark.parametrize(("flags", "is_answered"), [("allow-forms", False), ("allow-forms allow-same-origin", True)])
def test_in_a_sandbox_it_answers_or_says_a_sentence_for_customers(
    browser: Browser, hand_made: Workspace, tmp_path: Path, flags: str, is_answered: bool
) -> None:
    place = tmp_path / "site"
    with framed(place, hand_made.folder) as (friend, url):
        frame = iframe_of_the_docs(url, f'sandbox="{flags}"')
        (place / "index.html").write_text(f"<!doctype html><title>Help</title>{frame}", encoding="utf-8")
        page = browser.new_page()
        page.goto(friend)
        box = page.frame_locator("iframe")
        box.get_by_label("What do you need help with?").fill("my robot does not charge in the dock")
        box.get_by_role("button", name="Ask", exact=True).click()
        wanted = "Wipe the two contacts" if is_answered else said_in_box(403)
        box.get_by_text(wanted, exact=False).first.wait_for()
        assert box.locator("nav").count() == 0
        page.close()


def test_a_site_of_the_settings_shows_it_and_no_other_one(
    browser: Browser, hand_made: Workspace, tmp_path: Path
) -> None:
    place = tmp_path / "site"
    place.mkdir()
    with site(place) as friend, site(place) as stranger:
        (hand_made.folder / "settings.yaml").write_text(f"embed: {{origins: ['{friend}']}}\n", encoding="utf-8")
        with served(hand_made.folder) as url:
            frame = f'<iframe src="{url}/embed" title="Ask" width="360" height="700"></iframe>'
            (place / "index.html").write_text(f"<!doctype html><title>Help</title>{frame}", encoding="utf-8")
            page = browser.new_page()
            page.goto(stranger)
            assert page.frame_locator("iframe").locator("textarea").count() == 0
            page.goto(friend)
            box = page.frame_locator("iframe")
            box.get_by_label("What do you need help with?").fill("the blades do not cut the grass")
            box.get_by_role("button", name="Ask", exact=True).click()
            box.get_by_role("button", name="Hopper", exact=True).click()
            box.locator("input[name=attribute]").wait_for(state="detached")  # the question back was answered
            box.get_by_text("loosen the three screws", exact=False).first.wait_for()
            inside: Frame = page.frames[1]
            assert inside.evaluate(AUDIT)["faults"] == ["not one header"]  # the site around it has one
            page.close()
