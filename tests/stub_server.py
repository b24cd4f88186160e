"""A scripted server that speaks OpenAI's chat and embedding interfaces on loopback, with faults where the script says.

In a test: ``with StubServer(reply) as server: ... server.url``. As a process of its own:
``python tests/stub_server.py --port 0``; it prints its address, ``GET /stats`` says what it was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import functools
import hashlib
import importlib.util
import json
import random
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

JSON = "application/json"
How = Literal[
    "status", "reset", "hang", "cut", "garbage", "text", "slow", "refusal", "length", "packed", "flood", "drip", "body"
]


@dataclass(frozen=True)
class Fault:
    """What a request gets instead of a plain reply; the functions and constants below make the usual ones."""

    how: How
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content: str = ""
    seconds: float = 0.0
    code: str = ""


RESET = Fault("reset")  # the connection is reset once the request was read
HANG = Fault("hang")  # nothing comes back
CUT = Fault("cut", content="{}")  # half of the body, then the connection ends
GARBAGE = Fault("garbage")  # 200 and a body that says JSON and is none
HTML = Fault("text")  # 200 and a page
BOMB = Fault("packed")  # 200 and 100 MB of zeros, packed with gzip into 100 KB
FLOOD = Fault("flood")  # 200 and a body that comes as fast as it is read and never ends
DRIP = Fault("drip")  # 200 and a body that comes byte by byte and never ends
BOMB_BYTES = 100_000_000


def status(code: int, retry_after: float | None = None, error_code: str = "") -> Fault:
    """An HTTP error, with the seconds to wait and OpenAI's word for the error where given."""
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return Fault("status", code, headers, code=error_code)


def body(text: str) -> Fault:
    """200 and this body, whatever it is."""
    return Fault("body", content=text)


def slow(seconds: float, content: str) -> Fault:
    """A good reply that takes its time."""
    return Fault("slow", seconds=seconds, content=content)


def refusal(text: str) -> Fault:
    """The model will not."""
    return Fault("refusal", content=text)


def length(content: str) -> Fault:
    """A reply that reached max_tokens."""
    return Fault("length", content=content)


Script = Callable[[dict[str, Any]], "str | dict[str, Any] | Fault"]
Embed = Callable[[dict[str, Any]], "Fault | None"]
Wire = Callable[..., bytes]  # (body, content, finish, refused) as the answer that a provider sends


def from_schema(body: dict[str, Any]) -> str:
    """Reply with the first thing that the request's JSON schema allows; entries of a list count their ``number``."""
    form = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if form is None and body.get("tools"):
        form = body["tools"][0]["function"]["parameters"]
    return "{}" if form is None else json.dumps(_fitting(form, form, 0))


def _fitting(schema: dict[str, Any], whole: dict[str, Any], position: int) -> Any:
    if "$ref" in schema:
        return _fitting(whole["$defs"][schema["$ref"].rsplit("/", 1)[1]], whole, position)
    for one_of in ("anyOf", "oneOf"):
        if one_of in schema:
            return _fitting(schema[one_of][0], whole, position)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    match schema.get("type"):
        case "object":
            parts = schema.get("properties", {})
            found = {name: _fitting(part, whole, position) for name, part in parts.items()}
            return {**found, "number": position + 1} if "number" in parts else found
        case "array":
            return [_fitting(schema["items"], whole, n) for n in range(schema.get("minItems", 0))]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "string":
            return "text".ljust(schema.get("minLength", 4), "t")[: schema.get("maxLength", 10**6)]
    return None


def usage(body: dict[str, Any], content: str) -> dict[str, int]:
    """A quarter of the characters each way."""
    read = sum(len(m.get("content") or "") for m in body["messages"]) // 4
    return {"prompt_tokens": read, "completion_tokens": len(content) // 4, "total_tokens": read + len(content) // 4}


def completion(body: dict[str, Any], content: str | None, finish: str = "stop", refused: str | None = None) -> bytes:
    """A chat completion as OpenAI sends it; where the request forces a tool, the content is its arguments."""
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": refused}
    if body.get("tools") and not body.get("response_format") and content is not None:
        function = {"name": body["tools"][0]["function"]["name"], "arguments": content}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    answer = {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": usage(body, content or refused or ""),
    }
    return json.dumps(answer).encode()


def vector(text: str, dimensions: int = 16) -> list[float]:
    """A vector that only depends on the text."""
    found: list[float] = []
    for n in range(dimensions):
        seed = hashlib.sha256(f"{n}\n{text}".encode()).digest()
        found.append(int.from_bytes(seed[:4], "big") / 2**31 - 1.0)
    return found


def embeddings(body: dict[str, Any], dimensions: int) -> bytes:
    """The answer of /embeddings; base64 where the client asks for it."""
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    vectors = [vector(t, body.get("dimensions") or dimensions) for t in texts]
    if body.get("encoding_format") == "base64":
        shown: list[Any] = [base64.b64encode(struct.pack(f"<{len(v)}f", *v)).decode() for v in vectors]
    else:
        shown = vectors
    data = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(shown)]
    tokens = sum(len(t) for t in texts) // 4
    answer = {"object": "list", "data": data, "model": body.get("model", "")}
    return json.dumps(answer | {"usage": {"prompt_tokens": tokens, "total_tokens": tokens}}).encode()


class StubServer:
    """Serves in a thread of its own; ``bodies``, ``keys`` and ``answered`` say what it was asked and what it gave.

    ``reply`` gets the body of a chat completion and returns its content (a dict becomes JSON) or a Fault. ``embed``
    may return a Fault for a body of /embeddings. ``wires`` adds the chat interfaces of other providers, by the end of
    their path.
    """

    def __init__(
        self,
        reply: Script = from_schema,
        *,
        embed: Embed | None = None,
        dimensions: int = 16,
        wires: Mapping[str, Wire] | None = None,
    ) -> None:
        self.reply = reply
        self.wires: dict[str, Wire] = {"/chat/completions": completion, **(wires or {})}
        self.embed = embed
        self.dimensions = dimensions
        self.bodies: list[dict[str, Any]] = []
        self.embedded: list[dict[str, Any]] = []
        self.keys: list[str] = []  # what came as a bearer
        self.connected = 0  # requests that only open a connection
        self.answered: Counter[str] = Counter()  # good replies by the hash of the request's body
        self.most_at_once = 0
        self.port = 0
        self._now = 0
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        """The base_url."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> int:
        """How many chat completions were asked for."""
        return len(self.bodies)

    def stats(self) -> dict[str, int]:
        """Requests, good replies, and how many good replies went to a request that had one before."""
        given = sum(self.answered.values())
        return {
            "requests": len(self.bodies),
            "embedded": len(self.embedded),
            "answered": given,
            "doubled": given - len(self.answered),
            "most_at_once": self.most_at_once,
        }

    def __enter__(self) -> StubServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, port: int = 0) -> StubServer:
        """Begin to serve; port 0 takes a free one."""
        self.port = port
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the stub server did not start")
        return self

    def stop(self) -> None:
        """End the thread and every connection; twice is no harm."""
        if not self._thread.is_alive():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=512))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        try:
            self._loop.run_forever()
        finally:
            server.close()
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request of a connection; False ends the connection."""
        line = await reader.readline()
        if not line:
            return False
        method, path, _ = line.decode().split(" ", 2)
        headers: dict[str, str] = {}
        while (row := (await reader.readline()).decode().strip()) != "":
            name, _, value = row.partition(":")
            headers[name.lower()] = value.strip()
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        if path.startswith("/stats"):
            return await _send(writer, 200, json.dumps(self.stats()).encode())
        if method == "HEAD":
            self.connected += 1
            return await _send(writer, 404, b"")
        self.keys.append(headers.get("authorization", "").removeprefix("Bearer "))
        body = json.loads(raw or b"{}")
        if path.endswith("/embeddings"):
            self.embedded.append(body)
            fault = self.embed(body) if self.embed else None
            return await (
                _send(writer, 200, embeddings(body, self.dimensions))
                if fault is None
                else self._spoil(writer, body, fault)
            )
        for suffix, wire in self.wires.items():
            if path.partition("?")[0].endswith(suffix):
                return await self._chat(reader, writer, body, hashlib.sha256(raw).hexdigest(), wire)
        return await _send(writer, 404, b'{"error": {"message": "no such path"}}')

    async def _chat(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: dict[str, Any], digest: str, wire: Wire
    ) -> bool:
        self.bodies.append(body)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            found = self.reply(body)
            if isinstance(found, Fault) and found.how == "slow":
                await asyncio.sleep(found.seconds)
                found = found.content
            if isinstance(found, Fault):
                return await self._spoil(writer, body, found, wire)
            if reader.at_eof():  # whoever asked is gone (killed): nobody gets this reply
                return False
            self.answered[digest] += 1
            return await _send(writer, 200, wire(body, found if isinstance(found, str) else json.dumps(found)))
        finally:
            self._now -= 1

    async def _spoil(  # noqa: C901 - one case a fault
        self, writer: asyncio.StreamWriter, body: dict[str, Any], fault: Fault, wire: Wire = completion
    ) -> bool:
        match fault.how:
            case "status":
                error = {
                    "message": fault.content or f"stub says {fault.status}",
                    "type": fault.code,
                    "code": fault.code or None,
                }
                return await _send(writer, fault.status, json.dumps({"error": error}).encode(), fault.headers)
            case "reset":
                writer.transport.abort()
                return False
            case "hang":
                await asyncio.sleep(3600)
                return False
            case "cut":
                whole = wire(body, fault.content)
                writer.write(_head(200, len(whole)) + whole[: len(whole) // 2])
                await writer.drain()
                return False
            case "garbage":
                return await _send(writer, 200, b'{"choices": [')
            case "text":
                return await _send(writer, 200, b"<html>gateway</html>", {"content-type": "text/html"})
            case "body":
                return await _send(writer, 200, fault.content.encode())
            case "packed":
                return await _send(writer, 200, _bomb(), {"content-encoding": "gzip"})
            case "flood" | "drip":
                writer.write(b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n")
                while True:
                    writer.write(b" " if fault.how == "drip" else b" " * 65_536)
                    await writer.drain()
                    await asyncio.sleep(0.05 if fault.how == "drip" else 0)
            case "slow":
                await asyncio.sleep(fault.seconds)
                return await _send(writer, 200, wire(body, fault.content))
            case "refusal":
                return await _send(writer, 200, wire(body, None, refused=fault.content))
            case "length":
                return await _send(writer, 200, wire(body, fault.content, "length"))


@functools.cache
def _bomb() -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(bytes(1_000_000)) for _ in range(BOMB_BYTES // 1_000_000)) + packer.flush()


def _head(code: int, size: int, headers: Mapping[str, str] | None = None) -> bytes:
    lines = {"content-type": JSON, "content-length": str(size)} | dict(headers or {})
    return (f"HTTP/1.1 {code} X\r\n" + "".join(f"{n}: {v}\r\n" for n, v in lines.items()) + "\r\n").encode()


async def _send(writer: asyncio.StreamWriter, code: int, body: bytes, headers: Mapping[str, str] | None = None) -> bool:
    writer.write(_head(code, len(body), headers) + body)
    await writer.drain()
    return True


def faulty(share: float, seed: int, seconds: float, inner: Script = from_schema) -> Script:
    """Make a share of the requests go wrong, each in one of the usual ways; all others take ``seconds``."""
    dice = random.Random(seed)
    ways = (RESET, status(500), status(503), status(429), status(429, 0.01), GARBAGE)

    def reply(body: dict[str, Any]) -> str | dict[str, Any] | Fault:
        if dice.random() < share:
            return dice.choice(ways)
        found = inner(body)
        if not seconds or isinstance(found, Fault):
            return found
        return slow(seconds, found if isinstance(found, str) else json.dumps(found))

    return reply


def _script(where: str) -> Script:
    """Load a script named FILE.py:FUNCTION."""
    path, _, name = where.rpartition(":")
    spec = importlib.util.spec_from_file_location("stub_script", Path(path))
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Script = getattr(module, name)
    return found


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--faults", type=float, default=0.0, help="share of requests that go wrong")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.0, help="how long a good reply takes")
    parser.add_argument("--script", default="", help="FILE.py:FUNCTION that replies; else what the schema allows")
    options = parser.parse_args()
    inner = _script(options.script) if options.script else from_schema
    server = StubServer(faulty(options.faults, options.seed, options.seconds, inner)).start(options.port)
    print(server.url, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    server.stop()


if __name__ == "__main__":
    main()
