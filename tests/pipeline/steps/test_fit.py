"""What nodes and passages are worth is fitted again when anything changes that the fit reads, and else looked up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import hand_made_kb
from autokb.app.ask import open_index
from autokb.core.domain import Attribute
from autokb.core.nouns import Document
from autokb.core.settings import Settings
from autokb.pipeline.stages import Stages, encoder_of
from autokb.pipeline.steps.fit import STAGE, fit_gate, fit_nodes
from autokb.retrieval.history import PastIssue
from autokb.retrieval.index import AskIndex
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

PAST = [PastIssue(i, text, date, tuple(helped)) for i, (text, date, helped) in hand_made_kb.RAW.items() if helped]


@pytest.fixture
def opened(hand_made: Workspace) -> Iterator[tuple[WorkspaceFile, AskIndex]]:
    found = open_index(hand_made)
    with hand_made.file() as file:
        yield file, found.index
    found.close()


def computed(file: WorkspaceFile, index: AskIndex, past: list[PastIssue]) -> int:
    """Fit, and return how many fits were worked out rather than looked up."""
    stages = Stages(file, encoder_of(Settings(), file, None))
    fit_nodes(stages, index, past, {p.id: index.embed_questions([p.text])[0] for p in past}, "texts")
    return stages.log.counts[STAGE].computed


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


def test_the_gate_is_fitted_again_when_the_domain_calls_something_else_its_own(
    opened: tuple[WorkspaceFile, AskIndex],
) -> None:
    file, index = opened
    bose = Attribute("maker", "closed", values=("Bose",))
    stages = Stages(file, encoder_of(Settings(), file, None))
    for spec in (index.spec, index.spec, replace(index.spec, attributes={**index.spec.attributes, "maker": bose})):
        fit_gate(stages, replace(index, spec=spec), {}, {}, PAGES, "texts")
    assert stages.log.counts[STAGE].computed == 2


def test_the_same_knowledge_and_past_is_looked_up(opened: tuple[WorkspaceFile, AskIndex]) -> None:
    file, index = opened
    assert [computed(file, index, PAST) for _ in range(2)] == [1, 0]


def test_another_outcome_another_node_or_another_passage_is_fitted_again(
    opened: tuple[WorkspaceFile, AskIndex],
) -> None:
    file, index = opened
    computed(file, index, PAST)
    assert computed(file, index, [replace(p, documents=("garage.md",)) for p in PAST]) == 1
    assert computed(file, replace(index, nodes=replace(index.nodes, vectors=index.nodes.vectors[::-1])), PAST) == 1
    assert computed(file, replace(index, shown=replace(index.shown, vectors=index.shown.vectors[::-1])), PAST) == 1
