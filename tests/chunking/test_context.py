from __future__ import annotations

from autokb.chunking.baselines.fixed import chunk_fixed
from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.context import chained_request, document_request, document_requests, with_contexts
from autokb.core.nouns import Document
from autokb.tasks.chunking.add_context.task import TASK

ITEMS = "\n".join(f"{n}. Turn the wheel number {n} until it clicks." for n in range(1, 13))
DOCUMENT = Document("d", "Garden clock", f"# Setting\n\nTo set the clock by hand:\n\n{ITEMS}\n")


def test_all_chunks_of_a_document_get_their_context_at_once():
    chunks = chunk_fixed(MarkedPage(DOCUMENT), 200).chunks
    found = with_contexts(chunks, TASK.answer_offline(document_request(DOCUMENT, chunks)))
    assert found[0].context == "Garden clock > Setting"
    assert {c.context for c in found[1:]} == {"Garden clock > Setting\nTo set the clock by hand:"}
    assert [c.id for c in found] == [c.id for c in chunks]


def test_chained_goes_from_chunk_to_chunk_and_says_the_same_here():
    chunks = chunk_fixed(MarkedPage(DOCUMENT), 200).chunks
    at_once = with_contexts(chunks, TASK.answer_offline(document_request(DOCUMENT, chunks)))
    previous = None
    for chunk, expected in zip(chunks, at_once, strict=True):
        (previous,) = with_contexts([chunk], TASK.answer_offline(chained_request(DOCUMENT, chunk, previous)))
        assert previous.context == expected.context


def test_the_key_of_a_chained_request_hangs_on_the_context_before_it():
    first, second = chunk_fixed(MarkedPage(DOCUMENT), 200).chunks[:2]
    (with_context,) = with_contexts([first], TASK.answer_offline(chained_request(DOCUMENT, first, None)))
    assert TASK.key(chained_request(DOCUMENT, second, with_context)) != TASK.key(
        chained_request(DOCUMENT, second, first)
    )


def test_a_long_document_is_asked_about_in_parts_that_know_the_passage_before():
    chunks = chunk_fixed(MarkedPage(DOCUMENT), 200).chunks
    assert document_requests(DOCUMENT, chunks, 10_000) == [document_request(DOCUMENT, chunks)]
    parts = document_requests(DOCUMENT, chunks, 420)
    assert [len(part.passages) for part in parts] == [2, 1]
    assert [p.text for part in parts for p in part.passages] == [c.text for c in chunks]
    assert parts[0].previous is None
    assert parts[1].previous == parts[0].passages[-1]
    assert [len(part.passages) for part in document_requests(DOCUMENT, chunks, 10)] == [1, 1, 1]
    assert document_requests(DOCUMENT, [], 10) == []
