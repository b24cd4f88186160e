"""What a PDF page holds beside paragraphs: divided words, forms, notes, pictures, tables without rules."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from fpdf import FPDF

from autokb.sources.line_joins import join_lines
from autokb.sources.pdf import pdf_to_markdown

LEADING = 14.0  # points


def paper() -> FPDF:
    pdf = FPDF(unit="pt", format="A4")
    pdf.add_page()
    pdf.set_font("Helvetica", size=11)
    return pdf


def read(pdf: FPDF) -> str:
    return pdf_to_markdown(bytes(pdf.output())).text


def text_of(lines: Sequence[str]) -> str:
    """Return what is read of lines that stand right below each other."""
    pdf = paper()
    for n, line in enumerate(lines):
        pdf.text(60, 100 + n * LEADING, line)
    return read(pdf)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("Save the complete configu-", "ration of the device."), "Save the complete configuration of the device."),
        (("Ask one of the well-", "known hosts for it."), "Ask one of the well-known hosts for it."),
        (("It is the fire-", "wall. A firewall is safe."), "It is the firewall. A firewall is safe."),
        (("Open the hot-", "end, then clean the hot-end."), "Open the hot-end, then clean the hot-end."),
        (("The Wi-", "Fi lamp is on."), "The Wi-Fi lamp is on."),
        (("Die Stecker für Ein-", "und Ausgang sind rot."), "Die Stecker für Ein- und Ausgang sind rot."),
        (("Prüfen Sie den Ein-", "gang am Gerät."), "Prüfen Sie den Eingang am Gerät."),
        (("Öffnen Sie die Konfigurations-", "datei im Editor."), "Öffnen Sie die Konfigurationsdatei im Editor."),
        (("The part number is PN-4471-", "B2 and stays."), "The part number is PN-4471-B2 and stays."),
        (("Call us at 0711-", "4471 in the week."), "Call us at 0711-4471 in the week."),
        (
            ("Take https://files.corvo.example/support/", "k4-driver.zip and open it."),
            "Take https://files.corvo.example/support/k4-driver.zip and open it.",
        ),
        (("Go to https://corvo.example/", "and choose the K4."), "Go to https://corvo.example/ and choose the K4."),
        (("Write to support@", "corvo.example for it."), "Write to support@corvo.example for it."),
        (("Wait for the lamp -", "it takes a minute."), "Wait for the lamp - it takes a minute."),
    ],
)
def test_what_a_line_break_divides_is_whole_again(lines: Sequence[str], expected: str) -> None:
    assert text_of(lines) == f"{expected}\n"


def test_a_soft_hyphen_is_only_where_a_word_may_be_divided() -> None:
    assert join_lines(["the configu\u00ad", "ration"], frozenset()) == "the configuration"


def test_a_cell_joins_the_words_that_its_lines_divide() -> None:
    pdf = paper()
    with pdf.table(col_widths=(60, 110), width=170, align="LEFT") as table:
        for row in (("Code", "What to do"), ("E-1", "Check the configu\u00adration"), ("E-2", "Nothing")):
            table.row(row)
    assert "| E-1 | Check the configuration |" in read(pdf)
