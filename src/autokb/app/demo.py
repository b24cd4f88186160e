"""The demo: the shipped headphones domain, made, built and asked three questions, all of it offline."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from autokb.answering.answer import Answer
from autokb.app.create import Created
from autokb.core.errors import BadInputError
from autokb.core.results import Result
from autokb.pipeline.build_report import BuildReport
from autokb.views.show import ShownKB

DOMAIN = "headphones"
TREES = 6  # shown at most
QUESTIONS = (
    ("an exact match", "There is no sound on my Mac"),
    ("one that asks back", "How can I check the battery level?"),
    ("one that abstains", "How do I bake sourdough bread?"),
)


@dataclass(frozen=True, slots=True)
class Demo(Result):
    """What each step of the demo gave."""

    folder: str
    created: Created
    built: BuildReport
    shown: ShownKB
    answers: tuple[Answer, ...]


def check_new(folder: Path) -> None:
    """Refuse a folder that holds something (BadInputError)."""
    if folder.is_dir() and any(folder.iterdir()):
        name = shlex.quote(str(folder))
        raise BadInputError(
            f"{folder} is there already, and the demo writes over nothing. Name another folder: autokb demo NEW_FOLDER "
            f"(a demo that was stopped goes on with: autokb build {name})"
        )
