"""Chunks in a terminal: the tree of chunks with their sizes, and what was dropped and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from autokb.chunking.chunk_result import Noise
from autokb.cli.views import several
from autokb.core.nouns import Chunk, Skipped
from autokb.pipeline.chunk_files import ChunkedDocument
from autokb.text.plain_text import plain_text

MOST_CHUNKS = 40  # of a document that are shown
MOST_REASONS = 8  # reasons for which something was dropped that are shown
MOST_PLACES = 3  # dropped places of one reason that are shown
NARROW = 80  # columns; a wider terminal shows more of each line
LABEL = 52  # characters of a chunk's beginning at 80 columns
PLACE = 64  # characters of what was dropped at 80 columns
DEEPEST = 6  # levels of the tree that are drawn as such: deeper ones would leave no room at 80 columns
BEGINNING = 600  # characters of a chunk of which the beginning is made


def chunked_view(chunked: ChunkedDocument, width: int = NARROW) -> RenderableType:
    """Show one document in so many columns."""
    more = max(0, width - NARROW)
    chunks = chunked.result.chunks
    sizes = [len(chunk.text) for chunk in chunks if chunk.spans]
    head = Text(f"{shown(chunked.document.id, 200)}", style="bold")
    mean = f", {sum(sizes) / len(sizes):,.0f} characters on average, {max(sizes):,} at most" if sizes else ""
    answered = f" ({chunked.model})" if chunked.model else ""
    line = Text(f"{chunked.method}{answered}: {several(len(sizes), 'chunk')}{mean}", style="cyan")
    counts = sorted((name, n) for name, n in chunked.result.counts.items() if n)
    mended = [Text(f"mended: {', '.join(f'{name} {n}' for name, n in counts)}", style="dim")] if counts else []
    return Group(head, line, _tree(chunks, LABEL + more), *_dropped(chunked, PLACE + more), *mended, Text(""))


def shown(text: str, width: int) -> str:
    """Return a text as one line of so many columns of a terminal: what could steer the terminal is left out."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if cell_len(words) <= width else set_cell_size(words, width - 1).rstrip() + "…"


def _tree(chunks: Sequence[Chunk], width: int) -> RenderableType:
    root = Tree(Text(""), guide_style="dim", hide_root=True)
    places: dict[str, tuple[Tree, int]] = {}
    for chunk in chunks[:MOST_CHUNKS]:
        above, level = places.get(chunk.parent_id or "", (root, 0))
        branch = above.add(_label(chunk, width))
        places[chunk.id] = (branch, level + 1) if level + 1 < DEEPEST else (above, level)
    if len(chunks) > MOST_CHUNKS:
        root.add(Text(f"... and {several(len(chunks) - MOST_CHUNKS, 'more chunk')}; --json lists all", style="dim"))
    return root


def _label(chunk: Chunk, width: int) -> Text:
    """Return a chunk's heading, the beginning of what it says, and its size."""
    heading = shown(chunk.headings[-1], width) if chunk.headings else ""
    if not chunk.spans:
        return Text(heading, style="bold dim")
    label = Text(f"{len(chunk.text):>5,}  ", style="cyan")
    label.append(heading, style="bold")
    beginning = shown(_first_line(chunk), max(width - cell_len(heading), 12))
    return label.append(f"{'  ' if heading and beginning else ''}{beginning}")


def _first_line(chunk: Chunk) -> str:
    """Return the beginning of what a chunk says below its headings."""
    lines = [line for line in plain_text(chunk.text[:BEGINNING]).split("\n") if line.strip()]
    names = {shown(heading, LABEL) for heading in chunk.headings}
    return next((line for line in lines if shown(line, LABEL) not in names), "")


def _dropped(chunked: ChunkedDocument, width: int) -> Iterator[Text]:
    noise = sorted(chunked.result.noise, key=lambda n: n.reason)
    groups = [(reason, list(own)) for reason, own in groupby(noise, key=lambda n: n.reason)]
    groups.sort(key=lambda group: -_characters(group[1]))
    if noise:
        dropped, kept = _characters(noise), _characters(chunked.result.chunks)
        yield Text(f"dropped: {dropped:,} of {dropped + kept:,} characters", style="yellow")
    for reason, own in groups[:MOST_REASONS]:
        yield Text(f"  {_characters(own):>5,}  {shown(reason, 60)}", style="yellow")
        for part in own[:MOST_PLACES]:
            yield Text(
                f"           {shown(plain_text(part.text[:BEGINNING]) or part.text[:BEGINNING], width)}", style="dim"
            )
        if len(own) > MOST_PLACES:
            yield Text(f"           ... and {several(len(own) - MOST_PLACES, 'more place')}", style="dim")
    if len(groups) > MOST_REASONS:
        yield Text(f"  ... for {several(len(groups) - MOST_REASONS, 'more reason')}; --json lists all", style="yellow")


def _characters(parts: Sequence[Noise] | Sequence[Chunk]) -> int:
    """Return how many characters of the document chunks or noise hold."""
    return sum(end - start for part in parts for start, end in part.spans)


def skipped_view(skipped: Skipped) -> Text:
    """Show what was not chunked and why."""
    return Text(f"not cut: {shown(skipped.path, 200)}: {shown(skipped.reason, 400)}", style="red")


def markdown_of(chunked: ChunkedDocument) -> str:
    """Return the chunks as Markdown, each behind a comment with its id, for another program or an editor."""
    parts = [f"<!-- document {shown(chunked.document.id, 400).replace('--', '- -')} -->"]
    parts += [f"<!-- chunk {chunk.id} -->\n{chunk.text}" for chunk in chunked.result.chunks if chunk.spans]
    return "\n\n".join(parts) + "\n"
