"""What an excerpt holds that could be a solution: its ordered lists, and its prose that instructs or answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Span
from autokb.heuristics.solutions.instructions import (
    announces_steps,
    can_be_title,
    heads_no_solution,
    instructs,
    is_generic,
    is_navigation,
    is_question,
)
from autokb.text.conditional_markup import CONDITIONAL_MARK
from autokb.text.markdown import Block, parse_blocks, plain_text, section_at, sections, sentences

LONGEST_STEP = 900  # characters of Markdown; a longer one is split at its nested items or sentences
LONGEST_TITLE = 160  # characters; what introduces steps and is longer is no title
SHORT_STEP = 250  # characters up to which a paragraph stays whole, also where only part of it instructs
SHORT_LABEL = 40  # characters before nested items that are no step by themselves
MOST_ANSWER_PARTS = 5  # paragraphs and items under a question

NOWHERE: Span = (0, 0)

Kind = Literal["ordered", "prose", "answer"]


@dataclass(frozen=True, slots=True)
class Material:
    """Steps that belong together; ``place`` is what is compared with the windows that were found."""

    kind: Kind
    headings: tuple[str, ...]
    introduction: str
    title: str
    title_span: Span  # where the title is; NOWHERE where the excerpt does not have it
    steps: tuple[Span, ...]
    place: Span
    section: int = 0
    parent: int | None = None
    which: int = 0


@lru_cache(maxsize=512)
def materials(
    text: str, title: str, headings: tuple[str, ...], language: str = ENGLISH, *, whole: bool = False
) -> tuple[Material, ...]:
    """Return everything in an excerpt that could be a solution, in reading order.

    ``title`` is the document's, ``headings`` those above the excerpt. ``which`` counts those under the same headings.
    ``whole`` adds the innermost sections that instruct nobody and only explain, such as a table of lights.
    """
    found = sections(text)
    blocks: list[list[Block]] = [[] for _ in found]
    for block in parse_blocks(text):
        blocks[section_at(found, block.start)].append(block)
    result: list[Material] = []
    counts: Counter[tuple[str, ...]] = Counter()
    for number, section in enumerate(found):
        path = (*headings, *section.headings)
        if any(heads_no_solution(heading, language) for heading in path):
            continue
        is_all = len(found) == 1 and not path
        reader = _SectionReader(text, title, path, blocks[number], (section.start, section.own_end), is_all, language)
        found_here = list(reader.read())
        is_leaf = section.own_end == section.end  # else it introduces the sections below it
        if whole and is_leaf and not found_here and (explanation := reader.read_explanation()):
            found_here.append(explanation)
        for material in found_here:
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
    is_all: bool  # there is no other section; the text itself is then the answer to its title
    language: str

    def read(self) -> Iterator[Material]:
        """Yield each ordered list; where there is none, the prose."""
        outer = [b for b in self.blocks if b.kind != "heading" and (b.level <= 1 or b.kind != "item")]
        lists = list(dict.fromkeys(b.list_id for b in outer if b.kind == "item" and b.ordered))
        introduction = NOWHERE
        for list_id in lists:
            places = [n for n, b in enumerate(outer) if b.kind == "item" and b.list_id == list_id]
            introduction, begin = self._introduction(outer, places[0], introduction)
            if material := self._ordered_list(outer, places, introduction, begin, alone=len(lists) == 1):
                yield material
        if not lists and (material := self._material_from_prose(outer)):
            yield material

    def read_explanation(self) -> Material | None:
        """Return the text of a section as it is; that before all headings only where there is nothing else."""
        if not self.headings and not self.is_all:
            return None
        outer = [b for b in self.blocks if b.kind != "heading" and (b.level <= 1 or b.kind != "item")]
        steps = [step for span, _ in self._parts(outer) for step in self._split(span)]
        return self._material("answer", NOWHERE, steps, self.place)

    def _ordered_list(
        self, outer: Sequence[Block], places: Sequence[int], introduction: Span, begin: int, *, alone: bool
    ) -> Material | None:
        """Take an ordered list whole; what is between two items belongs to the first of them."""
        steps: list[Span] = []
        for here, following in pairwise((*places, self._list_end(outer, places[-1]))):
            last = [block for block in outer[here:following] if not self._is_conditional_mark(block)][-1]
            steps.extend(self._split((outer[here].start, last.end)))
        if sum(is_navigation(self.text[start:end], self.language) for start, end in steps) * 2 > len(steps):
            return None
        return self._material("ordered", introduction, steps, self.place if alone else (begin, steps[-1][1]))

    def _list_end(self, outer: Sequence[Block], last: int) -> int:
        """Return where a list ends; a table or bullets that its last item leads over to belong to it."""
        end = last + 1
        if self._leads_over((outer[last].start, outer[last].end)):
            while end < len(outer) and outer[end].kind in ("table", "code", "item") and not outer[end].ordered:
                end += 1
        return end

    def _introduction(self, outer: Sequence[Block], first: int, previous: Span) -> tuple[Span, int]:
        """Return the words that introduce a list and where they begin; alternatives share one introduction."""
        block = next((b for b in reversed(outer[:first]) if not self._is_conditional_mark(b)), None)
        if block is None:
            return NOWHERE, outer[first].start
        if block.kind == "item":
            return previous, outer[first].start
        words = self._announcement(block)
        return words, outer[first].start if words == NOWHERE else block.start

    def _announcement(self, block: Block) -> Span:
        """Return the last sentence of a paragraph where it leads over to what follows."""
        if block.kind != "paragraph":
            return NOWHERE
        whole = self.text[block.start : block.end]
        span = sentences(self.text, block.start, block.end, language=self.language)[-1]
        last = self._plain(span)
        bold = whole.startswith("**") and whole.rstrip().endswith("**") and len(whole) <= LONGEST_TITLE
        announces = bold or last.endswith((":", "：")) or announces_steps(last, self.language)
        return span if announces and len(last) <= 2 * LONGEST_TITLE else NOWHERE

    def _plain(self, span: Span) -> str:
        return " ".join(plain_text(self.text[span[0] : span[1]]).split())

    def _material_from_prose(self, outer: Sequence[Block]) -> Material | None:
        """Return what prose and bullets offer: an answer under a question, else what instructs the reader."""
        parts = list(self._parts(outer))
        instructing = [span for span, does_instruct in parts if does_instruct]
        asked = is_question(self.headings[-1] if self.headings else self.title, self.language)
        if asked or (self.is_all and not instructing):
            kind: Kind = "prose" if instructing else "answer"
            answer = [step for span, _ in parts[:MOST_ANSWER_PARTS] for step in self._split(span)]
            return self._material(kind, NOWHERE, answer, self.place)
        if not instructing:
            return None
        first = self._plain(instructing[0])
        introduces = len(instructing) > 1 and first.endswith((":", "：")) and len(first) <= LONGEST_TITLE
        introduction = instructing[0] if introduces else NOWHERE
        remaining = instructing[1:] if introduces else instructing
        steps = [step for span in remaining for step in self._split(self._instructing_part(span))]
        return self._material("prose", introduction, steps, self.place)

    def _instructing_part(self, span: Span) -> Span:
        """Return a step without the explanations before and after what it instructs."""
        found = sentences(self.text, *span, language=self.language)
        instructing = [s for s in found if self._sentence_instructs(s)]
        is_short = span[1] - span[0] <= SHORT_STEP
        if is_short or not instructing or self.text[span[0] : span[1]].lstrip()[:1] in "-*+":
            return span
        last = found[-1] if self._leads_over(instructing[-1]) else instructing[-1]
        return instructing[0][0], last[1]

    def _leads_over(self, span: Span) -> bool:
        return self.text[span[0] : span[1]].rstrip("*_ ").endswith((":", "："))

    def _parts(self, outer: Sequence[Block]) -> Iterator[tuple[Span, bool]]:
        """Give paragraphs and items in order and whether they instruct; options stay with the words before them."""
        waiting: Span | None = None  # a paragraph that leads over to what follows it
        for run in self._runs(outer):
            span = (run[0].start, run[-1].end)
            if run[0].kind == "paragraph" and self._leads_over(span):
                if waiting:
                    yield waiting, self._instructs(waiting)
                waiting = span
                continue
            yield from self._run_parts(run, waiting)
            waiting = None
        if waiting:
            yield waiting, self._instructs(waiting)

    def _run_parts(self, run: Sequence[Block], waiting: Span | None) -> Iterator[tuple[Span, bool]]:
        """Give one paragraph, table, code or list, with the paragraph that leads over to it."""
        spans = [(b.start, b.end) for b in run if not is_navigation(self.text[b.start : b.end], self.language)]
        kind = run[0].kind
        if kind == "item" and len(spans) * 2 < len(run):
            return
        instructing = [self._instructs(span) for span in spans]
        if kind == "paragraph" or (spans and sum(instructing) * 2 >= len(spans)):
            if waiting:
                yield waiting, self._instructs(waiting)
            yield from zip(spans, instructing, strict=True)
        elif waiting and spans:
            whole = (waiting[0], spans[-1][1])
            yield whole, self._instructs(whole)
        elif kind == "item":
            yield from ((span, False) for span in spans)

    def _runs(self, outer: Sequence[Block]) -> Iterator[list[Block]]:
        """Give the blocks one by one, and the items of a list together."""
        run: list[Block] = []
        for block in outer:
            if self._is_conditional_mark(block) or block.kind == "html":
                continue
            if run and not (block.kind == "item" and run[-1].kind == "item" and block.list_id == run[-1].list_id):
                yield run
                run = []
            run.append(block)
        if run:
            yield run

    def _instructs(self, span: Span) -> bool:
        return any(map(self._sentence_instructs, sentences(self.text, *span, language=self.language)))

    def _sentence_instructs(self, span: Span) -> bool:
        return instructs(plain_text(self.text[span[0] : span[1]], images=False), self.language)

    def _split(self, span: Span) -> list[Span]:
        """Leave a step whole unless it is very long; then its nested items, else groups of sentences."""
        if span[1] - span[0] <= LONGEST_STEP:
            return [span]
        nested = [b.start for b in self.blocks if b.kind == "item" and b.level == 2 and span[0] < b.start < span[1]]
        if nested and nested[0] - span[0] <= SHORT_LABEL:
            del nested[0]
        found: list[Span] = []
        for start, end in pairwise((span[0], *nested, span[1])):
            for sentence in sentences(self.text, start, end, language=self.language):
                if found and found[-1][0] >= start and sentence[1] - found[-1][0] <= LONGEST_STEP:
                    found[-1] = (found[-1][0], sentence[1])
                else:
                    found.append(sentence)
        return found

    def _is_conditional_mark(self, block: Block) -> bool:
        return block.kind == "paragraph" and not CONDITIONAL_MARK.sub("", self.text[block.start : block.end]).strip()

    def _material(self, kind: Kind, introduction: Span, steps: list[Span], place: Span) -> Material | None:
        """Return the steps with their title; prose that leads over to nothing at its end is no step."""
        while steps and kind != "ordered" and self._leads_over(steps[-1]):
            steps.pop()
        if not steps:
            return None
        words = self._plain(introduction)
        title, title_span = words, introduction
        if not can_be_title(words, self.language) or len(words) > LONGEST_TITLE:
            title, title_span = self._heading()
        return Material(kind, self.headings, words, title, title_span, tuple(steps), place)

    def _heading(self) -> tuple[str, Span]:
        """Return the section's heading and where it is; one that names no matter has the heading above in front."""
        heading = self.headings[-1] if self.headings else self.title
        if is_generic(heading, self.language):
            above = self.headings[-2] if len(self.headings) > 1 else self.title
            return (f"{above}: {heading}" if above and above != heading else heading), NOWHERE
        block = next((b for b in self.blocks if b.kind == "heading"), None)
        return heading, (block.start, block.end) if block else NOWHERE
