from __future__ import annotations

from collections.abc import Sequence

from autokb.chunking.boilerplate.site_boilerplate import PageBlocks, SiteBoilerplate, block_hash, page_blocks
from autokb.core.nouns import Document

MENU = "- [Home](/)\n- [Shop](/shop)\n\n"
STEPS = "1. Open the settings.\n2. Tap Sound.\n"


def page(name: str, own: str, menu: str = MENU) -> PageBlocks:
    text = f"{menu}# Help\n\n{own}\n\n{STEPS}\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
    return page_blocks(Document(name, "Help", text))


def boilerplate(pages: Sequence[PageBlocks]) -> list[frozenset[str]]:
    """Return what of each page many pages of its site have."""
    site = SiteBoilerplate()
    for one in pages:
        site.add(one)
    return [site.on(one) for one in pages]


def test_what_three_pages_share_is_boilerplate_but_no_headings_steps_or_tables() -> None:
    pages = [page("help/a.html", "First."), page("help/b.html", "Second."), page("help/c.html", "Third.")]
    assert boilerplate(pages) == [{block_hash("Home"), block_hash("Shop")}] * 3
    assert boilerplate(pages[:2]) == [frozenset()] * 2


def test_the_order_of_the_pages_does_not_matter() -> None:
    pages = [page(f"help/{n}.html", f"Page {n % 4}.") for n in range(12)]
    assert boilerplate(pages) == boilerplate(pages[::-1])[::-1]


def test_a_block_must_be_on_three_tenths_of_the_pages() -> None:
    shared = [page(f"{n}.html", "The same sentence.", menu="") for n in range(3)]
    others = [page(f"{n}.html", f"Sentence {n}.", menu="") for n in range(10, 17)]
    assert boilerplate([*shared, *others]) == [{block_hash("the  same\nSENTENCE.")}] * 3 + [frozenset()] * 7
    assert not any(boilerplate([*shared, *others, page("18.html", "One more.", menu="")]))


def test_a_site_is_a_host_or_a_folder() -> None:
    pages = [
        *(page_blocks(Document(f"{n}.html", "", MENU, f"https://lumo.example/{n}")) for n in range(3)),
        *(page_blocks(Document(f"other/{n}.html", "", MENU)) for n in range(2)),
    ]
    assert [one.site for one in pages] == ["lumo.example"] * 3 + ["other"] * 2
    assert boilerplate(pages) == [{block_hash("Home"), block_hash("Shop")}] * 3 + [frozenset()] * 2


def test_a_new_page_changes_only_pages_that_share_its_block() -> None:
    pages = [
        page("a.html", "See the guide.", menu=""),
        page("b.html", "See the guide.", menu=""),
        page("c.html", "Own words.", menu=""),
    ]
    before = boilerplate(pages)
    after = boilerplate([*pages, page("d.html", "See the guide.", menu="")])
    guide = {block_hash("See the guide.")}
    assert (before, after) == ([frozenset()] * 3, [guide, guide, frozenset(), guide])


def test_a_page_without_words_has_no_blocks() -> None:
    assert page_blocks(Document("a.html", "", "![](x.png)\n\n---\n")).hashes == frozenset()
