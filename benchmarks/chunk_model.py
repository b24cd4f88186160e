"""Model tokens of asking about whole pages and of ``--rules-first``: a real wire with a scripted model at its end."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.chunk_speed import read
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder
from benchmarks.serving import serving

SAMPLE, QUICK = 60, 20  # pages, spread over all sets
WAYS: Mapping[str, tuple[str, ...]] = {"whole_pages": (), "rules_first": ("--rules-first",)}
KINDS = ("input", "output")
UNIT = 4  # paragraphs that the scripted model puts into one unit
_PAGE = re.compile(r'<page number="(\d+)">\n(.*?)</page>', re.DOTALL)
_PARAGRAPH = re.compile(r"<p(\d+)>.*?</p\1>", re.DOTALL)


def run(options: argparse.Namespace) -> Result:
    """Cut the same pages both ways and add up what the server was sent and what it sent back."""
    pages = read()
    many = min(QUICK if options.quick else SAMPLE, len(pages))
    sample = [pages[n * len(pages) // many] for n in range(many)]
    with folder() as place:
        for number, html in enumerate(sample):
            (place / f"{number}.html").write_text(html, encoding="utf-8", errors="replace")
        spent = {way: _spent(place, words) for way, words in WAYS.items()}
    ratios = {kind: spent["rules_first"][kind] / max(spent["whole_pages"][kind], 1) for kind in KINDS}
    both = sum(spent["rules_first"][k] for k in KINDS) / max(sum(spent["whole_pages"][k] for k in KINDS), 1)
    figures = [
        Figure("pages", len(sample)),
        *(
            Figure(f"{way}.{what}", n, "" if what == "calls" else "tokens")
            for way in WAYS
            for what, n in spent[way].items()
        ),
        *(Figure(f"rules_first_to_whole_pages.{kind}", ratio, "ratio") for kind, ratio in ratios.items()),
        Figure("rules_first_to_whole_pages", both, "ratio", at_most=1 / 3),
    ]
    return Result("chunk_model", figures, spent)


def _spent(place: Path, words: tuple[str, ...]) -> dict[str, int]:
    spent = {"calls": 0, "input": 0, "output": 0}

    def reply(body: dict[str, Any]) -> str:
        answer = scripted(body)
        spent["calls"] += 1
        spent["input"] += sum(len(str(message["content"])) for message in body["messages"]) // 4
        spent["output"] += len(answer) // 4
        return answer

    with serving(reply) as server, _asking(server.url):
        ran = autokb("chunk", place, "--model", "openai:scripted", *words)
    if ran.answer["failures"]:
        print(f"Failures: {len(ran.answer['failures'])}, first {ran.answer['failures'][0]}")
    return spent


@contextmanager
def _asking(url: str) -> Iterator[None]:
    """Let commands that are started meanwhile ask the served model."""
    os.environ["AUTOKB_BASE_URL"] = url
    try:
        yield
    finally:
        os.environ.pop("AUTOKB_BASE_URL")


def scripted(body: Mapping[str, Any]) -> str:
    """Reply as a model would that keeps everything it is asked about, in units of a few paragraphs."""
    user = str(body["messages"][-1]["content"])
    answers = []
    for number, page in _PAGE.findall(user):
        asked = [int(n) for n in _PARAGRAPH.findall(page)]
        ranges = [[asked[n], asked[min(n + UNIT, len(asked)) - 1]] for n in range(0, len(asked), UNIT)]
        answers.append({"number": int(number), "ranges": ranges, "noise": []})
    return json.dumps({"answers": answers})
