"""What each page weighs with everything, and how soon a real Chromium shows something of it, on loopback."""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from autokb.app import SupportKB
from benchmarks import running, serving
from benchmarks.figures import Figure, Result

LOADS = 5  # of each page; the first stylesheet and scripts are fetched anew each time
QUESTION = "One earbud is silent. What can I do?"
FIRST_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
WORKSPACE = "AUTOKB_BENCHMARK_WORKSPACE"  # a built knowledge base to look at instead of building the headphones


def run(options: argparse.Namespace) -> Result:
    """Build the headphones' knowledge base, unless the environment names another, and open its pages."""
    with running.folder() as place:
        workspace = Path(os.environ.get(WORKSPACE) or place / "kb")
        if not workspace.exists():
            running.autokb("init", workspace, "--domain", "headphones", "--examples")
            running.autokb("build", workspace)
        figures = list(measure(workspace, 2 if options.quick else LOADS))
    figures.append(Figure("load_average", os.getloadavg()[0]))
    return Result("pages", figures)


def measure(workspace: Path, loads: int) -> Iterator[Figure]:
    """Weigh each page once, and take the median time to its first contentful paint in a window without a cache."""
    from playwright.sync_api import expect

    with serving.served(workspace) as url, serving.chromium.launched() as browser:
        for name, path in pages_of(workspace).items():
            with serving.chromium.opened(browser, url) as (page, watched):
                yield Figure(f"{name}_weight", serving.chromium.weigh(page, path) / 1000, "kB", at_most=150)
                seen = []
                for _ in range(loads):
                    page.goto(path)
                    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
                    seen.append(page.evaluate(FIRST_PAINT))
                yield Figure(f"{name}_first_paint", statistics.median(seen), "ms", at_most=200)
                if watched:
                    raise SystemExit(f"{path}: {watched}")
        with serving.chromium.opened(browser, url) as (page, _):
            page.goto("/")
            page.locator("#text").fill(QUESTION)
            page.locator("#say").click()
            expect(page.locator("#offer-1")).to_be_visible()


def pages_of(workspace: Path) -> Mapping[str, str]:
    """Return the path of each kind of page in a built workspace, by name."""
    kb = SupportKB.open(workspace)
    issue, solution, document = kb.issues(1).items[0].id, kb.solutions(1).items[0].id, kb.documents(1).items[0].id
    kb.close()
    return {
        "conversation": "/",
        "knowledge": "/knowledge",
        "search": "/knowledge?q=earbud",
        "issue": f"/issues/{quote(issue)}",
        "solution": f"/solutions/{quote(solution)}",
        "documents": "/documents",
        "document": f"/documents/{quote(document)}",
        "tickets": "/tickets",
        "review": "/review",
        "edit": f"/review/solution?solution={quote(solution, safe='')}",
        "changes": "/review/changes",
        "in_use": "/in-use",
        "gaps": "/in-use/gaps",
        "evaluation": "/evaluation",
        "sheet": "/evaluation/sheet",
        "login": "/login",
    }
