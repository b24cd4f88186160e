"""The ask box in pages of other sites: who may show it, what it answers, and how often."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import hand_made_kb
from autokb.answering.clarify import Clarification
from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.core.settings import read_settings
from autokb.exchange.import_kb import import_file
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from autokb.web.app import create_app
from autokb.web.pages import embed
from autokb.web.pages.embed import CHARACTERS
from autokb.web.pages.rendering import NOT_NOW, said_in_box

ORIGINS = "origins: ['https://help.example.com', 'http://localhost:8080']"
CHARGING = "my robot does not charge in the dock"
PAIRING = "the robot does not pair"
OURS = {"accept": "text/html", "sec-fetch-site": "same-origin"}
Opens = Callable[..., TestClient]


@pytest.fixture
def opened(hand_made: Workspace) -> Iterator[Opens]:
    """Opens the service with what settings say of the box, as seen from an address that is not this machine."""
    with ExitStack() as stack:

        def open_with(embed: str = ORIGINS, address: str = "203.0.113.7") -> TestClient:
            path = hand_made.folder / "settings.yaml"
            path.write_text(f"embed: {{{embed}}}\n" if embed else "", encoding="utf-8")
            app = create_app(hand_made.folder, host="0.0.0.0")
            return stack.enter_context(
                TestClient(app, base_url="https://kb.example.com", client=(address, 50_000), headers=OURS)
            )

        yield open_with


def test_it_is_shown_by_the_sites_of_the_settings_and_has_no_script(opened: Opens) -> None:
    shown = opened().get("/embed")
    policy = dict(one.strip().split(" ", 1) for one in shown.headers["content-security-policy"].split(";"))
    assert policy["frame-ancestors"] == "https://help.example.com http://localhost:8080"
    assert policy["default-src"] == "'none'" and "script-src" not in policy and policy["form-action"] == "'self'"
    assert "<script" not in shown.text and "x-frame-options" not in shown.headers


def test_without_sites_in_the_settings_there_is_none(opened: Opens) -> None:
    client = opened("")
    for sent in (client.get("/embed"), client.post("/embed", data={"text": CHARGING})):
        assert sent.status_code == 404 and "frame-ancestors 'none'" in sent.headers["content-security-policy"]


def test_a_stranger_gets_an_answer_with_its_source_and_nothing_else_of_the_service(
    opened: Opens, hand_made: Workspace
) -> None:
    SupportKB(hand_made).keys.create("admin")
    client = opened()
    page = client.post("/embed", data={"text": CHARGING}).text
    assert "Wipe the two contacts of the dock with a dry cloth." in page and "Charging 🔋" in page
    assert 'href="/' not in page.replace('href="/static/', "")  # nothing that needs a key
    assert "Nothing here is about that." in client.post("/embed", data={"text": "do you sell pizza margherita"}).text
    for path in ("/v1/issues", "/v1/ask", "/metrics"):
        assert client.get(path).status_code in (401, 405)
    assert client.get("/", follow_redirects=False).headers["location"].startswith("/login")


def test_a_question_back_is_answered_by_a_click(opened: Opens) -> None:
    client = opened()
    page = client.post("/embed", data={"text": "the blades do not cut the grass"}).text
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    values = re.findall(r'<button name="value" value="([^"]+)"', page)
    assert hidden["attribute"] == "model" and "Hopper" in values
    answered = client.post("/embed", data={**hidden, "value": "Hopper"}).text
    assert "loosen the three screws" in answered and "Glider: pull" not in answered


def test_a_question_back_has_the_words_of_customers_and_something_else(tmp_path: Path) -> None:
    lines = hand_made_kb.write(tmp_path / "kb.jsonl")
    values = "values: [Hopper, Glider, Badger]"
    said = f"{values}, ask: Which robot, labels: {{Hopper: Hopper 3 <grass>, Badger: Badger X}}"
    lines.write_text(lines.read_text(encoding="utf-8").replace(values, said), encoding="utf-8")
    import_file(workspace := create_workspace(tmp_path / "kb", "name: fresh\n"), lines)
    (workspace.folder / "settings.yaml").write_text(f"embed: {{{ORIGINS}}}\n", encoding="utf-8")
    client = TestClient(create_app(workspace.folder), base_url="https://kb.example.com", headers=OURS)
    page = client.post("/embed", data={"text": "the blades do not cut the grass"}).text
    assert "Which robot: Hopper 3 &lt;grass&gt;, Glider, Badger X, or something else?" in page
    buttons = re.findall(r'<button name="value" value="(\w+)"[^>]*>([^<]+)</button>', page)
    wanted = [("Hopper", "Hopper 3 &lt;grass&gt;"), ("Glider", "Glider"), ("Badger", "Badger X")]
    assert buttons == [*wanted, ("NONE", "Something else")]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    assert "Only for Hopper 3 &lt;grass&gt;" in client.post("/embed", data={**hidden, "value": "Hopper"}).text
    other = client.post("/embed", data={**hidden, "value": "NONE"})
    assert other.status_code == 200 and "loosen the three screws" not in other.text


def test_none_is_among_the_answers_once() -> None:
    asked = Clarification("os", ("iOS", "NONE"), "Which system is it: iPhone, none, or something else?")
    assert embed._choices(asked, {"iOS": "iPhone"}) == [("iOS", "iPhone"), ("NONE", "None")]


@pytest.mark.parametrize(
    "form",
    [
        {"known": "["},
        {"known": '{"model": "Hopper"}'},
        {"known": '{"model": [1]}'},
        {"attribute": "no-such", "value": "x"},
        {"known": json.dumps({"colour": ["red"]})},
    ],
)
def test_a_form_that_no_page_of_ours_made_is_refused_in_a_sentence(opened: Opens, form: dict[str, str]) -> None:
    refused = opened().post("/embed", data={"text": CHARGING, **form})
    assert refused.status_code == 422 and 'role="alert"' in refused.text and "Traceback" not in refused.text


def test_hostile_questions_are_shown_as_text_and_cut(opened: Opens) -> None:
    client = opened("origins: ['https://help.example.com'], a_minute: 1000")
    hostile = "<script>alert(1)</script>\"'>\0\ud800‮"
    page = client.post("/embed", data={"text": hostile.encode("utf-8", "surrogatepass")}).text
    assert "<script" not in page and "&lt;script&gt;" in page and "‮" not in page
    long = client.post("/embed", data={"text": "robot " * 20_000})
    assert long.status_code == 200 and long.text.count("robot") <= CHARACTERS / 6 + 20
    assert client.post("/embed", data={"text": "  "}).status_code == 422
    assert client.post("/embed", data={"text": "x" * 2_000_000}).status_code == 413


def test_another_site_cannot_send_the_form(opened: Opens) -> None:
    refused = opened().post("/embed", data={"text": CHARGING}, headers={"sec-fetch-site": "cross-site"})
    assert refused.status_code == 403


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"data": {"text": CHARGING}, "headers": {"sec-fetch-site": "cross-site"}}, 403),
        ({"data": {"text": "x" * 2_000_000}}, 413),
        ({"files": {"text": b"a file"}}, 422),
    ],
)
def test_what_is_refused_is_said_to_a_customer(opened: Opens, sent: dict[str, Any], status: int) -> None:
    refused = opened().post("/embed", **sent)
    assert refused.status_code == status and said_in_box(status) in refused.text
    assert "frame-ancestors https://help.example.com" in refused.headers["content-security-policy"]
    for word in ("key", "this service", "first page", "openapi", "<nav", "Skip to"):
        assert word not in refused.text, word
    assert ("allow-same-origin" in refused.text) == (status == 403)  # for who reads the source


def test_a_workspace_without_a_build_says_nothing_of_commands(tmp_path: Path) -> None:
    SupportKB.create(tmp_path / "kb", "headphones")
    (tmp_path / "kb" / "settings.yaml").write_text(f"embed: {{{ORIGINS}}}\n", encoding="utf-8")
    app = create_app(tmp_path / "kb", host="0.0.0.0")
    with TestClient(app, base_url="https://kb.example.com", client=("203.0.113.7", 1), headers=OURS) as client:
        refused = client.post("/embed", data={"text": CHARGING})
    assert refused.status_code == 404 and NOT_NOW in refused.text and "autokb build" not in refused.text


def test_an_address_asks_so_often_and_another_one_is_not_held_up(opened: Opens) -> None:
    client = opened("origins: ['https://help.example.com'], a_minute: 1, proxies: 1")

    def ask(address: str) -> int:
        sent = client.post("/embed", data={"text": CHARGING}, headers={"x-forwarded-for": f"192.0.2.1, {address}"})
        assert sent.status_code == 200 or int(sent.headers["retry-after"]) > 0
        return sent.status_code

    assert [ask("198.51.100.9") for _ in range(2)] == [200, 429]
    assert ask("198.51.100.10") == 200
    assert [ask(f"2001:db8::{n:x}") for n in range(2)] == [200, 429]  # one network of one customer
    assert ask("2001:db8:1::1") == 200


def test_what_a_stranger_says_of_its_address_counts_for_nothing_without_a_proxy(opened: Opens) -> None:
    client = opened("origins: ['https://help.example.com'], a_minute: 1")
    sent = [
        client.post("/embed", data={"text": CHARGING}, headers={"x-forwarded-for": f"198.51.100.{n}"}).status_code
        for n in range(2)
    ]
    assert sent == [200, 429]


@pytest.mark.parametrize(("a_minute", "at_once"), [(2, 2), (20, 20), (50, 20)])
def test_no_more_come_at_once_than_a_minute_has_and_the_wait_is_said(
    opened: Opens, monkeypatch: pytest.MonkeyPatch, a_minute: int, at_once: int
) -> None:
    client = opened(f"origins: ['https://help.example.com'], a_minute: {a_minute}")
    door_of = client.app.user_middleware[0].kwargs["door_of"]  # type: ignore[attr-defined]
    monkeypatch.setattr(door_of({}).of_addresses, "clock", lambda: 1_000.0)
    sent = [client.post("/embed", data={"text": CHARGING}) for _ in range(at_once + 1)]
    assert [one.status_code for one in sent] == [200] * at_once + [429]
    seconds = int(sent[-1].headers["retry-after"])
    assert seconds == math.ceil(60 / a_minute)
    assert f"Ask again in {seconds} seconds." in sent[-1].text


def test_a_model_that_answers_agents_costs_nothing_here(hand_made: Workspace) -> None:
    (hand_made.folder / "settings.yaml").write_text(
        f"ask: {{model: 'openai:gpt-x'}}\nbase_url: http://127.0.0.1:9\nembed: {{{ORIGINS}}}\n", encoding="utf-8"
    )
    app = create_app(open_workspace(hand_made.folder).folder, host="0.0.0.0")
    with TestClient(app, base_url="https://kb.example.com", client=("203.0.113.7", 1), headers=OURS) as client:
        assert "Wipe the two contacts" in client.post("/embed", data={"text": CHARGING}).text


@pytest.mark.parametrize(
    "embed",
    [
        {"origins": ["help.example.com"]},
        {"origins": ["https://help.example.com/page"]},
        {"origins": ["https://help.example.com; script-src *"]},
        {"origins": "*"},
        {"origins": [7]},
        {"a_minute": 0},
        {"proxies": -1},
        {"proxies": True},
        {"colour": "red"},
    ],
)
def test_settings_that_would_let_anybody_show_it_are_refused(embed: dict[str, object]) -> None:
    with pytest.raises(BadInputError, match=r"settings\.yaml: embed"):
        read_settings({"embed": embed})
    assert read_settings({"embed": {"origins": "https://*.example.com"}}).embed.origins == ("https://*.example.com",)


def test_a_site_may_be_named_as_an_address_bar_shows_it() -> None:
    named = read_settings({"embed": {"origins": ["https://help.example.com/", "http://localhost:8080/"]}}).embed
    assert named.origins == ("https://help.example.com", "http://localhost:8080")
