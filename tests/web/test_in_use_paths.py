"""What the service keeps of its use, and shows to editors: questions, gaps, arms, outcomes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.core.in_use import CONTROL, TREATMENT, ArmSettings
from autokb.stores.question_log import read_questions
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app

QUESTION = "my robot does not charge in the dock"
SPRING = ArmSettings(True, 0.5, "spring")


def client_of(workspace: Workspace) -> TestClient:
    app = create_app(workspace.folder)
    return TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000))


@pytest.fixture
def client(hand_made: Workspace) -> Iterator[TestClient]:
    (hand_made.folder / "settings.yaml").write_text("experiment: {share: 0.5, salt: spring}\n")
    with client_of(hand_made) as opened:
        yield opened


def said(text: str, **more: str) -> dict[str, object]:
    return {"messages": [{"role": "customer", "text": text}], **more}


def test_what_is_asked_becomes_a_queue_that_can_be_worked(client: TestClient, hand_made: Workspace) -> None:
    made = SupportKB(hand_made).keys.create("editor")
    client.headers["authorization"] = f"Bearer {made.key}"
    for text in ("do you sell pizza, I am ann@example.org", "do you sell PIZZA", QUESTION):
        assert client.post("/v1/ask", json={"text": text}).status_code == 200
    assert client.post("/v1/suggest", json=said("do you sell pizza?", conversation="c1")).status_code == 200
    found = client.get("/v1/gaps").json()
    (gap,) = found["questions"]
    assert (gap["asked"], gap["abstained"], found["questions_total"], found["log"]["kept"]) == (3, 3, 1, 4)
    assert "ann@" not in str(found) and [one["document"] for one in found["documents"]] == ["garage.md"]
    done = client.post(f"/v1/gaps/{gap['id']}/done")
    assert (done.status_code, done.json()) == (200, {"id": gap["id"], "status": "done", "changed": 1})
    assert client.get("/v1/gaps").json()["questions"] == []
    (closed,) = client.get("/v1/gaps", params={"closed": True}).json()["questions"]
    assert closed["status"] == "done"
    assert client.post(f"/v1/gaps/{gap['id']}/dismiss").json()["status"] == "dismissed"
    assert client.post(f"/v1/gaps/{gap['id']}/undo").json() == {"id": gap["id"], "status": "open", "changed": 1}
    assert client.get("/v1/gaps", params={"limit": 1, "newest": True}).json()["questions_total"] == 1
    assert client.get("/v1/gaps", params={"limit": 0}).status_code == 422
    assert client.post("/v1/gaps/gap-none/done").status_code == 404


def test_arms_and_outcomes_become_figures(client: TestClient, hand_made: Workspace) -> None:
    ids = [f"c{n}" for n in range(10)]
    for conversation in ids:
        answer = client.post("/v1/suggest", json=said(QUESTION, conversation=conversation)).json()
        assert answer["arm"] == SPRING.arm_of(conversation) and answer["outcome"] == "answered"
        assert bool(answer["suggestions"]) == (answer["arm"] == TREATMENT)
        report = {"conversation": conversation, "resolved": answer["arm"] == TREATMENT, "seconds": 60}
        assert client.post("/v1/outcomes", json=report).json()["changed"] == 1
        assert client.post("/v1/outcomes", json={**report, "returned": None}).json()["changed"] == 0
    events = client.post("/v1/suggest", json=said(QUESTION, conversation="c0"), headers={"accept": "text/event-stream"})
    assert '"arm": "' in events.text
    assert client.post("/v1/suggest", json=said(QUESTION)).json()["arm"] is None
    found = client.get("/v1/in-use").json()
    groups = found["experiment"]["outcomes"]["groups"]
    arms = [SPRING.arm_of(one) for one in ids]
    assert {name: one["reported"] for name, one in groups.items()} == {a: arms.count(a) for a in (TREATMENT, CONTROL)}
    assert groups[TREATMENT]["resolved"]["value"] == 1.0 and groups[CONTROL]["resolved"]["value"] == 0.0
    assert client.get("/v1/in-use", params={"since": "2999-01-01"}).json()["experiment"]["dealt"]["n"] == 0
    refused = client.get("/v1/in-use", params={"since": "soon"})
    assert refused.status_code == 422 and "a day such as" in refused.json()["detail"]


def test_stopping_writes_what_waits_and_nothing_is_kept_where_settings_say_so(hand_made: Workspace) -> None:
    for settings, count in (("log_questions: false\n", 0), ("", 2)):
        (hand_made.folder / "settings.yaml").write_text(settings)
        with client_of(hand_made) as opened:
            opened.post("/v1/ask", json={"text": QUESTION})
            opened.post("/v1/suggest", json=said(QUESTION))
        with hand_made.file() as file:
            assert len(read_questions(file)) == count
