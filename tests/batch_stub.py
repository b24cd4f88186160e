"""A small stub of OpenAI's /files and /batches on loopback: it keeps what it was sent and ends batches when told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Line = dict[str, Any]


@dataclass
class BatchStub:
    """Use it as a context manager; ``refuse`` is a status that every request gets, 0 for none."""

    files: dict[str, str] = field(default_factory=dict)
    batches: dict[str, Line] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    refuse: int = 0
    refuse_path: str = ""
    said: str = "not now"

    def __enter__(self) -> Self:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def lines(self, batch: str) -> list[Line]:
        """Return the requests of a batch."""
        return [json.loads(line) for line in self.files[self.batches[batch]["input_file_id"]].splitlines()]

    def end(self, batch: str, answer: Callable[[Line], Line | None], status: str = "completed") -> None:
        """End a batch; ``answer`` makes a line of its output file from a line of its input file."""
        output = [line for line in map(answer, self.lines(batch)) if line is not None]
        self.files[f"out-{batch}"] = "".join(json.dumps(line) + "\n" for line in output)
        self.batches[batch] |= {"status": status, "output_file_id": f"out-{batch}"}

    def upload(self, data: bytes) -> Line:
        """Keep a file that came as a form."""
        boundary = data.split(b"\r\n", 1)[0]
        for part in data.split(boundary):
            head, _, content = part.partition(b"\r\n\r\n")
            if b"filename=" in head:
                name = f"file-{len(self.files) + 1}"
                self.files[name] = content.removesuffix(b"\r\n").decode()
                return {"id": name, "object": "file", "bytes": 1, "created_at": 1, "filename": "b", "purpose": "batch"}
        raise ValueError("no file in the form")

    def create(self, wanted: Line) -> Line:
        """Keep a batch, as one that is in progress."""
        name = f"batch-{len(self.batches) + 1}"
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": wanted["endpoint"],
            "input_file_id": wanted["input_file_id"],
            "completion_window": "24h",
            "status": "in_progress",
            "created_at": 1,
        }
        return self.batches[name]


def _handler(stub: BatchStub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            return

        def _give(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _refused(self) -> bool:
            if stub.refuse and stub.refuse_path in self.path:
                self._give(stub.refuse, json.dumps({"error": {"message": stub.said, "code": "no"}}).encode())
                return True
            return False

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["content-length"]))
            if not self._refused():
                made = stub.upload(data) if self.path == "/v1/files" else stub.create(json.loads(data))
                self._give(200, json.dumps(made).encode())

        def do_GET(self) -> None:
            if self._refused():
                return
            _, _, kind, name, *_rest = self.path.split("/")
            found = stub.files.get(name) if kind == "files" else stub.batches.get(name)
            if found is None:
                self._give(404, b'{"error": {"message": "no such thing", "code": "not_found"}}')
            else:
                self._give(200, (found if isinstance(found, str) else json.dumps(found)).encode())

        def do_DELETE(self) -> None:
            stub.deleted.append(self.path.rsplit("/", 1)[1])
            self._give(200, b'{"id": "x", "object": "file", "deleted": true}')

    return Handler


def response(text: str, **more: Any) -> Line:
    """Return the body of the responses interface that says a text, 12 tokens in (4 of them cached) and 3 out."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    usage = {
        "input_tokens": 12,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    }
    return {
        "id": "resp",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "gpt-4o-mini",
        "output": [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}],
        "usage": usage,
    } | more


def ran(line: Line, body: Line, status: int = 200) -> Line:
    """Return the line of an output file for a request that was run."""
    return {"custom_id": line["custom_id"], "response": {"status_code": status, "body": body}, "error": None}
