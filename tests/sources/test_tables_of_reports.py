"""Tables of issues as spreadsheets and reports write them: what is no issue is named, and none is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from autokb.sources import read_issues
from autokb.sources.chats import read_chats
from autokb.sources.tickets import read_tickets

TABLE = "id,subject,description\n1,Pump,It hums.\n2,Fan,No wind.\n"


def told(folder: Path, name: str, text: str, encoding: str = "utf-8") -> tuple[list[tuple[str, str]], list[str]]:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    reading = read_issues([path])
    return [(r.item.id, r.item.text) for r in reading.records], [f"{s.path} {s.reason}" for s in reading.skipped]


BOTH = [("1", "It hums."), ("2", "No wind.")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-8"])
@pytest.mark.parametrize("delimiter", ["\t", ";", "|", ","])
def test_a_text_that_is_a_table_is_read_as_one(tmp_path: Path, encoding: str, delimiter: str) -> None:
    assert told(tmp_path, "t.txt", TABLE.replace(",", delimiter).replace("\n", "\r\n"), encoding) == (BOTH, [])


def test_cells_of_several_lines_stay_whole_in_a_text(tmp_path: Path) -> None:
    text = 'id\tsubject\tdescription\r\nT-1\tPump\t"It hums.\n\nAll day."\r\n'
    assert told(tmp_path, "t.txt", text, "utf-16") == ([("T-1", "It hums.\n\nAll day.")], [])


def test_a_list_of_issues_is_no_table(tmp_path: Path) -> None:
    issues, skipped = told(
        tmp_path, "t.txt", "It is cold, and wet\nSubject: nothing works; at all\nno date | no text\n"
    )
    assert [text for _, text in issues] == [
        "It is cold, and wet",
        "Subject: nothing works; at all",
        "no date | no text",
    ]
    assert not skipped


def test_columns_set_out_with_blanks_are_refused_in_one_line(tmp_path: Path) -> None:
    text = "id   subject   description\n1    Pump      It hums.\n"
    message = "t.txt looks like a table with blanks between its columns; save it as CSV."
    assert told(tmp_path, "t.txt", text) == ([], [message])


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("titles", "Open tickets;;\nCreated on;3 Nov 2026;\n\n" + TABLE.replace(",", ";"), [1, 2]),
        ("sums", TABLE + ",,\nTotal,2,\n", [5]),
        ("german sums", TABLE + "Summe: 2,,\n", [4]),
        ("a header again", TABLE.replace("2,", "id,subject,description\n2,"), [3]),
        ("ruled lines", TABLE.replace("1,", "---,------,-----------\n1,"), [2]),
        (
            "psql",
            " id | subject | description \n----+---------+-----\n 1 | Pump | It hums.\n 2 | Fan | No wind.\n(2 rows)\n",
            [2, 5],
        ),
        (
            "markdown",
            "| id | subject | description |\n|---|:---:|---|\n| 1 | Pump | It hums. |\n| 2 | Fan | No wind. |\n",
            [2],
        ),
    ],
)
def test_what_a_report_puts_around_its_rows_is_no_issue(tmp_path: Path, name: str, text: str, lines: list[int]) -> None:
    issues, skipped = told(tmp_path, "t.csv", text)
    assert issues == BOTH
    assert [int(one.split()[2]) for one in skipped] == lines


def test_rows_that_only_look_like_sums_stay(tmp_path: Path) -> None:
    text = "text,date\nTotal mess here,2026-01-01\nIt is cold,\n\nTotal loss of sound since Monday,\n"
    issues, skipped = told(tmp_path, "t.csv", text)
    assert [one for _, one in issues] == ["Total mess here", "It is cold", "Total loss of sound since Monday"]
    assert not skipped


def test_a_row_that_repeats_known_names_does_not_take_the_place_of_the_header(tmp_path: Path) -> None:
    issues, _ = told(tmp_path, "t.csv", "question,answer\nsubject,title\nWhy is it cold?,no\n")
    assert [text for _, text in issues] == ["subject", "Why is it cold?"]


def test_of_columns_of_one_name_the_first_filled_cell_is_read_and_that_is_said(tmp_path: Path) -> None:
    issues, skipped = told(tmp_path, "t.csv", "id,text,text\n1,first,second\n2,,second\n")
    assert issues == [("1", "first"), ("2", "second")]
    assert skipped == ["t.csv, header has several columns of the name text; of each row the first filled one is read."]


def test_cells_under_no_name_are_named(tmp_path: Path) -> None:
    issues, skipped = told(tmp_path, "t.csv", "id,text,,\n1,It hums.,since Monday,\n2,No wind.,,\n")
    assert issues == BOTH and skipped == ["t.csv, line 2 has cells under no name, which are not read."]


def test_tickets_and_conversations_are_read_from_such_a_text_too(tmp_path: Path) -> None:
    tickets = tmp_path / "tickets.txt"
    tickets.write_text(TABLE.replace(",", "\t"), encoding="utf-16")
    assert [r.item.title for r in read_tickets([tickets]).records] == ["Pump", "Fan"]
    chats = tmp_path / "chats.txt"
    chats.write_text("conversation\trole\ttext\tdate\n1\tcustomer\tIt hums.\t2026-01-02\n", encoding="utf-16")
    assert [m.text for r in read_chats([chats]).records for m in r.item.messages] == ["It hums."]
