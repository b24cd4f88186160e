"""Records that a plug-in reads: as documents, issues, tickets and conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import installed_plugins
from autokb.sources import Fields, read_documents, read_issues
from autokb.sources.chats import read_chats
from autokb.sources.tickets import read_tickets

DECLARED = """
from autokb.plugin import Plugin

plugin = Plugin(
    "rec",
    formats={".both": "rec_code:whole"},
    records={".rec": "rec_code:read", ".both": "rec_code:read", ".txt": "rec_code:read", ".csv": "rec_code:read"},
)
"""
CODE = """
from autokb.sources.page import ConvertedFile, ConvertedRecords

def whole(data):
    return ConvertedFile("# Whole\\n\\nWords.", "Whole", left_out=("2 pictures", "a film"))

def read(data, wanted):
    if data == b"none":
        return ConvertedRecords(())
    if data == b"odd":
        return [1]
    if data == b"lists":
        return ConvertedRecords(((1, ["text"]),))
    if data == b"empty":
        return ConvertedRecords(((1, {"id": "1", "text": ""}),))
    if data == b"raises":
        raise RuntimeError("no")
    lines = enumerate(data.decode().split(), 1)
    role = {"role": "customer"} if wanted == "chats" else {}
    return ConvertedRecords(tuple((n, {"id": f"{wanted}-{n}", "text": word, **role}) for n, word in lines), ("1 film",))
"""
IN_PART = ("a.rec, in part", "is read without: 1 film.")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "there"), prepend=":")  # of the processes that convert files
    installed_plugins.write(tmp_path / "there", "rec", {"rec_plugin.py": DECLARED, "rec_code.py": CODE})
    with installed_plugins.on_path(tmp_path / "there"):
        yield


def write(folder: Path, name: str, text: str) -> list[Path]:
    (folder / name).write_text(text, encoding="utf-8")
    return [folder / name]


def test_they_are_what_they_are_added_as_and_what_is_left_out_is_told(tmp_path: Path) -> None:
    paths = write(tmp_path, "a.rec", "one two")
    documents, issues = read_documents(paths), read_issues(paths)
    assert [(one.item.id, one.item.text) for one in documents.records] == [
        ("documents-1", "one"),
        ("documents-2", "two"),
    ]
    assert [(one.item.id, one.item.text) for one in issues.records] == [("issues-1", "one"), ("issues-2", "two")]
    assert [one.item.id for one in read_tickets(paths).records] == ["tickets-1", "tickets-2"]
    (chat,) = (one.item for one in read_chats(paths).records)
    assert [(m.role, m.text) for m in chat.messages] == [("customer", "one"), ("customer", "two")]
    for reading in (documents, issues):
        assert [(one.path, one.reason) for one in reading.skipped] == [IN_PART]


def test_a_file_that_is_also_a_whole_is_records_with_a_named_field_alone(tmp_path: Path) -> None:
    paths = write(tmp_path, "a.both", "one two")
    whole = read_documents(paths)
    assert [(one.item.title, one.item.text) for one in whole.records] == [("Whole", "# Whole\n\nWords.")]
    assert [one.reason for one in whole.skipped] == ["is read without: 2 pictures, a film."]
    assert [one.item.text for one in read_documents(paths, Fields(text="text")).records] == ["one", "two"]


def test_what_we_read_ourselves_stays_ours(tmp_path: Path) -> None:
    assert [one.item.id for one in read_documents(write(tmp_path, "a.txt", "one two")).records] == ["a.txt"]
    assert [one.item.text for one in read_issues(write(tmp_path, "a.txt", "one two")).records] == ["one two"]
    assert [one.item.text for one in read_issues(write(tmp_path, "a.csv", "text\nthree\n")).records] == ["three"]
    assert len(read_chats(write(tmp_path, "a.txt", "one two")).records) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("none", "holds no issues; leave it out or fill it."),
        ("odd", "The plug-in rec: what it reads of .rec files is no ConvertedRecords."),
        ("lists", "The plug-in rec: what it reads of .rec files is no ConvertedRecords."),
        ("empty", "has an empty text (text); fill it, or leave the record out."),
        ("raises", "makes the plug-in rec fail (RuntimeError, rec_code.py:17)"),
    ],
)
def test_what_fails_is_told_and_the_other_files_are_read(tmp_path: Path, text: str, reason: str) -> None:
    found = read_issues([*write(tmp_path, "a.rec", text), *write(tmp_path, "b.rec", "one")])
    assert [one.item.text for one in found.records] == ["one"]
    assert found.skipped[0].path.partition(":")[0] == "a.rec" and found.skipped[0].reason.startswith(reason)
