from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from autokb.core.errors import BadInputError
from autokb.sources import Fields, Reading, read_documents
from autokb.sources.decoding import MAX_FILE_BYTES
from work_count import python_lines

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
THUNDERBIRD = DATA / "A_troubleshooting" / "thunderbird"


def reasons(reading: Reading) -> dict[str, str]:
    return {s.path: s.reason for s in reading.skipped}


def ids(reading: Reading) -> list[str]:
    return [r.item.id for r in reading.records]


def test_a_folder_is_read_sorted_without_hidden_files_and_ids_are_relative_paths(tmp_path: Path) -> None:
    for name in ("b/two.md", "a.txt", ".git/x.md", "b/.hidden.md", "~$c.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n")
    (tmp_path / "c.html.gz").write_bytes(gzip.compress(b"<h1>C</h1><p>text</p>", mtime=0))
    reading = read_documents([tmp_path], Fields())
    assert ids(reading) == ["a.txt", "c.html", "b/two.md"]
    assert reading.records[1].relative == "c.html.gz" and reading.records[1].item.title == "C"
    assert set(reading.present) == {(str(tmp_path), n) for n in ("a.txt", "c.html.gz", "b/two.md")}
    assert reading == read_documents([tmp_path], Fields())


def test_a_file_alone_has_its_name_as_id_and_counts_once(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "a.md"
    path.write_text("# A\n")
    assert ids(read_documents([path], Fields())) == ["a.md"]
    assert ids(read_documents([tmp_path, path], Fields())) == ["sub/a.md"]


def test_the_markdown_of_a_markdown_file_is_the_file_itself(tmp_path: Path) -> None:
    text = "---\ntitle: From the front\n---\r\n# A  \n\n<b>x</b> \\* {for win}y{/for}\t\n\n\n"
    (tmp_path / "a.md").write_bytes(text.encode())
    (record,) = read_documents([tmp_path], Fields()).records
    assert record.item.text == text and record.item.title == "From the front"


def test_text_in_other_encodings(tmp_path: Path) -> None:
    text = "Die Kopfhörer lassen sich nicht über Bluetooth koppeln. Überprüfen Sie bitte die Größe.\r\n"
    (tmp_path / "latin.txt").write_bytes(text.encode("latin-1") * 5)
    (tmp_path / "sixteen.txt").write_bytes(text.encode("utf-16"))
    (tmp_path / "page.html").write_bytes(f'<meta charset="iso-8859-1"><p>{text}</p>'.encode("latin-1"))
    reading = read_documents([tmp_path], Fields())
    assert ids(reading) == ["latin.txt", "page.html", "sixteen.txt"]
    assert all("über" in r.item.text and "Größe" in r.item.text and "\r" not in r.item.text for r in reading.records)


def bad_files(folder: Path) -> dict[str, str]:
    """Write one file of each kind that cannot be read; return a word of the reason for each."""
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * (MAX_FILE_BYTES + 1))
    contents: dict[str, tuple[bytes, str]] = {
        "empty.md": (b"", "empty"),
        "blank.txt": (b" \n\n", "empty"),
        "binary.md": (bytes(range(256)) * 9, "binary"),
        "noise.txt": (bytes(range(128, 256)) * 3, "encoding"),
        "broken.pdf": (b"%PDF-1.4\ngarbage" * 9, "broken PDF"),
        "no.pdf": (b"hello", "not a PDF"),
        "broken.docx": (b"PK\x03\x04garbage", "DOCX"),
        "old.docx": (b"\xd0\xcf\x11\xe0" + b"x" * 99, "encrypted"),
        "bomb.docx": (bomb.getvalue(), "unpacks"),
        "bomb.html.gz": (gzip.compress(b"a" * (MAX_FILE_BYTES + 1)), "unpacks"),
        "torn.md.gz": (gzip.compress(os.urandom(2000))[:-20], "gzip"),
        "deep.html": (b"<div>" * 50_000 + b"x", "nests"),
        "picture.png": (b"\x89PNG", "file type"),
        "records.json": (b"{", "JSON"),
    }
    for name, (content, _) in contents.items():
        (folder / name).write_bytes(content)
    with (folder / "huge.txt").open("wb") as stream:
        stream.truncate(500 * 1024 * 1024)
    return {name: word for name, (_, word) in contents.items()} | {"huge.txt": "larger than 100 MB"}


def test_a_bad_file_is_one_line_with_its_reason_and_the_others_go_on(tmp_path: Path) -> None:
    words = bad_files(tmp_path)
    (tmp_path / "good.md").write_text("# Good\n")
    reading = read_documents([tmp_path], Fields())
    assert ids(reading) == ["good.md"]
    found = reasons(reading)
    assert set(found) == set(words) and len(reading.skipped) == len(words)
    assert {name: word for name, word in words.items() if word not in found[name]} == {}
    assert {relative for _, relative in reading.present} == {*words, "good.md"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
def test_links_that_loop_or_lead_nowhere_and_pipes(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_text("# A\n")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "sub")
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "gone.md").symlink_to("nowhere.md")
    os.mkfifo(tmp_path / "pipe.md")
    reading = read_documents([tmp_path], Fields())
    assert ids(reading) == ["sub/a.md"]
    assert set(reasons(reading)) == {"sub/up", "again", "self", "gone.md", "pipe.md"}


def test_a_path_that_does_not_exist_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="does not exist"):
        read_documents([tmp_path / "nowhere"], Fields())


def test_two_folders_with_different_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder, text in (("one", "# A\n"), ("two", "# B\n"), ("three", "# A\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text(text)
    same = read_documents([tmp_path / "one", tmp_path / "three"], Fields())
    assert ids(same) == ["a.md"] and same.skipped == ()
    with pytest.raises(BadInputError, match="different content"):
        read_documents([tmp_path / "one", tmp_path / "two"], Fields())


def test_records_ids_titles_and_markup(tmp_path: Path) -> None:
    lines = [
        {
            "slug": "a",
            "id": 1,
            "title": "A",
            "parts": [{"level": 2, "heading": "How", "text": "# press {key A}"}],
            "url": "u",
        },
        {"slug": "b", "parts": "<h1>Bee</h1><p>x</p>"},
        {"id": 3, "parts": "no slug"},
        {"slug": "b", "parts": "twice"},
        {"slug": "c"},
    ]
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    reading = read_documents([path], Fields(text="parts", id="slug"))
    one, two = (r.item for r in reading.records)
    assert (one.id, one.title, one.text, one.url) == ("a", "A", "## How\n\n1. press **A**\n", "u")
    assert (two.id, two.title, two.text) == ("b", "Bee", "# Bee\n\nx\n")
    assert set(reasons(reading)) == {"d.jsonl:3", "d.jsonl:4", "d.jsonl:5"}


def test_records_without_a_named_id_use_their_own_or_their_place(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text('{"id": 7, "text": "seven"}\n{"text": "none"}\n')
    (tmp_path / "one.json").write_text('{"id": 9, "title": "One", "text": "a file of its own"}')
    assert ids(read_documents([tmp_path], Fields())) == ["7", "d.jsonl#2", "one.json"]


def test_the_work_grows_with_the_number_of_files(tmp_path: Path) -> None:
    for count in (40, 400):
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            (folder / f"{number:03}.wiki").write_text(f"= {number} =\n# one\n# two\n")
    few, many = (python_lines(lambda f=tmp_path / n: read_documents([f], Fields())) for n in ("40", "400"))
    assert many < 11 * few


def test_the_real_wiki_articles_keep_every_step() -> None:
    if not THUNDERBIRD.exists():
        pytest.skip("the shared data is not beside this checkout")
    reading = read_documents([THUNDERBIRD / "kb_wiki"], Fields())
    assert len(reading.records) == 97 and reading.skipped == ()
    for record in reading.records:
        text = record.item.text
        assert "[[" not in text and "{button" not in text and "\r" not in text, record.item.id
        for token in MarkdownIt().enable("table").parse(text):
            assert token.type not in ("html_block", "code_block"), (record.item.id, token.content)
    manager = next(r.item.text for r in reading.records if r.item.id.startswith("profile-manager-create"))
    assert "{for mac}\n\n1. If Thunderbird is open" in manager


def test_the_real_articles_as_records() -> None:
    path = THUNDERBIRD / "kb_articles.jsonl"
    if not path.exists():
        pytest.skip("the shared data is not beside this checkout")
    reading = read_documents([path], Fields(text="sections", title="title", id="slug"))
    assert len(reading.records) == 97 and reading.skipped == ()
    assert all(r.item.url.startswith("https://support.mozilla.org/") for r in reading.records)


def test_a_field_that_is_a_web_page_of_its_own_is_read_as_one_and_a_piece_of_html_is_all_text(tmp_path: Path) -> None:
    words = "Hold the button until the light turns blue, then put the speaker beside the phone and wait."
    menu = "<nav><a href='/'>Home</a></nav>"
    bodies = {"page": f"<html><body><p>{words}</p>{menu}</body></html>", "piece": f"<p>{words}</p>{menu}"}
    lines = [json.dumps({"id": name, "text": body}) for name, body in bodies.items()]
    (tmp_path / "records.jsonl").write_text("\n".join(lines), encoding="utf-8")
    found = {record.item.id: record for record in read_documents([tmp_path]).records}
    assert {name: record.item.text for name, record in found.items()} == dict.fromkeys(
        bodies, f"{words}\n\n[Home](/)\n"
    )
    assert "nav" in {mark.kind for mark in found["page"].marks} and found["piece"].marks == ()
