"""``autokb chunk`` and ``autokb evaluate chunking`` with a model behind their tasks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autokb.cli import main
from scripted_model import ScriptedModel, form_of
from stub_server import StubServer

PARTS = ("lid", "rim", "base")
MENU = "[Home](/) [Shop](/shop)"


def section(name: str) -> str:
    """Return a section of three paragraphs, long enough that a model is shown more than one of them at a time."""
    said = (" ".join(f"The {part} is where {name.lower()} is seen at hour {n}." for n in range(12)) for part in PARTS)
    return f"# {name}\n\n" + "\n\n".join(said)


VERDICTS = {"noise": 0.0, "completeness": 1.0, "context_switch": 0.0, "task_relevance": 1.0}
SECTIONS = [section(name) for name in ("Descaling", "Noise", "Leaks")]
TEXT = "\n\n".join([*SECTIONS, MENU]) + "\n"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubServer]:
    with StubServer(ScriptedModel()) as stub:
        monkeypatch.setenv("OPENAI_API_KEY", "key-of-a-test")
        monkeypatch.setenv("AUTOKB_BASE_URL", stub.url)
        yield stub


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "kettle.md"
    file.write_text(TEXT, encoding="utf-8")
    return file


def as_json(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert main([*map(str, words), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def asked(server: StubServer) -> Counter[str]:
    """Return how often each task was asked."""
    return Counter(form_of(body)[0] for body in server.bodies)


@pytest.mark.parametrize(
    ("method", "task", "last", "noise"),
    [
        # The menu is a paragraph of its own for all of them, and only one of them may leave it out.
        ("auto_chunker", "chunking_merge_blocks", SECTIONS[2], [(MENU, "menu, says the model")]),
        ("llm_semantic", "chunking_find_splits", f"{SECTIONS[2]}\n\n{MENU}", []),
        ("lumber_chunker", "chunking_find_shift", f"{SECTIONS[2]}\n\n{MENU}", []),
    ],
)
def test_a_page_is_cut_where_the_model_says(
    capsys: pytest.CaptureFixture[str],
    server: StubServer,
    page: Path,
    method: str,
    task: str,
    last: str,
    noise: list[tuple[str, str]],
) -> None:
    found = as_json(capsys, "chunk", page, "--method", method, "--model", "openai:stub", "--max-size", 9_999)
    (document,) = found["documents"]
    assert (found["failures"], document["model"]) == ([], "openai:stub")
    assert [chunk["text"] for chunk in document["chunks"]] == [*SECTIONS[:2], last]
    assert [(part["text"], part["reason"]) for part in document["noise"]] == noise
    assert set(asked(server)) == {task}


def test_judges_are_asked_about_every_method_and_the_table_says_so(
    capsys: pytest.CaptureFixture[str], server: StubServer, page: Path
) -> None:
    words = ("evaluate", "chunking", page, "--methods", "auto_chunker,headings", "--judge", "openai:stub", "--asked", 1)
    answer = as_json(capsys, *words, "--max-size", 9_999)
    assert (answer["failures"], answer["calls"]) == ([], server.requests)
    assert set(asked(server)) == {
        *("judges_noise", "judges_completeness", "judges_context_switch", "judges_task_relevance", "judges_relevance"),
        "probes_chunk_questions",  # and no merge_blocks: with --judge chunkers stay offline
    }
    for body in answer["methods"].values():
        # No chunk has any of the words that the scripted judges look for; of all of them a verdict is there.
        assert {name: (body["tenets"][name]["value"], body["tenets"][name]["judged"]) for name in VERDICTS} == {
            name: (value, body["chunks"]) for name, value in VERDICTS.items()
        }
        assert body["tenets"]["wp@1"]["judged"] == answer["questions"]["n"] > 0
    assert main([*map(str, words)]) == 0
    assert "Judged by a model" in capsys.readouterr().out
