"""Who may do what: every path with every role, keys that are wrong or revoked, and the rule for no key."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.core.api_keys import ROLES
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app
from autokb.web.door import Limits

ASK, SAID = {"text": "hello"}, {"messages": [{"role": "customer", "text": "hello"}]}
# The first role that may, and the body; a path that is missing here fails the test.
PATHS: dict[tuple[str, str], tuple[str, object]] = {
    ("GET", "/v1/health"): ("", None),
    ("GET", "/v1/ready"): ("", None),
    ("POST", "/v1/ask"): ("reader", ASK),
    ("GET", "/v1/issues"): ("reader", None),
    ("GET", "/v1/solutions"): ("reader", None),
    ("GET", "/v1/solutions/{solution}"): ("reader", None),
    ("GET", "/v1/documents"): ("reader", None),
    ("GET", "/v1/documents/{document}"): ("reader", None),
    ("GET", "/v1/tickets"): ("reader", None),
    ("GET", "/v1/tickets/{ticket}"): ("reader", None),
    ("GET", "/metrics"): ("reader", None),
    ("GET", "/openapi.json"): ("reader", None),
    ("POST", "/v1/suggest"): ("agent", SAID),
    ("POST", "/v1/feedback"): ("agent", {"query": "x", "verdict": "helpful"}),
    ("GET", "/v1/feedback"): ("agent", None),
    ("GET", "/v1/changes"): ("reader", None),
    ("GET", "/v1/solutions/{solution}/history"): ("agent", None),
    ("GET", "/v1/review"): ("editor", None),
    ("PATCH", "/v1/solutions/{solution}"): ("editor", {"text": "Wipe it."}),
    ("POST", "/v1/solutions/{solution}/undo"): ("editor", None),
    ("POST", "/v1/outcomes"): ("agent", {"conversation": "c1", "resolved": True}),
    ("GET", "/v1/in-use"): ("editor", None),
    ("GET", "/v1/gaps"): ("editor", None),
    ("POST", "/v1/gaps/{gap}/dismiss"): ("editor", None),
    ("POST", "/v1/gaps/{gap}/done"): ("editor", None),
    ("POST", "/v1/gaps/{gap}/undo"): ("editor", None),
    ("POST", "/v1/solutions/{solution}/approve"): ("editor", None),
    ("POST", "/v1/solutions/{solution}/reject"): ("editor", None),
    ("POST", "/v1/solutions/{solution}/hide"): ("editor", None),
}


def client_of(
    workspace: Workspace, bound_to: str = "127.0.0.1", url: str = "http://127.0.0.1:8000", client: str = "127.0.0.1"
) -> TestClient:
    app = create_app(workspace.folder, host=bound_to, limits=Limits(body_bytes=100_000))
    return TestClient(app, base_url=url, client=(client, 50_000))


def status_of(client: TestClient, method: str, path: str, body: object, key: str | None) -> int:
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    found = path.replace("{solution}", "s-contacts").replace("{document}", "rain.md").replace("{ticket}", "none")
    response = client.request(method, found, json=body, headers=headers)
    assert response.status_code < 500, response.text
    if response.status_code == 401:
        assert response.headers["www-authenticate"] == "Bearer"
    return response.status_code


def test_every_path_with_every_role(hand_made: Workspace) -> None:
    kb, client = SupportKB(hand_made), client_of(hand_made)
    listed = client.get("/openapi.json").json()["paths"]
    named = {(method.upper(), path) for path, methods in listed.items() for method in methods}
    assert set(PATHS) == named | {("GET", "/metrics"), ("GET", "/openapi.json")}
    keys = {role: kb.create_key(role).key for role in ROLES}
    revoked = kb.create_key("admin")
    kb.revoke_key(revoked.id)
    for (method, path), (first, body) in PATHS.items():
        allowed = {r for r in ROLES if not first or ROLES.index(r) >= ROLES.index(first)}  # type: ignore[arg-type]
        for role, key in keys.items():
            status = status_of(client, method, path, body, key)
            assert (status == 403) == (role not in allowed) and status != 401, (path, role, status)
        for wrong in (revoked.key, revoked.id, "", "akb_" + "A" * 43, keys["admin"] + "x", "k" * 5_000):
            assert status_of(client, method, path, body, wrong) == 401, (path, wrong)
        assert status_of(client, method, path, body, None) == (401 if first else 200)
    assert status_of(client, "GET", "/v1/no-such-path", None, None) == 401


def test_a_key_that_is_shown_is_checked_also_where_none_is_needed(hand_made: Workspace) -> None:
    client = client_of(hand_made)
    assert client.post("/v1/ask", json=ASK).status_code == 200
    for shown in ("Bearer akb_x", "Bearer", "", "Basic YTpi", "akb_x"):
        for path in ("/v1/health", "/v1/issues"):
            assert client.get(path, headers={"authorization": shown}).status_code == 401, shown
    made = SupportKB(hand_made).create_key("reader")
    assert client.get("/v1/issues", headers={"authorization": f"bearer  {made.key} "}).status_code == 200
    twice = [("authorization", f"Bearer {made.key}"), ("authorization", f"Bearer {made.key}")]
    assert client.get("/v1/issues", headers=twice).status_code == 401


def test_the_last_key_that_is_revoked_opens_nothing(hand_made: Workspace) -> None:
    kb, client = SupportKB(hand_made), client_of(hand_made)
    assert client.get("/v1/issues").status_code == 200
    made = kb.create_key("admin")
    assert client.get("/v1/issues").status_code == 401
    kb.revoke_key(made.id)
    assert client.get("/v1/issues").status_code == 401


@pytest.mark.parametrize(
    ("bound_to", "url", "client"),
    [
        ("0.0.0.0", "http://127.0.0.1:8000", "127.0.0.1"),
        ("::", "http://127.0.0.1:8000", "127.0.0.1"),
        ("kb.example", "http://127.0.0.1:8000", "127.0.0.1"),
        ("127.0.0.1", "http://192.168.1.9:8000", "127.0.0.1"),
        ("127.0.0.1", "http://127.0.0.1:8000", "192.168.1.7"),
        ("127.0.0.1", "http://kb.example:8000", "127.0.0.1"),
    ],
)
def test_without_a_key_only_a_server_on_loopback_answers(
    hand_made: Workspace, bound_to: str, url: str, client: str
) -> None:
    opened = client_of(hand_made, bound_to, url, client)
    assert opened.get("/v1/issues").status_code == 401
    made = SupportKB(hand_made).create_key("reader")
    assert opened.get("/v1/issues", headers={"authorization": f"Bearer {made.key}"}).status_code == 200


REFUSED: list[Mapping[str, str]] = [
    {"forwarded": "for=10.0.0.1"},
    {"x-forwarded-for": "127.0.0.1"},
    {"X-Forwarded-Proto": "https"},
    {"x-real-ip": "127.0.0.1"},
    {"via": "1.1 proxy"},
    {"host": "evil.example"},
    {"host": "evil.example:8000"},
    {"host": "localhost.evil.example"},
    {"host": "127.0.0.1.evil.example"},
    {"host": "127.0.0.1@evil.example"},
    {"host": "127.0.0.1:8000:1"},
    {"host": "127.0.0.1/x"},
    {"host": ""},
    {"origin": "https://evil.example"},
    {"origin": "http://localhost.evil.example"},
    {"origin": "http://localhost@evil.example"},
    {"origin": "null"},
    {"origin": "file://localhost"},
    {"origin": "http://["},
    {"origin": ""},
]
SERVED: list[Mapping[str, str]] = [
    {},
    {"host": "localhost"},
    {"host": "LOCALHOST:8000"},
    {"host": "[::1]:8000"},
    {"host": "127.0.0.2"},
    {"origin": "http://localhost:3000"},
    {"origin": "http://127.0.0.1:8000"},
    {"origin": "https://[::1]"},
]


@pytest.mark.parametrize("headers", [*REFUSED, *SERVED], ids=str)
def test_host_origin_and_proxies_count_without_a_key(hand_made: Workspace, headers: Mapping[str, str]) -> None:
    opened = client_of(hand_made)
    assert opened.post("/v1/ask", json=ASK, headers=headers).status_code == (200 if headers in SERVED else 401)
    made = SupportKB(hand_made).create_key("reader")
    shown = {**headers, "authorization": f"Bearer {made.key}"}
    assert opened.post("/v1/ask", json=ASK, headers=shown).status_code == 200
