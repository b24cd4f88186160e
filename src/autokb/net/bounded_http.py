"""Replies of servers are read up to a bound, as they come and unpacked: none may fill the memory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import httpx2

from autokb.core.storable import without_half_escapes
from autokb.net.reply_bound import ReplyBound, ReplyTooLongError, too_long

ERROR_BYTES = 100_000  # of a body that comes with an error's status; only its first sentence is shown
CONNECT_SECONDS = 10.0  # a server that takes longer to connect is down
CONNECTIONS = 1000  # at once: the threads that ask are the limit, not the pool
READ_AT_ONCE = 65_536  # bytes
BYTES_READ = "autokb.bytes"  # the extension of an answer that says how many came over the connection


class BoundedClient(httpx2.AsyncClient):
    """An HTTP client whose answers are bounded; a provider's package is given it instead of making its own."""

    def __init__(
        self,
        bound: ReplyBound,
        timeout: float,
        *,
        follow_redirects: bool = False,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(
            transport=transport,
            timeout=httpx2.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
            limits=httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
            follow_redirects=follow_redirects,
        )
        self._bound = bound

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request and read its answer up to the bound (ReplyTooLongError); an error's body is cut instead."""
        response = await super().send(request, stream=True, **options)
        if stream:
            return response
        try:
            body = await self._read(response)
        finally:
            await response.aclose()
        # The body is unpacked by now, and its length another one.
        headers = [(n, v) for n, v in response.headers.raw if n.lower() not in (b"content-encoding", b"content-length")]
        whole = httpx2.Response(
            response.status_code,
            headers=headers,
            content=without_half_escapes(body),
            request=request,
            extensions={**response.extensions, BYTES_READ: response.num_bytes_downloaded},
        )
        whole.history = response.history
        return whole

    async def _read(self, response: httpx2.Response) -> bytes:
        body = bytearray()
        async for part in response.aiter_bytes():  # unpacked piece by piece, each of a bounded size
            body += part
            if response.is_error and len(body) >= ERROR_BYTES:
                return bytes(body[:ERROR_BYTES])
            if max(len(body), response.num_bytes_downloaded) > self._bound.bytes:
                raise ReplyTooLongError(too_long(self._bound.bytes_each))
        return bytes(body)


class BoundedAwsSession:
    """The HTTP session of a client of AWS, with answers that are bounded in bytes and in seconds; it unpacks none."""

    def __init__(self, session: Any, bound: ReplyBound, seconds: float) -> None:
        self._session = session
        self._bound = bound
        self._seconds = seconds

    def send(self, request: Any) -> Any:
        """Send a request and read its answer up to the bound."""
        from urllib3.exceptions import HTTPError

        known = import_module("botocore.exceptions")  # it has no types
        ends = time.monotonic() + self._seconds
        request.stream_output = True  # so that the session does not read it itself
        response = self._session.send(request)
        raw, body = response.raw, bytearray()
        try:
            while part := raw.read1(READ_AT_ONCE):
                body += part
                if response.status_code >= 400 and len(body) >= ERROR_BYTES:
                    raw.close()
                    break
                if len(body) > self._bound.bytes:
                    raise ReplyTooLongError(too_long(self._bound.bytes_each))
                if time.monotonic() > ends:
                    raise known.ReadTimeoutError(endpoint_url=request.url, error="the reply does not end")
        except HTTPError as error:
            raise known.ConnectionClosedError(endpoint_url=request.url, error=error) from error
        except BaseException:
            raw.close()  # what was not read must not be taken for the next reply
            raise
        return type(response)(response.url, response.status_code, response.headers, _ReadBody(bytes(body)))

    def close(self) -> None:
        """Close the connections."""
        self._session.close()


@dataclass(frozen=True, slots=True)
class _ReadBody:
    """What was read, in the place of the connection."""

    data: bytes

    def stream(self) -> Iterator[bytes]:
        """Yield it."""
        yield self.data
