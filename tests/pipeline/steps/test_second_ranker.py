"""The second ranker is learnt again when what it was learnt from changes, and looked up otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from autokb.pipeline.steps.ranking import find_ranker
from autokb.retrieval.link_ranker import FEWEST_LINKED

import hand_made_kb
from autokb.app.ask import open_index
from autokb.core.vectors import Vectors
from autokb.retrieval.history import PastIssue, build_history
from autokb.retrieval.index import AskIndex
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile


@pytest.fixture
def index(hand_made: Workspace) -> Iterator[AskIndex]:
    """A knowledge base with just enough history for a ranker."""
    with closing(open_index(hand_made)) as opened:
        found = opened.index
        documents = list(hand_made_kb.DOCUMENTS)
        resolved = [documents[n % len(documents)] for n in range(FEWEST_LINKED)]
        past = [
            PastIssue(f"{n:03}", f"question {n} about {document}", f"2026-01-{n % 28 + 1:02}", (document,))
            for n, document in enumerate(resolved)
        ]
        vectors = found.embed_questions([p.text for p in past])
        history = build_history(found.chunks.documents, past, vectors, found.chunks.centroids())
        yield replace(found, history=history, weights=replace(found.weights, history=1.0))


@pytest.fixture
def learns(index: AskIndex, tmp_path: Path) -> Iterator[Callable[[AskIndex], bool]]:
    """Say whether a ranker is learnt for an index, which embeds the first lines of its past."""
    with closing(WorkspaceFile(tmp_path / "knowledge.db", create=True)) as file:

        def ask(changed: AskIndex) -> bool:
            asked: list[str] = []

            def embed(texts: Sequence[str]) -> Vectors:
                asked.extend(texts)
                return index.embed_questions(texts)

            find_ranker(file, changed, embed)
            return bool(asked)

        yield ask


def test_a_ranker_is_looked_up(index: AskIndex, learns: Callable[[AskIndex], bool]) -> None:
    assert learns(index)
    assert not learns(index)


CHANGES = {
    "the text of the windows": lambda i: replace(
        i, chunks=replace(i.chunks, vectors=replace(i.chunks.vectors, vectors=-i.chunks.vectors.vectors))
    ),
    "the titles": lambda i: replace(i, chunks=replace(i.chunks, titles=-i.chunks.titles)),
    "the sections": lambda i: replace(i, shown=replace(i.shown, vectors=-i.shown.vectors)),
    "the nodes": lambda i: replace(i, nodes=replace(i.nodes, vectors=-i.nodes.vectors)),
    "the raw issues of the nodes": lambda i: replace(i, nodes=replace(i.nodes, raw_vectors=-i.nodes.raw_vectors)),
    "a weight": lambda i: replace(i, weights=replace(i.weights, passages=i.weights.passages + 1)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_what_it_reads_teaches_another(
    index: AskIndex, learns: Callable[[AskIndex], bool], change: Callable[[AskIndex], AskIndex]
) -> None:
    assert learns(index)
    changed = change(index)
    assert learns(changed)
    assert not learns(changed) and not learns(index)
