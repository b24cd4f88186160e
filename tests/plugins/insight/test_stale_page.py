"""The page and the paths of what rots: editors settle, agents and readers do neither."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app

BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}
HTMX = {**BROWSER, "hx-request": "true"}


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    """A knowledge base with a document that nothing cites and a text of a person with a dead link."""
    kb = SupportKB(hand_made)
    kb.curation.edit("s-contacts", steps=["Read [<b>this</b>](gone.md)."], author="ann")
    return kb


@pytest.fixture
def client(kb: SupportKB) -> Iterator[TestClient]:
    app = create_app(kb.workspace.folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER) as opened:
        yield opened


def test_findings_are_shown_with_their_places_and_settled_by_a_click(client: TestClient, kb: SupportKB) -> None:
    every = client.get("/stale").text
    assert "Cited by nothing" in every and "not among all" in every and "gone.md" not in every  # kinds that are off
    page = client.get("/stale?kind=dead_link").text
    assert "&lt;b&gt;this&lt;/b&gt;" in page and "<b>this" not in page
    assert 'href="/review/solution?solution=s-contacts"' in page and "garage.md" not in page
    assert "Settled" not in page and "Join" not in page.replace("joined", "")
    uncited = client.get("/stale?kind=uncited").text
    assert 'href="/documents/garage.md"' in uncited and "gone.md" not in uncited
    (link,) = kb.curation.stale("dead_link").findings
    settled = client.post("/stale", data={"finding": link.id, "what": "dismissed"}, headers=HTMX).text
    assert "dismissed" in settled and "Open again" in settled and "<html" not in settled
    opened = client.post("/stale", data={"finding": link.id, "what": "open"}, headers=HTMX).text
    assert all(f'value="{what}"' in opened for what in ("settled", "dismissed")) and "Open again" not in opened
    assert 'value="joined"' not in opened  # which two trees can be
    client.post("/stale", data={"finding": link.id, "what": "dismissed"}, headers=HTMX)
    assert link.id not in client.get("/stale?kind=dead_link").text and link.id in client.get("/stale?settled=true").text
    done = client.post("/stale", data={"finding": link.id, "what": "open"})
    assert done.status_code == 200 and done.url.path == "/stale"
    assert link.id in client.get("/stale?kind=dead_link").text
    assert client.post("/stale", data={"finding": link.id, "what": "joined"}).status_code == 422
    assert client.post("/stale", data={"finding": link.id, "what": "eaten"}).status_code == 422
    assert client.post("/stale", data={"finding": "none", "what": "settled"}).status_code == 404
    assert client.get("/stale?kind=rotten").status_code == 422
    assert "Nothing is left" in client.get("/stale?kind=outdated").text


def test_programs_do_the_same(client: TestClient) -> None:
    assert client.get("/v1/stale").json()["findings"] == []
    assert len(client.get("/v1/stale", params={"kind": "dead_link"}).json()["findings"]) == 1
    found = client.get("/v1/stale", params={"every_kind": True}).json()
    kinds = {one["kind"]: one for one in found["findings"]}
    assert set(kinds) >= {"dead_link", "uncited"} and found["counts"]["dead_link"] == 1
    (place,) = kinds["dead_link"]["places"]
    assert place["solution"] == "s-contacts" and place["quote"] == "[<b>this</b>](gone.md)"
    finding = kinds["dead_link"]["id"]
    done = {"id": finding, "kind": "dead_link", "status": "settled", "changed": 1}
    assert client.post(f"/v1/stale/{finding}/settled").json() == done
    (settled,) = client.get("/v1/stale", params={"settled": True}).json()["findings"]
    assert (settled["id"], settled["status"]) == (finding, "settled")
    assert client.post(f"/v1/stale/{finding}/open").json() == {**done, "status": "open"}
    assert client.post(f"/v1/stale/{finding}/joined").status_code == 422
    assert client.post("/v1/stale/none/settled").status_code == 404
    assert client.get("/v1/stale", params={"kind": "rotten"}).status_code == 422


def test_only_editors_settle_and_their_key_is_kept(kb: SupportKB) -> None:
    keys = {role: {"authorization": f"Bearer {kb.keys.create(role).key}"} for role in ("editor", "agent", "reader")}
    (link,) = kb.curation.stale("dead_link").findings
    with TestClient(create_app(kb.workspace.folder), base_url="http://127.0.0.1:8000") as client:
        for role in ("agent", "reader"):
            assert client.get("/v1/stale", headers=keys[role]).status_code == 403
            assert client.post(f"/v1/stale/{link.id}/settled", headers=keys[role]).status_code == 403
            assert client.get("/stale", headers={**keys[role], "accept": "text/html"}).status_code == 403
        assert client.post(f"/v1/stale/{link.id}/settled", headers=keys["editor"]).status_code == 200
    (settled,) = kb.curation.stale(settled=True).findings
    assert settled.author.startswith("key-") and settled.date
