"""The sheet case by case: what an annotator is shown and asked, and what of the file changes when marks are saved."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.files import write_file
from autokb.plugins.lab.evaluation.suggestions.sheet import NOTHING, read_suggestion_sheet
from autokb.plugins.lab.evaluation.suggestions.sheet_form import JudgedCase, read_sheet_rows, sheet_progress, with_marks
from blind_sheets import FULL, write


def save(path: Path, item: str, annotator: str, marks: dict[str, str]) -> None:
    write_file(path, with_marks(read_sheet_rows(path), item, annotator, marks))


def case_of(path: Path, annotator: str, wanted: str = "", after: str = "") -> JudgedCase:
    found = sheet_progress(read_sheet_rows(path), "june", annotator, wanted, after).case
    assert found is not None
    return found


def raw(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))


def test_open_cases_come_in_turn_and_marks_of_several_are_kept_apart(tmp_path: Path) -> None:
    path = write(tmp_path)
    before = raw(path)
    first = case_of(path, "ann")
    assert (first.place, first.before, first.conversation) == (1, "", before[0]["conversation"])
    assert {first.a, first.b} == {before[0]["a"], before[0]["b"]} and first.marks == {} and first.missing == first.asked
    save(path, first.id, "ann", FULL)
    second = case_of(path, "ann", after=first.id)
    assert (second.place, second.before, second.id) == (2, first.id, first.after)
    assert case_of(path, "bo").id == first.id and case_of(path, "bo").marks == {}
    save(path, first.id, "bo", {**FULL, "preference": "same"})
    assert case_of(path, "ann", first.id).marks == FULL
    assert case_of(path, "bo", first.id).marks["preference"] == "same"
    after = raw(path)
    assert after[: len(before)] == before and len(after) == len(before) + 2, "all other rows stay as they are"
    assert {row["instructions"] for row in after} == {before[0]["instructions"]}
    save(path, first.id, "bo", {})
    assert case_of(path, "bo").marks == {} and len(raw(path)) == len(after)
    found = read_suggestion_sheet(path)
    assert (found.items, found.agreement["preference"].pairs) == (1, 0)


def test_a_case_is_whole_when_all_that_is_asked_is_answered_and_the_last_open_one_comes_again(tmp_path: Path) -> None:
    path = write(tmp_path)
    items = list(dict.fromkeys(row["item"] for row in raw(path)))
    for item in items[1:]:
        save(path, item, "ann", FULL)
    save(path, items[0], "ann", {"preference": "B"})
    page = sheet_progress(read_sheet_rows(path), "june", "ann", after=items[0])
    assert (page.cases, page.judged) == (3, 2)
    assert page.case is not None and page.case.id == items[0] and page.case.marks == {"preference": "B"}
    assert len(page.case.missing) == len(page.case.asked) - 1
    save(path, items[0], "ann", FULL)
    done = sheet_progress(read_sheet_rows(path), "june", "ann", after=items[0])
    assert (done.judged, done.case) == (3, None)


def test_of_nothing_only_its_correctness_is_asked_and_kept(tmp_path: Path) -> None:
    path = write(tmp_path, silent=True)
    case = next(c for row in raw(path) if NOTHING in ((c := case_of(path, "ann", row["item"])).a, c.b))
    silent = "a" if case.a == NOTHING else "b"
    assert [column for column in case.asked if column.endswith(f"_{silent}")] == [f"correctness_{silent}"]
    save(path, case.id, "ann", FULL)
    assert f"relevance_{silent}" not in case_of(path, "ann", case.id).marks
    assert case_of(path, "ann", case.id).missing == ()


def test_what_a_spreadsheet_made_of_the_file_is_read_and_its_columns_stay(tmp_path: Path) -> None:
    path = write(tmp_path)
    rows = [
        row | {"notes": "mine", "preference": "b", "human_touch_a": "Y", "correctness_b": "Unsure"} for row in raw(path)
    ]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=";", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text("\ufeff" + out.getvalue(), "utf-8")
    assert case_of(path, "1").marks == {"preference": "B", "human_touch_a": "yes", "correctness_b": "unsure"}
    save(path, rows[0]["item"], "1", FULL)
    save(path, rows[0]["item"], "ann", FULL)
    after = raw(path)
    assert (after[0]["notes"], after[0]["preference"]) == ("mine", "A")
    assert (after[-1]["annotator"], after[-1]["notes"]) == ("ann", ""), "nobody gets another's notes"


def test_customers_formulas_stay_texts_when_a_sheet_is_saved(tmp_path: Path) -> None:
    path = write(tmp_path, texts=["=cmd()", "a"])
    before = raw(path)
    save(path, before[0]["item"], "=ann", FULL)
    assert raw(path)[: len(before)] == before and raw(path)[-1]["annotator"] == "'=ann"
    assert case_of(path, "=ann", before[0]["item"]).marks == FULL


def test_private_data_in_what_was_said_are_masked_and_stay_in_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, texts=["ann@example.org"])
    case = case_of(path, "ann")
    assert "ann@example" not in case.conversation + case.human_reply and "About" in case.conversation
    save(path, case.id, "bo", FULL)
    assert all("ann@example.org" in row["conversation"] for row in raw(path))


def test_what_may_not_be_marked_is_told_and_nothing_changes(tmp_path: Path) -> None:
    path = write(tmp_path)
    rows = read_sheet_rows(path)
    with pytest.raises(BadInputError, match="Nothing was saved: relevance_a is '3'; write 0, 1 or 2"):
        with_marks(rows, "c0", "ann", {"relevance_a": "3"})
    for item in ("c9", ""):
        with pytest.raises(UnknownIdError, match="has no case"):
            with_marks(rows, item, "ann", FULL)
    with pytest.raises(UnknownIdError, match="june has no case 'c9'"):
        sheet_progress(rows, "june", "ann", "c9")
    path.write_text(path.read_text("utf-8").split("\n")[0] + "\n", "utf-8")
    with pytest.raises(BadInputError, match="has no cases"):
        read_sheet_rows(path)
    path.write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(BadInputError, match="has no column 'item'"):
        read_sheet_rows(path)
    path = write(tmp_path, "july")
    text = path.read_text("utf-8").replace(",1,,", ",1,C,", 1)
    path.write_text(text, "utf-8")
    with pytest.raises(BadInputError, match="Line 2 of the sheet: preference is 'C'"):
        case_of(path, "1")
    assert case_of(path, "ann").marks == {}, "which is nothing to anybody else"
