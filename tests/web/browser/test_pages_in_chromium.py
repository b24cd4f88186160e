"""Every page in a real browser: keys all the way, what is stored and copied, names, contrast, width and weight."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest
from benchmarks.decisions import ISSUES, Sources
from benchmarks.decisions import PAGES as SOURCE_PAGES

import hand_made_kb
import small_tickets
from autokb.app import SupportKB
from autokb.exchange.import_kb import import_file
from autokb.stores.workspace import create_workspace, open_workspace
from lost_edit import FINDING, keep_lost_edit
from served_workspace import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow  # a browser draws the pages
CHARGING = "my robot does not charge in the dock"
BLADES = "the blades do not cut the grass"  # which the knowledge base asks back about
PIZZA = "do you sell pizza margherita"
NARROW = 360  # pixels
MOST_BYTES = 150_000  # of a page with everything
AUDIT = (Path(__file__).parent / "page_audit.js").read_text(encoding="utf-8")
PAGES = [
    "/",
    "/review",
    "/review/solution?solution=s-contacts",
    "/review/changes",
    "/versions",
    "/versions/try?text=my+robot+does+not+charge",
    "/checks",
    "/stale",
    "/stale?settled=true",
    "/in-use",
    "/in-use/gaps",
    "/trends",
]
PAGES += ["/settings", "/evaluation", "/evaluation/sheet", "/evaluation/suggestions", "/nothing"]
PAGES += ["/knowledge", "/knowledge?q=robot", "/issues/pair", "/solutions/s-ios", "/solutions/s-support", "/documents"]
PAGES += ["/trends?weeks=1&until=2025-05-25"]  # with the weeks of its issues drawn
PAGES += ["/documents/app/pairing.md?at=30-70#quote", "/tickets", "/tickets/APP-1"]


@dataclass(frozen=True)
class Site:
    """A service, its knowledge base and a key for it."""

    url: str
    kb: SupportKB
    key: str


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Site]:
    """A service over the hand-made knowledge base with tickets, used for some days."""
    place = tmp_path_factory.mktemp("site")
    import_file(create_workspace(place / "kb", "name: fresh\n"), hand_made_kb.write(place / "kb.jsonl"))
    kb = SupportKB(open_workspace(place / "kb"))
    kb.add([small_tickets.write(place / "tickets.json")], "tickets")
    kb.tickets.build()
    kb.curation.approve(["s-contacts"], author="ann")
    keep_lost_edit(kb.workspace)
    kb.checks.add_one({"id": "charging", "text": CHARGING, "document": "charging.md"})
    with kb.workspace.file() as file, file.transaction():
        now = {(kind, i): body for kind, i, body in file.lines()}
        less = {key: body for key, body in now.items() if "charging.md" not in body and key[1] != "charging.md"}
        file.keep_candidate(less, {"date": "2026-05-01", "by": "build"})
    key = kb.keys.create("admin").key
    with served(place / "kb") as url:
        with httpx2.Client(base_url=url, headers={"authorization": f"Bearer {key}"}) as client:
            for n in range(3):
                asked = {"messages": [{"role": "customer", "text": PIZZA}], "conversation": f"c{n}"}
                assert client.post("/v1/suggest", json=asked).status_code == 200
                kb.usage.give_feedback("does not charge", "used", "s-contacts", conversation=f"c{n}", group="night")
                kb.usage.report_outcome(f"c{n}", resolved=bool(n), seconds=60)
        yield Site(url, kb, key)
    kb.close()


@pytest.fixture
def page(site: Site, browser: Browser) -> Iterator[Page]:
    """A page of a signed-in window; what goes wrong in it beside fails the test."""
    from chromium import opened

    with opened(browser, site.url, key=site.key) as (found, watched):
        yield found
        assert not watched, watched


def copied(page: Page) -> str:
    return str(page.evaluate("() => navigator.clipboard.readText()"))


def focused(page: Page) -> str:
    return str(page.evaluate("() => document.activeElement.id"))


def test_a_check_is_kept_and_a_candidate_refused_by_keys_alone(site: Site, page: Page) -> None:
    from playwright.sync_api import expect

    page.goto("/")
    page.keyboard.type(CHARGING)
    page.keyboard.press("Control+Enter")
    page.locator('button[aria-label="Helpful"]').first.focus()
    page.keyboard.press("Enter")
    keep = page.get_by_role("button", name="Keep as a check")
    expect(keep).to_be_visible()
    keep.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Kept: it must stay right")).to_be_visible()
    page.goto("/checks")
    page.set_viewport_size({"width": NARROW, "height": 800})
    page.get_by_role("button", name="Run on the candidate").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Right before, not now")).to_be_visible()
    page.wait_for_load_state()  # with its style sheet
    assert page.evaluate("() => document.documentElement.scrollWidth") <= NARROW
    page.goto("/versions")
    page.get_by_role("button", name="Look at it").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("which readers do not see")).to_be_visible()
    page.get_by_role("button", name="Back to what readers see").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("which readers do not see")).to_have_count(0)


def test_a_conversation_is_led_by_keys_alone(site: Site, page: Page) -> None:
    from playwright.sync_api import expect

    page.goto("/")
    assert focused(page) == "text"
    page.keyboard.type(CHARGING)
    page.keyboard.press("Control+Enter")
    offer = page.locator("#offer-1")
    expect(offer).to_contain_text("dock")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    reply = page.locator("#reply")
    expect(reply).to_be_focused()
    expect(reply).to_have_value(offer.inner_text())
    page.keyboard.press("Control+End")
    page.keyboard.type(" 1n Thanks!")  # what is a key elsewhere is a letter in a field
    written = reply.input_value()
    assert written.endswith("dry cloth. 1n Thanks!")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("Copied")
    expect(page.locator(".messages li.agent .said")).to_have_text(written)
    expect(page.locator(".offer")).to_have_count(0)
    assert copied(page) == written
    noted = site.kb.usage.feedback().items[-1]
    assert (noted.verdict, noted.text, noted.query, noted.source) == ("edited", written, CHARGING, "solution")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.locator(".messages")).to_have_count(0)
    expect(page.locator("#text")).to_be_focused()


def test_a_question_back_is_answered_by_its_button_or_asked(site: Site, page: Page) -> None:
    from playwright.sync_api import expect

    for way in ("button", "other"):
        page.goto("/")
        page.locator("#text").fill(BLADES)
        page.keyboard.press("Control+Enter")
        group = page.get_by_role("group", name="What the customer answers")
        expect(group.get_by_role("button")).to_have_text(["Hopper", "Glider", "Badger", "Other: ask the customer"])
        question = page.locator("#offer-1").inner_text()
        if way == "button":
            group.get_by_role("button", name="Hopper").press("Enter")
        else:
            group.get_by_role("button", name="Other").press("Enter")
            expect(page.locator("#reply")).to_be_focused()
            expect(page.locator("#reply")).to_have_value(question)
            page.keyboard.press("Control+Enter")
            expect(page.locator(".messages li.agent .said")).to_have_text(question)
            assert copied(page) == question
            expect(page.locator("#text")).to_be_focused()
            page.keyboard.type("it says Hopper on the lid")
            page.keyboard.press("Control+Enter")
        expect(page.locator(".messages li")).to_have_count(3)
        expect(page.locator(".messages li.customer").last).to_contain_text("Hopper")
        expect(page.locator("#offer-1")).to_contain_text("Hopper: loosen the three screws")


def test_a_suggestion_is_judged_and_its_place_in_the_manual_stands_beside(site: Site, page: Page) -> None:
    from playwright.sync_api import expect

    page.goto("/")
    page.locator("#text").fill(CHARGING)
    page.locator("#say").click()
    page.get_by_role("button", name="Not helpful").first.click()
    expect(page.locator("#judged-1")).to_have_text("Noted: not helpful")
    assert site.kb.usage.feedback().items[-1].verdict == "unhelpful"
    page.get_by_text("Source").first.click()
    link = page.get_by_role("link", name="Open charging.md at this place")
    expect(link).to_be_visible()
    assert (link.get_attribute("href") or "").startswith("/documents/charging.md?at=")
    page.locator("#text").press("Escape")
    page.locator("#reply").fill("Anything else?")
    page.get_by_text("Your team", exact=True).click()
    page.locator("input[name=group]").fill("night")
    page.locator("#send").click()
    expect(page.get_by_role("status").last).to_contain_text("Copied")
    assert [(one.verdict, one.group) for one in site.kb.usage.feedback().items][-1] == ("rejected", "night")
    page.goto("/")
    expect(page.locator("input[name=group]")).to_have_value("night")


def test_the_queue_is_judged_taken_back_and_edited(site: Site, page: Page) -> None:
    from playwright.sync_api import expect

    page.goto("/review")
    item = page.locator("#item-s-hopper")
    item.get_by_role("button", name="Approve").click()
    expect(item.get_by_role("status")).to_contain_text("approved")
    assert site.kb.views.solution("s-hopper").status == "approved"
    item.get_by_role("button", name="Undo").click()
    expect(item.get_by_role("status")).to_contain_text("shown")
    assert site.kb.views.solution("s-hopper").verdict is None
    before = site.kb.views.solution("s-hopper").text
    item.get_by_role("link", name="Open").click()
    page.wait_for_url("**/review/solution?**")  # and until its scripts listen to keys
    box = page.get_by_label("Title in the first line")
    expect(box).to_have_value(before)
    box.fill("Turn the blades\nLoosen all screws.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    assert site.kb.views.solution("s-hopper").text == "Turn the blades\nLoosen all screws."
    page.get_by_text("Before and after").first.click()
    expect(page.locator(".before").first).to_contain_text("three screws")
    page.get_by_role("button", name="Undo the last change").click()
    expect(page.locator("#text")).to_have_value(before)
    assert site.kb.views.solution("s-hopper").text == before
    page.get_by_role("link", name="Review").first.click()
    page.get_by_role("link", name="What the last build changed").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What the last build changed")


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Site]:
    """A service over a workspace whose second build had a document less and others in other words."""
    place = tmp_path_factory.mktemp("rebuilt")
    sources = Sources(place / "source", copy.deepcopy(SOURCE_PAGES), dict(ISSUES))
    kb = sources.make_workspace(place / "kb")
    kb.build()
    sources.pages["leaks.md"][0][1] = "Empty the kettle now."
    sources.pages["noise.md"][0][1] = "Descale the <b>kettle</b> twice."
    del sources.pages["descaling.md"]
    sources.add_to(kb)
    kb.build()
    key = kb.keys.create("admin").key
    with served(place / "kb") as url:
        yield Site(url, kb, key)
    kb.close()


def test_what_a_rebuild_changed_is_shown_with_both_texts(rebuilt: Site, browser: Browser) -> None:
    from playwright.sync_api import expect

    from chromium import opened

    told = rebuilt.kb.views.changes()
    gone = next(one for one in told.removed if one.status_after is None)
    changed = next(one for one in told.changed if "Empty the kettle now." in (one.after or ""))
    with opened(browser, rebuilt.url, width=NARROW, key=rebuilt.key) as (page, watched):
        page.goto("/review")
        page.get_by_role("link", name="What the last build changed").click()
        for name, some in (("No longer shown", told.removed), ("Shown otherwise", told.changed)):
            expect(page.get_by_role("heading", level=2, name=name)).to_have_text(f"{name} {len(some)}")
        left_out = page.locator("section", has=page.get_by_role("heading", name="No longer shown"))
        other = page.locator("section", has=page.get_by_role("heading", name="Shown otherwise"))
        documents = page.locator("section", has=page.get_by_role("heading", name="Documents"))
        expect(documents.get_by_role("listitem")).to_have_count(1)  # the page that went
        expect(documents.locator("details")).to_have_count(2)  # those that changed, with what they said
        expect(documents.locator(".after", has_text="Empty the kettle now.")).to_have_count(1)
        first = left_out.locator("details").first
        first.locator("summary").focus()
        page.keyboard.press("Enter")
        expect(first.locator(".before")).to_be_visible()
        expect(left_out.locator(".before", has_text=(gone.before or "").split("\n")[-1]).first).to_be_attached()
        expect(left_out.locator(f"a[href*='{gone.solution}']")).to_have_count(0)  # of which there is no page any more
        one = other.locator("details", has_text="Empty the kettle now.").first
        one.locator("summary").click()
        expect(one.locator(".after")).to_contain_text("Empty the kettle now.")
        expect(one.locator(".before")).not_to_contain_text("Empty the kettle now.")
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => (one.open = true))")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            assert page.evaluate(AUDIT)["faults"] == []
        one.get_by_role("link", name="Its history").click()
        expect(page.locator("#text")).to_have_value(changed.after or "")
        assert not watched, watched


def test_a_gap_is_closed_and_figures_are_shown_for_a_time(site: Site, page: Page) -> None:
    from playwright.sync_api import expect

    page.goto("/in-use")
    expect(page.get_by_role("img", name="Accepted: ").first).to_be_visible()
    page.get_by_label("Since").fill("2020-01-01")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(f"{site.url}/in-use?since=2020-01-01")
    page.get_by_role("link", name="Unanswered or not helpful").click()
    page.get_by_text("perhaps about something else").click()
    row = page.get_by_role("row").filter(has_text=PIZZA)
    row.get_by_role("button", name="Dismiss").click()
    expect(row.get_by_role("status")).to_have_text("dismissed")
    row.get_by_role("button", name="Open again").click()
    expect(row.get_by_role("status")).to_have_text("open")
    assert PIZZA in [one.text for one in site.kb.usage.gaps().questions]


def test_what_rises_follows_the_page_and_is_asked_for_other_weeks_by_keys(site: Site, page: Page) -> None:
    from playwright.sync_api import expect

    page.goto("/trends")
    expect(page.get_by_role("heading", name="Effect of solutions")).to_be_visible()
    expect(page.locator("svg.weeks")).to_have_count(0)  # nothing of these weeks is left
    page.locator("#until").fill("2025-05-25")
    page.locator("#weeks").focus()
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The last 1 whole week up to 2025-W21")).to_be_visible()
    drawn = page.get_by_role("img", name="By week since 2025-W02")
    expect(drawn.first).to_be_visible()
    expect(drawn.first.locator(".now")).to_have_count(1)


def test_a_finding_is_settled_and_opened_again_by_keys(site: Site, browser: Browser) -> None:
    from playwright.sync_api import expect

    from chromium import opened

    with opened(browser, site.url, width=NARROW, key=site.key) as (page, watched):
        page.goto("/review")
        page.get_by_role("link", name="Needs attention").press("Enter")
        page.get_by_role("link", name="Source changed").press("Enter")
        page.wait_for_url("**/stale?kind=source_changed")  # whose scripts are there by then
        card = page.get_by_role("article", name="Source changed").first
        card.get_by_role("button", name="Settle").focus()
        page.keyboard.press("Enter")
        expect(card.get_by_role("status")).to_have_text("settled")
        (kept,) = site.kb.curation.stale(settled=True).findings
        assert kept.id == FINDING and kept.status == "settled" and kept.author.startswith("key-")
        card.get_by_role("button", name="Open again").press("Enter")
        expect(card.get_by_role("button", name="Settle")).to_be_visible()  # what can be said of it is there again
        assert site.kb.curation.stale(settled=True).findings == ()
        assert not watched, watched


def test_the_sheet_is_filled_in_by_y_and_n_and_b_goes_back(site: Site, page: Page) -> None:
    from playwright.sync_api import expect

    page.goto("/evaluation")
    page.get_by_role("link", name="Annotator 1:").click()
    page.wait_for_url("**/evaluation/sheet?annotator=1")  # and until its scripts listen to keys
    first, answered = site.kb.evaluate.sheet_item("1").item, site.kb.evaluate.sheet_item("1").answered
    assert first is not None
    progress = page.get_by_role("progressbar", name="Progress")
    for key, count in (("y", answered + 1), ("n", answered + 2)):
        page.keyboard.press(key)
        expect(progress).to_have_attribute("value", str(count))
    second = page.locator("input[name=item]").input_value()
    page.keyboard.press("b")
    expect(page.get_by_role("button", name="Take the answer back")).to_be_visible()
    assert page.locator("input[name=item]").input_value() != second
    assert site.kb.evaluate.sheet_item("1", first.id).item.answer is True  # type: ignore[union-attr]
    page.get_by_role("button", name="Take the answer back").click()
    expect(progress).to_have_attribute("value", str(answered + 1))


def test_the_knowledge_is_searched_while_typing_and_followed_to_the_quote(site: Site, page: Page) -> None:
    from playwright.sync_api import expect

    page.goto("/knowledge")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("dry clo")
    hit = page.locator("#found").get_by_role("link", name="Clean the contacts").first
    expect(hit).to_be_visible()
    expect(page).to_have_url(f"{site.url}/knowledge?q=dry+clo")
    hit.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Clean the contacts")
    page.locator("main a[href*='/documents/charging.md?at=']").first.click()
    quote = page.locator("#quote")
    expect(quote).to_have_text("Wipe the two contacts of the dock with a dry cloth.")
    expect(quote).to_be_in_viewport()
    page.goto("/tickets")
    page.get_by_role("link", name="APP-1", exact=True).click()
    expect(page.locator("#similar").get_by_role("listitem").first).to_be_visible()  # which comes afterwards
    expect(page.get_by_role("heading", level=1)).to_contain_text("App crashes")


def test_one_signs_in_is_led_on_and_signs_out(site: Site, browser: Browser) -> None:
    from playwright.sync_api import expect

    from chromium import opened

    with opened(browser, site.url, width=NARROW) as (page, watched):
        page.goto("/review")
        expect(page.get_by_label("Key")).to_be_focused()
        found = page.evaluate(AUDIT)
        assert found["faults"] == []
        page.keyboard.type("akb_wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert").first).to_contain_text("wrong or revoked")
        assert page.evaluate(AUDIT)["faults"] == []
        page.get_by_label("Key").fill(site.key)
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{site.url}/review")
        page.get_by_role("button", name="Sign out").click()
        expect(page).to_have_url(f"{site.url}/login")
        # The refusal of the wrong key is an error for the browser's console and nothing else is.
        assert not watched.dialogs and not watched.elsewhere and all("401" in one for one in watched.errors)


def test_names_headings_contrast_and_width_of_every_page_light_and_dark(site: Site, browser: Browser) -> None:
    from chromium import opened

    faults: list[str] = []
    least = {"light": 21.0, "dark": 21.0}

    def audit(page: Page, what: str) -> None:
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => (one.open = true))")
        for scheme in least:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            found = page.evaluate(AUDIT)
            assert found["texts"] > 5, what
            faults.extend(f"{what}, {scheme}: {one}" for one in found["faults"])
            least[scheme] = min(least[scheme], found["least"])

    with opened(browser, site.url, width=NARROW, key=site.key) as (page, _):
        for path in PAGES:
            page.goto(path)
            audit(page, path)
        page.goto("/")
        for asked in (BLADES, CHARGING, PIZZA):
            page.locator("#text").fill(asked)
            page.keyboard.press("Control+Enter")
            page.locator(".messages li", has_text=asked).wait_for()
            audit(page, asked)
    print(f"least contrast: {least}")
    assert not faults, "\n".join(faults)


BROKEN = """<body style="background: rgb(255, 255, 255)"><h1>One</h1><h1>Two</h1><h3>Three</h3>
<p><input><button></button>
<p style="color: rgb(119, 119, 119)">4.48 to 1</p><p style="color: rgb(118, 118, 118)">4.54 to 1</p>
<div style="opacity: 0.5">faded</div><i id="a">a</i><i id="a">a</i><div style="width: 2000px">wide</div>"""


def test_the_audit_finds_what_is_wrong(browser: Browser) -> None:
    from chromium import opened

    with opened(browser, "http://127.0.0.1:1", width=NARROW) as (page, _):
        page.set_content(BROKEN)
        found = " ".join(page.evaluate(AUDIT)["faults"])
    wanted = [
        "no label: <input>",
        "no name: <button>",
        "2 h1",
        "h3 after h1",
        "not one main",
        "not one header",
        "the id a",
    ]
    wanted += ["contrast 4.48 of text", "contrast 3.98 of text", "no language", "no title", "px wide in 360"]
    assert [one for one in wanted if one not in found] == [], found
    assert "4.54" not in found and found.count("contrast") == 2


# The focus as it moves: what has it, whether it stands after the one before, and what shows that it has it.
STEP = """() => {
  const at = document.activeElement, style = getComputedStyle(at), box = at.getBoundingClientRect();
  const before = window.__before;
  window.__before = at;
  return { name: (at.id || at.name || at.textContent).trim().slice(0, 40), tag: at.tagName,
    part: at.closest("section")?.className,
    follows: !before || Boolean(before.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING),
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth), seen: box.width > 2 && box.height > 2,
    left: box.left, right: box.right, top: box.top + scrollY, bottom: box.bottom + scrollY };
}"""
REACHABLE = """() => [...document.querySelectorAll(
  "a[href], button, input:not([type=hidden]), textarea, select, summary")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled).length"""


def test_the_focus_goes_through_the_conversation_as_it_is_read(site: Site, page: Page) -> None:
    page.goto("/")
    page.locator("#text").fill(BLADES)
    page.keyboard.press("Control+Enter")
    page.locator("#offer-1").wait_for()
    wanted = page.evaluate(REACHABLE)
    page.evaluate("() => { document.activeElement.blur(); document.body.tabIndex = -1; document.body.focus(); }")
    steps = []
    for _ in range(wanted):
        page.keyboard.press("Tab")
        steps.append(page.evaluate(STEP))
    assert steps[0]["name"] == "Skip to the content" and all(one["seen"] for one in steps), steps
    assert [one for one in steps if not one["follows"]] == []
    assert [one for one in steps if one["outline"] < 2] == [], "the focus is not seen"
    assert {one["tag"] for one in steps} == {"A", "BUTTON", "TEXTAREA", "SUMMARY"}
    # The parts in the order of the work; in each from left to right, else downwards.
    inside = [one for one in steps if one.get("part")]
    assert list(dict.fromkeys(one["part"] for one in inside)) == ["talk", "offers", "answer"]
    assert [one["part"] for one in inside] == sorted((one["part"] for one in inside), key="talk offers answer".index)
    for one, after in pairwise(inside):
        if one["part"] == after["part"]:
            assert after["top"] >= one["bottom"] - 1 or after["left"] >= one["right"] - 1, (one, after)


def test_no_page_weighs_more_than_150_kilobytes(site: Site, page: Page) -> None:
    from chromium import weigh

    weights = {path: weigh(page, path, "load") for path in PAGES if path != "/nothing"}
    for path, weight in weights.items():
        print(f"{weight:8,d} bytes {path}")
    assert max(weights.values()) < MOST_BYTES
    assert min(weights.values()) > 20_000, "the scripts are not counted"
