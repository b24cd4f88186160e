"""An endpoint's embedder: batches, tokens, our own retries, strict reading, and a key that nobody sees."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import numpy as np
import pytest

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.model_requests import SendError
from autokb.llm.embedders.endpoint import OpenAIEmbedder
from autokb.llm.embedders.endpoint_replies import read_embeddings
from stub_server import CUT, GARBAGE, HANG, HTML, RESET, Fault, StubServer, status, vector

SECRET = "sk-test-only-8d1f"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)


def opened(server: StubServer, pauses: list[float] | None = None, **options: Any) -> OpenAIEmbedder:
    """An embedder that asks the stub and notes its pauses instead of waiting."""
    waited = [] if pauses is None else pauses
    return OpenAIEmbedder("tiny", base_url=server.url, pause=waited.append, **options)


def after(*faults: Fault) -> Callable[[dict[str, Any]], Fault | None]:
    """The faults in their order, then good replies."""
    left = list(faults)
    return lambda _body: left.pop(0) if left else None


def test_vectors_are_those_of_the_endpoint_made_one_long() -> None:
    with StubServer() as server:
        found, tokens = opened(server).embed_counted(["eight ch", "twelve chars"])
    for row, text in zip(found, ["eight ch", "twelve chars"], strict=True):
        sent = np.array(vector(text))
        assert np.allclose(row, sent / np.linalg.norm(sent), atol=1e-6)
    assert tokens == (8 + 12) // 4
    assert server.embedded == [{"input": ["eight ch", "twelve chars"], "model": "tiny", "encoding_format": "float"}]
    assert server.keys == [SECRET]


def test_batches_are_bounded_by_texts_and_characters() -> None:
    embedder = OpenAIEmbedder("tiny")
    assert [len(part) for part in embedder.batches(["short"] * 70)] == [32, 32, 6]
    assert [len(part) for part in embedder.batches(["x" * 5_000] * 20)] == [9, 9, 2]
    assert [len(part) for part in embedder.batches(["x" * 1_000_000] * 7)] == [6, 1]  # 8,000 of each are sent
    assert embedder.batches([]) == []


def test_embed_asks_batch_by_batch_and_keeps_the_order() -> None:
    texts = [f"text {n}" for n in range(70)]
    with StubServer() as server:
        embedder = opened(server)
        vectors = embedder.embed(texts)
    assert [len(body["input"]) for body in server.embedded] == [32, 32, 6]
    assert embedder.sent == 3
    last = np.array(vector("text 69"))
    assert np.allclose(vectors[69], last / np.linalg.norm(last), atol=1e-6)


def test_a_long_text_is_cut_and_a_blank_one_is_a_full_stop() -> None:
    with StubServer() as server:
        opened(server).embed(["é" * 9_000, "  \n", ""])
    assert [len(text) for text in server.embedded[0]["input"]] == [4_000, 1, 1]
    assert server.embedded[0]["input"][1:] == [".", "."]


def test_the_name_says_the_model_and_the_length_asked_for_not_the_address() -> None:
    assert OpenAIEmbedder("a/b:c", base_url="http://127.0.0.1:1/v1").name == "openai:a/b:c"
    short = OpenAIEmbedder("tiny", asked_dimensions=4)
    assert (short.name, short.price_key, short.dimensions) == ("openai:tiny?dimensions=4", "openai:tiny", 4)


def test_a_length_asked_for_is_sent() -> None:
    with StubServer() as server:
        assert opened(server, asked_dimensions=4).embed(["x"]).shape == (1, 4)
    assert server.embedded[0]["dimensions"] == 4


def test_dimensions_are_learned_by_one_request_or_by_the_first_texts() -> None:
    with StubServer(dimensions=5) as server:
        probing, told = opened(server), opened(server)
        assert (probing.dimensions, probing.dimensions, probing.sent) == (5, 5, 1)
        told.embed(["x"])
        assert (told.dimensions, told.sent) == (5, 1)


def test_another_length_than_before_is_refused() -> None:
    with StubServer(dimensions=5) as server:
        embedder = opened(server)
        embedder.expect(8)
        with pytest.raises(BadInputError, match="vectors of 5 numbers, not 8 as before"):
            embedder.embed(["x"])
        with pytest.raises(BadInputError, match="vectors of 9 numbers, not 8 as before"):
            embedder.expect(9)


def test_a_missing_key_is_named_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(BadInputError, match="set the environment variable OPENAI_API_KEY"):
        OpenAIEmbedder("tiny")


@pytest.mark.parametrize(
    "fault", [RESET, CUT, GARBAGE, HTML, status(429), status(500), status(502), status(503), status(529), status(408)]
)
def test_a_passing_fault_is_tried_again(fault: Fault) -> None:
    pauses: list[float] = []
    with StubServer(embed=after(fault, fault)) as server:
        embedder = opened(server, pauses)
        assert embedder.embed(["x"]).shape == (1, 16)
    assert embedder.sent == len(server.embedded) == 3
    assert [0.5 <= pauses[0] <= 1.0, 1.0 <= pauses[1] <= 2.0] == [True, True]


def test_an_endpoint_that_hangs_is_tried_again() -> None:
    with StubServer(embed=after(HANG)) as server:
        assert opened(server, timeout=0.5).embed(["x"]).shape == (1, 16)
    assert len(server.embedded) == 2


def test_the_seconds_that_an_endpoint_asks_for_are_waited_up_to_a_minute() -> None:
    pauses: list[float] = []
    with StubServer(embed=after(status(429, 7), status(503, 3600))) as server:
        opened(server, pauses).embed(["x"])
    assert pauses == [7.0, 60.0]


def test_after_the_last_retry_the_error_says_what_was_met() -> None:
    with (
        StubServer(embed=lambda _body: status(500)) as server,
        pytest.raises(AutokbError, match=r"gave no vectors: stub says 500 \(HTTP 500\)\. .* run the command again"),
    ):
        opened(server, retries=2).embed(["x"])
    assert len(server.embedded) == 3


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (status(401), "the key in OPENAI_API_KEY was refused"),
        (status(403), "the key in OPENAI_API_KEY was refused"),
        (status(404), "no embedding model tiny"),
        (status(429, error_code="insufficient_quota"), "has no money left"),
    ],
)
def test_what_no_retry_heals_ends_it_at_once(fault: Fault, said: str) -> None:
    with StubServer(embed=lambda _body: fault) as server, pytest.raises(BadInputError, match=said):
        opened(server).embed(["x"])
    assert len(server.embedded) == 1


def test_a_request_that_is_refused_is_not_repeated() -> None:
    with StubServer(embed=lambda _body: status(400)) as server, pytest.raises(AutokbError, match="HTTP 400"):
        opened(server).embed(["x"])
    assert len(server.embedded) == 1


@contextmanager
def echoing(code: int) -> Iterator[str]:
    """An endpoint that repeats the key in its error, as some gateways do."""

    class Echo(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.dumps({"error": {"message": f"bad {self.headers['authorization']}"}}).encode()
            self.send_response(code)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("code", [400, 401, 404, 429, 500])
def test_the_key_stands_in_no_error(code: int) -> None:
    with echoing(code) as url:
        embedder = OpenAIEmbedder("tiny", base_url=url, retries=1, pause=lambda _seconds: None)
        with pytest.raises(AutokbError) as met:
            embedder.embed(["x"])
    assert SECRET not in str(met.value)
    assert met.value.__cause__ is None and met.value.__suppress_context__


def body_of(*rows: Any, **more: Any) -> bytes:
    """The body of a reply with these embeddings."""
    return json.dumps({"data": [{"index": n, "embedding": row} for n, row in enumerate(rows)], **more}).encode()


def test_rows_are_put_in_the_order_of_their_index() -> None:
    data = [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}]
    found = read_embeddings(json.dumps({"data": data}).encode(), ["a", "b"])
    assert found.vectors.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 1.0]]


def test_tokens_are_those_counted_else_a_quarter_of_the_characters() -> None:
    assert read_embeddings(body_of([1.0], usage={"prompt_tokens": 9, "total_tokens": 9}), ["x" * 40]).tokens == 9
    assert read_embeddings(body_of([1.0], usage={"total_tokens": 8}), ["x" * 40]).tokens == 8
    assert read_embeddings(body_of([1.0]), ["x" * 40]).tokens == 11
    assert read_embeddings(body_of([1.0], usage={"prompt_tokens": 0}), ["x" * 40]).tokens == 11


@pytest.mark.parametrize(
    ("body", "said", "again"),
    [
        (b"", "no JSON", True),
        (b'{"data": [', "no JSON", True),
        (b"[]", "no list of embeddings", False),
        (b'{"data": 5}', "no list of embeddings", False),
        (body_of([1.0]), "1 vectors for 2 texts", False),
        (body_of([1.0], [1.0], [1.0]), "3 vectors for 2 texts", False),
        (body_of([1.0], [float("nan")]), "no finite number", False),
        (body_of([1.0], [float("inf")]), "no finite number", False),
        (body_of([1.0], [None]), "no finite number", False),
        (body_of([1.0], ["1.5"]), "no finite number", False),
        (body_of([1.0], [True]), "no finite number", False),
        (body_of([1.0], [1.0, 2.0]), "differ in their length", False),
        (body_of([1.0], []), "no list of numbers", False),
        (body_of([1.0], "AACAPw=="), "no list of numbers", False),
        (body_of([0.6, 0.8], [0.0, 0.0]), "all zeros", False),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}', "numbered", False),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 5, "embedding": [1]}]}', "numbered", False),
        (b'{"data": [7, {"embedding": [1]}]}', "numbered", False),
    ],
)
def test_rubbish_is_said_to_be_rubbish(body: bytes, said: str, again: bool) -> None:
    with pytest.raises(SendError, match=said) as met:
        read_embeddings(body, ["a", "b"])
    assert met.value.retry is again


def test_huge_and_tiny_numbers_still_give_length_one() -> None:
    found = read_embeddings(body_of([3e150, 4e150], [3e-150, 4e-150]), ["a", "b"]).vectors
    assert np.allclose(found, [[0.6, 0.8], [0.6, 0.8]], atol=1e-6)
