"""The task that solves an issue from a model's own knowledge."""

from __future__ import annotations

import pytest

from autokb.tasks.probes.unaided_solutions.task import TASK, LLMOnlySolution, LLMOnlySolutions, SolveByLLMOnly
from autokb.tasks.task import ReplyError

ITEM = SolveByLLMOnly("lawn robots", "It stops in the rain")
DRY = LLMOnlySolution(title="Dry it", steps=("Wipe the sensor.",))


def test_a_solution_reads_as_title_and_steps() -> None:
    assert DRY.text == "Dry it\nWipe the sensor."
    TASK.check(ITEM, LLMOnlySolutions(solutions=(DRY,)))


@pytest.mark.parametrize(
    ("solutions", "words"),
    [
        ((), "1 to 5 solutions, not 0"),
        ((DRY,) * 6, "1 to 5 solutions, not 6"),
        ((DRY, LLMOnlySolution(title="DRY IT", steps=("wipe the sensor.",))), "stands twice"),
        ((LLMOnlySolution(title=" ", steps=("Go.",)),), "Solution 1 needs a title"),
        ((DRY, LLMOnlySolution(title="Go", steps=())), "Solution 2 needs a title and steps"),
        ((LLMOnlySolution(title="Go", steps=("Go.", " ")),), "none of them empty"),
    ],
)
def test_what_is_no_solution_is_refused(solutions: tuple[LLMOnlySolution, ...], words: str) -> None:
    with pytest.raises(ReplyError, match=words):
        TASK.check(ITEM, LLMOnlySolutions(solutions=solutions))
