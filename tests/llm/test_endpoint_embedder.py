"""An endpoint's embedder through the client: batches, tokens, retries, strict reading, and a key that nobody sees."""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.model_requests import SendError
from autokb.core.vectors import Vectors
from autokb.llm.client import ModelClient, Tag
from autokb.llm.embedders.endpoint import EndpointEmbedder, read_embeddings
from autokb.llm.prices import Prices
from autokb.stores.ledger_table import LedgerTable, spending
from autokb.stores.workspace_file import WorkspaceFile
from stub_server import CUT, GARBAGE, HANG, HTML, RESET, Fault, StubServer, status, vector

SECRET = "sk-test-only-8d1f"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)


class Here:
    """A client over a real workspace file whose embedder asks the stub; it notes its pauses instead of waiting."""

    def __init__(self, path: Path, url: str, retries: int = 5, **options: Any) -> None:
        self.file = WorkspaceFile(path / "knowledge.db", create=not (path / "knowledge.db").exists())
        self.embedder = EndpointEmbedder("tiny", base_url=url, **options)
        self.pauses: list[float] = []
        ledger = LedgerTable(self.file)
        self.client = ModelClient(
            ledger, lambda _m: NOBODY, Prices({}), None, 4, retries, self._pause, embedding_sender=self.embedder
        )

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def embed(self, *texts: str) -> list[Vectors | Exception]:
        """Send what these texts need; gives each request's vectors or its error."""

        async def run() -> list[Vectors | Exception]:
            jobs = [partial(self.client.embed, r, TAG) for r in self.embedder.requests(texts)]
            try:
                return await self.client.run_many(jobs)
            finally:
                await self.client.close()

        return anyio.run(run)

    def vectors(self, *texts: str) -> Vectors:
        """The vectors of texts, in their order."""
        found = self.embed(*texts)
        assert not [one for one in found if isinstance(one, Exception)], found
        return np.concatenate(found)  # type: ignore[arg-type]


NOBODY: Any = None
TAG = Tag("embeddings", "embedding")


@pytest.fixture
def at(tmp_path: Path) -> Callable[..., Here]:
    return partial(Here, tmp_path)


def after(*faults: Fault) -> Callable[[dict[str, Any]], Fault | None]:
    """The faults in their order, then good replies."""
    left = list(faults)
    return lambda _body: left.pop(0) if left else None


def test_vectors_are_those_of_the_endpoint_made_one_long(at: Callable[..., Here]) -> None:
    with StubServer() as server:
        here = at(server.url)
        found = here.vectors("eight ch", "twelve chars")
    for row, text in zip(found, ["eight ch", "twelve chars"], strict=True):
        sent = np.array(vector(text))
        assert np.allclose(row, sent / np.linalg.norm(sent), atol=1e-6)
    assert here.client.counts.input == (8 + 12) // 4
    assert server.embedded == [{"input": ["eight ch", "twelve chars"], "model": "tiny", "encoding_format": "float"}]
    assert server.keys == [SECRET]


def test_vectors_are_kept_with_their_row_of_the_ledger(at: Callable[..., Here]) -> None:
    with StubServer() as server:
        here = at(server.url)
        found = here.vectors("eight ch", "twelve chars")
    kept, missing = here.file.vectors("openai:tiny", ["twelve chars", "other"], here.file.dimensions("openai:tiny"))
    assert missing == [1]
    assert np.array_equal(kept[0], found[1])
    assert spending(here.file) == [("embeddings", "embedding", 1, 5, 0, None, 0)]


def test_a_question_s_vector_is_paid_for_and_not_kept(at: Callable[..., Here]) -> None:
    with StubServer() as server:
        here = at(server.url)
        (request,) = here.embedder.requests(["eight ch"])
        anyio.run(partial(here.client.embed, request, TAG, keep=False))
    assert here.file.dimensions("openai:tiny") == 0
    assert spending(here.file) == [("embeddings", "embedding", 1, 2, 0, None, 0)]


def sizes(embedder: EndpointEmbedder, texts: Sequence[str]) -> list[int]:
    return [len(request.texts) for request in embedder.requests(texts)]


def test_batches_are_bounded_by_texts_and_characters() -> None:
    embedder = EndpointEmbedder("tiny")
    assert sizes(embedder, ["short"] * 70) == [32, 32, 6]
    assert sizes(embedder, ["x" * 5_000] * 20) == [9, 9, 2]
    assert sizes(embedder, ["x" * 1_000_000] * 7) == [6, 1]  # 8,000 of each are sent
    assert sizes(embedder, []) == []


def test_batches_are_asked_side_by_side_and_keep_their_order(at: Callable[..., Here]) -> None:
    texts = [f"text {n}" for n in range(70)]
    with StubServer() as server:
        vectors = at(server.url).vectors(*texts)
    assert sorted(len(body["input"]) for body in server.embedded) == [6, 32, 32]
    last = np.array(vector("text 69"))
    assert np.allclose(vectors[69], last / np.linalg.norm(last), atol=1e-6)


def test_a_long_text_is_cut_and_a_blank_one_is_a_full_stop(at: Callable[..., Here]) -> None:
    with StubServer() as server:
        at(server.url).embed("é" * 9_000, "  \n", "")
    assert [len(text) for text in server.embedded[0]["input"]] == [4_000, 1, 1]
    assert server.embedded[0]["input"][1:] == [".", "."]


def test_the_name_says_the_model_and_the_length_asked_for_not_the_address() -> None:
    assert EndpointEmbedder("a/b:c", base_url="http://127.0.0.1:1/v1").name == "openai:a/b:c"
    short = EndpointEmbedder("tiny", dimensions=4)
    assert (short.name, short.price_key, short.dimensions) == ("openai:tiny?dimensions=4", "openai:tiny", 4)


def test_a_length_asked_for_is_sent(at: Callable[..., Here]) -> None:
    with StubServer() as server:
        assert at(server.url, dimensions=4).vectors("x").shape == (1, 4)
    assert server.embedded[0]["dimensions"] == 4


def test_the_first_texts_tell_the_length(at: Callable[..., Here]) -> None:
    with StubServer(dimensions=5) as server:
        here = at(server.url)
        assert here.embedder.dimensions == 0
        here.embed("x")
        assert (here.embedder.dimensions, here.file.dimensions("openai:tiny")) == (5, 5)


def test_another_length_than_before_is_refused_and_not_kept(at: Callable[..., Here]) -> None:
    with StubServer(dimensions=5) as server:
        here = at(server.url)
        here.embedder.expect(8)
        with pytest.raises(BadInputError, match="vectors of 5 numbers, not 8 as before"):
            here.embed("x")
        with pytest.raises(BadInputError, match="vectors of 9 numbers, not 8 as before"):
            here.embedder.expect(9)
    assert here.file.dimensions("openai:tiny") == 0


def test_a_missing_key_is_named_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(BadInputError, match="set the environment variable OPENAI_API_KEY"):
        EndpointEmbedder("tiny")


@pytest.mark.parametrize(
    "fault", [RESET, CUT, GARBAGE, HTML, status(429), status(500), status(502), status(503), status(529), status(408)]
)
def test_a_passing_fault_is_tried_again_and_each_attempt_is_in_the_ledger(
    at: Callable[..., Here], fault: Fault
) -> None:
    with StubServer(embed=after(fault, fault)) as server:
        here = at(server.url)
        assert here.vectors("x").shape == (1, 16)
    assert len(server.embedded) == here.client.counts.calls == 3
    assert spending(here.file)[0][2] == 3
    assert [0.25 <= here.pauses[0] <= 0.75, 0.5 <= here.pauses[1] <= 1.5] == [True, True]


@pytest.mark.slow
def test_an_endpoint_that_hangs_is_tried_again(at: Callable[..., Here]) -> None:
    with StubServer(embed=after(HANG)) as server:
        assert at(server.url, timeout=2.0).vectors("x").shape == (1, 16)
    assert len(server.embedded) == 2


def test_the_seconds_that_an_endpoint_asks_for_are_waited_up_to_a_minute(at: Callable[..., Here]) -> None:
    with StubServer(embed=after(status(429, 7), status(503, 3600))) as server:
        here = at(server.url)
        here.embed("x")
    assert [7.0 <= here.pauses[0] < 7.5, 60.0 <= here.pauses[1] < 60.5] == [True, True]


def test_after_the_last_retry_the_error_says_what_was_met(at: Callable[..., Here]) -> None:
    with StubServer(embed=lambda _body: status(500)) as server:
        (met,) = at(server.url, retries=2).embed("x")
    assert isinstance(met, SendError) and str(met) == "stub says 500 (HTTP 500)."
    assert len(server.embedded) == 3


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (status(401), "the key in OPENAI_API_KEY was refused"),
        (status(403), "the key in OPENAI_API_KEY was refused"),
        (status(404), "no embedding model tiny"),
        (status(429, error_code="insufficient_quota"), "has no money left"),
    ],
)
def test_what_no_retry_heals_ends_it_at_once(at: Callable[..., Here], fault: Fault, reason: str) -> None:
    with StubServer(embed=lambda _body: fault) as server, pytest.raises(BadInputError, match=reason):
        at(server.url).embed("x")
    assert len(server.embedded) == 1


def test_a_request_that_is_refused_is_not_repeated(at: Callable[..., Here]) -> None:
    with StubServer(embed=lambda _body: status(400)) as server:
        (met,) = at(server.url).embed("x")
    assert "HTTP 400" in str(met)
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
def test_the_key_stands_in_no_error(at: Callable[..., Here], code: int) -> None:
    with echoing(code) as url:
        try:
            (met,) = at(url, retries=1).embed("x")
        except AutokbError as error:
            met = error
    assert isinstance(met, Exception) and SECRET not in str(met)
    assert met.__cause__ is None and met.__suppress_context__


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
    assert read_embeddings(body_of([1.0], usage={"prompt_tokens": 2**70}), ["x" * 40]).tokens == 11


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
        (b'{"data": [{"index": [], "embedding": [1]}, {"index": 1, "embedding": [1]}]}', "numbered", False),
        (body_of([1.0], [10**400]), "too large", False),
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


def test_a_vector_beyond_what_can_be_squared_is_refused_without_a_word_of_numpy() -> None:
    with warnings.catch_warnings(), pytest.raises(SendError, match="no finite number"):
        warnings.simplefilter("error")
        read_embeddings(body_of([1.0, 1.0], [1e308, 1e308]), ["a", "b"])
