"""What an excerpt holds that could be a solution: its lists, and its prose that tells or answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from autokb.core.nouns import Span
from autokb.tasks.issues.write_solutions.language import (
    asks,
    generic,
    leads_away,
    leads_over,
    names_task,
    points_elsewhere,
    tells,
)
from autokb.text.conditional_markup import MARK
from autokb.text.markdown import Block, parse_blocks, plain_text, section_at, sections, sentences

LONGEST_STEP = 900  # characters of Markdown; a longer one is split at its nested items or sentences
LONGEST_TITLE = 160
SHORT_STEP = 250  # up to here a paragraph stays whole, also where only part of it tells what to do
SHORT_LABEL = 40  # words before nested items that are no step of their own
MOST_ANSWERED = 5

NOWHERE: Span = (0, 0)

Kind = Literal["ordered", "told", "answer"]


@dataclass(frozen=True, slots=True)
class Material:
    """Steps that belong together; ``place`` is what is compared with the windows that were found."""

    kind: Kind
    headings: tuple[str, ...]
    introduction: str
    title: str
    titled: Span  # where the title's words stand; (0, 0) where they do not stand in the excerpt
    steps: tuple[Span, ...]
    place: Span
    section: int = 0
    parent: int | None = None
    which: int = 0


@lru_cache(maxsize=512)
def materials(text: str, title: str, headings: tuple[str, ...]) -> tuple[Material, ...]:
    """Return everything in an excerpt that could be a solution, in reading order."""
    found = sections(text)
    inside: list[list[Block]] = [[] for _ in found]
    for block in parse_blocks(text):
        inside[section_at(found, block.start)].append(block)
    result: list[Material] = []
    counts: Counter[tuple[str, ...]] = Counter()
    for number, section in enumerate(found):
        path = (*headings, *section.headings)
        if any(map(leads_away, path)):
            continue
        place = (section.start, section.own_end)
        for material in _SectionReader(text, title, path, inside[number], place, len(found) == 1 and not path).read():
            result.append(replace(material, section=number, parent=section.parent, which=counts[path]))
            counts[path] += 1
    return tuple(result)


@dataclass(frozen=True, slots=True)
class _SectionReader:
    """Reads one section: ``blocks`` are its own, nested items among them."""

    text: str
    title: str
    headings: tuple[str, ...]
    blocks: Sequence[Block]
    place: Span
    alone: bool  # there is no other section; the text itself is then the answer to its title

    def read(self) -> Iterator[Material]:
        outer = [b for b in self.blocks if b.level <= 1 or b.kind != "item"]
        outer = [b for b in outer if b.kind != "heading"]
        lists = list(dict.fromkeys(b.list_id for b in outer if b.kind == "item" and b.ordered))
        introduction = NOWHERE
        for list_id in lists:
            places = [n for n, b in enumerate(outer) if b.kind == "item" and b.list_id == list_id]
            introduction, begin = self._introduction(outer, places[0], introduction)
            if material := self._ordered(outer, places, introduction, begin, alone=len(lists) == 1):
                yield material
        if not lists and (material := self._flow(outer)):
            yield material

    def _ordered(
        self, outer: Sequence[Block], places: Sequence[int], introduction: Span, begin: int, *, alone: bool
    ) -> Material | None:
        """Take an ordered list whole; what stands between two items belongs to the first of them."""
        steps: list[Span] = []
        for here, following in pairwise((*places, self._list_end(outer, places[-1]))):
            notes = [b for b in outer[here:following] if not self._is_mark(b)]
            steps.extend(self._split((outer[here].start, notes[-1].end)))
        if sum(points_elsewhere(self.text[s:e]) for s, e in steps) * 2 > len(steps):
            return None
        place = self.place if alone else (begin, steps[-1][1])
        return self._material("ordered", introduction, steps, place)

    def _list_end(self, outer: Sequence[Block], last: int) -> int:
        """Return where a list ends; a table or bullets that its last item leads over to belong to it."""
        end = last + 1
        if self._opens((outer[last].start, outer[last].end)):
            while end < len(outer) and outer[end].kind in ("table", "code", "item") and not outer[end].ordered:
                end += 1
        return end

    def _introduction(self, outer: Sequence[Block], first: int, previous: Span) -> tuple[Span, int]:
        """Return the words that introduce a list and where they begin; alternatives share one introduction."""
        for block in reversed(outer[:first]):
            if self._is_mark(block):
                continue
            if block.kind == "item":
                return previous, outer[first].start
            words = self._last_words(block)
            return words, block.start if words != NOWHERE else outer[first].start
        return NOWHERE, outer[first].start

    def _last_words(self, block: Block) -> Span:
        """Return the last sentence of a paragraph where it leads over to what follows."""
        if block.kind != "paragraph":
            return NOWHERE
        whole = self.text[block.start : block.end]
        span = sentences(self.text, block.start, block.end)[-1]
        last = self._words(span)
        bold = whole.startswith("**") and whole.rstrip().endswith("**") and len(whole) <= LONGEST_TITLE
        leads = bold or last.endswith((":", "：")) or leads_over(last)
        return span if leads and len(last) <= 2 * LONGEST_TITLE else NOWHERE

    def _words(self, span: Span) -> str:
        return " ".join(plain_text(self.text[span[0] : span[1]]).split())

    def _flow(self, outer: Sequence[Block]) -> Material | None:
        """Take prose and bullets: all of it under a question, else what tells the reader to do something."""
        parts = list(self._parts(outer))
        told = [span for span, does_tell in parts if does_tell]
        asked = asks(self.headings[-1] if self.headings else self.title)
        if not (told or asked or self.alone):
            return None
        if asked or not told:
            kind: Kind = "told" if told else "answer"
            answer = [piece for span, _ in parts[:MOST_ANSWERED] for piece in self._split(span)]
            return self._material(kind, NOWHERE, answer, self.place)
        introduction = told[0] if len(told) > 1 and self._leads(told[0]) else NOWHERE
        steps = [piece for span in told[introduction != NOWHERE :] for piece in self._split(self._telling(span))]
        return self._material("told", introduction, steps, self.place)

    def _leads(self, span: Span) -> bool:
        words = self._words(span)
        return words.endswith((":", "：")) and len(words) <= LONGEST_TITLE

    def _telling(self, span: Span) -> Span:
        """Return a step without the explanations before and after what it tells."""
        found = sentences(self.text, *span)
        telling = [n for n, s in enumerate(found) if tells(plain_text(self.text[s[0] : s[1]], images=False))]
        if span[1] - span[0] <= SHORT_STEP or not telling or self.text[span[0] : span[1]].lstrip()[:1] in "-*+":
            return span
        last = found[-1] if found[telling[-1]] != found[-1] and self._opens(found[telling[-1]]) else found[telling[-1]]
        return found[telling[0]][0], last[1]

    def _opens(self, span: Span) -> bool:
        return self.text[span[0] : span[1]].rstrip("*_ ").endswith((":", "："))

    def _parts(self, outer: Sequence[Block]) -> Iterator[tuple[Span, bool]]:
        """Give paragraphs and items in order and whether they tell; options stay with the words before them."""
        waiting: Block | None = None
        for run in self._runs(outer):
            span = (run[0].start, run[-1].end)
            if run[0].kind == "paragraph" and self._opens(span):
                if waiting:
                    yield self._judged((waiting.start, waiting.end))
                waiting = run[0]
                continue
            yield from self._run(run, waiting)
            waiting = None
        if waiting:
            yield self._judged((waiting.start, waiting.end))

    def _run(self, run: Sequence[Block], waiting: Block | None) -> Iterator[tuple[Span, bool]]:
        """Give one paragraph, table, code or list, with the paragraph that leads over to it."""
        spans = [(b.start, b.end) for b in run if not points_elsewhere(self.text[b.start : b.end])]
        if run[0].kind == "item" and len(spans) * 2 < len(run):
            return
        telling = sum(self._tells(s) for s in spans)
        if run[0].kind == "paragraph" or (spans and telling * 2 >= len(spans)):
            if waiting:
                yield self._judged((waiting.start, waiting.end))
            yield from ((s, self._tells(s)) for s in spans)
        elif waiting and spans:
            yield self._judged((waiting.start, spans[-1][1]))
        elif spans:
            yield from ((s, False) for s in spans if run[0].kind == "item")

    def _runs(self, outer: Sequence[Block]) -> Iterator[list[Block]]:
        run: list[Block] = []
        for block in outer:
            if self._is_mark(block) or block.kind == "html":
                continue
            if run and not (block.kind == "item" and run[-1].kind == "item" and block.list_id == run[-1].list_id):
                yield run
                run = []
            run.append(block)
        if run:
            yield run

    def _judged(self, span: Span) -> tuple[Span, bool]:
        return span, self._tells(span)

    def _tells(self, span: Span) -> bool:
        return any(tells(plain_text(self.text[start:end], images=False)) for start, end in sentences(self.text, *span))

    def _split(self, span: Span) -> list[Span]:
        """Leave a step whole unless it is very long; then its nested items, else groups of sentences."""
        if span[1] - span[0] <= LONGEST_STEP:
            return [span]
        nested = [b for b in self.blocks if b.kind == "item" and b.level == 2 and span[0] < b.start < span[1]]
        cuts = [span[0], *(b.start for b in nested), span[1]]
        if len(cuts) > 2 and cuts[1] - cuts[0] <= SHORT_LABEL:
            del cuts[1]
        found: list[Span] = []
        for start, end in pairwise(cuts):
            for piece in sentences(self.text, start, end):
                if found and found[-1][0] >= start and piece[1] - found[-1][0] <= LONGEST_STEP:
                    found[-1] = (found[-1][0], piece[1])
                else:
                    found.append(piece)
        return found

    def _is_mark(self, block: Block) -> bool:
        return block.kind == "paragraph" and not MARK.sub("", self.text[block.start : block.end]).strip()

    def _material(self, kind: Kind, introduction: Span, steps: Sequence[Span], place: Span) -> Material | None:
        steps = list(steps)
        while steps and kind != "ordered" and self._opens(steps[-1]):
            steps.pop()  # it leads over to something that is no step
        if not steps:
            return None
        words = self._words(introduction)
        title, titled = words, introduction
        if not names_task(words) or len(words) > LONGEST_TITLE:
            title, titled = self._heading()
        return Material(kind, self.headings, words, title, titled, tuple(steps), place)

    def _heading(self) -> tuple[str, Span]:
        """Return what stands over the section and where; a heading that names no matter has the one above in front."""
        heading = self.headings[-1] if self.headings else self.title
        if generic(heading):
            above = self.headings[-2] if len(self.headings) > 1 else self.title
            return (f"{above}: {heading}" if above and above != heading else heading), NOWHERE
        own = next((b for b in self.blocks if b.kind == "heading"), None)
        return heading, (own.start, own.end) if own else NOWHERE
