"""A small German workspace: its stop words, greetings, question words and imperatives are those of German."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autokb.answering.answer import Answer
from autokb.app import SupportKB
from autokb.pipeline.open_index import open_index
from autokb.sources import Fields

DOMAIN = """
name: Wasserkocher
description: Hilfe zu einem Wasserkocher
language: {language}
attributes:
  modell:
    values: [Reise, Küche]
    synonyms: {{Reise: [Reisekocher], Küche: [Küchenkocher]}}
"""
DOCUMENTS = {
    "entkalken.md": (
        "# Wasserkocher entkalken\n\n"
        "Kalk setzt sich mit der Zeit am Boden ab.\n\n"
        "Füllen Sie den Wasserkocher mit Wasser und etwas Essig.\n\n"
        "Warten Sie eine Stunde und gießen Sie das Wasser weg.\n"
    ),
    "lampe.md": (
        "# Die Lampe\n\n"
        "Der Wasserkocher hat eine Lampe am Griff.\n\n"
        "## Warum blinkt die rote Lampe\n\n"
        "Der Wasserkocher ist zu heiß geworden, die rote Lampe blinkt deshalb.\n"
    ),
}
ISSUES = {
    "k1": "Moin liebes Team, die rote Lampe am Wasserkocher blinkt seit gestern. Viele Grüße, Anna",
    "k2": "Sehr geehrte Damen und Herren, warum blinkt die rote Lampe an meinem Reisekocher?",
    "k3": "Servus, wie kann ich meinen Wasserkocher entkalken? Besten Dank im Voraus!",
    "k4": "Guten Abend, am Boden vom Küchenkocher ist Kalk. Danke!",
}


def built(folder: Path, language: str) -> SupportKB:
    (folder / "manuals").mkdir(parents=True)
    for name, text in DOCUMENTS.items():
        (folder / "manuals" / name).write_text(text, encoding="utf-8")
    lines = [json.dumps({"id": name, "text": text}) for name, text in ISSUES.items()]
    (folder / "issues.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "domain.yaml").write_text(DOMAIN.format(language=language), encoding="utf-8")
    kb = SupportKB.create(folder / "kb", str(folder / "domain.yaml"))
    kb.add([folder / "manuals"])
    kb.add([folder / "issues.jsonl"], "issues", Fields(id="id", text="text"))
    report = kb.build()
    assert not report.failures
    return kb


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> SupportKB:
    return built(tmp_path_factory.mktemp("de"), "de")


@pytest.fixture(scope="module")
def as_english(tmp_path_factory: pytest.TempPathFactory) -> SupportKB:
    """The same texts in a domain that does not say that they are German."""
    return built(tmp_path_factory.mktemp("en"), "en")


def steps(answer: Answer) -> str:
    return "\n".join(step for match in answer.matches for solution in match.solutions for step in solution.steps)


def texts(kb: SupportKB) -> list[str]:
    return [text for tree in kb.views.show().trees for text in (tree.text, *(child.text for child in tree.children))]


def test_what_german_lacks_is_said_once(german: SupportKB, as_english: SupportKB) -> None:
    (note,) = german.build().notes
    assert note.startswith("The domain's language is 'de', for which these are not there yet: ")
    assert "value names" in note and "stop words" not in note
    assert as_english.build().notes == ()


def test_greetings_and_thanks_name_no_issue(german: SupportKB, as_english: SupportKB) -> None:
    limescale = "Wie kann ich meinen Wasserkocher entkalken?"  # "Am Boden ist Kalk" is joined with it
    assert texts(german) == ["Warum blinkt die rote Lampe?", limescale]
    assert "Servus, wie kann ich meinen Wasserkocher entkalken?" in texts(as_english)


def test_a_heading_with_a_question_word_is_answered_by_its_section(german: SupportKB) -> None:
    answer = german.ask("Warum blinkt die rote Lampe?")
    assert answer.outcome == "answered"
    assert steps(answer).startswith("Der Wasserkocher ist zu heiß geworden, die rote Lampe blinkt deshalb.")


def test_imperatives_are_the_steps_of_a_solution(german: SupportKB, as_english: SupportKB) -> None:
    first, *_ = german.ask("Wie entkalke ich den Wasserkocher?").matches
    solution = first.solutions[0]
    assert solution.steps == (
        "Füllen Sie den Wasserkocher mit Wasser und etwas Essig.",
        "Warten Sie eine Stunde und gießen Sie das Wasser weg.",
    )
    explained, *_ = as_english.ask("Wie entkalke ich den Wasserkocher?").matches  # no imperative is known: a paragraph
    assert explained.solutions[0].steps[0] == "Kalk setzt sich mit der Zeit am Boden ab."


def test_the_words_that_are_searched_are_german_stems_without_stop_words(
    german: SupportKB, as_english: SupportKB
) -> None:
    known, others = (set(open_index(kb.workspace).index.chunks.words.vocabulary) for kb in (german, as_english))
    assert not {"der", "die", "mit"} & known
    assert {"der", "die", "mit"} <= others
    assert "bod" in known and "boden" in others  # Boden
