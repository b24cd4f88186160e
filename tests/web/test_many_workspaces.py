"""Many workspaces in one service: every path of each by its own keys alone, and nothing of one in another."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

import autokb.app.workspaces as workspaces_module
from autokb.app import SupportKB
from autokb.app.snapshot import Snapshot
from autokb.app.workspace_keys import create_shared_key, list_shared_keys, revoke_shared_key
from autokb.app.workspaces import FolderOfWorkspaces, Workspaces, holds_workspaces, read_size
from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.roles import ROLES
from autokb.stores.workspace import Workspace
from autokb.web.access import COOKIE, OPEN_PATHS
from autokb.web.app import create_app
from autokb.web.many import ManyWorkspaces, create_many_app
from autokb.web.middleware import ServiceLimits
from served_process import SECONDS, wait_until

QUESTION = {"text": "my robot does not charge in the dock"}
SECRET = "quokka"  # a word that stands in the second workspace alone
FROM_OUTSIDE = {"forwarded": "for=203.0.113.7", "sec-fetch-site": "same-origin"}  # so that no right is this machine's
BODIES: Mapping[str, object] = {
    "/v1/ask": QUESTION,
    "/v1/suggest": {"messages": [{"role": "customer", "text": QUESTION["text"]}]},
    "/v1/feedback": {"query": "x", "verdict": "helpful"},
    "/v1/outcomes": {"conversation": "c1", "resolved": True},
    "/v1/solutions/{solution}": {"text": "Wipe it."},
}
IDS: Mapping[str, str] = {"solution": "s-contacts", "document": "rain.md", "name": "autokb.css"}  # else "none"
HOSTILE = ["..", "%2e%2e", "%2e", "%252e%252e", "a b", "a%20b", "ä", "%C3%A4", "x" * 65, "x" * 4_000, "", "a%00", "-a",
           "..%2f..%2fetc", "%2Fetc", "a%5Cb", "~", "*"]  # fmt: skip


@pytest.fixture
def folder(hand_made: Workspace, tmp_path: Path) -> Path:
    """Two workspaces of one content, of which the second has a word of its own in a text of every kind."""
    found = tmp_path / "many"
    found.mkdir()
    for name in (found / "alpha", found / "beta", tmp_path / "spare"):  # the last is opened by nobody, to be copied
        shutil.copytree(hand_made.folder, name)
    beta = SupportKB.open(found / "beta")
    beta.curation.edit("s-contacts", text=f"Wipe the contacts with a {SECRET}.", author=SECRET)
    beta.usage.give_feedback(f"where is the {SECRET}", "helpful")
    beta.checks.add_one({"id": SECRET, "text": f"a {SECRET}", "outcome": "abstains"})
    beta.close()
    return found


def client_of(app: ManyWorkspaces, **options: Any) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), **options)


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    with client_of(create_many_app(folder, limits=ServiceLimits(requests_a_minute=0))) as opened:
        yield opened


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def paths_of(app: ManyWorkspaces) -> list[tuple[str, str]]:
    found = []
    for route in iter_route_contexts(app.inside.routes):
        path = re.sub(r":\w+}", "}", str(route.path))
        found += [(method, path) for method in sorted((route.methods or set()) - {"HEAD"})]
    return found


def send(client: TestClient, name: str, method: str, path: str, headers: Mapping[str, str]) -> Any:
    filled = re.sub(r"{(\w+)}", lambda match: IDS.get(match[1], "none"), path)
    body: dict[str, Any] = {"json": BODIES.get(path, {})} if method != "GET" else {}
    client.cookies.clear()
    return client.request(
        method, f"/w/{name}{filled}", headers={**FROM_OUTSIDE, **headers}, follow_redirects=False, **body
    )


def seen(response: Any, name: str) -> tuple[int, str, dict[str, str]]:
    """What somebody can tell a workspace by: status, body and headers, but for the name that was sent."""
    headers = {
        k: re.sub(r"expires=[^;]*", "", v).replace(name, "NAME")
        for k, v in response.headers.items()
        if k != "content-length"
    }
    return response.status_code, response.text.replace(name, "NAME"), headers


@pytest.mark.slow
def test_every_path_is_for_the_keys_of_its_workspace_alone(folder: Path, client: TestClient) -> None:
    alpha, beta = SupportKB.open(folder / "alpha"), SupportKB.open(folder / "beta")
    own = {role: alpha.keys.create(role).key for role in ROLES}
    others = {role: beta.keys.create(role).key for role in ROLES}
    app: Any = client.app
    paths = paths_of(app)
    assert {path for _, path in paths} >= {"/", "/v1/ask", "/v1/ready", "/metrics", "/openapi.json", "/settings/keys"}
    assert len(paths) > 80
    told = 0
    for number, (method, path) in enumerate(paths):
        # A program shows the key of each role, a browser that of one, in turn: to both it is a key that nobody knows.
        for html, roles in (({}, ROLES), ({"accept": "text/html"}, [ROLES[number % len(ROLES)]])):
            foreign = [others[role] for role in roles]
            for shown in ({}, *map(bearer, foreign), *({"cookie": f"{COOKIE}={key}"} for key in foreign)):
                refused = send(client, "alpha", method, path, {**html, **shown})
                unknown = send(client, "gamma", method, path, {**html, **shown})
                assert seen(refused, "alpha") == seen(unknown, "gamma"), (method, path, shown)
                is_open = path.startswith(("/login", "/logout", "/static/", "/embed"))
                if "authorization" in shown or not is_open:
                    assert refused.status_code in (401, 303), (method, path, refused.status_code)
                    assert refused.status_code == 401 or "/login" in refused.headers["location"]
                assert SECRET not in refused.text
        for role in ROLES:
            allowed = send(client, "alpha", method, path, bearer(own[role]))
            assert allowed.status_code < 500 and SECRET not in allowed.text, (method, path, allowed.text)
            told += allowed.status_code == 200
    assert told > 100
    mine = [send(client, "beta", "GET", path, bearer(others["admin"])).text for path in ("/v1/solutions", "/v1/checks")]
    assert all(SECRET in text for text in mine)


def test_names_that_cannot_be_one_are_looked_for_nowhere(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Path] = []
    real = workspaces_module.is_workspace
    monkeypatch.setattr(workspaces_module, "is_workspace", lambda path: looked.append(path) or real(path))
    app: Any = client.app
    for name in HOSTILE:
        for rest in ("", "/", "/v1/issues", "/login", "/static/autokb.css"):
            assert status_of_raw(app, f"/w/{name}{rest}") == 404, (name, rest)
    known = set(app.workspaces.places.folder.iterdir())  # what the service looks at by itself each second
    assert [one for one in looked if one not in known] == []
    status_of_raw(app, "/w/nowhere/v1/issues")
    assert "nowhere" in {one.name for one in looked}


def status_of_raw(app: ManyWorkspaces, path: str) -> int:
    """Ask for a path as it is, which clients would tidy up."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send_it(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"forwarded", b"for=203.0.113.7")],
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 50_000),
        "scheme": "http",
    }
    asyncio.run(app(scope, receive, send_it))
    status: int = sent[0]["status"]
    return status


def test_pages_lead_to_pages_of_their_workspace(client: TestClient) -> None:
    html = {"accept": "text/html"}
    for path in ("/", "/knowledge", "/knowledge?q=dock", "/issues/charge", "/solutions/s-contacts",
                 "/documents/rain.md",
                 "/review", "/versions", "/checks", "/stale", "/in-use", "/evaluation", "/settings", "/tickets",
                 "/documents", "/login", "/trends?whole=true", "/in-use/gaps", "/nothing"):  # fmt: skip
        page = client.get(f"/w/alpha{path}", headers=html)
        links = re.findall(r'(?:href|action|formaction|src|hx-get|hx-post)="(/[^"]*)"', page.text)
        assert links and {one for one in links if not one.startswith("/w/alpha/")} <= {"/"}, (path, links)
        assert page.headers.get("hx-replace-url", "/w/alpha/").startswith("/w/alpha/")
    style = re.findall(r'href="(/[^"]*autokb\.css[^"]*)"', client.get("/w/alpha/", headers=html).text)
    assert client.get(style[0]).status_code == 200
    assert client.get("/w/alpha/openapi.json").json()["servers"] == [{"url": "/w/alpha"}]
    assert client.get("/w/alpha", headers=html, follow_redirects=False).headers["location"] == "/w/alpha/"


def test_the_paths_are_those_of_a_service_of_one(folder: Path, client: TestClient) -> None:
    one = TestClient(create_app(folder / "alpha"), base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000))
    alone, among = one.get("/openapi.json").json(), client.get("/w/alpha/openapi.json").json()
    assert alone["paths"] == among["paths"] and "servers" not in alone
    for path in ("/v1/issues", "/v1/solutions", "/v1/documents/rain.md"):
        assert one.get(path).json() == client.get(f"/w/alpha{path}").json()


def test_in_front_a_key_sees_its_workspaces(folder: Path, client: TestClient) -> None:
    assert [one["name"] for one in client.get("/v1/workspaces").json()["items"]] == ["alpha", "beta"]
    assert client.get("/v1/workspaces", headers=FROM_OUTSIDE).status_code == 401
    alpha = SupportKB.open(folder / "alpha").keys.create("agent").key
    shared = create_shared_key(folder, ["beta", "alpha"], "reader", "anna")
    found = client.get("/v1/workspaces", headers={**FROM_OUTSIDE, **bearer(alpha)}).json()
    assert found == {"items": [{"name": "alpha", "role": "agent", "path": "/w/alpha"}], "next": None}
    both = {**FROM_OUTSIDE, **bearer(shared.key)}
    first = client.get("/v1/workspaces?limit=1", headers=both).json()
    assert [one["name"] for one in first["items"]] == ["alpha"] and first["next"] == "alpha"
    after = client.get("/v1/workspaces?after=alpha", headers=both).json()
    assert [one["name"] for one in after["items"]] == ["beta"] and after["next"] is None
    assert client.get("/v1/workspaces", headers=bearer("akb_x")).status_code == 401
    for name in ("alpha", "beta"):
        assert client.get(f"/w/{name}/v1/issues", headers=both).status_code == 200
        assert client.get(f"/w/{name}/v1/keys", headers=both).status_code == 403
    figures = client.get("/metrics", headers={**FROM_OUTSIDE, **bearer(alpha)}).text
    assert 'workspace="alpha"' in figures and "beta" not in figures
    assert list_shared_keys(folder).keys[0].workspaces in (("alpha", "beta"), ("alpha",))
    assert revoke_shared_key(folder, shared.id).workspaces == ()
    assert client.get("/v1/workspaces", headers=both).status_code == 401
    assert {client.get(f"/w/{name}/v1/issues", headers=both).status_code for name in ("alpha", "beta")} == {401}


@pytest.mark.slow
def test_who_signs_in_in_front_is_in_all_and_who_signs_in_to_one_is_in_that(folder: Path) -> None:
    app = create_many_app(folder)
    alpha, beta = (SupportKB.open(folder / name).keys.create("editor").key for name in ("alpha", "beta"))
    shared = create_shared_key(folder, ["alpha", "beta"], "reader")
    html = {**FROM_OUTSIDE, "accept": "text/html"}
    browser = client_of(app, follow_redirects=False)
    assert browser.get("/", headers=html).headers["location"] == "/login?next=%2F"
    assert browser.post("/login", data={"key": shared.key, "next": "/"}, headers=html).headers["location"] == "/"
    page = browser.get("/", headers=html).text
    assert 'href="/w/alpha/"' in page and 'href="/w/beta/"' in page
    assert browser.get("/w/beta/knowledge", headers=html).status_code == 200
    # A key of one workspace stands before that of all, there alone.
    for wanted in ("/w/beta/", "/evil", "//evil.example", "/w/betamax/"):
        inside = browser.post("/w/alpha/login", data={"key": alpha, "next": wanted}, headers=html)
        assert inside.headers["location"] == "/w/alpha/" and "path=/w/alpha/;" in inside.headers["set-cookie"].lower()
    assert browser.get("/w/alpha/review", headers=html).status_code == 200
    assert browser.get("/w/beta/review", headers=html).status_code == 403
    assert browser.post("/w/beta/login", data={"key": alpha}, headers=html).status_code == 401
    look = browser.post("/w/alpha/versions/look", data={"at": "candidate"}, headers=html)
    assert "path=/w/alpha/;" in look.headers["set-cookie"].lower()
    browser.post("/w/alpha/logout", headers=html)
    assert browser.get("/w/alpha/knowledge", headers=html).status_code == 303
    assert beta != alpha


def test_what_a_key_sends_to_one_workspace_counts_there_alone(folder: Path) -> None:
    shared = create_shared_key(folder, ["alpha", "beta"], "reader")
    client = client_of(create_many_app(folder, limits=ServiceLimits(requests_a_minute=1)))
    found = [client.get("/w/alpha/v1/issues", headers=bearer(shared.key)).status_code for _ in range(21)]
    assert found == [200] * 20 + [429]
    assert client.get("/w/beta/v1/issues", headers=bearer(shared.key)).status_code == 200


def test_a_damaged_workspace_is_its_own_fault_and_one_that_comes_or_goes_is_noticed(
    folder: Path, client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(folder.parent / "spare", folder / "later")
    assert client.post("/w/later/v1/ask", json=QUESTION).json()["matches"]
    shutil.rmtree(folder / "later")
    assert client.get("/w/later/v1/issues").status_code == 401
    (folder / "beta" / "domain.yaml").write_text("name: [", encoding="utf-8")
    (folder / "broken").mkdir()
    (folder / "broken" / "knowledge.db").write_bytes(b"no database at all" * 100)
    assert client.get("/w/beta/v1/issues").status_code == 503
    outside = [client.get(f"/w/{name}/v1/issues", headers=FROM_OUTSIDE) for name in ("beta", "broken", "nothing")]
    assert {one.status_code for one in outside} == {401} and len({one.text for one in outside}) == 1
    assert [one["name"] for one in client.get("/v1/workspaces").json()["items"]] == ["alpha"]
    assert client.post("/w/alpha/v1/ask", json=QUESTION).json()["matches"]
    assert sum('"workspace": "beta"' in one and '"error"' in one for one in caplog.messages) == 1


@pytest.mark.slow
def test_a_full_memory_closes_what_was_used_longest_ago_and_nothing_in_use(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder.parent / "spare", folder / "gamma")
    many = Workspaces(FolderOfWorkspaces(folder), memory=2)
    monkeypatch.setattr(workspaces_module, "resident_bytes", lambda: len(many.opened))
    for name in ("alpha", "beta", "alpha", "gamma"):
        with many.use(name) as opened:
            assert opened.kb.ask(QUESTION["text"]).matches
    assert [one.name for one in many.opened] == ["alpha", "gamma"]
    alpha = many.take("alpha")
    for name in ("beta", "gamma", "beta"):
        with many.use(name):
            pass
        assert alpha in many.opened and alpha.kb.ask(QUESTION["text"]).matches
    many.let_go(alpha)
    with many.held(alpha) as is_open:
        assert is_open
    many.close()
    with many.held(alpha) as is_open:
        assert not is_open


@pytest.mark.slow
def test_concurrent_questions_are_answered_while_workspaces_are_closed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["alpha", "beta", "gamma", "delta"]
    for name in names[2:]:
        shutil.copytree(folder.parent / "spare", folder / name)
    app = create_many_app(folder, memory=1 << 40)
    app.workspaces.memory = 2
    monkeypatch.setattr(workspaces_module, "resident_bytes", lambda: len(app.workspaces.opened))
    opened: list[str] = []
    real = SupportKB.open
    monkeypatch.setattr(
        SupportKB, "open", lambda place, **named: opened.append(Path(place).name) or real(place, **named)
    )
    expected = {name: real(folder / name).ask(QUESTION["text"]).as_json()["matches"] for name in names}
    together = threading.Barrier(4)

    def ask(number: int) -> None:
        for turn in range(12):
            together.wait(60)  # so that every third turn leaves three of them idle, however fast the machine is
            name = names[(number + turn) % 4 if turn % 3 else 0]
            answer = client.post(f"/w/{name}/v1/ask", json=QUESTION)
            assert answer.status_code == 200 and answer.json()["matches"] == expected[name]
            app.workspaces.tend()

    with client_of(app) as client, ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(ask, number) for number in range(4)]:
            done.result()
    assert len(opened) > len(names), "something was closed and opened again"


def test_what_is_served_and_sizes_and_keys_are_read_or_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "a b").mkdir()
    (folder / "a b" / "domain.yaml").write_text("name: x\n", encoding="utf-8")
    (folder / "notes.txt").write_text("no workspace", encoding="utf-8")
    found = FolderOfWorkspaces(folder)
    assert (found.names(), found.unserved()) == (["alpha", "beta"], ["a b"])
    assert holds_workspaces(folder) and not holds_workspaces(folder / "alpha") and not holds_workspaces(tmp_path / "no")
    assert (read_size("700M"), read_size("1.5g"), read_size("2KiB"), read_size("7")) == (700 << 20, 3 << 29, 2_048, 7)
    for wrong in ("", "0", "M", "-1M", "1T", "many"):
        with pytest.raises(BadInputError, match="A size is"):
            read_size(wrong)
    for names in (["alpha", "gamma"], [], ["../alpha"]):
        with pytest.raises(BadInputError):
            create_shared_key(folder, names, "reader")
    assert list_shared_keys(folder).keys == ()
    with pytest.raises(UnknownIdError):
        revoke_shared_key(folder, "key-none")


def test_who_has_no_valid_key_opens_no_workspace_but_the_one_that_is_named(
    folder: Path, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {}
    for name in ("alpha", "beta"):
        with closing(SupportKB.open(folder / name)) as kb:  # its file would else change when it is collected
            keys[name] = kb.keys.create("reader").key
    for file in folder.rglob("knowledge.db*"):
        os.utime(file, ns=(1, 1))  # so that it is known not to change any more
    headers = {**FROM_OUTSIDE, **bearer(keys["alpha"])}
    assert [one["name"] for one in client.get("/v1/workspaces", headers=headers).json()["items"]] == ["alpha"]
    opened: list[str] = []
    real = Workspace.open_file

    def open_file(one: Workspace) -> Any:
        if one.folder.parent == folder:  # a thread of another test may still open its own
            opened.append(one.folder.name)
        return real(one)

    monkeypatch.setattr(Workspace, "open_file", open_file)

    def opens_none() -> bool:
        opened.clear()
        client.get("/v1/health", headers=FROM_OUTSIDE)
        return not opened

    wait_until(opens_none)  # a file counts as changing for a tenth of a second after its last change
    for path in ("/v1/health", "/v1/ready", "/v1/workspaces", "/", "/metrics", "/login"):
        for shown in ({}, bearer("akb_wrong"), {"cookie": f"{COOKIE}=akb_wrong"}):
            client.cookies.clear()
            answer = client.get(path, headers={**FROM_OUTSIDE, **shown})
            needs_none = path == "/login" if "cookie" in shown else not shown and path in {*OPEN_PATHS, "/login"}
            assert answer.status_code == (200 if needs_none else 401), path
    assert client.post("/login", data={"key": "akb_wrong"}, headers=FROM_OUTSIDE).status_code == 401
    assert client.get("/v1/workspaces", headers={**FROM_OUTSIDE, **bearer(keys["beta"])}).status_code == 200
    assert opened == []
    assert client.get("/w/alpha/v1/issues", headers={**FROM_OUTSIDE, **bearer("akb_wrong")}).status_code == 401
    assert set(opened) == {"alpha"}


def test_each_workspace_that_was_asked_is_followed_by_itself_as_that_of_a_service_of_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = threading.Event(), threading.Event()
    load, warmed, watched = Snapshot.open, set[str](), set[str]()

    def load_slowly(held: Snapshot) -> None:
        if held.workspace.folder.name == "alpha":
            begun.set()
            assert may_end.wait(2 * SECONDS)
        load(held)

    def name_of(kb: SupportKB) -> str:
        return kb.workspace.folder.name

    monkeypatch.setattr(SupportKB, "warm_languages", lambda kb: warmed.add(name_of(kb)))
    monkeypatch.setattr(SupportKB, "watch_store", lambda kb, *_: watched.add(name_of(kb)))
    shutil.copytree(folder.parent / "spare", folder / "gamma")

    def shown(client: TestClient, name: str) -> bool:
        return '"s-rain"' in client.post(f"/w/{name}/v1/ask", json={"text": "my robot stops in the rain"}).text

    with client_of(create_many_app(folder)) as client:
        try:
            assert shown(client, "alpha") and shown(client, "beta")
            assert client.get("/w/gamma/v1/issues").status_code == 200
            wait_until(lambda: warmed == {"alpha", "beta"} and watched == {"alpha", "beta", "gamma"})
            monkeypatch.setattr(Snapshot, "open", load_slowly)
            for name in ("alpha", "beta"):
                SupportKB.open(folder / name).curation.hide(["s-rain", "s-noapp"])
            assert begun.wait(SECONDS)
            wait_until(lambda: not shown(client, "beta"))
            assert shown(client, "alpha") and client.get("/w/alpha/v1/ready").status_code == 200
            assert not may_end.is_set()
        finally:
            may_end.set()
        wait_until(lambda: not shown(client, "alpha"))
