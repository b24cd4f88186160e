"""The page and the paths of versions: editors roll back and publish, agents look, readers do neither."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.core.ids import canonical_json
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app
from served_process import wait_until

BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    """A knowledge base whose second version lacks a solution, with a candidate that has it again."""
    with hand_made.file() as file, file.transaction():
        before = {(kind, i): body for kind, i, body in file.lines()}
        kinds = sorted({kind for kind, _ in before})
        file.keep_candidate(before, {"date": "2026-05-01", "by": "build <b>"})
        now = {key: body for key, body in before.items() if key != ("solution", "s-contacts")}
        file.publish(now, kinds, hand_made.publication_by("build"))
        assert file.shown_version == 2 and canonical_json({})
    return SupportKB(hand_made)


@pytest.fixture
def client(kb: SupportKB) -> Iterator[TestClient]:
    app = create_app(kb.workspace.folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER) as opened:
        yield opened


def ids(client: TestClient) -> set[str]:
    return {one["id"] for one in client.get("/v1/solutions", params={"limit": 1000}).json()["items"]}


def test_a_version_is_shown_again_and_the_candidate_published_by_a_click(client: TestClient) -> None:
    assert "s-contacts" not in ids(client)
    page = client.get("/versions").text
    assert "Candidate" in page and "build &lt;b&gt;" in page and page.count("readers see it") == 1
    assert "No longer shown" in client.get("/versions/changes?before=1&after=2").text
    assert "New for readers" in client.get("/versions/changes?before=2&after=candidate").text
    done = client.post("/versions/rollback", data={"number": 1})
    assert done.status_code == 200 and done.url.path == "/versions"
    wait_until(lambda: "s-contacts" in ids(client))  # what is published is loaded beside
    client.post("/versions/rollback", data={"number": 2})
    wait_until(lambda: "s-contacts" not in ids(client))
    assert client.post("/versions/candidate", data={"what": "publish"}).status_code == 200
    wait_until(lambda: "s-contacts" in ids(client))
    assert "Candidate" not in client.get("/versions").text
    assert client.post("/versions/candidate", data={"what": "discard"}).status_code == 422
    assert client.post("/versions/rollback", data={"number": 9}).status_code == 422


def test_programs_do_the_same(client: TestClient) -> None:
    told = client.get("/v1/versions").json()["versions"]
    assert [(one["number"], one["published"], one["is_candidate"]) for one in told] == [
        (1, False, False), (2, True, False), (3, False, True),
    ]  # fmt: skip
    assert client.get("/v1/versions/diff", params={"before": 1, "after": 2}).json()["counts"]["removed"] == 1
    assert client.post("/v1/versions/1/rollback").json() == {"number": 1, "published": True}
    wait_until(lambda: "s-contacts" in ids(client))
    assert client.post("/v1/candidate/publish").json() == {"number": 3, "published": True}
    assert client.post("/v1/candidate/discard").status_code == 422
    assert client.get("/v1/versions/diff", params={"before": 1, "after": "none"}).status_code == 422


def test_who_publishes_or_discards_names_the_candidate_that_they_saw(client: TestClient, kb: SupportKB) -> None:
    other = {"seen": "2026-04-01"}
    assert client.post("/v1/candidate/publish", params=other).status_code == 412
    assert client.post("/v1/candidate/discard", params=other).status_code == 412
    assert client.post("/versions/candidate", data={"what": "discard", **other}).status_code == 412
    assert kb.versions.has_candidate
    assert client.post("/versions/candidate", data={"what": "discard", "seen": "2026-05-01"}).status_code == 200
    client.post("/v1/versions/1/rollback")
    client.post("/versions/rollback", data={"number": 2})
    told = [(one["what"], one["number"], one["by"]) for one in client.get("/v1/versions").json()["events"]]
    owner = "who runs the service"
    assert told == [("discarded", 3, owner), ("rolled back", 1, owner), ("rolled back", 2, owner)]
    page = client.get("/versions").text
    assert "the candidate for version 3 was discarded" in page and "readers saw version 1 again" in page


def test_agents_look_and_do_not_publish(kb: SupportKB) -> None:
    keys = {role: {"authorization": f"Bearer {kb.keys.create(role).key}"} for role in ("admin", "agent", "reader")}
    with TestClient(create_app(kb.workspace.folder), base_url="http://127.0.0.1:8000") as client:
        assert client.get("/versions", headers={**keys["agent"], "accept": "text/html"}).status_code == 200
        assert client.get("/v1/versions", headers=keys["reader"]).status_code == 403
        for path in ("/v1/versions/1/rollback", "/v1/candidate/publish", "/v1/candidate/discard"):
            assert client.post(path, headers=keys["agent"]).status_code == 403
        assert "Show version" not in client.get("/versions", headers={**keys["agent"], "accept": "text/html"}).text
