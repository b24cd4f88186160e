"""What every chunker keeps: each character in one place, no chunk too long, a tree that holds."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from benchmarks.joined_units import chunk_joined, join_small_units
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autokb.chunking.auto.auto_chunker import chunk_auto, chunk_from_replies, merge_requests
from autokb.chunking.auto.filtered_page import FilteredPage
from autokb.chunking.auto.units import units_by_structure
from autokb.chunking.boilerplate.page_filter import FRONT_MATTER
from autokb.chunking.chunk_result import ChunkResult, MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.chunking.methods import METHODS
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.chunking.tree import build_chunk_tree, chunks_with_text
from autokb.core.errors import BadInputError
from autokb.core.marks import Mark
from autokb.core.nouns import Chunk, Document, Span
from autokb.tasks.chunking.merge_blocks.task import MergedBlocks
from autokb.text.conditional_markup import CONDITIONAL_MARK
from autokb.text.markdown import front_matter_end, inner_blocks, parse_blocks

DATA = Path(__file__).parents[3] / "shared" / "data"
WORDS = st.sampled_from(["Open", "lid", "the", "buds", "press", "it", "é", "電池", "سماعة", "x" * 30, "[Shop](a.html)"])
SENTENCE = st.lists(WORDS, min_size=1, max_size=9).map(lambda words: " ".join(words) + ".")
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=4).map(" ".join)
ITEMS = st.lists(SENTENCE, min_size=1, max_size=5)
BLANKS = ("\u00a0", "\u2028", "\x0c", " \u3000 ")


def item_with(marker: str, inner: str, items: list[str]) -> str:
    """Return an item with sentences before, inside and after something that should stay whole."""
    inside = {
        "code": ["```", *items, "```"],
        "table": ["| a | b |", "| --- | --- |", *(f"| {item} | x |" for item in items)],
        "steps": [f"{n}. {item}" for n, item in enumerate(items, 1)],
        "notes": [
            line for n, item in enumerate(items, 1) for line in (f"{n}. {item}", "   ```", f"   {item}", "   ```")
        ],
        "bullet": ["- Press it.", "", *(f"  {line}" for line in ("```", *items, "```"))],
    }[inner]
    indent = " " * len(marker)
    lines = [" ".join(items), "", *inside, "", " ".join(reversed(items))]
    return marker + "\n".join(f"{indent}{line}" if line else "" for line in lines)[len(indent) :]


def two_lists(first: list[str], note: str, second: list[str]) -> str:
    """Return an ordered list that goes on after a note."""
    steps = [f"{n}. {item}" for n, item in enumerate([*first, *second], 1)]
    return "\n".join([*steps[: len(first)], "", note, "", *steps[len(first) :]])


WITHIN = st.sampled_from(["code", "table", "steps", "notes", "bullet"])
BLOCK = st.one_of(
    st.builds(item_with, st.sampled_from(["1. ", "- "]), WITHIN, ITEMS),
    st.builds(two_lists, ITEMS, PARAGRAPH, ITEMS),
    st.sampled_from(BLANKS).map(lambda blank: f"## A\n\n{blank}\n\n## B\n\nLast"),
    st.sampled_from([*BLANKS, "***", "-", "#", "> \u00a0", "```\n```", "<!-- no -->", "|-|\n|-|"]),
    st.builds(lambda level, words: f"{'#' * level} {words}", st.integers(1, 6), SENTENCE),
    PARAGRAPH,
    PARAGRAPH.map(lambda text: f"{text[:-1]}:"),
    SENTENCE.map(lambda text: f"**{text}**"),
    SENTENCE.map(lambda text: f"{text[:-1]}?"),
    ITEMS.map(lambda items: "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1))),
    ITEMS.map(lambda items: "\n".join(f"- {item}\n  - {item}" for item in items)),
    ITEMS.map(lambda items: "| a | b |\n| --- | --- |\n" + "\n".join(f"| {item} | {item} |" for item in items)),
    ITEMS.map(lambda items: "```\n" + "\n".join(f"  {item}" for item in items) + "\n```"),
    ITEMS.map(lambda items: "\n".join(f"> {item}" for item in items)),
    st.sampled_from(["![lid](lid.png)", "---", "{for win}", "{/for}", "<div>\n\n<!-- x -->", "[r]: x", "= T =", "*"]),
    st.text(max_size=12),
)
FRONT = st.sampled_from(["", "", "---\ntitle: x\n---\n", "---\ntitle: x\ntags:\n  - y\n---\n\n", "---\n\n"])
ENDS = st.sampled_from(["\n\n", "\n", "\r\n\r\n", "\n \n\n"])
TEXT = st.builds(
    lambda front, parts: front + "".join(block + end for block, end in parts),
    FRONT,
    st.lists(st.tuples(BLOCK, ENDS), max_size=14),
)


def vectors(texts: Sequence[str]) -> Any:
    """Embed by the counts of eight letters; enough to cut somewhere."""
    import numpy as np

    counts = np.array([[text.count(letter) for letter in "aeiopsth"] for text in texts], dtype=np.float32) + 1
    return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def chunked(text: str, method: str, size: int, marks: tuple[Mark, ...] = ()) -> ChunkResult:
    return chunk_page(MarkedPage(Document("d", "T", text), marks), method, size, vectors)


def check(text: str, found: ChunkResult, size: int) -> None:
    """Fail where one of the promises is broken."""
    ids = [chunk.id for chunk in found.chunks]
    assert len(set(ids)) == len(ids)
    seen = [0] * len(text)
    for spans in [*(chunk.spans for chunk in found.chunks), *(noise.spans for noise in found.noise)]:
        assert list(spans) == sorted(spans)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))
        for start, end in spans:
            for place in range(start, end):
                seen[place] += 1
    assert all(n == 1 or (n <= 1 and text[place].isspace()) for place, n in enumerate(seen))
    before: set[str] = set()
    for chunk in found.chunks:
        assert len(chunk.text) <= size
        assert chunk.text.endswith("".join(text[start:end] for start, end in chunk.spans))
        assert bool(chunk.text.strip()) == bool(chunk.spans)
        assert chunk.parent_id is None or chunk.parent_id in before
        before.add(chunk.id)
    assert all(noise.reason and noise.text == "".join(text[s:e] for s, e in noise.spans) for noise in found.noise)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=60, deadline=None)
@given(text=TEXT, size=st.one_of(st.integers(1, 60), st.integers(60, 400)))
def test_every_character_is_in_one_chunk_or_in_the_noise(method: str, text: str, size: int) -> None:
    check(text, chunked(text, method, size), size)


@settings(max_examples=60, deadline=None)
@given(text=TEXT, size=st.integers(1, 400), below=st.integers(1, 400))
def test_so_it_is_where_small_units_are_joined(text: str, size: int, below: int) -> None:
    check(text, chunk_joined(MarkedPage(Document("d", "T", text)), size, below), size)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    text=TEXT,
    size=st.integers(1, 400),
    keep=st.lists(st.booleans(), min_size=1, max_size=9),
    below=st.sampled_from([0, 150, 400]),
)
def test_so_it_is_whatever_is_noise(text: str, size: int, keep: list[bool], below: int) -> None:
    blocks = numbered_blocks(text)
    kept = [keep[n % len(keep)] for n in range(len(blocks))]
    page = FilteredPage.of(text, blocks, kept, {n: "drawn" for n, keeps in enumerate(kept) if not keeps})
    outline = page.outline
    units = join_small_units(outline, units_by_structure(outline), below) if below else units_by_structure(outline)
    check(text, ChunkResult(build_chunk_tree(Document("d", "T", text), outline, units, size), page.noise()), size)


RANGE = st.tuples(st.integers(-3, 40), st.integers(-3, 40))
REPLY = st.lists(RANGE, max_size=8).map(lambda ranges: MergedBlocks(ranges=tuple(ranges)))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(text=TEXT, size=st.integers(1, 400), reply=REPLY, rules_first=st.booleans())
def test_so_it_is_whatever_a_model_replies(text: str, size: int, reply: MergedBlocks, rules_first: bool) -> None:
    page = MarkedPage(Document("d", "T", text))
    replies = [reply] * len(merge_requests(page, rules_first))
    check(text, chunk_from_replies(page, replies, size, rules_first), size)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(text=TEXT, size=st.integers(1, 400), reply=REPLY, asked=st.booleans(), below=st.integers(0, 400))
def test_ordered_lists_tables_and_code_are_whole_while_they_fit(
    text: str, size: int, reply: MergedBlocks, asked: bool, below: int
) -> None:
    page = MarkedPage(Document("d", "T", text))
    found = chunk_joined(page, size, below) if below else chunk_auto(page, size)
    if asked and text.strip():
        found = chunk_from_replies(page, [reply], size)
    for spans in wholes(text):
        if spans[-1][1] - spans[0][0] <= size:
            left_out = any(_meets(part.spans, spans) for part in found.noise)  # maybe for several reasons
            assert sum(_meets(part.spans, spans) for part in found.chunks) + left_out == 1


def wholes(text: str) -> list[list[Span]]:
    """Return the spans of the items of each ordered list, and those of tables and code, inside items too.

    Lists that go on after a note should stay together, and each of them where all together do not fit.
    """
    found = [[(b.start, b.end)] for b in (*numbered_blocks(text), *inner_blocks(text)) if b.kind in ("table", "code")]
    lists: dict[tuple[int, int], list[Span]] = {}
    run = 0
    for block in numbered_blocks(text):
        run += not block.ordered
        if block.ordered:
            lists.setdefault((block.list_id, -1), []).append((block.start, block.end))
            lists.setdefault((block.list_id, run), []).append((block.start, block.end))
    for item in parse_blocks(text):
        if item.ordered and item.level > 1 and item.start < item.end:
            lists.setdefault((item.list_id, -1), []).append((item.start, item.end))
    return found + list(lists.values())


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@example(
    text=f"| a | b |\n| --- | --- |\n| {'x' * 30}. | {'x' * 30}. |\r\n\r\n:\n\n",
    size=60,
    reply=MergedBlocks(ranges=()),
    asked=False,
    below=0,
)
@given(text=TEXT, size=st.integers(60, 400), reply=REPLY, asked=st.booleans(), below=st.sampled_from([0, 150, 400]))
def test_no_chunk_is_without_words_where_another_has_room(
    text: str, size: int, reply: MergedBlocks, asked: bool, below: int
) -> None:
    page = MarkedPage(Document("d", "T", text))
    found = chunk_joined(page, size, below) if below else chunk_auto(page, size)
    if asked and text.strip():
        found = chunk_from_replies(page, [reply], size)
    chunks = [chunk for chunk in found.chunks if chunk.spans]
    for n, chunk in enumerate(chunks):
        own = "".join(text[start:end] for start, end in chunk.spans)
        # The end of a row that was cut has the table's head before it.
        if not re.search(r"[^\W_]", CONDITIONAL_MARK.sub("", own)) and "| --- |" not in chunk.text[: -len(own)]:
            around = [(chunks[m], chunks[m + 1]) for m in (n - 1, n) if 0 <= m < len(chunks) - 1]
            assert any(after.spans[-1][1] - before.spans[0][0] + _table_head(before) > size for before, after in around)
    if front_matter_end(text) and not asked:
        assert (found.noise[0].spans[0][0], found.noise[0].reason) == (0, FRONT_MATTER)


def _table_head(chunk: Chunk) -> int:
    """Return how many characters of the chunk are a table's head that is repeated before the end of a cut row."""
    repeated = chunk.text[: -sum(end - start for start, end in chunk.spans)]
    return len(repeated) if "| --- |" in repeated else 0


def _meets(spans: Sequence[Span], others: Sequence[Span]) -> bool:
    return any(first < end and start < last for first, last in spans for start, end in others)


@pytest.mark.parametrize("method", METHODS)
def test_what_has_no_text_has_no_chunk(method: str) -> None:
    assert chunked(" \n\t\n", method, 100) == ChunkResult(())


@pytest.mark.parametrize("method", METHODS)
def test_an_impossible_size_says_what_to_do(method: str) -> None:
    with pytest.raises(BadInputError, match="at least 1"):
        chunked("One. Two.", method, 0)


def test_chunks_for_search_all_have_text_and_hang_under_one_that_has() -> None:
    text = "# A\n\n## B\n\n" + "Some words. " * 30 + "\n\n### C\n\nMore.\n\n## D\n\nLast."
    chunks = chunks_with_text(chunk_page(MarkedPage(Document("d", "T", text)), "auto_chunker", 200).chunks)
    ids = {chunk.id for chunk in chunks}
    assert all(chunk.spans and chunk.text for chunk in chunks)
    assert all(chunk.parent_id in ids for chunk in chunks if chunk.parent_id)
    assert [c.headings for c in chunks if c.parent_id] == [("A", "B", "C")]


def pages() -> list[tuple[str, str]]:
    """Every fifth page of the data as (name, HTML), each set in turn."""
    found = [*sorted((DATA / "D_chunking").rglob("*.html")), *sorted((DATA / "D_chunking").rglob("*.html.gz"))]
    found = [path for path in found if ".expected." not in path.name]
    return [(path.name, _read(path)) for path in found[::5]]


def _read(path: Path) -> str:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8", "replace")


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the data is not there")
def test_pages_of_the_data_lose_nothing() -> None:
    from autokb.sources.html import html_page

    for name, html in pages():
        page = html_page(html)
        document = Document(name, page.title, page.text)
        for method in ("auto_chunker", "recursive", "headings"):
            check(page.text, chunk_page(MarkedPage(document, page.marks), method, 1000), 1000)


@pytest.mark.skipif(not DATA.is_dir(), reason="the data is not there")
def test_manuals_and_corpora_lose_nothing() -> None:
    texts = [path.read_text("utf-8") for path in sorted((DATA / "D_chunking" / "chroma_eval").rglob("*.md"))]
    with gzip.open(DATA / "E_rps" / "office_support_kb" / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts += [json.loads(line)["markdown"] for number, line in enumerate(lines) if number % 60 == 0]
    for text in texts:
        check(text, chunk_page(MarkedPage(Document("d", "T", text)), "auto_chunker", 800), 800)
