"""Sheets that two people fill in: what they see, what the key alone knows, and what hands may have done to them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.sheets import key_path
from autokb.plugins.lab.studies.papers.autokb_sheets import (
    FilledSheet,
    Hidden,
    SheetLine,
    read_filled,
    write_sheets,
)

LINES = [
    SheetLine(f"s-{g}{n}", {"issue": f"issue {g}", "solution": f"words {g}{n},\nmore"}, {"group": g, "system": system})
    for g in "abcdefghijk"
    for n, system in enumerate(("one", "two"))
]


def written(folder: Path) -> Path:
    write_sheets(folder, {"lamps": LINES})
    return folder / "lamps.csv"


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def save(path: Path, rows: list[dict[str, str]], **how: str) -> None:
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], lineterminator="\r\n", delimiter=how.get("delimiter", ","))
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(out.getvalue().encode(how.get("encoding", "utf-8")))


def read(path: Path) -> FilledSheet[bool] | None:
    def yes_or_no(answer: str, hidden: Hidden) -> bool:
        if answer.lower() not in ("yes", "no"):
            raise BadInputError(f"{answer!r} of {hidden['system']}; write yes or no.")
        return answer.lower() == "yes"

    return read_filled(path, ("group", "system"), yes_or_no)


def test_a_sheet_shows_no_key_and_a_tenth_of_the_groups_twice(tmp_path: Path) -> None:
    path = written(tmp_path)
    rows = rows_of(path)
    assert set(rows[0]) == {"item", "annotator", "answer", "issue", "solution"}
    assert "system" not in path.read_text(encoding="utf-8") and "two" not in path.read_text(encoding="utf-8")
    first, second = ([row["item"] for row in rows if row["annotator"] == a] for a in "12")
    assert sorted(first) == [line.item for line in LINES] != first
    groups = [item[2] for item in first]
    assert len(groups) == 22 and all(groups[n] == groups[n + 1] for n in range(0, 22, 2))  # a group stands together
    assert len({item[3] for item in first[::2]}) == 2  # and not always in the same order
    assert len(second) == 4 and set(second) < set(first)  # two of eleven groups, whole
    before = path.read_bytes(), key_path(path).read_bytes()
    assert (written(tmp_path / "again").read_bytes(), key_path(tmp_path / "again" / "lamps.csv").read_bytes()) == before


def test_the_same_lines_leave_a_filled_sheet_and_others_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    write_sheets(tmp_path, {"lamps": LINES[:4]})  # nobody has answered: it is written anew
    assert len(rows_of(path)) == 4 + 2
    written(tmp_path)
    rows = rows_of(path)
    rows[0]["answer"] = "yes"
    save(path, rows)
    filled = path.read_bytes()
    written(tmp_path)
    assert path.read_bytes() == filled
    with pytest.raises(BadInputError, match=r"lamps\.csv is filled in.*new folder"):
        write_sheets(tmp_path, {"chairs": LINES, "lamps": LINES[:4]})
    assert path.read_bytes() == filled and not (tmp_path / "chairs.csv").exists()


def test_what_a_spreadsheet_makes_of_a_sheet_is_read(tmp_path: Path) -> None:
    path = written(tmp_path)
    rows = rows_of(path)
    for row in rows:
        row["answer"] = " Yes " if row["item"].endswith("0") else ""
    blank = dict.fromkeys(rows[0], "")
    save(path, [*reversed(rows), blank], delimiter=";", encoding="utf-8-sig")
    found = read(path)
    assert found is not None
    assert set(found.answers) == {line.item for line in LINES if line.item.endswith("0")} == set(found.hidden)
    assert (
        all(given["1"] for given in found.answers.values())
        and sum(len(given) == 2 for given in found.answers.values()) == 2
    )
    assert found.hidden["s-a0"] == {"group": "a", "system": "one"}


def test_a_sheet_that_is_not_there_or_empty_says_nothing(tmp_path: Path) -> None:
    assert read(tmp_path / "lamps.csv") is None
    assert read(written(tmp_path)) is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda rows: rows[2].update(answer="perhaps"),
            r"lamps\.csv, row 4, column answer: 'perhaps' of (one|two); write",
        ),
        (lambda rows: rows[0].update(item="s-zz"), r"row 2, column item: 's-zz' is not in the key"),
        (lambda rows: rows[1].update(annotator="3"), r"row 3, column annotator: '3'; write 1 or 2"),
        (
            lambda rows: rows.insert(1, {**rows[0], "answer": "no"}),
            r"row 3, column answer: annotator 1 has answered s-",
        ),
        (lambda rows: [row.pop("answer") for row in rows], r"lamps\.csv has no column 'answer'"),
    ],
    ids=["answer", "item", "annotator", "twice", "column"],
)
def test_what_cannot_be_read_is_named_by_file_row_and_column(
    tmp_path: Path, change: Callable[[list[dict[str, str]]], object], says: str
) -> None:
    path = written(tmp_path)
    rows = rows_of(path)
    rows[0]["answer"] = "yes"
    change(rows)
    save(path, rows)
    with pytest.raises(BadInputError, match=says):
        read(path)


def test_a_cell_without_its_end_is_told_and_no_traceback(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text(encoding="utf-8") + 's-a0,1,"yes' + "x" * 5_000, encoding="utf-8")
    most = csv.field_size_limit(4_000)
    try:
        with pytest.raises(BadInputError, match=r"lamps\.csv, line \d+ cannot be read .* quotation mark"):
            read(path)
    finally:
        csv.field_size_limit(most)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "[]",
        '{"items": 1}',
        '{"items": {"s-a0": {"group": "a"}}}',
        '{"items": {"s-a0": {"group": 1, "system": "x"}}}',
    ],
)
def test_without_its_own_key_a_sheet_is_refused(tmp_path: Path, key: str) -> None:
    path = written(tmp_path)
    key_path(path).write_text(key, encoding="utf-8")
    with pytest.raises(BadInputError, match="is not the key"):
        read(path)
    key_path(path).unlink()
    with pytest.raises(BadInputError, match="the key of the sheet, cannot be read"):
        read(path)
