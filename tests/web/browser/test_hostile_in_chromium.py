"""A knowledge base whose every text is hostile: on no page does anything of it run, go elsewhere or burst the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import pytest

import hand_made_kb
import small_tickets
from autokb.app import SupportKB
from autokb.exchange.import_kb import import_file
from autokb.stores.workspace import create_workspace, open_workspace
from blind_sheets import write
from served_workspace import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow  # a browser draws the pages
NARROW = 360  # pixels
LONG = "Rasenmähroboterladestationskontaktreinigungstuch" * 12
HOSTILE = [
    "<script>window.__hit=1</script>",
    '"><img src=x onerror=window.__hit=2><img src=https://elsewhere.example/a.png>',
    "[click](javascript:window.__hit=3) <a href=javascript:window.__hit=3>click</a>",
    "</textarea></title></script></style><svg onload=window.__hit=4>",
    "' onmouseover='window.__hit=5' autofocus onfocus='window.__hit=5",
    "{{ 7 * 7 }} {% raw %} ${7*7} #{7*7} <%= 7*7 %>",
    '<b hx-get="https://elsewhere.example/" hx-trigger="load" hx-on:load="window.__hit=6">',
    '<meta http-equiv=refresh content="0;url=//elsewhere.example/"><base href=//elsewhere.example/>',
    "<style>main{display:none}</style><link rel=stylesheet href=//elsewhere.example/a.css>",
    "<div><table><tr><td></main></form><button></body><!--",
    "\u202e reversed \u2066 isolated \u200f",
    LONG,
]
ALL = "\n\n".join(HOSTILE)
SHEET = HOSTILE[1].replace("/", "_")
FILE = {  # names of files may hold nearly anything
    "charging.md": "a\"><img src=x onerror=window.__hit=7>' b.md",
    "rain.md": "javascript:window.__hit=8.md",
    "blades.md": f"{LONG}.md",
    "garage.md": "{{ 7*7 }}&amp;<script>window.__hit=9</script>#?.md",
}
# Point at everything, and open and focus what can be: handlers that stood anywhere would run.
PROVOKE = """() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  for (const one of document.querySelectorAll("body *"))
    for (const name of ["mouseover", "mouseenter", "focus", "pointerdown", "load", "error", "toggle"])
      one.dispatchEvent(new Event(name, { bubbles: true }));
  return {
    hit: window.__hit === undefined ? null : String(window.__hit),
    refused: window.__refused || ["what nobody watched"],
    links: [...document.querySelectorAll("*")].flatMap((one) =>
      ["href", "action", "formaction", "src", "hx-get", "hx-post"]
        .map((name) => one.getAttribute(name)).filter(Boolean)),
    handlers: [...document.querySelectorAll("*")]
      .filter((one) => [...one.attributes].some(({ name }) => /^(on|hx-on|style$|srcdoc$)/.test(name)))
      .map((one) => one.outerHTML.slice(0, 200)),
    foreign: document.querySelectorAll("img, iframe, object, embed, base, style, meta[http-equiv], main b").length,
    hidden: getComputedStyle(document.querySelector("main")).display === "none",
    steered: /[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.documentElement.outerHTML),
    wide: document.documentElement.scrollWidth,
    out: [...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1
      && !one.closest(".scroll, .messages, .unseen")).slice(0, 3).map((one) => one.outerHTML.slice(0, 150)),
  };
}"""


def hostile_lines() -> list[dict[str, Any]]:
    """The hand-made knowledge base with hostile words around its own, and hostile names of files."""
    lines = []
    for line in json.loads(json.dumps(hand_made_kb.lines())):
        kind = line["kind"]
        if kind == "document":
            line |= {"title": HOSTILE[0], "text": f"{line['text']}\n{ALL}\n", "url": "javascript:window.__hit=10"}
            line["id"] = FILE.get(line["id"], line["id"])
        elif kind in ("issue", "raw_issue"):
            line |= {"text": f"{line['text']} {' '.join(HOSTILE)}"}
        elif kind == "theme":
            line |= {"name": f"{HOSTILE[1]} {line['name']} {LONG}"}
        elif kind == "solution":
            line |= {"text": f"{HOSTILE[0]} {LONG}\n{line['text']}\n{ALL}", "reason": " ".join(HOSTILE)}
            for place in line["evidence"]:
                place["document"] = FILE.get(place["document"], place["document"])
            for rule in line["rules"]:
                rule["reason"] = HOSTILE[1]
        elif kind == "edit":
            line |= {"text": f"{HOSTILE[3]}\n{HOSTILE[1]}", "author": HOSTILE[1]}
        if kind == "raw_issue":
            line["resolved_by"] = [FILE.get(one, one) for one in line["resolved_by"]]
        lines.append(line)
    return lines


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[tuple[str, SupportKB]]:
    """The address of a service over hostile documents, issues, solutions, tickets, questions and feedback."""
    place: Path = tmp_path_factory.mktemp("hostile")
    done = import_file(
        create_workspace(place / "kb", "name: h\n"), hand_made_kb.write(place / "h.jsonl", hostile_lines())
    )
    assert done.skipped == ()
    kb = SupportKB(open_workspace(place / "kb"))
    records = [
        small_tickets.record("X-1", ALL, ALL, links={HOSTILE[1]: "X-2", "Relates": HOSTILE[0]}, comments=[ALL, LONG]),
        small_tickets.record(FILE["charging.md"], HOSTILE[3], HOSTILE[2], components=[{"name": HOSTILE[1]}]),
        small_tickets.record("X-2", HOSTILE[3], HOSTILE[2]),
    ]
    (place / "t.json").write_text(json.dumps(records), encoding="utf-8")
    kb.add([place / "t.json"], "tickets")
    kb.tickets.build()
    for n, text in enumerate((HOSTILE[1], HOSTILE[0])):
        kb.usage.give_feedback(
            text, "edited", "s-contacts", ALL, conversation=f"c{n}", group=text[:90], author=text[:90]
        )
        kb.usage.report_outcome(f"c{n}", resolved=True, seconds=60)
    kb.curation.edit("s-contacts", ALL, author=HOSTILE[1])
    kb.curation.reject(["s-gloves"], author=HOSTILE[3])
    write(place / "kb", SHEET, [ALL, LONG])
    with served(place / "kb") as url:
        yield url, kb
    kb.close()


def paths() -> tuple[list[str], list[str]]:
    """Return the pages that are shown, and those that are refused, each with a page that says so."""
    shown = [
        "/stale",
        "/review",
        "/review/changes",
        "/in-use",
        "/in-use/gaps",
        "/evaluation",
        "/evaluation/sheet",
        "/settings",
    ]
    shown += [f"/review/solution?solution={one}" for one in ("s-contacts", "s-rain", "s-support")]
    shown += [f"/login?{urlencode({'next': one})}" for one in ("javascript:window.__hit=11", HOSTILE[1])]
    shown += ["/knowledge", "/knowledge?q=script", f"/knowledge?{urlencode({'q': HOSTILE[1], 'theme': HOSTILE[0]})}"]
    shown += ["/issues/pair", "/issues/blades", "/solutions/s-contacts", "/solutions/s-support", "/documents"]
    shown += [f"/documents/{quote(one)}?at=0-90" for one in ("app/pairing.md", *FILE.values())]
    shown += ["/evaluation/suggestions", f"/evaluation/suggestions?{urlencode({'annotator': HOSTILE[1]})}"]
    shown += [f"/evaluation/suggestions/sheet?{urlencode({'sheet': SHEET, 'annotator': HOSTILE[1][:50]})}"]
    shown += ["/tickets", "/tickets/X-1", "/tickets/X-1?similar=1", f"/tickets/{quote(FILE['charging.md'])}"]
    shown += ["/trends?whole=1", "/trends?weeks=1&until=2025-05-25"]
    refused = [f"/trends?{urlencode({'until': one})}" for one in HOSTILE[:2]]
    refused += [f"/{quote(HOSTILE[0])}", f"/documents/{quote(HOSTILE[1])}", f"/tickets/{quote(HOSTILE[3])}"]
    refused += [f"/review?{urlencode({'kind': one})}" for one in HOSTILE[:2]]
    return shown, [*refused, f"/in-use?{urlencode({'since': HOSTILE[1]})}"]


def test_no_text_of_a_knowledge_base_runs_or_bursts_a_page(hostile: tuple[str, SupportKB], browser: Browser) -> None:
    from chromium import opened

    url, _ = hostile
    faults = []
    with opened(browser, url, width=NARROW) as (page, watched):
        shown, refused = paths()
        for path in [*shown, *refused]:
            response = page.goto(path)
            assert response is not None and response.ok == (path in shown), path
            faults += [f"{path}: {one}" for one in _faults(page.evaluate(PROVOKE))]
        page.goto("/")
        for text in (f"my robot does not charge in the dock {ALL}", "the blades do not cut the grass", HOSTILE[1]):
            page.locator("#text").fill(text)
            page.locator("#text").press("Control+Enter")
            page.locator(".messages li", has_text=text[:20]).last.wait_for()
            faults += [f"said {text[:20]}: {one}" for one in _faults(page.evaluate(PROVOKE))]
            if page.locator(".use").count():
                page.locator(".use").first.click()
                page.locator("#send").click()
                page.locator(".messages li.agent").last.wait_for()
                faults += [f"sent {text[:20]}: {one}" for one in _faults(page.evaluate(PROVOKE))]
        page.goto("/in-use/gaps")
        assert HOSTILE[1][:20] in page.locator("main").inner_text(), "what was asked is shown as text"
        faults += [f"gaps after: {one}" for one in _faults(page.evaluate(PROVOKE))]
        page.goto("/review/solution?solution=s-contacts")
        page.get_by_label("Title in the first line").press("Control+Enter")
        page.wait_for_url("**kept=1")
        page.get_by_text("Saved. It is shown").wait_for()
        faults += [f"kept: {one}" for one in _faults(page.evaluate(PROVOKE))]
    assert not faults, "\n".join(dict.fromkeys(faults))
    assert not watched.dialogs and not watched.elsewhere
    # A page that is not there, or a query that is refused, is an error for the console: nothing else is one.
    assert [one for one in watched.errors if "the server responded with a status of 4" not in one] == []


def test_the_texts_run_where_they_are_not_escaped(browser: Browser) -> None:
    from chromium import opened

    with opened(browser, "http://127.0.0.1:1", width=NARROW) as (page, watched):
        for text in (HOSTILE[0], HOSTILE[1], HOSTILE[3], f"<p title='{HOSTILE[4]}'>"):
            page.set_content(f"<main>{text}</main>")
            page.wait_for_timeout(50)  # for an image that does not come
            assert any(one.startswith("ran ") for one in _faults(page.evaluate(PROVOKE))), text
        assert any("elsewhere.example" in one for one in watched.elsewhere)
        page.set_content(f"<main>{HOSTILE[2]} {HOSTILE[10]} {LONG}</main>")
        found = " ".join(_faults(page.evaluate(PROVOKE)))
        assert "a link to javascript:" in found and "direction" in found and "px wide" in found


def _faults(found: dict[str, Any]) -> Iterator[str]:
    if found["hit"] is not None:
        yield f"ran {found['hit']}"
    yield from (f"the policy had to refuse {one}" for one in found["refused"])
    yield from (f"a link to {one}" for one in found["links"] if not one.startswith(("/", "#", "?")) or one[:2] == "//")
    yield from (f"a handler: {one}" for one in found["handlers"])
    if found["foreign"] or found["hidden"]:
        yield f"{found['foreign']} elements that no template has; hidden: {found['hidden']}"
    if found["steered"]:
        yield "a character that turns the direction of writing"
    if found["wide"] > NARROW:
        yield f"{found['wide']} px wide: {found['out']}"
