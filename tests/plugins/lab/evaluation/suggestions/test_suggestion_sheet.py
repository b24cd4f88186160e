"""The blind sheet: what annotators see, what they may write, and what that adds up to."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from autokb.answering.suggest import Suggestion
from autokb.core.errors import BadInputError
from autokb.core.nouns import Message
from autokb.plugins.lab.evaluation.suggestions.cases import Case
from autokb.plugins.lab.evaluation.suggestions.experiment import Offer
from autokb.plugins.lab.evaluation.suggestions.sheet import (
    FILLED_IN,
    NOTHING,
    key_path,
    read_suggestion_sheet,
    write_suggestion_sheet,
)
from autokb.text.spreadsheet_cells import unguarded

CASES = [
    Case(
        f"c{n}", (Message("customer", "hi"), Message("agent", "yes?"), Message("customer", f"=cold {n}")), f"reply {n}"
    )
    for n in range(20)
]
OFFERS = {
    system: {c.id: Offer((Suggestion(f"{system} {c.id}", "solution"),), False) for c in CASES}
    for system in ("autokb", "incumbent")
}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def fill(path: Path, cells: Callable[[dict[str, str], dict[str, str]], Mapping[str, str]]) -> None:
    """Fill a sheet in: ``cells`` gets a row and which system is on which of its sides."""
    key = json.loads(key_path(path).read_text(encoding="utf-8"))["items"]
    filled = [row | dict(cells(row, key[unguarded(row["item"])])) for row in rows(path)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(filled[0]))
        writer.writeheader()
        writer.writerows(filled)


def side(system: str, sides: Mapping[str, str]) -> str:
    return next(s for s in ("a", "b") if sides[s] == system)


def test_nothing_on_the_sheet_says_whose_suggestion_is_whose(tmp_path: Path) -> None:
    write_suggestion_sheet(tmp_path / "s.csv", CASES, OFFERS, seed=1)
    found = rows(tmp_path / "s.csv")
    assert [*found[0]] == ["instructions", *FILLED_IN, "conversation", "human_reply", "a", "b"]
    assert sorted(row["item"] for row in found) == sorted([c.id for c in CASES] * 2)
    key = json.loads(key_path(tmp_path / "s.csv").read_text(encoding="utf-8"))["items"]
    assert all(row["a"].startswith(key[row["item"]]["a"]) for row in found)
    assert {sides["a"] for sides in key.values()} == {"autokb", "incumbent"}  # sides are drawn for each case
    assert (tmp_path / "s.csv").stat().st_mode & 0o777 == 0o600
    write_suggestion_sheet(tmp_path / "again.csv", CASES, OFFERS, seed=1)
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "s.csv").read_bytes()
    write_suggestion_sheet(tmp_path / "other.csv", CASES, OFFERS, seed=2)
    assert (tmp_path / "other.csv").read_bytes() != (tmp_path / "s.csv").read_bytes()


def test_a_sheet_without_instructions_and_with_names_of_any_number_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    write_suggestion_sheet(path, CASES, OFFERS, most=4)
    assert all("Judge by yourself" in row["instructions"] for row in rows(path))
    filled = [dict(row, preference="A", relevance_a="2") for row in rows(path)]
    filled += [row | {"annotator": "ann", "relevance_a": "0"} for row in filled if row["annotator"] == "1"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*FILLED_IN, "conversation"], extrasaction="ignore")  # as sheets were before
        writer.writeheader()
        writer.writerows(filled)
    found = read_suggestion_sheet(path)
    assert found.items == 4
    # Three people make three pairs a case: two say 2 and one 0, so that one of the three pairs is equal.
    assert (found.agreement["relevance"].pairs, found.agreement["relevance"].agreement) == (12, pytest.approx(1 / 3))
    assert found.agreement["preference"].agreement == 1.0


def test_customers_write_no_formulas_into_the_sheet(tmp_path: Path) -> None:
    evil = Case("=1+1", (Message("customer", "x"),), "@SUM(1)")
    offers = {
        "x": {evil.id: Offer((Suggestion("=cmd()", "passage"),), False)},
        "y": {evil.id: Offer((), True)},
    }
    write_suggestion_sheet(tmp_path / "s.csv", [evil], offers)
    (row, _) = rows(tmp_path / "s.csv")
    assert (row["item"], row["human_reply"]) == ("'=1+1", "'@SUM(1)")
    assert {row["a"], row["b"]} == {"'=cmd()", NOTHING}
    fill(tmp_path / "s.csv", lambda _row, _sides: {"preference": "A"})
    assert read_suggestion_sheet(tmp_path / "s.csv").items == 1


def test_a_sheet_takes_so_many_cases_that_both_systems_answered(tmp_path: Path) -> None:
    offers = {"autokb": OFFERS["autokb"], "gold": {c.id: OFFERS["incumbent"][c.id] for c in CASES[:4]}}
    write_suggestion_sheet(tmp_path / "s.csv", CASES, offers)
    assert {row["item"] for row in rows(tmp_path / "s.csv")} == {"c0", "c1", "c2", "c3"}
    write_suggestion_sheet(tmp_path / "t.csv", CASES, OFFERS, most=5)
    assert len(rows(tmp_path / "t.csv")) == 10


def test_a_sheet_that_is_there_stays_and_three_systems_are_none(tmp_path: Path) -> None:
    write_suggestion_sheet(tmp_path / "s.csv", CASES, OFFERS)
    with pytest.raises(BadInputError, match="is there already"):
        write_suggestion_sheet(tmp_path / "s.csv", CASES, OFFERS)
    with pytest.raises(BadInputError, match=r"ends in \.csv"):
        write_suggestion_sheet(tmp_path / "s.txt", CASES, OFFERS)
    with pytest.raises(BadInputError, match="two systems, not 3"):
        write_suggestion_sheet(tmp_path / "t.csv", CASES, {**OFFERS, "third": OFFERS["autokb"]})


def test_a_filled_sheet_adds_up_by_system(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    write_suggestion_sheet(path, CASES, OFFERS, most=4)

    def judged(row: dict[str, str], sides: dict[str, str]) -> dict[str, str]:
        ours, theirs = side("autokb", sides), side("incumbent", sides)
        first = row["annotator"] == "1"
        return {
            "preference": ours.upper() if first else "same",
            f"correctness_{ours}": "Correct" if first else "unsure",
            f"relevance_{ours}": "2",
            f"relevance_{theirs}": "1" if first else "0",
            f"human_touch_{theirs}": "yes",
        }

    fill(path, judged)
    found = read_suggestion_sheet(path)
    ours, theirs = found.systems["autokb"].metrics, found.systems["incumbent"].metrics
    assert (ours["preferred"].value, theirs["preferred"].value, found.no_preference.value) == (0.5, 0.0, 0.5)
    assert (ours["accuracy"].value, ours["missing_rate"].value, ours["hallucination_rate"].value) == (0.5, 0.5, 0)
    assert "accuracy" not in theirs
    assert (ours["relevance"].value, theirs["relevance"].value, theirs["human_touch"].value) == (2.0, 0.5, 1.0)
    assert found.items == 4
    # relevance: ours 2 and 2 four times, theirs 1 and 0 four times; by chance both say 2 in a quarter of all pairs
    relevance = found.agreement["relevance"]
    assert (relevance.agreement, relevance.pairs, relevance.kappa) == (0.5, 8, (0.5 - 0.25) / 0.75)
    assert found.agreement["preference"].agreement == 0.0
    assert found.agreement["completeness"].agreement is None


def test_preferences_agree_by_system_and_a_single_annotator_agrees_with_nobody(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    write_suggestion_sheet(path, CASES, OFFERS, most=4)
    fill(path, lambda row, _sides: {"preference": "b"} if row["annotator"] == "1" else {})
    found = read_suggestion_sheet(path)
    assert (found.agreement["preference"].pairs, found.agreement["preference"].kappa) == (0, None)
    shares = [found.systems[s].metrics["preferred"].value for s in ("autokb", "incumbent")]
    assert sum(filter(None, shares)) == 1


def test_the_judge_is_compared_with_people_where_the_text_is_still_the_same(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    write_suggestion_sheet(path, CASES, OFFERS, most=4)
    fill(
        path, lambda row, sides: {f"correctness_{side('autokb', sides)}": "correct"} if row["annotator"] == "1" else {}
    )
    items = sorted({row["item"] for row in rows(path)})
    verdicts = {"autokb": dict(zip(items, ("correct", "correct", "incorrect", "not judged"), strict=True))}
    found = read_suggestion_sheet(path, verdicts, OFFERS)
    assert (found.judge_and_people.agreement, found.judge_and_people.pairs) == (pytest.approx(2 / 3), 3)
    other = {"autokb": OFFERS["autokb"] | {items[2]: Offer((Suggestion("another text", "solution"),), False)}}
    assert read_suggestion_sheet(path, verdicts, other).judge_and_people.pairs == 2
    assert read_suggestion_sheet(path).judge_and_people.agreement is None


@pytest.mark.parametrize(
    ("column", "cell", "sentence"),
    [
        ("preference", "C", "write A, B or same"),
        ("correctness_a", "yes", "write correct, incorrect or unsure"),
        ("specificity_b", "3", "write 0, 1 or 2"),
        ("human_touch_a", "2", "write yes or no"),
        ("item", "c99", "is not in the key"),
        ("annotator", "", r"annotator \(1, 2 or a name\)"),
    ],
)
def test_what_may_not_stand_in_a_cell_is_told_with_its_line(
    tmp_path: Path, column: str, cell: str, sentence: str
) -> None:
    path = tmp_path / "s.csv"
    write_suggestion_sheet(path, CASES, OFFERS, most=1)
    fill(path, lambda row, _sides: {column: cell} if row["annotator"] == "1" else {})
    with pytest.raises(BadInputError, match=rf"s\.csv, line 4.*{sentence}"):  # a conversation has three lines
        read_suggestion_sheet(path)


def test_an_empty_sheet_and_a_lost_key_are_told(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    write_suggestion_sheet(path, CASES, OFFERS, most=1)
    with pytest.raises(BadInputError, match="holds no answers"):
        read_suggestion_sheet(path)
    key_path(path).write_text("{}", encoding="utf-8")
    with pytest.raises(BadInputError, match="is not the key"):
        read_suggestion_sheet(path)
    key_path(path).unlink()
    with pytest.raises(BadInputError, match="the key of the sheet, cannot be read"):
        read_suggestion_sheet(path)
