"""What every request passes: who sends it, how large it is, how long it may take, what the log says of it.

The log has a JSON object a request without any text of a customer: no body, no query, no id, of an error its class and
the place in our code.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from autokb.core.errors import AutokbError, BadInputError
from autokb.web.access import OPEN_PATHS, Caller, asks_store, identify
from autokb.web.figures import METHODS, OTHER
from autokb.web.pages.rendering import as_page
from autokb.web.problems import FAULT, SECONDS_TO_WAIT, ProblemError, problem, refusal_of
from autokb.web.rate_limit import A_MINUTE, RateLimit
from autokb.web.serving import HOLD, ROOT, Door, Keys, Serving, computing_of, reports_of

LOG = logging.getLogger("autokb.web")
BUSY = "More requests are under way than can be answered in time; send this one again in some seconds."
ASKING_KEYS = 4  # keys at once that a server is asked for; who tries wrong ones waits, and takes no thread of others
TWO_LENGTHS = "A request has a Content-Length or a Transfer-Encoding, not both."
NOT_KEPT, AS_IT_SAYS = (b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What one request may take: bytes of its body, seconds from its head to the last byte of the answer."""

    body_bytes: int = 1 << 20  # the longest question that is read has 100,000 characters, 400 KB at most
    seconds: float = 30.0  # a model has 20 of them
    requests_a_minute: int = A_MINUTE  # of a key; 0 limits nothing
    at_once: int = 1_000  # requests under way; more are refused at once instead of late


class _ClientGoneError(Exception):
    pass


async def in_thread(work: Callable[[], Any], limiter: CapacityLimiter | None = None) -> Any:
    """Do what blocks beside the event loop; a request whose time is up does not wait for it to end.

    A ``limiter`` bounds how many of a kind are done at once, the first first; without one some forty are.
    """
    hold = HOLD.get()

    def held() -> Any:
        with hold():
            return work()

    return await to_thread.run_sync(held, abandon_on_cancel=True, limiter=limiter)


async def compute(request: Request, work: Callable[[], Any]) -> Any:
    """Answer a question: as many at once as there is to compute with, for more would only slow each other down."""
    return await in_thread(work, computing_of(request))


async def compute_report(request: Request, work: Callable[[], Any]) -> Any:
    """Work out what asks many questions, as one question of all that are answered; other reports wait for it."""
    async with reports_of(request):
        return await compute(request, work)


@dataclass(eq=False)
class ServiceMiddleware:
    """What every request passes first (ASGI)."""

    app: ASGIApp
    door_of: Callable[[Scope], Door]
    bound_to: str
    limits: ServiceLimits
    open_paths: frozenset[str] = OPEN_PATHS
    asking_keys: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(ASKING_KEYS))
    under_way: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, whatever goes wrong inside."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status, method = time.perf_counter(), 0, scope["method"]
        if method == "HEAD":  # is GET without a body, which the server leaves out (RFC 9110, 9.3.2)
            scope = {**scope, "method": "GET"}

        async def note_and_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = list(message.get("headers", ()))
                not_kept = [] if any(name.lower() == NOT_KEPT[0] for name, _ in given) else [NOT_KEPT]
                message = {**message, "headers": [*given, *not_kept, AS_IT_SAYS]}
            await send(message)

        door = self.door_of(scope)
        ROOT.set(scope.get("root_path", ""))
        scope.setdefault("state", {})["door"] = door
        self.under_way += 1
        door.figures.under_way.inc()
        try:
            refused = await self._serve(door, scope, receive, note_and_send)
            if refused is not None and not status:
                said = problem(refused.status, refused.sentence, refused.headers)
                await as_page(scope, said)(scope, receive, note_and_send)
        finally:
            self.under_way -= 1
            door.figures.under_way.dec()
            self._log(scope, method, status, time.perf_counter() - started)

    # Complex: each way in which a request may end has an answer of its own.
    async def _serve(self, door: Door, scope: Scope, receive: Receive, send: Send) -> ProblemError | None:
        """Serve a request; returns what it is refused with where nobody has answered it."""
        is_read = False
        try:
            async with asyncio.timeout(self.limits.seconds):
                if self.under_way > self.limits.at_once:
                    raise ProblemError(503, BUSY, {"Retry-After": SECONDS_TO_WAIT})
                head = Headers(scope=scope)
                if "transfer-encoding" in head and "content-length" in head:  # what follows may be another's (RFC 9112)
                    raise ProblemError(400, TWO_LENGTHS, {"Connection": "close"})
                async with door.serving(scope) as serving:
                    scope["state"]["serving"] = serving
                    caller = await self._identify(serving.keys, scope)
                    scope["state"]["caller"] = caller  # also for the log of what is refused from here on
                    if caller is not None:
                        _limit_rate(door.rate, caller)
                    if serving.opened is None:
                        serving.opened = await serving.open(caller is not None)
                    body = await read_body(Headers(scope=scope), receive, self.limits.body_bytes)
                    is_read = True
                    await self.app(scope, _replay(body, receive), send)
        except ProblemError as refused:
            return refused
        except _ClientGoneError:
            return None
        except TimeoutError:
            seconds = f"{self.limits.seconds:g} seconds"
            if is_read:
                return ProblemError(504, f"This took longer than {seconds}; ask for less at once, or again later.")
            return ProblemError(408, f"The request did not arrive within {seconds}; send it again.")
        except AutokbError as error:  # a store that is away
            if not isinstance(error, BadInputError):
                log_fault(error)
            return refusal_of(error, _folder_of(scope))
        except Exception as error:  # a fault of ours, whose words may be a customer's
            log_fault(error)
            return ProblemError(500, FAULT)
        return None

    async def _identify(self, keys: Keys, scope: Scope) -> Caller | None:
        work = partial(identify, keys, scope, self.bound_to, self.open_paths)
        if asks_store(keys, scope, self.open_paths):  # for a key that may be new
            caller: Caller | None = await in_thread(work, self.asking_keys)
            return caller
        return work()  # microseconds: memory, or an index of a connection that is open

    def _log(self, scope: Scope, method: str, status: int, seconds: float) -> None:
        path = getattr(scope.get("route"), "path", OTHER)
        method = method if method in METHODS else OTHER
        state = scope.get("state", {})
        door, caller = state["door"], state.get("caller")
        door.figures.note(method, path, status, seconds)
        said = {"method": method, "path": path, "status": status, "seconds": round(seconds, 6)}
        more = {"workspace": door.name, "why": state.get("why")}
        log_line(logging.INFO, {**said, "key": caller.key if caller else "", **{k: v for k, v in more.items() if v}})


def _folder_of(scope: Scope) -> Path:
    """Return where the workspace of a request lies, as far as it was opened."""
    serving: Serving | None = scope["state"].get("serving")
    return Path() if serving is None or serving.opened is None else serving.opened.folder


def _limit_rate(rate: RateLimit, caller: Caller) -> None:
    """Count a request of a key; who is at this machine without one may send as many as it answers."""
    if caller.key and (wait := rate.take(caller.key)):
        most = f"{rate.a_minute:,} requests a minute, {rate.burst:,} at once"
        sentence = f"This key sends more than it may ({most}); wait, and send fewer."
        raise ProblemError(429, sentence, {"Retry-After": str(math.ceil(wait))})


async def read_body(headers: Headers, receive: Receive, most: int) -> bytes:
    """Return the body of a request (ProblemError 413); one that says that it is too large is not read at all."""
    too_large = ProblemError(413, f"The body is larger than {most:,} bytes, the most that is read; send less at once.")
    said = headers.get("content-length", "")
    if said.isdecimal() and int(said[:20]) > most:
        raise too_large
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _ClientGoneError
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            raise too_large
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give the app the body that was read, and then what follows it."""
    given = False

    async def read() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return read


def log_fault(error: BaseException, **more: str) -> None:
    """Note what failed by its class and the places in the code: the words of an error may be a customer's.

    Of a file that cannot be read or written SQLite's name of the reason stands beside (SQLITE_FULL, SQLITE_READONLY).
    """
    places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    named = {key: said for key, said in more.items() if said}
    reason = getattr(error.__cause__ or error.__context__, "sqlite_errorname", "")
    log_line(
        logging.ERROR,
        {"error": type(error).__name__, **named, **({"reason": reason} if reason else {}), "places": places},
    )


def log_line(level: int, said: dict[str, Any]) -> None:
    """Note something as a JSON object, without any text of a customer."""
    LOG.log(level, "%s", json.dumps({"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **said}))
