"""``draft-spec`` and what evaluations say of models, from the outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autokb.cli import draft_commands, main
from autokb.stores.workspace import Workspace

Run = Callable[..., tuple[int, Any]]
assert draft_commands.app  # importing it registers the command


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command with --json; returns its exit status and the one object it printed."""

    def call(*words: object) -> tuple[int, Any]:
        capsys.readouterr()
        status = main([*map(str, words), "--json"])
        out = capsys.readouterr().out
        assert out.count("\n") == 1, out
        return status, json.loads(out)

    return call


@pytest.fixture
def shipped(headphones: Workspace) -> Path:
    """A workspace with the headphones' own examples."""
    return headphones.folder


def test_draft_spec_by_the_command(run: Run, shipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (shipped / "domain.yaml").read_bytes()
    status, shown = run("draft-spec", shipped)
    assert (status, shown["file"]) == (0, str(shipped / "domain.draft.yaml"))
    assert {"yaml", "attributes", "rules", "calls", "cached", "tokens", "cost", "made_by"} <= shown.keys()
    assert (shown["attributes"], [r["id"] for r in shown["rules"]]) == ([], ["no-secrets"])
    assert (shipped / "domain.yaml").read_bytes() == before
    assert main(["draft-spec", str(shipped)]) == 0
    out = capsys.readouterr().out
    assert shown["yaml"] in out and "save it as domain.yaml" in out


def test_draft_spec_of_nothing_ends_with_2(run: Run, tmp_path: Path) -> None:
    assert run("init", tmp_path / "kb")[0] == 0
    status, shown = run("draft-spec", tmp_path / "kb")
    assert status == 2 and "autokb add" in shown["error"]


@pytest.mark.with_plugins
def test_variations_by_the_command(run: Run, hand_made: Workspace, tmp_path: Path) -> None:
    words = ("evaluate", "retrieval", hand_made.folder, "--variations", "--sample", 2)
    status, shown = run(*words, "--systems", "raw", "autokb+hr", "--report", tmp_path / "r.html")
    assert (status, list(shown["systems"])) == (0, ["raw", "autokb+hr"])
    assert all(set(s["levels"]) == {"easy", "medium", "hard"} for s in shown["systems"].values())
    assert (shown["made_by"], shown["calls"], shown["queries"]["nodes"]) == ("mechanical", 0, 2)
    assert "hard only" in (tmp_path / "r.html").read_text()


@pytest.mark.with_plugins
def test_the_same_evaluation_gives_the_same_page(run: Run, hand_made: Workspace, tmp_path: Path) -> None:
    for words in (
        ("retrieval", hand_made.folder, "--variations", "--sample", 2, "--systems", "raw", "children", "literal"),
        ("quality", hand_made.folder),
    ):
        pages = []
        for name in ("a.html", "b.html"):
            assert run("evaluate", *words, "--report", tmp_path / name)[0] == 0
            pages.append((tmp_path / name).read_bytes())
        assert pages[0] == pages[1]
    assert b"1.0 by construction" in pages[0]


def test_the_terminal_says_what_q_d_by_patterns_is_worth(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "quality", str(hand_made.folder)]) == 0
    assert "1.0 by construction" in " ".join(capsys.readouterr().out.split())


@pytest.mark.with_plugins
def test_compare_claims_no_difference_that_it_cannot_see(
    run: Run, hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = run("evaluate", "retrieval", hand_made.folder, "--variations", "--sample", 2, "--systems", "children")[1]
    (tmp_path / "a.json").write_text(json.dumps(stored))
    words = ("evaluate", "compare", tmp_path / "a.json", tmp_path / "a.json", "--metric", "children.node_hit@1")
    (difference,) = run(*words)[1]["differences"]
    assert (difference["wins"], difference["losses"], difference["paired"]) == (0, 0, 2)
    assert difference["verdict"] == "no detectable difference"
    assert main([*map(str, words)]) == 0
    assert "no detectable difference" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--variations", "--systems", "llm-wk"), "--model"),
        (("--variations", "--systems", "oracle"), "'oracle' is no system"),
        (("--variations", "--queries", "q.jsonl"), "leave --queries and --qrels out"),
        (("--queries", "q.jsonl"), "--qrels"),
        ((), "--variations"),
        (("--variations", "--sample", "0"), "--sample"),
    ],
)
def test_wrong_ways_to_evaluate_retrieval(run: Run, hand_made: Workspace, words: tuple[str, ...], said: str) -> None:
    status, shown = run("evaluate", "retrieval", hand_made.folder, *words)
    assert status == 2 and said in shown["error"]


@pytest.mark.with_plugins
def test_judged_quality_offline_by_the_command(run: Run, hand_made: Workspace) -> None:
    status, shown = run("evaluate", "quality", hand_made.folder, "--model", "offline")
    assert (status, shown["q_c"]["value"]) == (0, None)
    assert shown["judged"]["correctness"] == {
        "value": None,
        "low": None,
        "high": None,
        "judged": 0,
        "not_judged": 10,
        "unsure": 0,
        "failed": 0,
    }
    assert (shown["judged"]["model"], shown["calls"], shown["cost"]) == ("offline", 0, 0.0)
    assert "judged" not in run("evaluate", "quality", hand_made.folder)[1]


@pytest.mark.parametrize("command", [("draft-spec",), ("evaluate", "quality"), ("evaluate", "retrieval")])
def test_a_missing_key_ends_with_2_and_names_the_variable(
    run: Run, hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "a.md").write_text("# A\n\nWords.\n")
    run("add", hand_made.folder, tmp_path / "a.md")
    words = ("--variations",) if command[-1] == "retrieval" else ()
    status, shown = run(*command, hand_made.folder, *words, "--model", "openai:any")
    assert status == 2 and "OPENAI_API_KEY" in shown["error"]
