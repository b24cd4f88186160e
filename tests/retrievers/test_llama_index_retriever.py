"""The LlamaIndex retriever gives nodes with their places, also to what LlamaIndex builds of retrievers."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("llama_index.core", reason="the extra llama-index is not installed")

from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode

from autokb.retrievers.llama_index import AutokbRetriever
from autokb.retrievers.sections import Sections
from autokb.stores.workspace import Workspace

QUESTION = "no sound although connected"


def test_a_node_has_source_place_audience_and_score(folder: str, url: str) -> None:
    sections = Sections(folder).find(QUESTION, {"os": "iOS"}, 3)
    given = AutokbRetriever(folder, 3, {"os": "iOS"}).retrieve(QUESTION)
    assert [(one.node_id, one.text, one.score) for one in given] == [(s.id, s.text, s.score) for s in sections]
    first = given[0].node
    assert first.ref_doc_id == first.metadata["source"] == sections[0].source
    assert {"start", "end", "audience", "issue"} <= set(first.metadata)
    there = AutokbRetriever(url, 3, {"os": "iOS"}).retrieve(QUESTION)
    assert [one.to_dict() for one in given] == [one.to_dict() for one in there]


def test_a_coroutine_gives_the_same(folder: str) -> None:
    retriever = AutokbRetriever(folder, 2)
    found = asyncio.run(retriever.aretrieve(QUESTION))
    assert [one.node_id for one in found] == [one.node_id for one in retriever.retrieve(QUESTION)] and len(found) == 2


def test_a_query_engine_reads_text_and_source_but_no_offsets(folder: str) -> None:
    retriever = AutokbRetriever(folder, 2)
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())  # which replies what it is asked
    reply = engine.query(QUESTION)
    assert [one.node_id for one in reply.source_nodes] == [one.node_id for one in retriever.retrieve(QUESTION)]
    prompt = str(reply)
    assert reply.source_nodes[0].text in prompt and "source: no-sound.html" in prompt and "start:" not in prompt


def test_a_model_is_shown_what_has_a_value(hand_made: Workspace) -> None:
    found = AutokbRetriever(hand_made.folder).retrieve("the robot does not pair with my android phone")
    read = {one.node.id_: one.node.get_content(MetadataMode.LLM) for one in found}
    assert not any("None" in said or "{}" in said or "confidence" in said for said in read.values())
