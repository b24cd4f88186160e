from __future__ import annotations

from autokb.chunking.repeated import (
    PageBlocks,
    block_hash,
    page_blocks,
    repeated_blocks,
    repeated_by_site,
    repeated_on,
)

MENU = "- [Home](/)\n- [Shop](/shop)\n\n"
STEPS = "1. Open the settings.\n2. Tap Sound.\n"


def page(name: str, own: str, menu: str = MENU) -> PageBlocks:
    return page_blocks(name, f"{menu}# Help\n\n{own}\n\n{STEPS}\n| a | b |\n| --- | --- |\n| 1 | 2 |\n")


def test_what_three_pages_share_is_repeated_but_no_headings_steps_or_tables() -> None:
    pages = [page("help/a.html", "First."), page("help/b.html", "Second."), page("help/c.html", "Third.")]
    assert repeated_blocks(pages) == {block_hash("Home"), block_hash("Shop")}
    assert repeated_blocks(pages[:2]) == frozenset()


def test_the_order_of_the_pages_does_not_matter() -> None:
    pages = [page(f"help/{n}.html", f"Page {n % 4}.") for n in range(12)]
    assert repeated_blocks(pages) == repeated_blocks(pages[::-1])


def test_a_block_must_stand_on_three_tenths_of_the_pages() -> None:
    shared = [page(f"{n}.html", "The same sentence.", menu="") for n in range(3)]
    others = [page(f"{n}.html", f"Sentence {n}.", menu="") for n in range(10, 17)]
    assert repeated_blocks([*shared, *others]) == {block_hash("the  same\nSENTENCE.")}
    assert repeated_blocks([*shared, *others, page("18.html", "One more.", menu="")]) == frozenset()


def test_a_site_is_a_host_or_a_folder() -> None:
    pages = [
        *(page_blocks(f"{n}.html", MENU, f"https://lumo.example/{n}") for n in range(3)),
        *(page_blocks(f"other/{n}.html", MENU) for n in range(2)),
    ]
    assert repeated_by_site(pages) == {
        "lumo.example": {block_hash("Home"), block_hash("Shop")},
        "other": frozenset(),
    }


def test_a_new_page_changes_what_is_repeated_only_on_pages_that_share_its_paragraph() -> None:
    pages = [
        page("a.html", "See the guide.", menu=""),
        page("b.html", "See the guide.", menu=""),
        page("c.html", "Own words.", menu=""),
    ]
    before = repeated_blocks(pages)
    pages.append(page("d.html", "See the guide.", menu=""))
    after = repeated_blocks(pages)
    assert (before, after) == (frozenset(), {block_hash("See the guide.")})
    assert [p.page for p in pages if repeated_on(p, before) != repeated_on(p, after)] == ["a.html", "b.html", "d.html"]
    assert repeated_on(pages[2], after) == frozenset() and repeated_on(pages[0], after) == after


def test_a_page_without_words_has_no_blocks() -> None:
    assert page_blocks("a.html", "![](x.png)\n\n---\n").hashes == frozenset()
