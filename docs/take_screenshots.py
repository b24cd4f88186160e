"""Takes the pictures of the README: ``python docs/take_screenshots.py``, or with a built workspace after it.

Without one it builds the headphones' knowledge base by itself, which takes a minute or two. Debian's Chromium takes the
pictures, in light at 1280 by 800, and they are written to ``docs/images/``.
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "tests"))  # the browser and the served workspace stand with the tests

from PIL import Image  # noqa: E402

import chromium  # noqa: E402
from served_workspace import served  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Page

QUESTION = "The sound lags behind the video"  # which asks back and suggests two replies
MOST_BYTES = 150_000  # of a picture
COLOURS = 256  # which is many for pages of text


def take(workspace: Path) -> None:
    """Take all pictures of a copy of a built workspace; what the pages store is not left in it."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(shutil.copytree(workspace, Path(place) / "kb"))
        with served(copy) as url, chromium.launched() as browser, chromium.opened(browser, url) as (page, _):
            for _ in range(2):  # the first question loads what the next ones find loaded
                page.goto("/")
                page.locator("#text").fill(QUESTION)
                page.locator("#say").click()
                page.locator("#offer-1").wait_for()
            page.keyboard.press("Escape")
            page.keyboard.press("2")
            page.locator(".offer summary").first.click()
            _keep(page, "conversation")
            page.goto("/knowledge?q=earbud+charge")
            _keep(page, "knowledge")
            page.goto("/review")
            _keep(page, "review")


def _keep(page: Page, name: str) -> None:
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(COLOURS)
    path = IMAGES / f"{name}.png"
    picture.save(path, optimize=True)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{path.name} has {size:,d} bytes, more than {MOST_BYTES:,d}: show less on it.")
    print(f"{path.relative_to(ROOT)} {size:,d} bytes")


def main() -> int:
    """Build what is to be seen, unless it is given, and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspace", nargs="?", type=Path, help="a built workspace; else one is built")
    workspace = parser.parse_args().workspace
    IMAGES.mkdir(exist_ok=True)
    if workspace:
        take(workspace)
        return 0
    with tempfile.TemporaryDirectory() as place:
        for words in (["init", "kb", "--domain", "headphones", "--examples"], ["build", "kb"]):
            subprocess.run([sys.executable, "-m", "autokb", *words], check=True, cwd=place, stdout=subprocess.DEVNULL)
        take(Path(place) / "kb")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
