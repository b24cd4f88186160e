"""What every reader must do: one from a folder with a tiny model, and one behind a stub of /rerank in both shapes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from autokb.core.errors import BadInputError
from autokb.llm.rerankers import Reranker, RerankError
from autokb.llm.rerankers.endpoint import KEY, EndpointReranker, read_scores
from autokb.llm.rerankers.local import LocalReranker
from stub_server import BOMB, CUT, DRIP, FLOOD, GARBAGE, HANG, HTML, RESET, Fault, StubServer, body, status
from tiny_cross_encoder import save_tiny_cross_encoder

SECRET = "rk-not-to-be-seen-1"
QUESTION = "my kettle"
TEXTS = ("nothing of it", "a kettle with a leak", "leak", "kettle kettle kettle")
WORTH = {"leak": 1.0, "kettle": 2.0}  # what the stub and the tiny model both add up


def worth(text: str) -> float:
    return sum(WORTH.get(word, 0.0) for word in text.split())


def reply(found: dict[str, Any], shape: str) -> str:
    """The scores as servers send them, the best first."""
    name = "score" if shape == "tei" else "relevance_score"
    scores = [{"index": n, name: worth(found["query"]) + worth(text)} for n, text in enumerate(found["documents"])]
    scores.sort(key=lambda one: -one[name])
    return json.dumps(scores if shape == "tei" else {"results": scores})


@contextmanager
def server(answer: Callable[[dict[str, Any]], Any]) -> Iterator[StubServer]:
    wires = {"/rerank": lambda _body, content, *_finish, **_refused: content.encode()}
    with StubServer(answer, wires=wires) as stub:  # type: ignore[arg-type]
        yield stub


@contextmanager
def endpoint(
    answer: Callable[[dict[str, Any]], Any], seconds: float = 20.0, **options: Any
) -> Iterator[tuple[EndpointReranker, StubServer]]:
    with server(answer) as stub:
        reader = EndpointReranker(f"{stub.url}/rerank", seconds, **options)
        try:
            yield reader, stub
        finally:
            reader.close()


@pytest.fixture(params=["local", "cohere", "tei"])
def reader(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reranker]:
    if request.param == "local":
        yield LocalReranker(save_tiny_cross_encoder(tmp_path / "tiny"), 20.0, 1)
    else:
        with endpoint(lambda found: reply(found, request.param)) as (found, _):
            yield found


def test_each_text_has_its_score_in_the_order_of_the_texts(reader: Reranker) -> None:
    assert reader.scores(QUESTION, TEXTS) == [2.0, 5.0, 3.0, 8.0]
    assert reader.scores(QUESTION, TEXTS[::-1]) == [8.0, 3.0, 5.0, 2.0]


def test_a_text_scores_the_same_alone_and_in_company(reader: Reranker) -> None:
    assert [reader.scores(QUESTION, [text])[0] for text in TEXTS] == reader.scores(QUESTION, TEXTS)


def test_no_texts_are_no_scores(reader: Reranker) -> None:
    assert reader.scores(QUESTION, []) == []


@pytest.mark.parametrize("text", ["", " ", "\x00", "👩‍👩‍👧", "leak " * 20_000], ids=range(5))
def test_odd_texts_have_finite_scores(reader: Reranker, text: str) -> None:
    assert all(map(math.isfinite, reader.scores(text, [text, "leak"])))


# -- a folder ---------------------------------------------------------------------------------------------------------


def test_of_a_long_text_the_beginning_is_read(tmp_path: Path) -> None:
    reader = LocalReranker(save_tiny_cross_encoder(tmp_path / "tiny"), 20.0, 1)
    assert reader.scores("my kettle", ["leak " * 1_000]) == [2.0 + 510]  # 512 tokens, two of them the question's


def test_a_reader_whose_time_is_over_ends(tmp_path: Path) -> None:
    with pytest.raises(RerankError, match="did not end within 0 seconds"):
        LocalReranker(save_tiny_cross_encoder(tmp_path / "tiny"), 0.0, 1).scores(QUESTION, TEXTS)


def test_a_score_that_is_no_finite_number_is_refused(tmp_path: Path) -> None:
    reader = LocalReranker(save_tiny_cross_encoder(tmp_path / "tiny", logits="log"), 20.0, 1)
    with pytest.raises(RerankError, match="no finite number"):
        reader.scores("what", ["nothing of it"])


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda folder: None, "is not there; write reranker: local:FOLDER"),
        (lambda folder: folder.mkdir(), r"lacks model\.onnx"),
        (lambda folder: (save_tiny_cross_encoder(folder) / "tokenizer.json").unlink(), r"lacks tokenizer\.json"),
        (lambda folder: (save_tiny_cross_encoder(folder) / "model.onnx").write_bytes(b"no model"), "cannot be loaded"),
        (lambda folder: (save_tiny_cross_encoder(folder) / "tokenizer.json").write_text("{}"), "cannot be loaded"),
        (lambda folder: save_tiny_cross_encoder(folder, logits="vector"), "is no cross-encoder"),
    ],
)
def test_a_folder_that_is_no_reader_is_refused(tmp_path: Path, spoil: Callable[[Path], Any], reason: str) -> None:
    spoil(tmp_path / "tiny")
    with pytest.raises(BadInputError, match=reason):
        LocalReranker(tmp_path / "tiny", 20.0, 1)


# -- an address -------------------------------------------------------------------------------------------------------


def test_one_request_speaks_to_all_three_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    with endpoint(lambda found: reply(found, "tei"), model="big") as (reader, stub):
        reader.scores(QUESTION, TEXTS)
    texts = list(TEXTS)
    switches = {"raw_scores": True, "truncate": True}
    assert stub.bodies == [{"query": QUESTION, "documents": texts, "texts": texts, "model": "big", **switches}]
    assert stub.keys == [SECRET]
    assert reader.name == "http:big"


def test_without_a_key_none_is_sent_and_the_name_is_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with endpoint(lambda found: reply(found, "cohere")) as (reader, stub):
        reader.scores(QUESTION, TEXTS)
    assert stub.keys == [""] and "model" not in stub.bodies[0]
    assert reader.name == "http:127.0.0.1"


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (RESET, "cannot be reached"),
        (CUT, "cannot be reached"),
        (GARBAGE, "is no JSON"),
        (HTML, "is no JSON"),
        (BOMB, "longer than max_reply_bytes"),
        (FLOOD, "longer than max_reply_bytes"),
        (status(401), f"refused the key in {KEY}"),
        (status(302), r"refused the request \(HTTP 302\)"),
        (status(500), r"refused the request \(HTTP 500\)"),
        (body('{"results": 3}'), "no list of scores"),
        (body("[1, 2, 3, 4]"), "no list of scores"),
        (body("[]"), "0 scores for 4 texts"),
        (body('[{"index": 0, "score": 1}]'), "1 scores for 4 texts"),
    ],
)
def test_a_fault_is_a_sentence_without_the_key_after_one_request(
    fault: Fault, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    with endpoint(lambda _found: fault, max_reply_bytes=100_000) as (reader, stub):
        with pytest.raises(RerankError, match=reason) as caught:
            reader.scores(QUESTION, TEXTS)
        assert SECRET not in str(caught.value)
        assert stub.requests == 1


@pytest.mark.parametrize("fault", [HANG, DRIP], ids=["hang", "drip"])
def test_a_server_that_does_not_end_is_left(fault: Fault) -> None:
    late = pytest.raises(RerankError, match=r"did not end within 0\.2 seconds")
    with endpoint(lambda _found: fault, seconds=0.2) as (reader, _), late:
        reader.scores(QUESTION, TEXTS)


def test_a_server_that_is_down_is_a_sentence() -> None:
    with server(lambda _found: RESET) as stub:
        port = stub.port
    reader = EndpointReranker(f"http://127.0.0.1:{port}/rerank", 20.0)
    try:
        with pytest.raises(RerankError, match="cannot be reached"):
            reader.scores(QUESTION, TEXTS)
    finally:
        reader.close()
        reader.close()


def test_probabilities_become_log_odds_and_others_stay() -> None:
    def read(*scores: Any) -> list[float]:
        return read_scores(json.dumps([{"index": n, "score": s} for n, s in enumerate(scores)]).encode(), len(scores))

    assert read(0.5, 0.75) == pytest.approx([0.0, math.log(3)])
    assert read(0, 1.0) == pytest.approx([-13.8155, 13.8155], abs=1e-4)  # log(1e-6)
    assert read(0.5, 1.5, -2) == [0.5, 1.5, -2.0]


@pytest.mark.parametrize(
    "scores",
    [
        '[{"index": 0, "score": NaN}, {"index": 1, "score": 1}]',
        '[{"index": 0, "score": 1e999}, {"index": 1, "score": 1}]',
        '[{"index": 0, "score": "1"}, {"index": 1, "score": 1}]',
        '[{"index": 0, "score": true}, {"index": 1, "score": 1}]',
        '[{"index": 0}, {"index": 1, "score": 1}]',
        '[{"index": 0, "score": 1}, {"index": 0, "score": 1}]',
        '[{"index": 0, "score": 1}, {"index": 2, "score": 1}]',
        '[{"index": false, "score": 1}, {"index": 1, "score": 1}]',
        '[{"index": [], "score": 1}, {"index": 1, "score": 1}]',
        '[{"index": 0, "score": 1%s}, {"index": 1, "score": 1}]' % ("0" * 400),
        "[" * 100_000,
    ],
)
def test_rubbish_is_refused(scores: str) -> None:
    with pytest.raises(RerankError):
        read_scores(scores.encode(), 2)


@pytest.mark.parametrize("url", ["", "rerank", "ftp://a/rerank", "http://", "http://a:x/rerank", "http://[/rerank"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(BadInputError, match="the reranker's address"):
        EndpointReranker(url, 20.0)


def test_an_address_holds_no_password() -> None:
    with pytest.raises(BadInputError, match=KEY):
        EndpointReranker("https://me:secret@a/rerank", 20.0)
