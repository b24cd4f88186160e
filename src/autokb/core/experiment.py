"""Two arms of an experiment: a hash, the same in every process, says which conversations get suggestions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from autokb.core.ids import digest

Arm = Literal["treatment", "control"]
ARMS: tuple[Arm, ...] = get_args(Arm)
TREATMENT, CONTROL = ARMS
HASH_DIGITS = 13  # hexadecimal digits of the hash that are read: 52 bits, which a float holds exactly


@dataclass(frozen=True, slots=True)
class ArmSettings:
    """What the settings say of an experiment.

    ``share`` of the conversations are in the treatment arm and get suggestions, the others none; another ``salt`` deals
    them out anew and so names the experiment. It is off until ``enabled``.
    """

    enabled: bool = False
    share: float = 0.5
    salt: str = ""

    def arm_of(self, conversation: str) -> Arm | None:
        """Return the arm of a conversation by its id; None where there is no experiment, or no id."""
        if not self.enabled or not conversation:
            return None
        place = int(digest(self.salt, conversation)[:HASH_DIGITS], 16) / 16**HASH_DIGITS
        return TREATMENT if place < self.share else CONTROL
