"""A chunker, an embedder, a reranker and an executor of a plug-in, named in the settings as PLUGIN.NAME."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

import installed_plugins
from autokb.app import SupportKB
from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.core.nouns import Document
from autokb.core.plugins import PluginError
from autokb.core.settings import read_settings
from autokb.pipeline.embedding import check_embedder, encoder_name, open_free_embedder, read_embedder_name
from autokb.pipeline.executors import check_executor, open_executor
from autokb.pipeline.model_choice import check_settings
from autokb.pipeline.reranking import open_reranker
from autokb.pipeline.steps.documents import ChunkerSettings, _key
from autokb.stores.workspace import Workspace, open_workspace

DECLARED = """
from autokb.plugin import Plugin

plugin = Plugin(
    "mine",
    chunkers={"halves": "mine_code:halves"},
    embedders={"letters": "mine_code:Letters"},
    rerankers={"longest": "mine_code:Longest"},
    executors={"backwards": "mine_code:Backwards"},
)
"""
CODE = """
import numpy as np
from autokb.chunking.baselines.recursive import chunk_recursive_text
from autokb.core.executor import attempt

def halves(page, size):
    return chunk_recursive_text(page, max(1, len(page.document.text) // 2 + 1))

class Letters:
    name = "mine.letters 1"
    dimensions = 26
    def embed(self, texts):
        found = np.full((len(texts), 26), 1e-3, dtype=np.float32)
        for row, text in zip(found, texts):
            for letter in text.lower():
                if "a" <= letter <= "z":
                    row[ord(letter) - 97] += 1
        return found / np.linalg.norm(found, axis=1, keepdims=True)

class Longest:
    name = "mine.longest"
    def __init__(self, settings):
        self.settings = settings
    def scores(self, question, texts):
        return [float(len(text)) for text in texts]

class Backwards:
    closed = 0
    def map(self, function, things):
        done = [attempt(function, thing) for thing in reversed(list(things))]
        return reversed(done)
    def close(self):
        Backwards.closed += 1
"""


@pytest.fixture(autouse=True)
def mine(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "installed"
    installed_plugins.write(place, "mine", {"mine_plugin.py": DECLARED, "mine_code.py": CODE})
    with installed_plugins.on_path(place):
        yield place


def test_a_chunker_cuts_documents_and_its_version_is_in_the_key(mine: Path) -> None:
    page = MarkedPage(Document("d", "D", "One two three four five six. " * 20))
    result = chunk_page(page, "mine.halves", 2_000)
    assert len([chunk for chunk in result.chunks if chunk.text.strip()]) == 2
    key = _key(ChunkerSettings("mine.halves", 2_000), page, "")
    (mine / "mine_plugin-1.0.dist-info").rename(mine / "mine_plugin-2.0.dist-info")
    with installed_plugins.on_path(mine):
        assert _key(ChunkerSettings("mine.halves", 2_000), page, "") != key


def test_settings_that_name_them_are_checked_without_importing_their_code(mine: Path) -> None:
    (mine / "mine_code.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    with installed_plugins.on_path(mine):
        named = {"chunker": "halves", "embedder": "letters", "reranker": "longest", "executor": "backwards"}
        check_settings(read_settings({kind: f"mine.{name}" for kind, name in named.items()}))
        for check in (check_embedder, check_executor):
            with pytest.raises(PluginError, match="mine has no 'other' among its"):
                check("mine.other")
        with pytest.raises(PluginError, match="RuntimeError: imported"):
            open_free_embedder(read_embedder_name("mine.letters"))


@pytest.mark.slow
def test_an_embedder_gives_the_vectors_of_a_build(headphones: Workspace) -> None:
    (headphones.folder / "settings.yaml").write_text("embedder: mine.letters\nchunker: mine.halves\n", encoding="utf-8")
    workspace = open_workspace(headphones.folder)
    assert encoder_name(workspace.settings) == "mine.letters 1"
    kb = SupportKB(workspace)
    assert kb.build().solutions
    assert kb.ask("How do I reset the earbuds?").matches is not None
    with workspace.file() as file:
        assert file.dimensions("mine.letters 1") == 26
    kb.close()


def test_a_reranker_reads_the_first_candidates_and_an_executor_is_closed(hand_made: Workspace) -> None:
    settings = replace(hand_made.settings, reranker="mine.longest", executor="mine.backwards")
    with ExitStack() as held:
        reranker = open_reranker(settings, held)
        assert reranker is not None and reranker.scores("q", ["a", "abc"]) == [1.0, 3.0]
    with open_executor(settings.executor) as executor:
        assert [one.get() for one in executor.map(len, ["a", "bb"])] == [1, 2]
    from mine_code import Backwards  # type: ignore[import-not-found]

    assert Backwards.closed == 1
    kb = SupportKB(replace(hand_made, settings=replace(hand_made.settings, reranker="mine.longest")))
    assert kb.ask("the battery does not charge in the dock", explain=True).as_json()["explain"]["reader"]  # type: ignore[index]
    kb.close()
