"""Tables of PDFs without a full grid: the share of their cells that are read, and pages of prose read as tables.

``python -m benchmarks.pdf_tables`` writes every table in every layout with fpdf2, and reads it as ``add`` does. A cell
counts as read if it stands in its column of the row that has its key, the first cell. Layouts and texts are ours; no
table of anybody's is among them.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.sources.pdf import pdf_to_markdown
from benchmarks.figures import Figure, Result, show, write

SIZE, LEADING = 10.0, 12.0  # points
LEFT, TOP, BOTTOM = 60.0, 150.0, 760.0
BEFORE = "The list below says what the machine shows and what it needs."
AFTER = "Delete the list in the menu."


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its rows, the widths of its columns in points and which of these are set flush right."""

    rows: Sequence[Sequence[str]]
    widths: Sequence[float]
    right: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Layout:
    """What is drawn around rows, and the space in points above and below the text of each."""

    head_rule: bool = False
    row_rules: bool = False
    frame: bool = False
    grid: bool = False
    shaded_head: bool = False
    zebra: bool = False
    bold_head: bool = True
    centred: bool = False
    padding: float = 3.0


LAYOUTS: Mapping[str, Layout] = {
    "grid": Layout(grid=True),
    "head rule": Layout(head_rule=True),
    "row rules": Layout(head_rule=True, row_rules=True),
    "frame and row rules": Layout(head_rule=True, row_rules=True, frame=True),
    "shaded head": Layout(shaded_head=True),
    "zebra": Layout(zebra=True),
    "plain": Layout(),
    "plain, head like the rest": Layout(bold_head=False),
    "plain, close rows": Layout(padding=0.5),
    "plain, wide rows": Layout(padding=7),
    "plain, centred": Layout(centred=True),
}

_SETTINGS = (("Pump time", "s"), ("Water", "ml"), ("Heat", "W"), ("Pause", "s"), ("Rinse", "ml"))
_NUMBERED = enumerate(_SETTINGS * 9)

TABLES: Mapping[str, Grid] = {
    "error codes": Grid(
        (
            ("Code", "Meaning", "What to do"),
            ("E-101", "Tank empty", "Fill the tank."),
            ("E-102", "Tray full", "Empty the tray."),
            ("E-103", "Pump blocked", "Descale the machine."),
            ("E-104", "Heater open", "Call the service."),
            ("E-105", "Sensor short", "Replace sensor S2."),
            ("E-106", "Door open", "Close the door until it clicks."),
        ),
        (70, 120, 200),
    ),
    "two columns": Grid(
        (
            ("Lamp", "What it means"),
            ("Red", "The tank is empty."),
            ("Yellow", "The machine heats up."),
            ("Green", "It is ready for the next cup."),
            ("Blue", "Descaling runs."),
        ),
        (90, 220),
    ),
    "technical data": Grid(
        (
            ("Model", "Power", "Weight", "Width", "Noise"),
            ("K2", "1200 W", "6.5 kg", "220 mm", "48 dB"),
            ("K4", "1450 W", "8.1 kg", "260 mm", "52 dB"),
            ("K6", "2100 W", "11.4 kg", "310 mm", "55 dB"),
            ("K8 Pro", "2900 W", "14.0 kg", "420 mm", "57 dB"),
        ),
        (80, 70, 70, 70, 70),
        frozenset({1, 2, 3, 4}),
    ),
    "wrapped cells": Grid(
        (
            ("Code", "Meaning", "What to do"),
            ("F1", "The water tank is empty or is not seated in its guide", "Fill the tank and press it down."),
            ("F2", "The drip tray is full", "Empty the tray, dry its contacts and push it back until it clicks."),
            ("F3", "The pump draws air", "Open the steam valve for ten seconds, then close it again and wait."),
            ("F4", "The heater does not reach its temperature in time", "Switch the machine off and call the service."),
            ("F5", "No beans", "Fill the hopper."),
        ),
        (50, 150, 190),
    ),
    "empty cells": Grid(
        (
            ("Part", "K2", "K4", "Order number"),
            ("Grinder", "yes", "yes", "PN-4471-B2"),
            ("Milk pump", "", "yes", "PN-4480-A1"),
            ("Filter", "yes", "yes", ""),
            ("Steam valve", "", "yes", "PN-4502-C7"),
            ("Drip tray", "yes", "yes", "PN-4519-A3"),
        ),
        (100, 60, 60, 120),
    ),
    "over two pages": Grid(
        (
            ("Number", "Setting", "Default"),
            *((f"P{n}", f"{what} {n // 5 + 1}", f"{n * 3} {unit}") for n, (what, unit) in _NUMBERED),
        ),
        (80, 160, 100),
    ),
}


def paper() -> Any:
    """Return an empty A4 page in points with a heading."""
    from fpdf import FPDF

    pdf = FPDF(unit="pt", format="A4")
    pdf.set_auto_page_break(False)
    pdf.set_margin(0)
    pdf.add_page()
    pdf.set_font("Helvetica", "B", 16)
    pdf.text(LEFT, 80, "The machine at a glance")
    pdf.set_font("Helvetica", size=SIZE)
    return pdf


def table_file(grid: Grid, layout: Layout) -> bytes:
    """Return a PDF with a sentence, the table and a section behind it."""
    pdf = paper()
    pdf.text(LEFT, 110, BEFORE)
    y = draw(pdf, grid, layout, TOP)
    pdf.set_font("Helvetica", "B", 14)
    pdf.text(LEFT, y + 40, "After the repair")
    pdf.set_font("Helvetica", size=SIZE)
    pdf.text(LEFT, y + 65, AFTER)
    return bytes(pdf.output())


def draw(pdf: Any, grid: Grid, layout: Layout, y: float) -> float:
    """Draw a table from the height ``y`` and on further pages; return the height below it."""
    right = LEFT + sum(grid.widths)
    for n, row in enumerate(grid.rows):
        pdf.set_font("Helvetica", "B" if layout.bold_head and n == 0 else "", SIZE)
        lines = [
            pdf.multi_cell(width - 8, LEADING, cell, dry_run=True, output="LINES") if cell else []
            for cell, width in zip(row, grid.widths, strict=True)
        ]
        height = max(map(len, lines)) * LEADING + 2 * layout.padding
        if y + height > BOTTOM:
            pdf.add_page()
            y = 60.0
        if (layout.shaded_head and n == 0) or (layout.zebra and n % 2):
            pdf.set_fill_color(220)
            pdf.rect(LEFT, y, right - LEFT, height, style="F")
        x = LEFT
        for column, (cell, width) in enumerate(zip(lines, grid.widths, strict=True)):
            if layout.grid:
                pdf.rect(x, y, width, height)
            for line, text in enumerate(cell):
                left_over = width - 8 - pdf.get_string_width(text)
                shift = left_over / 2 if layout.centred else left_over if column in grid.right else 0
                pdf.text(x + 4 + shift, y + layout.padding + line * LEADING + 0.8 * SIZE, text)
            x += width
        y += height
        if layout.row_rules or (layout.head_rule and n == 0):
            pdf.line(LEFT, y, right, y)
        if layout.frame:
            pdf.rect(LEFT, y - height, right - LEFT, height)
    pdf.set_font("Helvetica", size=SIZE)
    return y


# -- pages that hold no table ------------------------------------------------------------------------------------

SENTENCES = (
    "Switch the machine on and wait until the green lamp is lit.",
    "The first cup of the day is often colder than the next ones, for the pipes have to warm up.",
    "Rinse the milk pump after each use, and take it apart once a week.",
    "If the grinder is loud, a stone may have come in with the beans.",
    "Hard water leaves scale in the heater, which takes longer to reach its temperature then.",
    "Never open the service door while the pump is running.",
    "A filter lasts for about two months, or for fifty litres of water.",
    "The display dims after ten minutes, and goes out after an hour.",
)
PROSE = " ".join(SENTENCES * 4)


def column(pdf: Any, text: str, x: float, y: float, width: float, align: str = "J") -> None:
    """Write a text as a column."""
    pdf.set_xy(x, y)
    pdf.multi_cell(width, LEADING, text, align=align)


def lines_at(pdf: Any, rows: Sequence[Sequence[tuple[float, str]]], leading: float = 16.0) -> None:
    """Write rows of pieces of text, each with its place from the left."""
    for n, row in enumerate(rows):
        for x, text in row:
            pdf.text(x, TOP + n * leading, text)


def two_columns(align: str, gutter: float = 20.0) -> Callable[[Any], None]:
    """Return what writes two columns of prose."""

    def draw_it(pdf: Any) -> None:
        width = (475 - gutter) / 2
        column(pdf, PROSE, LEFT, TOP, width, align)
        column(pdf, PROSE[300:], LEFT + width + gutter, TOP, width, align)

    return draw_it


def three_columns(pdf: Any) -> None:
    """Write three columns of prose."""
    for n in range(3):
        column(pdf, PROSE[n * 200 :][:900], LEFT + n * 165, TOP, 145, "L")


def steps(pdf: Any) -> None:
    """Write numbered steps whose text is indented far."""
    y = TOP
    for n, sentence in enumerate(SENTENCES * 2, 1):
        pdf.text(LEFT, y + 9, f"{n}.")
        column(pdf, sentence, LEFT + 30, y, 240, "L")
        y = pdf.get_y() + 6


def bare_steps(pdf: Any) -> None:
    """Write steps with a number without a full stop."""
    lines_at(pdf, [[(LEFT, str(n)), (LEFT + 40, text)] for n, text in enumerate(SENTENCES, 1)])


def contents(pdf: Any) -> None:
    """Write a table of contents without leaders."""
    titles = ("Before you begin", "The parts", "First use", "Every day", "Descaling", "Errors", "Technical data")
    lines_at(pdf, [[(LEFT, f"{n}  {t}"), (500, str(3 * n + n % 2))] for n, t in enumerate(titles, 1)])


def index(pdf: Any) -> None:
    """Write an index in three columns."""
    words = ("Beans", "Cup", "Door", "Filter", "Grinder", "Heater", "Lamp", "Milk", "Noise", "Pump", "Scale", "Valve")
    for n in range(3):
        for m, word in enumerate(words):
            pdf.text(LEFT + n * 160, TOP + m * LEADING, f"{word} {chr(97 + n)} {m + n + 2}, {m * 3 + 20}")


def form(pdf: Any) -> None:
    """Write a form with two labels in each line."""
    labels = ("Name:", "Street:", "Town:", "Serial number:", "Bought on:", "Telephone:")
    lines_at(pdf, [[(LEFT, a), (320, b)] for a, b in zip(labels, reversed(labels), strict=True)], 24)


def filled_form(pdf: Any) -> None:
    """Write labels with their values."""
    pairs = {
        "Name:": "Ann Lee",
        "Street:": "4 Mill Lane",
        "Town:": "Leeds",
        "Serial number:": "K4-2231",
        "Date:": "4 May",
    }
    lines_at(pdf, [[(LEFT, label), (200, value)] for label, value in pairs.items()], 20)


def side_headings(pdf: Any) -> None:
    """Write paragraphs with their headings in the margin."""
    y = TOP
    for n, title in enumerate(("Before use", "Every day", "Each week", "Storage")):
        pdf.set_font("Helvetica", "B", SIZE)
        pdf.text(LEFT, y + 9, title)
        pdf.set_font("Helvetica", size=SIZE)
        column(pdf, " ".join(SENTENCES[n : n + 5]), 180, y, 340, "L")
        y = pdf.get_y() + 10


def bullets(pdf: Any) -> None:
    """Write points whose marks stand apart."""
    lines_at(pdf, [[(LEFT, "-"), (LEFT + 25, text)] for text in SENTENCES])


def code(pdf: Any) -> None:
    """Write a listing with remarks that stand below each other."""
    pdf.set_font("Courier", size=9)
    commands = ("reset", "status --all", "pump on", "pump off", "heat 93", "log")
    lines_at(pdf, [[(LEFT, one), (260, f"# does the {one.split()[0]}")] for one in commands], 11)


def addresses(pdf: Any) -> None:
    """Write two addresses side by side."""
    left = ("Corvo Ltd", "4 Mill Lane", "Leeds LS1 4AB", "United Kingdom")
    right = ("Corvo GmbH", "Hauptstr. 12", "70173 Stuttgart", "Germany")
    lines_at(pdf, [[(LEFT, a), (320, b)] for a, b in zip(left, right, strict=True)], 13)


def one_column(pdf: Any) -> None:
    """Write justified prose."""
    column(pdf, PROSE, LEFT, TOP, 470)


def narrow_column(pdf: Any) -> None:
    """Write justified prose in so narrow a column that its spaces are wide."""
    column(pdf, PROSE[:900], LEFT, TOP, 120)


def wide_words(pdf: Any) -> None:
    """Write a paragraph and signatures below it."""
    column(pdf, PROSE[:500], LEFT, TOP, 470)
    lines = ("____________________", "Place, date"), ("____________________", "Signature")
    for x, pieces in zip((LEFT, 320), lines, strict=True):
        for n, text in enumerate(pieces):
            pdf.text(x, 300 + n * 14, text)


PAGES: Mapping[str, Callable[[Any], None]] = {
    "two columns, justified": two_columns("J"),
    "two columns, ragged": two_columns("L"),
    "two columns, narrow gutter": two_columns("J", 12.0),
    "three columns": three_columns,
    "steps": steps,
    "bare steps": bare_steps,
    "contents": contents,
    "index": index,
    "form": form,
    "filled form": filled_form,
    "side headings": side_headings,
    "bullets": bullets,
    "code": code,
    "addresses": addresses,
    "one column": one_column,
    "narrow column": narrow_column,
    "signatures": wide_words,
}


# -- what is read ------------------------------------------------------------------------------------------------


def read(data: bytes) -> str:
    """Return the Markdown of a PDF, nothing where it is refused."""
    try:
        return pdf_to_markdown(data).text
    except UnreadableFileError:
        return ""


def cells_read(grid: Grid, markdown: str) -> tuple[int, int]:
    """Return how many cells with text stand in their column of their row, and how many there are."""
    rows: dict[str, list[str]] = {}
    for line in markdown.split("\n"):
        if line.startswith("| ") and not re.fullmatch(r"[| -]+", line):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            rows.setdefault(cells[0].strip("| "), cells)
    found = total = 0
    for row in grid.rows:
        read_row = rows.get(row[0], [])
        for n, cell in enumerate(row):
            total += bool(cell)
            found += bool(cell) and n < len(read_row) and read_row[n].strip("| ") == cell
    return found, total


def is_table(markdown: str) -> bool:
    """Return whether a Markdown text has a table."""
    return "| --- |" in markdown


def is_strayed(grid: Grid, markdown: str) -> bool:
    """Return whether anything of a table stands behind the heading below it."""
    behind = markdown.rpartition("After the repair")[2].replace(AFTER, "")
    return any(cell in behind for row in grid.rows for cell in row if len(cell) > 3)


def run(options: argparse.Namespace) -> Result:
    """Read every table in every layout, and every page without one."""
    read_cells = {}
    strayed = 0
    for name, grid in TABLES.items():
        for layout_name, layout in LAYOUTS.items():
            text = read(table_file(grid, layout))
            read_cells[name, layout_name] = cells_read(grid, text)
            strayed += is_strayed(grid, text)
            if getattr(options, "show", "") in (name, layout_name, "all"):
                print(f"== {name}, {layout_name}: {read_cells[name, layout_name]}\n{text}")
    wrong = []
    for name, draw_page in PAGES.items():
        pdf = paper()
        draw_page(pdf)
        text = read(bytes(pdf.output()))
        wrong += [name] if is_table(text) else []
        if getattr(options, "show", "") in (name, "pages", "all"):
            print(f"== {name}\n{text}")
    return Result("pdf_tables", [*figures(read_cells, wrong, strayed)], {"pages_read_as_tables": wrong})


def figures(
    read_cells: Mapping[tuple[str, str], tuple[int, int]], wrong: Sequence[str], strayed: int
) -> Iterator[Figure]:
    """Give the share of cells, in all and by layout and table, and what is read wrongly."""
    ungridded = {key: value for key, value in read_cells.items() if key[1] != "grid"}
    yield Figure("tables", len(ungridded))
    yield Figure("cells_read", _share(ungridded.values()), at_least=0.85)
    yield Figure("tables_with_cells_under_the_next_heading", strayed, at_most=0)
    yield Figure("pages_without_table", len(PAGES))
    yield Figure("pages_read_as_tables", len(wrong) / len(PAGES), at_most=0)
    for place, names in ((1, LAYOUTS), (0, TABLES)):
        for name in names:
            of_name = [value for key, value in read_cells.items() if key[place] == name]
            yield Figure(f"cells_read.{name}", _share(of_name))


def _share(counts: Any) -> float:
    counts = list(counts)
    return sum(found for found, _ in counts) / sum(total for _, total in counts)


def main() -> None:
    """Read the words of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pdf_tables", description=__doc__)
    parser.add_argument("--show", default="", help="print what is read of this table, layout or page; all; pages")
    parser.add_argument("--store", action="store_true", help="keep the figures in benchmarks/results/")
    options = parser.parse_args()
    result = run(options)
    show(result)
    print(f"Pages read as tables: {', '.join(result.detail['pages_read_as_tables']) or 'none'}")
    print(f"Written to {write(result, keep=options.store)}")


if __name__ == "__main__":
    main()
