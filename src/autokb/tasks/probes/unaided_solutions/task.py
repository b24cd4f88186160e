"""The task that solves an issue from a model's own knowledge: the baseline LLM-WK (prompt G.1)."""

from __future__ import annotations

from autokb.tasks.probes.unaided_solutions import model
from autokb.tasks.probes.unaided_solutions.shapes import SolveUnaided, UnaidedSolution, UnaidedSolutions, check
from autokb.tasks.task import ReplyError, Task

__all__ = ["TASK", "SolveUnaided", "UnaidedSolution", "UnaidedSolutions"]


def _offline(_item: SolveUnaided) -> UnaidedSolutions:
    """Refuse: what a model knows by itself only a model can say, and nothing is invented here."""
    raise ReplyError("Unaided solutions come from a model's own knowledge; without a model there are none.")


TASK: Task[SolveUnaided, UnaidedSolutions] = Task(
    name="probes/unaided_solutions",
    version=1,
    input=SolveUnaided,
    output=UnaidedSolutions,
    offline=_offline,
    check=check,
    asking=model.ASKING,
)
