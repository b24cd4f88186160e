"""LLMSemantic and LumberChunker: which questions they ask, and what they make of the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from autokb.chunking.baselines.llm_semantic import PIECE, chunk_llm_semantic, llm_semantic_session
from autokb.chunking.baselines.lumber_chunker import chunk_lumber, lumber_session
from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.interactive import answer_all
from autokb.core.nouns import Document
from autokb.tasks.chunking.find_shift.task import FindShift, FoundShift
from autokb.tasks.chunking.find_splits.task import FindSplits, FoundSplits


def paragraphs(count: int, length: int) -> str:
    """Return numbered paragraphs of one size; two of 150 characters are more than a piece."""
    return "\n\n".join(f"P{n} ".ljust(length, "x") for n in range(1, count + 1))


def first_words(texts: list[str]) -> list[list[str]]:
    return [[part.split()[0] for part in text.split("\n\n")] for text in texts]


def asked(session: Any, answer: Callable[[Any], Any]) -> tuple[list[Any], list[str]]:
    """Lead a session; returns the questions and the chunks' texts."""
    questions: list[Any] = []

    def one(question: Any) -> Any:
        questions.append(question)
        return answer(question)

    return questions, [c.text for c in answer_all(session, one).chunks]


def test_pieces_are_shown_by_windows_and_the_next_begins_at_the_last_split() -> None:
    document = Document("d", "Title", paragraphs(40, 150))
    questions, chunks = asked(
        llm_semantic_session(document, 9_999), lambda q: FoundSplits(after=(10, len(q.pieces) - 1))
    )
    assert all(isinstance(q, FindSplits) and q.title == "Title" for q in questions)
    assert all(len(piece) <= PIECE for q in questions for piece in q.pieces)
    # 21 pieces of 150 characters are 3,150: one more would be more than 3,200
    assert [(q.pieces[0].split()[0], len(q.pieces)) for q in questions] == [("P1", 21), ("P21", 20)]
    assert [(words[0], words[-1]) for words in first_words(chunks)] == [
        ("P1", "P10"),
        ("P11", "P20"),
        ("P21", "P30"),
        ("P31", "P39"),
        ("P40", "P40"),
    ]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_few_pieces_are_one_chunk_and_not_asked_about(count: int) -> None:
    text = paragraphs(count, 150)
    questions, chunks = asked(llm_semantic_session(Document("d", "", text), 9_999), lambda _: FoundSplits(after=(1,)))
    assert (questions, chunks) == ([], [text] if text else [])


def test_paragraphs_are_shown_until_they_are_too_many_and_the_next_begins_at_the_shift() -> None:
    document = Document("d", "Title", paragraphs(12, 500))
    questions, chunks = asked(lumber_session(document, 9_999), lambda _: FoundShift(at=3))
    assert all(isinstance(q, FindShift) and q.title == "Title" for q in questions)
    # five paragraphs are 2,500 characters, the first count beyond 2,200
    assert [[p.split()[0] for p in q.paragraphs] for q in questions] == [
        ["P1", "P2", "P3", "P4", "P5"],
        ["P3", "P4", "P5", "P6", "P7"],
        ["P5", "P6", "P7", "P8", "P9"],
        ["P7", "P8", "P9", "P10", "P11"],
    ]
    assert first_words(chunks) == [["P1", "P2"], ["P3", "P4"], ["P5", "P6"], ["P7", "P8"], ["P9", "P10", "P11", "P12"]]


def test_a_text_that_one_question_would_show_is_one_chunk() -> None:
    text = paragraphs(4, 500)
    questions, chunks = asked(lumber_session(Document("d", "", text), 9_999), lambda _: FoundShift(at=2))
    assert (questions, chunks) == ([], [text])


def test_an_endless_paragraph_is_shown_in_parts_with_the_one_after_it() -> None:
    questions, chunks = asked(lumber_session(Document("d", "", "word " * 2_000), 99_999), lambda q: FoundShift(at=2))
    assert all(len(q.paragraphs) == 2 and max(map(len, q.paragraphs)) <= 2_200 for q in questions)
    assert "".join(chunks).replace(" ", "") == "word" * 2_000


@pytest.mark.parametrize("chunker", [chunk_llm_semantic, chunk_lumber])
def test_offline_a_chunk_begins_at_each_heading_and_holds_everything(chunker: Any) -> None:
    sections = [f"## Part {n}\n\n" + f"Sentence about thing{n} number one. " * 60 for n in range(6)]
    document = Document("d", "", "\n\n".join(sections))
    found = chunker(MarkedPage(document), 2048)
    begins = [c.text.split("\n")[0] for c in found.chunks]
    assert {f"## Part {n}" for n in range(5)} <= set(begins)
    assert "".join("".join(c.text for c in found.chunks).split()) == "".join(document.text.split())
    assert max(len(c.text) for c in found.chunks) <= 2048
