from __future__ import annotations

import io
import zipfile
import zlib

import pytest

from autokb.core.errors import UnreadableFileError
from autokb.sources.docx import docx_to_markdown
from autokb.sources.pdf import pdf_to_markdown
from autokb.sources.subprocess_converter import convert_in_subprocess


def word_file() -> bytes:
    from docx import Document

    document = Document()
    document.add_heading("Pairing", 1)
    document.add_paragraph("Turn it on.", style="List Number")
    document.add_paragraph("Hold the button.", style="List Number")
    document.add_paragraph("The light blinks now.")
    document.add_paragraph("Choose it on the phone.", style="List Number")
    document.add_heading("Reset", 2)
    document.add_paragraph("Hold both buttons.", style="List Number")
    document.add_paragraph("A remark", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for n, text in enumerate(("Light", "Meaning", "red", "empty")):
        table.cell(n // 2, n % 2).text = text
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def pdf_file(password: str = "") -> bytes:
    from fpdf import FPDF

    class Running(FPDF):
        def header(self) -> None:
            self.set_font("Helvetica", size=8)
            self.cell(0, 5, "Lumo manual 2024", new_x="LMARGIN", new_y="NEXT")

        def footer(self) -> None:
            self.set_y(-12)
            self.set_font("Helvetica", size=8)
            self.cell(0, 5, f"{self.page_no()}")

    pdf = Running()
    for page in range(3):
        pdf.add_page()
        pdf.set_font("Helvetica", "B", 20)
        pdf.cell(0, 12, f"Chapter {page + 1}", new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", size=11)
        pdf.multi_cell(0, 5.5, "This sentence is long enough to be broken over several lines. " * 4, new_x="LMARGIN")
        pdf.ln(4)
        for n, step in enumerate(("Open the lid of the case. " * 5, "Hold the button.", "Let go."), 1):
            pdf.multi_cell(0, 5.5, f"{n}. {step.strip()}", new_x="LMARGIN")
        pdf.ln(4)
        with pdf.table() as table:
            for cells in (("Light", "Meaning"), ("red", "empty")):
                row = table.row()
                for cell in cells:
                    row.cell(cell)
    if password:
        pdf.set_encryption(owner_password="o", user_password=password)
    return bytes(pdf.output())


def test_word_headings_lists_and_tables() -> None:
    page = docx_to_markdown(word_file())
    assert page.title == "Pairing"
    assert page.text == (
        "# Pairing\n\n1. Turn it on.\n2. Hold the button.\n\nThe light blinks now.\n\n3. Choose it on the phone.\n\n"
        "## Reset\n\n1. Hold both buttons.\n\n- A remark\n\n| Light | Meaning |\n| --- | --- |\n| red | empty |\n"
    )


NAMESPACES = " ".join(
    f'xmlns:{prefix}="{name}"'
    for prefix, name in (
        ("w", "http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
        ("wp", "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"),
        ("wps", "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"),
        ("mc", "http://schemas.openxmlformats.org/markup-compatibility/2006"),
        ("v", "urn:schemas-microsoft-com:vml"),
    )
)


def boxed(words: str) -> str:
    return f"<w:txbxContent><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:txbxContent>"


def drawn(*words: str, place: str = "inline") -> str:
    boxes = "".join(f"<wps:wsp><wps:txbx>{boxed(one)}</wps:txbx></wps:wsp>" for one in words)
    return f"<w:drawing><wp:{place}>{boxes}</wp:{place}></w:drawing>"


def chosen(fallback: str) -> str:
    choice = f'<mc:Choice Requires="wps">{drawn("It is hot.")}</mc:Choice>'
    return f"<mc:AlternateContent>{choice}{fallback}</mc:AlternateContent>"


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (drawn("It is hot."), "It is hot."),
        (drawn("It is hot.", place="anchor"), "It is hot."),
        (drawn("It is hot.", "Wait."), "It is hot.\n\nWait."),
        (chosen(""), "It is hot."),
        (chosen("<mc:Fallback><w:pict><v:shape/></w:pict></mc:Fallback>"), "It is hot."),
        (chosen(f"<mc:Fallback><w:pict><v:textbox>{boxed('Of old.')}</v:textbox></w:pict></mc:Fallback>"), "Of old."),
    ],
)
def test_the_text_boxes_of_a_word_file_are_read_once(run: str, expected: str) -> None:
    from docx import Document

    document, stream, written = Document(), io.BytesIO(), io.BytesIO()
    for words in ("Before.", "@", "After."):
        document.add_paragraph(words)
    document.save(stream)
    with zipfile.ZipFile(stream) as before, zipfile.ZipFile(written, "w") as after:
        for name in before.namelist():
            part = before.read(name)
            drawing = f"<w:r {NAMESPACES}>{run}</w:r>".encode()
            after.writestr(name, part.replace(b"<w:r><w:t>@</w:t></w:r>", drawing) if "document" in name else part)
    assert docx_to_markdown(written.getvalue()).text == f"Before.\n\n{expected}\n\nAfter.\n"


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def level(number: int, kind: str, start: int = 1, style: str = "") -> str:
    of_style = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f'<w:lvl w:ilvl="{number}"><w:start w:val="{start}"/><w:numFmt w:val="{kind}"/>{of_style}</w:lvl>'


def style(kind: str, name: str, number: str) -> str:
    listed = f'<w:pPr><w:numPr><w:numId w:val="{number}"/></w:numPr></w:pPr>'
    return f'<w:style {W} w:type="{kind}" w:styleId="{name}"><w:name w:val="{name}"/>{listed}</w:style>'


def listed(
    lists: dict[str, str], ids: dict[str, tuple[str, str]], *paragraphs: tuple[str, str, int], styles: str = ""
) -> str:
    """Return the Markdown of a Word file of paragraphs, each with its words, the id of its list and its level.

    ``lists`` has what Word says of each list, ``ids`` the list of each id and what the id says itself.
    """
    from docx import Document
    from docx.oxml import parse_xml

    document, stream = Document(), io.BytesIO()
    numbering = document.part.numbering_part.element
    for name, said in lists.items():
        numbering.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="{name}">{said}</w:abstractNum>'))
    for name, (of, said) in ids.items():
        numbering.append(parse_xml(f'<w:num {W} w:numId="{name}"><w:abstractNumId w:val="{of}"/>{said}</w:num>'))
    if styles:
        document.styles.element.append(parse_xml(styles))
    for words, name, depth in paragraphs:
        paragraph = document.add_paragraph(words)
        place = f'<w:ilvl w:val="{depth}"/><w:numId w:val="{name}"/>' if name.isdecimal() else ""
        if place:
            paragraph._p.get_or_add_pPr().append(parse_xml(f"<w:numPr {W}>{place}</w:numPr>"))
        elif name:
            paragraph._p.get_or_add_pPr().append(parse_xml(f'<w:pStyle {W} w:val="{name}"/>'))
    document.save(stream)
    return docx_to_markdown(stream.getvalue()).text


def test_steps_go_on_behind_a_table_and_begin_anew_behind_an_announcement() -> None:
    from docx import Document

    document, stream = Document(), io.BytesIO()
    for words in ("One.", "", "Two.", "On a Mac:", "First."):
        if words:
            document.add_paragraph(words, style="Normal" if words.endswith(":") else "List Number")
        else:
            table = document.add_table(rows=2, cols=2)
            for n, cell in enumerate(("Model:", "Lamp", "A", "red")):
                table.cell(n // 2, n % 2).text = cell
    document.save(stream)
    text = docx_to_markdown(stream.getvalue()).text
    assert text.startswith("1. One.\n\n| Model:") and text.endswith("\n\n2. Two.\n\nOn a Mac:\n\n1. First.\n")


LETTERS = level(0, "lowerLetter") + level(1, "lowerRoman")


def test_the_lists_of_a_word_file_keep_their_letters_and_go_on_behind_a_remark() -> None:
    steps = (("Open it.", "90", 0), ("Look.", "90", 1), ("Listen.", "90", 1), ("Close it.", "90", 0))
    text = listed({"90": LETTERS}, {"90": ("90", "")}, *steps, ("Red? See step b.", "", 0), ("Call us.", "90", 0))
    assert text == (
        "- a) Open it.\n  - i) Look.\n  - ii) Listen.\n- b) Close it.\n\nRed? See step b.\n\n- c) Call us.\n"
    )


def test_letters_inside_numbered_steps_begin_anew_under_each() -> None:
    lists = {"90": level(0, "decimal") + level(1, "upperLetter")}
    steps = (("One.", "90", 0), ("First.", "90", 1), ("Second.", "90", 1), ("Two.", "90", 0), ("Only.", "90", 1))
    text = listed(lists, {"90": ("90", "")}, *steps)
    assert text == "1. One.\n   - A) First.\n   - B) Second.\n2. Two.\n   - A) Only.\n"


def test_an_id_that_begins_its_list_anew_and_one_that_goes_on_with_it() -> None:
    anew = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    ids = {"90": ("90", ""), "91": ("90", anew), "92": ("90", "")}
    steps = [(f"Step of {name}.", name, 0) for name in ("90", "90", "91", "91", "92")]
    text = listed({"90": level(0, "decimal")}, ids, *steps)
    assert text == "1. Step of 90.\n2. Step of 90.\n\n1) Step of 91.\n2) Step of 91.\n3) Step of 92.\n"


@pytest.mark.parametrize(
    ("said", "first"),
    [
        (level(0, "upperRoman", 3), "III"),
        (level(0, "upperLetter", 26), "Z"),
        (level(0, "lowerLetter"), "x"),
        ('<w:numStyleLink w:val="Ours"/>', "iv"),
    ],
)
def test_where_word_keeps_the_letters_of_a_list(said: str, first: str) -> None:
    own = f'<w:lvlOverride w:ilvl="0">{level(0, "lowerLetter", 24)}</w:lvlOverride>' if first == "x" else ""
    lists = {"90": said, "91": level(0, "lowerRoman", 4)}
    text = listed(
        lists, {"90": ("90", own), "91": ("91", "")}, ("Open it.", "90", 0), styles=style("numbering", "Ours", "91")
    )
    assert text == f"- {first}) Open it.\n"


def test_a_style_puts_its_paragraphs_into_the_level_that_names_it() -> None:
    lists = {"90": level(0, "decimal") + level(1, "lowerLetter", style="Sub")}
    text = listed(
        lists,
        {"90": ("90", "")},
        ("One.", "90", 0),
        ("First.", "Sub", 0),
        ("Second.", "Sub", 0),
        styles=style("paragraph", "Sub", "90"),
    )
    assert text == "1. One.\n   - a) First.\n   - b) Second.\n"


def test_the_merged_cells_of_a_word_file_are_in_each_row() -> None:
    from docx import Document

    document, stream = Document(), io.BytesIO()
    table = document.add_table(rows=4, cols=3)
    for n, text in enumerate(
        ("Lamp", "Meaning", "", "", "steady", "blinking", "Red", "Hot", "Dry", "", "Fuse", "Full")
    ):
        table.cell(n // 3, n % 3).text = text
    for one, other in (((0, 0), (1, 0)), ((0, 1), (0, 2)), ((2, 0), (3, 0))):
        table.cell(*one).merge(table.cell(*other))
    document.save(stream)
    assert docx_to_markdown(stream.getvalue()).text == (
        "| Lamp | Meaning, steady | Meaning, blinking |\n| --- | --- | --- |\n| Red | Hot | Dry |\n"
        "| Red | Fuse | Full |\n"
    )


def test_pdf_headings_paragraphs_steps_and_tables_without_running_lines() -> None:
    page = pdf_to_markdown(pdf_file())
    sentence = "This sentence is long enough to be broken over several lines. " * 4
    assert page.title == "Chapter 1"
    chapter = (
        f"{sentence.strip()}\n\n1. {('Open the lid of the case. ' * 5).strip()}\n2. Hold the button.\n3. Let go.\n\n"
        "| Light | Meaning |\n| --- | --- |\n| red | empty |"
    )
    assert page.text == "\n\n".join(f"# Chapter {n}\n\n{chapter}" for n in (1, 2, 3)) + "\n"


def test_an_encrypted_pdf_says_so() -> None:
    with pytest.raises(UnreadableFileError, match="encrypted"):
        pdf_to_markdown(pdf_file("secret"))


def test_a_pdf_of_pictures_says_what_to_do() -> None:
    from fpdf import FPDF

    pdf = FPDF()
    pdf.add_page()
    pdf.line(1, 1, 90, 90)
    with pytest.raises(UnreadableFileError, match="text recognition"):
        pdf_to_markdown(bytes(pdf.output()))


def test_the_process_apart_gives_the_page_or_the_reason() -> None:
    assert convert_in_subprocess("docx", word_file()) == docx_to_markdown(word_file())
    with pytest.raises(UnreadableFileError, match="broken PDF"):
        convert_in_subprocess("pdf", b"%PDF-1.7\n%%EOF")


def test_a_word_file_with_a_doctype_bomb_is_refused() -> None:
    import zipfile

    source = zipfile.ZipFile(io.BytesIO(word_file()))
    stream = io.BytesIO()
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    with zipfile.ZipFile(stream, "w") as archive:
        for name in source.namelist():
            data = source.read(name)
            if name == "word/document.xml":
                data = f'<!DOCTYPE d [<!ENTITY a0 "x">{entities}]><d>&a11;</d>'.encode()
            archive.writestr(name, data)
    with pytest.raises(UnreadableFileError):
        convert_in_subprocess("docx", stream.getvalue())


def test_a_word_file_whose_text_packs_to_a_thousandth_is_refused_before_it_is_read() -> None:
    import zipfile

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<w:p/>" * 1_000_000)
    with pytest.raises(UnreadableFileError, match="unpacks to too much"):
        docx_to_markdown(stream.getvalue())


@pytest.mark.parametrize("packed", [True, False])
def test_a_pdf_with_a_page_of_many_megabytes_is_refused_before_it_is_read(packed: bool) -> None:
    """Two hundred kilobytes that unpack to a page of 100 MB took minutes and three gigabytes."""
    one = b"BT (word) Tj ET " * 100_000
    data = zlib.compress(one * 15) if packed else one
    filtered = b" /Filter /FlateDecode" if packed else b""
    contents = b"4 0 R" if packed else b"[%s]" % (b"4 0 R " * 15)
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %s >>" % contents,
        b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(data), filtered, data),
    )
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, part) for n, part in enumerate(objects, 1))
    with pytest.raises(UnreadableFileError, match="a page that unpacks to more than 20 MB"):
        pdf_to_markdown(b"%PDF-1.4\n" + body + b"trailer\n<< /Root 1 0 R >>\n%%EOF\n")
