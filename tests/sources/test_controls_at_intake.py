"""What steers a terminal is taken out of documents and issues when they are read, in every format, at its own place."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import docx
import pytest

from autokb.app import SupportKB
from autokb.core.nouns import Document, RawIssue
from autokb.exchange.export_kb import export_kb
from autokb.exchange.import_kb import import_file
from autokb.pipeline.chunk_files import ChunkedDocument, ChunkRequest
from autokb.sources import Fields, read_documents, read_issues
from autokb.stores.workspace import create_workspace

STEERING = "\x1b]52;c;aGk=\x07\x08\x0c\x7f\x85\x9b2J\u202e\u202a\u202c\u2066\u2067\u2068\u2069\u206a"
LEGITIMATE = "می\u200cخواهم שלום \u200f(1)\u200e 👩\u200d👩\u200d👧 ❤️"
BIDIRECTIONAL = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u206a")
# A file with many control characters is binary and not read at all, so there are many words beside them.
TEXT = f"Press{STEERING}the key. {LEGITIMATE} {'Wait until the light is green. ' * 60}".strip()


def strings(item: Document | RawIssue) -> Iterable[str]:
    names = ("id", "title", "text", "url") if isinstance(item, Document) else ("id", "title", "text", "date")
    yield from (str(getattr(item, name)) for name in names)
    yield from getattr(item, "resolved_by", ())


def check(item: Document | RawIssue) -> None:
    for text in strings(item):
        steering = {c for c in text if unicodedata.category(c) == "Cc"} - set("\n\t\r") | set(text) & BIDIRECTIONAL
        assert not steering, (item.id, sorted(map(hex, map(ord, steering))))
    assert item.id.isprintable() and item.id.strip() == item.id != ""
    assert "Press" in item.text and "the key." in item.text
    assert all(part in item.text for part in LEGITIMATE.split())


def write_docx(path: Path) -> None:
    page = docx.Document()
    page.add_heading(f"Title {LEGITIMATE}")
    page.add_paragraph(TEXT.translate(dict.fromkeys(range(32))))  # XML has no C0
    page.save(str(path))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", f"# Title {STEERING}\n\n{TEXT}\n"),
        ("a.txt", f"Title {STEERING}\n\n{TEXT}\n"),
        ("a.wiki", f"= Title {STEERING} =\n\n{TEXT}\n\n[[Link{STEERING}]]"),
        ("a.html", f"<html><title>T{STEERING}</title><body><h1>Title{STEERING}</h1><p>{TEXT}</p></body></html>"),
        ("a.json", json.dumps({"id": f"i{STEERING}1", "title": f"t{STEERING}", "text": TEXT, "url": STEERING})),
        ("a.jsonl", json.dumps({"id": f"i{STEERING}1", "text": f"<html><body><p>{TEXT}</p></body></html>"})),
        ("a.csv", f"id,text\ni{STEERING}1,{TEXT}\n"),
        ("a.docx", ""),
    ],
)
def test_documents_of_every_format(tmp_path: Path, name: str, text: str) -> None:
    if name.endswith(".docx"):
        write_docx(tmp_path / name)
    else:
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    reading = read_documents([tmp_path], Fields(text="text") if name.endswith(".csv") else None)
    (record,) = reading.records
    check(record.item)
    assert all(0 <= mark.start <= mark.end <= len(record.item.text) for mark in record.marks)


@pytest.mark.parametrize("id_field", [None, "number"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.jsonl",
            json.dumps({"number": f"i{STEERING}", "title": f"t{STEERING}", "text": TEXT, "resolved_by": ["b\x1b.md"]}),
        ),
        ("a.json", json.dumps([{"number": f"i{STEERING}", "title": f"t{STEERING}", "text": f"<p>{TEXT}</p><p></p>"}])),
        ("a.csv", f"number,title,text\ni{STEERING},t{STEERING},{TEXT}\n"),
        ("a.tsv", f"number\ttitle\ttext\ni{STEERING}\tt{STEERING}\t{TEXT}\n"),
    ],
)
def test_issues_of_every_format(tmp_path: Path, name: str, text: str, id_field: str | None) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    (record,) = read_issues([tmp_path], Fields(id=id_field)).records
    check(record.item)


def test_issues_that_are_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT.replace("\x0c", ""), encoding="utf-8")  # a form feed ends a line
    (record,) = read_issues([tmp_path]).records
    check(record.item)


def test_one_character_stands_for_one_and_carriage_returns_stay(tmp_path: Path) -> None:
    text = f"# A\r\n\r\n{TEXT}\tkey.\rNext.\r\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8", newline="")
    (record,) = read_documents([tmp_path]).records
    expected = "".join(" " if c in STEERING.replace("]52;c;aGk=", "").replace("2J", "") else c for c in text)
    assert record.item.text == expected
    assert len(record.item.text) == len(text)


@pytest.mark.parametrize("text", [f"# Ordinary\r\n\r\n\tText {LEGITIMATE}\u00ad\u200b\u2028x\n", "plain"])
def test_the_markdown_of_an_ordinary_file_is_the_file_itself(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.md").write_text(text, encoding="utf-8", newline="")
    (record,) = read_documents([tmp_path]).records
    assert record.item.text == text


def test_a_document_of_control_characters_alone_is_no_document(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("\x1b\x1b\x1b", encoding="utf-8")
    reading = read_documents([tmp_path])
    assert reading.records == ()
    assert reading.skipped[0].reason == "holds no text, only control characters; leave it out."


def test_spans_of_chunks_fit_the_markdown(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[2J\u202e.md").write_text(f"# A\n\n{TEXT}\n\n## B\x1b\n\n{TEXT}\n", encoding="utf-8")
    (chunked,) = SupportKB.chunk([tmp_path], ChunkRequest("headings", 4000))
    assert isinstance(chunked, ChunkedDocument)
    found = chunked.as_json(markdown=True)
    assert found["document"] == "a [2J.md" and len(found["chunks"]) > 1
    for chunk in found["chunks"]:
        assert all(found["markdown"][start:end] in chunk["text"] for start, end in chunk["spans"])
    check(chunked.document)


def test_two_names_that_read_alike_are_not_taken_for_one_document(tmp_path: Path) -> None:
    (tmp_path / "a\x1b.md").write_text("# One\n\nText.\n")
    (tmp_path / "a\x07.md").write_text("# Two\n\nText.\n")
    reading = read_documents([tmp_path])
    assert [r.item.id for r in reading.records] == ["a .md"]
    assert "which a\x07.md has already" in reading.skipped[0].reason


def test_a_copy_of_a_hostile_name_in_another_folder_is_the_same_document(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a\x1b.md").write_text("# One\n\nText.\n")
    reading = read_documents([tmp_path / "one", tmp_path / "two"])
    assert [r.item.id for r in reading.records] == ["a .md"] and reading.skipped == ()


def test_what_was_added_under_hostile_names_is_built_exported_and_imported(tmp_path: Path) -> None:
    manuals = tmp_path / "manuals"
    manuals.mkdir()
    name = "pair\x1b]0x\x07\u202e \u202fing\u200f.md"
    (manuals / name).write_text("# Pairing\n\nHold the button for three seconds to pair the robot.\n", encoding="utf-8")
    issues = [{"n": f"i{n}\x1b\n", "text": f"The robot does not pair {n}", "resolved_by": [name]} for n in range(4)]
    (tmp_path / "issues.json").write_text(json.dumps(issues))
    kb = SupportKB.create(tmp_path / "kb", "")
    assert kb.add([manuals]).added == 1
    assert kb.add([tmp_path / "issues.json"], "issues", Fields(id="n", text="text")).added == 4
    built = kb.build()
    assert built.unresolved_links == ()
    export_kb(kb.workspace, tmp_path / "out.jsonl")
    ids = {body["id"] for body in map(json.loads, (tmp_path / "out.jsonl").read_text("utf-8").split("\n")[:-1])}
    assert {"pair ]0x   ing.md", "i0", "i1"} < ids
    copy = create_workspace(tmp_path / "copy", "name: fresh\n")
    assert import_file(copy, tmp_path / "out.jsonl").skipped == ()


def test_a_page_that_calls_its_windows_encoding_latin_1_keeps_its_quotes(tmp_path: Path) -> None:
    page = '<html><head><meta charset="iso-8859-1"></head><body><p>Don’t press “Reset” – wait…</p></body></html>'
    (tmp_path / "a.html").write_bytes(page.encode("cp1252"))
    (record,) = read_documents([tmp_path]).records
    assert "Don’t press “Reset” – wait…" in record.item.text
