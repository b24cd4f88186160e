"""``autokb evaluate chunking`` from its words to its table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import autokb.plugins.lab.commands.evaluate  # noqa: F401  (registers the command)
from autokb.cli import main

TEXT = "# Kettle\n\nDoes it boil?\n\nYes, <b>at once</b>.\n\n1. Fill it.\n2. Boil it.\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "kettle.md"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_json_has_the_contract_s_shape(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "chunking", str(page), "--methods", "fixed,headings", "--max-size", "40", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer["methods"]) == ["fixed", "headings"]
    for body in answer["methods"].values():
        assert {"chunks", "size", "tenets", "mechanical", "seconds"} <= body.keys()
        assert body["tenets"]["noise"]["value"] is None


def test_the_table_and_the_page_keep_counted_and_judged_apart(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.html"
    assert main(["evaluate", "chunking", str(page), "--methods", "headings", "--report", str(report)]) == 0
    shown = capsys.readouterr().out
    written = report.read_text(encoding="utf-8")
    for text in (shown, written):
        assert "Intrinsic: counted, judged by nobody" in text
        assert "Judged by a model" not in text
        assert "headings" in text
    assert "<th>dangling</th>" in written


def test_a_method_that_there_is_not_ends_with_2(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "chunking", str(page), "--methods", "shredder", "--json"]) == 2
    assert "There is no chunker 'shredder'" in json.loads(capsys.readouterr().out)["error"]


def test_a_path_that_is_not_there_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "chunking", str(tmp_path / "none"), "--json"]) == 2
    assert "none" in json.loads(capsys.readouterr().out)["error"]


@pytest.mark.parametrize("name", ["none/report.html", "."])
def test_a_report_that_cannot_be_written_is_refused_before_any_work(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(
        "autokb.plugins.lab.studies.evaluate_chunking.evaluate_chunking", lambda *_: pytest.fail("it was evaluated")
    )
    assert main(["evaluate", "chunking", str(page), "--report", str(tmp_path / name), "--json"]) == 2
    assert "--report" in json.loads(capsys.readouterr().out)["error"]
