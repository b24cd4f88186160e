"""What one section of a manual offers: its ordered lists, else its prose, each with all that belongs to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice, pairwise
from typing import Literal

from autokb.core.nouns import Span
from autokb.heuristics.solutions.instructions import (
    announces_steps,
    begins_with_condition,
    instructs,
    is_author_note,
    is_generic,
    is_label,
    is_navigation,
    is_note,
    is_question,
    names_matter,
)
from autokb.text.conditional_markup import CONDITIONAL_MARK, find_conditionals
from autokb.text.markdown import Block, code_within
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences

LONGEST_STEP = 900  # characters of Markdown; a longer one is split at its nested items or sentences
LONGEST_LEAD = 320  # characters of a sentence that leads over to a list and is read with its first item
LONGEST_BOLD_LEAD = 160  # characters of a paragraph in bold that leads over without a colon
SHORT_STEP = 250  # characters up to which a paragraph stays whole, also where only part of it instructs
SHORT_LABEL = 40  # characters before nested items that are no step by themselves
MOST_ANSWER_PARTS = 5  # paragraphs and lists under a question

NOWHERE: Span = (0, 0)

Kind = Literal["ordered", "prose", "answer"]


@dataclass(frozen=True, slots=True)
class Material:
    """Steps that belong together; ``place`` is what is compared with the windows that were found.

    ``core`` is where the material's own steps are; what comes with them, such as what to prepare, may be elsewhere.
    Steps of one list have its number in ``lists``, others -1. ``missing`` are words of a step that refer to what the
    excerpt does not have.
    """

    kind: Kind
    headings: tuple[str, ...]
    introduction: str
    title: str
    title_span: Span  # where the title is; NOWHERE where the excerpt does not have it
    steps: tuple[Span, ...]
    place: Span
    core: Span
    lists: tuple[int, ...] = ()
    section: int = 0
    parent: int | None = None
    which: int = 0
    missing: tuple[tuple[Span, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _SectionPart:
    """A paragraph, item, table or code, with the words that lead over to it."""

    span: Span
    instructs: bool
    is_paragraph: bool = False
    list_id: int = -1


@dataclass(frozen=True, slots=True)
class _List:
    """An ordered list among the blocks of a section: from its introduction to the last that belongs to an item."""

    places: tuple[int, ...]
    end: int
    introduced_at: int
    introduction: Span
    introduces_here: bool  # else the introduction is that of the alternative before


@dataclass(frozen=True, slots=True)
class SectionReader:
    """Reads one section: ``blocks`` are its own, nested items among them."""

    text: str
    title: str
    headings: tuple[str, ...]
    blocks: Sequence[Block]
    place: Span
    is_all: bool  # there is no other section; the text itself is then the answer to its title
    language: str
    whole: bool  # what only explains is read, too

    def read(self) -> Iterator[Material]:
        """Yield each ordered list with what is beside it; where there is none, the prose."""
        outer = self._outer_blocks()
        if any(b.kind == "item" and b.ordered for b in outer):
            found = self._from_lists(outer, self._ordered_lists(outer))
        else:
            found = iter([self._material_from_prose(outer)])
        yield from filter(None, found)

    def _from_lists(self, outer: Sequence[Block], lists: Sequence[_List]) -> Iterator[Material | None]:
        """Yield each list with what is beside it; what is beside alternatives goes with each of them."""
        if not lists:
            return
        shared = self._are_alternatives(outer, lists)
        ends = [one.introduced_at for one in lists[1:]] + [len(outer)]
        first = self._remarks(outer[: lists[0].introduced_at])
        last = self._remarks(outer[lists[-1].end :])
        for n, (one, end) in enumerate(zip(lists, ends, strict=True)):
            before = first if n == 0 or shared else []
            after = last if n == len(lists) - 1 or shared else self._remarks(outer[one.end : end])
            is_only = sum(other.introduction == one.introduction for other in lists) == 1
            yield self._ordered_list(
                outer, one, before, after, several=len(lists) > 1, labelled=len(lists) > 1 and is_only
            )

    def read_explanation(self) -> Material | None:
        """Return the text of a section as it is, such as the opening paragraph of a document."""
        return self._material("answer", "", list(self._parts(self._outer_blocks())))

    def _outer_blocks(self) -> list[Block]:
        outer = (
            self._without_author_notes(b)
            for b in self.blocks
            if b.kind not in ("heading", "html", "front matter")
            and (b.level <= 1 or b.kind != "item")
            and (b.kind != "paragraph" or CONDITIONAL_MARK.sub("", self.text[b.start : b.end]).strip())
        )
        return [block for block in outer if block.end > block.start]

    def _without_author_notes(self, block: Block) -> Block:
        """Return a block up to its first note of an author; what follows a note goes on with it."""
        if block.kind not in ("paragraph", "item"):
            return block
        before = block.start
        for span in self._sentences((block.start, block.end)):
            if is_author_note(self._plain(span), self.language):
                return replace(block, end=before)
            before = span[1]
        return block

    # -- ordered lists --------------------------------------------------------------------------------------------

    def _ordered_lists(self, outer: Sequence[Block]) -> list[_List]:
        """Return the ordered lists in their order without those that only lead to other pages."""
        found: list[_List] = []
        introduction = NOWHERE
        for places in self._places_of_lists(outer):
            before = outer[places[0] - 1] if places[0] else None
            here = before is not None and before.kind != "item"
            if before is None or here:
                introduction = self._announcement(before) if before else NOWHERE
            introduced_at = places[0] - (here and introduction != NOWHERE)
            found.append(_List(places, self._list_end(outer, places[-1]), introduced_at, introduction, here))
        return found

    def _list_end(self, outer: Sequence[Block], last: int) -> int:
        """Return where a list ends; a table or bullets that its last item leads over to belong to it."""
        end = last + 1
        if self._leads_over((outer[last].start, outer[last].end)):
            while end < len(outer) and outer[end].kind in ("table", "code", "item") and not outer[end].ordered:
                end += 1
        return end

    def _are_alternatives(self, outer: Sequence[Block], lists: Sequence[_List]) -> bool:
        """Return whether each list is in a conditional part of its own; what is around them belongs to each."""
        if len(lists) < 2 or not CONDITIONAL_MARK.search(self.text, *self.place):
            return False
        conditionals = find_conditionals(self.text)
        innermost: set[Span] = set()
        for one in lists:
            first, last = outer[one.places[0]].start, outer[one.places[-1]].end
            around = [(c.start, c.end) for c in conditionals if c.start <= first and last <= c.end]
            innermost.add(around[-1] if around else NOWHERE)
        return NOWHERE not in innermost and len(innermost) == len(lists)

    def _ordered_list(
        self,
        outer: Sequence[Block],
        one: _List,
        before: list[_SectionPart],
        after: list[_SectionPart],
        *,
        several: bool,
        labelled: bool,
    ) -> Material | None:
        """Take an ordered list whole; what is between two items belongs to the first of them."""
        words = self._plain(one.introduction)
        labels = labelled and is_label(words, self.language)
        items = [
            _SectionPart((outer[here].start, outer[following - 1].end), True, list_id=outer[here].list_id)
            for here, following in pairwise((*one.places, one.end))
        ]
        core = (items[0].span[0], items[-1].span[1])
        if one.introduces_here and one.introduction != NOWHERE:
            paragraph = outer[one.introduced_at]
            before = before + self._remarks_of((paragraph.start, one.introduction[0]))
            if not labels and names_matter(words, self.language):
                items[:1] = self._with_lead(one.introduction, items[0], core[1])
        parts = [*before, *items, *after]
        place = (outer[one.introduced_at].start, parts[-1].span[1]) if several else self.place
        return self._material("ordered", words, parts, place, core, label=words if labels else "")

    def _with_lead(self, lead: Span, first: _SectionPart, end: int) -> list[_SectionPart]:
        """Return the first item of a list with the words that lead over to it, unless it is for others than the rest.

        ``end`` is where the list ends.
        """
        is_apart = CONDITIONAL_MARK.search(self.text, lead[1], first.span[0]) and any(
            lead[1] <= c.start < first.span[0] and c.end < end for c in find_conditionals(self.text)
        )
        if is_apart or lead[1] - lead[0] > LONGEST_LEAD:
            return [*self._remarks_of(lead), first]
        return [_SectionPart((lead[0], first.span[1]), first.instructs, list_id=first.list_id)]

    def _places_of_lists(self, outer: Sequence[Block]) -> Iterator[tuple[int, ...]]:
        """Yield the places of the items of each ordered list, unless most of them only lead to other pages."""
        for list_id in dict.fromkeys(b.list_id for b in outer if b.ordered):
            places = tuple(n for n, b in enumerate(outer) if b.list_id == list_id)
            items = [self.text[outer[n].start : outer[n].end] for n in places]
            if sum(is_navigation(item, self.language) for item in items) * 2 <= len(items):
                yield places

    def _announcement(self, block: Block) -> Span:
        """Return the last sentence of a paragraph where it leads over to what follows."""
        if block.kind != "paragraph":
            return NOWHERE
        whole = self.text[block.start : block.end]
        span = sentences(self.text, block.start, block.end, language=self.language)[-1]
        last = self._plain(span)
        if is_note(last, self.language):
            return NOWHERE
        bold = whole.startswith("**") and whole.rstrip().endswith("**") and len(whole) <= LONGEST_BOLD_LEAD
        announces = last.endswith((":", "：")) or announces_steps(last, self.language)
        announces = announces or (bold and not is_note(self._plain((block.start, block.end)), self.language))
        return span if announces and len(last) <= LONGEST_LEAD else NOWHERE

    # -- what is beside a list ------------------------------------------------------------------------------------

    def _remarks(self, outer: Sequence[Block]) -> list[_SectionPart]:
        return self._chosen(list(self._parts(outer)))

    def _remarks_of(self, span: Span) -> list[_SectionPart]:
        """Return what is to be read of part of a paragraph."""
        found = sentences(self.text, *span, language=self.language)
        if not found:
            return []
        return self._chosen([_SectionPart((found[0][0], found[-1][1]), self._instructs(span), is_paragraph=True)])

    def _chosen(self, parts: Sequence[_SectionPart]) -> list[_SectionPart]:
        """Return what belongs to a solution: lists, tables and code whole; of paragraphs, what is not only talk."""
        if self.whole:
            return list(parts)
        return [
            _SectionPart(self._telling_part(part.span), part.instructs, is_paragraph=True)
            if part.is_paragraph
            else part
            for part in parts
            if not part.is_paragraph or self._tells(part.span)
        ]

    def _tells(self, span: Span) -> bool:
        """Return whether a paragraph instructs, says what holds under a condition, or is a note."""
        return is_note(self._plain(span), self.language) or any(map(self._sentence_tells, self._sentences(span)))

    def _telling_part(self, span: Span) -> Span:
        """Return the span from a paragraph's first to its last instruction, condition or note.

        A paragraph of at most ``SHORT_STEP`` characters, a note, and one that instructs nobody are returned whole.
        """
        if span[1] - span[0] <= SHORT_STEP or is_note(self._plain(span), self.language):
            return span
        found = self._sentences(span)
        telling = [s for s in found if self._sentence_tells(s)]
        if not telling:
            return span
        last = found[-1] if self._leads_over(telling[-1]) else telling[-1]
        return telling[0][0], last[1]

    def _sentence_tells(self, span: Span) -> bool:
        return self._sentence_instructs(span) or begins_with_condition(self._plain(span), self.language)

    # -- prose ----------------------------------------------------------------------------------------------------

    def _material_from_prose(self, outer: Sequence[Block]) -> Material | None:
        """Return what prose and bullets offer: an answer under a question, else what tells the reader what to do."""
        parts = list(self._parts(outer))
        instructing = any(part.instructs for part in parts)
        asked = is_question(self.headings[-1] if self.headings else self.title, self.language)
        if asked or (self.is_all and not instructing):
            return self._material("prose" if instructing else "answer", "", self._first_parts(parts))
        return self._material("prose", "", self._chosen(parts)) if instructing else None

    def _first_parts(self, parts: Sequence[_SectionPart]) -> list[_SectionPart]:
        """Return the first paragraphs and lists of an answer; a list is one part."""
        if self.whole:
            return list(parts)
        runs = groupby(parts, lambda part: part.list_id if part.list_id >= 0 else part)
        return [part for _, run in islice(runs, MOST_ANSWER_PARTS) for part in run]

    def _parts(self, outer: Sequence[Block]) -> Iterator[_SectionPart]:
        """Give paragraphs and items in order; options stay with the words before them, code with its paragraph."""
        lead: Span | None = None  # of the run before, a paragraph
        runs = [list(run) for _, run in groupby(outer, lambda b: b.list_id if b.kind == "item" else b)]
        for run, following in zip(runs, [*runs[1:], None], strict=False):
            span, kind = (run[0].start, run[-1].end), following[0].kind if following else "paragraph"
            if run[0].kind != "paragraph":
                yield from self._led_parts(run, lead) if lead else self._run_parts(run)
                lead = None
            elif kind == "code" or (kind != "paragraph" and self._leads_over(span)):
                lead = span
            else:
                yield _SectionPart(span, self._instructs(span), is_paragraph=True)

    def _led_parts(self, run: Sequence[Block], lead: Span) -> Iterator[_SectionPart]:
        """Give a table, code or list with the paragraph that leads over to it; a list that instructs item by item."""
        parts = list(self._run_parts(run))
        if parts and run[0].kind == "item" and sum(part.instructs for part in parts) * 2 >= len(parts):
            yield from self._with_lead(lead, parts[0], parts[-1].span[1])
            yield from parts[1:]
        elif parts:
            whole = (lead[0], parts[-1].span[1])
            yield _SectionPart(whole, self._instructs(whole), list_id=run[0].list_id)

    def _run_parts(self, run: Sequence[Block]) -> Iterator[_SectionPart]:
        """Give a table, code, or the items of a list; a list that mostly leads to other pages is left out."""
        leading_away = sum(is_navigation(self.text[b.start : b.end], self.language) for b in run)
        if run[0].kind != "item" or leading_away * 2 <= len(run):
            for block in run:
                yield _SectionPart(
                    (block.start, block.end), self._instructs((block.start, block.end)), list_id=block.list_id
                )

    # -- sentences ------------------------------------------------------------------------------------------------

    def _plain(self, span: Span) -> str:
        return " ".join(plain_text(self.text[span[0] : span[1]]).split())

    def _sentences(self, span: Span) -> tuple[Span, ...]:
        return sentences(self.text, *span, language=self.language)

    def _leads_over(self, span: Span) -> bool:
        return self.text[span[0] : span[1]].rstrip("*_ ").endswith((":", "："))

    def _instructs(self, span: Span) -> bool:
        return any(map(self._sentence_instructs, self._sentences(span)))

    def _sentence_instructs(self, span: Span) -> bool:
        return instructs(plain_text(self.text[span[0] : span[1]], images=False), self.language)

    def _split(self, span: Span) -> list[Span]:
        """Leave a step whole unless it is very long; then its nested items, else groups of sentences."""
        if span[1] - span[0] <= LONGEST_STEP:
            return [span]
        found: list[Span] = []
        for start, end in pairwise((span[0], *self._nested_items(span), span[1])):
            for unit, is_code in self._units((start, end)):
                goes_on = found and found[-1][0] >= start
                if goes_on and (is_code or unit[1] - found[-1][0] <= LONGEST_STEP):
                    found[-1] = (found[-1][0], unit[1])
                else:
                    found.append(unit)
        return found

    def _nested_items(self, span: Span) -> list[int]:
        """Return where the items inside a step begin, without one that only its label stands before."""
        nested = [b.start for b in self.blocks if b.kind == "item" and b.level == 2 and span[0] < b.start < span[1]]
        return nested[1:] if nested and nested[0] - span[0] <= SHORT_LABEL else nested

    def _units(self, span: Span) -> Iterator[tuple[Span, bool]]:
        """Give the sentences of a span and its code, which goes with the sentence before: a part of it is no code."""
        here = span[0]
        for start, end in code_within(self.text, span):
            yield from ((sentence, False) for sentence in self._sentences((here, start)))
            yield (start, end), True
            here = end
        yield from ((sentence, False) for sentence in self._sentences((here, span[1])))

    # -- the result -----------------------------------------------------------------------------------------------

    # Complex: the defaults of place and title follow from the steps, which are known only here.
    def _material(
        self,
        kind: Kind,
        introduction: str,
        parts: Sequence[_SectionPart],
        place: Span | None = None,
        core: Span | None = None,
        *,
        label: str = "",
    ) -> Material | None:
        """Return the steps with their title; a paragraph at the end that leads over to nothing is no step."""
        left = list(parts)
        while left and left[-1].is_paragraph and self._leads_over(left[-1].span):
            left.pop()
        if not left:
            return None
        steps = [(step, part.list_id) for part in left for step in self._split(part.span)]
        title, title_span = self._heading()
        return Material(
            kind=kind,
            headings=self.headings,
            introduction=introduction,
            title=f"{title}: {label}" if label else title,
            title_span=NOWHERE if label else title_span,
            steps=tuple(step for step, _ in steps),
            place=place or self.place,
            core=core or (steps[0][0][0], steps[-1][0][1]),
            lists=tuple(list_id for _, list_id in steps),
        )

    def _heading(self) -> tuple[str, Span]:
        """Return the section's heading and where it is; one that names no matter has the heading above in front."""
        heading = self.headings[-1] if self.headings else self.title
        if is_generic(heading, self.language):
            above = self.headings[-2] if len(self.headings) > 1 else self.title
            return (f"{above}: {heading}" if above and above != heading else heading), NOWHERE
        block = next((b for b in self.blocks if b.kind == "heading"), None)
        return heading, (block.start, block.end) if block else NOWHERE
