"""Markdown and CSV of a hostile knowledge base: nothing in them is active, nothing steers, nothing counts as edited."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

import hand_made_kb
from autokb.exchange.edited_exports import read_csv, read_markdown, same_text
from autokb.exchange.export_kb import checksum, export_kb
from autokb.exchange.import_kb import import_file
from autokb.plugins.lab.evaluation.quality.annotation import read_sheet, sheet
from autokb.plugins.lab.evaluation.report import Table, html_page, picture
from autokb.stores.published import read_published
from autokb.stores.workspace import Workspace, create_workspace

STEERING = "\x1b]52;c;aGk=\x07\x9b2J\u202e\u2066\x7f\x00\x85\x0b\u206a"
HOSTILE = (
    f"{STEERING}<script>alert(1)</script> <img src=x onerror=alert(1)> <!-- end --> [x](javascript:alert(1)) "
    f"![x](data:text/html;base64,eA==) <javascript:x> a < b"
)
MULTILINE = (
    f"{HOSTILE}\n<!-- end -->\n<!-- solution s-rain (displayed) -->\n\n[x]: vbscript:x\n\n"
    "```\n<b>code</b>\n<!-- end -->\n```\n\n<div onclick=x>\n\n"
    "'=1+1\r\nlone\rreturn &lt;b> &amp;lt;!-- \\u{1b} `<Enter>`"
)
NEVER_CLOSED = "\n\n~~~\nnever closed\n<script>"


@pytest.fixture
def hostile(tmp_path: Path) -> Workspace:
    """Import a knowledge base whose every text is hostile."""
    lines: list[dict[str, Any]] = hand_made_kb.lines()
    for line in lines:
        if line["kind"] == "solution":
            line["text"] = f"{line['text']}\n{MULTILINE}{NEVER_CLOSED if line['id'] in ('s-gloves', 's-ios') else ''}"
            line["reason"] = f"={HOSTILE}"
        if line["kind"] == "issue":
            line["text"] = f"=1+1 {line['text']} {HOSTILE} `<b>` \n```"
        if line["kind"] in ("issue", "solution"):
            line["attributes"] = {**line["attributes"], f"x\n\n{HOSTILE}": [f"<svg onload=x>{HOSTILE}"]}
    workspace = create_workspace(tmp_path / "kb", "name: fresh\n")
    assert import_file(workspace, hand_made_kb.write(tmp_path / "kb.jsonl", lines)).skipped == ()
    return workspace


def exported(workspace: Workspace, suffix: str) -> str:
    export_kb(workspace, workspace.folder / f"out{suffix}")
    return (workspace.folder / f"out{suffix}").read_bytes().decode("utf-8")


def check_characters(text: str) -> None:
    steering = {c for c in text if unicodedata.category(c) == "Cc"} - set("\n\t\r")
    assert not steering | set(text) & set("\u202e\u2066\u206a")
    assert "\r" not in text.replace("\r\n", "")


def test_nothing_in_the_markdown_is_active(hostile: Workspace) -> None:
    text = exported(hostile, ".md")
    check_characters(text)
    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    renderer.validateLink = lambda _url: True  # type: ignore[method-assign]
    blocks = [token.content.strip() for token in renderer.parse(text) if token.type == "html_block"]
    with hostile.file() as file:
        texts = {s.id: s.text for s in read_published(file).kb.solutions.values()}
    marks = [f"<!-- solution {s} ({row[-1]}) {checksum(texts[s])} -->" for s, row in hand_made_kb.SOLUTIONS.items()]
    assert sorted(blocks) == sorted([*marks, *["<!-- end -->"] * len(marks)])
    inline = [child.type for token in renderer.parse(text) for child in token.children or ()]
    assert not {"html_inline", "link_open", "image"} & set(inline)
    assert "<b>code</b>" in text and "`<Enter>`" in text and "a < b" in text


@pytest.mark.parametrize("suffix", [".md", ".csv"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_an_export_that_nobody_edited_is_unedited(hostile: Workspace, suffix: str, line_end: str) -> None:
    text = exported(hostile, suffix).replace("\r\n", "\n").replace("\n", line_end)
    (hostile.folder / f"in{suffix}").write_bytes(text.encode())
    done = import_file(hostile, hostile.folder / f"in{suffix}")
    assert (done.taken, done.unchanged) == (0, len(hand_made_kb.SOLUTIONS))
    assert done.skipped == ()
    with hostile.file() as file:
        kb = read_published(file).kb
    read = read_markdown if suffix == ".md" else read_csv
    found = read(text, "x", kb).texts
    assert {i: one.text for i, one in found.items()} == {s.id: same_text(s.text) for s in kb.solutions.values()}
    assert all(one.is_untouched for one in found.values())


def test_an_edit_beside_hostile_text_is_taken_as_it_was_typed(hostile: Workspace) -> None:
    text = exported(hostile, ".md").replace(
        "1. Turn on Location", "1. Choose <Location> or `<GPS>` if a < b; turn on Location"
    )
    (hostile.folder / "in.md").write_bytes(text.encode())
    assert import_file(hostile, hostile.folder / "in.md").taken == 1
    with hostile.file() as file:
        (edited,) = (s for s in read_published(file).kb.solutions.values() if s.id == "s-android")
    assert "Choose <Location> or `<GPS>` if a < b; turn on Location" in edited.text
    assert same_text(MULTILINE) in same_text(edited.text)


def test_nothing_in_the_csv_runs_or_steers(hostile: Workspace) -> None:
    text = exported(hostile, ".csv")
    check_characters(text)
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) == 1 + len(hand_made_kb.SOLUTIONS)
    assert not [cell for row in rows for cell in row if cell.startswith(tuple("=+-@\t\r\n"))]
    texts = [row[rows[0].index("text")] for row in rows[1:]]
    assert sum("\\u{1b}]52" in cell for cell in texts) == len(texts) - 1  # a person has written one anew


def test_ids_that_are_tags_are_no_tags(tmp_path: Path) -> None:
    lines = hand_made_kb.lines()
    for line in lines:
        if line["id"] == "s-noapp":
            line["id"] = "x--> <script>alert(1)</script> `<b>` <https://a/onclick=x>"
    workspace = create_workspace(tmp_path / "kb", "name: fresh\n")
    assert import_file(workspace, hand_made_kb.write(tmp_path / "kb.jsonl", lines)).skipped == ()
    text = exported(workspace, ".md")
    assert "solution x--> &lt;script>" in text
    assert not any(tag in text for tag in ("<script", "<b>", "<https"))


def test_the_sheet_for_annotators_runs_and_steers_nothing_and_can_be_read(hostile: Workspace, tmp_path: Path) -> None:
    with hostile.file() as file:
        kb = read_published(file).kb
    text = sheet(kb.solutions.values(), kb.issues)
    check_characters(text)
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert not [cell for row in rows for cell in row if cell.startswith(tuple("=+-@\t\r\n"))]
    answer = rows[0].index("answer")
    rows[1:] = [[*row[:answer], "yes", *row[answer + 1 :]] for row in rows[1:]]
    with (tmp_path / "sheet.csv").open("w", encoding="utf-8", newline="") as filled:
        csv.writer(filled).writerows(rows)
    assert len(read_sheet(tmp_path / "sheet.csv").items) == sum(
        s.status != "withheld" and s.status != "rejected" for s in kb.solutions.values()
    )


def test_a_report_for_a_browser_holds_no_steering_character() -> None:
    table = Table.of(HOSTILE, {HOSTILE: [json.dumps(HOSTILE)]}, ("b",), HOSTILE, corner=HOSTILE)
    page, bars = html_page(HOSTILE, [table]), picture("bars", title=HOSTILE, bars={HOSTILE: (0.5, 0.4, 0.6)})
    for written in (page, bars):
        check_characters(written)
        assert "alert(1)" in written and "<script" not in written and "<img" not in written
