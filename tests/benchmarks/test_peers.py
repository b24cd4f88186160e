"""Other people's chunkers behind our shape: where their pieces stand, and that nothing of the text is lost."""

from __future__ import annotations

import pytest
from benchmarks.peers import PEERS, aligned

from autokb.core.nouns import Document

TEXT = (
    "# Kettle\n\nThe kettle boils a litre of water. It takes three minutes.\n\n## Descaling\n\n"
    "1. Fill it with vinegar.\n2. Boil it  once.\n\n```\nkettle --boil\n```\n\nA loud kettle is scaled – mostly.\n"
)


def test_pieces_with_other_white_space_are_found() -> None:
    text = "One  two.\n\nThree\u200b four."
    assert aligned(text, ["One two.", "Three  \nfour."]) == [(0, 9), (11, 23)]


def test_a_piece_that_is_not_what_follows_is_refused() -> None:
    with pytest.raises(ValueError, match="not the text that follows: 'three'"):
        aligned("One two three", ["One", "three"])


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_loses_nothing_and_keeps_to_the_size(name: str) -> None:
    pytest.importorskip({"langchain": "langchain_text_splitters"}.get(name.split("_")[0], name.split("_")[0]))
    chunks = PEERS[name](Document("d", "D", TEXT), 60).chunks
    held = [n for chunk in chunks for start, end in chunk.spans for n in range(start, end)]
    assert len(held) == len(set(held))
    assert {n for n, c in enumerate(TEXT) if not c.isspace()} <= set(held)
    assert len(chunks) > 3
    assert all(len(chunk.text) <= 60 for chunk in chunks)
