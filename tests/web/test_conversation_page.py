"""The agent's page: what is said, suggested, sent and noted, with HTMX and without any script."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from autokb.answering.suggest import Suggestion
from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.nouns import Message
from autokb.llm.embedders.multilingual import is_installed
from autokb.stores.workspace import Workspace
from autokb.usage.sent_replies import whole_of
from autokb.web.app import create_app
from served_process import wait_until

QUESTION = "my robot does not charge in the dock"
BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}


@pytest.fixture
def client(hand_made: Workspace) -> Iterator[TestClient]:
    app = create_app(hand_made.folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER) as opened:
        yield opened


def state_of(page: str) -> str:
    found = re.search(r'name="state" value="([^"]*)"', page)
    assert found
    return html.unescape(found[1])


def test_a_conversation_from_the_first_message_to_the_reply_that_is_sent(
    client: TestClient, hand_made: Workspace
) -> None:
    first = client.get("/").text
    asked = client.post("/conversation/say", data={"state": state_of(first), "text": QUESTION}).text
    assert asked.startswith("<!doctype html>") and QUESTION in asked
    offered = re.findall(r'<p id="offer-(\d)" class="reply" dir="auto">(.*?)</p>', asked, re.S)
    assert [place for place, _ in offered] == [str(n) for n in range(1, len(offered) + 1)] and offered
    reply = html.unescape(offered[0][1])
    first_offer = asked[asked.index('class="offer card"') : asked.index('id="offer-1" class="reply"')]
    assert "for " not in re.sub("<[^>]*>", "", first_offer), "it is for everybody"
    assert 'target="_blank" rel="noopener">Open ' in asked
    sent = client.post("/conversation/send", data={"state": state_of(asked), "reply": reply, "chosen": "0"}).text
    assert reply in html.unescape(sent) and 'class="offer card' not in sent
    edited = client.post(
        "/conversation/send",
        data={"state": state_of(asked), "reply": reply + " Thanks!", "chosen": "0", "group": "night"},
    )
    own = client.post("/conversation/send", data={"state": state_of(asked), "reply": "Call us.", "chosen": ""})
    assert edited.status_code == own.status_code == 200
    kept = SupportKB(hand_made).usage.feedback().items
    assert [(one.verdict, one.text, one.group) for one in kept] == [
        ("used", reply, ""),
        ("edited", reply + " Thanks!", "night"),
        ("rejected", "Call us.", ""),
    ]
    assert len({one.conversation for one in kept}) == 1 and all(one.query == QUESTION for one in kept)


def test_the_whole_solution_stands_in_the_card_and_can_be_sent(client: TestClient, hand_made: Workspace) -> None:
    steps = ["Allow Bluetooth for the app in the iOS settings.", "Hold the iPhone close to the robot. " * 30]
    SupportKB(hand_made).curation.edit("s-ios", steps=steps)
    asked = "the robot does not pair with my iPhone"
    pages: list[str] = []

    def is_loaded() -> bool:  # what was edited
        pages.append(
            client.post("/conversation/say", data={"state": state_of(client.get("/").text), "text": asked}).text
        )
        return "The whole solution" in pages[-1]

    wait_until(is_loaded)
    page = pages[-1]
    wholes = re.findall(r'<p id="whole-(\d)" class="wording small" dir="auto">(.*?)</p>', page, re.S)
    assert wholes, page
    place, text = wholes[0]
    whole = html.unescape(text)
    suggested = SupportKB(hand_made).suggest([Message("customer", asked)])
    one = suggested.suggestions[int(place) - 1]
    assert one.solution_id and list(one.steps) == one.as_json()["steps"]
    assert (
        all(step in whole for step in one.steps) and len(whole) > len(one.text) and whole.startswith(f"1. {steps[0]}")
    )
    data = {"state": state_of(page), "reply": whole.replace("\n", "\r\n"), "chosen": str(int(place) - 1)}
    client.post("/conversation/send", data=data)
    assert [one.verdict for one in SupportKB(hand_made).usage.feedback().items] == ["used"]


def test_what_a_person_wrote_is_offered_by_every_door_and_may_be_sent(
    client: TestClient, hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = SupportKB(hand_made)
    issue = kb.ask(QUESTION).matches[0].issue.id
    own = "# The dock has no power\n\n1. Press the grey switch of the dock.\n2. Put the robot into the dock again.\n"
    (tmp_path / "own.md").write_text(own, encoding="utf-8")
    written = kb.curation.write(issue, tmp_path / "own.md")
    text = "Press the grey switch of the dock. Put the robot into the dock again."
    first = kb.suggest(QUESTION).suggestions[0]
    assert (first.text, first.solution_id, first.title) == (text, written.id, "The dock has no power")

    def offered() -> dict[str, Any]:
        answer = client.post("/v1/suggest", json={"messages": [{"role": "customer", "text": QUESTION}]}).json()
        return dict(answer["suggestions"][0])

    wait_until(lambda: offered()["text"] == text)  # what is written is loaded beside
    said = offered()
    assert (said["solution_id"], said["source"], said["evidence"]) == (written.id, "solution", [])
    assert main(["suggest", str(hand_made.folder), QUESTION]) == 0
    told = capsys.readouterr().out
    assert "1  The dock has no power, written by hand" in told and "right in" in told.split("\n")[0]
    page = client.post("/conversation/say", data={"state": state_of(client.get("/").text), "text": QUESTION}).text
    card = page[page.index('class="offer card"') : page.index('id="offer-1" class="reply"')]
    assert "The dock has no power" in card and "written by hand" in card and "The first is right in" in page
    client.post("/conversation/send", data={"state": state_of(page), "reply": text, "chosen": "0"})
    (kept,) = kb.usage.feedback().items
    assert (kept.verdict, kept.solution_id) == ("used", written.id)


def test_what_is_sent_whole_has_the_numbers_of_the_manual() -> None:
    steps = ("Charge it first.", "Open the lid.", "Close it.")
    assert whole_of(Suggestion("Open the lid.", "solution", steps=steps, numbers=(None, 1, 2))) == (
        "Charge it first.\n1. Open the lid.\n2. Close it."
    )
    assert whole_of(Suggestion("Open.", "solution", steps=("Open the lid.",), numbers=(1,))) == "Open the lid."
    assert whole_of(Suggestion("Open the lid.", "solution")) == ""


def test_htmx_gets_the_part_that_changes_alone(client: TestClient) -> None:
    state = state_of(client.get("/").text)
    part = client.post(
        "/conversation/say", data={"state": state, "text": QUESTION}, headers={"hx-request": "true"}
    ).text
    assert part.lstrip().startswith('<form id="conversation"') and "<html" not in part
    data = {"state": state_of(part), "place": "0", "verdict": "unhelpful"}
    assert "not helpful" in client.post("/conversation/judge", data=data, headers={"hx-request": "true"}).text
    for wrong in ({"place": "7"}, {"place": "-1"}, {"place": "²"}, {"place": "9" * 5000}, {"verdict": "used"}):
        assert client.post("/conversation/judge", data={**data, **wrong}).status_code == 422


def test_nothing_said_and_nothing_to_send_is_said_and_changes_nothing(client: TestClient, hand_made: Workspace) -> None:
    state = state_of(client.get("/").text)
    assert "Write what the customer said first." in client.post("/conversation/say", data={"state": state}).text
    assert "Write a reply" in client.post("/conversation/send", data={"state": state, "reply": " "}).text
    assert SupportKB(hand_made).usage.feedback().items == ()


def test_a_half_written_reply_stays_when_the_customer_writes_on(client: TestClient) -> None:
    state = state_of(client.get("/").text)
    page = client.post("/conversation/say", data={"state": state, "text": QUESTION, "reply": "Dear <b>"}).text
    assert ">Dear &lt;b&gt;</textarea>" in page
    again = client.post("/conversation/say", data={"state": state_of(page), "text": " ", "reply": "Dear you"}).text
    assert ">Dear you</textarea>" in again


def test_a_value_of_the_question_back_is_the_customers_answer(client: TestClient) -> None:
    state = state_of(client.get("/").text)
    data = {"state": state, "question": "Which one is it?", "value": "<b>S1</b>"}
    page = client.post("/conversation/choose", data=data).text
    assert "Which one is it?" in page and "&lt;b&gt;S1&lt;/b&gt;" in page and "<b>S1" not in page
    again = client.post("/conversation/choose", data={**data, "state": state_of(page), "value": "S2"}).text
    said = html.unescape(state_of(again))
    assert said.count("Which one is it?") == 2, "asked again after the customer spoke"


def test_a_customer_who_writes_another_language_is_named_and_one_who_does_not_is_not(client: TestClient) -> None:
    state = state_of(client.get("/").text)
    for asked, named in (("Mein Mähroboter lädt nicht, wenn er in der Station steht", True), (QUESTION, False)):
        page = client.post("/conversation/say", data={"state": state, "text": asked}).text
        offered = "Source" in page
        assert offered or not is_installed(), "the second encoder reads German"
        assert ("The customer writes German; these replies are in English." in page) == (named and offered)


def test_what_was_understood_is_shown_and_a_match_claimed_for_nothing_else(client: TestClient) -> None:
    state = state_of(client.get("/").text)
    for text, shown, other in (
        ("my Hopper has blunt blades, they do not cut the grass cleanly", ">for Hopper<", ">only for"),
        ("the blades do not cut the grass cleanly", ">only for Hopper<", ">for Hopper<"),
    ):
        page = client.post("/conversation/say", data={"state": state, "text": text}).text
        assert "screws" in page, text
        assert ("Understood:" in page) == ("Hopper" in text)
        assert shown in page and other not in page, text


def test_why_nothing_answers_is_said_once_and_without_the_gate(client: TestClient) -> None:
    state = state_of(client.get("/").text)
    page = client.post("/conversation/say", data={"state": state, "text": "do you bake pizza margherita"}).text
    assert page.count("Nothing here is about that.") == 1 and "off topic" not in page
    assert "Polite refusal" in page


@pytest.mark.parametrize("state", ["", "{}", "[]", '{"conversation": 1}', "x" * 1000])
def test_a_record_that_is_none_is_refused_with_a_sentence(client: TestClient, state: str) -> None:
    refused = client.post("/conversation/say", data={"state": state, "text": "x"})
    assert refused.status_code == 422 and refused.headers["content-type"].startswith("text/html")
    assert "start a new conversation" in refused.text


def test_how_sure_it_is_is_said_in_words(client: TestClient, hand_made: Workspace) -> None:
    kb, state = SupportKB(hand_made), state_of(client.get("/").text)
    seen = set()
    for text in (
        QUESTION,
        "the robot does not pair with my iPhone",
        "may I clean the rain sensor with soap",
        "my robot makes a noise",
    ):
        found = kb.suggest([Message("customer", text)])
        page = client.post("/conversation/say", data={"state": state, "text": text}).text
        is_help = found.outcome == "answered" and bool(found.suggestions[0].evidence)
        assert ("Check before you send" in page) == (is_help and found.confidence < 0.5), text
        assert ("The first is right in" in page) == (is_help and found.confidence >= 0.5), text
        seen.add((is_help, found.confidence < 0.5))
    assert {(True, True), (True, False)} <= seen, "both were seen"


def test_above_a_reply_stand_its_heading_and_document_and_why_is_folded(client: TestClient) -> None:
    state = state_of(client.get("/").text)
    text = "my Hopper has blunt blades, they do not cut the grass cleanly"
    page = client.post("/conversation/say", data={"state": state, "text": text}).text
    card = page[page.index('class="offer card"') :]
    above, below = card[: card.index('class="reply"')], card[card.index('class="reply"') : card.index("</article>")]
    assert '<span class="muted">blades.md</span>' in above and "<strong" in above
    assert "similarity" not in above and "match" not in above
    why = below[below.index("<summary>Why this?</summary>") :]
    assert "blades do not cut" in why and re.search(r"\((exact|broader) match, similarity [01]\.\d\d\)", why)
