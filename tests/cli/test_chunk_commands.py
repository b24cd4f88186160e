"""``autokb chunk`` from the outside: the contract's object, the view for people, and Markdown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from autokb.chunking.methods import METHODS
from autokb.cli import main

MARKDOWN = "# Seal\n\nPress the seal.\n\n## Lid\n\n1. Open the lid.\n2. Close the lid.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(MARKDOWN)
    (tmp_path / "docs" / "b.txt").write_bytes(b"\x00\x01")
    return tmp_path / "docs"


def as_json(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, Any, str]:
    status = main(["chunk", *map(str, words), "--json"])
    out, err = capsys.readouterr()
    assert out.endswith("\n") and out.count("\n") == 1
    return status, json.loads(out), err


@pytest.mark.parametrize("method", METHODS)
def test_the_object_of_the_contract(capsys: pytest.CaptureFixture[str], folder: Path, method: str) -> None:
    status, found, _ = as_json(capsys, folder, "--method", method, "--markdown", "--max-size", 40)
    assert status == 0
    assert set(found) == {"documents", "failures", "seconds"}
    assert found["failures"] == [
        {"path": "b.txt", "reason": "is binary, not text; give it the suffix of its real format."}
    ]
    (document,) = found["documents"]
    assert (document["document"], document["method"], document["markdown"]) == ("a.md", method, MARKDOWN)
    assert document["noise"] == []
    assert isinstance(document["seconds"], float)
    ids = {chunk["id"] for chunk in document["chunks"]}
    for chunk in document["chunks"]:
        assert {"id", "parent_id", "headings", "text", "spans", "context"} <= set(chunk)
        assert chunk["parent_id"] is None or chunk["parent_id"] in ids
        assert len(chunk["text"]) <= 40
        assert chunk["text"].endswith("".join(MARKDOWN[s:e] for s, e in chunk["spans"][-1:]))


def test_help_names_every_method(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chunk", "--help"]) == 0
    words = set(re.findall(r"\w+", capsys.readouterr().out))
    assert set(METHODS) <= words


def test_markdown_is_given_only_where_it_is_asked_for(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert "markdown" not in as_json(capsys, folder)[1]["documents"][0]


def test_a_folder_without_files_and_only_failures_end_with_0(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, found, _ = as_json(capsys, tmp_path)
    assert (status, found["documents"], found["failures"]) == (0, [], [])
    (tmp_path / "a.html").write_text("")
    status, found, _ = as_json(capsys, tmp_path)
    assert (status, found["documents"], [f["path"] for f in found["failures"]]) == (0, [], ["a.html"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("{here}/nowhere",), "does not exist"),
        (("{here}", "--method", "none"), "There is no chunker 'none'"),
        (("{here}", "--max-size", "0"), "autokb chunk --help"),
        (("{here}", "--jobs", "0"), "autokb chunk --help"),
        (("{here}", "--mode", "fast"), "--mode takes economical or paper"),
        (("{here}", "--model", "gpt"), "PROVIDER:NAME"),
    ],
)
def test_bad_input_ends_with_2(
    capsys: pytest.CaptureFixture[str], folder: Path, words: tuple[str, ...], said: str
) -> None:
    status, found, _ = as_json(capsys, *(w.format(here=folder) for w in words))
    assert (status, list(found)) == (2, ["error"])
    assert said in found["error"]


def test_a_task_that_is_answered_offline_is_said(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    _, found, said = as_json(capsys, folder, "--method", "llm_semantic")
    assert said.startswith("llm_semantic is answered offline, by headings and words that are shared")
    assert found["documents"][0]["model"] == "offline"
    _, found, said = as_json(capsys, folder)
    assert said == ""
    assert found["documents"][0]["model"] == "offline"
    assert "model" not in as_json(capsys, folder, "--method", "fixed")[1]["documents"][0]


def test_a_budget_that_is_reached_ends_with_3_and_what_was_cut(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-a-test")
    (tmp_path / "a.txt").write_text("\n\n".join("word " * 100 for _ in range(9)))
    words = (tmp_path, "--method", "lumber_chunker", "--model", "openai:gpt-4o-mini", "--budget", "0")
    status, found, said = as_json(capsys, *words)
    assert status == 3
    assert (found["documents"], found["failures"]) == ([], [])
    assert found["stopped"] and found["stopped"] in said
    assert "kept for this call only; with --ledger FILE" in said


def test_people_see_the_tree_and_what_was_not_cut(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["chunk", str(folder), "--method", "headings"]) == 0
    out, err = capsys.readouterr()
    assert out.split("\n") == [
        "a.md",
        "headings: 2 chunks, 36 characters on average, 50 at most",
        "   23  Seal  Press the seal.",
        "└──    50  Lid  Open the lid.",
        "",
        "",
    ]
    assert "not cut: b.txt: is binary, not text" in err


def test_people_can_have_markdown(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert main(["chunk", str(folder / "a.md"), "--method", "fixed", "--markdown"]) == 0
    head, _, chunk, text = capsys.readouterr().out.split("\n", 3)
    assert head == "<!-- document a.md -->"
    assert chunk.startswith("<!-- chunk chunk-")
    assert text.strip() == MARKDOWN.strip()


def test_nothing_at_all_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["chunk", str(tmp_path)]) == 0
    assert capsys.readouterr().err == "There is no file in what was given.\n"
