"""Connections that do not become requests: heads that never end, bodies that nobody reads, hundreds at once."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import uvicorn

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace
from autokb.web import connections
from autokb.web.app import create_app
from autokb.web.connections import Connection
from autokb.web.middleware import ServiceLimits

SECONDS = 120  # that anything here may take before it is given up
HEAD = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n"
Opened = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Opened]]


class Patient(Connection):
    """Waits for a head as long as a test lasts, for machines that are busy."""

    head_seconds = SECONDS


class Impatient(Connection):
    """Waits for a head a tenth of a second."""

    head_seconds = 0.1


@asynccontextmanager
async def served(app: Any, connection: type[Connection] = Patient) -> AsyncIterator[Connect]:
    """Serve an application on loopback in this very process; gives what opens a connection to it."""
    config = uvicorn.Config(app, http=connection, ws="none", log_config=None, lifespan="on")
    server = uvicorn.Server(config)
    listening = socket.create_server(("127.0.0.1", 0))  # as the command does
    serving = asyncio.create_task(server._serve([listening]))
    while not server.started:
        await asyncio.sleep(0.01)
    place = listening.getsockname()
    opened: list[asyncio.StreamWriter] = []

    async def connect() -> Opened:
        reader, writer = await asyncio.open_connection(*place)
        opened.append(writer)
        return reader, writer

    try:
        yield connect
    finally:
        for writer in opened:
            writer.transport.abort()
        server.should_exit = True
        await serving


def run(test: Awaitable[None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(SECONDS):
            await test

    asyncio.run(bounded())


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the length of the body; ``/refuse`` answers without reading it."""
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    size, more = 0, scope["path"] != "/refuse"
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    body = str(size).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


async def read_until_dropped(reader: asyncio.StreamReader) -> bytes:
    """Return what came before the other side closed the connection, or reset it."""
    found = b""
    try:
        while part := await reader.read(65_536):
            found += part
    except ConnectionError:
        pass
    return found


async def is_answered(opened: Opened, request: bytes = HEAD + b"\r\n") -> bool:
    reader, writer = opened
    writer.write(request)
    with suppress(ConnectionError):
        return (await reader.readline()).startswith(b"HTTP/1.1 200 ")
    return False


@pytest.mark.parametrize("sent", [b"", b"GET", HEAD, HEAD + b"X: " + b"y" * 5_000], ids=len)
def test_a_head_that_does_not_end_is_dropped(sent: bytes) -> None:
    async def test() -> None:
        async with served(echo, Impatient) as connect:
            reader, writer = await connect()
            writer.write(sent)
            assert await read_until_dropped(reader) == b""
            while not await is_answered(await connect()):  # a busy machine may let it wait too long
                pass

    run(test())


def test_a_head_that_trickles_in_is_dropped_however_steadily() -> None:
    async def test() -> None:
        async with served(echo, Impatient) as connect:
            reader, writer = await connect()
            dropped = asyncio.create_task(read_until_dropped(reader))
            while not dropped.done():
                writer.write(b"x")
                await asyncio.sleep(0.01)
            assert await dropped == b""

    run(test())


def test_the_second_head_of_a_connection_is_waited_for_no_longer() -> None:
    async def test() -> None:
        class Wearying(Patient):
            pass

        async with served(echo, Wearying) as connect:
            reader, writer = await connect()
            for _ in range(3):
                writer.write(HEAD + b"\r\n")
                assert (await reader.readuntil(b"\r\n\r\n0")).startswith(b"HTTP/1.1 200 ")
            Wearying.head_seconds = Impatient.head_seconds
            writer.write(HEAD)
            assert await read_until_dropped(reader) == b""

    run(test())


def test_a_body_and_an_answer_take_what_the_application_gives_them() -> None:
    async def test() -> None:
        async with served(echo, Impatient) as connect:
            answer = b""
            while not answer:  # a busy machine may let the head wait too long
                reader, writer = await connect()
                writer.write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nConnection: close\r\n\r\n")
                for _ in range(5):
                    await asyncio.sleep(Impatient.head_seconds)
                    writer.write(b"x")
                answer = await read_until_dropped(reader)
            assert answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"\r\n\r\n5")

    run(test())


@pytest.mark.parametrize("framing", [b"Transfer-Encoding: chunked", b"Content-Length: 104857600"])
def test_a_body_that_is_sent_on_after_a_refusal_is_cut_off(framing: bytes) -> None:
    async def test() -> None:
        async with served(echo) as connect:
            reader, writer = await connect()
            writer.write(b"POST /refuse HTTP/1.1\r\nHost: localhost\r\n" + framing + b"\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
            part, sent = b"10000\r\n" + b"x" * 0x10000 + b"\r\n", 0
            try:
                while sent < 100 << 20:
                    writer.write(part)
                    await writer.drain()
                    sent += len(part)
            except ConnectionError:
                pass
            assert sent < 100 << 20
            assert await is_answered(await connect())

    run(test())


def test_bodies_of_100_megabytes_are_refused_by_their_first_one(hand_made: Workspace) -> None:
    async def test() -> None:
        async with served(create_app(hand_made.folder)) as connect:
            reader, writer = await connect()
            writer.write(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            part, sent = b"10000\r\n" + b"x" * 0x10000 + b"\r\n", 0
            answer = asyncio.create_task(reader.readline())
            try:
                while sent < 100 << 20:
                    writer.write(part)
                    await writer.drain()
                    sent += len(part)
            except ConnectionError:
                pass
            assert (await answer).startswith(b"HTTP/1.1 413 ") and sent < 100 << 20

    run(test())


@pytest.mark.slow
def test_five_hundred_connections_at_once_starve_nobody(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    expected = kb.suggest("my robot does not charge in the dock").suggestions[0].text
    body = json.dumps({"messages": [{"role": "customer", "text": "my robot does not charge in the dock"}]}).encode()
    kind = b"Content-Type: application/json\r\nContent-Length: %d" % len(body)
    head = b"POST /v1/suggest HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + kind + b"\r\n\r\n"

    async def ask(connect: Connect) -> bytes:
        reader, writer = await connect()
        writer.write(head + body)
        return await reader.read()

    async def test() -> None:
        async with served(create_app(hand_made.folder)) as connect:
            idle = [await connect() for _ in range(250)]
            found = await asyncio.gather(*(ask(connect) for _ in range(250)))
            assert all(one.startswith(b"HTTP/1.1 200 ") and json.dumps(expected).encode() in one for one in found)
            assert all([await is_answered(one) for one in idle[::50]])

    run(test())


def test_more_requests_than_can_be_answered_in_time_are_refused_at_once(hand_made: Workspace) -> None:
    async def test() -> None:
        async with served(create_app(hand_made.folder, limits=ServiceLimits(at_once=2))) as connect:
            waiting = [await connect() for _ in range(2)]
            for _, writer in waiting:
                writer.write(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n")
            while True:  # until both are under way
                reader, writer = await connect()
                writer.write(HEAD + b"Connection: close\r\n\r\n")
                answer = await reader.read()
                if answer.startswith(b"HTTP/1.1 503 "):
                    break
            assert b"retry-after: 5" in answer and b"application/problem+json" in answer
            for _, writer in waiting:
                writer.transport.abort()
            while not await is_answered(await connect()):
                pass

    run(test())


def test_connections_beyond_the_most_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 3)

    async def test() -> None:
        async with served(echo) as connect:
            kept = [await connect() for _ in range(3)]
            assert all([await is_answered(one) for one in kept])
            reader, writer = await connect()
            writer.write(HEAD + b"\r\n")
            assert await read_until_dropped(reader) == b""
            kept[0][1].transport.abort()
            while True:
                reader, writer = await connect()
                writer.write(HEAD + b"Connection: close\r\n\r\n")
                if b"HTTP/1.1 200 " in await read_until_dropped(reader):
                    break

    run(test())


def test_what_is_written_does_not_wait_for_the_client_to_confirm_what_was_before() -> None:
    at_once: list[int] = []

    class Noting(Connection):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            at_once.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    async def test() -> None:
        async with served(echo, Noting) as connect:
            reader, writer = await connect()
            writer.write(HEAD + b"\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")

    run(test())
    assert at_once and all(at_once)
