"""Whether a suggestion says what a person replied: decided by refusals where they settle it, else by a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from autokb.evaluation.runner import TaskRunner
from autokb.tasks.judges.reply_correctness.task import TASK as REPLY_CORRECTNESS
from autokb.tasks.judges.reply_correctness.task import JudgeReply

STAGE = "judge"
Verdict = Literal["correct", "incorrect", "unsure", "not judged"]
# Shares of the judged cases; the paper counts a refusal where a person answered as missing.
RATES: Mapping[str, Verdict] = {"accuracy": "correct", "hallucination_rate": "incorrect", "missing_rate": "unsure"}


@dataclass(frozen=True, slots=True)
class Judged:
    """A model's verdicts by case; one that failed is in none."""

    verdicts: Mapping[str, Verdict]


def mechanical_verdict(truth_refuses: bool, refuses: bool) -> Verdict:
    """Return the verdict that refusals settle (4.2.1 and prompt of the paper); what is said decides the rest.

    A refusal where the truth refuses is correct, an answer there incorrect, a refusal where it answers unsure.
    """
    if truth_refuses:
        return "correct" if refuses else "incorrect"
    return "unsure" if refuses else "not judged"


def judge_replies(runner: TaskRunner, cases: Sequence[str], requests: Sequence[JudgeReply]) -> Judged:
    """Have a model judge replies; request n is about the case ``cases[n]``. Offline nothing is judged."""
    replies = zip(cases, runner.run(STAGE, REPLY_CORRECTNESS, requests, cases), strict=True)
    found = {case: reply.verdict for case, reply in replies if reply is not None}
    return Judged({case: verdict for case, verdict in found.items() if verdict != "not judged"})
