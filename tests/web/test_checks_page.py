"""The page and the paths of checks: kept beside a suggestion, asked of the candidate, and the gate's refusal told."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace, open_workspace
from autokb.web.app import create_app

BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}
QUESTION = "my robot does not charge in the dock"
CHARGING = {"id": "charging <b>", "text": QUESTION, "document": "charging.md"}


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    """A knowledge base with a gate, whose candidate lacks everything that charging.md says."""
    (hand_made.folder / "settings.yaml").write_text("gate: {max_loss: {first: 0.02}}\n", encoding="utf-8")
    with hand_made.file() as file, file.transaction():
        now = {(kind, i): body for kind, i, body in file.lines()}
        less = {key: body for key, body in now.items() if "charging.md" not in body and key[1] != "charging.md"}
        file.keep_candidate(less, {"date": "2026-05-01", "by": "build"})
    return SupportKB(open_workspace(hand_made.folder))


@pytest.fixture
def client(kb: SupportKB) -> Iterator[TestClient]:
    app = create_app(kb.workspace.folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER) as opened:
        yield opened


def state_of(page: str) -> str:
    found = re.search(r'name="state" value="([^"]*)"', page)
    assert found
    return html.unescape(found[1])


def test_a_suggestion_that_helped_becomes_a_check_by_one_click(client: TestClient, kb: SupportKB) -> None:
    page = client.post("/conversation/say", data={"state": state_of(client.get("/").text), "text": QUESTION}).text
    judged = client.post("/conversation/judge", data={"state": state_of(page), "place": "0", "verdict": "helpful"})
    assert "Keep as a check" in judged.text
    against = client.post("/conversation/judge", data={"state": state_of(page), "place": "0", "verdict": "unhelpful"})
    assert "Keep as a check" not in against.text
    kept = client.post("/conversation/check", data={"state": state_of(page), "place": "0"})
    assert kept.status_code == 200 and "must stay right" in kept.text
    (check,) = kb.checks.list().checks
    assert check.text == QUESTION and check.document == "charging.md" and kb.checks.run().first.value == 1
    assert client.post("/conversation/check", data={"state": state_of(page), "place": "9"}).status_code == 422
    shown = client.get("/checks").text
    assert QUESTION in shown and "charging.md" in shown
    assert client.post("/checks/remove", data={"id": check.id}).url.path == "/checks"
    assert not kb.checks.list().checks


def test_the_candidate_is_asked_beside_readers_and_refused_until_it_is_forced(
    client: TestClient, kb: SupportKB
) -> None:
    kb.checks.add_one(CHARGING)
    run = client.post("/checks/run", data={"of": "readers"}).text
    assert "What readers get" in run and "1.00" in run and "Wrong." not in run
    beside = client.post("/checks/run", data={"of": "candidate"}).text
    assert "The candidate" in beside and "charging &lt;b&gt;" in beside and "-1.00" in beside
    refused = client.post("/versions/candidate", data={"what": "publish"})
    assert refused.status_code == 409 and "Not published" in refused.text and "charging &lt;b&gt;" in refused.text
    assert "Candidate" in client.get("/versions").text
    assert client.post("/versions/candidate", data={"what": "force"}).status_code == 200
    assert "Published against the gate by" in client.get("/versions").text


def test_a_browser_looks_at_the_candidate_until_it_goes_back(client: TestClient, kb: SupportKB) -> None:
    assert client.get("/documents/charging.md").status_code == 200
    looked = client.post("/versions/look", data={"at": "candidate"})
    assert looked.url.path == "/knowledge" and "which readers do not see" in looked.text
    assert client.get("/documents/charging.md").status_code == 404
    assert "which readers do not see" not in client.get("/review").text
    tried = client.get("/versions/try", params={"text": QUESTION}).text
    readers, candidate = tried[tried.index(">Readers<") :].split(">Candidate<")
    assert "charging.md" in readers and "charging.md" not in candidate
    client.post("/versions/look", data={"at": "readers"})
    assert client.get("/documents/charging.md").status_code == 200
    client.post("/versions/look", data={"at": "candidate"})
    kb.versions.discard()
    assert client.get("/documents/charging.md").status_code == 200
    assert "which readers do not see" not in client.get("/knowledge").text
    assert client.get("/versions/try", params={"text": QUESTION}).status_code == 422


def test_programs_do_the_same(client: TestClient) -> None:
    assert client.post("/v1/checks", json=CHARGING).json()["added"] == 1
    assert client.post("/v1/checks", json={"id": "a", "text": "b"}).status_code == 422
    assert client.get("/v1/checks").json()["checks"] == [CHARGING]
    told = client.post("/v1/checks/run", params={"candidate": True}).json()
    assert told["difference"]["first"]["value"] == -1 and told["turned"][0]["id"] == CHARGING["id"]
    assert "difference" not in client.post("/v1/checks/run").json()
    refused = client.post("/v1/candidate/publish")
    assert refused.status_code == 409 and refused.json()["published"] is False and refused.json()["reasons"]
    assert client.post("/v1/candidate/publish", params={"force": True}).json() == {"number": 2, "published": True}
    assert client.get("/v1/versions").json()["versions"][1]["checks"]["forced"]["by"]
    assert client.post("/v1/checks/charging%20%3Cb%3E/remove").json() == {"checks": []}


def test_agents_look_and_editors_decide(kb: SupportKB) -> None:
    kb.checks.add_one(CHARGING)
    keys = {role: {"authorization": f"Bearer {kb.keys.create(role).key}"} for role in ("admin", "agent", "reader")}
    with TestClient(create_app(kb.workspace.folder), base_url="http://127.0.0.1:8000") as client:
        seen = client.get("/checks", headers={**keys["agent"], "accept": "text/html"})
        assert seen.status_code == 200 and "Remove" not in seen.text and "Run checks" not in seen.text
        assert client.get("/v1/checks", headers=keys["reader"]).status_code == 403
        for path in ("/v1/checks/run", "/v1/checks/charging/remove", "/v1/candidate/publish?force=true"):
            assert client.post(path, headers=keys["agent"]).status_code == 403
        reader = {**keys["reader"], "accept": "text/html", "cookie": "autokb_shows=candidate"}
        assert client.get("/documents/charging.md", headers=reader).status_code == 200
