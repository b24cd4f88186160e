"""The blind sheet of a trial: what it shows, what stays hidden, and what marks add up to."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.blind_sheet import SAME_AS_A, Side, read_blind_sheet, write_blind_sheet
from autokb.plugins.lab.evaluation.sheets import key_path
from autokb.text.spreadsheet_cells import unguarded

QUESTIONS = {f"q{n}": f"question {n}" for n in range(12)}
SIDES = {
    "offline": {q: Side(f"offline of {q}", "a.md") for q in QUESTIONS},
    "model": {q: Side(f"other of {q}", "b.md > Part") for q in QUESTIONS},
}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def fill(path: Path, marks: Mapping[str, tuple[str, str, str]]) -> None:
    """Mark items: how much offline helps, how much the model, and which of them is better."""
    drawn = json.loads(key_path(path).read_text(encoding="utf-8"))["items"]
    rows = rows_of(path)
    for row in rows:
        if (item := unguarded(row["item"])) in marks:
            side = {drawn[item][s]: s for s in "ab"}
            offline, model, better = marks[item]
            row[f"{side['offline']}_helps"], row[f"{side['model']}_helps"] = offline, model
            row["better"] = side.get(better, better).upper()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_the_sheet_says_nowhere_whose_answer_is_whose_and_both_are_on_either_side(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    assert write_blind_sheet(path, QUESTIONS, SIDES)
    rows = rows_of(path)
    assert {row["item"]: row["question"] for row in rows} == QUESTIONS
    assert all("Write into a_helps and b_helps" in row["instructions"] for row in rows)
    assert {row["a"].split()[0] for row in rows} == {row["b"].split()[0] for row in rows} == {"offline", "other"}
    assert all(row["a_source"] == ("a.md" if row["a"].startswith("offline") else "b.md > Part") for row in rows)
    assert "model" not in path.read_text(encoding="utf-8")
    before = path.read_bytes(), key_path(path).read_bytes()
    path.unlink()
    write_blind_sheet(path, QUESTIONS, SIDES)
    assert (path.read_bytes(), key_path(path).read_bytes()) == before


def test_marks_add_up_by_system_and_in_pairs(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write_blind_sheet(path, QUESTIONS, SIDES)
    fill(
        path,
        {
            "q0": ("no", "yes", "model"),
            "q1": ("partly", "Yes", "model"),
            "q2": ("yes", "yes", "same"),
            "q3": ("yes", "partly", "offline"),
            "q4": ("no", "", ""),  # half a row counts for the one that it is of
        },
    )
    found = read_blind_sheet(path)
    assert found.questions == 5
    assert found.helps["offline"].value == pytest.approx((0 + 0.5 + 1 + 1 + 0) / 5)
    assert found.helps["model"].value == pytest.approx((1 + 1 + 1 + 0.5) / 4)
    assert found.help_difference.value == pytest.approx((1 + 0.5 + 0 - 0.5) / 4)
    assert {name: (one.n, one.value) for name, one in found.better.items()} == {
        "offline": (4, 0.25),
        "model": (4, 0.5),
        "same": (4, 0.25),
    }
    shape = found.as_json()
    assert list(shape) == ["questions", "helps", "help_difference", "better"]
    assert set(shape["helps"]["model"]) == {"value", "low", "high"}


def test_where_both_show_the_same_one_mark_counts_for_both(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    alike = {"offline": {**SIDES["offline"], "q5": SIDES["model"]["q5"]}, "model": SIDES["model"]}
    write_blind_sheet(path, QUESTIONS, alike)
    last = rows_of(path)[-1]
    assert (last["item"], last["b"]) == ("q5", SAME_AS_A)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("q5,,,,", "q5,partly,,,"), encoding="utf-8")
    found = read_blind_sheet(path)
    assert [one.value for one in found.helps.values()] == [0.5, 0.5]
    assert found.help_difference.value == 0 and found.better["same"].value == 1.0


def test_a_marked_sheet_of_other_answers_stays_and_an_unmarked_one_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    fewer = {item: QUESTIONS[item] for item in ("q0", "q1")}
    write_blind_sheet(path, fewer, SIDES)
    assert write_blind_sheet(path, QUESTIONS, SIDES) and len(rows_of(path)) == 12
    fill(path, {"q0": ("no", "yes", "model")})
    marked = path.read_bytes()
    assert write_blind_sheet(path, QUESTIONS, SIDES) and path.read_bytes() == marked
    assert not write_blind_sheet(path, fewer, SIDES) and path.read_bytes() == marked


def test_no_cell_is_a_formula_and_an_item_that_looks_like_one_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    danger = "=cmd|'/c calc'!A1"
    write_blind_sheet(
        path, {"=1+1": danger}, {"offline": {"=1+1": Side(danger, "@x")}, "model": {"=1+1": Side("b", "")}}
    )
    (row,) = rows_of(path)
    assert all(not cell.startswith(("=", "@", "+", "-")) for cell in row.values()) and row["question"][1:] == danger
    fill(path, {"=1+1": ("no", "yes", "model")})
    assert read_blind_sheet(path).questions == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("q3,,,,", "q3,maybe,,,"), "a_helps is 'maybe'; write yes, partly or no"),
        (("q3,,,,", "q3,,,C,"), "better is 'C'; write A, B or same"),
        (("q3,,,,", "q99,yes,no,A,"), "the item 'q99' is not in the key"),
        (("a_helps", "helps"), "has no column 'a_helps'"),
        (("", ""), "has no marks"),
    ],
    ids=["help", "better", "item", "column", "nothing"],
)
def test_what_cannot_be_read_is_named_with_its_line(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    path = tmp_path / "sheet.csv"
    write_blind_sheet(path, QUESTIONS, SIDES)
    path.write_text(path.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    with pytest.raises(BadInputError, match=says):
        read_blind_sheet(path)


def test_without_its_key_a_sheet_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write_blind_sheet(path, QUESTIONS, SIDES)
    key_path(path).write_text('{"systems": ["offline"], "items": {}}', encoding="utf-8")
    with pytest.raises(BadInputError, match="is not the key"):
        read_blind_sheet(path)
    key_path(path).unlink()
    with pytest.raises(BadInputError, match="the key of the sheet, cannot be read"):
        read_blind_sheet(path)
