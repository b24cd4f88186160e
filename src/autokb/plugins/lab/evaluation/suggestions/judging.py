"""Whether a suggestion says what a person replied: decided by refusals where they settle it, else by a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from autokb.plugins.lab.evaluation.experiment import TaskRunner
from autokb.tasks.judges.consistency.task import TASK as CONSISTENCY
from autokb.tasks.judges.consistency.task import JudgeConsistency
from autokb.tasks.judges.reply_correctness.task import TASK as REPLY_CORRECTNESS
from autokb.tasks.judges.reply_correctness.task import JudgeReply

STAGE = "judge"
Verdict = Literal["correct", "incorrect", "unsure", "not judged"]
# Shares of the judged cases; the paper counts a refusal where a person answered as missing.
RATES: Mapping[str, Verdict] = {"accuracy": "correct", "hallucination_rate": "incorrect", "missing_rate": "unsure"}


@dataclass(frozen=True, slots=True)
class JudgedOffer:
    """A model's verdicts by case; one that failed is in none.

    ``consistent`` says of what cites something whether that bears it out: 1 or 0, unsure ones left out.
    """

    verdicts: Mapping[str, Verdict]
    consistent: Mapping[str, float] = field(default_factory=dict)


def mechanical_verdict(truth_refuses: bool, refuses: bool) -> Verdict:
    """Return the verdict that refusals settle (4.2.1 and prompt of the paper); what is said decides the rest.

    A refusal where the truth refuses is correct, an answer there incorrect, a refusal where it answers unsure.
    """
    if truth_refuses:
        return "correct" if refuses else "incorrect"
    return "unsure" if refuses else "not judged"


def judge_replies(
    runner: TaskRunner, requests: Mapping[str, JudgeReply], citing: Mapping[str, JudgeConsistency]
) -> JudgedOffer:
    """Have a model judge replies beside people's, and beside what they cite, by case. Offline nothing is judged."""
    replies = runner.run(STAGE, REPLY_CORRECTNESS, list(requests.values()), list(requests))
    beside = runner.run(STAGE, CONSISTENCY, list(citing.values()), list(citing))
    found = {case: reply.verdict for case, reply in zip(requests, replies, strict=True) if reply is not None}
    return JudgedOffer(
        {case: verdict for case, verdict in found.items() if verdict != "not judged"},
        {
            case: float(reply.verdict == "yes")
            for case, reply in zip(citing, beside, strict=True)
            if reply is not None and reply.verdict in ("yes", "no")
        },
    )
