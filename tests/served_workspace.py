"""A workspace served on loopback by a thread of this process, for the length of a block."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from autokb.web.app import create_app

SECONDS = 60  # that the service may take to begin or to end before it is given up


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Give the address of the service."""
    with served_app(create_app(folder)) as url:
        yield url


@contextmanager
def served_app(app: ASGIApp) -> Iterator[str]:
    """Give the address of the service that an application is."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        # The application's own log has no place in what a test prints.
        config = uvicorn.Config(app, http="h11", ws="none", lifespan="on", log_config=None, timeout_graceful_shutdown=5)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        end = time.monotonic() + SECONDS
        while not server.started:
            assert thread.is_alive() and time.monotonic() < end, "the service does not start"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(SECONDS)
            assert not thread.is_alive(), "the service does not end"
