"""The tables of the papers: their shape, what is beside what, and what is missing with how to fill it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from autokb.cli import main
from autokb.core.errors import BadInputError
from autokb.evaluation.papers.tables import Cell, PaperTable, report_tables
from autokb.stores.workspace import Workspace, open_workspace
from autokb.studies import evaluate
from autokb.studies.papers import PAPERS, PaperRun, paper_tables
from autokb.studies.papers.autokb import tables
from autokb.studies.papers.autokb_retrieval import NODE_RANKS, retrieval_tables
from autokb.studies.papers.autokb_subject import open_subject


@pytest.fixture(scope="module")
def built(_built_headphones: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers") / "kb"
    shutil.copytree(_built_headphones, folder)
    return folder


def test_the_command_prints_the_shape_of_the_interface_and_the_same_bytes(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for _ in range(2):
        assert main(["evaluate", "paper", "autokb", str(hand_made.folder), "--json"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    found = json.loads(printed[0])
    assert found["paper"] == "autokb" and found["tables"]
    for table in found["tables"]:
        assert {"name", "rows", "columns", "cells"} <= table.keys() <= {"name", "rows", "columns", "cells", "note"}
        assert len(table["cells"]) == len(table["rows"])
        assert all(len(row) == len(table["columns"]) for row in table["cells"])
        for cell in (cell for row in table["cells"] for cell in row):
            assert list(cell) == ["value", "low", "high", "paper", "missing"]
            assert (cell["value"] is None) == (cell["missing"] is not None)


def test_what_is_known_of_the_domain_stands_beside_the_papers(built: Path) -> None:
    statistics = next(tables(PaperRun([open_workspace(built)])))
    assert statistics.name.startswith("Table 1")
    raw, parents, children, *_ = statistics.cells[0]
    assert (raw.paper, parents.paper, children.paper) == (265, 49, 482)
    assert isinstance(raw.value, int) and raw.value > 100


def test_bad_input_is_a_sentence(built: Path) -> None:
    with pytest.raises(BadInputError, match=", ".join(PAPERS)):
        paper_tables("lamps", [built])
    with pytest.raises(BadInputError, match="Name the workspaces"):
        paper_tables("autokb", [])


def test_a_reader_sees_ours_beside_theirs_and_why_something_is_missing() -> None:
    cells = ((Cell(0.5, 0.4, 0.6, 0.7), Cell(paper=3, missing="not judged")),)
    table = PaperTable("Table 9: lamps", ("lamp",), ("light", "heat"), cells, note="It is dark.")
    shown, below = report_tables([table])
    assert shown.rows == (("lamp", "0.500 [0.400, 0.600] (paper: 0.700)", "* (paper: 3)"),)
    assert below.rows == (("*", "not judged"), ("", "It is dark."))
    with pytest.raises(ValueError, match="not its cells"):
        PaperTable("Table 9", ("a", "b"), ("c",), ((Cell(1),),))


# -- AutoKB, table 2 --------------------------------------------------------------------------------------------------


def test_retrieval_is_measured_by_what_a_question_was_made_from(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = open_subject(hand_made)
    increments, absolute, by_level, by_origin = retrieval_tables([subject])
    assert [row.rsplit(", ", 1)[1] for row in increments.rows] == ["Raw", "+CC", "+CC+IP", "+CC+IP+HR"]
    assert increments.cells[0] == absolute.cells[0]  # the first row is absolute in both
    for place in range(len(NODE_RANKS)):
        raw, vanilla = (absolute.cells[row][place].value for row in (0, 2))
        assert increments.cells[2][place].value == pytest.approx(vanilla - raw)
    assert increments.cells[2][0].paper == 7.5 and by_level.cells[0][0].paper is None
    assert len(by_level.rows) == 4 * 3 and "asked by paraphrases of the chunks" in by_origin.name

    def worst_first(index: object, query_vector: object) -> object:  # a planted fault: the search is upside down
        knowledge = index.nodes.knowledge  # type: ignore[attr-defined]
        right = by_cosine(index, query_vector)  # type: ignore[arg-type]
        return lambda text: reversed([node for node in right(text) if node in knowledge.cited])

    by_cosine = evaluate._children_by_cosine
    monkeypatch.setattr(evaluate, "_children_by_cosine", worst_first)
    faulty, *_ = retrieval_tables([subject])
    assert faulty.cells[2][0].value < increments.cells[2][0].value
    assert faulty.cells[0] == increments.cells[0]
    assert "not reproduced" not in faulty.note  # what is below hybrid retrieval now is the other one


def test_what_the_paper_leaves_out_is_not_made_up(hand_made: Workspace) -> None:
    subject = open_subject(hand_made)
    medical = replace(subject, spec=replace(subject.spec, name="medical"))
    _, ours, *_ = retrieval_tables([subject])
    _, theirs, *_ = retrieval_tables([medical])
    assert all(cell.paper is None for row in ours.cells for cell in row)
    assert [cell.paper for cell in theirs.cells[3]] == [72.0, 79.5, 89.5, 94.5]
