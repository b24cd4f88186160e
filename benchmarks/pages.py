"""What each page weighs with everything, and how soon a real Chromium shows something of it, on loopback."""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

import benchmarks.serving  # noqa: F401 - the browser and the served workspace stand with the tests
from autokb.app import SupportKB
from benchmarks import running
from benchmarks.figures import Figure, Result

LOADS = 5  # of each page
FIRST_PAINT = """() => new Promise((seen) => new PerformanceObserver((found) => {
  for (const one of found.getEntriesByName("first-contentful-paint")) seen(one.startTime);
}).observe({ type: "paint", buffered: true }))"""
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
    """Weigh each page once, and take the median time to its first contentful paint, in new windows."""
    import chromium
    from served_workspace import served

    with served(workspace) as url, chromium.launched() as browser:
        for name, path in pages_of(workspace).items():
            seen = []
            for _ in range(loads):
                with chromium.opened(browser, url) as (page, _watched):
                    page.goto(path)
                    seen.append(float(page.evaluate(FIRST_PAINT)))
            with chromium.opened(browser, url) as (page, watched):
                weight = chromium.weigh(page, path)
                if watched:
                    raise SystemExit(f"{path}: {watched}")
            yield Figure(f"{name}_weight", weight / 1000, "kB", at_most=150)
            yield Figure(f"{name}_first_paint", statistics.median(seen), "ms", at_most=200)


def pages_of(workspace: Path) -> Mapping[str, str]:
    """Return the path of each kind of page in a built workspace, by name."""
    kb = SupportKB.open(workspace)
    issue, solution, document = (
        kb.views.issues(1).items[0].id,
        kb.views.solutions(1).items[0].id,
        kb.views.documents(1).items[0].id,
    )
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
        "settings": "/settings",
        "evaluation": "/evaluation",
        "sheet": "/evaluation/sheet",
        "login": "/login",
    }
