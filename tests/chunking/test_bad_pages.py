"""Pages that nobody wrote for people: each gives chunks or one line that says why not, and none of them hangs."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

HANGS = 120  # seconds; a guard, no promise: what goes on for longer would go on for ever
SENTENCE = "The part turns left and then right, which is known to all who saw it. "

CUT = {
    "no_headings.html": "".join(f"<p>{SENTENCE}{n}</p>" for n in range(2_000)),
    "table.html": f"<table>{'<tr><td>part</td><td>value of it</td></tr>' * 4_000}</table>",
    "right_to_left.html": f"<h1>دليل المستخدم</h1><p>{'اضغط على الزر ثم انتظر حتى يضيء المصباح. ' * 200}</p>",
    "chinese.html": f"<h1>用户手册</h1><p>{'按下按钮，然后等待指示灯亮起。' * 500}</p>",
    "unclosed.html": f"<h1>Seal<p><b>{SENTENCE * 3}<td><ul><li>one<li><i>two</b></p></ul></h2>" * 20,
    "one_paragraph.html": f"<p>{SENTENCE * 14_300}</p>",
    "one_word.html": f"<p>{'x' * 1_000_000}</p>",
    "deep_lists.html": "<ul><li>step" * 240,
    "brackets.html": f"<p>{'[' * 100_000}</p>",
    "links.html": "".join(f'<a href="/page/{n}">link {n}</a> ' for n in range(20_000)),
    "quotes.md": ">" * 5_000 + " word\n",
    "targets.md": "[a\n" * 20_000,
    "pictures.md": "[ " + "![lid](lid.png) " * 500 + SENTENCE,
    "address.md": f"{SENTENCE}[lid](" + "x" * 100_000,
}
REFUSED = {
    "nested.html": ("<div>" * 100_000 + "deep", "nests more than 500 elements into each other; flatten it."),
    "scripts.html": (
        "<script>var a = '<p>text</p>';</script><style>p {}</style>" * 1_000,
        "holds no text; leave it out, or save the page as it looks in a browser.",
    ),
    "no_text.html": (
        "<html><body></body></html>",
        "holds no text; leave it out, or save the page as it looks in a browser.",
    ),
    "no_bytes.html": ("", "is empty; leave it out or fill it."),
}
LONG = "fifty_megabytes.html"
PAGE = f"<h2>Part</h2><p>{SENTENCE}</p>"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Cut all of them in one run of the command line."""
    folder = tmp_path_factory.mktemp("pages")
    for name, text in [*CUT.items(), *((name, text) for name, (text, _) in REFUSED.items())]:
        (folder / name).write_text(text, encoding="utf-8")
    (folder / LONG).write_text(PAGE * (50_000_000 // len(PAGE)), encoding="utf-8")
    command = [sys.executable, "-m", "autokb.cli", "chunk", str(folder), "--json", "--markdown"]
    done = subprocess.run(command, capture_output=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stderr.decode()
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("name", sorted(CUT))
def test_a_bad_page_is_cut_without_loss(found: dict[str, Any], name: str) -> None:
    (page,) = (document for document in found["documents"] if document["document"] == name)
    text = page["markdown"]
    spans = [span for part in (*page["chunks"], *page["noise"]) for span in part["spans"]]
    covered = sum(len("".join(text[start:end].split())) for start, end in spans)
    assert covered == len("".join(text.split())) > 0
    assert all(len(chunk["text"]) <= 2048 for chunk in page["chunks"])


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_page_that_cannot_be_read_says_why(found: dict[str, Any], name: str) -> None:
    assert [f["reason"] for f in found["failures"] if f["path"] == name] == [REFUSED[name][1]]


def test_a_page_of_fifty_megabytes_is_refused_with_advice(found: dict[str, Any]) -> None:
    (reason,) = [failure["reason"] for failure in found["failures"] if failure["path"] == LONG]
    assert (
        reason
        == f"has {len(PAGE) * (50_000_000 // len(PAGE)):,} characters, and 10,000,000 can be read at most; split it."
    )


def test_every_page_is_answered_once(found: dict[str, Any]) -> None:
    answered = [d["document"] for d in found["documents"]] + [f["path"] for f in found["failures"]]
    assert sorted(answered) == sorted([*CUT, *REFUSED, LONG])
