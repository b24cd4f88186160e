"""The past as questions: the later part asks over the earlier one, and nobody sees its own tree or outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from autokb.retrieval.fitting import NodeCase
from autokb.retrieval.node_cases import node_cases

import hand_made_kb
from autokb.app.ask import OpenIndex, open_index
from autokb.core.vectors import Vectors
from autokb.retrieval.history import PastIssue
from autokb.retrieval.index import AskIndex
from autokb.stores.workspace import Workspace

PAST = [
    PastIssue(i, text, date, tuple(d if "." in d else f"app/{d}.md" for d in helped))
    for i, (text, date, helped) in hand_made_kb.RAW.items()
    if helped
]
LAST = max(PAST, key=lambda p: p.date)


@pytest.fixture
def opened(hand_made: Workspace) -> Iterator[OpenIndex]:
    found = open_index(hand_made)
    yield found
    found.close()


def cases(index: AskIndex, past: list[PastIssue]) -> list[NodeCase]:
    vectors: dict[str, Vectors] = {p.id: index.embed_questions([p.text])[0] for p in past}
    return node_cases(index, past, vectors)


def at(index: AskIndex, document: str) -> int:
    return index.chunks.documents.index(document)


def test_the_later_part_is_asked(opened: OpenIndex) -> None:
    (case,) = cases(opened.index, PAST)  # 0.3 of five, rounded down
    assert [d for d, right in zip(opened.index.chunks.documents, case.right, strict=True) if right] == ["rain.md"]
    assert len(case.documents) == len(case.nodes) == len(case.passages) == len(hand_made_kb.DOCUMENTS)
    assert cases(opened.index, PAST[:3]) == []


def test_an_issue_is_asked_without_the_tree_that_grew_from_it(opened: OpenIndex) -> None:
    rain = at(opened.index, "rain.md")
    (own,) = cases(opened.index, PAST)
    (foreign,) = cases(opened.index, [replace(p, id="new") if p is LAST else p for p in PAST])
    assert own.nodes[rain] == 0.0  # the rain tree alone cites this document
    assert foreign.nodes[rain] > 0.5
    others = [n for n in range(len(own.nodes)) if n != rain]
    assert own.nodes[others].tolist() == foreign.nodes[others].tolist()


def test_nobody_sees_its_own_outcome(opened: OpenIndex) -> None:
    (case,) = cases(opened.index, PAST)
    (other,) = cases(opened.index, [replace(p, documents=("garage.md",)) if p is LAST else p for p in PAST])
    assert other.documents.tolist() == case.documents.tolist()
    assert other.right[at(opened.index, "garage.md")]


def test_scores_are_without_nodes_and_passages_whatever_these_weigh_now(opened: OpenIndex) -> None:
    weighed = replace(opened.index, weights=replace(opened.index.weights, nodes=9.0, passages=9.0))
    (one,), (other,) = cases(opened.index, PAST), cases(weighed, PAST)
    assert one.documents.tolist() == other.documents.tolist()
