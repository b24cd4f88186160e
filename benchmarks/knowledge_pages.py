"""How long the pages of the knowledge browser and its search take at 7,000 solutions, and how heavy each page is."""

from __future__ import annotations

import argparse
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.core.nouns import Document
from autokb.views.document_page import view_document
from autokb.web.app import create_app
from benchmarks import scale_data
from benchmarks.ask import import_workspace
from benchmarks.figures import Figure, Result
from benchmarks.running import folder

SIZE = 7_000
WARM_UP, MEASURED = 3, 60
QUERIES = 40
LONG_DOCUMENT = 5_000_000  # code points
HERE = ("127.0.0.1", 50_000)


def run(options: argparse.Namespace) -> Result:
    """Grow the knowledge base, import it, and open its pages."""
    with folder() as place:
        import_workspace(place, SIZE)
        figures = list(measure(place / "kb", 10 if options.quick else MEASURED))
    figures.append(Figure("load_average", os.getloadavg()[0], ""))
    return Result("knowledge_pages", figures, {})


def measure(workspace: Path, count: int) -> Iterator[Figure]:
    """Time what is loaded, each search while a word is typed, and each page over the whole service in this process."""
    kb = SupportKB.open(workspace)
    started = time.perf_counter()
    kb.views.load()
    yield Figure("load", time.perf_counter() - started, "s")
    kb.views.overview()
    issue, solution, document = (
        kb.views.issues(1).items[0].id,
        kb.views.solutions(1).items[0].id,
        kb.views.documents(1).items[0].id,
    )
    typed = _typed()
    for one in typed:
        kb.views.search(one)
    took = [_time_both(lambda one=one: kb.views.search(one)) for one in typed]  # type: ignore[misc]
    yield from _percentiles("search", [wall for wall, _ in took])
    yield from _percentiles("search.processor", [processor for _, processor in took])  # on a machine that is shared
    kb.curation.approve([solution], author="benchmark")
    yield Figure("first_page_after_a_decision", _time(lambda: kb.views.known_solution(solution)) * 1000, "ms")
    kb.curation.approve([solution], author="benchmark", undo=True)
    app = create_app(workspace)
    client = TestClient(app, base_url="http://127.0.0.1:8000", client=HERE, headers={"accept": "text/html"})
    for name, path in {
        "trees": "/knowledge",
        "found": "/knowledge?q=folder",
        "issue": f"/issues/{issue}",
        "solution": f"/solutions/{solution}",
        "documents": "/documents",
        "document": f"/documents/{document}?at=100-200",
    }.items():
        pages = [_time(lambda path=path: client.get(path)) for _ in range(WARM_UP + count)][WARM_UP:]  # type: ignore[misc]
        yield from _percentiles(f"page.{name}", pages)
        yield Figure(f"weight.{name}", _weight(client, path) / 1024, "KiB")
    app.state.kb.close()
    kb.close()
    text = "\n\n".join(scale_data.article_sentences())
    long = Document("long", "Long", (text * (LONG_DOCUMENT // len(text) + 1))[:LONG_DOCUMENT])
    yield Figure(
        "long_document.first", _time(lambda: view_document(long, (), [(4_000_000, 4_000_100)], None)) * 1000, "ms"
    )
    yield Figure(
        "long_document.next", _time(lambda: view_document(long, (), [(3_000_000, 3_000_100)], None)) * 1000, "ms"
    )


def _typed() -> list[str]:
    """Return what stands in the field while the first three words of questions are typed, letter by letter."""
    some = scale_data.questions(3, QUERIES)
    return list(dict.fromkeys(text[: n + 1] for text in some for n in range(len(text))))


def _percentiles(name: str, seconds: list[float]) -> Iterator[Figure]:
    for percentile in (50, 95, 100):
        yield Figure(f"{name}.p{percentile}", float(np.percentile(seconds, percentile)) * 1000, "ms")


def _time(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _time_both(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds on the clock and those of the processor."""
    started = time.thread_time()
    return _time(work), time.thread_time() - started


def _weight(client: TestClient, path: str) -> int:
    """Return the bytes of a page with its scripts and style sheets, uncompressed."""
    text = client.get(path).text
    assets = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', text))
    return len(text.encode()) + sum(len(client.get(asset).content) for asset in assets)
