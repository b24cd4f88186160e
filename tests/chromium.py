"""Debian's Chromium, driven by playwright: its pages are watched for what they run, ask for and refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

PROGRAM = Path("/usr/bin/chromium")  # playwright's own downloads come from a host of their own; the package does not
FLAGS = [
    "--no-sandbox",  # a container's root has none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SECONDS = 30  # that anything in a page may take before it is given up
# What hostile text would do if it ran: set this name. A violation of the policy is noted where the page can be asked.
WATCH = """
window.__refused = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.__refused.push(`${event.effectiveDirective} ${event.blockedURI}`));
"""


@dataclass(slots=True)
class Watched:
    """What a page did beside showing itself."""

    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.errors or self.dialogs or self.elsewhere)


@contextmanager
def launched() -> Iterator[Browser]:
    """Give a browser, which ends with the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Browser, url: str, *, width: int = 1280, height: int = 800, scheme: Any = "light", key: str = ""
) -> Iterator[tuple[Page, Watched]]:
    """Give an empty page of a window of its own for the service at ``url``, and what it does beside; ``key`` signs in.

    A request to anywhere else is noted and goes nowhere.
    """
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, base_url=url)
    try:
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=url)
        context.set_default_timeout(SECONDS * 1000)
        if key:
            _sign_in(context, url, key)
        page, watched = context.new_page(), Watched()
        page.add_init_script(WATCH)
        page.on("pageerror", lambda error: watched.errors.append(str(error)))
        page.on("console", lambda said: watched.errors.append(said.text) if said.type in ("error", "warning") else None)
        page.on("dialog", lambda dialog: (watched.dialogs.append(dialog.message), dialog.dismiss()))
        context.on("request", lambda asked: None if _is_here(asked.url, url) else watched.elsewhere.append(asked.url))
        context.route(re.compile(f"^(?!{re.escape(url)}/)"), lambda route: route.abort())
        yield page, watched
    finally:
        context.close()


def weigh(page: Page, path: str, until: Any = "networkidle") -> int:
    """Open a page with nothing kept from before; returns the bytes that came, heads and all.

    ``until`` is "load" where what a page asks for afterwards (similar tickets) need not be counted: that is quicker.
    """
    session, total = page.context.new_cdp_session(page), 0

    def add(event: dict[str, Any]) -> None:
        nonlocal total
        total += int(event["encodedDataLength"])

    session.on("Network.loadingFinished", add)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(path, wait_until=until)
    session.detach()
    return total


def _sign_in(context: BrowserContext, url: str, key: str) -> None:
    from autokb.web.access import COOKIE

    context.add_cookies([{"name": COOKIE, "value": key, "url": url, "sameSite": "Strict"}])


def _is_here(asked: str, url: str) -> bool:
    return asked.startswith(("data:", "blob:")) or urlsplit(asked).netloc == urlsplit(url).netloc
