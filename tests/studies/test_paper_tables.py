"""The tables of the papers: their shape, what is beside what, and what is missing with how to fill it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from autokb.cli import main
from autokb.core.errors import BadInputError
from autokb.evaluation.papers.tables import Cell, PaperTable, report_tables
from autokb.studies.papers import PAPERS, paper_tables


@pytest.fixture(scope="module")
def built(_built_headphones: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers") / "kb"
    shutil.copytree(_built_headphones, folder)
    return folder


def test_the_command_prints_the_shape_of_the_interface_and_the_same_bytes(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for _ in range(2):
        assert main(["evaluate", "paper", "autokb", str(built), "--json"]) == 0
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
    statistics = next(t for t in paper_tables("autokb", [built]).tables if t.name.startswith("Table 1"))
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
