"""The pages on which people judge suggestions blind: what is shown and saved, for whom, and what is refused."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.plugins.lab.evaluation.sheets import key_path
from autokb.plugins.lab.evaluation.suggestions.sheet import read_suggestion_sheet
from autokb.plugins.lab.evaluation.suggestions.sheet_form import read_sheet_rows
from autokb.stores.workspace import Workspace
from autokb.web.access import COOKIE
from autokb.web.app import create_app
from blind_sheets import FULL, write

ELSEWHERE = {"sec-fetch-site": "cross-site"}
BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}
LIST, SHEET = "/evaluation/suggestions", "/evaluation/suggestions/sheet"
HOSTILE = '<script>hit()</script>"><img src=x onerror=hit()>\u202e'


@pytest.fixture
def client(hand_made: Workspace) -> Iterator[TestClient]:
    app = create_app(hand_made.folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER) as opened:
        yield opened


def item_of(page: str) -> str:
    found = re.search(r'name="item" value="([^"]*)"', page)
    assert found, page
    return html.unescape(found[1])


def checked(page: str) -> dict[str, str]:
    return dict(re.findall(r'name="(\w+)" value="(\w+)" data-pick="\w" checked', page))


def post(client: TestClient, item: str, marks: Mapping[str, str], annotator: str = "ann", sheet: str = "june") -> str:
    sent = client.post(SHEET, data={"sheet": sheet, "annotator": annotator, "item": item, **marks})
    assert sent.status_code == 200 and sent.history[0].status_code == 303, sent.text
    return sent.text


def test_a_sheet_is_judged_back_and_forth_until_its_end(client: TestClient, hand_made: Workspace) -> None:
    assert "There is no sheet yet" in client.get(f"{LIST}?annotator=ann").text
    path = write(hand_made.folder)
    assert "Your name" in client.get(LIST).text
    assert 'sheet=june&amp;annotator=ann"' in client.get(f"{LIST}?annotator=ann").text
    page = client.get(f"{SHEET}?sheet=june&annotator=ann").text
    first = item_of(page)
    assert "Case 1 of 3" in page and "0 of 3 judged" in page and checked(page) == {} and "Skip" in page
    page = post(client, first, FULL)
    second = item_of(page)
    assert "Case 2 of 3" in page and "1 of 3 judged" in page and "Back" in page and second != first
    page = client.get(f"{SHEET}?sheet=june&annotator=ann&item={first}").text
    assert "Case 1 of 3" in page and checked(page) == FULL
    page = post(client, first, {**FULL, "preference": "same"})
    assert item_of(page) == second
    page = post(client, second, {"preference": "B"})
    assert "Case 3 of 3" in page and "1 of 3 judged" in page
    page = post(client, item_of(page), FULL)
    assert item_of(page) == second and "Saved, and still open: Is it correct? (A)" in html.unescape(page)
    assert checked(page) == {"preference": "B"}
    assert "Which one would you send?" not in page.split("still open")[1]
    page = post(client, second, FULL)
    assert "All 3 cases are judged" in page and "<form method" not in page.split("<main")[1]
    page = post(client, second, {**FULL, "clear": "1"})
    assert item_of(page) == second and checked(page) == {} and "2 of 3 judged" in page
    found = read_suggestion_sheet(path)
    assert found.items == 2 and found.no_preference.value == 0.5


def test_nothing_says_which_system_is_which_nor_what_others_marked(client: TestClient, hand_made: Workspace) -> None:
    path = write(hand_made.folder, texts=["dock"])
    post(client, "c0", {**FULL, "preference": "B"}, annotator="bo")
    for address in (LIST, f"{LIST}?annotator=ann", f"{SHEET}?sheet=june&annotator=ann"):
        page = client.get(address).text
        assert "incumbent" not in page and "checked" not in page and ">bo<" not in page
        assert address != f"{SHEET}?sheet=june&annotator=ann" or "text on dock" in page
    key = key_path(path).read_text("utf-8")
    assert "incumbent" in key
    assert client.get("/evaluation/suggestions/june.key.json").status_code == 404
    assert client.get(f"{SHEET}?sheet=june.key&annotator=ann").status_code == 404


def test_who_has_a_key_judges_under_it_and_a_reader_not_at_all(hand_made: Workspace) -> None:
    path = write(hand_made.folder, texts=["dock"])
    kb = SupportKB(hand_made)
    keys = {role: kb.keys.create(role, role) for role in ("reader", "agent", "editor")}
    app = create_app(hand_made.folder)
    client = TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER)

    def as_role(role: str) -> dict[str, str]:
        return {"authorization": f"Bearer {keys[role].key}"}

    sent = {"sheet": "june", "annotator": keys["editor"].id, "item": "c0", **FULL}
    assert client.post(SHEET, data=sent, headers=as_role("reader")).status_code == 403
    assert client.post(SHEET, data=sent, cookies={COOKIE: keys["agent"].key}, headers=ELSEWHERE).status_code == 403
    assert client.post(SHEET, data=sent, headers=as_role("agent"), follow_redirects=False).status_code == 303
    judged = {row["annotator"] for row in read_sheet_rows(path) if row["preference"]}
    assert judged == {keys["agent"].id}, "the name that is sent beside a key counts for nothing"
    theirs = client.get(f"{SHEET}?sheet=june&annotator={keys['agent'].id}", headers=as_role("editor")).text
    assert checked(theirs) == {} and keys["editor"].id in theirs
    page = client.get(LIST, headers=as_role("agent")).text
    assert keys["agent"].id in page and "Your name" not in page and 'href="/evaluation"' not in page
    assert client.get(LIST, headers=as_role("reader")).status_code == 403


def test_hostile_texts_and_names_are_texts_and_what_is_wrong_is_told(client: TestClient, hand_made: Workspace) -> None:
    path = write(hand_made.folder, name="a&b <i>", texts=[HOSTILE, "=cmd()"])
    page = client.get(LIST, params={"annotator": HOSTILE[:20]}).text
    assert "<script>hit" not in page and "<i>" not in page
    link = re.search(r'class="hit" href="([^"]+)"', page)
    assert link is not None
    page = client.get(html.unescape(link[1])).text
    assert "<script>hit" not in page and "<img" not in page and "\u202e" not in page
    assert "&lt;script&gt;" in page and "a&amp;b &lt;i&gt;" in page
    page = post(client, item_of(page), FULL, annotator=HOSTILE[:20], sheet="a&b <i>")
    assert "1 of 2 judged" in page and "<script>hit" not in page
    before = path.read_bytes()
    for status, sentence, changed in (
        (422, "relevance_a is '7'; write 0, 1 or 2", {"relevance_a": "7"}),
        (422, "Say who judges", {"annotator": ""}),
        (422, "Say who judges", {"annotator": "x" * 61}),
        (404, "has no case", {"item": "c9"}),
        (404, "There is no sheet", {"sheet": "../domain"}),
        (422, "item is missing.", {"item": None}),
    ):
        data = {"sheet": "a&b <i>", "annotator": "ann", "item": "c0", **FULL, **changed}
        refused = client.post(SHEET, data={name: value for name, value in data.items() if value is not None})
        assert refused.status_code == status and sentence in html.unescape(refused.text), sentence
    assert client.get(f"{SHEET}?sheet=june&annotator=ann&item=c9").status_code == 404
    assert path.read_bytes() == before
