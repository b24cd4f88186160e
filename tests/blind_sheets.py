"""A blind sheet of two systems in the folder of a workspace where the pages find it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autokb.answering.suggest import Suggestion
from autokb.core.nouns import Message
from autokb.plugins.lab.evaluation.suggestions.cases import Case
from autokb.plugins.lab.evaluation.suggestions.experiment import Offer
from autokb.plugins.lab.evaluation.suggestions.sheet import write_suggestion_sheet

SYSTEMS = ("autokb", "incumbent")
FULL = {
    "preference": "A",
    **{f"correctness_{side}": "correct" for side in "ab"},
    **{f"{score}_{side}": "2" for side in "ab" for score in ("relevance", "completeness", "specificity")},
    **{f"human_touch_{side}": "yes" for side in "ab"},
}  # an answer to everything that is asked


def write(
    folder: Path, name: str = "june", texts: Sequence[str] = ("dock", "rain", "blades"), *, silent: bool = False
) -> Path:
    """Write a sheet of a case for each text; where one is ``silent``, the incumbent says nothing in the last case."""
    (folder / "sheets").mkdir(exist_ok=True)
    path = folder / "sheets" / f"{name}.csv"
    cases = [Case(f"c{n}", (Message("customer", f"About {t}?"),), f"Reply on {t}") for n, t in enumerate(texts)]
    offers = {
        system: {
            case.id: Offer((Suggestion(f"{system[0]}-text on {text}", "solution"),), False)
            for case, text in zip(cases, texts, strict=True)
        }
        for system in SYSTEMS
    }
    if silent:
        offers[SYSTEMS[1]][cases[-1].id] = Offer((), True)
    write_suggestion_sheet(path, cases, offers)
    return path
