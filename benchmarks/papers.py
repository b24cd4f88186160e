"""The tables of the four papers on the shipped domains, and on more where the data of development is there.

That is past tickets, and for AutoChunker web pages of product support and of Wikipedia, and the documents of Chroma's
benchmark with the places that answer its questions; what is missing is named.

Each paper's JSON, as ``autokb evaluate paper`` prints it, is kept beside the figures as ``paper_NAME.json``; the
figures say how many cells have a value, and how many need a judge or people.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import ticket_answers, tickets
from benchmarks.attributes import LABELS
from benchmarks.chunk_noise_data import DATA, MANUALS
from benchmarks.figures import RESULTS, Figure, Result
from benchmarks.running import autokb, folder, write_jsonl

DOMAINS = ("headphones", "medical")
PHONES = ("Galaxy_Fit", "Galaxy_S7")  # the shortest of Samsung's manuals; those of other models repeat them
CHROMA = DATA / "chroma_eval"
HOW_TO = ("02a4f5722e43", "6b32773168b0", "c3646525652c", "2ec72b635df5")  # instructions with menus around them
# Pages by the name of their domain. Manuals of phones and printers have next to nothing around their text.
PAGES: dict[str, tuple[Path, ...]] = {
    "support": (
        *sorted((MANUALS["product_docs"] / "hplip_html").glob("*.html")),
        *(MANUALS["phones"] / f"{name}.html.gz" for name in PHONES),
        *(DATA / f"trafilatura_eval/html/{name}.html.gz" for name in HOW_TO),
        DATA / "readability_pages/ehow-1.source.html.gz",
    ),
    "wikipedia": (
        *(DATA / "readability_pages" / f"{name}.source.html.gz" for name in ("wikipedia", "wikipedia-3")),
        DATA / "trafilatura_eval/html/613134278bef.html.gz",
    ),
    "chroma": tuple(sorted((CHROMA / "corpora").glob("*.md"))),
}
MINUTES = 10.0  # for all tables on two quiet cores, their knowledge bases built


def run(options: argparse.Namespace) -> Result:
    """Build the workspaces, measure each paper's tables on them, and keep what was found."""
    found: list[Figure] = []
    started = time.perf_counter()
    with folder() as place:
        shipped = [_shipped(place / domain, domain) for domain in DOMAINS]
        measured: dict[str, Sequence[Path]] = {"autokb": shipped, "suggestions": shipped}
        if past := _past_tickets(place / "tickets"):
            measured["tickets"] = [past]
        pages = [_of_pages(place / name, files) for name, files in PAGES.items()]
        measured["autochunker"] = [*shipped, *(one for one in pages if one)]
        given = {
            "autokb": ("--read", _labels(place / "labels")),
            "tickets": ("--cases", ticket_answers.GOLDEN),
            "autochunker": ("--cases", CHROMA / "questions.jsonl"),
        }
        for paper, workspaces in measured.items():
            more = given.get(paper, ())
            answer = autokb(
                "evaluate", "paper", paper, *workspaces, *(more if more and more[1].exists() else ())
            ).answer
            if options.store:
                text = json.dumps(answer, ensure_ascii=False, indent=1) + "\n"
                (RESULTS / f"paper_{paper}.json").write_text(text, encoding="utf-8")
            found += _counts(paper, answer)
        found.append(Figure("minutes", (time.perf_counter() - started) / 60, "min", at_most=MINUTES))
    return Result("papers", found)


def _shipped(workspace: Path, domain: str) -> Path:
    autokb("init", workspace, "--domain", domain, "--examples")
    autokb("build", workspace)
    return workspace


def _of_pages(workspace: Path, files: Sequence[Path]) -> Path | None:
    """Return a workspace of documents that are not built, None with the reason where they are not there."""
    if not files or not all(file.exists() for file in files):
        print(f"{workspace.name} is left out: its pages are not in {DATA.parent} beside the repository.", flush=True)
        return None
    autokb("init", workspace)
    autokb("add", workspace, *files, "--as", "documents")
    return workspace


def _labels(place: Path) -> Path:
    """Return a folder with the labels of attributes, as people's sheets would lie in it: those not seen in tuning."""
    for domain in DOMAINS:
        (place / domain).mkdir(parents=True)
        lines = (LABELS / f"{domain}.jsonl").read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if json.loads(line)["split"] == "report"]
        (place / domain / "attributes.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")
    return place


def _past_tickets(workspace: Path) -> Path | None:
    """Return a workspace of past tickets, None where their data are not there."""
    try:
        records = tickets.read_tickets()
    except SystemExit:
        return None
    autokb("init", workspace, "--domain", "headphones")
    autokb("add", workspace, write_jsonl(workspace.parent / "tickets.jsonl", records), "--as", "tickets")
    autokb("tickets", "build", workspace)
    return workspace


def _counts(paper: str, answer: Mapping[str, Any]) -> Iterator[Figure]:
    cells = [cell for table in answer["tables"] for row in table["cells"] for cell in row]
    yield Figure(f"{paper}.tables", float(len(answer["tables"])))
    yield Figure(f"{paper}.cells_with_a_value", float(sum(cell["value"] is not None for cell in cells)))
    for kind, words in (("a_judge", "--judge"), ("people", "people"), ("cases", "--cases")):
        missing = sum(words in (cell["missing"] or "") for cell in cells)
        yield Figure(f"{paper}.cells_that_need_{kind}", float(missing))
