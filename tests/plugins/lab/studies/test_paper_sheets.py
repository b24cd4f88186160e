"""The AutoKB paper's cells that people fill: three systems blind on one sheet, rules and attributes beside a judge."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from test_evaluate import asked_of, items

from autokb.cli import main
from autokb.core.errors import BadInputError
from autokb.heuristics.attributes.extract import extract_attributes
from autokb.pipeline.model_choice import OFFLINE
from autokb.plugins.lab.evaluation.report import Cell, Table
from autokb.plugins.lab.evaluation.sheets import key_path
from autokb.plugins.lab.studies.papers import NOT_JUDGED, PaperRun
from autokb.plugins.lab.studies.papers.autokb import cost_table
from autokb.plugins.lab.studies.papers.autokb_agreement import agreement_table
from autokb.plugins.lab.studies.papers.autokb_judge import PaperJudge, open_subject
from autokb.plugins.lab.studies.papers.autokb_quality import quality_tables
from autokb.plugins.lab.studies.papers.autokb_sheets import AUTOKB, RAW, UNAIDED, PaperSheets
from autokb.stores.workspace import Workspace, open_workspace
from stub_server import StubServer

Rows = list[dict[str, str]]


def model(body: dict[str, Any]) -> dict[str, Any]:
    """Play the judge: what says "Help" is wrong, every rule is broken by what says "support", the rest is right."""
    user = body["messages"][1]["content"]
    schema = body["response_format"]["json_schema"]["name"]
    if schema.endswith("unaided_solutions"):
        steps = ["Contact our support", "Do it on an iPhone"]
        answers: list[dict[str, Any]] = [
            {"solutions": [{"title": "Help", "steps": steps}]} for _ in items(body, "issue")
        ]
    elif schema.endswith("extract_attributes"):
        empty: dict[str, list[str]] = {"model": [], "os": [], "device": []}
        answers = [{"attributes": {**empty, "device": ["Laptop"]}} for _ in items(body, "text")]
    else:
        solutions = re.findall(r"<solution number=\"\d+\">\n(.*?)\n</solution>", user, re.DOTALL)
        if schema.endswith("correctness"):
            verdicts = ["no" if "\nHelp\n" in one else "yes" for one in solutions]
            answers = [{"reason": "Seen.", "verdict": verdict} for verdict in verdicts]
        else:
            named = [{"rule": "no-support", "reason": "It says so.", "steps": []}]
            answers = [{"broken": named if "support" in one else [], "doubted": [], "kept": []} for one in solutions]
    return {"answers": [{"number": n, **answer} for n, answer in enumerate(answers, 1)]}


def found_in(tables: tuple[Table, ...], name: str) -> dict[str, tuple[Cell, ...]]:
    """Return the cells of a table by what follows the name of the workspace in its rows."""
    (table,) = (table for table in tables if table.name.startswith(name))
    return {row.rpartition(", ")[2]: cells for row, cells in zip(table.rows, table.cells, strict=True)}


def measured(workspace: Workspace, judge: str = OFFLINE, **more: Any) -> tuple[Table, ...]:
    """Return the tables that people or a judge fill."""
    run = PaperRun([open_workspace(workspace.folder, model="" if judge == OFFLINE else judge)], judge, **more)
    subjects, asked = [open_subject(one) for one in run.workspaces], PaperJudge(run)
    sheets = PaperSheets(run, asked)
    sheets.check(subjects)
    written = [sheets.write(subjects, run.sheets)] if run.sheets else []
    return (*quality_tables(subjects, asked, sheets), agreement_table(subjects, asked, sheets), *written)


def fill(path: Path, answer: Callable[[Mapping[str, str], Mapping[str, Any]], str]) -> None:
    """Answer the lines of a sheet by what they show and what the key says of them."""
    key = json.loads(key_path(path).read_text(encoding="utf-8"))["items"]
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows({**row, "answer": answer(row, key[row["item"]])} for row in rows)
    path.write_text(out.getvalue(), encoding="utf-8", newline="")


def rows_of(path: Path) -> Rows:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def test_three_sheets_are_written_and_none_says_whose_a_line_is(hand_made: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "sheets"
    tables = measured(hand_made, sheets=folder)
    listed = found_in(tables, "Sheets for people")
    assert list(listed) == ["kb/correctness.csv", "kb/rules.csv", "kb/attributes.csv"]
    # ten nodes with a displayed solution, each beside the nearest chunk; eight raw issues of three attributes
    assert [[cell.value for cell in cells] for cells in listed.values()] == [[20, 10], [13, 13], [24, 8]]
    files = {path.name: path.read_bytes() for path in sorted((folder / "kb").iterdir())}
    assert len(files) == 6
    correctness = rows_of(folder / "kb" / "correctness.csv")
    assert not any(name in json.dumps(correctness) for name in (AUTOKB, RAW, UNAIDED, "pairing.md", "**", "##"))
    by_issue: dict[str, set[str]] = {}
    for row in correctness:
        by_issue.setdefault(row["issue"], set()).add(row["item"])
    assert {len(some) for some in by_issue.values()} == {2}
    assert sum(row["annotator"] == "2" for row in correctness) == 2  # one node of ten, with both its solutions
    measured(hand_made, sheets=folder)
    assert {path.name: path.read_bytes() for path in sorted((folder / "kb").iterdir())} == files


def test_what_people_say_fills_q_c_of_each_row_and_the_rest_says_how(hand_made: Workspace, tmp_path: Path) -> None:
    measured(hand_made, sheets=tmp_path)
    with pytest.raises(BadInputError, match="holds no answers to kb"):
        measured(hand_made, filled=tmp_path)

    def answer(row: Mapping[str, str], key: Mapping[str, Any]) -> str:
        if key["group"] == "rain":
            return ""  # a sheet may be half filled
        return "no" if key["system"] == RAW and key["group"].startswith("pair") else "YES"

    fill(tmp_path / "kb" / "correctness.csv", answer)
    tables = measured(hand_made, filled=tmp_path)
    absolute = found_in(tables, "Table 3 in absolute")
    assert (absolute[AUTOKB][0].value, absolute[RAW][0].value) == (100.0, pytest.approx(100 * 5 / 9))
    low = absolute[AUTOKB][0].low
    assert low is not None and low < 90  # all of nine are not all there are
    assert absolute[UNAIDED][0].value is None and "--judge MODEL" in (absolute[UNAIDED][0].missing or "")
    assert absolute[AUTOKB][3].missing == NOT_JUDGED
    people = found_in(tables, "Appendix B")["correct by two people"]
    assert (people[0].value, people[0].paper, people[2].value) == (100.0, 97.0, 2)


def test_a_model_is_a_third_system_and_judges_beside_people(
    hand_made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(model) as server:
        workspace = asked_of(hand_made, server, monkeypatch)
        measured(workspace, "openai:scripted", sheets=tmp_path)
        path = tmp_path / "kb" / "correctness.csv"
        assert len({row["item"] for row in rows_of(path)}) == 30
        fill(path, lambda _, key: "no" if key["system"] == UNAIDED and key["tree"] == "pair" else "yes")
        tables = measured(workspace, "openai:scripted", filled=tmp_path)
        asked = server.requests
        assert measured(workspace, "openai:scripted", filled=tmp_path) == tables and server.requests == asked
        cost = cost_table(open_subject(workspace))
    assert "without a model" in cost.note  # what a judge costs is no part of what the knowledge base has cost
    assert [cell.value for cell in cost.cells[cost.rows.index("calls in all")]][1] == 0
    absolute, increments = found_in(tables, "Table 3 in absolute"), found_in(tables, "Table 3: ")
    # four of ten nodes are in the tree where people say no; the model finds all of its own wrong
    assert [absolute[name][0].value for name in (UNAIDED, RAW, AUTOKB)] == [60.0, 100.0, 100.0]
    assert [absolute[name][3].value for name in (UNAIDED, RAW, AUTOKB)] == [0.0, 100.0, 100.0]
    assert increments[AUTOKB][0].value == pytest.approx(40.0) and increments[AUTOKB][3].value == pytest.approx(100.0)
    assert increments[AUTOKB][3].low < 90  # type: ignore[operator]  # ten pairs that all differ alike are ten
    # every solution of its own breaks the rule, and of the chunks that of the blades
    assert absolute[UNAIDED][1].value == 0.0 and absolute[AUTOKB][1].value == 100.0
    chunks = [chunk.text for chunk in open_subject(workspace).chunks]
    kept = sum("support" not in text for text in chunks)
    assert absolute[RAW][1].value == pytest.approx(100 * kept / len(chunks)) and kept == len(chunks) - 1
    (note,) = (table.note for table in tables if table.name.startswith("Table 3: "))
    assert "judged by openai:scripted" in note and "by construction" not in note
    beside = found_in(tables, "Appendix B")["correct by the model"]
    # 30 lines of the first annotator and 3 of the second; people and model differ in six nodes of the model's own
    twice = {row["item"] for row in rows_of(path) if row["annotator"] == "2"}
    key = json.loads(key_path(path).read_text(encoding="utf-8"))["items"]
    differ = 6 + sum(key[item]["system"] == UNAIDED and key[item]["tree"] != "pair" for item in twice)
    assert beside[2].value == 33 and beside[0].value == pytest.approx(100 * (33 - differ) / 33)


def test_a_spent_budget_leaves_rules_to_the_patterns_and_says_so(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(model) as server:
        tables = measured(asked_of(hand_made, server, monkeypatch), "openai:scripted", budget=0.000001)
        assert server.requests == 0
    absolute = found_in(tables, "Table 3 in absolute")
    assert absolute[RAW][1].value is not None and (absolute[RAW][3].missing or "").startswith("not judged: ")
    (note,) = (table.note for table in tables if table.name.startswith("Table 3: "))
    assert "not by the model: not judged: " in note


def test_rules_by_people_are_beside_the_judge_and_beside_patterns(
    hand_made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(model) as server:
        workspace = asked_of(hand_made, server, monkeypatch)
        measured(workspace, sheets=tmp_path)
        path = tmp_path / "kb" / "rules.csv"
        first = rows_of(path)[0]["item"]
        # people find one more broken than what sends the customer to support
        fill(path, lambda row, key: "broken" if "support" in key["text"] or row["item"] == first else "n/a")
        offline = found_in(measured(workspace, filled=tmp_path), "Appendix B")
        judged = found_in(measured(workspace, "openai:scripted", filled=tmp_path), "Appendix B")
    answers = len(rows_of(path))
    wrong = sum(row["item"] == first for row in rows_of(path))
    expected = pytest.approx(100 * (answers - wrong) / answers)
    assert offline["rules by patterns"][0].value == expected
    assert offline["rules by patterns"][2].value == answers == 13 + 2
    assert offline["rules by the model"][0].missing == NOT_JUDGED
    model_row = judged["rules by the model"]
    assert model_row[0].value == expected and model_row[0].paper == 97.0
    assert model_row[0].low is not None and model_row[0].low < model_row[0].value  # type: ignore[operator]
    assert offline["rules by two people"][0].value == 100.0


def test_attributes_by_people_are_beside_the_judge_and_beside_the_offline_reading(
    hand_made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = open_subject(hand_made).spec

    def answer(_row: Mapping[str, str], key: Mapping[str, Any]) -> str:
        values = extract_attributes(key["text"], "issue", spec.attributes).get(key["attribute"], [])
        return "; ".join(values).lower() or "not said"  # as people write: not in our spelling

    with StubServer(model) as server:
        workspace = asked_of(hand_made, server, monkeypatch)
        measured(workspace, sheets=tmp_path)
        path = tmp_path / "kb" / "attributes.csv"
        fill(path, answer)
        offline = found_in(measured(workspace, filled=tmp_path), "Appendix B")
        judged = found_in(measured(workspace, "openai:scripted", filled=tmp_path), "Appendix B")
    answers = rows_of(path)
    assert any(row["answer"] == "ios" for row in answers)
    accuracy, _, compared = offline["attributes read offline"]
    assert (accuracy.value, compared.value) == (100.0, len(answers))
    # the judge says laptop of every text and nothing else
    right = sum((row["answer"] == "not said") == (row["attribute"] != "device") for row in answers)
    right -= sum(row["attribute"] == "device" and row["answer"] != "not said" for row in answers)
    accuracy, _, _ = judged["attributes by the model"]
    assert accuracy.value == pytest.approx(100 * right / len(answers)) and accuracy.paper == 94.0


def test_labels_of_whole_texts_count_as_people_do(hand_made: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "labels"
    (folder / "kb").mkdir(parents=True)
    labels = folder / "kb" / "attributes.jsonl"
    lines = [
        {"id": "1", "text": "my iPhone finds no robot", "attributes": {"os": ["iOS"], "device": ["Phone"]}},
        {"id": "2", "text": "blunt blades", "attributes": {"model": ["Hopper"]}},
    ]
    labels.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    accuracy, _, compared = found_in(measured(hand_made, filled=folder), "Appendix B")["attributes read offline"]
    # all three attributes of the first text, and two of the second, whose model is not in its words
    assert (accuracy.value, compared.value) == (pytest.approx(100 * 5 / 6), 6)
    lines[1]["attributes"] = {"model": ["Lawnmower"]}
    labels.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(BadInputError, match=r"attributes\.jsonl, line 2: 'Lawnmower' is not a value of model"):
        measured(hand_made, filled=folder)


@pytest.mark.parametrize(
    ("sheet", "given", "says"),
    [
        ("correctness", "maybe", r"correctness\.csv, row 2, column answer: 'maybe'; write yes or no"),
        ("rules", "kept?", r"rules\.csv, row 2, column answer: 'kept\?'; write kept, broken or not applicable"),
        ("attributes", "Zeppelin", r"attributes\.csv, row 2, column answer: 'Zeppelin' is not a value of .* not said"),
    ],
)
def test_an_answer_that_is_none_is_named_with_what_is_allowed(
    hand_made: Workspace, tmp_path: Path, sheet: str, given: str, says: str
) -> None:
    measured(hand_made, sheets=tmp_path)
    fill(tmp_path / "kb" / f"{sheet}.csv", lambda *_: given)
    with pytest.raises(BadInputError, match=says):
        measured(hand_made, filled=tmp_path)


def test_wrong_folders_and_papers_are_sentences(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = str(hand_made.folder)
    for given, says in (
        (["autokb", kb, "--read", str(tmp_path / "none")], "is no folder"),
        (["autokb", kb, kb, "--sheets", str(tmp_path / "s")], "Two workspaces are called kb"),
        (["tickets", kb, "--sheets", str(tmp_path / "s")], "The paper tickets has no sheets"),
    ):
        assert main(["evaluate", "paper", *given]) == 2
        assert says in " ".join(capsys.readouterr().err.split())
