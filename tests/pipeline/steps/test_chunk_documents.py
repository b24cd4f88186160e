"""A build cuts with any chunker, cuts again only what changed, and knows which pages another page touches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autokb.chunking.methods import METHODS
from autokb.core.nouns import Document
from autokb.core.settings import Settings
from autokb.pipeline.stages import Stages, encoder_of
from autokb.pipeline.steps.documents import chunk_documents
from autokb.stores.workspace_file import WorkspaceFile

NOTICE = "Our shop in the old station is open from nine to five on all days of the week."


@pytest.fixture
def file(tmp_path: Path) -> Iterator[WorkspaceFile]:
    opened = WorkspaceFile(tmp_path / "knowledge.db", create=True)
    yield opened
    opened.close()


def open_stages(file: WorkspaceFile) -> Stages:
    return Stages(file, encoder_of(Settings(), file, None))


def documents(count: int, notice: str = "") -> list[Document]:
    text = "# Seal {n}\n\nPress seal {n} into lid {n}. It clicks {n} times. Lid {n} closes.\n\n{notice}\n"
    return [Document(f"site/{n}.md", f"Seal {n}", text.format(n=n, notice=notice)) for n in range(count)]


def counts(file: WorkspaceFile, settings: Settings, docs: list[Document]) -> tuple[int, int]:
    """Cut for a build; returns how many documents were cut and how many looked up."""
    stages = open_stages(file)
    assert list(chunk_documents(stages, settings, docs)) == [d.id for d in docs]
    assert stages.log.failures == []
    return stages.log.counts["chunks"].computed, stages.log.counts["chunks"].reused


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_a_setting_and_cuts_only_what_changed(file: WorkspaceFile, method: str) -> None:
    settings = Settings(chunker=method)
    assert counts(file, settings, documents(3)) == (3, 0)
    assert counts(file, settings, documents(4)) == (1, 3)
    chunks = chunk_documents(open_stages(file), settings, documents(4))
    assert all(c.text and c.spans for own in chunks.values() for c in own)
    assert "clicks 2 times" in " ".join(c.text for c in chunks["site/2.md"])


def test_sentences_that_are_known_are_not_embedded_again(file: WorkspaceFile) -> None:
    settings = Settings(chunker="semantic")
    first, second = open_stages(file), open_stages(file)
    chunk_documents(first, settings, documents(2))
    chunk_documents(second, settings, documents(2))
    assert first.log.counts["embeddings"].computed > 0
    assert "embeddings" not in second.log.counts


def test_a_new_page_recomputes_the_others_only_where_a_paragraph_becomes_repeated(file: WorkspaceFile) -> None:
    settings = Settings(chunker="auto_chunker")
    pages = documents(4, NOTICE)
    assert counts(file, settings, pages[:2]) == (2, 0)
    assert counts(file, settings, pages[:3]) == (3, 0)  # the third page makes the notice a repeated one
    assert counts(file, settings, pages) == (1, 3)
    assert counts(file, settings, [*pages, Document("elsewhere/x.md", "X", "# X\n\nOther words.")]) == (1, 4)


def test_a_document_that_cannot_be_cut_is_a_failure_and_missing(
    file: WorkspaceFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    from autokb.chunking.baselines import semantic

    monkeypatch.setattr(semantic, "MOST_SENTENCES", 5)
    long = Document("long.md", "Long", "One. " * 6)
    stages = open_stages(file)
    assert list(chunk_documents(stages, Settings(chunker="semantic"), [*documents(1), long])) == ["site/0.md"]
    assert [(f.stage, f.item) for f in stages.log.failures] == [("chunks", "long.md")]
    assert "6 sentences" in stages.log.failures[0].reason
