"""Connections that are let go of when they do not become requests: what uvicorn leaves to a proxy in front of it."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # from the first byte of a request, or the opening of a connection, to the end of its head
# Of a body that is still sent after its request was refused; a client reads the refusal only if it is not cut off.
UNREAD_BYTES = 4 << 20
MOST_CONNECTIONS = 4_000  # of a process; each takes some 20 KB


class Connection(H11Protocol):
    """A connection whose heads must arrive in time, however slowly or steadily their bytes trickle in.

    uvicorn drops a connection that is silent between two requests (``timeout_keep_alive``), but waits without end for
    the first head and for the rest of any that has begun. The body and the answer are the application's to time.
    """

    head_seconds = HEAD_SECONDS

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._waiting: asyncio.TimerHandle | None = None
        self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head; send what is written at once.

        asyncio sets this for sockets that it binds itself; ours is bound by the command, before the workers start.
        Without it an answer's body waits for the client to confirm the head, which clients delay by 40 ms.
        """
        super().connection_made(transport)
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Read on; the time of a head begins with its first byte."""
        if self._is_answering():
            super().data_received(data)
            return
        self._wait()
        if self.cycle is not None and self.cycle.response_complete:
            self._unread += len(data)
            if self._unread > UNREAD_BYTES:
                self.transport.abort()
                return
        super().data_received(data)
        if self._is_answering():  # the head is whole
            self._unread = 0
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.head_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self._is_answering():
            self.transport.abort()
