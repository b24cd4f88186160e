"""Blind judging in a real browser: by keys alone, at 360 pixels, by two people at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hand_made_kb
from autokb.app import SupportKB
from autokb.exchange.import_kb import import_file
from autokb.plugins.lab.evaluation.suggestions.sheet import read_suggestion_sheet
from autokb.plugins.lab.evaluation.suggestions.sheet_form import read_sheet_rows
from autokb.stores.workspace import create_workspace, open_workspace
from blind_sheets import write
from served_workspace import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow  # a browser draws the pages
NARROW = 360  # pixels
AUDIT = (Path(__file__).parent / "page_audit.js").read_text(encoding="utf-8")
LONG = "Rasenmähroboterladestationskontaktreinigungstuch" * 8


@pytest.fixture
def site(tmp_path: Path, browser: Browser) -> Iterator[tuple[str, SupportKB, Path]]:
    """A service with a sheet of three cases, its knowledge base and the sheet."""
    import_file(create_workspace(tmp_path / "kb", "name: fresh\n"), hand_made_kb.write(tmp_path / "kb.jsonl"))
    sheet = write(tmp_path / "kb", texts=["the dock", f"rain {LONG}", "the blades"])
    kb = SupportKB(open_workspace(tmp_path / "kb"))
    with served(tmp_path / "kb") as url:
        yield url, kb, sheet
    kb.close()


def marked(sheet: Path, annotator: str) -> list[dict[str, str]]:
    return [dict(row) for row in read_sheet_rows(sheet) if row["annotator"] == annotator and row["preference"]]


def stands_at(page: Page, case: int) -> None:
    from playwright.sync_api import expect

    expect(page.get_by_role("heading", level=1)).to_have_text(f"Case {case} of 3")
    page.wait_for_load_state()  # until its scripts listen to keys


def test_a_sheet_is_judged_by_keys_alone(site: tuple[str, SupportKB, Path], browser: Browser) -> None:
    from playwright.sync_api import expect

    from chromium import opened

    url, _, sheet = site
    with opened(browser, url) as (page, watched):
        page.goto("/evaluation/suggestions")
        page.get_by_label("Your name").press_sequentially("ann")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="june").press("Enter")
        stands_at(page, 1)
        count = page.locator("fieldset").count()
        for _ in range(count - 1):  # of A, then of B: correct, the scores 1, by a person
            page.keyboard.press("1")
        assert page.locator("fieldset:has(:checked)").count() == count - 1
        page.keyboard.press("ArrowRight")  # preference, whose group has the focus by now
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("group", name="Which one would you send?").get_by_role("radio").nth(1)).to_be_checked()
        page.keyboard.press("Enter")
        stands_at(page, 2)
        (row,) = marked(sheet, "ann")
        assert (row["preference"], row["correctness_a"]) == ("same", "correct")
        assert (row["relevance_b"], row["human_touch_b"]) == ("1", "yes")
        page.keyboard.press("b")
        stands_at(page, 1)
        assert page.locator("input:checked").count() == count
        page.keyboard.press("n")
        stands_at(page, 2)
        page.keyboard.press("2")
        page.keyboard.press("b")  # also from within a group
        stands_at(page, 1)
        page.keyboard.press("Enter")  # nothing is changed: the next open one
        stands_at(page, 2)
        page.goto("/evaluation/suggestions")
        expect(page.get_by_label("Your name")).to_have_value("ann")
        assert not watched, watched


def judge(page: Page, preference: str) -> None:
    for group in page.locator("fieldset").all():
        group.get_by_role("radio").first.check()
    page.locator(f"input[name=preference][value={preference}]").check()
    page.get_by_role("button", name="Save").click()


def test_two_people_judge_at_once_at_360_pixels(site: tuple[str, SupportKB, Path], browser: Browser) -> None:
    from playwright.sync_api import expect

    from chromium import opened

    url, kb, sheet = site
    keys = {name: kb.keys.create("agent", name) for name in ("ann", "bo")}
    with (
        opened(browser, url, width=NARROW, key=keys["ann"].key) as (ann, of_ann),
        opened(browser, url, width=NARROW, key=keys["bo"].key) as (bo, of_bo),
    ):
        for page in (ann, bo):
            page.goto("/evaluation/suggestions")
            page.get_by_role("link", name="june").click()
        for n in range(3):
            for page, preference in ((ann, "A"), (bo, "A" if n else "same")):
                stands_at(page, n + 1)
                assert page.locator("input:checked").count() == 0
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                    assert page.evaluate(AUDIT)["faults"] == []
                judge(page, preference)
        for page in (ann, bo):
            expect(page.get_by_role("heading", level=1)).to_have_text("All 3 cases are judged")
            assert page.evaluate(AUDIT)["faults"] == []
        assert not of_ann and not of_bo, (of_ann, of_bo)
    assert [len(marked(sheet, key.id)) for key in keys.values()] == [3, 3]
    found = read_suggestion_sheet(sheet).agreement["preference"]
    assert (found.pairs, found.agreement) == (3, pytest.approx(2 / 3))


def test_the_form_works_where_no_script_runs(site: tuple[str, SupportKB, Path], browser: Browser) -> None:
    url, _, sheet = site
    context = browser.new_context(base_url=url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/evaluation/suggestions?annotator=ann")
    page.get_by_role("link", name="june").click()
    judge(page, "B")
    stands_at(page, 2)
    context.close()
    assert [row["preference"] for row in marked(sheet, "ann")] == ["B"]
