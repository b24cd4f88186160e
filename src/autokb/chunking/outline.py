"""Which headings each paragraph stands under, told from the headings that are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from autokb.chunking.blocks import NumberedBlock

Path = tuple[int, ...]  # positions of headings, the outermost first


def paths(blocks: Sequence[NumberedBlock], kept: Sequence[bool]) -> list[Path]:
    """Return for each block the headings that it stands under; a kept heading stands under itself."""
    found: list[Path] = []
    path: Path = ()
    for position, block in enumerate(blocks):
        if block.kind == "heading" and kept[position]:
            while path and blocks[path[-1]].level >= block.level:
                path = path[:-1]
            path = (*path, position)
        found.append(path)
    return found


def common(some: Iterable[Path]) -> Path:
    """Return the headings that all of the paths begin with."""
    shared: Path | None = None
    for path in some:
        if shared is None:
            shared = path
        elif path[: len(shared)] != shared:
            same = (n for n, (a, b) in enumerate(zip(shared, path, strict=False)) if a != b)
            shared = shared[: next(same, min(len(shared), len(path)))]
    return shared or ()


def empty_headings(blocks: Sequence[NumberedBlock], kept: Sequence[bool]) -> set[int]:
    """Return the kept headings with nothing kept below them; the first one names the page and is none of them.

    Nothing is said of a text without anything but headings.
    """
    found = paths(blocks, kept)
    headings = [n for n, block in enumerate(blocks) if block.kind == "heading" and kept[n]]
    said = {heading for n, path in enumerate(found) if kept[n] and blocks[n].kind != "heading" for heading in path}
    return set(headings[1:]) - said if any(kept[n] and b.kind != "heading" for n, b in enumerate(blocks)) else set()


def below(blocks: Sequence[NumberedBlock], heading: int) -> Iterator[int]:
    """Give the paragraphs of a heading's section and of those below it, headings left out."""
    for position in range(heading + 1, len(blocks)):
        if blocks[position].kind != "heading":
            yield position
        elif blocks[position].level <= blocks[heading].level:
            return
