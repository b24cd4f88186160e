"""The sheet on which people judge the first suggestions of two systems without knowing whose is whose (paper, 4.2.2).

Which system is A and which is B is drawn for each case by a seed and stands in a key file beside the sheet.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from autokb.answering.suggest import Suggestion
from autokb.core.errors import BadInputError
from autokb.core.files import write_file
from autokb.core.ids import digest
from autokb.plugins.lab.evaluation.report import Record
from autokb.plugins.lab.evaluation.sheets import (
    ANNOTATORS,
    YES_NO,
    Agreed,
    Answer,
    Choice,
    agreed,
    key_path,
    read_key,
    read_rows,
    sheet_text,
)
from autokb.plugins.lab.evaluation.suggestions.cases import Case
from autokb.plugins.lab.evaluation.suggestions.judging import RATES
from autokb.stats.bootstrap import NOT_MEASURED, Interval, mean_interval

SIDES = ("a", "b")
PREFERENCE = Choice({"a": "a", "b": "b", "same": "same", "equal": "same", "=": "same"}, "A, B or same")
CORRECTNESS = ("correct", "incorrect", "unsure")
SCORES = ("relevance", "completeness", "specificity")  # 0, 1 or 2, as in the paper
TOUCH = "human_touch"  # yes or no: a person could have written it
# What is asked, the first of both sides together and the rest of each.
QUESTIONS: Mapping[str, Choice[Answer]] = {
    "preference": PREFERENCE,
    "correctness": Choice({name: name for name in CORRECTNESS}, "correct, incorrect or unsure"),
    **dict.fromkeys(SCORES, Choice({"0": 0.0, "1": 1.0, "2": 2.0}, "0, 1 or 2")),
    TOUCH: Choice({word: float(said) for word, said in YES_NO.items()}, "yes or no"),
}
FILLED_IN = (
    "item",
    "annotator",
    "preference",
    *(f"{name}_{side}" for side in SIDES for name in ("correctness", *SCORES, TOUCH)),
)
SHOWN = ("conversation", "human_reply", *SIDES)  # no citations: that one system has none would tell which it is
NOTHING = "(no suggestion)"
BOTH = ""  # in the place of a system: what is said of the two together
ASKED = (
    "Read the conversation and what a person replied, then judge suggestions A and B as replies to its last message. "
    "Of each: correctness (correct, incorrect, or unsure where it settles nothing), relevance, completeness "
    "and specificity to this case (0 not at all, 1 partly, 2 fully), human_touch (yes or no: could a person have "
    "written it?). Then preference: which would you send (A, B or same)? Of '(no suggestion)' judge correctness alone: "
    "correct where the right reply is to refuse, else unsure. Judge by yourself, and leave empty what you cannot judge."
)


class Offered(Protocol):
    """What a system suggested for a case."""

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """The suggestions, the first first."""
        ...


@dataclass(frozen=True, slots=True)
class SideFigures(Record):
    """What people say of a system: means from 0 to 2, shares from 0 to 1."""

    metrics: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class SheetFigures(Record):
    """A filled sheet: figures by system, how far people agree by question, and how far the judge with them."""

    systems: Mapping[str, SideFigures]
    no_preference: Interval
    agreement: Mapping[str, Agreed]
    judge_and_people: Agreed
    items: int


def check_sheet(path: Path, systems: Sequence[str]) -> None:
    """Refuse a sheet of more or fewer than two systems, and one that would take the place of a file (BadInputError)."""
    if path.suffix.lower() != ".csv":
        raise BadInputError(f"{path.name}: a sheet is a CSV file; name one that ends in .csv.")
    if path.exists() or key_path(path).exists():
        raise BadInputError(f"{path} or its key is there already, and people may have filled it in; name a new file.")
    if len(systems) != 2:
        raise BadInputError(
            f"A sheet compares two systems, not {len(systems)}; name two with --systems, for example autokb,incumbent."
        )


def write_suggestion_sheet(
    path: Path,
    cases: Sequence[Case],
    offers: Mapping[str, Mapping[str, Offered]],
    most: int | None = None,
    seed: int = 0,
) -> None:
    """Write the sheet of the two systems of ``offers`` as CSV, and its key (AutokbError where that cannot be done).

    ``most`` takes an even sample of the cases that stays the same. Both annotators get every case; what is not filled
    in does not count.
    """
    names = list(offers)
    check_sheet(path, names)
    both = [case for case in cases if all(case.id in of_case for of_case in offers.values())]
    chosen = sorted(both, key=lambda case: digest(str(seed), case.id))[:most]
    swapped = {case.id: int(digest("side", str(seed), case.id)[:8], 16) % 2 == 1 for case in chosen}
    sides = {case.id: tuple(reversed(names)) if swapped[case.id] else tuple(names) for case in chosen}
    items = {
        case: {
            **dict(zip(SIDES, order, strict=True)),
            "texts": {s: digest(_first_text(offers[s][case])) for s in names},
        }
        for case, order in sides.items()
    }
    key = {"seed": seed, "items": items}
    write_file(path, sheet_text((*FILLED_IN, *SHOWN), _sheet_rows(chosen, offers, sides), ASKED))
    write_file(key_path(path), json.dumps(key, ensure_ascii=False, indent=1) + "\n")


def _first_text(offered: Offered) -> str:
    return offered.suggestions[0].text if offered.suggestions else NOTHING


def _sheet_rows(
    cases: Sequence[Case], offers: Mapping[str, Mapping[str, Offered]], sides: Mapping[str, tuple[str, ...]]
) -> Iterator[Sequence[str]]:
    empty = [""] * (len(FILLED_IN) - 2)
    for annotator in ANNOTATORS:
        for case in cases:
            said = "\n".join(f"{m.role}: {m.text}" for m in case.messages)
            reply = case.reply or "\n".join(case.answers) or "(the right reply is to refuse)"
            shown = (_first_text(offers[system][case.id]) for system in sides[case.id])
            yield (case.id, annotator, *empty, said, reply, *shown)


@dataclass(frozen=True, slots=True)
class _Answers:
    """What one annotator wrote of one item, by column; an empty cell is in none."""

    item: str
    annotator: str
    cells: Mapping[str, Answer]


def read_suggestion_sheet(
    path: Path,
    verdicts: Mapping[str, Mapping[str, str]] | None = None,
    offers: Mapping[str, Mapping[str, Offered]] | None = None,
) -> SheetFigures:
    """Read a filled sheet with its key (BadInputError names file and line).

    ``verdicts`` are a judge's of these ``offers``, by system and case. They are compared with people's where the text
    is still the one on the sheet.
    """
    key, texts = read_key(path, _sides_and_texts)
    rows = [row for row in _read_answers(path, key) if row.cells]
    if not rows:
        raise BadInputError(f"{path} holds no answers; fill in preference, correctness and the scores.")
    per_item = _means_by_item(rows, key)
    found = {
        system: SideFigures({name: mean_interval(list(v.values())) for name, v in per_item.get(system, {}).items()})
        for system in (BOTH, *sorted({system for sides in key.values() for system in sides.values()}))
    }
    same = found.pop(BOTH).metrics.get("same", NOT_MEASURED)
    judge = _judge_and_people(rows, key, texts, verdicts or {}, offers or {})
    return SheetFigures(found, same, _agreement_of_people(rows), judge, len({row.item for row in rows}))


def read_item_means(path: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Return by system, figure and item the mean of what people gave on a sheet, for what is paired by items."""
    key, _ = read_key(path, _sides_and_texts)
    return _means_by_item(_read_answers(path, key), key)


def _agreement_of_people(rows: Sequence[_Answers]) -> dict[str, Agreed]:
    """Return by question how far people agree; of most questions both sides are asked."""
    given: dict[str, dict[tuple[str, str], dict[str, Answer]]] = {question: {} for question in QUESTIONS}
    for row in rows:
        for column, answer in row.cells.items():
            given[question_of(column)].setdefault((row.item, column), {})[row.annotator] = answer
    return {question: agreed(list(answers.values())) for question, answers in given.items()}


def _judge_and_people(
    rows: Sequence[_Answers],
    key: Mapping[str, Mapping[str, str]],
    texts: Mapping[tuple[str, str], str],
    verdicts: Mapping[str, Mapping[str, str]],
    offers: Mapping[str, Mapping[str, Offered]],
) -> Agreed:
    """Return how far a judge's verdicts agree with people's, where the text is still the one on the sheet."""
    judged: list[Mapping[str, Answer]] = []
    for row in rows:
        for side in SIDES:
            system, said = key[row.item][side], row.cells.get(f"correctness_{side}")
            verdict = verdicts.get(system, {}).get(row.item)
            if said is None or verdict not in CORRECTNESS:
                continue
            if texts.get((system, row.item)) == digest(_first_text(offers[system][row.item])):
                judged.append({"person": said, "judge": verdict})
    return agreed(judged)


# Complex: one condition for each cell that a sheet may lack, since sheets differ in what they ask.
def _means_by_item(
    rows: Sequence[_Answers], key: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, dict[str, float]]]:
    """Return by system, or both of them, by figure and by item the mean of what the annotators gave."""
    given: dict[str, dict[str, dict[str, list[float]]]] = {}

    def give(system: str, name: str, item: str, value: float) -> None:
        given.setdefault(system, {}).setdefault(name, {}).setdefault(item, []).append(value)

    for row in rows:
        if "preference" in row.cells:
            give(BOTH, "same", row.item, float(row.cells["preference"] == "same"))
        for side in SIDES:
            system = key[row.item][side]
            if "preference" in row.cells:
                give(system, "preferred", row.item, float(row.cells["preference"] == side))
            if (verdict := row.cells.get(f"correctness_{side}")) is not None:
                for name, meant in RATES.items():
                    give(system, name, row.item, float(verdict == meant))
            for name in (*SCORES, TOUCH):
                if (score := row.cells.get(f"{name}_{side}")) is not None:
                    give(system, name, row.item, float(score))
    return {
        system: {name: {i: sum(v) / len(v) for i, v in items.items()} for name, items in of_system.items()}
        for system, of_system in given.items()
    }


def _sides_and_texts(key: Any) -> tuple[dict[str, dict[str, str]], dict[tuple[str, str], str]]:
    """Return the system of each side by item, and the hash of each text by system and item."""
    items = key["items"]
    sides = {str(item): {side: str(body[side]) for side in SIDES} for item, body in items.items()}
    texts = {(str(s), str(item)): str(t) for item, body in items.items() for s, t in body["texts"].items()}
    return sides, texts


def _read_answers(path: Path, key: Mapping[str, Any]) -> list[_Answers]:
    found: dict[tuple[str, str], _Answers] = {}
    for number, row in read_rows(path, FILLED_IN):
        where = f"{path}, line {number}"
        item, annotator = row["item"], row["annotator"]
        if item not in key:
            raise BadInputError(f"{where}: the item {item!r} is not in the key of the sheet.")
        if not annotator or (item, annotator) in found:
            raise BadInputError(f"{where} needs an annotator (1, 2 or a name), each once an item, not {annotator!r}.")
        read = {column: read_mark(column, row[column], where) for column in FILLED_IN[2:] if row[column]}
        found[item, annotator] = _Answers(item, annotator, read)
    return list(found.values())


def question_of(column: str) -> str:
    """Return what a column asks, of one side or of both."""
    return column if column in QUESTIONS else column[:-2]


def read_mark(column: str, cell: str, where: str) -> Answer:
    """Read what a person wrote (BadInputError says what may stand there)."""
    return QUESTIONS[question_of(column)].read(column, cell, where)
