"""ODT, RTF and EPUB: headings, lists, tables and notes as they are shown; what is not read is named."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from autokb.sources import read_documents
from autokb.testing import FormatContract

_NAMES = (
    " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "table", "style", "drawing")
    )
    + ' xmlns:xlink="http://www.w3.org/1999/xlink"'
)
_STYLES = (
    '<office:automatic-styles><style:list-style/><text:list-style style:name="N">'
    '<text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/>'
    "</text:list-style></office:automatic-styles>"
)


def archive(parts: dict[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in parts.items():
            opened.writestr(name, text)
    return file.getvalue()


def odt(body: str, **parts: str) -> bytes:
    inside = f"{_STYLES}<office:body><office:text>{body}</office:text></office:body>"
    text = f"<office:document-content {_NAMES}>{inside}</office:document-content>"
    return archive({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": text, **parts})


def epub(pages: dict[str, str], spine: str = "", **parts: str) -> bytes:
    items = "".join(
        f'<item id="{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(pages)
    )
    items += '<item id="p" href="p.png" media-type="image/png"/>'
    items += '<item id="nav" properties="nav" href="n.xhtml" media-type="application/xhtml+xml"/>'
    order = "".join(f'<itemref idref="{n}"/>' for n in spine or "".join(map(str, range(len(pages)))))
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>The manual</dc:title></metadata><manifest>{items}</manifest>"
        f'<spine><itemref idref="nav"/>{order}</spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="in/book.opf"/></rootfiles></container>'
    inside = {f"in/{name}".replace("%20", " "): text for name, text in pages.items()}
    return archive(
        {"META-INF/container.xml": container, "in/book.opf": package, "in/n.xhtml": "<p>menu</p>", **inside, **parts}
    )


def read(folder: Path, name: str, data: bytes) -> tuple[str, str, list[str]]:
    """Return title, text and what is said of a file."""
    path = folder / name
    path.write_bytes(data)
    found = read_documents([path])
    title, text = ((one := found.records[0].item).title, one.text.strip()) if found.records else ("", "")
    return title, text, [one.reason for one in found.skipped]


def test_an_odt_keeps_headings_lists_tables_links_and_footnotes(tmp_path: Path) -> None:
    body = (
        '<text:h text:outline-level="1">Care</text:h><text:p>Wipe &amp; dry<text:s/>it<text:note><text:note-citation>1'
        "</text:note-citation><text:note-body><text:p>With a cloth.</text:p></text:note-body></text:note>.</text:p>"
        '<text:list text:style-name="N"><text:list-item><text:p>Open</text:p><text:list><text:list-item>'
        "<text:p>wide</text:p></text:list-item></text:list></text:list-item>"
        "<text:list-item><text:p>Close</text:p></text:list-item></text:list>"
        '<text:h text:outline-level="2">Models</text:h><table:table><table:table-row>'
        "<table:table-cell><text:p>Model</text:p></table:table-cell>"
        "<table:table-cell><text:p>Hours</text:p></table:table-cell></table:table-row><table:table-row>"
        "<table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell><text:p>8</text:p></table:table-cell>"
        '</table:table-row></table:table><text:p><text:a xlink:href="https://example.com">More</text:a></text:p>'
    )
    title, text, said = read(tmp_path, "a.odt", odt(body))
    assert (title, said) == ("Care", [])
    assert text.replace("\n\n   ", "\n   ").replace("\n\n2.", "\n2.") == (
        "# Care\n\nWipe & dry it (With a cloth.).\n\n1. Open\n   - wide\n2. Close\n\n## Models\n\n"
        "| Model | Hours |\n| --- | --- |\n| A | 8 |\n\n[More](https://example.com)"
    )


def test_what_of_an_odt_is_not_read_is_named(tmp_path: Path) -> None:
    body = (
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:p>Seen"
        "<office:annotation><text:p>Ask Ann</text:p></office:annotation></text:p>"
        '<drawing:frame><drawing:image xlink:href="p.png"/></drawing:frame>'
        "<drawing:frame><drawing:text-box><text:p>In a box</text:p></drawing:text-box></drawing:frame>"
        "<text:table-of-content><text:p>Care 3</text:p></text:table-of-content>"
    )
    _, text, said = read(tmp_path, "a.odt", odt(body, **{"Basic/macro.xml": "<a/>"}))
    assert text == "Seen\n\nIn a box"
    assert said == ["is read without: 1 remark, 1 picture, 1 table of contents, 1 part with macros."]


RTF = (
    r"{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}\f0 Caf\'e9 care \u8364?\par {\b Wipe} it.\par # No heading\par "
    r"\bullet  one\par \trowd\cellx1000\cellx2000 Model\cell Hours\cell\row "
    r"\trowd\cellx1000\cellx2000 A\cell 8\cell\row End{\pict\pngblip 89504e47}\par}"
)


def test_an_rtf_keeps_its_words_and_tables(tmp_path: Path) -> None:
    assert read(tmp_path, "how-to.rtf", RTF.encode()) == (
        "how to",
        "Café care €\n\nWipe it.\n\n\\# No heading\n\n- one\n\n| Model | Hours |\n| --- | --- |\n| A | 8 |\n\nEnd",
        ["is read without: 1 picture."],
    )


def test_the_chapters_of_an_epub_stand_in_their_order(tmp_path: Path) -> None:
    pages = {
        "b%20x.xhtml": "<html><body><h1>Two</h1><ol><li>Go</li></ol></body></html>",
        "a.xhtml": "<h1>One</h1><p>Open it.</p>",
    }
    assert read(tmp_path, "a.epub", epub(pages, "10")) == (
        "The manual",
        "# One\n\nOpen it.\n\n# Two\n\n1. Go",
        ["is read without: 1 picture."],
    )


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.odt", b"\xd0\xcf\x11\xe0" + b"\0" * 600, "is encrypted or an old .doc"),
        ("a.odt", odt("<text:p>x</text:p>", **{"META-INF/manifest.xml": "<m><encryption-data/></m>"}), "is encrypted"),
        ("a.odt", odt("<text:p>x</text:p>")[:300], "is no whole ODT file"),
        ("a.odt", archive({"x": "y"}), "is no text of OpenDocument"),
        ("a.odt", odt("<text:p>" * 2_000), "is no whole ODT file"),
        (
            "a.odt",
            odt(
                '<table:table-cell table:number-columns-repeated="100"><table:table>' * 60
                + "</table:table></table:table-cell>" * 60
            ),
            "holds no text",
        ),
        (
            "a.odt",
            archive(
                {
                    "content.xml": '<!DOCTYPE a [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>'
                    + f"<office:body {_NAMES}>&c;</office:body>"
                }
            ),
            "holds no text",
        ),
        ("a.rtf", b"<html>words</html>", "is no RTF"),
        ("a.rtf", RTF[:100].encode(), "is no whole RTF file"),
        ("a.rtf", b"{\\rtf1 " + b"{" * 100_000 + b"}", "holds no text"),
        ("a.epub", archive({"x": "y"}), "is no e-book"),
        ("a.epub", epub({"a.xhtml": "<p>x</p>"})[:400], "is no whole EPUB file"),
        (
            "a.epub",
            epub({"a.xhtml": "<p>x</p>"}, **{"META-INF/encryption.xml": '<a URI="in/a.xhtml"/>'}),
            "is locked by",
        ),
        ("a.epub", epub({"a.xhtml": "<p>" + "x" * 9_000_000}), "is nested too deeply or unpacks to too much"),
    ],
)
def test_hostile_files_are_refused(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    _, text, said = read(tmp_path, name, data)
    assert not text
    assert said[0].startswith(reason)


class TestOdt(FormatContract):
    suffix = ".odt"
    examples = (odt("<text:p>Words.</text:p>"),)


class TestRtf(FormatContract):
    suffix = ".rtf"
    examples = (rb"{\rtf1\ansi Words.\par}",)
