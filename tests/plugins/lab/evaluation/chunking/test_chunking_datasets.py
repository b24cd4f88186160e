"""The files of questions and gold texts, and what is said of a wrong line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.chunking.datasets import LabelledQuestion, read_gold, read_questions
from autokb.plugins.lab.evaluation.chunking.token_metrics import DocumentSpans


def read(folder: Path, *records: Any) -> list[LabelledQuestion]:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records), encoding="utf-8")
    return read_questions(file, {"guide.md": 50}, {"guide": "guide.md", "guide.md": "guide.md"}.get)


def test_questions_with_and_without_places(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {"question": "How?", "document": "guide", "references": [{"start": 3, "end": 9}]},
        {
            "question": "Why?",
            "corpus_id": "guide.md",
            "references": [{"content": "x", "start_index": 0, "end_index": 5}],
        },
        {"text": "When?"},
    )
    places = (DocumentSpans("guide.md", ((3, 9),)),), (DocumentSpans("guide.md", ((0, 5),)),)
    assert found == [
        LabelledQuestion("How?", places[0]),
        LabelledQuestion("Why?", places[1]),
        LabelledQuestion("When?"),
    ]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ("{", "line 1 is not valid JSON"),
        ({"id": 1}, "line 1 has no question"),
        ("[]", "line 1 has no question"),
        ({"question": "?", "document": "other", "references": [{"start": 0, "end": 1}]}, "'other', which is none of"),
        ({"question": "?", "document": "guide", "references": [{"start": 0, "end": 51}]}, "0 to 51 is no place"),
        ({"question": "?", "document": "guide", "references": [{"start": 4, "end": 4}]}, "4 to 4 is no place"),
        ({"question": "?", "document": "guide", "references": ["how"]}, "needs start and end"),
        ("", "holds no questions"),
    ],
)
def test_a_wrong_line_is_said(tmp_path: Path, record: Any, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        read(tmp_path, record)


def test_questions_about_other_documents_are_passed_over_only_where_they_may_be_there(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    place = [{"start": 0, "end": 5}]
    about = [{"question": f"About {name}?", "document": name, "references": place} for name in ("guide", "other")]
    file.write_text("\n".join(map(json.dumps, about)), encoding="utf-8")
    known = {"guide.md": 50}, {"guide": "guide.md"}.get
    assert [question.text for question in read_questions(file, *known, others=True)] == ["About guide?"]
    assert read_questions(file, {}, {}.get, others=True) == []
    with pytest.raises(BadInputError, match="line 2 is about 'other'"):
        read_questions(file, *known)
    file.write_text(json.dumps({"question": "About nothing?", "references": place}), encoding="utf-8")
    with pytest.raises(BadInputError, match="line 1 is about ''"):
        read_questions(file, *known, others=True)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        read_questions(tmp_path / "none.jsonl", {}, {}.get)


def test_gold_texts_are_read_by_the_document_that_they_name(tmp_path: Path) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_text('{"document": "guide", "text": "Keep this."}\n\n', encoding="utf-8")
    assert read_gold(file, {"guide": "guide.md"}.get) == {"guide.md": "Keep this."}


@pytest.mark.parametrize("line", ["{", "[]", '{"document": "other", "text": "x"}', '{"document": "guide"}'])
def test_a_wrong_gold_line_is_said(tmp_path: Path, line: str) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(BadInputError, match="line 1 needs document"):
        read_gold(file, {"guide": "guide.md"}.get)
