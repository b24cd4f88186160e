from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autokb.text.markdown import LONGEST_HEADING, inner_blocks, parse_blocks, section_at, sections
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences
from work_count import python_lines

PAGE = """Preamble here.

# Mail

Some *words*.

1. Open it.
2. Choose:
   - one
   - two

   A note.

Between.

3. Close it.

## Ports

| a | b |
|---|---|
| 1 | 2 |

```
# no heading
```

> 1. quoted
> 2. list

Setext
------

<div>raw</div>
"""


def slices(text, **wanted):
    return [text[b.start : b.end] for b in parse_blocks(text) if all(getattr(b, k) == v for k, v in wanted.items())]


def test_every_block_is_an_exact_slice():
    assert slices(PAGE, kind="heading") == ["# Mail", "## Ports", "Setext\n------"]
    assert slices(PAGE, kind="paragraph") == ["Preamble here.", "Some *words*.", "Between."]
    assert slices(PAGE, kind="table") == ["| a | b |\n|---|---|\n| 1 | 2 |"]
    assert slices(PAGE, kind="code") == ["```\n# no heading\n```"]
    assert slices(PAGE, kind="html") == ["<div>raw</div>"]
    assert slices(PAGE, kind="item", level=2) == ["- one", "- two"]


def test_an_item_holds_all_that_is_inside_it():
    assert slices(PAGE, kind="item", level=1, ordered=True)[:2] == [
        "1. Open it.",
        "2. Choose:\n   - one\n   - two\n\n   A note.",
    ]


def test_a_list_that_goes_on_counting_after_a_note_is_one_list():
    items = [b for b in parse_blocks(PAGE) if b.ordered and b.level == 1]
    assert [b.number for b in items] == [1, 2, 3, 1, 2]
    assert len({b.list_id for b in items[:3]}) == 1
    assert items[3].list_id != items[2].list_id


def test_alternatives_of_a_step_in_switches_stay_in_their_list():
    text = "1. a\n\n{for win}\n\n2. b\n\n{/for}\n\n{for mac}\n\n2. c\n\n{/for}\n\n3. d\n\n# New\n\n4. e\n"
    items = [b for b in parse_blocks(text) if b.kind == "item"]
    assert len({b.list_id for b in items[:4]}) == 1
    assert items[4].list_id != items[0].list_id  # a heading ends a list for good


@pytest.mark.parametrize(("text", "inner"), [("- 1. a\n", "1. a"), ("- - - x", "- - x"), ("- a\n  1. b", "1. b")])
def test_a_nested_item_begins_at_its_own_marker(text, inner):
    nested = [b for b in parse_blocks(text) if b.kind == "item" and b.level == 2]
    assert text[nested[0].start : nested[0].end].startswith(inner)


def test_sections_know_their_path_and_where_they_end():
    found = sections(PAGE)
    assert [s.headings for s in found] == [(), ("Mail",), ("Mail", "Ports"), ("Mail", "Setext")]
    assert [s.parent for s in found] == [None, 0, 1, 1]
    mail, ports = found[1], found[2]
    assert PAGE[mail.start : mail.own_end].endswith("3. Close it.\n\n")
    assert mail.end == len(PAGE)
    assert PAGE[ports.start : ports.end].endswith("> 2. list\n\n")
    assert section_at(found, PAGE.index("Between")) == 1
    assert section_at(found, 0) == 0


def test_line_ends_of_every_kind_keep_spans_exact():
    text = "# A\r\n\r\ntext\rmore\n\n- x\r\n- y\u2028z"
    assert slices(text, kind="heading") == ["# A"]
    assert slices(text, kind="item") == ["- x", "- y\u2028z"]


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("# A **b** ##", "A b"),
        ("see [the *menu*](http://x/a_(b)) and ![icon](i.png).", "see the menu and icon."),
        ("click **{for win}Options{/for}**", "click Options"),
        ("`a*b*` and \\*c\\* and 5 * 3 snake_case_x", "a*b* and *c* and 5 * 3 snake_case_x"),
        ("one<br>two<!-- no --> &amp; <email> <b>x</b>", "one\ntwo & <email> x"),
        ("- a\n- b\n\n1. c", "a\nb\nc"),
        ("soft\nbreak\n\nblock", "soft break\nblock"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a | b\n1 | 2"),
        ("> quoted\n> on", "quoted on"),
        ("Title\n=====\n\n```sh\nls\n```", "Title\nls"),
        ("[r]: http://x\nsee [label][r]", "see label"),
        ("", ""),
    ],
)
def test_plain_text_is_what_a_reader_sees(markdown, plain):
    assert plain_text(markdown) == plain


def test_bullets_and_pictures_as_the_caller_wants_them():
    assert plain_text("Choose:\n\n- ![x](y) one\n- two", marks=True, images=False) == "Choose:\n- one\n- two"


MARKS = st.sampled_from(
    ["# ", "- ", "1. ", "2. ", "> ", "\n", "\n\n", "   ", "```\n", "|a|\n|-|\n", "x", "{for win}", "\r\n"]
)


@settings(max_examples=300, deadline=None)
@example("- > - - ")
@given(st.lists(MARKS, max_size=30).map("".join))
def test_blocks_of_any_text_are_in_order_and_inside_it(text):
    blocks = parse_blocks(text)
    assert all(0 <= b.start <= b.end <= len(text) for b in blocks)
    assert [b.start for b in blocks] == sorted(b.start for b in blocks)
    outer = [b for b in blocks if b.kind != "item" or b.level == 1]
    assert all(a.end <= b.start for a, b in pairwise(outer))


@pytest.mark.parametrize(
    "text",
    [
        "> " * 100_000,
        "- " * 50_000,
        "[a](" * 50_000,
        "*a" * 100_000,
        "." * 200_000,
        " " * 300_000,
        "<a " * 100_000,
        "|-" * 50_000,
    ],
    ids=["quotes", "lists", "links", "stars", "dots", "spaces", "tags", "table"],
)
def test_hostile_text_is_read_to_its_end(text):
    blocks, found, spans = parse_blocks(text), sections(text), sentences(text)
    assert all(0 <= b.start <= b.end <= len(text) for b in blocks)
    assert (found[0].start, found[-1].end) == (0, len(text))
    assert sum(end - start for start, end in spans) >= sum(not c.isspace() for c in text)
    assert len(plain_text(text)) <= len(text)


@pytest.mark.parametrize(
    "piece", ["> ", "- ", "[a](", "*a", ".", " ", "<a ", "|-", "a. ", "- a\n", "# a\n", "a\n\n", "1. "]
)
def test_four_times_the_hostile_text_is_four_times_the_work(piece):
    def work(count):
        text = piece * count
        return python_lines(lambda: (parse_blocks(text), sections(text), plain_text(text), sentences(text)))

    work(10)  # what is made once is not counted
    assert work(2_000) < 6 * work(500)


def test_tables_and_code_inside_items_are_told_apart_from_blocks():
    text = (
        "1. a\n\n   ```\n   x\n   ```\n\n   - ```\n     y\n     ```\n   - | a |\n     |---|\n     | 1 |\n\n```\nz\n```"
    )
    assert [(b.kind, b.level, text[b.start : b.end]) for b in inner_blocks(text)] == [
        ("code", 2, "```\n   x\n   ```"),
        ("code", 3, "```\n     y\n     ```"),
        ("table", 3, "| a |\n     |---|\n     | 1 |"),
    ]
    assert slices(text, kind="code") == ["```\nz\n```"]


def test_front_matter_has_no_headings_and_moves_nothing():
    text = "---\r\ntitle: x\r\n---\r\n\r\n# A\r\n\r\n- b\r\n"
    assert [(b.kind, text[b.start : b.end]) for b in parse_blocks(text)] == [("heading", "# A"), ("item", "- b")]
    assert [s.headings for s in sections(text)] == [(), ("A",)]


@pytest.mark.parametrize("heading", ["# {}", "{}\n==="])
def test_a_heading_of_a_page_of_text_is_a_paragraph(heading):
    """It is repeated before all that is below it: a heading of 1 MB made a gigabyte of chunks."""
    for length, kind in ((LONGEST_HEADING - 10, "heading"), (LONGEST_HEADING + 10, "paragraph")):
        block = parse_blocks(heading.format("x" * length) + "\n\nText.\n")[0]
        assert block.kind == kind
