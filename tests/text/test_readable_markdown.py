"""Markdown in pieces for reading: nothing is lost, and every character has its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.text.readable_markdown import cut, page_starts, pieces, runs

TEXT = """---
title: x
---
# Title

A **strong** word, `code` and a [link](javascript:alert).
It goes on.

1. One
   - inner `x`
2. Two

   a paragraph

| a | b |
|---|---|
| 1 | 2 |

```
code
```

<div>html</div>

Last
====
"""
MARKUP = st.lists(
    st.sampled_from(
        [
            "# ",
            "## x",
            "\n",
            "\n\n",
            "- ",
            "1. ",
            "**",
            "`",
            "[a](b)",
            "> ",
            "```",
            "    ",
            "|",
            "wo rd",
            "é🔋",
            "---",
            "\t",
        ]
    ),
    max_size=40,
)


def test_pieces_have_kinds_and_levels() -> None:
    found = [(one.kind, one.level, TEXT[one.start : one.end].split("\n")[0]) for one in pieces(TEXT)]
    assert ("heading", 1, "# Title") in found and ("item", 1, "1. One") in found and ("item", 2, "- inner `x`") in found
    assert {kind for kind, _, _ in found} >= {"heading", "paragraph", "item", "table", "code", "html"}


def test_markup_is_told_from_words() -> None:
    paragraph = next(one for one in pieces(TEXT) if TEXT[one.start :].startswith("A **"))
    said = {TEXT[r.start : r.end]: r.style for r in runs(TEXT, paragraph)}
    assert said["strong"] == "strong" and said["code"] == "code" and said["**"] == "markup"
    assert said["link"] == "" and said["["] == "markup"


@given(MARKUP.map("".join))
def test_no_character_is_lost_or_shown_twice(text: str) -> None:
    shown = 0
    for piece in pieces(text):
        assert piece.start >= shown and not text[shown : piece.start].strip()
        here = piece.start
        for run in runs(text, piece):
            assert run.start == here < run.end
            here = run.end
        assert here == piece.end
        shown = piece.end
    assert not text[shown:].strip()


@given(MARKUP.map("".join), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4))
def test_spans_are_cut_to_the_character(text: str, some: list[tuple[int, int]]) -> None:
    spans = [(min(a, b), max(a, b)) for a, b in some if a != b]
    for piece in pieces(text):
        for run, inside in cut(runs(text, piece), spans):
            for number, (start, end) in enumerate(spans):
                covered = {start <= n < end for n in range(run.start, run.end)}
                assert covered == {number in inside}


@pytest.mark.parametrize("text", ["", "x" * 95, "word " * 50, "line\n" * 50, "# a\n\ntext\n\n" * 20])
def test_pages_are_bounded_and_leave_out_nothing(text: str) -> None:
    starts = page_starts(text, 30)
    ends = (*starts[1:], len(text))
    assert starts[0] == 0
    assert not text or all(0 < end - start <= 30 for start, end in zip(starts, ends, strict=True))
    assert "".join(text[a:b] for a, b in zip(starts, ends, strict=True)) == text
