"""The page on which who may only read asks a question: in the menu, answered as ``/v1/ask`` answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app

CHARGING = "my robot does not charge in the dock"
OURS = {"accept": "text/html", "sec-fetch-site": "same-origin"}


@pytest.fixture
def client(hand_made: Workspace) -> Iterator[TestClient]:
    app = create_app(hand_made.folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=OURS) as opened:
        yield opened


def test_a_reader_finds_it_in_the_menu_and_gets_the_answer_of_the_service(
    client: TestClient, hand_made: Workspace
) -> None:
    kb = SupportKB(hand_made)
    key = kb.keys.create("reader").key
    assert client.post("/ask", data={"text": CHARGING}, follow_redirects=False).status_code in (303, 401), "no key"
    client.headers["authorization"] = f"Bearer {key}"
    menu = client.get("/knowledge").text.split("<nav", 1)[1].split("</nav>")[0]
    assert 'href="/ask"' in menu and "Conversation" not in menu
    page = client.get("/ask").text
    assert 'action="/ask"' in page and 'aria-current="page">Ask<' in page
    answered = client.post("/ask", data={"text": CHARGING}).text
    shown = client.post("/v1/ask", json={"text": CHARGING}, headers={"accept": "application/json"}).json()
    assert shown["matches"][0]["solutions"][0]["steps"][0] in answered and "<nav" in answered
    assert client.post("/ask", data={"text": " "}).status_code == 422
    assert client.post("/ask", data={"text": CHARGING, "known": "[1"}).status_code == 422
    assert "Nothing here is about that." in client.post("/ask", data={"text": "do you sell pizza margherita"}).text
