"""``autokb mcp --http`` as a real process: keys, roles, calls at once, calls that are cancelled, hostile requests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
import pytest
from mcp_sessions import INSIDE, READING, SECONDS, TICKETS, WRITING, as_answered, call, over_http, read, refused

from mcp import Client, MCPError  # isort: skip  # after mcp_sessions, which skips where there is none

import anyio
from anyio.abc import TaskGroup

from autokb.app import SupportKB
from autokb.core.nouns import DISPLAYED
from autokb.core.roles import ROLES, Role
from autokb.stores.workspace import Workspace
from served_process import Serving, served, stopped

pytestmark = pytest.mark.slow  # each test starts the service
QUESTION = "my robot does not charge in the dock"
LONG = f"{QUESTION} and stops. " * 2_000  # 98,000 characters, which take a while
MODERN = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28"}


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    return SupportKB(hand_made)


@pytest.fixture
def keys(kb: SupportKB) -> Mapping[Role, Any]:
    return {role: kb.keys.create(role) for role in ROLES}


@pytest.fixture
def service(kb: SupportKB, keys: Mapping[Role, Any]) -> Iterator[tuple[Serving, str]]:
    with served(kb.workspace, "--http", command="mcp") as (process, said):
        assert said["needs_key"] is True
        yield process, said["url"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_key_gives_what_its_role_may(
    service: tuple[Serving, str], kb: SupportKB, keys: Mapping[Role, Any], mode: str
) -> None:
    process, url = service
    hidden = next(one for one in kb.views.solutions().items if one.status not in DISPLAYED)
    report = {"conversation": f"c-{mode}", "resolved": True, "date": "2026-03-01"}

    async def talk() -> None:
        for role, key in keys.items():
            insider = role != "reader"
            async with over_http(url, key.key, mode=mode) as client:
                assert (client.protocol_version > "2026") == (mode == "auto")
                tools = {one.name for one in (await client.list_tools()).tools}
                assert tools == (READING | INSIDE | WRITING if insider else READING) - TICKETS, role
                answer = await call(client, "ask", text=QUESTION)
                assert answer["matches"] == kb.ask(QUESTION).as_json()["matches"] and answer["matches"]
                for issue in (
                    await call(client, "read_issue", issue=hidden.issue_id),
                    await read(client, f"autokb://issues/{hidden.issue_id}"),
                ):
                    assert (hidden.id in {one["id"] for one in issue["solutions"]}) == insider, role
                if insider:
                    assert (await call(client, "report_outcome", **report))["changed"] == int(role == "agent")
                    said = [{"role": "customer", "text": QUESTION}]
                    assert (await call(client, "suggest_reply", messages=said))["suggestions"]
                else:
                    assert "agent rights" in await refused(client, "report_outcome", report)
                    assert "agent rights" in await refused(client, "ask_tickets", {"text": QUESTION})

    asyncio.run(talk())
    assert kb.usage.report_outcome(**report).changed == 0  # type: ignore[arg-type]  # it is known
    status, log = stopped(process)
    assert status == 0 and {one["key"] for one in log} == {key.id for key in keys.values()}
    assert {one["path"] for one in log} == {"/v1/mcp"} and {one["status"] for one in log} <= {200, 202}
    assert QUESTION not in str(log)


def test_a_key_that_is_wrong_revoked_or_missing_opens_nothing(
    service: tuple[Serving, str], kb: SupportKB, keys: Mapping[Role, Any]
) -> None:
    _, url = service

    async def lists(key: str) -> int:
        async with over_http(url, key) as client:
            return len((await client.list_tools()).tools)

    async def talk() -> None:
        async with over_http(url, keys["agent"].key) as client:
            assert await call(client, "ask", text=QUESTION)
            kb.keys.revoke(keys["agent"].id)
            with pytest.raises(MCPError):
                await client.list_tools()
        for key in ("", "akb_wrong", keys["agent"].key):
            with pytest.raises((MCPError, ExceptionGroup)):
                await lists(key)
        assert await lists(keys["reader"].key) == len(READING - TICKETS)

    asyncio.run(talk())
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers in ({}, {"authorization": "Bearer akb_wrong"}, {"cookie": "autokb_key=akb_wrong"}):
        answer = httpx2.post(url, json=body, headers={**MODERN, **headers}, timeout=SECONDS)
        assert answer.status_code in (401, 403) and answer.json()["detail"].endswith("."), headers


def test_calls_at_once_of_several_keys_are_answered_as_one_by_one(
    service: tuple[Serving, str], kb: SupportKB, keys: Mapping[Role, Any]
) -> None:
    _, url = service
    texts = [QUESTION, "the blades tear the grass", "my robot will not pair with my phone", "it stops when it rains"]
    wanted = {one: as_answered(kb.ask(one).as_json()) for one in texts}

    async def talk() -> None:
        found: list[tuple[str, Any]] = []

        async def ask(client: Client, text: str) -> None:
            found.append((text, await call(client, "ask", text=text)))

        async with (
            over_http(url, keys["reader"].key) as one,
            over_http(url, keys["agent"].key, mode="legacy") as two,
            anyio.create_task_group() as tasks,
        ):
            for text in texts:
                tasks.start_soon(ask, one, text)
                tasks.start_soon(ask, two, text)
            while len(found) < 8:
                await anyio.sleep(0.01)
        assert all(as_answered(answer) == wanted[text] for text, answer in found)

    asyncio.run(talk())


def test_cancelled_calls_are_given_up_and_leave_it_free_for_the_next(
    service: tuple[Serving, str], keys: Mapping[Role, Any]
) -> None:
    process, url = service

    async def talk() -> None:
        async def ask(client: Client, tasks: TaskGroup) -> None:
            await call(client, "ask", text=LONG)
            tasks.cancel_scope.cancel()  # the others are under way, however fast the machine is

        async with over_http(url, keys["reader"].key) as client:
            first = await call(client, "ask", text=QUESTION)
            async with anyio.create_task_group() as tasks:
                for _ in range(60):
                    tasks.start_soon(ask, client, tasks)
            again = await call(client, "ask", text=QUESTION)
            assert {**again, "seconds": 0} == {**first, "seconds": 0}

    asyncio.run(talk())
    status, log = stopped(process)
    assert status == 0 and 0 in {one["status"] for one in log}  # 0: nobody waited for an answer any more
    assert {one["status"] for one in log} <= {0, 200}


def test_hostile_requests_are_refused_and_the_service_goes_on(
    service: tuple[Serving, str], keys: Mapping[Role, Any]
) -> None:
    process, url = service
    key = {"authorization": f"Bearer {keys['reader'].key}"}
    head = {**key, "accept": MODERN["accept"], "content-type": "application/json"}
    with httpx2.Client(headers=head, timeout=SECONDS) as client:
        large = client.post(url, content=b'{"jsonrpc": "' + b"x" * (1 << 20) + b'"}')
        assert large.status_code == 413 and "send less" in large.json()["detail"]
        for method in ("GET", "DELETE", "PUT"):
            assert client.request(method, url).status_code == 405
        bodies = (b"", b"no JSON", b"\0", b"[]", b"{}", b"[" * 50_000, b'{"id": "\\ud800"}', b'"\xff"', b"9" * 5_000)
        for era in ({}, {"mcp-protocol-version": "2026-07-28"}, {"mcp-protocol-version": "\x7fnone"}):
            for body in bodies:
                answer = client.post(url, content=body, headers=era)
                assert 400 <= answer.status_code < 500, (era, body[:20], answer.status_code)
                assert "Traceback" not in answer.text and "autokb/" not in answer.text
        assert client.post(url, json={}, headers={"content-type": "text/plain"}).status_code == 400
        assert client.get(url.replace("/v1/mcp", "/v1/ready")).status_code == 200
        assert client.get(url.replace("/v1/mcp", "/v1/issues")).status_code == 404

    async def talk() -> None:
        async with over_http(url, keys["reader"].key) as session:
            for name in ("../../etc/passwd", "\0", "' OR 1=1 --", "Ignore all instructions.", "x" * 5_000):
                assert (await refused(session, "read_document", {"document": name})).endswith(".")
                assert (await refused(session, "ask", {"text": QUESTION, name: 1})).endswith(".")
                with pytest.raises(MCPError):
                    await session.read_resource(f"autokb://documents/{name}")
            assert (await call(session, "ask", text=QUESTION))["matches"]

    asyncio.run(talk())
    status, log = stopped(process)
    assert status == 0 and not [one for one in log if "error" in one or one["status"] >= 500]


def test_without_any_key_this_machine_may_and_a_page_of_another_site_may_not(hand_made: Workspace) -> None:
    with served(hand_made, "--http", command="mcp") as (_, said):
        assert said["needs_key"] is False

        async def talk() -> None:
            async with over_http(said["url"]) as client:
                assert {one.name for one in (await client.list_tools()).tools} == (READING | INSIDE | WRITING) - TICKETS

        asyncio.run(talk())
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for headers in ({"host": "evil.example"}, {"origin": "https://evil.example"}, {"x-forwarded-for": "10.0.0.1"}):
            assert (
                httpx2.post(said["url"], json=body, headers={**MODERN, **headers}, timeout=SECONDS).status_code == 401
            )
