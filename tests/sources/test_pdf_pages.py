"""What a PDF page holds beside paragraphs: divided words, forms, notes, pictures, tables without rules."""

from __future__ import annotations

import itertools
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from fpdf import FPDF

from autokb.core.errors import BadEntryError
from autokb.core.nouns import Document
from autokb.core.settings import read_settings
from autokb.sources import Reading, read_documents
from autokb.sources.line_joins import join_lines
from autokb.sources.pdf import pdf_to_markdown
from scanned_pages import scanned

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


def placed(text: str, *annotations: str) -> bytes:
    """Return a PDF page with lines of text from its top, 30 points apart, and annotations as they are written."""
    lines = "".join(f"BT /F1 11 Tf 60 {740 - 30 * n} Td ({line}) Tj ET\n" for n, line in enumerate(text.split("\n")))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> "
        f"/Annots [{' '.join(f'{n} 0 R' for n in range(6, 6 + len(annotations)))}] >>",
        f"<< /Length {len(lines)} >>\nstream\n{lines}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *annotations,
    ]
    body = "".join(f"{n} 0 obj\n{part}\nendobj\n" for n, part in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer\n<< /Root 1 0 R >>\n%%EOF\n".encode("latin-1")


BOX = "/Rect [200 735 300 753]"  # on the first line


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("/Subtype /Widget /FT /Tx /V (93 degrees)", "Label: 93 degrees"),
        ("/Subtype /Widget /FT /Tx /V <FEFF00E4>", "Label: ä"),
        ("/Subtype /Widget /FT /Tx /V (93) /F 2", "Label:"),
        ("/Subtype /Widget /FT /Tx /V (secret) /Ff 8192", "Label:"),
        ("/Subtype /Widget /FT /Btn /V /On /AS /On", "Label: [x]"),
        ("/Subtype /Widget /FT /Btn /V /Off", "Label: [ ]"),
        ("/Subtype /Widget /FT /Btn /Ff 65536", "Label:"),
        ("/Subtype /Widget /FT /Ch /V (b) /Opt [[(a) (Anna)] [(b) (Berta)]]", "Label: Berta"),
        ("/Subtype /Widget /FT /Ch /V [(a) (b)] /Opt [[(a) (Anna)] [(b) (Berta)]]", "Label: Anna, Berta"),
        ("/Subtype /Widget /FT /Ch /V (plain) /Opt [(plain) (other)]", "Label: plain"),
        ("/Subtype /Widget /Parent << /FT /Tx /V (of the parent) >>", "Label: of the parent"),
        ("/Subtype /Widget /Parent 6 0 R", "Label:"),
        ("/Subtype /FreeText /Contents (added later)", "Label: added later"),
        ("/Subtype /Link /Contents (no text)", "Label:"),
    ],
)
def test_the_value_of_a_field_stands_beside_its_label(annotation: str, expected: str) -> None:
    page = pdf_to_markdown(placed("Label:\nThe next line.", f"<< /Type /Annot {BOX} {annotation} >>"))
    assert page.text == f"{expected}\n\nThe next line.\n"
    assert page.left_out == ()


def test_a_box_is_ticked_before_its_label_too() -> None:
    box = "<< /Subtype /Widget /FT /Btn /AS /Yes /Rect [40 735 55 750] >>"
    assert pdf_to_markdown(placed("Auto start\nThe next line.", box)).text == "[x] Auto start\n\nThe next line.\n"


def test_comments_and_turned_words_are_named() -> None:
    comment = f"<< /Subtype /Text {BOX} /Contents (Is that so?) >>"
    assert pdf_to_markdown(placed("Label:", comment, comment)).left_out == ("2 comments",)
    pdf = paper()
    pdf.text(60, 100, "Turn it on.")
    with pdf.rotation(90, 300, 400):
        pdf.text(300, 400, "aside")
    assert pdf_to_markdown(bytes(pdf.output())).left_out == ("5 turned or unreadable letters",)


def test_pages_that_are_pictures_are_named_by_their_numbers() -> None:
    page = pdf_to_markdown(scanned("Turn it on.", "", "", "Turn it off.", ""))
    assert page.text == "Turn it on.\n\nTurn it off.\n"
    assert page.left_out == ("pages 2-3, 5, only pictures (see ocr: in settings.yaml)",)


def recognising(folder: Path, code: str, *pages: str) -> Reading[Document]:
    """Read a PDF with a stand-in for a program of text recognition."""
    (folder / "given").mkdir()
    (folder / "given" / "a.pdf").write_bytes(scanned(*pages))
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} {{file}}"
    return read_documents([folder / "given"], ocr=read_settings({"ocr": command}).ocr)


SIZE = "import sys; from PIL import Image; print('It is', Image.open(sys.argv[1]).size[0], 'wide.\\n\\nTurn it off.')"


def test_a_program_reads_pages_that_are_pictures_in_their_places(tmp_path: Path) -> None:
    found = recognising(tmp_path, SIZE, "Turn it on.", "", "Go home.")
    assert found.records[0].item.text == "Turn it on.\n\nIt is 2481 wide.\n\nTurn it off.\n\nGo home.\n"
    assert found.skipped == ()


def test_a_program_that_fails_at_a_page_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    code = (
        f"import sys, pathlib; known = pathlib.Path({str(tmp_path / 'known')!r}); "
        "n = len(known.read_text()) + 1 if known.exists() else 1; known.write_text('x' * n); "
        "print('Number', n) if n != 2 else sys.exit(3)"
    )
    found = recognising(tmp_path, code, "Turn it on.", "", "", "")
    assert found.records[0].item.text == "Turn it on.\n\nNumber 1\n\nNumber 3\n"
    ((path, reason),) = [(one.path, one.reason) for one in found.skipped]
    assert path == "a.pdf, in part"
    assert "page 3, which makes" in reason and "end with status 3" in reason


@pytest.mark.parametrize(("code", "reason"), [("", "write nothing"), ("import sys; sys.exit(1)", "end with status 1")])
def test_a_program_that_reads_no_page_says_so_of_the_file(tmp_path: Path, code: str, reason: str) -> None:
    (skipped,) = recognising(tmp_path, code, "", "").skipped
    assert (
        skipped.reason.startswith("holds no text, only pictures (pages 1-2, which makes") and reason in skipped.reason
    )


@pytest.mark.parametrize("given", ["", "tesseract 'a", ["tesseract"], {"a": "b"}, 3])
def test_what_is_no_command_for_pictures_is_refused(given: object) -> None:
    with pytest.raises(BadEntryError, match=r"ocr must be a command, such as: tesseract \{file\} -, not "):
        read_settings({"ocr": given})


ROWS = (
    ("Code", "Meaning", "What to do"),
    ("E-101", "Tank empty", "Fill the tank."),
    ("E-102", "Tray full", "Empty the tray."),
    ("E-103", "Pump blocked", "Descale the machine."),
)
AS_TABLE = (
    "| Code | Meaning | What to do |\n| --- | --- | --- |\n| E-101 | Tank empty | Fill the tank. |\n"
    "| E-102 | Tray full | Empty the tray. |\n| E-103 | Pump blocked | Descale the machine. |"
)
PLACES = (60.0, 130.0, 240.0)


def rows_at(pdf: FPDF, rows: Sequence[Sequence[str]], top: float, leading: float = 18.0) -> float:
    """Write rows in columns, cells of several lines below each other; return the base line of the next row."""
    for row in rows:
        cells = [cell.split("\n") for cell in row]
        for left, cell in zip(PLACES, cells, strict=False):
            for n, text in enumerate(cell):
                pdf.text(left, top + n * LEADING, text)
        top += leading + (max(map(len, cells)) - 1) * LEADING
    return top


def with_section_behind(pdf: FPDF, top: float) -> str:
    """Return what is read of a page whose table ends above a heading."""
    pdf.set_font("Helvetica", "B", 16)
    pdf.text(60, top + 30, "After the repair")
    pdf.set_font("Helvetica", size=11)
    pdf.text(60, top + 55, "Delete the list.")
    return read(pdf)


SECTION = "\n\n# After the repair\n\nDelete the list.\n"


@pytest.mark.parametrize("rules", ["none", "head", "rows", "shading"])
def test_a_table_without_a_grid_is_a_table_and_ends_before_the_next_heading(rules: str) -> None:
    pdf = paper()
    for n in range(len(ROWS)):
        if rules == "rows" or (rules == "head" and n == 0):
            pdf.line(60, 106 + n * 18, 400, 106 + n * 18)
        if rules == "shading" and n % 2:
            pdf.set_fill_color(220)
            pdf.rect(60, 88 + n * 18, 340, 18, style="F")
    assert with_section_behind(pdf, rows_at(pdf, ROWS, 100)) == AS_TABLE + SECTION


def test_no_word_is_lost_beside_the_cells_of_a_table_that_has_no_rulings_at_its_sides() -> None:
    pdf = paper()
    rows = [("Code", "Zone", "Event", "Note"), *((f"E{n}", f"{n}", f"Fault {n}", f"Call {n}") for n in range(301, 307))]
    lefts = (60.0, 160.0, 260.0, 360.0, 460.0)
    for n, row in enumerate(rows):
        top = 100 + n * 22
        for left, cell in zip(lefts, row, strict=False):
            pdf.text(left + 5, top + 15, cell)
        if n:
            pdf.line(lefts[0], top + 22, lefts[-1], top + 22)
            for left in lefts[1:-1]:
                pdf.line(left, top, left, top + 22)
        else:
            for left, right in itertools.pairwise(lefts):
                pdf.rect(left, top, right - left, 22)
    text = read(pdf)
    assert [word for row in rows for word in row if word not in text] == []


@pytest.mark.parametrize("leading", [14.0, 24.0])
def test_the_lines_of_a_cell_are_one_text(leading: float) -> None:
    pdf = paper()
    wrapped = [(code, meaning.replace(" ", "\n"), what) for code, meaning, what in ROWS]
    assert with_section_behind(pdf, rows_at(pdf, wrapped, 100, leading)) == AS_TABLE + SECTION


def test_rulings_part_rows_whose_first_cells_have_several_lines() -> None:
    pdf = paper()
    top = rows_at(pdf, [(a.replace("-", "-\n"), b.replace(" ", "\n"), c) for a, b, c in ROWS], 100, LEADING)
    for n in range(len(ROWS)):
        pdf.line(60, 90 + LEADING * (1, 3, 5, 7)[n], 400, 90 + LEADING * (1, 3, 5, 7)[n])
    assert with_section_behind(pdf, top) == AS_TABLE + SECTION


@pytest.mark.parametrize("has_head", [True, False])
def test_a_table_over_two_pages_keeps_its_head(has_head: bool) -> None:
    pdf = paper()
    rows_at(pdf, ROWS, 600)
    pdf.add_page()
    more = [(f"E-{n}", "Door open", "Close it.") for n in (201, 202, 203)]
    rows_at(pdf, [*(ROWS[:1] if has_head else ()), *more], 100)
    added = "".join(f"\n| {' | '.join(row)} |" for row in more)
    assert read(pdf) == f"{AS_TABLE}{added}\n"


LINES = (
    "Rinse the milk pump after each use and",
    "take it apart once a week. Hard water",
    "leaves scale in the heater, which takes",
    "longer to reach its temperature then.",
    "A filter lasts for about two months, or",
    "for fifty litres of water.",
)


@pytest.mark.parametrize(
    "rows",
    [
        [(f"{n}.", f"Do what step {n} says.") for n in range(1, 6)],
        [(str(n), f"Do what step {n} says.") for n in range(1, 6)],
        [("-", "Rinse it."), ("-", "Dry it."), ("-", "Put it back."), ("-", "Wait.")],
        [("The parts", "", "4"), ("First use", "", "7"), ("Descaling", "", "12"), ("Errors", "", "13")],
        [("Name:", "Ann Lee"), ("Town:", "Leeds"), ("Serial number:", "K4-1"), ("Date:", "4 May")],
        [(f"Beans {n}, 20", f"Cups {n}, 3", f"Pump {n}, 4") for n in range(5)],
    ],
    ids=["steps", "bare steps", "points", "contents", "form", "index"],
)
def test_what_only_stands_in_columns_is_no_table(rows: Sequence[Sequence[str]]) -> None:
    pdf = paper()
    rows_at(pdf, rows, 100)
    assert "| --- |" not in read(pdf)


def test_two_columns_of_prose_are_read_one_after_the_other() -> None:
    pdf = paper()
    for n, line in enumerate(LINES):
        pdf.text(60, 100 + n * LEADING, line)
        pdf.text(320, 100 + n * LEADING, line)
    assert read(pdf).split("\n\n")[0].strip().startswith(" ".join(LINES))


def test_a_listing_with_remarks_is_code() -> None:
    pdf = paper()
    pdf.set_font("Courier", size=9)
    for n, word in enumerate(("reset", "status", "pump", "heat")):
        pdf.text(60, 100 + n * 11, word)
        pdf.text(200, 100 + n * 11, f"# does the {word}")
    assert read(pdf).startswith("```\nreset # does the reset")
