"""A build by batch says which tasks a round asks for and how many rounds follow, and asks for nothing too early."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from answered_files import answer_files

from autokb.app import SupportKB
from autokb.core.errors import StoppedOnPurposeError
from autokb.pipeline.build_report import BuildReport
from model_workspace import DOCUMENTS, PRICES, exported, made
from scripted_model import ScriptedModel

NOWHERE = "http://127.0.0.1:1/v1"  # batch files send nothing
MOST_ROUNDS = 12


def stopped(kb: SupportKB, folder: Path) -> BuildReport | None:
    """Build once; returns what is awaited, or None when the build came to its end."""
    try:
        kb.build(batch_files=folder)
    except StoppedOnPurposeError as stop:
        assert isinstance(stop.result, BuildReport)
        return stop.result
    return None


def tasks_asked(folder: Path) -> Counter[str]:
    """Return how many requests of which task the files hold, by their custom_ids."""
    lines = [json.loads(x) for f in folder.glob("requests*.jsonl") for x in f.read_text().splitlines()]
    return Counter(line["custom_id"].split("-")[1] for line in lines)


def all_rounds(kb: SupportKB, folder: Path) -> list[tuple[dict[str, int], int | None]]:
    """Build to the end; returns the tasks of each round and how many rounds were said to follow it."""
    found = []
    for part in range(MOST_ROUNDS):
        if (report := stopped(kb, folder)) is None:
            return found
        assert report.awaited_tasks == tasks_asked(folder)
        assert report.awaited == sum(report.awaited_tasks.values())
        assert report.stopped is not None
        for task, count in report.awaited_tasks.items():
            assert f"{count} {task}" in report.stopped
            assert f"{count} {task}" in (folder / "README.txt").read_text()
        found.append((dict(report.awaited_tasks), report.rounds_left))
        answer_files(folder, ScriptedModel(), random.Random(1), part, share=1.0)
    raise AssertionError("the build does not end")


def test_each_round_names_its_tasks_and_how_many_follow(tmp_path: Path) -> None:
    rounds = all_rounds(made(tmp_path, NOWHERE), tmp_path / "batch")
    names = [set(tasks) for tasks, _ in rounds]
    assert names[0] >= {"extract_attributes", "find_themes"}
    assert names[-4:] == [{"grow_trees"}, {"merge_parents"}, {"write_solutions"}, {"check_rules"}]
    assert [left for _, left in rounds] == list(reversed(range(len(rounds)))), "each was right about the rest"


def test_the_readme_says_what_follows(tmp_path: Path) -> None:
    kb = made(tmp_path, NOWHERE)
    report = stopped(kb, tmp_path / "batch")
    assert report is not None and report.rounds_left is not None
    said = f"At most {report.rounds_left} more rounds follow"
    assert said in (tmp_path / "batch" / "README.txt").read_text()
    assert report.stopped is not None and said in report.stopped


LONG = "# The display\n\n" + "\n\n".join(
    f"## Part {n}\n\nThe display shows the sign {n} when the part {n} of the kettle is in its place. " * 6
    for n in range(5)
)


@pytest.fixture(params=["chained", "woven"])
def chained(tmp_path: Path, request: pytest.FixtureRequest) -> SupportKB:
    settings = PRICES + f"context: {request.param}\nchunker: headings\nmax_size: 600\n"
    return made(tmp_path, NOWHERE, settings=settings, documents={**DOCUMENTS, "display.md": LONG})


def contexts_before(folder: Path) -> list[tuple[str, str]]:
    """Return of each request for a context its custom_id, and the context that it shows of the passage before."""
    found = []
    for path in folder.glob("requests*.jsonl"):
        for line in map(json.loads, path.read_text().splitlines()):
            user = line["body"]["messages"][1]["content"]
            if "add_context" in line["custom_id"]:
                before = user.split("<before>")[1].split("</before>")[0] if "<before>" in user else ""
                context = before.split("<context>")[1].split("</context>")[0] if before else "first"
                found.append((line["custom_id"], context))
    return found


def test_a_chained_context_is_asked_for_when_the_one_before_it_is_there(tmp_path: Path, chained: SupportKB) -> None:
    folder = tmp_path / "batch"
    asked: list[tuple[str, str]] = []
    rounds: list[Any] = []
    for part in range(MOST_ROUNDS):
        report = stopped(chained, folder)
        if report is None or "add_context" not in report.awaited_tasks:
            break
        asked += contexts_before(folder)
        rounds.append(report.rounds_left)
        answer_files(folder, ScriptedModel(), random.Random(1), part, share=1.0)
    assert len(rounds) > 2
    assert rounds == sorted(set(rounds), reverse=True), "each context is a round less"
    assert len({name for name, _ in asked}) == len(asked), "nothing was asked twice"
    assert [context for _, context in asked if not context.strip()] == []


def test_chained_contexts_end_in_the_same_kb_by_files(tmp_path: Path, chained: SupportKB) -> None:
    rounds = all_rounds(chained, tmp_path / "batch")
    lefts = [left for _, left in rounds]
    assert lefts == list(reversed(range(len(rounds))))
    assert exported(chained, tmp_path / "a.jsonl")


def test_a_chunker_that_asks_shares_its_round_with_what_needs_no_chunk(tmp_path: Path) -> None:
    kb = made(tmp_path, NOWHERE, settings=PRICES + "chunker: auto_chunker\n")
    names = [set(tasks) for tasks, _ in all_rounds(kb, tmp_path / "batch")]
    assert names[0] == {"merge_blocks", "extract_attributes", "find_themes"}
