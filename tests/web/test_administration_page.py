"""The admin's page and paths: keys made, listed and revoked, and the settings in force."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app

BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}


def opened(folder: Path) -> TestClient:
    app = create_app(folder)
    return TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER)


@pytest.fixture
def client(hand_made: Workspace) -> Iterator[TestClient]:
    with opened(hand_made.folder) as found:
        yield found


def key_on(page: str) -> str:
    found = re.search(r'id="made"[^>]* value="([^"]+)"', page)
    assert found, page
    return found[1]


def test_the_first_key_is_an_admins_and_ends_the_time_without_keys(client: TestClient, hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    before = client.get("/settings").text
    assert "No keys yet" in before and 'value="agent"' not in before
    refused = client.post("/settings/keys", data={"role": "agent"})
    assert refused.status_code == 422 and "first key is an admin" in refused.text and not kb.keys.list().keys
    made = client.post("/settings/keys", data={"role": "admin", "name": "Anna Berg"})
    first = kb.keys.list().keys[0]
    assert re.fullmatch(r"anna-berg-[0-9a-f]{8}", first.id) and first.id in made.text and "sign in with it" in made.text
    assert made.headers["cache-control"] == "no-store"
    assert client.get("/settings", follow_redirects=False).headers["location"].startswith("/login")
    key = key_on(made.text)
    client.post("/login", data={"key": key, "next": "/settings"})
    page = client.get("/settings").text
    assert key not in page and first.id in page and "yours" in page and 'name="key"' not in page


def test_a_key_is_made_and_revoked_by_its_name(client: TestClient, hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    client.post("/login", data={"key": kb.keys.create("admin").key})
    made = client.post("/settings/keys", data={"role": "editor", "name": "kim"})
    found = kb.keys.find(key_on(made.text))
    assert found is not None and found.role == "editor" and found.id.startswith("kim-")
    kb.curation.approve(["s-contacts"], author=found.id)
    assert found.id in client.get("/review/solution?solution=s-contacts").text
    page = client.post("/settings/keys/revoke", data={"key": found.id})
    assert page.status_code == 200 and page.url.path == "/settings" and kb.keys.find(key_on(made.text)) is None
    assert f'value="{found.id}"' not in page.text and found.id in page.text
    own = next(key.id for key in kb.keys.list().keys if key.role == "admin")
    refused = client.post("/settings/keys/revoke", data={"key": own})
    assert refused.status_code == 422 and "sign in with another" in refused.text
    assert kb.keys.list().keys[0].revoked is None
    assert client.post("/settings/keys/revoke", data={"key": "none"}).status_code == 404


@pytest.mark.parametrize("name", ["<b>kim</b>", "a" * 41, "kim--berg", "-", "kim/berg", "Björn"])
def test_a_name_that_no_id_can_have_is_said(client: TestClient, hand_made: Workspace, name: str) -> None:
    page = client.post("/settings/keys", data={"role": "admin", "name": name})
    assert page.status_code == 422 and "such as front-desk" in html.unescape(page.text) and "<b>kim" not in page.text
    assert not SupportKB(hand_made).keys.list().keys


def test_keys_over_http(client: TestClient, hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    admin = client.post("/v1/keys", json={"role": "admin"}).json()
    assert {"id", "key", "role"} <= set(admin) and kb.keys.find(admin["key"]) is not None
    shown = {"authorization": f"Bearer {admin['key']}"}
    made = client.post("/v1/keys", json={"role": "agent", "name": "bot"}, headers=shown).json()
    listed = client.get("/v1/keys", headers=shown)
    assert [key["id"] for key in listed.json()["keys"]] == [admin["id"], made["id"]] and made["key"] not in listed.text
    revoked = client.post(f"/v1/keys/{made['id']}/revoke", headers=shown).json()
    assert revoked["id"] == made["id"] and revoked["revoked"] and kb.keys.find(made["key"]) is None
    assert client.post("/v1/keys/none/revoke", headers=shown).status_code == 404
    for body in ({}, {"role": "owner"}, {"role": "agent", "name": "A B"}, {"role": "agent", "who": "x"}):
        refused = client.post("/v1/keys", json=body, headers=shown)
        assert refused.status_code == 422 and refused.headers["content-type"] == "application/problem+json"
    assert len(kb.keys.list().keys) == 2


def test_the_settings_are_shown_as_they_were_read_without_secrets(hand_made: Workspace) -> None:
    (hand_made.folder / "settings.yaml").write_text(
        "base_url: https://ann:secret@models.example:8443/v1\ntimeout: 7\nlog_questions: false\n"
        "tasks: {answers/write_replies: offline}\n",
        encoding="utf-8",
    )
    with opened(hand_made.folder) as client:
        items = {one["name"]: one for one in client.get("/v1/settings").json()["items"]}
        page = client.get("/settings").text
    assert items["timeout"] == {"name": "timeout", "value": 7, "default": 120}
    assert items["log_questions"]["value"] is False and items["tasks"]["value"] == {"answers/write_replies": "offline"}
    assert items["base_url"]["value"] == "https://...@models.example:8443/v1"
    assert "secret" not in page and "models.example:8443" in page and "answers/write_replies" in page
