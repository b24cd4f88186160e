"""Every path of the service: what it answers, and how it refuses."""

from __future__ import annotations

import json
import logging
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import hand_made_kb
import small_tickets
from autokb.app import SupportKB
from autokb.core.ids import canonical_json
from autokb.stores.workspace import create_workspace
from autokb.web.app import create_app
from autokb.web.middleware import ServiceLimits
from served_process import wait_until

QUESTION = "my robot does not charge in the dock"
HERE = ("127.0.0.1", 50_000)


def client_of(app: FastAPI) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1:8000", client=HERE)


@pytest.fixture(scope="module")
def _with_tickets(_imported: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("with-tickets")
    found = SupportKB.open(Path(shutil.copytree(_imported, folder / "kb")))
    found.add([small_tickets.write(folder / "tickets.json")], "tickets")
    found.tickets.build()
    return folder / "kb"


@pytest.fixture
def kb(_with_tickets: Path, tmp_path: Path) -> SupportKB:
    """The hand-made knowledge base with some tickets beside it, a copy of one's own."""
    return SupportKB.open(Path(shutil.copytree(_with_tickets, tmp_path / "kb")))


@pytest.fixture
def client(kb: SupportKB) -> Iterator[TestClient]:
    with client_of(create_app(kb.workspace.folder)) as opened:
        yield opened


def same(answer: Any, other: Any) -> bool:
    """Compare two answers without the seconds that they took."""
    return canonical_json({**answer, "seconds": 0}) == canonical_json({**json.loads(json.dumps(other)), "seconds": 0})


def check_problem(response: Any, status: int, *words: str) -> str:
    """Check that a response is a problem with a sentence that has these words."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert set(body) == {"type", "title", "status", "detail"} and body["status"] == status
    assert all(word in body["detail"] for word in words), body["detail"]
    return str(body["detail"])


def test_questions_are_answered_as_by_the_library(client: TestClient, kb: SupportKB) -> None:
    for asked in (
        {"text": QUESTION},
        {"text": "my robot does not pair", "attributes": {"os": ["iOS"]}, "k": 2},
        {"text": "do you sell pizza"},
    ):
        response = client.post("/v1/ask", json=asked)
        assert response.status_code == 200
        assert same(response.json(), kb.ask(asked["text"], asked.get("attributes"), asked.get("k", 5)).as_json())  # type: ignore[arg-type]
    assert client.post("/v1/ask", json={"text": QUESTION}).json()["matches"][0]["solutions"][0]["evidence"]


def test_a_conversation_gets_suggestions_and_the_same_as_events(client: TestClient) -> None:
    said = [
        {"role": "customer", "text": "hello", "date": "2026-01-01"},
        {"role": "agent", "text": "What is the matter?"},
        {"role": "customer", "text": QUESTION},
    ]
    whole = client.post("/v1/suggest", json={"messages": said}).json()
    assert whole["outcome"] == "answered" and whole["suggestions"][0]["evidence"]
    streamed = client.post("/v1/suggest", json={"messages": said}, headers={"accept": "text/event-stream"})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    events = [event.split("\n") for event in streamed.text.removesuffix("\n\n").split("\n\n")]
    named = [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in events]
    assert [name for name, _ in named] == ["suggestion"] * len(whole["suggestions"]) + ["done"]
    assert [data for _, data in named[:-1]] == whole["suggestions"] and same(named[-1][1], whole)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("Text/Event-Stream", "text/event-stream"),
        ("application/json, text/event-stream;q=0.5", "text/event-stream"),
        ("text/event-stream; q=0.0, application/json", "application/json"),
        ("*/*", "application/json"),
    ],
)
def test_events_are_for_whoever_accepts_them(client: TestClient, accept: str, kind: str) -> None:
    said = {"messages": [{"role": "customer", "text": QUESTION}]}
    response = client.post("/v1/suggest", json=said, headers={"accept": accept})
    assert response.headers["content-type"].startswith(kind)


def test_feedback_is_stored_once_and_listed_in_pages(client: TestClient, kb: SupportKB) -> None:
    given = [
        {"query": QUESTION, "verdict": "used", "solution_id": "s-contacts"},
        {"query": QUESTION, "verdict": "edited", "solution_id": "s-contacts", "text": "Wipe it.", "group": "eu"},
        {"query": "where is APP-1", "verdict": "helpful", "documents": ["APP-1"], "source": "ticket"},
        {"query": "huh", "verdict": "unhelpful", "solution_id": None, "text": ""},
    ]
    answers = [client.post("/v1/feedback", json=one).json() for one in given]
    assert [one["changed"] for one in answers] == [1, 1, 1, 1]
    assert client.post("/v1/feedback", json=given[0]).json()["changed"] == 0
    pages = [client.get("/v1/feedback", params={"limit": 3}).json()]
    pages.append(client.get("/v1/feedback", params={"limit": 3, "after": pages[0]["next"]}).json())
    assert [len(page["items"]) for page in pages] == [3, 1] and pages[1]["next"] is None
    assert [one["id"] for page in pages for one in page["items"]] == [one["id"] for one in answers]
    assert [one.id for one in kb.usage.feedback().items] == [one["id"] for one in answers]


@pytest.mark.parametrize("path", ["issues", "solutions", "documents", "tickets"])
def test_a_list_has_everything_once_in_pages(client: TestClient, kb: SupportKB, path: str) -> None:
    listed = kb.tickets.list if path == "tickets" else getattr(kb.views, path)
    whole = listed(1_000).as_json()
    assert whole["next"] is None
    for limit in (1, 2, len(whole["items"])):
        items, after = [], ""
        while after is not None:
            page = client.get(f"/v1/{path}", params={"limit": limit, "after": after}).json()
            assert len(page["items"]) <= limit and set(page) == {"items", "next"}
            items += page["items"]
            after = page["next"]
        assert items == whole["items"]
    assert client.get(f"/v1/{path}").json() == listed().as_json()
    ids = [item["id"] for item in whole["items"]]
    assert ids == sorted(ids) and len(ids) > 2
    for limit in ("0", "1001", "-1", "9" * 30):
        check_problem(client.get(f"/v1/{path}", params={"limit": limit}), 422, "1 to 1,000 items")
    check_problem(client.get(f"/v1/{path}", params={"limit": "many"}), 422, "limit", "a whole number")
    assert client.get(f"/v1/{path}", params={"after": "zzzz\0\ud7ff'"}).json() == {"items": [], "next": None}


def test_one_of_each_kind_is_shown_by_its_id(client: TestClient, kb: SupportKB) -> None:
    for document, (title, text) in hand_made_kb.DOCUMENTS.items():
        shown = client.get(f"/v1/documents/{document}").json()
        assert (shown["id"], shown["title"], shown["text"]) == (document, title, text)
    solution = client.get("/v1/solutions/s-contacts").json()
    assert solution["issue_id"] == "charge" and solution["status"] == "displayed"
    (evidence,) = solution["evidence"]
    text = client.get(f"/v1/documents/{evidence['document']}").json()["text"]
    assert text[evidence["start"] : evidence["end"]] == evidence["quote"]
    assert solution in client.get("/v1/solutions").json()["items"]
    assert same(client.get("/v1/tickets/APP-1").json(), kb.tickets.show("APP-1").as_json())
    for path in ("solutions/s-contact", "solutions/none/of these", "documents/none.md", "tickets/APP-0"):
        check_problem(client.get(f"/v1/{path}"), 404)


def test_a_solution_is_judged_and_the_next_question_knows_it(client: TestClient, kb: SupportKB) -> None:
    asked = {"text": QUESTION}

    def first() -> str:
        matches = client.post("/v1/ask", json=asked).json()["matches"]
        return str(matches[0]["solutions"][0]["id"]) if matches else ""

    before = first()
    assert before
    made = kb.keys.create("editor")
    client.headers["authorization"] = f"Bearer {made.key}"
    for verb, status in (("approve", "approved"), ("hide", "hidden"), ("reject", "rejected")):
        judged = client.post(f"/v1/solutions/{before}/{verb}")
        assert judged.status_code == 200
        assert (judged.json()["status"], judged.json()["verdict"], judged.json()["judged_by"]) == (
            status,
            status,
            made.id,
        )
        wait_until(lambda shown=verb == "approve": (first() == before) == shown)  # what is decided is loaded beside
    check_problem(client.post("/v1/solutions/s-support/approve"), 422, "withheld")
    check_problem(client.post("/v1/solutions/s-sup/approve"), 404)
    assert kb.views.solution("s-support").status == "withheld"


def test_a_solution_is_edited_where_nobody_was_faster(client: TestClient, kb: SupportKB) -> None:
    made = kb.keys.create("editor")
    client.headers["authorization"] = f"Bearer {made.key}"
    path = "/v1/solutions/s-pair"
    read = client.get(path)
    version = read.json()["version"]
    assert read.headers["etag"] == f'"{version}"'
    done = client.patch(path, json={"steps": ["Off.", "On."]}, headers={"if-match": read.headers["etag"]})
    assert done.status_code == 200
    body = done.json()
    assert (body["steps"], body["edited_by"], body["source_changed"]) == (["Off.", "On."], made.id, False)
    assert body["edited_at"] and done.headers["etag"] == f'"{body["version"]}"' != read.headers["etag"]
    assert body in client.get("/v1/solutions").json()["items"]
    stale: list[dict[str, Any]] = [
        {"json": {"text": "Mine.", "version": version}},
        {"json": {"text": "Mine."}, "headers": {"if-match": f'"{version}"'}},
        {"json": {"text": "Mine."}, "headers": {"if-match": f'W/"{version}"'}},
    ]
    for request in stale:
        check_problem(client.patch(path, **request), 412, "changed since you read it")
    for verb in ("approve", "reject", "hide", "undo"):
        check_problem(client.post(f"{path}/{verb}", headers={"if-match": f'"{version}"'}), 412)
        check_problem(client.post(f"{path}/{verb}", json={"version": version}), 412)
    for wrong in ("x", '"x', '"a", "b"', '""'):
        check_problem(client.patch(path, json={"text": "Mine."}, headers={"if-match": wrong}), 422, "If-Match")
    two = client.patch(path, json={"text": "Mine.", "version": "x"}, headers={"if-match": '"y"'})
    check_problem(two, 422, "two versions")
    assert client.patch(path, json={"text": "Mine."}, headers={"if-match": "*"}).json()["text"] == "Mine."
    told = client.get(f"{path}/history").json()
    assert [(one["what"], one["author"]) for one in told["items"]] == [("edited", made.id)] * 2
    assert client.post(f"{path}/undo").json()["steps"] == ["Off.", "On."]
    assert client.post(f"{path}/undo").json()["version"] == version
    check_problem(client.post(f"{path}/undo"), 422, "nothing can be taken back")
    check_problem(client.patch(path, json={"text": "Call our support."}), 422, "no-support")
    assert client.get(path).json()["version"] == version, "what breaks a rule is not stored"
    for body, status in (({}, 422), ({"text": "a", "steps": ["b"]}, 422), ({"txt": "a"}, 422), ({"text": 1}, 422)):
        check_problem(client.patch(path, json=body), status)
    check_problem(client.patch(path, json={"txt": "a", "text": 1}), 422, "text must be text. txt is not known. ")
    check_problem(client.patch("/v1/solutions/s-pai", json={"text": "a"}), 404)


def test_the_queue_and_what_changed_are_listed(client: TestClient, kb: SupportKB) -> None:
    assert client.get("/v1/review").json() == json.loads(json.dumps(kb.curation.review().as_json()))
    page = client.get("/v1/review", params={"limit": 1, "kind": "withheld"}).json()
    assert [item["id"] for item in page["items"]] == ["s-support"] and page["next"] is None
    check_problem(client.get("/v1/review", params={"kind": "none"}), 422, "withheld")
    check_problem(client.get("/v1/review", params={"after": "none"}), 422, "next")
    assert client.get("/v1/changes").json()["built_at"] is None
    check_problem(client.get("/v1/solutions/none/history"), 404)


def test_health_and_readiness(client: TestClient, tmp_path: Path) -> None:
    assert client.get("/v1/health").json()["status"] == "ok"
    assert client.get("/v1/ready").json() == {"status": "ready"}
    empty = create_workspace(tmp_path / "my secret folder", "name: empty\n")
    with client_of(create_app(empty.folder)) as other:
        assert other.get("/v1/health").status_code == 200
        for refused, status in ((other.get("/v1/ready"), 503), (other.post("/v1/ask", json={"text": "x"}), 404)):
            assert "secret" not in check_problem(refused, status, "autokb build WORKSPACE")
        assert other.get("/v1/issues").json() == {"items": [], "next": None}


BAD_BODIES: list[tuple[str, Any, str]] = [
    ("/v1/ask", {"text": " "}, "empty"),
    ("/v1/ask", {"text": 7}, "text"),
    ("/v1/ask", {}, "text"),
    ("/v1/ask", [], "The body"),
    ("/v1/ask", {"text": "x", "k": 0}, "k"),
    ("/v1/ask", {"text": "x", "k": 10**30}, "k"),
    ("/v1/ask", {"text": "x", "atributes": {}}, "atributes"),
    ("/v1/ask", {"text": "x", "attributes": {"os": "iOS"}}, "attributes.os"),
    ("/v1/ask", {"text": "x", "attributes": {"colour": ["red"]}}, "colour"),
    ("/v1/suggest", {"messages": []}, "customer"),
    ("/v1/suggest", {"messages": [{"role": "agent", "text": "x"}]}, "customer"),
    ("/v1/suggest", {"messages": [{"role": "bot", "text": "x"}]}, "messages.0.role"),
    ("/v1/suggest", {"messages": [{"role": "customer", "text": "x"}], "strategy": "best"}, "strategy"),
    ("/v1/suggest", {"messages": [{"role": "customer", "text": "x"}], "passages": 2}, "passages"),
    ("/v1/feedback", {"query": "x", "verdict": "good"}, "verdict"),
    ("/v1/feedback", {"query": "", "verdict": "used"}, "question"),
    ("/v1/feedback", {"query": "x", "verdict": "used", "solution_id": "none"}, "none"),
    ("/v1/suggest", {"messages": [{"role": "customer", "text": "x"}], "conversation": "c" * 501}, "500"),
    ("/v1/outcomes", {"resolved": True}, "conversation"),
    ("/v1/outcomes", {"conversation": "c"}, "resolved or returned"),
    ("/v1/outcomes", {"conversation": "c", "resolved": "yes"}, "resolved"),
    ("/v1/outcomes", {"conversation": "c", "seconds": -1}, "seconds"),
    ("/v1/outcomes", {"conversation": "c", "seconds": 1e300}, "seconds"),
    ("/v1/outcomes", {"conversation": "c", "resolved": True, "date": "soon"}, "ISO 8601"),
]


@pytest.mark.parametrize(("path", "body", "word"), BAD_BODIES, ids=lambda value: str(value)[:40])
def test_bad_input_is_said_and_never_a_fault(client: TestClient, path: str, body: Any, word: str) -> None:
    check_problem(client.post(path, json=body), 422, word)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 50_000, b"9" * 5_000, b'{"text": NaN}', b"null"])
def test_bodies_that_are_none(client: TestClient, body: bytes) -> None:
    response = client.post("/v1/ask", content=body, headers={"content-type": "application/json"})
    assert response.status_code in (400, 422)
    check_problem(response, response.status_code)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/ask", r'{"text": "it does not charge \ud800", "attributes": {"\ud800": ["\udc00"]}}'),
        ("/v1/ask", r'{"text": "\ud800", "\ud800": 1}'),
        ("/v1/suggest", r'{"messages": [{"role": "customer", "text": "x"}], "strategy": "\ud800"}'),
        ("/v1/feedback", r'{"query": "x", "verdict": "used", "solution_id": "\ud800"}'),
    ],
)
def test_halves_of_characters_are_bad_input_and_no_fault(client: TestClient, path: str, body: str) -> None:
    check_problem(client.post(path, content=body, headers={"content-type": "application/json"}), 422)
    said = r'{"query": "\ud800 x", "verdict": "helpful", "text": "\ud800", "author": "\ud800", "documents": ["\ud800"]}'
    assert client.post("/v1/feedback", content=said, headers={"content-type": "application/json"}).status_code == 200


def test_other_paths_and_methods_are_problems_too(client: TestClient) -> None:
    check_problem(client.get("/v2/ask"), 404, "openapi.json")
    check_problem(client.get("/v1/documents/"), 404)
    check_problem(client.delete("/v1/ask"), 405, "POST")
    for path, methods in (("/v1/solutions/s-contacts", "GET, HEAD, PATCH"), ("/v1/feedback", "GET, HEAD, POST")):
        refused = client.delete(path)
        check_problem(refused, 405, methods)
        assert refused.headers["allow"] == methods


@pytest.mark.slow
def test_head_answers_as_get_without_a_body(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="autokb.web")
    for path in ("/v1/health", "/v1/solutions/s-contacts", "/knowledge", "/v1/documents/nowhere"):
        whole, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (whole.status_code, b"") and dict(head.headers) == dict(
            whole.headers
        )
    assert client.head("/v1/ask").status_code == 405
    assert [json.loads(one.getMessage())["method"] for one in caplog.records] == ["GET", "HEAD"] * 4 + ["HEAD"]


def test_a_number_is_a_number_and_no_text_that_reads_as_one(client: TestClient) -> None:
    for k in ("3", True, 2.5):
        check_problem(client.post("/v1/ask", json={"text": QUESTION, "k": k}), 422, "k must be ")
    for seconds in ("12", True):
        given = {"conversation": "c", "seconds": seconds}
        check_problem(client.post("/v1/outcomes", json=given), 422, "seconds must be a number")
    assert client.post("/v1/outcomes", json={"conversation": "c", "seconds": 12}).json()["seconds"] == 12.0


def test_what_is_no_json_is_said_to_be_none(client: TestClient) -> None:
    response = client.post("/v1/ask", content=b'{"text": ', headers={"content-type": "application/json"})
    check_problem(response, 422, "The body is not valid JSON")


def test_the_openapi_file_names_every_path(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    named = {(path, method) for path, methods in paths.items() for method in methods}
    lists = {(f"/v1/{name}", "get") for name in ("issues", "solutions", "documents", "tickets", "feedback")}
    ones = {(f"/v1/{name}s/{{{name}}}", "get") for name in ("solution", "document", "ticket")}
    verbs = {(f"/v1/solutions/{{solution}}/{verb}", "post") for verb in ("approve", "reject", "hide", "undo")}
    editing = {("/v1/solutions/{solution}", "patch"), ("/v1/solutions/{solution}/history", "get")}
    queues = {("/v1/review", "get"), ("/v1/changes", "get")}
    queues |= {(f"/v1/review/{{edit}}/{verb}", "post") for verb in ("dismiss", "undo")}
    asks = {(f"/v1/{name}", "post") for name in ("ask", "suggest", "feedback", "outcomes")}
    use = {(f"/v1/{name}", "get") for name in ("in-use", "gaps", "trends", "digest")}
    closing = {(f"/v1/gaps/{{gap}}/{verb}", "post") for verb in ("dismiss", "done", "undo")}
    open_ones = {("/v1/health", "get"), ("/v1/ready", "get")}
    admins = {("/v1/keys", "get"), ("/v1/keys", "post"), ("/v1/keys/{key}/revoke", "post"), ("/v1/settings", "get")}
    kept = {("/v1/versions", "get"), ("/v1/versions/diff", "get"), ("/v1/versions/{number}/rollback", "post")}
    kept |= {("/v1/stale", "get"), ("/v1/stale/{finding}/{what}", "post"), ("/v1/issues/{issue}/join/{other}", "post")}
    kept |= {(f"/v1/candidate/{verb}", "post") for verb in ("publish", "discard")}
    kept |= {("/v1/checks", "get"), ("/v1/checks", "post"), ("/v1/checks/run", "post")}
    kept.add(("/v1/checks/{check}/remove", "post"))
    kept.add(("/v1/hooks/{helpdesk}", "post"))
    (given,) = paths["/v1/documents/{document}"]["get"]["parameters"]
    assert "percent-encoded" in given["description"]
    whole = client.get("/v1/documents/charging.md").json()
    assert client.get("/v1/documents/c%68arging%2Emd").json() == whole and whole["id"] == "charging.md"
    assert named == lists | ones | verbs | editing | queues | asks | use | closing | open_ones | admins | kept
    assert all(
        "application/problem+json" in m["responses"]["422"]["content"] for p in paths.values() for m in p.values()
    )


def test_the_openapi_file_says_what_every_path_gives(client: TestClient) -> None:
    whole = client.get("/openapi.json").json()

    def named(path: str, method: str = "get") -> set[str]:
        schema = whole["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"]
        return set(whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]]["properties"])

    gives = {(path, method): named(path, method) for path, methods in whole["paths"].items() for method in methods}
    assert all(gives.values())
    for name in ("issues", "solutions", "documents", "tickets", "feedback", "review"):
        assert {"items", "next"} <= gives[f"/v1/{name}", "get"]
    asked = client.post("/v1/ask", json={"text": QUESTION}).json()
    suggested = client.post("/v1/suggest", json={"messages": [{"role": "customer", "text": QUESTION}]}).json()
    given = client.post("/v1/feedback", json={"query": "x", "verdict": "used"}).json()
    told = client.post("/v1/outcomes", json={"conversation": "c", "resolved": True}).json()
    for name, body in (("ask", asked), ("suggest", suggested), ("feedback", given), ("outcomes", told)):
        only_where_asked = {
            "ask": {"reader", "reading", "explain", "says", "reply", "warning"},
            "suggest": {"reader", "reading", "warning"},
        }.get(name, set())
        assert gives[f"/v1/{name}", "post"] == set(body) | only_where_asked
    for one, method in (("/v1/solutions/s-contacts", "get"), ("/v1/solutions/s-contacts/approve", "post")):
        assert set(client.request(method, one).json()) == gives[one.replace("s-contacts", "{solution}"), method]
    for name in ("in-use", "gaps", "changes", "versions", "health", "ready", "review", "issues"):
        assert set(client.get(f"/v1/{name}").json()) == gives[f"/v1/{name}", "get"]


def test_bodies_that_are_too_large_are_not_read(kb: SupportKB) -> None:
    with client_of(create_app(kb.workspace.folder, limits=ServiceLimits(body_bytes=1_000))) as client:
        check_problem(client.post("/v1/ask", json={"text": "x" * 1_000}), 413, "1,000 bytes")

        def parts() -> Iterator[bytes]:
            for _ in range(3):
                yield b" " * 500

        response = client.post("/v1/ask", content=parts(), headers={"content-type": "application/json"})
        check_problem(response, 413, "1,000 bytes")
        assert client.post("/v1/ask", json={"text": QUESTION}).status_code == 200


def test_a_request_that_takes_too_long_is_ended(kb: SupportKB) -> None:
    with client_of(create_app(kb.workspace.folder, limits=ServiceLimits(seconds=0.0))) as client:
        response = client.post("/v1/ask", json={"text": QUESTION})
        assert response.status_code in (408, 504)
        check_problem(response, response.status_code, "0 seconds")


def test_a_full_disk_is_said_and_questions_go_on(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="autokb.web")
    before = client.get("/v1/solutions/s-contacts").json()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))  # no file grows beyond, as on a full disk
    try:
        refused = client.patch("/v1/solutions/s-contacts", json={"text": "word " * 15_000})
        check_problem(refused, 503, "Nothing was changed", "disk is full")
        assert client.post("/v1/ask", json={"text": QUESTION}).json()["outcome"] == "answered"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert client.get("/v1/solutions/s-contacts").json() == before
    faults = [one for one in map(json.loads, caplog.messages) if "error" in one]
    (fault,) = [one for one in faults if any("curation" in place for place in one["places"])]
    assert fault["error"] == "UnwritableWorkspaceError" and fault["reason"].startswith("SQLITE_")
    assert client.patch("/v1/solutions/s-contacts", json={"text": "word " * 15_000}).status_code == 200


def test_neither_log_nor_figures_hold_what_customers_say(
    client: TestClient, kb: SupportKB, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sesame-4711"
    caplog.set_level(logging.DEBUG, logger="autokb")
    client.post("/v1/ask", json={"text": f"{QUESTION} {secret}"})
    client.post("/v1/ask", json={"text": secret, secret: 1})
    client.post("/v1/suggest", json={"messages": [{"role": "customer", "text": secret}]})
    client.post("/v1/feedback", json={"query": secret, "verdict": "helpful", "text": secret})
    client.get(f"/v1/documents/{secret}", params={"after": secret})
    client.get(f"/{secret}")
    client.request(secret.upper(), "/v1/ask")

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(secret) from KeyError(secret)

    monkeypatch.setattr(SupportKB, "ask", fail)
    check_problem(client.post("/v1/ask", json={"text": secret}), 500, "its log")
    figures = client.get("/metrics")
    said = [json.loads(record.getMessage()) for record in caplog.records if record.name == "autokb.web"]
    assert [one["path"] for one in said if "path" in one][4:6] == ["/v1/documents/{document:path}", "other"]
    assert [one["error"] for one in said if "error" in one] == ["RuntimeError"]
    assert secret.lower() not in caplog.text.lower() and secret.lower() not in figures.text.lower()
    assert 'autokb_requests_total{method="POST",path="/v1/ask",status="200"} 1.0' in figures.text
    assert 'autokb_outcomes_total{outcome="answered",path="/v1/ask"} 1.0' in figures.text
    assert "autokb_request_seconds_bucket" in figures.text


def test_an_answer_does_not_show_what_a_wrong_setting_is(kb: SupportKB) -> None:
    (kb.workspace.folder / "settings.yaml").write_text("reranker: quokka\n", encoding="utf-8")
    with client_of(create_app(kb.workspace.folder)) as opened:
        said = check_problem(opened.post("/v1/ask", json={"text": QUESTION}), 422, "HIDDEN is not known")
    assert "quokka" not in said
