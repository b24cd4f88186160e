"""What is kept of a page, and why the rest is not."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.chunking.auto.filtered_page import (
    FilteredPage,
    keep_lists_whole,
    without_blank_units,
    without_empty_headings,
)
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.chunking.structure.outline import Unit

LIST = "To reset:\n\n1. Open.\n2. Hold.\n\nNote this.\n\n3. Close.\n\nDone.\n\n## Care\n\nDry it."


def page(text: str, left_out: Sequence[int] = ()) -> FilteredPage:
    blocks = numbered_blocks(text)
    kept = [n not in left_out for n in range(len(blocks))]
    return FilteredPage.of(text, blocks, kept, dict.fromkeys(left_out, "drawn"))


def test_a_torn_list_is_kept_or_left_out_as_most_of_it_is() -> None:
    blocks = numbered_blocks(LIST)
    assert keep_lists_whole(blocks, [True, True, False, False, True, True, False, False]) == (
        [True, True, True, False, True, True, False, False],
        1,
    )
    assert keep_lists_whole(blocks, [True, True] + [False] * 6) == ([True] + [False] * 7, 1)
    assert keep_lists_whole(blocks, [False] * 8) == ([False] * 8, 0)


def test_neighbours_with_one_reason_are_one_entry_of_the_noise() -> None:
    found = page("One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.", (0, 1, 3)).noise()
    assert [(noise.text, noise.spans, noise.reason) for noise in found] == [
        ("One.\n\nTwo.", ((0, 10),), "drawn"),
        ("Four.", ((20, 25),), "drawn"),
    ]


def test_headings_with_nothing_below_are_left_out_save_the_first_and_where_there_is_no_text() -> None:
    text = "# A\n\n# B\n\n## C\n\nx\n\n## D\n\n***\n\n# E"
    empty = "heading without content"
    assert without_empty_headings(page(text)).reasons == {4: empty, 6: empty}
    lost = without_empty_headings(page(f"{text}\n\ny", (7,)))
    assert lost.reasons == {4: empty, 6: "heading left without content", 7: "drawn"}
    assert without_empty_headings(page(text, (3,))).reasons == {3: "drawn"}


def left_of(text: str, units: Sequence[Unit]) -> tuple[tuple[Unit, ...], tuple[int, ...]]:
    filtered, left = without_blank_units(page(text), units)
    return left, tuple(filtered.reasons)


def test_blank_units_and_blank_blocks_in_front_of_a_heading_are_left_out() -> None:
    text = "---\n\n[r]: x.html\n\n# A\n\n---\n\nx\n\n***\n\n# B"
    blocks = numbered_blocks(text)
    assert [text[b.start : b.end] for b in blocks] == ["---\n\n[r]: x.html", "# A", "---", "x", "***", "# B"]
    assert left_of(text, [(0, 1, 2, 3), (4,), (5,)]) == (((1, 2, 3), (5,)), (0, 4))
    assert left_of(text, [(2, 3, 4)]) == (((2, 3, 4),), ())
    text = "***\n\n#\n\nx\n\n##\n\n# A"
    assert left_of(text, [(0, 1, 2, 3), (4,)]) == (((0, 2), (4,)), (1, 3))
