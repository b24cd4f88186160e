"""Slides: a section each under its title, with lists, tables and links; what only the speaker sees is not read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from autokb.sources import read_documents
from autokb.testing import FormatContract

PLACE = (0, 0, Inches(4), Inches(2))
TITLE_PAGE, LIST_PAGE, ONLY_TITLE, BLANK = 0, 1, 5, 6  # layouts of python-pptx's own template
A_PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8ffff3f0005fe02fe0def46b8"
    "0000000049454e44ae426082"
)


def new(title: str = "Setup guide") -> Any:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[TITLE_PAGE])
    slide.shapes.title.text = title
    slide.placeholders[1].text = "For all models"
    return show


def add(show: Any, layout: int, title: str = "") -> Any:
    slide = show.slides.add_slide(show.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    return slide


def as_bytes(show: Any) -> bytes:
    file = io.BytesIO()
    show.save(file)
    return file.getvalue()


def read(folder: Path, data: bytes) -> tuple[str, str, list[str]]:
    """Return title, text and what is said of a file with this content."""
    path = folder / "a.pptx"
    path.write_bytes(data)
    found = read_documents([path])
    (one,) = found.records or (None,)
    return (
        (one.item.title, one.item.text.strip(), [s.reason for s in found.skipped])
        if one
        else ("", "", [found.skipped[0].reason])
    )


def test_slides_are_sections_with_lists_in_each_other(tmp_path: Path) -> None:
    show = new()
    frame = add(show, LIST_PAGE, "Pair & go").placeholders[1].text_frame
    frame.text = "Open the lid"
    for words, level in (("wait", 1), ("or not", 1), ("Done", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = words, level
    assert read(tmp_path, as_bytes(show)) == (
        "Setup guide",
        "# Setup guide\n\nFor all models\n\n## Pair & go\n\n- Open the lid\n  - wait\n  - or not\n- Done",
        [],
    )


def test_numbers_text_boxes_and_links(tmp_path: Path) -> None:
    show = new()
    slide = add(show, ONLY_TITLE, "Steps")
    box = slide.shapes.add_textbox(*PLACE).text_frame
    box.text = "First of all:"
    run = box.add_paragraph().add_run()
    run.text, run.hyperlink.address = "See here", "https://example.com/a"
    numbered = add(show, LIST_PAGE, "In order").placeholders[1].text_frame
    numbered.text = "Open"
    numbered.add_paragraph().text = "Close"
    for paragraph in numbered.paragraphs:
        number = paragraph._p.get_or_add_pPr().makeelement(
            "{http://schemas.openxmlformats.org/drawingml/2006/main}buAutoNum", {"type": "arabicPeriod"}
        )
        paragraph._p.get_or_add_pPr().append(number)
    _, text, _ = read(tmp_path, as_bytes(show))
    assert text.endswith(
        "## Steps\n\nFirst of all:\n\n[See here](https://example.com/a)\n\n## In order\n\n1. Open\n2. Close"
    )


def test_tables_keep_their_spans(tmp_path: Path) -> None:
    show = new()
    table = add(show, ONLY_TITLE, "Models").shapes.add_table(3, 2, *PLACE).table
    for n, row in enumerate((("Model", "Hours"), ("A", "8"), ("both", ""))):
        for m, words in enumerate(row):
            table.cell(n, m).text = words
    table.cell(2, 0).merge(table.cell(2, 1))
    _, text, _ = read(tmp_path, as_bytes(show))
    assert "## Models\n\n| Model | Hours |\n| --- | --- |\n| A | 8 |\n| both |" in text


def test_slides_without_a_title_and_grouped_shapes_are_read(tmp_path: Path) -> None:
    show = new()
    slide = add(show, BLANK)
    slide.shapes.add_group_shape().shapes.add_textbox(*PLACE).text_frame.text = "In a group"
    _, text, _ = read(tmp_path, as_bytes(show))
    assert text.endswith("## Slide 2\n\nIn a group")


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    show = new()
    slide = add(show, ONLY_TITLE, "Seen")
    slide.notes_slide.notes_text_frame.text = "Never say this."
    slide.shapes.add_picture(io.BytesIO(A_PICTURE), *PLACE)
    data = CategoryChartData()
    data.categories = ["a"]
    data.add_series("s", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, *PLACE, data)
    hidden = add(show, ONLY_TITLE, "Draft")
    hidden._element.set("show", "0")
    _, text, said = read(tmp_path, as_bytes(show))
    assert said == ["is read without: 1 slide's speaker notes, 1 picture, 1 chart, 1 hidden slide."]
    assert "Never" not in text and "Draft" not in text and "Seen" in text


def test_hostile_files_are_refused(tmp_path: Path) -> None:
    good = as_bytes(new())
    entity = '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><p xmlns="p"><sldIdLst>&e;</sldIdLst></p>'
    bad = {
        "an old or locked one": (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "is encrypted or an old .ppt"),
        "torn": (good[:-200], "is no whole PPTX file"),
        "a wrong suffix": (b"%PDF-1.7 words", "is no whole PPTX file"),
        "another archive": (_archive({"word/document.xml": "<a/>"}), "is no presentation"),
        "no XML": (_archive({"ppt/presentation.xml": "<a"}), "is no whole PPTX file"),
        "a bomb": (_archive({"ppt/presentation.xml": "<a>" + "b" * 6_000_000 + "</a>"}), "is nested too deeply"),
        "an entity": (_archive({"ppt/presentation.xml": entity}), "holds no text"),
        "deep": (_archive({"ppt/presentation.xml": "<a>" * 100_000}), "is no whole PPTX file"),
    }
    for name, (data, reason) in bad.items():
        _, text, said = read(tmp_path, data)
        assert not text and said[0].startswith(reason), (name, said)


def _archive(parts: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


class TestPptx(FormatContract):
    suffix = ".pptx"
    examples = (as_bytes(new()),)
