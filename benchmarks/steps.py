"""Whole and readable steps: which items, code and tables of the manuals are in no passage, and what steps announce.

``python -m benchmarks.steps [--examples N] [--base espresso,...]`` prints the figures of each set of documents with
examples of what is wrong.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.chunking.methods import AUTO_CHUNKER
from autokb.core.domain import DomainSpec, read_domain
from autokb.core.nouns import Span
from autokb.core.settings import CHUNK_SIZE
from autokb.heuristics.solutions.instructions import heads_no_solution, instructs, is_navigation
from autokb.heuristics.solutions.material import materials
from autokb.heuristics.solutions.solution import Step, WrittenSolution
from autokb.heuristics.solutions.write import write_passages
from autokb.sources import read_documents
from autokb.text.markdown import Block, inner_blocks, parse_blocks, section_at, sections
from autokb.text.plain_text import plain_text
from benchmarks.figures import Figure, Result

DOMAINS = Path(__file__).resolve().parents[1] / "src" / "autokb" / "domains"
DATA = Path(__file__).parent / "data" / "knowledge_bases"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "A_troubleshooting" / "thunderbird" / "kb_wiki"
SETS = {
    "headphones": (DOMAINS / "headphones" / "documents", DOMAINS / "headphones" / "domain.yaml"),
    "medical": (DOMAINS / "medical" / "documents", DOMAINS / "medical" / "domain.yaml"),
    "espresso": (DATA / "espresso" / "documents", DATA / "espresso" / "domain.yaml"),
    "cashbook": (DATA / "cashbook" / "documents", DATA / "cashbook" / "domain.yaml"),
    "thunderbird": (SHARED, DOMAINS / "thunderbird.yaml"),
}
TEMPLATE_MARK = re.compile(r"(?<!\w)\[(?!\d+\])[A-Za-z][^\[\]\n]{1,60}\](?!\()|\{\{|\[\[")
POINTS_BACK = re.compile(
    r"\b(?:as|described|shown|explained|mentioned|listed|noted|outlined|seen|given|steps?|instructions?|procedure|see|"
    r"section|table|list|items?|options?|settings?)\s+(?:\w+\s+){0,2}(?:above|below|earlier|previously)\b"
    r"|\b(?:above|previous|preceding|aforementioned|earlier)\s+(?:steps?|instructions?|procedure|section|table|list|"
    r"items?|options?|settings?)\b"
    r"|\b(?:these|those|the following|following)\s+(?:items?|steps?|options?|settings?|instructions?|lines?|"
    r"commands?|values?|conditions?)\b",
    re.IGNORECASE,
)
POINTS_FORWARD = re.compile(r"\b(?:below|following)\b", re.IGNORECASE)


@dataclass
class Found:
    """What was counted in one set of documents, with an example of each kind of fault."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, fault: str, document: str, text: str) -> None:
        """Count a fault and keep its words."""
        self.counts[fault] += 1
        self.examples[fault].append(f"{document}: {' '.join(text.split())[:160]}")


FAULTS = (
    "lists_that_lost_items",
    "items_lost",
    "code_lost",
    "tables_lost",
    "lists_no_solution_has",
    "steps_that_announce_nothing",
    "steps_with_template_marks",
    "steps_that_point_nowhere",
    "titles_that_introduce",
)
TOTALS = ("lists", "code", "tables", "passages", "steps")


def measure(pages: Iterable[MarkedPage], spec: DomainSpec) -> Found:
    """Count over the leaf sections of the documents."""
    found = Found()
    for page in pages:
        document = page.document
        written = write_passages(document.text, document.title, document.id, spec.attributes, spec.language)
        _count_steps(found, document.id, document.text, written)
        has = [(s.start, s.end) for w in written for s in w.steps]
        has_title = {" ".join(w.title.split()) for w in written}
        material = [s for m in materials(document.text, document.title, (), spec.language) for s in m.steps]
        kept = [span for chunk in chunk_page(page, AUTO_CHUNKER, CHUNK_SIZE).chunks for span in chunk.spans]
        for blocks in _leaf_sections(document.text, kept, spec.language):
            _count_section(found, document.id, document.text, blocks, has, material, has_title, spec.language)
    return found


def _leaf_sections(text: str, kept: Sequence[Span], language: str) -> Iterator[list[Block]]:
    """Give the blocks of each leaf section that is no list of links, without boilerplate."""
    found = sections(text)
    blocks: dict[int, list[Block]] = defaultdict(list)
    for block in sorted((*parse_blocks(text), *inner_blocks(text)), key=lambda b: (b.start, -b.end)):
        if block.kind != "heading" and _overlaps(kept, block.start, block.end):
            blocks[section_at(found, block.start)].append(block)
    for number, section in enumerate(found):
        links = any(heads_no_solution(heading, language) for heading in section.headings)
        if section.own_end == section.end and not links and any(_instructs(text, b, language) for b in blocks[number]):
            yield blocks[number]


def _instructs(text: str, block: Block, language: str) -> bool:
    words = plain_text(text[block.start : block.end], images=False)
    return any(instructs(part, language) for part in re.split(r"(?<=[.!?])\s+|\n", words))


def _count_section(
    found: Found,
    document: str,
    text: str,
    blocks: Sequence[Block],
    has: Sequence[Span],
    material: Sequence[Span],
    titles: set[str],
    language: str,
) -> None:
    lists: dict[int, list[Block]] = defaultdict(list)
    for block in blocks:
        words = text[block.start : block.end]
        if block.kind == "item" and block.level == 1 and not is_navigation(words, language):
            lists[block.list_id].append(block)
        elif block.kind in ("code", "table"):
            name = "code" if block.kind == "code" else "tables"
            found.counts[name] += 1
            if not _is_covered(text, has, block):
                found.add(f"{name}_lost", document, words)
    for items in lists.values():
        found.counts["lists"] += 1
        lost = [b for b in items if not _is_covered(text, has, b)]
        if lost:
            found.counts["lists_that_lost_items"] += 1
        for block in lost:
            found.add("items_lost", document, text[block.start : block.end])
        if not lost and sum(_is_covered(text, material, b) for b in items) not in (0, len(items)):
            first = next(b for b in items if not _is_covered(text, material, b))
            found.add("lists_no_solution_has", document, text[first.start : first.end])


def _is_covered(text: str, spans: Sequence[Span], block: Block) -> bool:
    """Return whether the steps hold all of a block but its white space and marks between them."""
    here = block.start
    for start, end in sorted(spans):
        if end > here and (start <= here or not any(c.isalnum() for c in text[here:start])):
            here = end
    return here >= block.end or not any(c.isalnum() for c in text[here : block.end])


def _overlaps(spans: Iterable[Span], start: int, end: int) -> bool:
    return any(first < end and last > start for first, last in spans)


def _count_steps(found: Found, document: str, text: str, written: Sequence[WrittenSolution]) -> None:
    for one in written:
        found.counts["passages"] += 1
        found.counts["steps"] += len(one.steps)
        heading = (one.headings or ("",))[-1]
        own = one.title.partition(" (")[0]
        if heading and len(own.split()) > 6 and own.casefold() not in heading.casefold() and heading not in own:
            found.add("titles_that_introduce", document, one.title)
        for n, step in enumerate(one.steps):
            if step.text.rstrip().endswith((":", "：")) and not _is_bullet_after(one.steps, n):
                found.add("steps_that_announce_nothing", document, step.text)
            for _ in TEMPLATE_MARK.findall(step.text):
                found.add("steps_with_template_marks", document, step.text)
            if (mark := POINTS_BACK.search(step.text)) and not _has_target(one.steps, n, mark.group(), step.text):
                found.add("steps_that_point_nowhere", document, f"[{mark.group()}] {step.text}")


def _is_bullet_after(steps: Sequence[Step], n: int) -> bool:
    """Return whether what a step announces is in the next step."""
    return n + 1 < len(steps)


def _has_target(steps: Sequence[Step], n: int, mark: str, text: str) -> bool:
    """Return whether what words point to can be in the solution: text before "above", something after "following"."""
    if POINTS_FORWARD.search(mark):
        after = text[text.find(mark) :]
        return "\n" in after or ":" in after.rstrip(": ") or any(s.start > steps[n].start for s in steps)
    return any(s.start < steps[n].start for s in steps) or text.find(mark) > 120 or "\n" in text[text.find(mark) :]


def documents_of(name: str) -> Iterator[MarkedPage]:
    """Read the documents of a set."""
    for record in read_documents([SETS[name][0]], templates=spec_of(name).templates).records:
        yield MarkedPage(record.item, record.marks)


def spec_of(name: str) -> DomainSpec:
    """Read the domain of a set."""
    return read_domain(yaml.safe_load(SETS[name][1].read_text(encoding="utf-8")))


def run(options: argparse.Namespace) -> Result:
    """Measure every set that is there."""
    del options
    found = {name: measure(documents_of(name), spec_of(name)) for name, (place, _) in SETS.items() if place.is_dir()}
    return Result("steps", list(figures(found)), {name: dict(one.counts) for name, one in found.items()})


def figures(found: dict[str, Found]) -> Iterator[Figure]:
    """Give the faults of each set."""
    for name, one in found.items():
        of = {"lists_that_lost_items": "lists", "code_lost": "code", "tables_lost": "tables"}
        for fault in FAULTS:
            total = of.get(fault, "passages" if fault.startswith("titles") else "steps")
            yield Figure(f"{name}.{fault}", one.counts[fault], f"of {one.counts[total]} {total}", at_most=0)


def main(arguments: Any = None) -> None:
    """Print the figures with examples."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--examples", type=int, default=3, help="of each fault")
    parser.add_argument("--base", default="", help="only these sets, with commas between")
    parser.add_argument("--fault", default="", help="examples of these only, with commas between")
    options = parser.parse_args(arguments)
    for name, (place, _) in SETS.items():
        if not place.is_dir() or (options.base and name not in options.base.split(",")):
            continue
        found = measure(documents_of(name), spec_of(name))
        print(name, {total: found.counts[total] for total in TOTALS})
        for fault in FAULTS:
            print(f"  {fault:30} {found.counts[fault]}")
            if not options.fault or fault in options.fault.split(","):
                for example in found.examples[fault][: options.examples]:
                    print(f"      {example}")


if __name__ == "__main__":
    main()
