"""Feedback on suggestions: given by many at once, killed, fed back, taken back, exported and imported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.pipeline.open_index import open_index
from autokb.stores.workspace import Workspace

QUESTION = "the grass looks frayed where it went"
GIVER = """
import sys
from autokb.app import SupportKB
kb = SupportKB.open(sys.argv[1])
for n in range(int(sys.argv[3])):
    given = kb.usage.give_feedback(f"question {n} of {sys.argv[2]}", "used", "s-hopper", author=sys.argv[2])
    print(given.feedback.id, flush=True)
"""


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    return SupportKB(hand_made)


@contextmanager
def giver(kb: SupportKB, name: str, count: int) -> Iterator[subprocess.Popen[str]]:
    """Give feedback in a process of its own, which says each that was acknowledged."""
    command = [sys.executable, "-c", GIVER, str(kb.workspace.folder), name, str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def past(kb: SupportKB) -> dict[str, tuple[str, ...]]:
    """Return what history holds that feedback gave: the questions and the documents that resolved them."""
    opened = open_index(kb.workspace)
    try:
        return {i.text: i.documents for i in opened.index.history.issues if i.id.startswith("feedback-")}
    finally:
        opened.close()


def staged(kb: SupportKB) -> list[str]:
    with kb.workspace.file() as file:
        return [s.id for s in file.staged("issues") if s.id.startswith("feedback-")]


def test_feedback_keeps_what_was_suggested_then(kb: SupportKB) -> None:
    given = kb.usage.give_feedback(QUESTION, "edited", "s-hopper", "Turn them over.", conversation="c1", author="ann")
    one = given.feedback
    assert given.changed == 1
    assert one.suggested.startswith("Turn the blades over\n")
    assert (one.documents, one.source, one.text, one.conversation) == (
        ("blades.md",),
        "solution",
        "Turn them over.",
        "c1",
    )
    again = kb.usage.give_feedback(QUESTION, "edited", "s-hopper", "Turn them over.", conversation="c1", author="ann")
    assert (again.changed, again.feedback) == (0, one)
    assert kb.usage.feedback().items == (one,)


def test_an_edited_solution_is_kept_as_it_was_edited(kb: SupportKB) -> None:
    assert kb.usage.give_feedback(QUESTION, "used", "s-rain").feedback.suggested == "Dry it\nDry the rain sensor well."


def test_a_passage_that_was_suggested_is_found(kb: SupportKB) -> None:
    opened = open_index(kb.workspace)
    passage = next(one.solution for one in opened.index.candidates.rows if one.passage is not None)
    opened.close()
    one = kb.usage.give_feedback(QUESTION, "helpful", passage.id).feedback
    assert (one.source, one.documents) == ("passage", (passage.evidence[0].document,))


def test_a_suggestion_without_a_solution_says_what_it_cites(kb: SupportKB) -> None:
    one = kb.usage.give_feedback(
        QUESTION, "used", documents=["blades.md", "T-1", "blades.md"], source="ticket"
    ).feedback
    assert (one.documents, one.source, one.solution_id) == (("blades.md", "T-1"), "ticket", None)
    kb.usage.ingest_feedback()
    assert past(kb) == {QUESTION: ("blades.md",)}  # T-1 is no document here
    with pytest.raises(BadInputError):
        kb.usage.give_feedback(QUESTION, "used", "s-hopper", documents=["rain.md"])


def test_what_is_no_feedback_is_refused_and_stores_nothing(kb: SupportKB) -> None:
    for words, verdict, solution in (
        (" \n", "used", None),
        ("x", "liked", None),
        ("x", "used", "no such solution"),
    ):
        with pytest.raises(BadInputError):
            kb.usage.give_feedback(words, verdict, solution)  # type: ignore[arg-type]
    for more in ({"text": "x" * 20_001}, {"author": "a" * 501}, {"source": "somewhere"}):
        with pytest.raises(BadInputError):
            kb.usage.give_feedback("x", "used", **more)  # type: ignore[arg-type]
    for limit, after in ((0, ""), (1001, ""), (1, "feedback-none")):
        with pytest.raises(BadInputError):
            kb.usage.feedback(limit, after)
    with pytest.raises(BadInputError):
        kb.usage.undo_feedback("feedback-none")
    assert kb.usage.feedback().items == ()


def test_hostile_text_is_kept_without_what_steers_a_terminal(kb: SupportKB) -> None:
    one = kb.usage.give_feedback("a\x1b[2Jb\ud83d\r\nc", "used", None, "\x9bx\ud800", author="an\x1bn\n").feedback
    assert (one.query, one.text, one.author) == ("a [2Jb\ufffd\n\nc", "x\ufffd", "an n")
    kb.export(kb.workspace.folder / "out.jsonl")


def test_pages_follow_each_other(kb: SupportKB) -> None:
    ids = [kb.usage.give_feedback(f"question {n}", "rejected").feedback.id for n in range(5)]
    first = kb.usage.feedback(2)
    assert ([one.id for one in first.items], first.next) == (ids[:2], ids[1])
    kb.usage.undo_feedback(ids[1])  # a page goes on also behind what was taken back meanwhile
    rest = kb.usage.feedback(3, first.next or "")
    assert ([one.id for one in rest.items], rest.next) == (ids[2:], None)


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(kb: SupportKB) -> None:
    with giver(kb, "ann", 100_000) as process:
        assert process.stdout is not None
        said = [process.stdout.readline().strip() for _ in range(20)]
        os.kill(process.pid, signal.SIGKILL)
        said += process.stdout.read().split()
        assert process.wait() == -signal.SIGKILL
    kept = [one.id for one in kb.usage.feedback(1000).items]
    assert kept[: len(said)] == said
    assert len(kept) <= len(said) + 1  # what was on the disk and not yet said


def test_two_processes_give_feedback_while_a_build_holds_its_lock(kb: SupportKB) -> None:
    with kb.workspace.build_lock(), giver(kb, "ann", 25) as ann, giver(kb, "bob", 25) as bob:
        said = {line for process in (ann, bob) for line in process.communicate()[0].split()}
        assert (ann.returncode, bob.returncode) == (0, 0)
    items = kb.usage.feedback(1000).items
    assert {one.id for one in items} == said
    assert [one.number for one in items] == list(range(1, 51))


def test_only_what_helped_and_cites_something_is_fed_and_twice_is_once(kb: SupportKB) -> None:
    assert past(kb) == {}
    kb.usage.give_feedback(f"{QUESTION}, write to ann@example.com", "used", "s-hopper")
    kb.usage.give_feedback("and when it rains?", "rejected", "s-rain")
    kb.usage.give_feedback("which one do you have", "used", source="question")
    assert (past(kb), staged(kb)) == ({}, [])  # given is not fed
    fed = kb.usage.ingest_feedback()
    assert (fed.issues, fed.added, fed.removed) == (1, 1, 0)
    assert fed.left_out == {"says that it did not help": 1, "cites no document": 1}
    assert past(kb) == {f"{QUESTION}, write to <email-1>": ("blades.md",)}
    with kb.workspace.file() as file:
        generation = file.meta("generation")
    again = kb.usage.ingest_feedback()
    assert (again.issues, again.added, again.removed, len(staged(kb))) == (1, 0, 0, 1)
    with kb.workspace.file() as file:
        assert file.meta("generation") == generation


def test_a_build_makes_a_raw_issue_of_it_which_counts_once(kb: SupportKB) -> None:
    one = kb.usage.give_feedback(QUESTION, "used", "s-hopper").feedback
    kb.usage.ingest_feedback()
    kb.build()
    with kb.workspace.file() as file:
        assert file.record("raw_issue", one.id) is not None
    assert past(kb) == {QUESTION: ("blades.md",)}
    assert kb.usage.ingest_feedback().added == 0
    kb.usage.undo_feedback(one.id)
    assert (past(kb), staged(kb)) == ({}, [])  # at once, though the build before had it
    kb.build()
    with kb.workspace.file() as file:
        assert file.record("raw_issue", one.id) is None


def test_feedback_outlives_a_build_that_drops_the_solution(kb: SupportKB) -> None:
    one = kb.usage.give_feedback(QUESTION, "used", "s-hopper").feedback
    kb.remove(["blades.md"])
    kb.build(force="ann")
    with kb.workspace.file() as file:
        assert file.record("solution", "s-hopper") is None
    assert kb.usage.feedback().items == (one,)
    kb.usage.ingest_feedback()
    assert past(kb) == {}  # its document is gone


def test_a_later_verdict_takes_the_question_out_when_it_is_fed_again(kb: SupportKB) -> None:
    kb.usage.give_feedback(QUESTION, "used", "s-hopper", author="ann")
    kb.usage.ingest_feedback()
    kb.usage.give_feedback(QUESTION, "unhelpful", "s-hopper", author="bob")
    fed = kb.usage.ingest_feedback()
    assert (fed.issues, fed.removed, past(kb)) == (0, 1, {})


def test_what_is_fed_is_removed_like_any_source(kb: SupportKB) -> None:
    kb.usage.give_feedback(QUESTION, "used", "s-hopper")
    kb.usage.ingest_feedback()
    assert "feedback" in [source.path for source in kb.sources().sources]
    assert kb.remove(["feedback"]).issues == 1
    assert past(kb) == {}


def feedback_lines(path: Path) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["kind"] == "feedback"]


def test_an_export_masks_it_and_an_empty_workspace_takes_it(kb: SupportKB, tmp_path: Path) -> None:
    gone = kb.usage.give_feedback("nobody asked", "used", "s-rain").feedback
    kb.usage.give_feedback(f"{QUESTION}: ann@example.com", "edited", "s-hopper", "Call +1 212 555 0100.", author="ann")
    kb.usage.give_feedback("it rains", "rejected", "s-rain")
    kb.usage.ingest_feedback()
    kb.usage.undo_feedback(gone.id)
    kb.export(tmp_path / "one.jsonl")
    first, second = sorted(feedback_lines(tmp_path / "one.jsonl"), key=lambda line: str(line["number"]))
    assert (first["query"], first["text"], first["fed"]) == (f"{QUESTION}: <email-1>", "Call <phone-1>.", True)
    assert (second["verdict"], second["number"], "fed" in second) == ("rejected", 3, False)
    other = SupportKB.create(tmp_path / "other", "headphones")
    assert other.import_(tmp_path / "one.jsonl").skipped == ()
    assert past(other) == past(kb) == {f"{QUESTION}: <email-1>": ("blades.md",)}
    other.export(tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_a_workspace_that_holds_something_takes_what_it_does_not_know_but_for_what_was_taken_back(
    kb: SupportKB, tmp_path: Path
) -> None:
    kept, gone = (kb.usage.give_feedback(words, "used", "s-hopper").feedback for words in ("one", "two"))
    kb.export(tmp_path / "kb.jsonl")
    kb.usage.undo_feedback(gone.id)
    new = {
        "kind": "feedback",
        "id": "feedback-new",
        "query": "three \x1b",
        "verdict": "helpful",
        "documents": ["rain.md"],
    }
    bad = [
        {**new, "id": "feedback-1", "verdict": "liked"},
        {**new, "id": "feedback-2", "query": " "},
        {**new, "id": "feedback-3", "fed": 3},
        {**new, "id": "r1"},
    ]
    with (tmp_path / "kb.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in (new, *bad))
    done = kb.import_(tmp_path / "kb.jsonl")
    assert done.taken == 1
    reasons = [f"{one.path}: {one.reason}" for one in done.skipped]
    assert len(reasons) == 5
    assert sum("verdict must" in r or "needs verdict" in r for r in reasons) == 1
    assert any(gone.id in r and "taken back here" in r for r in reasons)
    assert [(one.id, one.query) for one in kb.usage.feedback().items] == [(kept.id, "one"), ("feedback-new", "three")]
