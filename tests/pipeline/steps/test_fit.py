"""The gate is fitted again when anything changes that the fit reads, and else looked up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from autokb.core.domain import Attribute
from autokb.core.nouns import Document
from autokb.core.settings import Settings
from autokb.pipeline.open_index import open_index
from autokb.pipeline.stages import Stages, encoder_of
from autokb.pipeline.steps.fit import STAGE, fit_gate
from autokb.retrieval.history import build_history
from autokb.retrieval.index import QuestionIndex
from autokb.retrieval.knowledge_index import KnowledgeIndex, NodeIndex
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile


@pytest.fixture
def opened(hand_made: Workspace) -> Iterator[tuple[WorkspaceFile, QuestionIndex]]:
    found = open_index(hand_made)
    with hand_made.file() as file:
        yield file, found.index
    found.close()


PAGES = [
    Document(
        f"{n}.md",
        name,
        f"# {name}\n\nThe {name} does not work and the phone shows an error.\n\n## Broken {name}\n\n"
        f"If the {name} stopped working, restart the computer.\n",
    )
    for n, name in enumerate(
        ("battery", "blade", "dock", "sensor", "robot", "roof", "wheel", "mower", "charger", "app")
    )
]


def computed(file: WorkspaceFile, index: QuestionIndex) -> int:
    """Fit the gate, and return how many fits were worked out rather than looked up."""
    stages = Stages(file, encoder_of(Settings(), file, None))
    fit_gate(stages, index, {}, {}, PAGES, "texts")
    return stages.log.counts[STAGE].computed


def test_the_gate_is_fitted_again_when_the_domain_calls_something_else_its_own(
    opened: tuple[WorkspaceFile, QuestionIndex],
) -> None:
    file, index = opened
    bose = Attribute("maker", "closed", values=("Bose",))
    own = replace(index, spec=replace(index.spec, attributes={**index.spec.attributes, "maker": bose}))
    assert [computed(file, one) for one in (index, index, own, own)] == [1, 0, 1, 0]


def test_sections_are_read_only_where_nobody_has_reported_anything(opened: tuple[WorkspaceFile, QuestionIndex]) -> None:
    file, index = opened
    moved = replace(index.candidates, vectors=-index.candidates.vectors)
    assert [computed(file, one) for one in (index, replace(index, candidates=moved))] == [1, 0]
    nobody = KnowledgeIndex.of((), (), index.spec.attributes)
    alone = replace(
        index,
        nodes=NodeIndex.of(nobody, index.nodes.vectors[:0], {}),
        history=build_history(index.chunks.documents, (), index.nodes.vectors[:0]),
    )
    assert [computed(file, one) for one in (alone, alone, replace(alone, candidates=moved))] == [1, 0, 1]
