from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autokb.chunking.baselines.fixed import chunk_fixed
from autokb.chunking.chunk_result import ChunkResult, MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.core.errors import BadInputError
from autokb.core.nouns import Document
from autokb.core.settings import CHUNK_SIZE

PIECES = st.sampled_from(
    [
        "# A\n",
        "## B\n\n",
        "Some text. More text here.\n\n",
        "1. one\n2. two\n   - x\n\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n",
        "```\ncode\n\n# no\n```\n",
        "> q\n> # h\n",
        "Head\n====\n",
        "{for win}\n",
        "averyveryverylongword",
        "\r\n",
        "\u2028",
        "[r]: x\n",
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=25).map("".join)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fixed", "headings"])  # test_lossless.py holds all of them
@settings(max_examples=150, deadline=None)
@given(text=TEXTS, size=st.integers(1, 120))
def test_every_character_is_in_exactly_one_chunk(method, text, size):
    chunks = chunk_page(MarkedPage(Document("d", "T", text)), method, size).chunks
    seen = [0] * len(text)
    for chunk in chunks:
        assert len(chunk.text) <= size
        assert chunk.text.endswith("".join(text[start:end] for start, end in chunk.spans))
        for start, end in chunk.spans:
            for place in range(start, end):
                seen[place] += 1
    assert all(n == 1 or (n == 0 and text[place].isspace()) for place, n in enumerate(seen))
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_a_cut_falls_between_words_where_one_ends_within_reach():
    text = "word " * 1000
    chunks = chunk_fixed(MarkedPage(Document("d", "T", text)), CHUNK_SIZE).chunks
    assert all(chunk.text.split() == ["word"] * len(chunk.text.split()) for chunk in chunks)
    assert all(0.8 * CHUNK_SIZE <= len(chunk.text) <= CHUNK_SIZE for chunk in chunks[:-1])


def test_a_chunk_knows_the_headings_it_begins_under():
    text = "# A\n\n" + "x " * 30 + "\n\n## B\n\n" + "y " * 60
    chunks = chunk_fixed(MarkedPage(Document("d", "T", text)), 60).chunks
    assert chunks[0].headings == ("A",)
    assert chunks[-1].headings == ("A", "B")


def test_ids_stay_when_text_before_them_changes_and_repeats_are_counted():
    same = "z" * 20
    before = chunk_fixed(MarkedPage(Document("d", "T", "a" * 20 + same)), 20).chunks
    after = chunk_fixed(MarkedPage(Document("d", "T", "b" * 20 + same)), 20).chunks
    assert before[1].id == after[1].id
    assert before[0].id != after[0].id
    twice = chunk_fixed(MarkedPage(Document("d", "T", same + same)), 20).chunks
    assert twice[0].id == before[1].id
    assert twice[1].id != twice[0].id
    assert chunk_fixed(MarkedPage(Document("other", "T", same)), 20).chunks[0].id != twice[0].id


def test_a_document_without_text_has_no_chunks():
    assert chunk_fixed(MarkedPage(Document("d", "T", " \n ")), 100) == ChunkResult(())


def test_an_unknown_method_and_an_impossible_size_say_what_to_do():
    with pytest.raises(BadInputError, match=r"choose one of: .*fixed"):
        chunk_page(MarkedPage(Document("d", "T", "x")), "no such", 100)
    with pytest.raises(BadInputError, match="at least 1"):
        chunk_page(MarkedPage(Document("d", "T", "x")), "fixed", 0)
