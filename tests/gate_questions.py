"""Questions that the hand-made knowledge base is for, and messages that it is not for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

IN_DOMAIN = [
    f"{what} {when}"
    for what in (
        "the app does not find my robot",
        "pairing the mower with the app fails",
        "the robot is not in the list of the app",
        "the blades leave long grass behind",
        "the robot mows unevenly, the blades are blunt",
        "the mower stays in its dock and does not charge",
        "the battery of the robot is always empty",
        "the mower stops when it drizzles",
    )
    for when in ("since yesterday", "after the update", "on my lawn")
]
OUT_OF_DOMAIN = [
    f"{what} {how}"
    for what in (
        "tell me a joke",
        "what is the capital of Peru",
        "book me a flight to Rome",
        "how many grams is a cup of sugar",
        "when does the museum open",
        "my sister's birthday is on Friday",
        "play the next song",
        "who won the tennis match",
    )
    for how in ("please", "thanks", "if you can")
]


def write_questions(path: Path, texts: Iterable[str]) -> Path:
    """Write questions as ``gate calibrate`` reads them."""
    lines = (json.dumps({"id": f"q{n}", "text": text}) for n, text in enumerate(texts))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
