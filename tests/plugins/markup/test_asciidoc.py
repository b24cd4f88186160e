"""AsciiDoc: what readers see, and no markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from autokb.sources import read_documents
from autokb.testing import FormatContract


def read(folder: Path, text: str) -> tuple[str, str, list[str]]:
    """Return title, text and what is said of a file."""
    path = folder / "a.adoc"
    path.write_text(text, encoding="utf-8")
    found = read_documents([path])
    title, markdown = ((one := found.records[0].item).title, one.text.strip()) if found.records else ("", "")
    return title, markdown, [one.reason for one in found.skipped]


def markdown(folder: Path, text: str) -> str:
    return read(folder, text)[1]


def test_the_head_headings_attributes_and_comments(tmp_path: Path) -> None:
    text = (
        "= Pairing guide\n:product: Buds 2\n:toc:\n\n// no\n== Pair the {product}\n\n"
        "Text {not-known} of `{code}` in {doctitle}.\n\n////\nno\n////\n\n=== Deeper\n\nMore +\nlines.\n"
    )
    assert read(tmp_path, text) == (
        "Pairing guide",
        "# Pairing guide\n\n## Pair the Buds 2\n\nText not known of `{code}` in Pairing guide.\n\n"
        "### Deeper\n\nMore  \nlines.",
        ["is read without: 1 attribute without a value."],
    )


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("NOTE: Keep it *open*.", "**Note:** Keep it **open**."),
        ("[WARNING]\n.Hot\n====\nStay away.\n\n* really\n====", "**Warning: Hot.** Stay away.\n\n- really"),
        ("[TIP]\nWipe it.", "**Tip:** Wipe it."),
        ("[CAUTION]\n--\n* hot\n--", "**Caution:**\n\n- hot"),
    ],
)
def test_notes_begin_with_their_kind(tmp_path: Path, written: str, read_as: str) -> None:
    assert markdown(tmp_path, f"{written}\n") == read_as


@pytest.mark.parametrize(
    "tabs",
    [
        "[tabs]\n====\nWindows::\n+\n--\nOpen Settings.\n--\n\nMac::\n+\nOpen the menu.\n====\n",
        "[tabs]\n====\nWindows:: Open Settings.\nMac:: Open the menu.\n====\n",
        "[%collapsible]\n.Windows\n====\nOpen Settings.\n====\n\n.Mac\n[%collapsible]\n====\nOpen the menu.\n====\n",
    ],
)
def test_tabs_are_sections_under_their_label(tmp_path: Path, tabs: str) -> None:
    text = f"= Guide\n\n== Pair\n\n{tabs}\nThen wait.\n\n== Next\n\nGo.\n"
    assert markdown(tmp_path, text) == (
        "# Guide\n\n## Pair\n\n### Windows\n\nOpen Settings.\n\n### Mac\n\nOpen the menu.\n\n## Pair\n\nThen wait.\n\n"
        "## Next\n\nGo."
    )


def test_lists_go_on_behind_what_a_plus_binds_to_an_item(tmp_path: Path) -> None:
    text = (
        ". Open.\n+\n[source,bash]\n----\npair <x> <1>\n----\n. Wait\n  long.\n.. Or less.\n* [x] done\n\n. Close.\n\n"
        "Term:: What\nit is.\nOther::\n  Its text.\nThird::\n\nLast.\n"
    )
    assert markdown(tmp_path, text) == (
        "1. Open.\n\n   ```bash\n   pair <x>\n   ```\n\n2. Wait long.\n\n   1. Or less.\n      - done\n\n3. Close.\n\n"
        "**Term**\n\nWhat it is.\n\n**Other**\n\nIts text.\n\n**Third**\n\nLast."
    )


@pytest.mark.parametrize(
    ("table", "read_as"),
    [
        ("|===\n|Model |Hours\n\n|A |8\n|===", "| Model | Hours |\n| --- | --- |\n| A | 8 |"),
        (
            '[cols="1,2",options="header"]\n|===\n|Model\n|Hours\n|A\n|8\n|===',
            "| Model | Hours |\n| --- | --- |\n| A | 8 |",
        ),
        ("[%header,cols=2*]\n|===\n|Model\n|Hours\n\na|* A\n|8\n|===", "| Model | Hours |\n| --- | --- |\n| A | 8 |"),
        (".Sizes\n|===\n|a |b\n\n2+|both\n|===", "**Sizes**\n\n| a | b |\n| --- | --- |\n| both |"),
    ],
)
def test_tables(tmp_path: Path, table: str, read_as: str) -> None:
    found = markdown(tmp_path, f"{table}\n").replace("- A", "A")
    assert found.startswith(read_as), found


def test_marks_inside_of_lines(tmp_path: Path) -> None:
    text = (
        "A *bold* _word_ and `code {x}`, 2 * 3 * 4, snake_case_name, #marked#, E=mc^2^, https://example.com[here^], "
        "link:a.html[there], <<reset,the reset>>, <<reset-it>>, xref:guide:reset.adoc[], kbd:[Ctrl+C], btn:[OK], "
        "menu:File[Open], footnote:[Small.] +raw *x*+ (((index))) a\\{b}.\n"
    )
    assert markdown(tmp_path, text) == (
        "A **bold** *word* and `code {x}`, 2 * 3 * 4, snake_case_name, marked, E=mc², [here](https://example.com), "
        "there, the reset, reset it, reset, Ctrl+C, **OK**, **File > Open**, (Small.) raw \\*x\\* a{b}."
    ).replace("\\*x\\*", markdown(tmp_path, "+*x*+\n"))


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    text = (
        "Seen.\n\ninclude::other.adoc[]\n\nimage::a.png[The lid]\n\nifdef::pro[]\nFor all.\nendif::[]\n\n"
        "++++\n<b>x</b>\n++++\n\nvideo::a.mp4[]\n"
    )
    _, found, said = read(tmp_path, text)
    assert found == "Seen.\n\nThe lid\n\nFor all."
    assert said == ["is read without: include other.adoc, 1 picture, 1 block of raw HTML, 1 video."]


@pytest.mark.slow
def test_hostile_texts_are_read_within_the_limits(tmp_path: Path) -> None:
    signs = 100_000
    for sign in (
        "*",
        "_",
        "`",
        "+",
        "#",
        "|",
        "[",
        "<<",
        "((",
        "{a}",
        "link:",
        "1",
        "=",
        ".",
        "x::",
        " <1>",
        "a[",
        "kbd:[",
    ):
        for text in (sign * signs, f"|===\n{sign * signs}\n|===\n", f"----\n{sign * signs}\n----\n"):
            _, found, said = read(tmp_path, text)
            assert found or said, sign
    _, found, said = read(tmp_path, "".join(f"{'=' * (n + 4)}\n" for n in range(200)) + "x")
    assert said and said[0].startswith("is nested too deeply")
    _, found, said = read(tmp_path, "NOTE: \U0010f0e07\U0010f0e1 x\n\n----\n\U0010f0e3\n```\n----\n")
    assert found == "**Note:** 7 x\n\n````\n```\n````"
    growing = "\n".join(f":a{n}: {{a{n - 1}}}{{a{n - 1}}}" for n in range(1, 60)) + "\n\n{a59}\n"
    _, found, said = read(tmp_path, f":a0: {'x' * 500}\n{growing}")
    assert len(found) < 100_000


class TestAsciiDoc(FormatContract):
    suffix = ".adoc"
    examples = (b"= Title\n\nSome words.\n",)
