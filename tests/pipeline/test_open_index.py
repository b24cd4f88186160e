"""What people decide is laid over what is in memory: the same as a fresh load, without another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autokb.app import SupportKB
from autokb.llm.embedders import multilingual
from autokb.pipeline import open_index as open_index_module
from autokb.pipeline.open_index import OpenIndex, open_index
from autokb.retrieval.candidates import SectionRoles
from autokb.retrieval.index import QuestionIndex
from autokb.retrieval.late_interaction import TokenIndex
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

QUESTIONS = (
    "my robot does not charge in the dock",
    "the iphone does not find the robot when pairing",
    "the Hopper tears the grass",
    "it stops in the rain, I use no app",
    "do you sell pizza",
)


def write(kb: SupportKB, tmp_path: Path, text: str = "# Dock\n\n1. Lift the dock.\n2. Blow the grass out.\n") -> str:
    (tmp_path / "by-hand.md").write_text(text, encoding="utf-8")
    return kb.curation.write("charge", tmp_path / "by-hand.md", author="ann").id


def decide(kb: SupportKB, tmp_path: Path) -> Iterator[str]:
    """Decide one thing after another, of every kind, and name each."""
    decisions: dict[str, Callable[[], object]] = {
        "approve": lambda: kb.curation.approve(["s-contacts"], author="ann"),
        "edit of a step": lambda: kb.curation.edit("s-contacts", steps=["Rub the contacts."], author="ann"),
        "reject": lambda: kb.curation.reject(["s-rain"], author="ann"),
        "hide a section on every node": lambda: kb.curation.hide(["s-contacts", "s-contacts-glider"]),
        "undo a hiding": lambda: kb.curation.undo("s-contacts"),
        "approve no more": lambda: kb.curation.approve(["s-ipad"], undo=True),
        "reject no more": lambda: kb.curation.reject(["s-rain"], undo=True),
        "write by hand": lambda: written.append(write(kb, tmp_path)),
        "edit what is by hand": lambda: kb.curation.edit(written[0], text="Lift the dock and shake it well."),
        "hide what is by hand": lambda: kb.curation.hide([written[0]]),
        "several at once": lambda: kb.curation.reject(["s-hopper", "s-gloves", "s-android"]),
        "a withheld one becomes shown": lambda: kb.curation.edit("s-support", text="Send the Badger's blades in."),
        "undo an edit": lambda: kb.curation.undo("s-support"),
    }
    written: list[str] = []
    for name, act in decisions.items():
        act()
        yield name


def same(one: Any, other: Any) -> bool:
    """Return whether two parts of an index hold the same."""
    if isinstance(one, TokenIndex):
        pairs = zip(one.tokens, other.tokens, strict=True)
        tokens = all(np.array_equal(a.pieces, b.pieces) and np.array_equal(a.vectors, b.vectors) for a, b in pairs)
        return tokens and np.array_equal(one.idf, other.idf)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, dict) and any(isinstance(value, np.ndarray) for value in one.values()):
        return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)
    if isinstance(one, SectionRoles):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return bool(one == other)


def differences(kept: QuestionIndex, fresh: QuestionIndex) -> list[str]:
    pairs = {
        "nodes": (kept.nodes.knowledge, fresh.nodes.knowledge),
        "candidates": (kept.candidates, fresh.candidates),
    }
    found = [
        f"{name}.{one.name}"
        for name, (a, b) in pairs.items()
        for one in fields(a) if one.name != "forest"
        if not same(getattr(a, one.name), getattr(b, one.name))
    ]  # fmt: skip
    return found + [
        name for name in ("tokens", "generation", "passages") if not same(getattr(kept, name), getattr(fresh, name))
    ]


def answers(opened: OpenIndex) -> list[dict[str, Any]]:
    found = [opened.ask(question, explain=True).as_json() for question in QUESTIONS]
    return [{key: value for key, value in one.items() if key != "seconds"} for one in found]


def test_every_kind_of_decision_gives_the_index_of_a_fresh_load_without_one(
    hand_made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb, before, read = SupportKB(hand_made), open_index(hand_made), open_index_module.read_published
    names = 0

    def never(_file: WorkspaceFile) -> Any:
        raise AssertionError("all that is published was read again")

    for name in decide(kb, tmp_path):
        monkeypatch.setattr(open_index_module, "read_published", never)
        later = open_index(hand_made, before=before)
        monkeypatch.setattr(open_index_module, "read_published", read)
        with closing(open_index(hand_made)) as fresh:
            assert later.index.chunks is before.index.chunks and later.index.history is before.index.history, name
            assert not differences(later.index, fresh.index), name
            assert answers(later) == answers(fresh), name
            assert later.file.generation == later.index.generation != before.index.generation, name
        before.close()
        before, names = later, names + 1
    assert names > 10
    before.close()


def test_more_than_a_decision_is_loaded_anew(hand_made: Workspace) -> None:
    kb, before = SupportKB(hand_made), open_index(hand_made)
    kb.usage.give_feedback("the dock is dirty", "helpful", documents=["charging.md"])
    SupportKB(hand_made).usage.ingest_feedback()
    fed = open_index(hand_made, before=before)
    assert fed.index.history is not before.index.history
    assert "the dock is dirty" in [issue.text for issue in fed.index.history.issues]
    reopened = open_index(hand_made.reopened(), before=fed)  # whose settings may be others
    assert reopened.index.chunks is not fed.index.chunks
    with hand_made.file() as file, file.transaction():
        records = {(kind, i): body for kind, i, body in file.lines() if kind == "document" and i != "rain.md"}
        file.publish(records, ["document"])
    published = open_index(hand_made, before=fed)
    assert len(published.index.chunks.documents) < len(fed.index.chunks.documents)
    for one in (before, fed, reopened, published):
        one.close()


@pytest.mark.slow
@pytest.mark.skipif(not multilingual.is_installed(), reason="the extra multilingual is not installed")
def test_a_decision_keeps_what_the_second_encoder_has_read(hand_made: Workspace, tmp_path: Path) -> None:
    kb, before = SupportKB(hand_made), open_index(hand_made)
    before.by_language.load_multilingual()
    write(kb, tmp_path)
    kb.curation.reject(["s-rain"])
    later, fresh = open_index(hand_made, before=before), open_index(hand_made)
    kept = later.by_language.multilingual
    assert kept is not None and not differences(kept, fresh.by_language.load_multilingual())
    assert kept.gate == fresh.by_language.load_multilingual().gate
    for one in (before, later, fresh):
        one.close()
