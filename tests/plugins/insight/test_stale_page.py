"""The page and the paths of findings: editors settle, agents and readers do neither."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app
from lost_edit import FINDING, LOST_EDIT, keep_lost_edit

BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}
HTMX = {**BROWSER, "hx-request": "true"}
JOINED = ("charge", "blades-both")  # nodes of two trees of the hand-made knowledge base


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    """A knowledge base with an edit whose solution is gone."""
    keep_lost_edit(hand_made)
    return SupportKB(hand_made)


@pytest.fixture
def client(kb: SupportKB) -> Iterator[TestClient]:
    app = create_app(kb.workspace.folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER) as opened:
        yield opened


def test_findings_are_shown_with_their_places_and_settled_by_a_click(client: TestClient, kb: SupportKB) -> None:
    page = client.get("/stale").text
    assert "&lt;b&gt;this&lt;/b&gt;" in page and "<b>this" not in page
    assert "Settled" not in page and 'value="joined"' not in page
    settled = client.post("/stale", data={"finding": FINDING, "what": "dismissed"}, headers=HTMX).text
    assert "dismissed" in settled and "Open again" in settled and "<html" not in settled
    opened = client.post("/stale", data={"finding": FINDING, "what": "open"}, headers=HTMX).text
    assert all(f'value="{what}"' in opened for what in ("settled", "dismissed")) and "Open again" not in opened
    client.post("/stale", data={"finding": FINDING, "what": "dismissed"}, headers=HTMX)
    assert FINDING not in client.get("/stale").text and FINDING in client.get("/stale?settled=true").text
    done = client.post("/stale", data={"finding": FINDING, "what": "open"})
    assert done.status_code == 200 and done.url.path == "/stale"
    assert FINDING in client.get("/stale?kind=source_changed").text
    assert client.post("/stale", data={"finding": FINDING, "what": "joined"}).status_code == 422
    assert client.post("/stale", data={"finding": FINDING, "what": "eaten"}).status_code == 422
    assert client.post("/stale", data={"finding": "none", "what": "settled"}).status_code == 404
    assert client.get("/stale?kind=uncited").status_code == 422
    assert "Nothing is left" in client.get("/stale?kind=outdated").text


def test_two_trees_are_joined_by_their_issues_and_parted_again(client: TestClient, kb: SupportKB) -> None:
    one, other = JOINED
    done = client.post("/stale/join", data={"issue": one, "other": other})
    assert done.status_code == 200 and "Joined trees" in done.text and "Open again" in done.text
    (kept,) = kb.curation.stale(settled=True).findings
    assert {place.issue for place in kept.places} == {"charge", "blades"} and kept.status == "joined"
    client.post("/stale", data={"finding": kept.id, "what": "open"})
    assert kb.curation.stale(settled=True).findings == ()
    assert client.post("/stale/join", data={"issue": one, "other": "none"}).status_code == 404
    assert client.post("/stale/join", data={"issue": one, "other": one}).status_code == 422


def test_programs_do_the_same(client: TestClient) -> None:
    found = client.get("/v1/stale").json()
    assert found["counts"] == {"source_changed": 1, "outdated": 0, "contradiction": 0}
    ((one,), (place,)) = found["findings"], found["findings"][0]["places"]
    assert (one["id"], place["quote"]) == (FINDING, LOST_EDIT.text)
    done = {"id": FINDING, "kind": "source_changed", "status": "settled", "changed": 1}
    assert client.post(f"/v1/stale/{FINDING}/settled").json() == done
    (settled,) = client.get("/v1/stale", params={"settled": True}).json()["findings"]
    assert (settled["id"], settled["status"]) == (FINDING, "settled")
    assert client.post(f"/v1/stale/{FINDING}/open").json() == {**done, "status": "open"}
    assert client.post(f"/v1/stale/{FINDING}/joined").status_code == 422
    assert client.post("/v1/stale/none/settled").status_code == 404
    assert client.get("/v1/stale", params={"kind": "rotten"}).status_code == 422
    joined = client.post("/v1/issues/{}/join/{}".format(*JOINED)).json()
    assert (joined["status"], joined["changed"]) == ("joined", 1)
    assert client.post(f"/v1/stale/{joined['id']}/open").json()["changed"] == 1
    assert client.post(f"/v1/issues/{JOINED[0]}/join/none").status_code == 404


def test_only_editors_settle_and_their_key_is_kept(kb: SupportKB) -> None:
    keys = {role: {"authorization": f"Bearer {kb.keys.create(role).key}"} for role in ("editor", "agent", "reader")}
    with TestClient(create_app(kb.workspace.folder), base_url="http://127.0.0.1:8000") as client:
        for role in ("agent", "reader"):
            assert client.get("/v1/stale", headers=keys[role]).status_code == 403
            assert client.post(f"/v1/stale/{FINDING}/settled", headers=keys[role]).status_code == 403
            assert client.get("/stale", headers={**keys[role], "accept": "text/html"}).status_code == 403
            assert client.post("/v1/issues/{}/join/{}".format(*JOINED), headers=keys[role]).status_code == 403
        assert client.post(f"/v1/stale/{FINDING}/settled", headers=keys["editor"]).status_code == 200
    (settled,) = kb.curation.stale(settled=True).findings
    assert settled.author.startswith("key-") and settled.date
