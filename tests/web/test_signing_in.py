"""Pages log in with a key: the cookie, who comes in, and forms that another site sends."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace
from autokb.web.access import COOKIE
from autokb.web.app import create_app

HTML = {"accept": "text/html,application/xhtml+xml"}
OURS = {**HTML, "sec-fetch-site": "same-origin"}


def browser_of(workspace: Workspace, **settings: str) -> TestClient:
    app = create_app(workspace.folder)
    return TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), follow_redirects=False)


def signed_in(client: TestClient, key: str, then: str = "/") -> str:
    """Sign in and return where the browser is sent."""
    answer = client.post("/login", data={"key": key, "next": then}, headers=OURS)
    assert answer.status_code == 303, answer.text
    kept = answer.headers["set-cookie"].lower()
    assert "httponly" in kept and "samesite=strict" in kept and "path=/" in kept
    return answer.headers["location"]


@pytest.mark.with_plugins
def test_without_a_key_a_page_leads_to_the_one_to_sign_in_and_back(hand_made: Workspace) -> None:
    key = SupportKB(hand_made).keys.create("editor").key
    client = browser_of(hand_made)
    sent = client.get("/evaluation?x=1", headers=HTML)
    assert (sent.status_code, sent.headers["location"]) == (303, "/login?next=%2Fevaluation%3Fx%3D1")
    page = client.get(sent.headers["location"], headers=HTML)
    assert 'value="/evaluation?x=1"' in page.text and page.status_code == 200
    assert signed_in(client, key, "/evaluation?x=1") == "/evaluation?x=1"
    inside = client.get("/evaluation", headers=HTML)
    assert inside.status_code == 200 and "Sign out" in inside.text and key not in inside.text
    assert client.get("/v1/issues").status_code == 200, "the cookie counts for what a page reads"
    out = client.post("/logout", headers=OURS)
    assert out.status_code == 303 and client.cookies.get(COOKIE) is None
    assert client.get("/evaluation", headers=HTML).status_code == 303


@pytest.mark.parametrize(
    "then", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", ""]
)
def test_signing_in_leads_to_no_other_site(hand_made: Workspace, then: str) -> None:
    assert signed_in(browser_of(hand_made), SupportKB(hand_made).keys.create("reader").key, then) == "/"


def test_a_wrong_and_a_revoked_key_are_refused_also_in_a_cookie(hand_made: Workspace) -> None:
    kb, client = SupportKB(hand_made), browser_of(hand_made)
    made = kb.keys.create("admin")
    wrong = client.post("/login", data={"key": "akb_nothing"}, headers=OURS)
    assert wrong.status_code == 401 and "wrong or revoked" in wrong.text and COOKIE not in client.cookies
    signed_in(client, made.key)
    assert client.get("/", headers=HTML).status_code == 200
    kb.keys.revoke(made.id)
    back = client.get("/", headers=HTML)
    assert back.status_code == 303 and back.headers["location"].startswith("/login")
    assert client.get("/v1/issues", cookies={COOKIE: made.key}).status_code == 401


@pytest.mark.with_plugins
def test_a_role_sees_the_pages_that_it_may_open(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    for role, first, evaluation in (("reader", 303, 403), ("agent", 200, 403), ("editor", 200, 200)):
        client = browser_of(hand_made)
        signed_in(client, kb.keys.create(role).key)
        assert client.get("/", headers=HTML).status_code == first
        refused = client.get("/evaluation", headers=HTML)
        assert refused.status_code == evaluation
        if evaluation == 403:
            assert "You need editor rights" in refused.text and 'href="/evaluation"' not in refused.text


@pytest.mark.with_plugins
@pytest.mark.parametrize(
    "headers",
    [{}, {"origin": "http://127.0.0.1:9999"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"},
     {"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:8000"}],
)  # fmt: skip
def test_a_form_that_another_site_sends_does_nothing(hand_made: Workspace, headers: dict[str, str]) -> None:
    kb = SupportKB(hand_made)
    without = browser_of(hand_made)
    assert without.post(
        "/evaluation/sheet", data={"item": "s-contacts", "correct": "yes"}, headers=headers
    ).status_code in (401, 403)
    client = browser_of(hand_made)
    signed_in(client, kb.keys.create("admin").key)
    data = {"item": "s-contacts", "annotator": "1", "correct": "yes"}
    assert client.post("/evaluation/sheet", data=data, headers=headers).status_code == 403
    assert client.post("/v1/solutions/s-contacts/hide", headers=headers).status_code == 403
    assert client.post("/logout", headers=headers).status_code == 403
    assert kb.evaluate.sheet_item("1").answered == 0 and kb.views.solution("s-contacts").verdict is None
    assert client.post("/evaluation/sheet", data=data, headers={"origin": "http://127.0.0.1:8000"}).status_code == 303
    assert kb.evaluate.sheet_item("1").answered == 1


def test_pages_run_our_scripts_alone_and_scripts_are_kept_by_the_browser(hand_made: Workspace) -> None:
    client = browser_of(hand_made)
    page = client.get("/", headers=HTML)
    policy = page.headers["content-security-policy"]
    assert "script-src 'self';" in policy and "unsafe" not in policy and "default-src 'none'" in policy
    assert page.headers["cache-control"] == "no-store"
    scripts = [part.split('"')[1] for part in page.text.split("<script src=")[1:]]
    assert len(scripts) == 2 and "<script>" not in page.text and " style=" not in page.text
    for path in scripts:
        script = client.get(path)
        assert script.status_code == 200 and "immutable" in script.headers["cache-control"]
        assert script.headers["content-type"].startswith("text/javascript")
    assert client.get("/static/no.css", headers=HTML).status_code == 404
    assert client.get("/static/..%2f..%2fapp.py", headers=HTML).status_code == 404


def test_what_is_no_page_is_said_in_a_page_to_a_browser_and_as_problem_to_a_program(hand_made: Workspace) -> None:
    client = browser_of(hand_made)
    page, problem = client.get("/nothing", headers=HTML), client.get("/nothing")
    assert page.status_code == problem.status_code == 404
    assert "<h1>Not found</h1>" in page.text and problem.headers["content-type"] == "application/problem+json"
    sent = client.post("/kb/v1/ask", json={"text": "no sound"})  # by a program with a wrong address
    assert sent.status_code == 404 and "Page or path not found" in sent.json()["detail"]
    assert client.post("/login", data={"key": "akb_nothing"}).status_code == 403, "a form of a path that there is"
