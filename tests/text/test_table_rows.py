"""Rows of a Markdown table, read one by one."""

from __future__ import annotations

import pytest

from autokb.text.table_rows import read_rows, table_head, with_rows_as_lines

DEVICES = "| First | Second | Works |\n| --- | --- | --- |\n| kettle | *stove* | yes |\n| kettle |  | no |"


def test_each_cell_is_behind_the_head_of_its_column_and_an_empty_one_says_nothing() -> None:
    found = with_rows_as_lines(f"These can be combined:\n\n{DEVICES}\n\nOthers cannot.")
    assert [line for line in found.split("\n") if line] == [
        "These can be combined:",
        "First: kettle; Second: *stove*; Works: yes",
        "First: kettle; Works: no",
        "Others cannot.",
    ]


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("| Light | Meaning |\n|---|---|\n| red | empty |", ["Light: Meaning", "red: empty"]),
        ("| **To:** | reader |\n|---|---|\n| **Cc:** | others |", ["**To**: reader", "**Cc**: others"]),
        ("| | Free | Paid |\n|-|:-:|-:|\n| Price | 0 | 9 |", ["Price; Free: 0; Paid: 9"]),
        ("| | |\n|---|---|\n| sda | first disk |", ["sda: first disk"]),
        ("Key | Does | Where\n--- | --- | ---\nF5 | a \\| b | here", ["Key: F5; Does: a \\| b; Where: here"]),
        ("| a | b | c |\n|---|---|---|", ["a; b; c"]),
        ("| a | b | c |\n|---|---|---|\n| 1<br>2 | | |\n| | | |", ["a: 1, 2"]),
        ("| a | b |\n|---|---|\n| 1 | 2 | 3 |", ["a: b", "a: 1; b: 2; 3"]),
    ],
)
def test_tables_of_several_kinds(table: str, rows: list[str]) -> None:
    assert [line for line in with_rows_as_lines(table).split("\n") if line] == rows


@pytest.mark.parametrize("text", ["a | b", "| port |\n|---|\n| 993 |", "| a | b |\n| 1 | 2 |", "No table.\n---\nText."])
def test_what_is_no_table_of_several_columns_stays(text: str) -> None:
    assert with_rows_as_lines(text) == text


def test_rows_are_told_apart_only_where_there_is_nothing_else() -> None:
    assert read_rows(DEVICES.split("\n")) == ["First: kettle; Second: *stove*; Works: yes", "First: kettle; Works: no"]
    assert read_rows([*DEVICES.split("\n"), "", "Others cannot."]) is None
    assert read_rows(["No table."]) is None
    assert table_head(DEVICES) == "| First | Second | Works |\n| --- | --- | --- |"
