"""Spreadsheets: sheets of questions and answers become sections, others tables, and rows records."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from autokb.sources import Fields, read_documents, read_issues
from autokb.sources.chats import read_chats
from autokb.sources.tickets import read_tickets
from autokb.testing import FormatContract

Rows = list[list[Any]]
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how old and encrypted files of Office begin


def book(path: Path, **sheets: Rows) -> Path:
    """Write a workbook; a date is written as a date, a percentage as a text that ends with %, a hidden sheet with _."""
    with xlsxwriter.Workbook(str(path)) as workbook:
        day, share = workbook.add_format({"num_format": "d.m.yy"}), workbook.add_format({"num_format": "0.0%"})
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            for n, row in enumerate(rows):
                for m, value in enumerate(row):
                    if isinstance(value, datetime):
                        sheet.write_datetime(n, m, value, day)
                    elif isinstance(value, str) and value.endswith("%"):
                        sheet.write_number(n, m, float(value[:-1]) / 100, share)
                    elif isinstance(value, str) and value.startswith("="):
                        sheet.write_formula(n, m, value, None, 42)
                    else:
                        sheet.write(n, m, value)
            if name.endswith("_"):
                sheet.hide()
    return path


def text_of(path: Path, fields: Fields | None = None) -> str:
    (record,) = read_documents([path], fields).records
    return record.item.text


def left_out(path: Path) -> list[tuple[str, str]]:
    return [(one.path, one.reason) for one in read_documents([path]).skipped]


FAQ: Rows = [
    ["Our questions"],
    ["Question", "Answer", "Product"],
    ["How do I pair?", "1. Open the lid.\n2. Hold the button.", "Buds 2"],
    ["How long?", "Eight hours.", ""],
]


def test_questions_and_answers_are_sections_below_the_name_of_their_sheet(tmp_path: Path) -> None:
    path = book(tmp_path / "faq.xlsx", Phones=FAQ, Cases=[["Frage", "Antwort"], ["Wie?", "So."]])
    assert text_of(path) == (
        "## Phones\n\nOur questions\n\n### How do I pair?\n\n1. Open the lid.\n2. Hold the button.\n\n"
        "Product: Buds 2\n\n### How long?\n\nEight hours.\n\n## Cases\n\n### Wie?\n\nSo."
    )


def test_an_answer_of_several_rows_stands_under_its_question(tmp_path: Path) -> None:
    rows: Rows = [["Topic", "Solution"], ["No sound", "Charge it."], ["", "Reset it."], ["# 1 hum", "- Wait"]]
    assert text_of(book(tmp_path / "a.xlsx", A=rows)) == (
        "## No sound\n\nCharge it.\n\nReset it.\n\n## # 1 hum\n\n- Wait"
    )


def test_other_sheets_are_tables_and_cells_are_written_as_the_sheet_shows_them(tmp_path: Path) -> None:
    rows: Rows = [
        ["Model", "Share", "Since", "Hours", "Sum", "New"],
        ["A|B", "15.5%", datetime(2026, 11, 3), 8.0, "=4+4", True],
        ["C", "100%", datetime(2026, 11, 3, 10, 5), 7.25, "=1", False],
    ]
    assert text_of(book(tmp_path / "a.xlsx", A=rows)) == (
        "| Model | Share | Since | Hours | Sum | New |\n| --- | --- | --- | --- | --- | --- |\n"
        "| A\\|B | 15.5% | 2026-11-03 | 8 | 42 | TRUE |\n| C | 100% | 2026-11-03T10:05:00 | 7.25 | 42 | FALSE |"
    )


def test_a_table_with_long_cells_is_read_as_sections(tmp_path: Path) -> None:
    long = "Hold it. " * 30
    rows: Rows = [["Step", "What", "Who"], ["One", long, "You"], ["Two", "Wait.", ""]]
    assert text_of(book(tmp_path / "a.xlsx", A=rows)) == (
        f"## One\n\nWhat: {long.strip()}\n\nWho: You\n\n## Two\n\nWhat: Wait."
    )


def test_each_of_merged_cells_has_their_value(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["Model", "Hours"])
        sheet.merge_range(1, 0, 2, 0, "A")
        sheet.write(1, 1, 8)
        sheet.write(2, 1, 9)
    assert text_of(path) == "| Model | Hours |\n| --- | --- |\n| A | 8 |\n| A | 9 |"


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    picture = io.BytesIO(
        bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000049454e44ae426082")
    )
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheet = workbook.add_worksheet("Seen")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_comment(0, 0, "Ask Ann.")
        sheet.insert_image(3, 3, "a.png", {"image_data": picture})
        chart = workbook.add_chart({"type": "line"})
        chart.add_series({"values": "=Seen!$A$1:$B$1"})
        sheet.insert_chart(5, 5, chart)
        workbook.add_worksheet("Prices").hide()
    assert left_out(path) == [
        (
            "a.xlsx, in part",
            "is read without: the hidden sheet 'Prices', 1 picture, 1 chart in a sheet, 1 part with comments.",
        )
    ]
    assert "Ask Ann" not in text_of(path)


def test_rows_are_issues_with_dates(tmp_path: Path) -> None:
    rows: Rows = [
        ["Report of November"],
        ["Case No", "Subject", "Description", "Created"],
        [7, "Hiss", "The left bud hisses.", datetime(2026, 11, 3)],
        [8, "Lid", "The lid is loose.", datetime(2026, 11, 4, 9, 30)],
    ]
    legend: Rows = [["Code", "Meaning"], ["x", "y"]]
    more: Rows = [["Case No", "Subject", "Description", "Created"], [9, "Cable", "It frays.", "13/11/2026"]]
    found = read_issues([book(tmp_path / "a.xlsx", November=rows, Legend=legend, December=more)])
    assert [(one.item.id, one.item.title, one.item.text, one.item.date) for one in found.records] == [
        ("7", "Hiss", "The left bud hisses.", "2026-11-03"),
        ("8", "Lid", "The lid is loose.", "2026-11-04T09:30:00"),
        ("9", "Cable", "It frays.", "2026-11-13"),
    ]
    assert [one.reason for one in found.skipped] == [
        "is read without: the sheet 'Legend', which has other columns, 1 line above the columns."
    ]


def test_a_table_without_a_column_of_texts_is_refused_as_a_csv_is(tmp_path: Path) -> None:
    found = read_issues([book(tmp_path / "a.xlsx", A=[["Code", "Meaning"], ["x", "y"]])])
    assert not found.records
    assert found.skipped[0].reason == (
        "has no column that is known to hold the text; name one of Code, Meaning with --text-field."
    )


def test_rows_are_tickets_and_messages(tmp_path: Path) -> None:
    tickets = book(
        tmp_path / "t.xlsx",
        A=[["Key", "Summary", "Description", "Comment", "Comment"], ["A-1", "Hiss", "It hisses.", "First.", "Second."]],
    )
    (ticket,) = (one.item for one in read_tickets([tickets]).records)
    assert (ticket.id, ticket.title, ticket.description) == ("A-1", "Hiss", "It hisses.")
    assert [comment.text for comment in ticket.comments] == ["First.", "Second."]
    chats = book(
        tmp_path / "c.xlsx",
        A=[
            ["chat_id", "role", "text", "date"],
            [5, "customer", "Hello", datetime(2026, 11, 3)],
            [5, "agent", "Hi", ""],
        ],
    )
    (chat,) = (one.item for one in read_chats([chats]).records)
    assert (chat.id, [(m.role, m.text, m.date) for m in chat.messages]) == (
        "5",
        [("customer", "Hello", "2026-11-03"), ("agent", "Hi", "")],
    )


def test_with_a_column_of_texts_each_row_is_a_document(tmp_path: Path) -> None:
    path = book(
        tmp_path / "a.xlsx", A=[["id", "title", "Article"], ["x", "Care", "Wipe it."], ["y", "Lid", "Close it."]]
    )
    found = read_documents([path], Fields(text="Article"))
    assert [(one.item.id, one.item.title, one.item.text) for one in found.records] == [
        ("x", "Care", "Wipe it."),
        ("y", "Lid", "Close it."),
    ]


def test_a_password_a_wrong_suffix_and_a_torn_file_are_refused(tmp_path: Path) -> None:
    good = book(tmp_path / "good.xlsx", A=FAQ).read_bytes()
    bad = {
        "locked.xlsx": (OLE + "EncryptedPackage".encode("utf-16-le"), "is encrypted; save it as XLSX"),
        "old.xlsx": (OLE + b"\0" * 2000, "is no whole spreadsheet"),
        "torn.xlsx": (good[: len(good) // 2], "is no whole XLSX file"),
        "words.xlsx": (b"Question,Answer\nHow?,So.\n", "is no whole XLSX file"),
    }
    for name, (data, reason) in bad.items():
        (tmp_path / name).write_bytes(data)
        (skipped,) = read_documents([tmp_path / name]).skipped
        assert skipped.reason.startswith(reason), name


def test_one_that_unpacks_to_far_more_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/sharedStrings.xml", b"<si><t>a</t></si>" * 5_000_000)
    (skipped,) = read_documents([path]).skipped
    assert skipped.reason == "is nested too deeply or unpacks to too much; save it anew."


def test_a_cell_far_off_makes_no_sheet_of_billions(tmp_path: Path) -> None:
    rows = book(tmp_path / "a.xlsx", A=[["a", "b"], [1, 2]])
    far = tmp_path / "far.xlsx"
    with zipfile.ZipFile(rows) as old, zipfile.ZipFile(far, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                data = data.replace(b'r="B2"', b'r="XFD1048576"').replace(b'<row r="2"', b'<row r="1048576"')
            new.writestr(name, data)
    (skipped,) = read_documents([far]).skipped
    assert "cells; split it" in skipped.reason or "reader fail" in skipped.reason


def test_without_its_library_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from autokb.core.errors import UnreadableFileError
    from autokb.plugins.office.spreadsheets import read_spreadsheet

    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(UnreadableFileError, match=r"pip install 'autokb\[office\]'"):
        read_spreadsheet(b"PK")


def _book_bytes() -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as workbook:
        workbook.add_worksheet().write_row(0, 0, ["Question", "Answer"])
        workbook.worksheets()[0].write_row(1, 0, ["How?", "So."])
    return file.getvalue()


class TestXlsx(FormatContract):
    suffix = ".xlsx"
    examples = (_book_bytes(),)
