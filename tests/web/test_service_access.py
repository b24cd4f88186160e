"""Who may do what: every path with every role, keys that are wrong or revoked, and the rule for no key."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fastapi import APIRouter
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.core.roles import ROLES
from autokb.stores.workspace import Workspace
from autokb.web.access import COOKIE
from autokb.web.app import create_app
from autokb.web.middleware import ServiceLimits

ASK = {"text": "hello"}
# What each path is asked with so that it does its work; one that is not here is sent an empty object or form.
BODIES: Mapping[str, object] = {
    "/v1/ask": ASK,
    "/v1/suggest": {"messages": [{"role": "customer", "text": "hello"}]},
    "/v1/feedback": {"query": "x", "verdict": "helpful"},
    "/v1/solutions/{solution}": {"text": "Wipe it."},
    "/v1/outcomes": {"conversation": "c1", "resolved": True},
}
IDS: Mapping[str, str] = {"solution": "s-contacts", "document": "rain.md", "name": "autokb.css"}  # else "none"
SIGNED = "/v1/hooks/{helpdesk}"
SAME_ORIGIN = {"origin": "http://127.0.0.1:8000"}  # as our pages send it with a form
ROOT = Path(__file__).resolve().parents[2]


def load_drawing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_roles", ROOT / "docs" / "draw_roles.py")
    assert spec is not None and spec.loader is not None
    drawing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drawing)
    return drawing


def client_of(
    workspace: Workspace, bound_to: str = "127.0.0.1", url: str = "http://127.0.0.1:8000", client: str = "127.0.0.1"
) -> TestClient:
    app = create_app(workspace.folder, host=bound_to, limits=ServiceLimits(body_bytes=100_000))
    return TestClient(app, base_url=url, client=(client, 50_000))


def status_of(client: TestClient, method: str, path: str, headers: Mapping[str, str] | None = None) -> int:
    """Ask a path; a key goes as a header, or as a browser's cookie."""
    found = re.sub(r"{(\w+)}", lambda match: IDS.get(match[1], "none"), path)
    sent: dict[str, Any] = {"json": BODIES.get(path, {})} if method not in ("GET", "DELETE") else {}
    response = client.request(method, found, headers={**SAME_ORIGIN, **(headers or {})}, follow_redirects=False, **sent)
    assert response.status_code < 500, response.text
    if response.status_code == 401 and path not in ("/login",):
        assert response.headers["www-authenticate"] == "Bearer"
    return response.status_code


@pytest.mark.slow
def test_every_path_with_every_role(hand_made: Workspace) -> None:
    """Each role at each path, its key in a header or a cookie by turns, and a third of the wrong keys by turns."""
    kb, client = SupportKB(hand_made), client_of(hand_made)
    roles = load_drawing().read_roles(client.app)
    assert len(roles) > 20 and {*roles.values()} >= {"", "reader", "agent", "editor"}
    keys = {role: kb.keys.create(role).key for role in ROLES}
    revoked = kb.keys.create("admin")
    kb.keys.revoke(revoked.id)
    admin = keys["admin"]
    wrong_keys = (
        *(revoked.key, revoked.id, "", "akb_" + "A" * 43, f"{admin}x", "k" * 5_000),
        *(f"{admin} {keys['reader']}", f"{admin}, {keys['reader']}", f"{admin},Bearer {admin}"),
    )
    for number, ((method, path), first) in enumerate(roles.items()):
        for turn, (role, key) in enumerate(keys.items(), number):
            is_allowed = first in ("", "signature") or ROLES.index(role) >= ROLES.index(first)
            shown = {"authorization": f"Bearer {key}"} if turn % 2 else {"cookie": f"{COOKIE}={key}"}
            status = status_of(client, method, path, shown)
            if path == "/login" and method == "POST":
                assert status in (401, 422)  # the key of the form counts, which is missing
            elif path == SIGNED:
                assert status == 401  # a helpdesk's signature counts, and no key
            else:
                assert (status == 403) == (not is_allowed) and status != 401, (path, role, status)
        for wrong in wrong_keys[number % 3 :: 3]:
            assert status_of(client, method, path, {"authorization": f"Bearer {wrong}"}) == 401, (path, wrong)
        if first:
            assert status_of(client, method, path, {"cookie": f"{COOKIE}={revoked.key}"}) == 401, path
            assert status_of(client, method, path) == 401, path
    assert status_of(client, "GET", "/v1/no-such-path") == 401


@pytest.mark.with_plugins
def test_the_page_of_roles_is_what_the_routes_say(hand_made: Workspace) -> None:
    drawing, app = load_drawing(), client_of(hand_made).app
    page = drawing.PAGE.read_text(encoding="utf-8")
    assert "| POST | `/v1/suggest` | – | – | yes | yes | yes |" in page
    assert drawing.with_table(page, app) == page, "Run: python docs/draw_roles.py"


def test_a_route_without_a_role_is_found(hand_made: Workspace) -> None:
    drawing, app = load_drawing(), client_of(hand_made).app
    late = APIRouter()

    @late.get("/v1/secrets")
    async def secrets() -> str:
        return "told"

    app.include_router(late)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="/v1/secrets has no role"):
        drawing.read_roles(app)


def test_a_key_that_is_shown_is_checked_also_where_none_is_needed(hand_made: Workspace) -> None:
    client = client_of(hand_made)
    assert client.post("/v1/ask", json=ASK).status_code == 200
    for shown in ("Bearer akb_x", "Bearer", "", "Basic YTpi", "akb_x"):
        for path in ("/v1/health", "/v1/issues"):
            assert client.get(path, headers={"authorization": shown}).status_code == 401, shown
    made = SupportKB(hand_made).keys.create("reader")
    assert client.get("/v1/issues", headers={"authorization": f"bearer  {made.key} "}).status_code == 200
    twice = [("authorization", f"Bearer {made.key}"), ("authorization", f"Bearer {made.key}")]
    assert client.get("/v1/issues", headers=twice).status_code == 401


def test_the_last_key_that_is_revoked_opens_nothing(hand_made: Workspace) -> None:
    kb, client = SupportKB(hand_made), client_of(hand_made)
    assert client.get("/v1/issues").status_code == 200
    made = kb.keys.create("admin")
    assert client.get("/v1/issues").status_code == 401
    kb.keys.revoke(made.id)
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
    made = SupportKB(hand_made).keys.create("reader")
    assert opened.get("/v1/issues", headers={"authorization": f"Bearer {made.key}"}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost:3000", "null"])
def test_no_page_of_another_origin_may_read_an_answer(hand_made: Workspace, origin: str) -> None:
    client = client_of(hand_made)
    key = {"authorization": f"Bearer {SupportKB(hand_made).keys.create('admin').key}"}
    asked = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
    }
    for response in (
        client.options("/v1/ask", headers=asked),
        client.options("/v1/ask", headers={**asked, **key}),
        client.post("/v1/ask", json=ASK, headers={"origin": origin, **key}),
        client.get("/v1/health", headers={"origin": origin}),
    ):
        assert not [name for name in response.headers if name.startswith("access-control-")]


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
    {"origin": "http://127.0.0.1:8000"},
    {"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:8000"},
]
# Pages of other ports of this machine, in the browser of the person who works at it.
FOREIGN: list[Mapping[str, str]] = [
    {"origin": "http://localhost:3000"},
    {"origin": "http://127.0.0.1:8001"},
    {"origin": "https://[::1]"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "none"},
    {"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:8000"},
]
CHANGES = (
    "/v1/solutions/s-contacts/reject",
    "/v1/solutions/s-contacts/hide",
    "/v1/candidate/publish?force=true",
    "/v1/candidate/discard",
    "/v1/versions/1/rollback",
)


@pytest.mark.parametrize("headers", [*REFUSED, *SERVED, *FOREIGN], ids=str)
def test_host_origin_and_proxies_count_without_a_key(hand_made: Workspace, headers: Mapping[str, str]) -> None:
    opened = client_of(hand_made)
    status = 200 if headers in SERVED else 403 if headers in FOREIGN else 401
    assert opened.post("/v1/ask", json=ASK, headers=headers).status_code == status
    if headers in FOREIGN:
        assert [opened.post(path, headers=headers).status_code for path in CHANGES] == [403] * len(CHANGES)
        assert opened.get("/v1/solutions", headers=headers).status_code == 200  # which no such page can read
    made = SupportKB(hand_made).keys.create("reader")
    shown = {**headers, "authorization": f"Bearer {made.key}"}
    assert opened.post("/v1/ask", json=ASK, headers=shown).status_code == 200
