"""Which texts are paraphrased, and which of their words stand for each other."""

from __future__ import annotations

import yaml

from autokb.core.domain import read_domain
from autokb.core.nouns import Chunk
from autokb.domains import domain_text
from autokb.plugins.lab.evaluation.retrieval.query_paraphrases import (
    EXCERPT_SIZE,
    domain_synonyms,
    excerpt,
    source_texts,
)
from autokb.stores.published import read_published
from autokb.stores.workspace import Workspace


def test_the_texts_are_children_with_shown_solutions_and_chunks_with_what_answers_them(hand_made: Workspace) -> None:
    with hand_made.file() as file:
        published = read_published(file)
    texts = {text.id: text for text in source_texts(published.kb, published.chunks, 100)}
    nodes = {i: text.documents for i, text in texts.items() if text.kind == "nodes"}
    assert {i: texts[i].tree for i in nodes} == {
        **dict.fromkeys(("pair-ios", "pair-ipad", "pair-android"), "pair"),
        **dict.fromkeys(("blades-hopper", "blades-both"), "blades"),
        "charge-glider": "charge",
        "rain-noapp": "rain",
    }
    assert nodes["charge-glider"] == ("charging.md",)
    assert texts["pair-ios"].context == "The robot does not pair with the app"
    chunks = [text for text in texts.values() if text.kind == "chunks"]
    assert all(text.chunks == (text.id,) for text in chunks)
    by_id = {chunk.id: chunk for chunk in published.chunks}
    for node in nodes:  # the chunks that a node's solutions cite are of the documents that they cite
        assert texts[node].chunks and {by_id[chunk].document for chunk in texts[node].chunks} == set(nodes[node])
    assert {text.documents for text in chunks} == {(d,) for d in published.kb.documents}
    assert all(text.text and "#" not in text.text for text in chunks)
    some = source_texts(published.kb, published.chunks, 3)
    assert [text.kind for text in some] == ["nodes"] * 3 + ["chunks"] * 3
    assert some == source_texts(published.kb, published.chunks, 3) and {text.id for text in some} < set(texts)


def test_a_chunk_is_asked_by_its_first_sentences() -> None:
    text = "# Head\n\n" + "Turn the **dial** to five. " * 40
    found = excerpt(text, Chunk("c", "d", text, ((0, len(text)),)))
    assert found.startswith("Turn the dial to five. Turn") and found.endswith("five.")
    assert EXCERPT_SIZE - 30 < len(found) <= EXCERPT_SIZE
    assert excerpt("# Only a head\n", Chunk("c", "d", "", ((0, 14),))) == "Only a head"
    assert len(excerpt("word " * 300, Chunk("c", "d", "", ((0, 1500),)))) <= EXCERPT_SIZE


def test_words_of_the_domain_stand_for_each_other_only_where_they_say_the_same() -> None:
    spec = read_domain(yaml.safe_load(domain_text("headphones")))
    said = dict(domain_synonyms("My earbuds do not pair with my iPhone over bluetooth", spec))
    assert said["earbuds"] == ("ear buds", "buds")
    assert "Wireless" in said["bluetooth"]
    assert "iPhone" not in said  # it says iOS and Phone; neither alone says as much
    assert "pair" not in said  # it tells Wireless, and means something else
