"""Speed and memory of ``autokb chunk``: a page beside trafilatura alone, 1,000 pages, and pages made to hang."""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

from benchmarks.chunk_noise_data import DATA
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder

PAGES = (
    "article_extraction_benchmark/html/*.html.gz",
    "readability_pages/*.source.html.gz",
    "trafilatura_eval/html/*.html.gz",
    "product_docs/*/*.html",
)
SIZE = 2048
JOBS = 2
MANY = (250, 500, 1_000)
QUICK = (50, 100)
SENTENCE = "The part turns left and then right, which is known to all who saw it. "
LONG = f"<h2>Part</h2><p>{SENTENCE}</p>"


def run(options: argparse.Namespace) -> Result:
    """Time each page alone, then many pages through the command line, then each bad page."""
    pages = read()
    alone = _alone(pages[:: 6 if options.quick else 1])
    many = {count: _many(pages, count) for count in (QUICK if options.quick else MANY)}
    bad = {} if options.quick else _bad()
    for name, row in bad.items():
        print(f"{name:<16} {row['seconds']:>7.1f} s  {row['said']}")
    return Result("chunk_speed", [*_figures(alone), *_many_figures(many), *_bad_figures(bad)], {"bad_pages": bad})


def read() -> list[str]:
    """Read all HTML pages of the data that can be decoded."""
    from autokb.core.errors import UnreadableFileError
    from autokb.sources.decoding import decode

    found = []
    for path in sorted(path for pattern in PAGES for path in DATA.glob(pattern)):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        try:
            found.append(decode(data, markup=True))
        except UnreadableFileError:
            continue
    if not found:
        raise SystemExit("This benchmark needs ../shared/data/D_chunking beside the repository.")
    return found


def _alone(pages: Sequence[str]) -> Mapping[str, list[float]]:
    """Time the two steps and trafilatura on each page in turn, so that all meet the same load of the machine."""
    from trafilatura import extract

    from autokb.chunking.auto.auto_chunker import chunk_auto
    from autokb.chunking.chunk_result import MarkedPage
    from autokb.core.nouns import Document
    from autokb.sources.html import html_page

    first = html_page(pages[0])  # what is imported and compiled on first use is no page's time
    chunk_auto(MarkedPage(Document("", "", first.text), first.marks), SIZE)
    extract(pages[0])
    times: dict[str, list[float]] = {"read": [], "cut": [], "trafilatura": []}
    for number, html in enumerate(pages):
        page = _timed(times["read"], partial(html_page, html))
        whole = MarkedPage(Document(str(number), page.title, page.text), page.marks)
        _timed(times["cut"], partial(chunk_auto, whole, SIZE))
        _timed(times["trafilatura"], partial(extract, html))
    return times


def _timed(times: list[float], work: Callable[[], Any]) -> Any:
    started = time.perf_counter()
    result = work()
    times.append(time.perf_counter() - started)
    return result


def _figures(times: Mapping[str, list[float]]) -> list[Figure]:
    both = [read + cut for read, cut in zip(times["read"], times["cut"], strict=True)]
    return [
        Figure("pages", len(both)),
        Figure("seconds_a_page", median(both), "s", at_most=0.03),
        Figure("seconds_a_page.read", median(times["read"]), "s"),
        Figure("seconds_a_page.cut", median(times["cut"]), "s"),
        Figure("seconds_a_page.trafilatura", median(times["trafilatura"]), "s"),
        Figure("to_trafilatura", median(both) / median(times["trafilatura"]), "times"),
        Figure("to_trafilatura.in_all", sum(both) / sum(times["trafilatura"]), "times"),
    ]


def _many(pages: Sequence[str], count: int) -> tuple[float, float]:
    """Cut so many pages, the same ones under other names, with two processes; return seconds and MiB."""
    with folder() as place:
        for number in range(count):
            site = place / f"site-{number // len(pages)}"
            site.mkdir(exist_ok=True)
            (site / f"{number}.html").write_text(pages[number % len(pages)], encoding="utf-8", errors="replace")
        ran = autokb("chunk", place, "--jobs", str(JOBS))
    print(f"{count} pages: {ran.seconds:.0f} s, {ran.megabytes:.0f} MiB", flush=True)
    if ran.answer["failures"]:
        print(f"Failures among {count} pages: {len(ran.answer['failures'])}, first {ran.answer['failures'][0]}")
    return ran.seconds, ran.megabytes


def _many_figures(many: Mapping[int, tuple[float, float]]) -> list[Figure]:
    found = []
    for count, (seconds, megabytes) in many.items():
        found += [Figure(f"{count}_pages.seconds", seconds, "s"), Figure(f"{count}_pages.memory", megabytes, "MiB")]
    smallest, largest = min(many), max(many)
    ratio = many[largest][1] / many[smallest][1]
    return [*found, Figure(f"memory.{largest}_to_{smallest}_pages", ratio, "times", at_most=1.2)]


def bad_pages() -> Mapping[str, str]:
    """Return pages that nobody wrote for people, by name."""
    return {
        "50_megabytes": LONG * (50_000_000 // len(LONG)),
        "5_megabytes": LONG * (5_000_000 // len(LONG)),
        "100000_tags": "<div>" * 100_000 + "deep" + "</div>" * 100_000,
        "no_headings": f"<p>{SENTENCE}</p>" * 20_000,
        "one_table": f"<table>{'<tr><td>part</td><td>value of it</td></tr>' * 30_000}</table>",
        "right_to_left": f"<p>{'اضغط على الزر ثم انتظر حتى يضيء المصباح. ' * 20}</p>" * 500,
        "chinese": f"<p>{'按下按钮，然后等待指示灯亮起。' * 20}</p>" * 500,
        "unclosed": f"<h1>Seal<p><b>{SENTENCE * 3}<td><ul><li>one<li><i>two</b></p></ul></h2>" * 2_000,
        "scripts_only": "<script>var a = '<p>text</p>';</script><style>p {}</style>" * 20_000,
        "no_text": "<html><body></body></html>",
        "one_paragraph": f"<p>{SENTENCE * 14_300}</p>",
        "200000_links": "".join(f'<a href="/page/{n}">link {n}</a> ' for n in range(200_000)),
        "deep_lists": "<ul><li>step" * 240,
        "headings_only": "".join(f"<h{n % 6 + 1}>Part {n}</h{n % 6 + 1}>" for n in range(30_000)),
        "pictures": "".join(f'<p><img src="/{n}.png" alt="picture {n}"></p>' for n in range(20_000)),
    }


def _bad() -> dict[str, dict[str, Any]]:
    return {name: _one_bad(html) for name, html in bad_pages().items()}


def _one_bad(html: str) -> dict[str, Any]:
    with folder() as place:
        (place / "page.html").write_text(html, encoding="utf-8")
        ran = autokb("chunk", place / "page.html")
    said = [failure["reason"] for failure in ran.answer["failures"]]
    said += [f"{len(d['chunks'])} chunks, {len(d['noise'])} left out" for d in ran.answer["documents"]]
    return {"seconds": round(ran.seconds, 2), "megabytes": round(ran.megabytes), "said": said}


def _bad_figures(bad: Mapping[str, Mapping[str, Any]]) -> list[Figure]:
    return [Figure(f"bad_pages.{name}", row["seconds"], "s") for name, row in bad.items()]
