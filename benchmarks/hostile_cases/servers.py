"""Hostile servers: what a model's or an embedder's endpoint may send instead of a reply."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.hostile_cases.case import BAD_INPUT, CAN_GO_ON, FAILED, FINISHED, Answered, Case, Check, Command
from benchmarks.serving import KEY, ScriptedModel, stub

CASES: list[Case] = []
OSC_52 = "\x1b]52;c;aGk=\x07\x9b3;3H\u202e"
SETTINGS = "timeout: 2\nretries: 1\nprices: {scripted: {input: 0.25, output: 1.25}, embed: {input: 0.1, output: 0}}\n"
BUILD = Command("build {here}/kb --yes")
AGAIN = (Command("heal"), BUILD)  # the server is a good one from there on
LOOK = (Command("costs {here}/kb"), Command("show {here}/kb", on_terminal=True))
EXITS = frozenset({FINISHED, FAILED, BAD_INPUT, CAN_GO_ON})  # a stage that fails for many ends the build
Spoil = Callable[[dict[str, Any]], Any]


class Switched:
    """Replies with what a case does until ``heal`` is called, then as a model does."""

    def __init__(self, spoil: Spoil | None) -> None:
        self.good = ScriptedModel()
        self.spoil = spoil

    def __call__(self, body: dict[str, Any]) -> Any:
        """Reply to one request."""
        return self.good(body) if self.spoil is None else self.spoil(body)


class Server:
    """A stub server that a case can turn into a good one."""

    def __init__(self, here: Path, spoil: Spoil | None, embed: Spoil | None, url: str = "") -> None:
        self.switched = Switched(spoil)
        self.embed = embed
        self.server = stub.StubServer(self.switched, embed=self._embed)
        self.here = here
        self.url = url

    def _embed(self, body: dict[str, Any]) -> Any:
        return None if self.embed is None else self.embed(body)

    def heal(self) -> None:
        """Let every reply be good from now on."""
        self.switched.spoil = self.embed = None
        self._set(self.server.url)

    def _set(self, url: str) -> None:
        embedder = "embedder: openai:embed\n" if (self.here / "embeds").exists() else ""
        text = f"model: openai:scripted\nbase_url: {url}\n{embedder}{SETTINGS}"
        (self.here / "kb" / "settings.yaml").write_text(text, encoding="utf-8")

    @contextmanager
    def serving(self) -> Iterator[Server]:
        """Serve for the length of a block, in which commands have a key that nobody checks."""
        before = os.environ.get(KEY)
        os.environ[KEY] = "sk-a-key-that-must-not-be-seen"
        try:
            with self.server as server:
                self._set(self.url or server.url)
                yield self
        finally:
            os.environ.pop(KEY)
            if before is not None:
                os.environ[KEY] = before


def _heals(_here: Path, answered: Sequence[Answered]) -> str:
    last = answered[-1]
    if any("that-must-not-be-seen" in one.out + one.err for one in answered):
        return "the key was shown"
    if last.status != 0 or last.answer.get("failures"):
        return f"a good server does not heal it: {(last.answer.get('failures') or [last.err])[0]}"
    return ""


def _names_the_cap(_here: Path, answered: Sequence[Answered]) -> str:
    """Complain where what no cap was enough for is not said with the setting that raises the cap."""
    reasons = [failure["reason"] for failure in answered[-1].answer.get("failures", ())]
    return "" if reasons and all("max_output" in reason for reason in reasons) else f"the cap is not named: {reasons}"


def model(name: str, spoil: Spoil | Any, *, check: Check = _heals, heavy: bool = False) -> None:
    """Add a case of a server whose chat replies are spoiled."""
    reply = spoil if callable(spoil) else lambda _body: spoil
    CASES.append(
        Case(
            "servers",
            f"model: {name}",
            lambda _here: None,
            (BUILD, *(LOOK if "control" in name or "usage" in name else ()), *AGAIN),
            "kettles",
            exits=EXITS,
            check=check,
            heavy=heavy,
            meanwhile=lambda here: Server(here, reply, None).serving(),
        )
    )


def embedder(name: str, spoil: Spoil | Any, *, heavy: bool = False) -> None:
    """Add a case of an embedder whose replies are spoiled."""
    reply = spoil if callable(spoil) else lambda _body: spoil
    CASES.append(
        Case(
            "servers",
            f"embedder: {name}",
            lambda here: (here / "embeds").touch(),
            (BUILD, *AGAIN),
            "kettles",
            exits=EXITS,
            check=_heals,
            heavy=heavy,
            meanwhile=lambda here: Server(here, None, reply).serving(),
        )
    )


def completion(content: Any, **more: Any) -> stub.Fault:
    """Return a completion in OpenAI's form with something in it that does not belong there."""
    message = {"role": "assistant", "content": content}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "scripted"}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return stub.body(json.dumps({**body, "choices": choices, "usage": usage, **more}))


def _spoiled(change: Callable[[str], str]) -> Spoil:
    good = ScriptedModel()
    return lambda body: change(good(body))


DEEP = '{"answers": ' + "[" * 50_000 + "]" * 50_000 + "}"
model("no choices", stub.body('{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'))
model("choices that are null", completion("{}", choices=None))
model("an empty body", stub.body(""))
model("an empty reply", "")
model("garbage", stub.GARBAGE)
model("bytes", stub.body("\x00\ufffd\x1b]52;c;aGk=\x07" * 100))
model("a page", stub.HTML)
model("null", stub.body("null"))
model("a list", stub.body("[]"))
for _code in (400, 401, 403, 404, 413, 429, 500, 503):
    model(f"HTTP {_code}", stub.status(_code))
model("HTTP 429 with a long wait", stub.status(429, 1e9))
model("HTTP 429 with a wait that is none", stub.Fault("status", 429, {"retry-after": "-nan"}))
model("HTTP 500 with control characters", stub.Fault("status", 500, content=f"{OSC_52} " * 1_000))
model("HTTP 999", stub.status(999))
model("100 MB packed into 100 KB", stub.BOMB, heavy=True)
model("a flood", stub.FLOOD, heavy=True)
model("a drip", stub.DRIP, heavy=True)
model("never a reply", stub.HANG, heavy=True)
model("connections that are reset", stub.RESET)
model("bodies cut short", stub.CUT)
model("a refusal", stub.refusal("I cannot help with that."))
model("replies that reached their length", stub.length('{"answers": ['), check=_names_the_cap)
model("halves of characters", _spoiled(lambda text: text.replace('": "', '": "\\ud83d', 5)))
model("control characters", _spoiled(lambda text: text.replace('": "', f'": "{OSC_52[1:]}\\u001b]52;c;aGk=\\u0007', 5)))
model("NaN in replies", _spoiled(lambda text: text.replace('"number": 1', '"number": NaN')))
model(
    "numbers of 5,000 digits in replies", _spoiled(lambda text: text.replace('"number": 1', '"number": ' + "9" * 5_000))
)
model("replies 50,000 deep", DEEP)
model("replies of 7 MB", lambda _body: '{"answers": [' + '{"number": 1, "why": "because"}, ' * 200_000, heavy=True)
model(
    "a usage of NaN",
    stub.body(
        '{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, '
        '"message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}], '
        '"usage": {"prompt_tokens": NaN, "completion_tokens": 1e999, "total_tokens": -1}}'
    ),
)
model(
    "a usage of huge numbers",
    completion("{}", usage={"prompt_tokens": 10**400, "completion_tokens": -(10**30), "total_tokens": 0}),
)
model("wrong types everywhere", completion([{"a": 1}], id=5, created="x", model=[], choices={"a": 1}, usage=[]))
model(
    "tools nobody asked for",
    completion(
        None,
        choices=[
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "1", "type": "function", "function": {"name": "rm", "arguments": "{"}}],
                },
            }
        ],
    ),
)
for _name, _body in {
    "vectors that are empty": {"data": []},
    "no data": {"error": "no"},
    "vectors of NaN": None,
    "another number of vectors": {"data": [{"index": 0, "embedding": [0.1] * 16}]},
    "words for numbers": {"data": [{"index": n, "embedding": ["a"]} for n in range(100)]},
}.items():
    embedder(
        _name,
        stub.body('{"data": [{"index": 0, "embedding": [NaN, Infinity]}]}' if _body is None else json.dumps(_body)),
    )


def _each(vector: Callable[[int], list[Any]]) -> Spoil:
    def reply(body: dict[str, Any]) -> stub.Fault:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        return stub.body(json.dumps({"data": [{"index": n, "embedding": vector(n)} for n in range(len(texts))]}))

    return reply


embedder("vectors of zeros", _each(lambda _n: [0.0] * 16))
embedder("vectors of NaN, one a text", _each(lambda _n: [float("nan")] * 16))
embedder("vectors of huge numbers", _each(lambda _n: [1e308] * 16))
embedder("vectors of many lengths", _each(lambda n: [0.5] * (n + 1)))
embedder("vectors of 200,000 numbers", _each(lambda _n: [0.5] * 200_000), heavy=True)
embedder("100 MB packed into 100 KB", stub.BOMB, heavy=True)
embedder("a drip", stub.DRIP, heavy=True)
embedder("HTTP 500", stub.status(500))
embedder("HTTP 401", stub.status(401))
embedder("never a reply", stub.HANG, heavy=True)


@contextmanager
def _elsewhere(here: Path, to: str) -> Iterator[Server]:
    """Serve redirects, which must not carry the key to another host."""

    class Redirect(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", "0")))
            self.send_response(307)
            self.send_header(
                "location", f"http://127.0.0.1:{self.server.server_address[1]}{self.path}" if to == "itself" else to
            )
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Redirect) as redirecting:
        thread = threading.Thread(target=redirecting.serve_forever, args=(0.05,))
        thread.start()
        try:
            with Server(here, None, None, f"http://127.0.0.1:{redirecting.server_address[1]}/v1").serving() as server:
                yield server
        finally:
            redirecting.shutdown()
            thread.join()


for _name, _to in {
    "to a host of nobody": "http://h.invalid/v1/chat/completions",
    "to itself for ever": "itself",
    "to a file": "file:///etc/passwd",
}.items():
    CASES.append(
        Case(
            "servers",
            f"model: redirects {_name}",
            lambda _here: None,
            (BUILD, *AGAIN),
            "kettles",
            exits=EXITS,
            check=_heals,
            meanwhile=lambda here, to=_to: _elsewhere(here, to),
        )
    )
CASES.append(
    Case(
        "servers",
        "model: nobody listens",
        lambda _here: None,
        (BUILD, *AGAIN),
        "kettles",
        exits=EXITS,
        check=_heals,
        meanwhile=lambda here: Server(here, None, None, "http://127.0.0.1:9/v1").serving(),
    )
)


def _readers_see_the_same(_here: Path, answered: Sequence[Answered]) -> str:
    before, _, built, after = answered
    if built.status in (FINISHED, None) or not before.answer["solutions"]:
        return f"a build whose model answered nothing ended with {built.status}"
    return "" if before.answer["trees"] == after.answer["trees"] else "readers see something else"


def _more_issues(here: Path) -> None:
    lines = (
        json.dumps({"id": f"m{n}", "text": f"My kettle {what}"}) for n, what in enumerate(("hums", "leaks", "smells"))
    )
    (here / "more.jsonl").write_text("\n".join(lines), encoding="utf-8")


SHOW = Command("show {here}/kb")
for _name, _reply in {"HTTP 500": stub.status(500), "a page": stub.HTML, "resets": stub.RESET}.items():
    CASES.append(
        Case(
            "servers",
            f"model over a published knowledge base: {_name}",
            _more_issues,
            (SHOW, Command("add {here}/kb {here}/more.jsonl --as issues"), BUILD, SHOW),
            "built",
            exits=EXITS,
            check=_readers_see_the_same,
            meanwhile=lambda here, reply=_reply: Server(here, lambda _body: reply, None).serving(),
        )
    )
