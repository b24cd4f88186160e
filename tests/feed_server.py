"""A server on loopback whose answers a test writes: it pages, throttles, fails, lies about lengths and redirects."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

LOOPBACK = "127.0.0.0/8"


@dataclass(frozen=True)
class Asked:
    """A request: its path, what stands behind the question mark, and its headers."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Answer:
    """An answer; ``says`` is the length that it claims where it lies."""

    body: bytes | str | Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    says: int | None = None

    @property
    def data(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


Script = Callable[[Asked], Answer]


class FeedServer:
    """Serves what a script answers, in threads that end with ``with``; ``asked`` has the requests so far."""

    def __init__(self, script: Script) -> None:
        self.asked: list[Asked] = []
        self.sent = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else a body waits for the answer to its head

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                query = {name: words[0] for name, words in parse_qs(parts.query, keep_blank_values=True).items()}
                asked = Asked(parts.path, query, {n.lower(): v for n, v in self.headers.items()})
                outer.asked.append(asked)
                answer = script(asked)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.data) if answer.says is None else answer.says))
                self.end_headers()
                self.wfile.write(answer.data)
                outer.sent += len(answer.data)
                self.close_connection = answer.says is not None

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FeedServer:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def paths(self) -> list[str]:
        """Return the paths that were asked for, in their order."""
        return [one.path for one in self.asked]


def page(title: str, text: str) -> str:
    """Return a web page."""
    return (
        f"<!doctype html><html><head><title>{title}</title></head><body><nav><a href='/'>Home</a></nav>"
        f"<main><h1>{title}</h1><p>{text}</p></main></body></html>"
    )
