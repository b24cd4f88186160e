"""The line of what is shown first that says what a question for a fact asks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autokb.answering.ask import ask
from autokb.answering.telling import telling_line
from autokb.app import SupportKB
from autokb.pipeline.open_index import open_index
from autokb.retrieval.index import QuestionIndex

FILTERS = """# Filters of the kettle

## Lime filter

The lime filter sits behind the lid. It lasts for two months in hard water. Never wash it with soap.

1. Lift the lid.
2. Pull the filter out by its tab.

## Sharing recipes

To send a recipe to a phone over Bluetooth, choose Send. Choose the phone from the list.
No iPhone can receive a recipe over Bluetooth.
"""
SEND_RECIPE = "Can I send a recipe to my iPhone over Bluetooth?"
HOW_LONG = "How long does the lime filter last?"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> QuestionIndex:
    folder = tmp_path_factory.mktemp("telling")
    (folder / "filters.md").write_text(FILTERS, encoding="utf-8")
    (folder / "domain.yaml").write_text("name: kettles\n", encoding="utf-8")
    kb = SupportKB.create(folder / "kb", folder / "domain.yaml")
    kb.add([folder / "filters.md"])
    kb.build()
    return open_index(kb.workspace).index


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (HOW_LONG, "It lasts for two months in hard water."),
        ("May I wash the lime filter with soap?", "Never wash it with soap."),
        (
            SEND_RECIPE,
            "No iPhone can receive a recipe over Bluetooth.",
        ),
        ("Where does the lime filter sit?", "The lime filter sits behind the lid."),
    ],
)
def test_the_line_that_answers_is_told_with_the_place_of_its_step(
    index: QuestionIndex, question: str, line: str
) -> None:
    found = ask(index, question)
    assert found.telling is not None and found.telling.text == line
    evidence = found.telling.evidence
    assert line in evidence.quote and FILTERS[evidence.start : evidence.end] == evidence.quote
    says = found.as_json()["says"]
    assert says["text"] == line and says["evidence"]["document"] == "filters.md"


@pytest.mark.parametrize("question", ["How do I take the lime filter out?", "the lime filter of my kettle is dirty"])
def test_a_question_for_a_way_has_none(index: QuestionIndex, question: str) -> None:
    found = ask(index, question)
    assert found.outcome == "answered" and found.telling is None and "says" not in found.as_json()


def test_without_tokens_or_a_section_none_is_told(index: QuestionIndex) -> None:
    (first, *_) = ask(index, HOW_LONG).shown
    assert telling_line(index, HOW_LONG, first) is not None
    assert telling_line(replace(index, tokens=None), HOW_LONG, first) is None
    assert telling_line(replace(index, token_spans=None), HOW_LONG, first) is None
    assert telling_line(index, HOW_LONG, replace(first, id="by-hand")) is None
    alone = replace(first, steps=("It lasts for two months in hard water.",))
    assert telling_line(index, HOW_LONG, alone) is None


def test_the_terminal_shows_it_above_what_it_stands_in(
    index: QuestionIndex, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.console import Console

    from autokb.cli.issue_views import answer_view

    Console(width=120).print(answer_view(tmp_path, ask(index, HOW_LONG)))
    shown = capsys.readouterr().out
    assert shown.index("Best sentence: It lasts for two months") < shown.index("Lime filter")
