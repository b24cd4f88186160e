"""What a role is shown: the same on the pages and over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import small_tickets
from autokb.app import SupportKB
from autokb.core.nouns import DISPLAYED
from autokb.core.roles import ROLES, Role
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app

HTML = {"accept": "text/html"}
ADDRESS = "kim.doe@example.org"
REJECTED, HIDDEN, WITHHELD = "s-contacts", "s-rain", "s-support"


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    return SupportKB(hand_made)


@pytest.fixture
def keys(kb: SupportKB) -> Mapping[Role, Mapping[str, str]]:
    return {role: {"authorization": f"Bearer {kb.keys.create(role).key}"} for role in ROLES}


@pytest.fixture
def client(kb: SupportKB) -> Iterator[TestClient]:
    app = create_app(kb.workspace.folder)
    yield TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000))
    app.state.kb.close()


def listed(client: TestClient, path: str, key: Mapping[str, str], limit: int) -> list[dict[str, Any]]:
    items, after = [], ""
    while after is not None:
        page = client.get(path, params={"limit": limit, "after": after}, headers=key).json()
        assert len(page["items"]) <= limit
        items += page["items"]
        after = page["next"]
    return items


def test_pages_and_http_show_a_role_the_same_solutions(
    client: TestClient, kb: SupportKB, keys: Mapping[Role, Mapping[str, str]]
) -> None:
    kb.curation.reject([REJECTED])
    kb.curation.hide([HIDDEN])
    everything = {one.id: one for one in kb.views.solutions(1_000).items}
    kept_back = {i for i, one in everything.items() if one.status not in DISPLAYED}
    assert kept_back >= {REJECTED, HIDDEN, WITHHELD} and len(everything) > len(kept_back) + 2
    for role, key in keys.items():
        seen = set(everything) - (kept_back if role == "reader" else set())
        for limit in (1, 2, 1_000):
            items = listed(client, "/v1/solutions", key, limit)
            assert items == [everything[i].as_json() for i in sorted(seen)], role  # no field is lost
        for i in everything:
            one, page = client.get(f"/v1/solutions/{i}", headers=key), f"/solutions/{i}"
            assert one.status_code == client.get(page, headers={**key, **HTML}).status_code
            assert one.status_code == (200 if i in seen else 403), (i, role)
            if i not in seen:
                assert "role agent" in one.json()["detail"] and everything[i].text not in one.text
        changes = [client.get(path, headers={**key, **HTML}) for path in ("/v1/changes", "/review/changes")]
        assert [one.status_code for one in changes] == [403 if role == "reader" else 200] * 2
    kb.curation.reject([REJECTED], undo=True)
    back = client.get(f"/v1/solutions/{REJECTED}", headers=keys["reader"]).json()
    assert back["status"] == "displayed" and back in listed(client, "/v1/solutions", keys["reader"], 1_000)


def test_tickets_are_masked_for_readers_and_whole_for_who_gets_their_evidence(
    client: TestClient, kb: SupportKB, keys: Mapping[Role, Mapping[str, str]], tmp_path: Path
) -> None:
    said = f"Write to {ADDRESS}."
    records = [
        small_tickets.record("T-1", f"Mail of {ADDRESS}", said, comments=[said], links={"Relates": "T-2"}),
        small_tickets.record("T-2", f"Also of {ADDRESS}", "Nothing comes."),
    ]
    kb.add([small_tickets.write(tmp_path / "tickets.json", records)], "tickets")
    kb.tickets.build()
    kb.tickets.accept(f"what does {ADDRESS} want", "T-1", author="ann")
    whole = kb.tickets.show("T-1").as_json()
    assert str(whole).count(ADDRESS) >= 5  # title, description, comment, the other's title, the question
    for role, key in keys.items():
        one, titles = client.get("/v1/tickets/T-1", headers=key), listed(client, "/v1/tickets", key, 1)
        if role == "reader":
            assert ADDRESS not in one.text and ADDRESS not in str(titles)
            assert one.json()["title"] == "Mail of <email-1>" and "Write to <email-1>." in str(one.json()["sections"])
            assert one.json()["links"][0]["title"] == "Also of <email-1>"
        else:
            assert one.json() == whole and [t["title"] for t in titles] == [f"Mail of {ADDRESS}", f"Also of {ADDRESS}"]
        assert set(one.json()) == set(whole) and [t["id"] for t in titles] == ["T-1", "T-2"]
        for page in ("/tickets/T-1", "/tickets", "/knowledge?q=mail"):
            assert ADDRESS not in client.get(page, headers={**key, **HTML}).text, page
