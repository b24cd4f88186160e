"""The names of the systems that suggest replies; light, since the command line reads it at its start."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.plugins.lab.evaluation.retrieval.system_names import known_names

AUTOKB = "autokb"  # what ``suggest`` gives, without a model
INCUMBENT = "incumbent"  # what agents replied to the past questions that are nearest: the baseline of differences
SHORT_ANSWER = "short_answer"  # fewer than ten words of the passages, or that there is no answer
GOLD = "+gold"  # behind a name: the case's own documents in the place of what is found (tables 10 and 11 of the paper)
SHORT_ANSWERS = (
    f"{SHORT_ANSWER}@1",
    f"{SHORT_ANSWER}@3",
    SHORT_ANSWER + GOLD,
)  # from one passage, three, the right ones
USUAL = (AUTOKB, INCUMBENT)
SYSTEMS = (AUTOKB, AUTOKB + GOLD, INCUMBENT, *SHORT_ANSWERS)


def choose_suggestion_systems(names: Sequence[str], more: Sequence[str] = ()) -> list[str]:
    """Return the systems of these names, the two usual ones without any; an unknown name is refused (BadInputError).

    ``more`` are those that whoever asks knows beside them.
    """
    return list(dict.fromkeys(known_names(names, (*SYSTEMS, *more)))) or list(USUAL)
