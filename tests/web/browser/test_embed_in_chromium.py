"""The ask box in a frame of another site, in a real browser."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autokb.stores.workspace import Workspace
from served_workspace import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame

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
