"""How many lines of a section a model must be shown to see whether it answers (``ask: {model: ...}``).

The development questions of the ranking harness quote the words of their section that answer them. Asked offline, each
is offered the ten best sections with so many lines each; counted is whether a line has the quoted words. The lines are
those that meet the question best. Gains over the line fewer are paired.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from statistics import fmean, stdev
from typing import Any

from autokb.answering.chosen import LINE_CHARACTERS, OFFERED_SECTIONS
from autokb.answering.present import Presentation
from autokb.answering.telling import best_lines
from autokb.pipeline.open_index import open_index
from autokb.retrieval.index import QuestionIndex
from autokb.stores.workspace import open_workspace
from benchmarks.answers import BASES, DATA, make
from benchmarks.figures import Figure, Result
from benchmarks.running import folder

TRIED = (1, 2, 3, 4, 6)
A_BASE = 60  # questions, the first of their file
FEWEST = 25  # characters of a line that counts where it is a part of the quoted words
COMPARED = 60  # characters of the quoted words, from their beginning, that a line must have


def run(options: argparse.Namespace) -> Result:
    """Build the bases and look at what would be offered for their questions."""
    has_words: dict[int, list[float]] = {most: [] for most in TRIED}
    characters: dict[int, list[int]] = {most: [] for most in TRIED}
    figures = []
    with folder() as place:
        for base in BASES[:1] if options.quick else BASES:
            opened = open_index(open_workspace(make(base, place / base)))
            try:
                found = {most: [one[most] for one in _measured(opened.index, base)] for most in TRIED}
            finally:
                opened.close()
            for most, some in found.items():
                has_words[most] += [words for words, _ in some]
                characters[most] += [length for _, length in some]
                figures.append(Figure(f"{base}.{most}_lines", fmean(w for w, _ in some), f"of {len(some)}"))
    figures += _figures(has_words, characters)
    return Result("chosen_lines", figures)


def _measured(index: QuestionIndex, base: str) -> Iterator[dict[int, tuple[float, int]]]:
    """Give for each question, by the number of lines, whether one has the quoted words, and their characters."""
    for gold in _questions(base):
        presentation = Presentation(index.score(gold["question"]))
        solutions = [choice.solution for choice in islice(presentation.distinct(), OFFERED_SECTIONS)]
        quotes = [_plain(section["quote"]) for section in gold["sections"] if section.get("quote")]
        found = {}
        for most in TRIED:
            lines = [line.text for some in best_lines(index, gold["question"], solutions, most) for line in some]
            cut = [line[:LINE_CHARACTERS] for line in lines]
            found[most] = float(any(_has(line, quote) for line in cut for quote in quotes)), sum(map(len, cut))
        yield found


def _questions(base: str) -> Sequence[Any]:
    lines = (DATA / "questions" / "ranking" / f"{base}.jsonl").read_text(encoding="utf-8").splitlines()
    return [one for one in map(json.loads, lines) if any(s.get("quote") for s in one["sections"])][:A_BASE]


def _has(line: str, quote: str) -> bool:
    plain = _plain(line)
    return quote[:COMPARED] in plain or (len(plain) >= FEWEST and plain in quote)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _figures(has_words: Mapping[int, Sequence[float]], characters: Mapping[int, Sequence[int]]) -> Iterator[Figure]:
    before: Sequence[float] = ()
    for most in TRIED:
        yield Figure(f"all.{most}_lines", fmean(has_words[most]), f"of {len(has_words[most])}")
        yield Figure(f"all.{most}_lines.characters", fmean(characters[most]))
        if before:
            gain = [now - was for now, was in zip(has_words[most], before, strict=True)]
            error = stdev(gain) / len(gain) ** 0.5
            yield Figure(f"all.{most}_lines.gain", fmean(gain), f"standard error {error:.3f}")
        before = has_words[most]
