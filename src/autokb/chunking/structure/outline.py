"""The blocks of a document that are kept, each under the headings above it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from autokb.text.markdown import Block

Path = tuple[int, ...]  # positions of headings, the outermost first
Unit = tuple[int, ...]  # positions of blocks in order; those that are left out are missing


@dataclass(frozen=True)
class Outline:
    """A document's text with its blocks, which of them are kept, and the kept headings above each."""

    text: str
    blocks: tuple[Block, ...]
    kept: tuple[bool, ...]

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """For each block the headings above it; a kept heading is the last one of its own path."""
        return heading_paths(self.blocks, self.kept)

    def path(self, positions: Sequence[int]) -> Path:
        """Return the headings above all of some blocks; those of headings count where there is no text."""
        texts = [p for p in positions if self.blocks[p].kind != "heading"]
        return common_path(self.paths[p] for p in texts or positions[-1:])

    def written(self, position: int) -> str:
        """Return the Markdown of a block."""
        return self.text[self.blocks[position].start : self.blocks[position].end]

    def text_of(self, unit: Unit) -> str:
        """Return the Markdown of a unit: its blocks with what is between them, without the blocks that are left out."""
        parts = [self.written(unit[0])]
        for before, position in pairwise(unit):
            is_next = position == before + 1
            parts.append(self.text[self.blocks[before].end : self.blocks[position].start] if is_next else "\n\n")
            parts.append(self.written(position))
        return "".join(parts)

    def length(self, unit: Unit) -> int:
        """Return the characters of a unit's Markdown."""
        return len(self.text_of(unit))

    def sections(self) -> Iterator[Unit]:
        """Yield the kept blocks section by section, headings without text of their own with the first one below."""
        section: list[int] = []
        is_first = True
        for position, block in enumerate(self.blocks):
            if not self.kept[position]:
                continue
            if block.kind == "heading" and section:
                only_headings = all(self.blocks[p].kind == "heading" for p in section)
                # A page's name may be a heading of the level of its first section; it is no empty section.
                is_name = is_first and len(section) == 1
                is_below = self.paths[section[-1]] == self.paths[position][:-1]
                if not only_headings or not (is_name or is_below):
                    is_first = False
                    yield tuple(section)
                    section = []
            section.append(position)
        if section:
            yield tuple(section)


def heading_paths(blocks: Sequence[Block], kept: Sequence[bool]) -> tuple[Path, ...]:
    """Return for each block the kept headings above it, itself the last where it is one."""
    found: list[Path] = []
    path: Path = ()
    for position, block in enumerate(blocks):
        if block.kind == "heading" and kept[position]:
            while path and blocks[path[-1]].level >= block.level:
                path = path[:-1]
            path = (*path, position)
        found.append(path)
    return tuple(found)


def common_path(paths: Iterable[Path]) -> Path:
    """Return the headings that all of the paths begin with."""
    shared: Path | None = None
    for path in paths:
        if shared is None:
            shared = path
        elif path[: len(shared)] != shared:
            same = (n for n, (a, b) in enumerate(zip(shared, path, strict=False)) if a != b)
            shared = shared[: next(same, min(len(shared), len(path)))]
    return shared or ()


def headings_with_text(blocks: Sequence[Block], kept: Sequence[bool], has_text: Sequence[bool]) -> frozenset[int]:
    """Return the kept headings with one of the blocks that have text below them, however deep."""
    paths = heading_paths(blocks, kept)
    return frozenset(heading for path, has in zip(paths, has_text, strict=True) if has for heading in path)
