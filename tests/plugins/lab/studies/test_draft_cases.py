"""Cases made of documents, and questions that are to be refused, in a file that the evaluation reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.suggestions.cases import TextCount, read_cases
from autokb.plugins.lab.studies.evaluate_suggestions import SuggestionEvaluation
from stub_server import StubServer

MANUAL = (
    "# Lawn robot\n\n## Dry the rain sensor\n\nWipe the **rain sensor** dry. Write to help@example.com if it stays wet."
    "\n\n## Legal\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)
SENSOR = "Wipe the **rain sensor** dry."


@pytest.fixture
def kb(tmp_path: Path) -> SupportKB:
    (tmp_path / "manuals").mkdir()
    (tmp_path / "manuals" / "rain.md").write_text(MANUAL, encoding="utf-8")
    made = SupportKB.create(tmp_path / "kb")
    made.add([tmp_path / "manuals"])
    return made


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def others(path: Path) -> Path:
    asked = [{"id": "7", "text": "book me a table"}, {"id": "8", "text": "mail the score to ann@example.com"}]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in asked), encoding="utf-8")
    return path


def test_sections_ask_with_their_headings_and_reply_with_their_words(kb: SupportKB, tmp_path: Path) -> None:
    done = kb.evaluate.draft_cases(tmp_path / "cases.jsonl", "documents")
    (case,) = lines(tmp_path / "cases.jsonl")
    assert (case["id"], case["question"], case["documents"]) == ("rain.md#1", "Dry the rain sensor", ["rain.md"])
    assert case["reply"] == "Wipe the rain sensor dry. Write to <email-1> if it stays wet."  # masked
    (evidence,) = case["evidence"]
    assert MANUAL[evidence["start"] : evidence["end"]] == evidence["quote"]
    assert (done.cases, done.conversations, done.masked, done.made_by) == (1, 0, 1, "headings and first sentences")
    counts = done.statistics
    assert (counts.documents.n, counts.questions, counts.replies) == (1, TextCount(1, 4.0), TextCount(1, 12.0))


def test_questions_about_something_else_have_no_reply(kb: SupportKB, tmp_path: Path) -> None:
    done = kb.evaluate.draft_cases(tmp_path / "cases.jsonl", "documents", others(tmp_path / "others.jsonl"))
    assert done.cases == 3 and done.statistics.out_of_domain == TextCount(2, 4.5)
    cases = read_cases(tmp_path / "cases.jsonl")
    assert [(case.id, case.refuses) for case in cases] == [
        ("rain.md#1", False),
        ("out-of-domain#7", True),
        ("out-of-domain#8", True),
    ]
    assert cases[2].question == "mail the score to <email-1>"


def test_what_is_drafted_can_be_evaluated(kb: SupportKB, tmp_path: Path) -> None:
    kb.build()
    kb.evaluate.draft_cases(tmp_path / "cases.jsonl", "documents", others(tmp_path / "others.jsonl"))
    answer = kb.evaluate.suggestions(SuggestionEvaluation(tmp_path / "cases.jsonl", ("autokb+gold",))).as_json()
    assert answer["systems"]["autokb+gold"]["metrics"]["document_right@1"]["value"] == 1.0
    assert answer["cases"]["out_of_domain"]["n"] == 2


def test_a_model_writes_questions_as_customers_do(
    kb: SupportKB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(body: dict[str, Any]) -> dict[str, Any]:
        if SENSOR not in body["messages"][1]["content"]:
            return {"answers": [{"number": 1, "pairs": []}]}
        good = {"quote": SENSOR, "question": "it stops when it rains", "reply": "Please wipe the rain sensor dry."}
        bad = {"quote": "Throw it away.", "question": "it is wet", "reply": "Throw it away."}
        return {"answers": [{"number": 1, "pairs": [good, bad]}]}

    with StubServer(reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        (kb.workspace.folder / "settings.yaml").write_text(yaml.safe_dump({"base_url": server.url, "retries": 1}))
        model = SupportKB.open(kb.workspace.folder, model="openai:scripted")
        done = model.evaluate.draft_cases(tmp_path / "cases.jsonl", "documents")
    (case,) = lines(tmp_path / "cases.jsonl")
    assert (case["question"], case["reply"]) == ("it stops when it rains", "Please wipe the rain sensor dry.")
    assert (done.made_by, done.spending.calls) == ("openai:scripted", server.requests)


def test_without_documents_and_with_a_bad_file_nothing_is_written(tmp_path: Path, kb: SupportKB) -> None:
    empty = SupportKB.create(tmp_path / "empty")
    with pytest.raises(BadInputError, match="There are no documents; add some first"):
        empty.evaluate.draft_cases(tmp_path / "cases.jsonl", "documents")
    (tmp_path / "bad.jsonl").write_text("{}", encoding="utf-8")
    with pytest.raises(BadInputError, match="line 1 needs an id"):
        kb.evaluate.draft_cases(tmp_path / "cases.jsonl", "documents", tmp_path / "bad.jsonl")
    assert not (tmp_path / "cases.jsonl").exists()
