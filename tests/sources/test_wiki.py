from __future__ import annotations

from collections.abc import Callable

import pytest
from markdown_it import MarkdownIt

from autokb.sources.wiki import wiki_page, wiki_to_markdown
from autokb.text.conditional_markup import find_conditionals
from work_count import builtin_calls, python_lines


def ordered_lists(markdown: str) -> list[tuple[int, int]]:
    """Return (start, number of items) of each ordered list at the top level."""
    found = []
    for token in MarkdownIt().parse(markdown):
        if token.type == "ordered_list_open" and token.level == 0:
            found.append([int(token.attrs.get("start", 1)), 0])
        if token.type == "list_item_open" and token.level == 1 and token.info:
            found[-1][1] += 1
    return [(start, count) for start, count in found]


def test_headings_emphasis_macros_and_links() -> None:
    text = (
        "=Top=\n== Sub ==\nClick {button Save} in {menu File > Save}, '''now''', or ''later''. "
        "Type {filepath a.txt}. [[Page name|the page]] [https://x.example/a(b) label]"
    )
    assert wiki_to_markdown(text) == (
        "# Top\n\n## Sub\n\nClick **Save** in **File > Save**, **now**, or *later*. Type `a.txt`. the page "
        "[label](https://x.example/a%28b%29)\n"
    )


def test_nested_lists_keep_kind_and_numbers() -> None:
    text = "# one\n#* a\n#* b\n# two\n## deep\n## deeper\n# three"
    assert wiki_to_markdown(text) == "1. one\n   - a\n   - b\n2. two\n   1. deep\n   2. deeper\n3. three\n"


def test_pictures_and_notes_between_steps_do_not_tear_the_list() -> None:
    text = (
        "# one\n;[[Image:shot_1]]\n# two\n{note}Mind the\ngap.{/note}\n# three\n\n# four\n#;a remark\n"
        "# five<br><br>[[Image:x]]<br>then wait\nuntil it is done.\n# six"
    )
    markdown = wiki_to_markdown(text)
    assert ordered_lists(markdown) == [(1, 6)]
    assert "2. two\n\n   **Note:** Mind the gap.\n3. three" in markdown
    assert "[[" not in markdown and "shot_1" not in markdown


def test_a_sentence_with_a_colon_begins_a_list_of_its_own() -> None:
    assert ordered_lists(wiki_to_markdown("# a\n# b\n\nTo undo it:\n# c")) == [(1, 2), (1, 1)]


def test_steps_numbered_by_hand_are_steps() -> None:
    assert ordered_lists(wiki_to_markdown("1. a\n\n{note}n{/note}\n\n2. b\n3. c")) == [(1, 3)]


def test_switches_stay_verbatim_with_blank_lines_around_those_on_a_line_of_their_own() -> None:
    text = (
        "{for win}\n# a\n# b\n{/for}\n{for mac}\n# c\n{/for}\nPress {for win}{key Ctrl}{/for}{for mac}{key Cmd}{/for}."
    )
    markdown = wiki_to_markdown(text)
    assert markdown == (
        "{for win}\n\n1. a\n2. b\n\n{/for}\n\n{for mac}\n\n1. c\n\n{/for}\n\n"
        "Press {for win}**Ctrl**{/for}{for mac}**Cmd**{/for}.\n"
    )
    assert [s.names for s in find_conditionals(markdown)] == [("win",), ("mac",), ("win",), ("mac",)]


def test_numbering_goes_on_through_a_switch_inside_a_list() -> None:
    text = "# a\n{for win}\n# b\n# c\n{/for}\n{for mac}\n# b2\n{/for}\n# d"
    assert ordered_lists(wiki_to_markdown(text)) == [(1, 1), (2, 2), (2, 1), (4, 1)]


def test_a_switch_that_opens_a_line_and_closes_another_stands_alone() -> None:
    assert wiki_to_markdown("{for win}First.\n\nSecond.{/for}") == "{for win}\n\nFirst.\n\nSecond.\n\n{/for}\n"


def test_tables_code_comments_and_magic_words() -> None:
    text = (
        "__TOC__<!-- hidden -->\n{|\n!Name!!Meaning\n|-\n| style=\"x\" | a || '''b''' | c\n|}\n"
        "Run <code>a -b</code>:\n<code>\n line one\n   line two\n</code>\nsmtp<!---->.example"
    )
    assert wiki_to_markdown(text) == (
        "| Name | Meaning |\n| --- | --- |\n| a | **b** \\| c |\n\nRun `a -b`:\n\n```\nline one\n  line two\n```\n\n"
        "smtp.example\n"
    )


def test_a_wiki_shows_bold_in_code_bold_and_what_is_quoted_as_it_is() -> None:
    text = "Allow <code>'''SMTP.Send'''</code>, <code>x=''y''</code> and <code><nowiki>'''a'''</nowiki></code>."
    assert wiki_to_markdown(text) == "Allow `SMTP.Send`, `x=y` and `'''a'''`.\n"


def test_what_is_written_never_becomes_html() -> None:
    text = "<account name> &lt;script&gt; <u>under</u><script>alert(1)</script> <img src=x onerror=y>"
    markdown = wiki_to_markdown(text)
    assert markdown == "\\<account name> \\<script> under\n"
    assert "<" not in MarkdownIt().render(markdown).replace("<p>", "").replace("</p>", "")


def paragraph(text: str) -> str:
    return text + "\n"


# The work on these lies inside regular expressions, where nothing counts it; a quadratic one would hang here.
@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("{note}" * 30_000, ""),
        ("<code>" * 30_000, paragraph("\\<code>" * 30_000)),
        ("{|\n" * 20_000, "{|\n" * 20_000),
        ("[[" * 50_000, paragraph("[[" * 50_000)),
        ("<!--" * 50_000, ""),
        ("=a" + " " * 100_000 + "x", paragraph("=a x")),
        ("#" * 50_000 + " a", "1. a\n"),
    ],
    ids=["box", "code", "table", "link", "comment", "heading", "prefix"],
)
def test_marks_that_nothing_closes_leave_the_text(text: str, markdown: str) -> None:
    assert wiki_to_markdown(text) == markdown


# Besides the end of a mark, its next opening is searched for each time, and for each line an image.
@pytest.mark.parametrize(("mark", "searches"), [("{note}", 1), ("<code>", 1), ("<pre>", 1), ("{|\n", 2)])
def test_the_end_of_a_mark_that_nothing_closes_is_looked_for_once(mark: str, searches: int) -> None:
    count = 1_000
    found = builtin_calls("search", lambda: wiki_to_markdown(mark * count))
    assert searches * count <= found < (searches + 0.5) * count


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "{for win}" * n,
        lambda n: "{for a}" * n + "{/for}" * n,
        lambda n: "# a\n" + "* b\n" * n + "# c",
        lambda n: "# a\n" + ";b\n" * n + "# c",
        lambda n: "# a\n#* b\n{note}c{/note}\n{for win}\n# d\n{/for}\ntext\n# e\n\n" * n,
    ],
    ids=["openings", "nested", "bullets", "remarks", "steps"],
)
def test_the_work_grows_with_the_length_of_the_text(make: Callable[[int], str]) -> None:
    # More lines than the reader looks ahead, so that it looks its full way from nearly every line of both texts.
    short, long = make(400), make(1_600)
    assert python_lines(lambda: wiki_to_markdown(long)) < 5 * python_lines(lambda: wiki_to_markdown(short))


def test_templates_and_icons_are_read_by_a_table_or_left_out_by_name() -> None:
    text = "# [[T:options TB]]\n# Click the button [[Image:New Fx Menu]], please.\n# [[Template:Other|x=1]] Wait.\n"
    page = wiki_page(text, {"Options TB": "Choose {menu Settings}.", "new fx menu": "{button ≡}"})
    assert page.text == "1. Choose **Settings**.\n2. Click the button **≡**, please.\n3. Wait.\n"
    assert page.unresolved == ("Other",)
    bare = wiki_page(text)
    assert "[" not in bare.text and sorted(bare.unresolved) == ["New Fx Menu", "Other", "options TB"]
