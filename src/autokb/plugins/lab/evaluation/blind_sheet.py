"""The sheet of a trial: two answers a question side by side, whose is whose in a key file of its own, and its marks.

Which system is A is drawn for each question by its id, so a trial that goes on has the same sheet.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError
from autokb.core.files import write_file
from autokb.core.ids import digest
from autokb.plugins.lab.evaluation.report import Record
from autokb.plugins.lab.evaluation.sheets import Choice, has_marks, key_path, read_key, read_rows, sheet_text
from autokb.plugins.lab.evaluation.suggestions.sheet import PREFERENCE, SIDES
from autokb.stats.bootstrap import NOT_MEASURED, Interval, measured_mean
from autokb.stats.differences import paired_difference
from autokb.stats.shares import Share, share

MARKS = ("a_helps", "b_helps", "better")
SHOWN = ("question", "a", "a_source", "b", "b_source")
HELPS = Choice({"yes": 1.0, "partly": 0.5, "no": 0.0}, "yes, partly or no")
SAME = "same"
SAME_AS_A = "(the same as A: mark A alone)"
ASKED = (
    "Read the question and what two systems answer. Write into a_helps and b_helps how far each would help who asked "
    "(yes, partly or no), and into better which of them helps more (A, B or same). Judge by yourself, and leave empty "
    "what you cannot judge."
)


@dataclass(frozen=True, slots=True)
class Side:
    """What one system shows first for a question, and where that stands."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class SheetMarks(Record):
    """What a filled sheet says: how much each system helps (yes 1, partly .5, no 0), and which one is better how often.

    ``difference`` is the second system's help minus the first one's, over the questions where both are marked.
    """

    questions: int
    helps: Mapping[str, Interval]
    help_difference: Interval
    better: Mapping[str, Share]


# Complex: the order, the sides and the key are one drawing, and a sheet that is there is in its way.
def write_blind_sheet(path: Path, questions: Mapping[str, str], sides: Mapping[str, Mapping[str, Side]]) -> bool:
    """Write the sheet of two systems with its key; False where one with marks stays, which is of other answers.

    ``sides`` holds by system and id what is shown for the questions. Where both show the same, which comes last, one
    mark counts for both. The same answers leave the sheet as it is.
    """
    first, second = sides
    alike = {item for item in questions if sides[first][item] == sides[second][item]}
    order = sorted(questions, key=lambda item: (item in alike, digest("row", item)))
    drawn = {item: (second, first) if int(digest("side", item)[:8], 16) % 2 else (first, second) for item in order}
    items = {
        item: {
            **dict(zip(SIDES, names, strict=True)),
            "alike": item in alike,
            "shown": digest(*(sides[name][item].text for name in names)),
        }
        for item, names in drawn.items()
    }
    key = json.dumps({"systems": [first, second], "items": items}, ensure_ascii=False, indent=1) + "\n"
    if path.exists() and key_path(path).exists():
        if key_path(path).read_text(encoding="utf-8") == key:
            return True
        if has_marks(path, ("item",), MARKS):
            return False
    rows = []
    for item in order:
        a, b = (sides[name][item] for name in drawn[item])
        of_b = (SAME_AS_A, "") if item in alike else (b.text, b.source)
        rows.append((item, *[""] * len(MARKS), questions[item], a.text, a.source, *of_b))
    write_file(path, sheet_text(("item", *MARKS, *SHOWN), rows, ASKED))
    write_file(key_path(path), key)
    return True


def read_blind_sheet(path: Path) -> SheetMarks:
    """Read a filled sheet with its key, which lies beside it (BadInputError names file and line)."""
    systems, drawn, alike = read_key(path, _drawing)
    helps: dict[str, dict[str, float]] = {system: {} for system in systems}
    better: dict[str, str] = {}
    seen: set[str] = set()
    for number, row in read_rows(path, ("item", *MARKS)):
        where, item = f"{path}, line {number}", row["item"]
        if item not in drawn or item in seen:
            raise BadInputError(f"{where}: the item {item!r} is not in the key of the sheet, or is there twice.")
        seen.add(item)
        *of_sides, preferred = _read_marks(row, where, is_alike=item in alike)
        given = zip(SIDES, of_sides, strict=True)
        for side, mark in given:
            if mark is not None:
                helps[drawn[item][side]][item] = mark
        if preferred:
            better[item] = drawn[item].get(preferred, SAME)
    if not better and not any(helps.values()):
        raise BadInputError(f"{path} has no marks; write yes, partly or no, and A, B or same.")
    return _marks(systems, helps, list(better.values()), len(better.keys() | set().union(*helps.values())))


def _marks(
    systems: Sequence[str], helps: Mapping[str, Mapping[str, float]], better: Sequence[str], questions: int
) -> SheetMarks:
    before, after = (helps[system] for system in systems)
    both = sorted(before.keys() & after.keys())
    return SheetMarks(
        questions,
        {system: measured_mean(list(marks.values())) for system, marks in helps.items()},
        paired_difference([after[i] for i in both], [before[i] for i in both]) if both else NOT_MEASURED,
        {name: share(better.count(name), len(better)) for name in (*systems, SAME)},
    )


def _read_marks(row: Mapping[str, str], where: str, *, is_alike: bool) -> tuple[float | None, float | None, str]:
    """Return how much A and B help, None where nobody said, and which is better; alike ones share a mark."""
    a, b = (HELPS.read(mark, row[mark], where) if row[mark] else None for mark in MARKS[:2])
    preferred = PREFERENCE.read(MARKS[2], row[MARKS[2]], where) if row[MARKS[2]] else ""
    if not is_alike:
        return a, b, preferred
    shared = b if a is None else a
    return shared, shared, SAME if shared is not None or preferred else ""


def _drawing(key: Any) -> tuple[Sequence[str], dict[str, dict[str, str]], set[str]]:
    """Return the two systems, by item which of them is A and which is B, and the items where both show the same."""
    systems = [str(name) for name in key["systems"]]
    drawn = {str(item): {side: str(body[side]) for side in SIDES} for item, body in key["items"].items()}
    alike = {str(item) for item, body in key["items"].items() if body["alike"]}
    if len(systems) != len(SIDES) or any(set(sides.values()) != set(systems) for sides in drawn.values()):
        raise ValueError("the sides of an item are not the two systems")
    return systems, drawn, alike
