"""Hostile documents and raw issues: pages, Markdown, wiki, PDF, DOCX, packed files, records, and what is no file."""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import sqlite3
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, closing, contextmanager
from pathlib import Path

from benchmarks.hostile_cases.case import MEGABYTE, Answered, Case, Command, many, write_parts

GOOD = "# Good\n\nHold the button for three seconds to pair the headphones.\n"
GOOD_ISSUE = '{"id": "good", "text": "the headphones do not pair with my phone"}\n'
OSC_52 = "\x1b]52;c;aGk=\x07\x1b[2J\x9b3;3H\u202egnp"  # writes a clipboard, clears the screen, turns the line round
ADD = Command("add {here}/kb {here}/in")
ADD_ISSUES = Command("add {here}/kb {here}/in --as issues")
SMALL = 200_000  # characters of a knowledge base that is built: to embed more is honest work, 2 MB a minute

CASES: list[Case] = []
Make = Callable[[Path], object]


def _good_is_taken(here: Path, _answered: Sequence[Answered]) -> str:
    with closing(sqlite3.connect(here / "kb" / "knowledge.db")) as db:
        found = {i for (i,) in db.execute("SELECT id FROM staged")}
    return "" if found & {"good", "good.md"} else "the good file beside it was not taken"


def _use(here: Path, first: Answered) -> tuple[Command, ...]:
    """Build with what was taken where that is little, else only cut it."""
    if int(first.answer.get("added", 0)) < 2:
        return ()
    with closing(sqlite3.connect(here / "kb" / "knowledge.db")) as db:
        size = db.execute("SELECT sum(length(body)) FROM staged").fetchone()[0]
    if size > SMALL:
        return (Command("chunk {here}/in"), Command("sources {here}/kb", on_terminal=True))
    return (Command("build {here}/kb"), Command("show {here}/kb", on_terminal=True))


def document(name: str, make: Make, *, heavy: bool = False, add: Command = ADD) -> None:
    """Add a case: a folder ``in`` with a good document and what ``make`` writes there."""

    def write(here: Path) -> None:
        write_parts(here / "in" / "good.md", GOOD.encode())
        make(here / "in")

    CASES.append(
        Case(
            "documents",
            name,
            write,
            (add,),
            "headphones",
            check=_good_is_taken,
            then=_use,
            heavy=heavy,
        )
    )


def issues(name: str, make: Make, *, heavy: bool = False, options: str = "") -> None:
    """Add a case of raw issues, with a good one in a file beside them."""

    def write(here: Path) -> None:
        write_parts(here / "in" / "good.jsonl", GOOD_ISSUE.encode())
        make(here / "in")

    add = Command(f"{ADD_ISSUES.words} {options}")
    CASES.append(Case("documents", name, write, (add,), "headphones", check=_good_is_taken, then=_use, heavy=heavy))


def file(name: str, *parts: bytes | Callable[[], Iterator[bytes]]) -> Make:
    """Return what writes one file; a part that is called is written piece by piece."""

    def make(folder: Path) -> object:
        return write_parts(folder / name, *(part if isinstance(part, bytes) else part() for part in parts))

    return make


def times(piece: bytes, count: int) -> Callable[[], Iterator[bytes]]:
    """Return a part of a file that is repeated."""
    return lambda: iter(many(piece, count))


def numbered(piece: str, count: int) -> Callable[[], Iterator[bytes]]:
    """Return a part of a file that is repeated with a number in it."""
    return lambda: (piece.replace("#N", str(n)).encode() for n in range(count))


# -- HTML -----------------------------------------------------------------------------------------------------

HEAD, TAIL = b"<!doctype html><html><head><title>t</title></head><body><h1>Reset</h1>", b"</body></html>"
PARAGRAPH = b"<p>Press the button until the light is blue, then wait for a tone.</p>\n"


def page(name: str, *parts: bytes | Callable[[], Iterator[bytes]], heavy: bool = False) -> None:
    """Add a case of one web page."""
    document(f"html: {name}", file("page.html", HEAD, PARAGRAPH, *parts, TAIL), heavy=heavy)


page("100,000 nested divs", times(b"<div>", 100_000), b"deep", times(b"</div>", 100_000))
page("1.3 MB of attributes on one element", b"<p ", numbered("a#N=b ", 110_000), b">x</p>")
page("an attribute of 1 MB", b'<p title="', times(b"x", MEGABYTE), b'">x</p>')
page("200,000 entities", b"<p>", times(b"&amp;&#x1F600;&bogus;&#9999999999;", 50_000), b"</p>")
page("100,000 comments", times(b"<!-- c -->x ", 100_000))
page("200,000 comments that are never closed", times(b"<!-- c ", 200_000))
page("a table of 400,000 cells", b"<table>", times(b"<tr>" + b"<td>a</td>" * 20 + b"</tr>", 20_000), b"</table>")
page("cells that span a million", b"<table>", times(b"<tr><td colspan=1000000 rowspan=1000000>a</td></tr>", 200))
page("5,000 nested tables", times(b"<table><tr><td>", 5_000), b"x")
page("300,000 tags that are never closed", times(b"<b><i><p>word ", 100_000))
page("20,000 misnested tags", times(b"<b><p><a href=x>", 7_000), times(b"</b></p></a>", 7_000))
page("a million opening brackets", times(b"<", MEGABYTE))
page("50 MB of paragraphs", times(PARAGRAPH, 50 * MEGABYTE // len(PARAGRAPH)), heavy=True)
page("150 MB of paragraphs", times(PARAGRAPH, 150 * MEGABYTE // len(PARAGRAPH)), heavy=True)
page("NUL characters", b"<p>be\0fore and\0 after</p>")
page("Latin-1 inside UTF-8", "<p>Knöpfe</p>".encode(), "<p>Knöpfe drücken</p>".encode("latin-1"))
page("control characters", f"<p title='{OSC_52}'>{OSC_52}</p><title>{OSC_52}</title>".encode())
page(
    "a refresh and a base elsewhere",
    b"<meta http-equiv=refresh content='0;url=http://h.example'><base href='javascript:1'>",
)
page(
    "frames and scripts", b"<iframe src='file:///etc/passwd'></iframe><script>", times(b"x=1;", MEGABYTE), b"</script>"
)
page("an image of 8 MB in base64", b"<img src='data:image/png;base64,", times(b"QUFB", 2 * MEGABYTE), b"'>")
page("200,000 links", times(b"<a href='javascript:x'>go</a> ", 200_000))
page("25,000 nested lists", times(b"<ul><li>x", 25_000))
page("a word of 4 MB", b"<p>", times(b"x", 4 * MEGABYTE), b"</p>")
page("50,000 nested drawings", times(b"<svg><math><![CDATA[", 50_000))
page("a page of 4.5 MB", times(PARAGRAPH, 4_500_000 // len(PARAGRAPH)), heavy=True)
document("html: declared as UTF-7", file("p.html", b"<html><meta charset=utf-7><p>+ADw-script+AD4- words here</p>"))
document("html: UTF-16 without a mark", file("p.html", (HEAD + PARAGRAPH + TAIL).decode().encode("utf-16-le")))
document("html: UTF-16 cut in a character", file("p.html", (HEAD + PARAGRAPH).decode().encode("utf-16")[:-1]))
document("html: UTF-32", file("p.html", (HEAD + PARAGRAPH + TAIL).decode().encode("utf-32")))
document("html: three byte order marks", file("p.html", b"\xef\xbb\xbf" * 3 + HEAD + PARAGRAPH))
ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(10)).encode()
document("html: XML entities that grow", file("p.xhtml", b"<!DOCTYPE html [", ENTITIES, b"]><html><p>&e9;</p></html>"))


# -- Markdown and wiki ----------------------------------------------------------------------------------------


def text(name: str, *parts: bytes | Callable[[], Iterator[bytes]], suffix: str = "md", heavy: bool = False) -> None:
    """Add a case of one Markdown or wiki file."""
    kind = "wiki" if suffix == "wiki" else "markdown"
    document(f"{kind}: {name}", file(f"text.{suffix}", *parts), heavy=heavy)


text("a line of 50 MB", times(b"word ", 10 * MEGABYTE), heavy=True)
text("a line of 4.9 MB", times(b"button ", 700_000), heavy=True)
text("a word of 4.9 MB", times(b"x", 4_900_000), heavy=True)
text("4 million line ends", b"a", times(b"\n", 4 * MEGABYTE), b"b")
text("a million sentences", times(b"a. ", MEGABYTE), heavy=True)
text("2 million full stops", times(b".", 2 * MEGABYTE))
text("100,000 nested quotes", times(b">", 100_000), b" x")
text("50,000 nested lists in a line", times(b"- ", 50_000), b"x")
text("1,500 nested lists", lambda: (b" " * (2 * n) + b"- x\n" for n in range(1_500)))
text("300,000 links begun", times(b"[a](", 300_000))
text("a million brackets", times(b"[", MEGABYTE))
text("300,000 images begun", times(b"![", 300_000), times(b"](", 300_000))
text("emphasis never closed", times(b"*a **b _c ", 200_000))
text("backticks of 1,500 lengths", lambda: (b"`" * n + b"a " for n in range(1, 1_500)))
text(
    "a table of 10,000 columns",
    times(b"|a", 10_000),
    b"|\n",
    times(b"|-", 10_000),
    b"|\n",
    times(b"|x" * 10_000 + b"|\n", 20),
)
text("a table of 50,000 rows", b"|a|b|\n|-|-|\n", times(b"|x|y|\n", 50_000))
text("a fence never closed", b"```\n", times(b"code line\n", 400_000), heavy=True)
text("20,000 fences", times(b"```\nx\n\n", 20_000))
text("50,000 headings", numbered("# Heading #N\n\ntext\n\n", 50_000), heavy=True)
text("a heading of 1 MB", b"# ", times(b"word ", 200_000), b"\n\ntext\n")
text("100,000 HTML comments begun", times(b"<!-- ", 100_000))
text("50,000 references", numbered("[r#N]: http://h.example/#N\n", 50_000), b"[r1]")
text(
    "front matter with aliases",
    b"---\na: &a [x,x,x,x,x,x,x,x,x]\n",
    numbered("b#N: &b [*a,*a,*a,*a,*a,*a]\n", 9),
    b"---\n# T\n\ntext\n",
)
text("control characters", f"# {OSC_52}\n\nPress {OSC_52} the button.\n".encode())
text("accents upon accents", b"# A\n\nx", times("\u0301".encode(), 300_000))
text("random bytes", lambda: (zlib.compress(bytes([n])) * 50 for n in range(200)))
text("200,000 nested templates", times(b"{{a|", 200_000), suffix="wiki")
text("50,000 nested tables", times(b"{|\n|\n", 50_000), suffix="wiki")
text("300,000 links begun", times(b"[[a|", 300_000), suffix="wiki")
text("a million apostrophes", times(b"'", MEGABYTE), suffix="wiki")
text("a million equals signs", times(b"= ", MEGABYTE // 2), suffix="wiki")
text("200,000 braces and macros", times(b"{for a}{note}{", 70_000), suffix="wiki")
text("lists 20,000 deep", lambda: (b"*" * n + b" x\n" for n in range(1, 2_000)), suffix="wiki")


# -- PDF, DOCX and packed files -------------------------------------------------------------------------------

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r" Target="word/document.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>'
)
WORDS = "<w:p><w:r><w:t>Press the button.</w:t></w:r></w:p>"


def docx(name: str, *parts: str | tuple[str, int], before: str = "", extra: int = 0, heavy: bool = False) -> None:
    """Add a case of a Word document; a pair is a part of its body that is repeated."""

    def make(folder: Path) -> None:
        with zipfile.ZipFile(folder / "file.docx", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", TYPES)
            archive.writestr("_rels/.rels", RELATIONS)
            with archive.open("word/document.xml", "w", force_zip64=True) as inside:
                inside.write(f'<?xml version="1.0"?>{before}<w:document {W}><w:body>'.encode())
                for part in parts:
                    piece, count = (part, 1) if isinstance(part, str) else part
                    inside.writelines(many(piece.encode(), count))
                inside.write(b"</w:body></w:document>")
            for n in range(extra):
                archive.writestr(f"word/media/{n}", "")

    document(f"docx: {name}", make, heavy=heavy)


docx("90 MB of white space", WORDS, (" ", 90 * MEGABYTE), heavy=True)
docx("60 MB of empty paragraphs", WORDS, ("<w:p/>", 10 * MEGABYTE), heavy=True)
docx("300 MB", WORDS, (" ", 300 * MEGABYTE), heavy=True)
docx("20,000 parts", WORDS, extra=20_000)
docx("entities that grow", "<w:p><w:r><w:t>&e9;</w:t></w:r></w:p>", before=f"<!DOCTYPE x [{ENTITIES.decode()}]>")
docx(
    "an entity from a file",
    "<w:p><w:r><w:t>&f;</w:t></w:r></w:p>",
    before='<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>',
)
docx("20,000 nested tables", ("<w:tbl><w:tr><w:tc>", 20_000), WORDS, ("</w:tc></w:tr></w:tbl>", 20_000))
docx(
    "a table of 100,000 cells",
    "<w:tbl>",
    ("<w:tr>" + f"<w:tc>{WORDS}</w:tc>" * 10 + "</w:tr>", 10_000),
    "</w:tbl>",
    heavy=True,
)


def _torn_docx(folder: Path) -> None:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("word/document.xml", f"<w:document {W}><w:body>{WORDS}</w:body></w:document>")
    (folder / "torn.docx").write_bytes(memory.getvalue()[:-30])


document("docx: torn", _torn_docx)
document("docx: encrypted", file("locked.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", bytes(4096)))
document("docx: its first bytes and noise", file("noise.docx", b"PK\x03\x04", times(b"\x9d\x01\xfe", 20_000)))


def pdf(objects: Sequence[bytes], trailer: bytes = b"<< /Root 1 0 R >>") -> bytes:
    """Return a PDF of these objects; a reader finds them without a table of their places."""
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, found) for n, found in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer\n" + trailer + b"\nstartxref\n0\n%%EOF\n"


CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
FONT = b"<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"


def _page_object(contents: bytes = b"4 0 R") -> bytes:
    return b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %s /Resources %s >>" % (contents, FONT)


def _stream(data: bytes, size: int | None = None) -> bytes:
    packed = zlib.compress(data, 9)
    length = len(packed) if size is None else size
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (length, packed)


SHOW = b"BT /F 12 Tf 50 700 Td (Press the button.) Tj ET\n"
ONE_PAGE = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"


def _bomb_pdf(folder: Path) -> None:
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(SHOW * 1_000) for _ in range(2_000)) + packer.flush()
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)
    (folder / "bomb.pdf").write_bytes(pdf([CATALOG, ONE_PAGE, _page_object(), stream]))


def _many_pages(folder: Path) -> None:
    kids = b" ".join(b"3 0 R" for _ in range(10_000))
    pages = b"<< /Type /Pages /Kids [%s] /Count 10000 >>" % kids
    (folder / "pages.pdf").write_bytes(pdf([CATALOG, pages, _page_object(), _stream(SHOW)]))


def _many_real_pages(folder: Path) -> None:
    objects = [CATALOG, b"", FONT, _stream(SHOW)]
    objects += [_page_object() for _ in range(10_000)]
    kids = b" ".join(b"%d 0 R" % n for n in range(5, 10_005))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count 10000 >>" % kids
    (folder / "pages.pdf").write_bytes(pdf(objects))


CIRCLE = b"<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Count 3 /Parent 2 0 R >>"
SELF = b"<< /Length 4 0 R /Filter [4 0 R] >>\nstream\nx\nendstream"
LOCK = b"<< /Root 1 0 R /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >> /ID [<00> <00>] >>" % (
    b"11" * 32,
    b"22" * 32,
)
document("pdf: its first bytes and noise", file("noise.pdf", b"%PDF-1.7\n", times(b"\x9d\x01\xfe obj <<", 50_000)))
document("pdf: torn", file("torn.pdf", pdf([CATALOG, ONE_PAGE, _page_object(), _stream(SHOW)])[:-180]))
document("pdf: encrypted", file("locked.pdf", pdf([CATALOG, ONE_PAGE, _page_object(), _stream(SHOW)], LOCK)))
document("pdf: one page named 10,000 times", _many_pages, heavy=True)
document("pdf: 10,000 pages", _many_real_pages, heavy=True)
document("pdf: pages in a circle", file("circle.pdf", pdf([CATALOG, CIRCLE, _page_object(), _stream(SHOW)])))
document("pdf: a stream that refers to itself", file("self.pdf", pdf([CATALOG, ONE_PAGE, _page_object(), SELF])))
document("pdf: 100 MB packed into a page", _bomb_pdf, heavy=True)
document("pdf: wrong lengths", file("long.pdf", pdf([CATALOG, ONE_PAGE, _page_object(), _stream(SHOW, 10**12)])))
document(
    "pdf: 50,000 nested lists",
    file("deep.pdf", b"%PDF-1.4\n1 0 obj\n", times(b"[", 50_000), b"\nendobj\ntrailer\n<< /Root 1 0 R >>\n"),
)


def _packed_zeros(folder: Path) -> None:
    with gzip.open(folder / "zeros.md.gz", "wb", compresslevel=9) as packed:
        packed.writelines(many(b"\0" * 65_536, 16_384))


def _packed_twice(folder: Path) -> None:
    with gzip.open(folder / "twice.md.gz.gz", "wb") as outer, gzip.open(outer, "wb") as inner:
        inner.writelines(many(b"\0" * 65_536, 16_384))


document("gzip: 1 GB of zeros", _packed_zeros, heavy=True)
document("gzip: packed twice", _packed_twice, heavy=True)
document("gzip: torn", file("torn.md.gz", gzip.compress(GOOD.encode())[:-9]))
document("gzip: none", file("none.md.gz", b"\x1f\x8bno", times(b"\xff", 1_000)))


# -- records --------------------------------------------------------------------------------------------------

NUMBER = b"9" * 5_000
ODD_LINES = {
    "huge numbers": b'{"id": %s, "text": "a"}\n{"id": 1e999, "text": 1e999}\n{"id": -%s, "text": %s}\n'
    % ((NUMBER,) * 3),
    "NaN and Infinity": b'{"id": NaN, "text": "a"}\n{"id": Infinity, "text": NaN, "date": -Infinity}\n',
    "halves of characters": b'{"id": "\\ud83d", "text": "a \\ud83d b", "title": "\\udc00"}\n',
    "doubled names": b'{"id": "a", "id": "b", "text": "one", "text": "two"}\n',
    "no line end and NUL": b'{"id": "a\\u0000", "text": "a\\u0000b"}\n{"id": "c", "text": "no end"}',
    "values of other kinds": b'{"id": [1], "text": {"a": 1}}\n{"id": {}, "text": [[]]}\n'
    b'{"id": true, "text": null}\n7\n"t"\n[]\nnull\n',
    "control characters": json.dumps(
        {"id": OSC_52, "text": OSC_52, "title": OSC_52, "url": OSC_52, "date": OSC_52}
    ).encode()
    + b"\n",
    "torn lines": b'{"id": "a", "text": "one"}\n{"id": "b", "te\n"}\n\x00\x01\xff\n{"id": "c", "text": "two"}\n',
    "a line 100,000 deep": b'{"id": "d", "text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
}
for _name, _lines in ODD_LINES.items():
    document(f"jsonl: {_name}", file("records.jsonl", _lines))
    issues(f"issues, jsonl: {_name}", file("records.jsonl", _lines))
DEEP = times(b'{"a":[', 100_000)
document("json: 100,000 deep", file("deep.json", DEEP))
document("json: 30 MB of brackets", file("brackets.json", b"[", times(b"[],", 10 * MEGABYTE), b"[]]"), heavy=True)
document(
    "json: a text of 40 MB",
    file("long.json", b'{"id": "x", "text": "', times(b"word ", 8 * MEGABYTE), b'"}'),
    heavy=True,
)
document(
    "jsonl: a line of 60 MB",
    file("long.jsonl", b'{"id": "x", "text": "', times(b"word ", 12 * MEGABYTE), b'"}\n'),
    heavy=True,
)
document("jsonl: a million records", file("many.jsonl", numbered('{"id": #N, "text": "t #N"}\n', MEGABYTE)), heavy=True)
document("jsonl: 200,000 records that are none", file("many.jsonl", times(b"[]\n", 200_000)))
document("jsonl: UTF-16", file("wide.jsonl", '{"id": "w", "text": "wide words"}\n'.encode("utf-16")))
TABLE = Command("add {here}/kb {here}/in --text-field text --id-field id")
document(
    "csv: a cell of 20 MB",
    file("cell.csv", b'id,text\n1,"', times(b"word ", 4 * MEGABYTE), b'"\n'),
    add=Command(f"{ADD.words} --text-field text"),
    heavy=True,
)
issues(
    "issues, csv: a cell of 20 MB", file("cell.csv", b'id,text\n1,"', times(b"word ", 4 * MEGABYTE), b'"\n'), heavy=True
)
issues(
    "issues, csv: a million rows",
    file("rows.csv", b"id,text\n", numbered("#N,it does not pair #N\n", MEGABYTE)),
    heavy=True,
)
issues(
    "issues, csv: 50,000 columns",
    file("wide.csv", b"text,", numbered("c#N,", 50_000), b"\n", times(b"x,", 50_000), b"\n"),
)
issues("issues, csv: a quote never closed", file("quote.csv", b'id,text\n1,"never closed\n', times(b"2,x\n", 100_000)))
issues(
    "issues, csv: odd cells",
    file("odd.csv", b"id,text\n", NUMBER, b",a\n1,\x00b\x1b]52;c;aGk=\x07\n,=cmd|calc\n\xff\xfe,x\n"),
)
issues("issues, text: one of 10 MB", file("long.txt", times(b"it does not pair ", 600_000)), heavy=True)
issues(
    "issues, jsonl: one of 10 MB",
    file("long.jsonl", b'{"id": "x", "text": "', times(b"it fails ", 1_200_000), b'"}\n'),
    heavy=True,
)
issues(
    "issues, jsonl: one of 200,000 letters", file("l.jsonl", b'{"id": "x", "text": "', times(b"x", 200_000), b'"}\n')
)
issues(
    "issues, jsonl: 1,000 times the same",
    file("same.jsonl", numbered('{"id": #N, "text": "it does not pair"}\n', 1_000)),
)
issues(
    "issues, jsonl: pages of attributes",
    file("html.jsonl", b'{"id": "h", "text": "<p ', numbered("a#N=b ", 60_000), b'>x</p></p></p></p>"}\n'),
)
issues("issues, html: of a kind that holds none", file("page.html", HEAD, PARAGRAPH))


# -- what is no ordinary file ---------------------------------------------------------------------------------


def _sparse(folder: Path) -> None:
    with (folder / "sparse.md").open("wb") as empty:
        empty.truncate(500 * MEGABYTE)


def _socket(folder: Path) -> None:
    # The path of a socket has 107 characters at most.
    with chdir(folder), socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket.md")


def _links_in_circles(folder: Path) -> None:
    (folder / "up.md").symlink_to(folder)
    (folder / "self.md").symlink_to("self.md")
    (folder / "a.md").symlink_to("b.md")
    (folder / "b.md").symlink_to("a.md")
    (folder / "none.md").symlink_to("nowhere.md")


def _links_out(folder: Path) -> None:
    secret = write_parts(folder.parent / "out" / "secret.md", b"# Secret\n\nsecret words\n")
    (folder / "file.md").symlink_to(secret)
    (folder / "folder").symlink_to(secret.parent)
    (folder / "zero.md").symlink_to("/dev/zero")
    (folder / "null.md").symlink_to("/dev/null")


def _names(folder: Path) -> None:
    names = ["a\nb.md", f"{OSC_52.replace('/', '')}.md", "x" * 252 + ".md", "[red]b.md", "-rf.md", "$(id).md", " .md"]
    for n, name in enumerate(names):
        (folder / name).write_text(f"# T{n}\n\nwords {n}\n", encoding="utf-8")
    (Path(os.fsdecode(os.fsencode(folder) + b"/half\xff\xfe.md"))).write_text("# T\n\nwords\n", encoding="utf-8")


def _deep_folders(folder: Path) -> None:
    with chdir(folder):  # longer than a path may be
        for _ in range(300):
            Path("d" * 100).mkdir()
            os.chdir("d" * 100)


def _many_folders(folder: Path) -> None:
    for n in range(3_000):
        (folder / f"d{n}").mkdir()


def _forbidden(folder: Path) -> None:
    (folder / "locked.md").write_text("# T\n\nwords\n", encoding="utf-8")
    (folder / "locked.md").chmod(0)
    (folder / "closed").mkdir(mode=0)


def _clock(folder: Path) -> None:
    for name, seconds in (("past", -(2**31)), ("future", 2**33)):
        path = write_parts(folder / f"{name}.md", b"# T\n\nwords " + name.encode())
        os.utime(path, (seconds, seconds))


def _disguised(folder: Path) -> None:
    write_parts(folder / "program.md", b"\x7fELF", os.urandom(50_000))
    write_parts(folder / "image.html", b"\x89PNG\r\n\x1a\n", os.urandom(50_000))
    write_parts(folder / "pdf.md", pdf([CATALOG]), os.urandom(5_000))
    write_parts(folder / "page.pdf", HEAD, PARAGRAPH)
    write_parts(folder / "nosuffix", b"PK\x03\x04", os.urandom(5_000))
    write_parts(folder / "program.exe", b"MZ")


def _empty(folder: Path) -> None:
    for name in ("a.md", "b.html", "c.pdf", "d.docx", "e.jsonl", "f.csv", "g.md.gz", "h.json", "i.txt", "j.wiki"):
        write_parts(folder / name, b"")
        write_parts(folder / f"blank-{name}", b" \n\t\n ")


def _rewriting(here: Path) -> Iterator[None]:
    path, done = here / "in" / "busy.md", threading.Event()

    def rewrite() -> None:
        while not done.is_set():
            with path.open("wb") as file:
                for n in range(200):
                    if done.is_set():
                        return
                    file.write(b"part %d of the text\n" % n)
                    file.flush()
                    done.wait(0.01)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        yield
    finally:
        done.set()
        writer.join()


document("files: 500 MB without content", _sparse, heavy=True)
document("files: a pipe", lambda folder: os.mkfifo(folder / "pipe.md"))
document("files: a socket", _socket)
document("files: a folder named x.md", lambda folder: (folder / "x.md").mkdir())
document("files: links in circles", _links_in_circles)
document("files: links out of the folder", _links_out)
document("files: links out, followed", _links_out, add=Command(f"{ADD.words} --follow-links"))
document("files: names nobody can type", _names)
document("files: 300 folders deep", _deep_folders)
document("files: 3,000 empty folders", _many_folders)
document("files: dates before and after all time", _clock)
document("files: other things inside", _disguised)
document("files: empty ones", _empty)
document(
    "files: a pipe by name",
    lambda folder: os.mkfifo(folder / "p.md"),
    add=Command("add {here}/kb {here}/in/good.md {here}/in/p.md"),
)
document(
    "files: a device by name", lambda _folder: None, add=Command("add {here}/kb {here}/in/good.md /dev/zero /dev/null")
)
CASES.append(
    Case(
        "documents",
        "files: one that is rewritten all the time",
        lambda here: write_parts(here / "in" / "good.md", GOOD.encode()),
        (ADD,),
        "headphones",
        check=_good_is_taken,
        meanwhile=contextmanager(_rewriting),
    )
)


def _forbidden_to_nobody(here: Path) -> None:
    write_parts(here / "in" / "good.md", GOOD.encode())
    _forbidden(here / "in")
    for path in (here, here / "kb", here / "in", *(here / "kb").iterdir()):
        path.chmod(0o777 if path.is_dir() else 0o666)


CASES.append(
    Case(
        "documents",
        "files: without permission",
        _forbidden_to_nobody,
        (Command(ADD.words, as_nobody=True),),
        "headphones",
        check=_good_is_taken,
    )
)
