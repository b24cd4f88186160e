"""Where a method takes several paths or texts, one alone is that one and not its letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.pipeline.chunk_files import ChunkRequest
from autokb.stores.workspace import Workspace


def test_one_path_is_added_chunked_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "manuals"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nPress the button.\n", encoding="utf-8")
    kb = SupportKB.create(tmp_path / "kb")
    assert kb.add(str(folder)).added == 1
    assert kb.add(folder).unchanged == 1
    assert [one.document.id for one in SupportKB.chunk(folder, ChunkRequest())] == ["a.md"]
    assert kb.remove("a.md").removed == 1
    with pytest.raises(BadInputError, match=r"'nowhere\.md' names no document"):
        kb.remove("nowhere.md")


def test_one_solution_step_or_check_is_itself(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    assert kb.curation.approve("s-pair").solutions[0].id == "s-pair"
    assert kb.curation.edit("s-pair", steps="Press the button.").steps == ("Press the button.",)
    kept = kb.checks.keep("it is dark", solution="s-pair", attributes={"model": "Hopper"})
    assert kept.added == 1
    (check,) = kb.checks.list().checks
    assert check.attributes == {"model": frozenset({"Hopper"})}
    assert kb.checks.remove(check.id).checks == ()
    kb.usage.give_feedback("it is dark", "rejected", documents="blades.md")
    assert kb.usage.feedback().items[-1].documents == ("blades.md",)
    with pytest.raises(BadInputError, match="There are no sources yet"):
        kb.sync("manuals")
    with pytest.raises(BadInputError, match="'cosine'"):
        kb.evaluate.variations("cosine")


def test_one_kind_is_searched(hand_made: Workspace) -> None:
    found = SupportKB(hand_made).views.search("blades", kinds="solution")
    assert found.items and {one.kind for one in found.items} == {"solution"}
