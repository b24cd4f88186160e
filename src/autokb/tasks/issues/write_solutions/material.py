"""What an excerpt holds that could be a solution: its lists, and its prose that tells or answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby

from autokb.knowledge.markdown import Block, parse_blocks, plain_text, section_at, sections, sentences
from autokb.knowledge.nouns import Span
from autokb.knowledge.switches import MARK
from autokb.tasks.issues.write_solutions.language import asks, leads_away, points_elsewhere, says_something, tells

LONGEST_STEP = 900  # characters of Markdown; a longer item is split at its nested items or sentences
LONGEST_TITLE = 160
ANSWER_PARAGRAPHS = 5


@dataclass(frozen=True, slots=True)
class Material:
    """Steps that belong together: ``place`` is what is compared with the windows, ``introduction`` is plain."""

    kind: str  # ordered | bullets | told | answer
    headings: tuple[str, ...]
    introduction: str
    title: str
    steps: tuple[Span, ...]
    place: Span
    section: int
    parent: int | None
    which: int = 0


@dataclass
class _Section:
    """One section's blocks while they are read."""

    text: str
    headings: tuple[str, ...]
    introduction: str = ""
    introduced: Span | None = None
    lists: list[tuple[str, str, list[Span]]] = field(default_factory=list)
    told: list[Span] = field(default_factory=list)
    prose: list[Span] = field(default_factory=list)


@lru_cache(maxsize=512)
def materials(text: str, title: str, headings: tuple[str, ...]) -> tuple[Material, ...]:
    """Return everything in an excerpt that could be a solution, in reading order."""
    found = sections(text)
    blocks = parse_blocks(text)
    result: list[Material] = []
    counts: dict[tuple[str, ...], int] = {}
    grouped = groupby(blocks, key=lambda b: section_at(found, b.start))
    for number, inside in grouped:
        section = found[number]
        path = (*headings, *section.headings)
        if any(leads_away(heading) for heading in path):
            continue
        for material in _read(text, title, path, list(inside)):
            place = material.place if material.place[1] else (section.start, section.own_end)
            which = counts.get(path, 0)
            counts[path] = which + 1
            result.append(replace(material, place=place, section=number, parent=section.parent, which=which))
    return tuple(result)


def _read(text: str, title: str, path: tuple[str, ...], blocks: Sequence[Block]) -> Iterator[Material]:
    ordered = any(b.kind == "item" and b.ordered and b.level == 1 for b in blocks)
    before = ""
    told: list[Span] = []
    prose: list[Span] = []
    lists = list(_runs(blocks))
    for run in lists:
        first = run[0]
        if first.kind == "item":
            yield from _list(text, title, path, run, before, single=False)
        before = _introduction(text, first) if first.kind == "paragraph" else before if _is_mark(text, first) else ""
    if not ordered:
        yield from _flow(text, title, path, lists)
    del told, prose


def _runs(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    yield list(blocks)


def _introduction(text: str, block: Block) -> str:
    return plain_text(text[block.start : block.end])


def _is_mark(text: str, block: Block) -> bool:
    return not MARK.sub("", text[block.start : block.end]).strip()
