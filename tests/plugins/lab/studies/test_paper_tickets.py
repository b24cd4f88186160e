"""The tables of the ticket graph paper on a few tickets: from their own duplicates, from cases, from use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import small_tickets
from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import BadInputError
from autokb.core.tickets import Edge, Ticket
from autokb.plugins.lab.evaluation.report import Cell, Table
from autokb.plugins.lab.evaluation.suggestions import meteor
from autokb.plugins.lab.studies.papers import paper_tables
from autokb.plugins.lab.studies.papers.tickets import DIFFERENCE, own_duplicates

DUPLICATE = {"resolution": {"name": "Duplicate"}}
RECORDS = [
    *small_tickets.RECORDS,
    small_tickets.record(
        "APP-9", "The last page is cut off", "See APP-3: it is not printed.", links={"Duplicate": "APP-3"}, **DUPLICATE
    ),
    small_tickets.record("APP-10", "White menus in dark mode", links={"Duplicate": "APP-7"}, **DUPLICATE),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paper")
    kb = SupportKB.create(folder / "kb", "headphones")
    kb.add([small_tickets.write(folder / "tickets.json", RECORDS)], "tickets")
    kb.tickets.build()
    return folder / "kb"


def rows(table: Table) -> dict[str, tuple[Cell, ...]]:
    return dict(zip(table.rows, table.cells, strict=True))


def write_cases(path: Path, cases: Sequence[dict[str, object]]) -> Path:
    path.write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    return path


def test_a_workspaces_own_duplicates_are_the_questions(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for _ in range(2):
        assert main(["evaluate", "paper", "tickets", str(built), "--json"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    retrieval, answers, times = paper_tables("tickets", [built]).tables
    found = rows(retrieval)
    assert list(found) == [
        "Baseline",
        "Experiment",
        "Experiment, without components and dates",
        DIFFERENCE,
        "Baseline, by title",
        "Experiment, by title",
        "Experiment, without components and dates, by title",
        f"{DIFFERENCE}, by title",
    ]
    assert retrieval.columns == ("MRR", "Recall@1", "Recall@3", "NDCG@1", "NDCG@3", "gain in MRR %")
    assert [cell.paper for cell in found["Experiment"]] == [0.927, 0.86, 1.0, 0.86, 0.946, 77.6]
    for own, base, difference in zip(found["Experiment"], found["Baseline"], found[DIFFERENCE], strict=True):
        assert isinstance(own.value, float) and isinstance(base.value, float) and isinstance(difference.value, float)
        if difference is not found[DIFFERENCE][-1]:
            assert difference.value == pytest.approx(own.value - base.value)
    assert found["Experiment"][0].value == 1.0  # both duplicates find what they duplicate first
    assert retrieval.note.startswith("2 questions, 2 with a title")
    assert all("--cases" in (cell.missing or "") for row in answers.cells for cell in row)
    assert all("outcomes import" in (cell.missing or "") for row in times.cells[:3] for cell in row)
    assert [cell.paper for cell in times.cells[2]] == [-62.5, -28.6, -46.0]


def test_what_is_asked_is_not_found_and_ids_are_not_told() -> None:
    closed = {"resolution": "Duplicate"}
    tickets = {
        "A-1": Ticket("A-1", "Cut off"),
        "A-2": Ticket("A-2", "Cut off too", "As in A-1, not A-10.", **closed),  # type: ignore[arg-type]
        "A-3": Ticket("A-3", "Also cut off", "See A-2.", created="2024-01-01", **closed),  # type: ignore[arg-type]
        "A-4": Ticket("A-4", "Open, and linked"),
        "A-5": Ticket("A-5", "Of one outside", **closed),  # type: ignore[arg-type]
    }
    edges = [
        Edge("A-2", "DUPLICATE", "A-1"),
        Edge("A-3", "DUPLICATE", "A-2"),
        Edge("A-4", "RELATES", "A-1"),
        Edge("A-5", "DUPLICATE", "B-1", dangling=True),
        Edge("A-4", "SIMILAR_TO", "A-5", origin="similarity"),
    ]
    cases = own_duplicates(tickets, edges)
    assert [(one.id, one.text) for one in cases.questions] == [
        ("A-2", "Cut off too\n\nAs in , not A-10."),
        ("A-3", "Also cut off\n\nSee ."),
    ]
    assert [(one.query, one.document, one.grade) for one in cases.right] == [("A-2", "A-1", 2.0), ("A-3", "A-1", 1.0)]
    assert cases.without == {"A-2", "A-3"}
    assert cases.questions[1].fields["created"] == "2024-01-01"


@pytest.mark.slow
def test_cases_bring_right_tickets_and_golden_answers(built: Path, tmp_path: Path) -> None:
    cases = write_cases(
        tmp_path / "cases.jsonl",
        [
            {"id": "1", "text": "How is the crash with the camera solved?", "answer": "Update to 2.1."},
            {"id": "2", "text": "The battery is used up over night", "tickets": ["APP-8"]},
        ],
    )
    retrieval, answers, _ = paper_tables("tickets", [built], cases=cases).tables
    assert rows(retrieval)["Experiment"][0].value == 1.0
    assert all("has a title" in (cell.missing or "") for cell in rows(retrieval)["Baseline, by title"])
    baseline, experiment, difference = answers.cells
    values = [cell.value for cell in (baseline[2], experiment[2], difference[2])]
    assert all(isinstance(value, float) for value in values)
    assert values[2] == pytest.approx(values[1] - values[0])
    assert experiment[3].value == 1.0 and experiment[3].paper is None
    wrong = write_cases(tmp_path / "wrong.jsonl", [{"id": "1", "text": "a", "tickets": "APP-8"}])
    with pytest.raises(BadInputError, match="as a list"):
        paper_tables("tickets", [built], cases=wrong)
    with pytest.raises(BadInputError, match="takes no cases"):
        paper_tables("autokb", [built], cases=cases)


def test_meteor_says_what_it_needs(tmp_path: Path) -> None:
    pytest.importorskip("nltk", reason="nltk is in the extra bench")
    with pytest.raises(meteor.NoMeteorError, match="apt-get install wordnet-base"):
        meteor.load_meteor(tmp_path)


def test_hours_are_of_conversations_that_used_an_answer_and_of_the_others(tmp_path: Path) -> None:
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    records = [*small_tickets.RECORDS]
    records[2] = {**records[2], "fields": {**records[2]["fields"], "resolutiondate": "2024-03-01T18:00:00.000+0000"}}
    kb.add([small_tickets.write(tmp_path / "tickets.json", records)], "tickets")
    kb.tickets.build()
    kb.usage.give_feedback("Printing", "used", documents=["APP-3"], source="ticket", conversation="c1")
    for name, hours in (("c1", 2), ("c2", 4), ("c3", 12)):
        kb.usage.report_outcome(name, True, seconds=3600.0 * hours)
    retrieval, _, times = paper_tables("tickets", [tmp_path / "kb"]).tables
    found = rows(times)
    assert [cell.value for cell in found["Tool Used"]] == [2.0, 2.0, 2.0]
    assert [cell.value for cell in found["Tool Not Used"]] == pytest.approx([8.0, 8.0, 11.2])
    assert found["Used beside not used %"][0].value == pytest.approx(-75.0)
    assert found["Past tickets, from creation to resolution"][1].value == 10.0
    assert "doesn't prove an effect" in times.note
    assert all("closed as a duplicate" in (cell.missing or "") for row in retrieval.cells for cell in row)
