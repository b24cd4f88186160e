"""The process that converts: it lives through many files, and what would hang it or eat the memory ends it alone."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import psutil
import pytest

from autokb.core.errors import UnreadableFileError
from autokb.sources import Fields, documents, read_documents, read_issues, subprocess_converter
from autokb.sources.html import html_page, html_to_markdown
from autokb.sources.subprocess_converter import convert_in_subprocess, longest_seconds

PAGE = "<html><body><nav><a href='/'>Home</a></nav><main><h1>Lid</h1><p>Close the lid \ud800.</p></main></body></html>"
# Each name is compared with all before it: in the parser, in our marks and in the extractor.
MANY_ATTRIBUTES = f"<p {' '.join(f'a{n}=x' for n in range(150_000))}>Close the lid.</p>"


@pytest.fixture
def two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page take two seconds of the processor at most."""
    monkeypatch.setattr(subprocess_converter, "LONGEST_PAGE_SECONDS", 2)


def converting() -> set[int]:
    """Return the ids of our processes that convert."""
    return {p.pid for p in psutil.Process().children() if "subprocess_converter" in " ".join(p.cmdline())}


def test_a_page_is_the_same_in_a_process_apart_and_many_share_it() -> None:
    assert convert_in_subprocess("page", PAGE.encode("utf-8", "surrogatepass")) == html_page(PAGE)
    first = converting()
    assert len(first) == 1
    assert convert_in_subprocess("html", b"<p>a <b>b</b></p>") == html_to_markdown("<p>a <b>b</b></p>")
    with pytest.raises(UnreadableFileError, match="nests more than"):
        convert_in_subprocess("page", b"<div>" * 100_000)
    assert converting() == first


@pytest.mark.slow
@pytest.mark.usefixtures("two_seconds")
def test_a_page_over_the_limit_is_skipped_and_the_others_go_on(tmp_path: Path) -> None:
    for name, html in (("a", "<p>One</p>"), ("b", MANY_ATTRIBUTES), ("c", "<p>Two</p>")):
        (tmp_path / f"{name}.html").write_text(html)
    reading = read_documents([tmp_path])
    assert [record.item.text for record in reading.records] == ["One\n", "Two\n"]
    assert [(s.path, s.reason) for s in reading.skipped] == [
        ("b.html", "takes more than 2 seconds to read; save it anew, or split it.")
    ]
    assert len(converting()) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("two_seconds")
@pytest.mark.parametrize("kind", ["documents", "issues"])
def test_a_file_of_many_slow_texts_is_given_up(tmp_path: Path, kind: str) -> None:
    slow = "<p>a</p>" * 5 + MANY_ATTRIBUTES
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps({"text": t}) + "\n" for t in ("<p>One</p>", *[slow] * 4)))
    reading = read_documents([path]) if kind == "documents" else read_issues([path])
    assert reading.records == () and [(s.path, s.reason) for s in reading.skipped] == [
        ("records.jsonl", documents.MANY_ARE_SLOW)
    ]


def test_a_process_that_died_is_one_failure_and_the_next_file_gets_another() -> None:
    assert convert_in_subprocess("html", b"<p>a</p>").text == "a\n"
    (process,) = converting()
    os.kill(process, signal.SIGTERM)
    with pytest.raises(UnreadableFileError, match="makes the HTML reader fail"):
        convert_in_subprocess("html", b"<p>a</p>")
    assert convert_in_subprocess("html", b"<p>a</p>").text == "a\n"
    assert converting().isdisjoint({process})


def test_a_small_file_gets_less_time_than_a_manual() -> None:
    assert longest_seconds("pdf", b"x" * 1_000) == 15
    assert longest_seconds("pdf", b"x" * 800_000) == 115
    assert longest_seconds("docx", b"x" * 80_000_000) == 300
    assert longest_seconds("page", b"x" * 9_000_000) == longest_seconds("html", b"x") == 10


# What each is read to, or a word of the reason; all of it within the limits, and in the time of one page.
HOSTILE = {
    "one_attribute": ("<p title='" + "x" * 1_000_000 + "'>word</p>", "word\n"),
    "entities": ("&amp;" * 200_000, "&" * 200_000 + "\n"),
    "entity_bomb": (
        "<!DOCTYPE d [" + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)) + "]><p>&a11;</p>",
        "&a11;\n",
    ),
    "comments": ("<!-- x -->" * 100_000 + "<p>word</p>", "word\n"),
    "open_comment": ("<p>word</p>" + "<!--" * 500_000, "word\n"),
    "cdata": ("<![CDATA[x]]>" * 100_000 + "<p>word</p>", "word\n"),
    "deep": ("<div>" * 100_000, "nests more than"),
    "spans": ("<table><tr><td colspan=100000000 rowspan=100000000>word</table>", "word"),
    "one_word": ("<p>" + "x" * 3_000_000, "x" * 3_000_000 + "\n"),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_pages_are_bounded(name: str) -> None:
    html, wanted = HOSTILE[name]
    try:
        found = convert_in_subprocess("page", html.encode()).text
    except UnreadableFileError as error:
        found = str(error)
    assert wanted in found if len(wanted) < 20 else wanted == found


def test_titles_and_ids_have_a_length(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    records = [{"id": "1", "title": "t" * 5_000, "text": "One"}, {"id": "i" * 5_000, "text": "Two"}]
    path.write_text("\n".join(map(json.dumps, records)))
    reading = read_documents([path], Fields())
    (record,) = reading.records
    assert record.item.title == "t" * 1_000 + " […]"
    assert [s.path for s in reading.skipped] == ["a.jsonl:2"] and "has an id of 5,000 characters" in str(
        reading.skipped
    )
