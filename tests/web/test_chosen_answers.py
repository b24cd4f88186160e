"""Answers of ``/v1/ask`` as events: the one that is there at once, and the one that a model chose."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from autokb.web.answers import QuestionAnswer
from autokb.web.app import create_app
from stub_server import StubServer, status

QUESTION = "the left earbud of my Lumo Buds is silent"
EVENTS = {"accept": "text/event-stream"}


def second_section(body: Any) -> str:
    """Choose the second section that is offered, and write what its first line says."""
    if "Sentence" in body["response_format"]["json_schema"]["schema"]["$defs"]:
        line = re.search(r"^\[1\] (.*)$", body["messages"][1]["content"], re.MULTILINE)
        assert line is not None
        return json.dumps({"answers": [{"number": 1, "sentences": [{"text": line[1], "lines": [1]}]}]})
    attributes = body["response_format"]["json_schema"]["schema"]["$defs"]["Attributes"]["properties"]
    entry = {"number": 1, "attributes": {name: [] for name in attributes}, "sections": [2], "line": 0, "ask": "none"}
    return json.dumps({"answers": [entry]})


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[StubServer]:
    started = StubServer(getattr(request, "param", second_section)).start()
    yield started
    started.stop()


@pytest.fixture
def client(
    _built_headphones: Path, server: StubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    folder = Path(shutil.copytree(_built_headphones, tmp_path / "kb"))
    settings = {"base_url": server.url, "retries": 0, "ask": {"model": "openai:scripted", "timeout": 60}}
    settings["prices"] = {"scripted": {"input": 1.0, "output": 2.0}}
    (folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    with TestClient(create_app(folder), base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000)) as opened:
        yield opened


def events_of(client: TestClient, text: str, **more: str) -> list[tuple[str, Any]]:
    streamed = client.post("/v1/ask", json={"text": text, **more}, headers=EVENTS)
    assert streamed.status_code == 200 and streamed.headers["content-type"].startswith("text/event-stream")
    events = [event.split("\n") for event in streamed.text.removesuffix("\n\n").split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in events]


def shown(answer: Any) -> str:
    (first, *_) = answer["matches"] or answer["passages"]
    return str(first["solutions"][0]["id"] if "solutions" in first else first["id"])


def test_the_answer_that_is_there_comes_first_and_the_chosen_one_last(client: TestClient) -> None:
    (first, before), (last, chosen) = events_of(client, QUESTION)
    assert (first, last) == ("first", "done")
    assert "reader" not in before and chosen["reading"]["note"] is None
    described = QuestionAnswer.model_validate(chosen)  # what OpenAPI and the tools of assistants say of it
    assert described.reading is not None and (described.reader, described.reading.note) == (chosen["reader"], None)
    assert shown(before) != shown(chosen)
    assert chosen["matches"] == client.post("/v1/ask", json={"text": QUESTION}).json()["matches"]


def test_a_written_reply_is_in_the_last_event_and_for_who_asks(client: TestClient) -> None:
    (_, before), (_, done) = events_of(client, QUESTION, style="reply")
    reply = done["reply"]
    assert "reply" not in before and "reply" not in client.post("/v1/ask", json={"text": QUESTION}).json()
    assert reply["text"] and reply["writer"]["note"] is None and reply["sentences"][0]["quotes"]
    asked = client.post("/v1/ask", json={"text": QUESTION, "style": "reply"}).json()
    assert asked["reply"]["sentences"] == reply["sentences"] and asked["matches"] == done["matches"]
    assert client.post("/v1/ask", json={"text": QUESTION, "style": "verse"}).status_code == 422


@pytest.mark.parametrize("server", [lambda _body: status(500)], indirect=True)
def test_a_model_that_fails_leaves_the_first_answer(client: TestClient) -> None:
    (_, before), (_, last) = events_of(client, QUESTION)
    assert shown(before) == shown(last) and "500" in last["reading"]["note"]


def test_what_no_model_is_asked_about_is_one_event(client: TestClient, server: StubServer) -> None:
    ((name, answer),) = events_of(client, "how long do I bake a sponge cake")
    assert (name, answer["outcome"], server.bodies) == ("done", "abstains", [])


def test_a_wrong_question_is_a_problem_whatever_is_accepted(client: TestClient) -> None:
    refused = client.post("/v1/ask", json={"text": " "}, headers=EVENTS)
    assert refused.status_code == client.post("/v1/ask", json={"text": " "}).status_code >= 400
    assert refused.headers["content-type"] == "application/problem+json"
