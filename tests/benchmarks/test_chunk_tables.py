"""The paper's tables with a scripted judge on loopback: every figure is one that can be worked out."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

import chunk_judge
from benchmarks import chunk_tables
from stub_server import StubServer

PAGE = "# Kettle\n\nThe kettle boils water.\n\n## Offers\n\nBUY the kettle now. MENU\n"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "support"
    folder.mkdir()
    (folder / "kettle.md").write_text(PAGE, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_the_tables_of_the_paper_run_with_a_model(
    documents: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with StubServer(chunk_judge.reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        monkeypatch.setenv("AUTOKB_BASE_URL", server.url)
        result = chunk_tables.run(argparse.Namespace(paths=[documents], judge="openai:stub"))
    figures = {figure.name: figure.value for figure in result.figures}
    # By headings there are two chunks, the second of them noise that sells; as one fixed chunk it is all noise.
    assert figures["support.headings.noise"] == 1 / 2
    assert figures["support.headings.task_relevance"] == 1 / 2
    assert figures["support.headings.completeness"] == 1.0
    assert figures["support.fixed.noise"] == 1.0
    assert {f"support.{m}.wp@{k}" for m in chunk_tables.METHODS for k in (1, 3, 5)} <= figures.keys()
    assert result.detail["spent"]["support"]["calls"] == server.requests > 0
    shown = capsys.readouterr().out
    assert all(title in shown for title in ("Table 2", "Table 3", "Table 4"))


def test_without_a_model_nothing_is_judged_and_sizes_are_there(
    documents: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = chunk_tables.run(argparse.Namespace(paths=[documents]))
    assert result.figures == []
    assert "not judged" in capsys.readouterr().out
    assert result.detail["support"]["headings"]["chunks"] == 2


def test_without_documents_it_says_how_it_is_called() -> None:
    with pytest.raises(SystemExit, match="Name documents"):
        chunk_tables.run(argparse.Namespace())
