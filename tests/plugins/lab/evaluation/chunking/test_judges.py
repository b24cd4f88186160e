"""What judges are asked about chunks, and which chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autokb.core.nouns import Chunk, Document
from autokb.plugins.lab.evaluation.chunking.judges import judge_tenets, sample_chunks, sample_requests
from autokb.tasks.judges.chunk_verdicts import ChunkVerdict, JudgeChunk
from autokb.tasks.judges.task_relevance.task import JudgeForTask


def chunks(many: int, document: str = "d") -> list[Chunk]:
    return [Chunk(f"{document}{n}", document, f"Text {n} of {document}.", ((n, n + 1),)) for n in range(many)]


class AlwaysYes:
    """A runner that says yes and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: dict[str, list[Any]] = {}

    def run(self, _stage: str, task: Any, items: Sequence[Any], names: Sequence[str]) -> list[Any]:
        self.asked[task.name] = list(zip(names, items, strict=True))
        return [ChunkVerdict(verdict="yes")] * len(items)


def test_the_sample_is_even_in_its_order_and_the_same_every_time() -> None:
    given = chunks(50)
    found = sample_chunks(given, 10)
    assert len(found) == 10
    assert found == sample_chunks(given, 10)
    assert found == [chunk for chunk in given if chunk in found]
    assert sample_chunks(given, 50) == given


def test_every_method_gives_as_many_chunks_to_ask_about() -> None:
    documents = {name: Document(name, name.upper(), "") for name in "ab"}
    own = {"one": [*chunks(5, "a"), *chunks(5, "b")], "other": chunks(5, "a")}
    found = sample_requests(own, documents, 6)
    assert [name.split()[0] for name, _ in found] == ["one", "other"] * 3
    assert found == sample_requests(own, documents, 6)


def test_neighbours_that_are_shown_together_are_of_one_document() -> None:
    documents = {name: Document(name, name, "") for name in "ab"}
    own = {"one": [*chunks(1, "a"), *chunks(1, "b")]}
    assert sorted(item.chunks for _, item in sample_requests(own, documents, 9)) == [
        ("Text 0 of a.",),
        ("Text 0 of b.",),
    ]


def test_only_task_relevance_is_told_the_task() -> None:
    runner = AlwaysYes()
    found = judge_tenets(runner, "fixed", chunks(1), "help")
    assert {tenet: share.interval.value for tenet, share in found.items()} == dict.fromkeys(
        ("noise", "completeness", "context_switch", "task_relevance"), 1.0
    )
    assert runner.asked["judges/task_relevance"] == [("fixed d", JudgeForTask("help", "Text 0 of d."))]
    assert runner.asked["judges/noise"] == [("fixed d", JudgeChunk("Text 0 of d."))]
