"""What an excerpt holds that could be a solution: its ordered lists, and its prose that instructs or answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache

from autokb.core.domain import ENGLISH
from autokb.heuristics.solutions.instructions import heads_no_solution
from autokb.heuristics.solutions.procedures import (
    bring_preparations,
    bring_what_is_referred_to,
    join_steps_in_sections,
)
from autokb.heuristics.solutions.section_reader import Material, SectionReader
from autokb.text.markdown import Block, parse_blocks, section_at, sections


# Complex: sections are read once, and what refers to others needs all of them; the steps follow each other.
@lru_cache(maxsize=512)
def materials(
    text: str, title: str, headings: tuple[str, ...], language: str = ENGLISH, *, whole: bool = False
) -> tuple[Material, ...]:
    """Return everything in an excerpt that could be a solution, in reading order.

    ``title`` is the document's, ``headings`` those above the excerpt. ``which`` counts those under the same headings.
    ``whole`` adds what only explains: paragraphs beside the steps, and sections that instruct nobody, such as a table
    of lights or the opening paragraph of a document.
    """
    found = sections(text)
    blocks: list[list[Block]] = [[] for _ in found]
    for block in parse_blocks(text):
        blocks[section_at(found, block.start)].append(block)
    result: list[Material] = []
    for number, section in enumerate(found):
        path = (*headings, *section.headings)
        if any(heads_no_solution(heading, language) for heading in path):
            continue
        is_all = len(found) == 1 and not path
        place = (section.start, section.own_end)
        reader = SectionReader(
            text=text,
            title=title,
            headings=path,
            blocks=blocks[number],
            place=place,
            is_all=is_all,
            language=language,
            whole=whole,
        )
        found_here = list(reader.read())
        if whole and not found_here and (explanation := reader.read_explanation()):
            found_here.append(explanation)
        result += [replace(material, section=number, parent=section.parent) for material in found_here]
    result = bring_preparations(text, found, result, language, whole=whole)
    result = bring_what_is_referred_to(text, title, found, result, language)
    result = join_steps_in_sections(title, found, result, language)
    counts: Counter[tuple[str, ...]] = Counter()
    for n, material in enumerate(result):
        result[n] = replace(material, which=counts[material.headings])
        counts[material.headings] += 1
    return tuple(result)
