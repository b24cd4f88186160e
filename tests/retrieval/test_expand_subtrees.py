"""Hits bring their subtrees: without doubles, best first, in document order, never more than asked for."""

from __future__ import annotations

import pytest

from autokb.core.nouns import Chunk, Hit
from autokb.retrieval.expand_subtrees import expand_subtrees


def chunk(name: str, parent: str | None = None, text: str = "text", document: str = "d") -> Chunk:
    return Chunk(name, document, text, ((0, 1),) if text else (), (), parent)


# a          e (another document)
# ├─ b       └─ f
# │  └─ c
# └─ d
CHUNKS = (
    chunk("a"),
    chunk("b", "a"),
    chunk("c", "b"),
    chunk("d", "a"),
    chunk("e", document="other"),
    chunk("f", "e", document="other"),
)


@pytest.mark.parametrize(
    ("hits", "k", "expected"),
    [
        ({}, 5, []),
        ({"c": 0.9}, 5, [("c", 0.9)]),
        ({"b": 0.9}, 5, [("b", 0.9), ("c", 0.9)]),
        ({"a": 0.9}, 9, [("a", 0.9), ("b", 0.9), ("c", 0.9), ("d", 0.9)]),
        # a hit inside another's subtree lends it its score and is not doubled
        ({"a": 0.2, "c": 0.9, "f": 0.5}, 9, [("a", 0.9), ("b", 0.9), ("c", 0.9), ("d", 0.9), ("f", 0.5)]),
        # the best subtree first, whatever the order of the hits and of the documents
        ({"d": 0.3, "f": 0.8}, 9, [("f", 0.8), ("d", 0.3)]),
        ({"d": 0.3, "b": 0.3}, 9, [("b", 0.3), ("c", 0.3), ("d", 0.3)]),
        # what there is no room for: chunks that were only brought go before hits
        ({"a": 0.2, "d": 0.9}, 2, [("a", 0.9), ("d", 0.9)]),
        ({"a": 0.2, "d": 0.9}, 1, [("d", 0.9)]),
        ({"a": 0.2, "d": 0.9}, 3, [("a", 0.9), ("b", 0.9), ("d", 0.9)]),
        ({"b": 0.9, "e": 0.5}, 3, [("b", 0.9), ("c", 0.9), ("e", 0.5)]),
        ({"b": 0.9, "e": 0.5}, 2, [("b", 0.9), ("c", 0.9)]),
        ({"c": -0.1, "f": -0.2}, 2, [("c", -0.1), ("f", -0.2)]),
    ],
)
def test_subtrees(hits: dict[str, float], k: int, expected: list[tuple[str, float]]) -> None:
    found = expand_subtrees([Hit(name, score) for name, score in hits.items()], CHUNKS, k)
    assert [(hit.id, hit.score) for hit in found] == expected


def test_a_chunk_that_is_hit_twice_counts_once_with_its_better_score() -> None:
    assert expand_subtrees([Hit("c", 0.2), Hit("c", 0.7), Hit("c", 0.1)], CHUNKS, 5) == (Hit("c", 0.7),)


def test_a_heading_without_text_brings_what_stands_below_it_and_takes_no_room() -> None:
    chunks = (chunk("top", text=""), chunk("one", "top"), chunk("inner", "top", text=""), chunk("two", "inner"))
    assert expand_subtrees([Hit("top", 0.5)], chunks, 2) == (Hit("one", 0.5), Hit("two", 0.5))


def test_chunks_that_are_each_others_parents_end() -> None:
    chunks = (chunk("one", "two"), chunk("two", "one"))
    assert {hit.id for hit in expand_subtrees([Hit("one", 0.5)], chunks, 5)} == {"one", "two"}


def test_a_hit_that_was_not_searched_is_an_error() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        expand_subtrees([Hit("nowhere", 0.5)], CHUNKS, 5)
