"""Suggestions under an experiment: whether a conversation gets them is its arm's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from autokb.answering.suggest import Suggested
from autokb.core.experiment import CONTROL, ArmSettings
from autokb.core.in_use import AssignedArm
from autokb.usage.question_log import moment


def assign_arm(
    conversation: str, experiment: ArmSettings, suggest: Callable[[bool], Suggested]
) -> tuple[Suggested, AssignedArm | None]:
    """Return what a conversation is suggested in its arm, and the arm to be kept; None where it is in no experiment.

    ``suggest`` is told whether models are to be asked. In the control arm they are not, for nobody would see what they
    write; the outcome is what the knowledge base alone has to say.
    """
    arm = experiment.arm_of(conversation)
    found = suggest(arm != CONTROL)
    if arm is None:
        return found, None
    kept = () if arm == CONTROL else found.suggestions
    return replace(found, suggestions=kept, arm=arm), AssignedArm(conversation, experiment.salt, arm, moment())
