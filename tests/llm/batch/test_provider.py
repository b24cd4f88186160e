"""A provider's batches: submitted once, collected once, also when runs are killed in between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from batch_workspace import PRICE, OpenLedger, noted, request
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import FunctionModel

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.model_requests import ModelReply, ModelRequest, PromptTurn, SendError
from autokb.llm import effort
from autokb.llm.batch.awaited import TakenReplies, custom_id
from autokb.llm.batch.models import open_batch_model
from autokb.llm.batch.provider import JOBS, BatchProvider, submitted
from autokb.net.reply_bound import ReplyBound, too_long
from batch_stub import BatchStub, ran, response

NAME = "openai:gpt-4o-mini"
KEY = "sk-very-secret-0123456789"
A, B = request("a", model=NAME), request("b", model=NAME)
ID = {one.key: custom_id(one.key, one.name) for one in (A, B)}


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchStub]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with BatchStub() as running:
        yield running


def opener(stub: BatchStub) -> Callable[[str], Model]:
    return partial(open_batch_model, base_url=stub.url)


async def run_once(
    at: OpenLedger, open_model: Callable[[str], Model], *requests: ModelRequest
) -> tuple[TakenReplies, int]:
    batch = BatchProvider(at.ledger, at.handles, lambda _model: PRICE, open_model)
    try:
        taken = await batch.take_replies()
        await noted(at, batch, *(r for r in requests if r.key not in at.ledger.replies([r.key])))
        return taken, await batch.flush()
    finally:
        await batch.close()


def run(at: OpenLedger, stub: BatchStub, *requests: ModelRequest) -> tuple[TakenReplies, int]:
    return asyncio.run(run_once(at, opener(stub), *requests))


def says(text: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda line: ran(line, response(text))


def test_requests_are_submitted_together_and_collected_by_a_later_run(here: OpenLedger, stub: BatchStub) -> None:
    assert run(here, stub, A, B) == (TakenReplies(), 2)
    assert here.states() == {A.key: "awaited", B.key: "awaited"}
    assert {line["custom_id"] for line in stub.lines("batch-1")} == set(ID.values())
    taken, waits = run(here, stub, A, B)
    assert (set(taken.missing), taken.taken, waits, len(stub.batches)) == (set(ID.values()), 0, 2, 1), "not ended yet"
    assert submitted(here.handles) == 2
    stub.end("batch-1", says('{"answers": []}'))
    taken, waits = run(here, stub, A, B)
    # 8 fresh, 4 cached and 3 written tokens each, at half the price
    assert taken == TakenReplies(taken=2, input_tokens=24, output_tokens=6, cost=pytest.approx(2 * 50e-6 / 2))
    assert (waits, len(stub.batches), submitted(here.handles)) == (0, 1, 0)
    reply = ModelReply('{"answers": []}', 12, 3, 4, "stop")
    assert here.ledger.replies([A.key, B.key]) == {A.key: reply, B.key: reply}
    assert run(here, stub, A, B) == (TakenReplies(), 0)


def test_what_is_submitted_says_all_of_a_request(here: OpenLedger, stub: BatchStub) -> None:
    turns = (
        PromptTurn("system", "S"),
        PromptTurn("user", "U"),
        PromptTurn("assistant", "not json"),
        PromptTurn("user", "again"),
    )
    schema = {
        "type": "object",
        "properties": {"number": {"type": "integer", "enum": [1]}},
        "required": ["number"],
        "additionalProperties": False,
    }
    run(here, stub, ModelRequest(NAME, turns, schema, "themes", 77))
    (line,) = stub.lines("batch-1")
    body = line["body"]
    assert (line["method"], line["url"]) == ("POST", "/v1/responses")
    assert (body["model"], body["max_output_tokens"], body["temperature"]) == ("gpt-4o-mini", 77, 0.0)
    assert [turn["role"] for turn in body["input"]] == ["system", "user", "assistant", "user"]
    assert body["text"]["format"] == {"type": "json_schema", "name": "themes", "schema": schema, "strict": True}


def test_a_batch_that_an_earlier_version_submitted_is_collected(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, A)
    stub.end("batch-1", lambda line: ran(line | {"custom_id": f"autokb-{A.key[:40]}"}, response("old")))
    assert run(here, stub, A)[0].taken == 1
    assert here.ledger.replies([A.key])[A.key].text == "old"


def test_a_request_that_failed_is_named_and_asked_for_again(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, A, B)
    late = {"code": "batch_expired", "message": "late"}
    stub.end(
        "batch-1",
        lambda line: (
            {"custom_id": line["custom_id"], "error": late}
            if line["custom_id"] == ID[A.key]
            else ran(line, {"error": {"message": "broke"}}, 500)
        ),
        "expired",
    )
    taken, waits = run(here, stub, A, B)
    assert (taken.taken, set(taken.failed), waits) == (0, set(ID.values()), 2)
    assert taken.reasons == {ID[A.key]: "it expired before it was run", ID[B.key]: "HTTP 500: broke."}
    assert len(stub.lines("batch-2")) == 2
    stub.end("batch-2", says("x"))
    assert run(here, stub, A, B)[0].taken == 2


def test_a_request_that_was_refused_for_good_ends_its_item_in_this_run_only(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, A)
    stub.end("batch-1", lambda line: ran(line, {"error": {"message": "too odd"}}, 400))

    async def build() -> TakenReplies:
        batch = BatchProvider(here.ledger, here.handles, lambda _model: PRICE, opener(stub))
        try:
            taken = await batch.take_replies()
            with pytest.raises(SendError, match="too odd") as refused:
                await batch.send(A)
            assert not refused.value.retry
            assert await batch.flush() == 0
            return taken
        finally:
            await batch.close()

    assert asyncio.run(build()).failed == (ID[A.key],)
    assert run(here, stub, A)[1] == 1, "a later build asks again"


def test_a_batch_that_ran_only_in_part_gives_what_it_has(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, A, B)
    stub.end("batch-1", lambda line: ran(line, response("x")) if line["custom_id"] == ID[A.key] else None, "cancelled")
    taken, waits = run(here, stub, A, B)
    assert (taken.taken, taken.reasons, waits) == (1, {ID[B.key]: "it was cancelled before it was run"}, 1)


def test_replies_that_come_during_a_run_are_awaited_no_longer(here: OpenLedger, stub: BatchStub) -> None:
    async def build() -> tuple[int, int, int]:
        batch = BatchProvider(here.ledger, here.handles, lambda _model: PRICE, opener(stub))
        try:
            await noted(here, batch, A, B)
            before = await batch.flush()
            stub.end("batch-1", lambda line: ran(line, response("x")) if line["custom_id"] == ID[A.key] else None)
            taken = (await batch.take_replies()).taken
            await noted(here, batch, B)
            return before, taken, await batch.flush()
        finally:
            await batch.close()

    assert asyncio.run(build()) == (2, 1, 1)
    assert [line["custom_id"] for line in stub.lines("batch-2")] == [ID[B.key]]


def test_a_refusal_is_a_reply(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, A)
    content = [{"type": "refusal", "refusal": "I will not."}]
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    stub.end("batch-1", lambda line: ran(line, response("", output=[message])))
    assert run(here, stub, A)[0].taken == 1
    assert here.ledger.replies([A.key]) == {A.key: ModelReply("I will not.", 12, 3, 4, "refusal")}


def test_a_result_that_is_left_out_is_named(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, A)
    stub.end("batch-1", lambda _line: None)
    taken, waits = run(here, stub, A)
    assert (taken.reasons, waits) == ({ID[A.key]: "its batch ended without a result for it"}, 1)


def test_a_batch_that_the_provider_forgot_is_asked_for_again(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, A)
    stub.batches.clear()
    taken, waits = run(here, stub, A)
    assert (taken.reasons, waits, len(stub.batches)) == ({ID[A.key]: "the provider no longer has its batch"}, 1, 1)


def test_results_are_collected_once_also_when_a_run_ends_before_it_notes_that(
    here: OpenLedger, stub: BatchStub
) -> None:
    run(here, stub, A)
    before = here.handles.get(JOBS)
    stub.end("batch-1", says("x"))
    run(here, stub, A)
    assert before is not None
    here.handles.put(JOBS, before)  # as if the run had been killed between ledger and note
    taken, waits = run(here, stub, A)
    assert (taken, waits) == (TakenReplies(), 0)


def test_a_run_that_ended_while_it_submitted_is_noticed(here: OpenLedger, stub: BatchStub) -> None:
    def kill(*_: object) -> None:
        raise KeyboardInterrupt

    async def build() -> None:
        batch = BatchProvider(here.ledger, here.handles, lambda _model: PRICE, opener(stub))
        await noted(here, batch, A)
        model = await batch._model(NAME)
        model.batch_create = kill  # type: ignore[method-assign]
        await batch.flush()

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(build())
    taken, waits = run(here, stub, A)
    assert (taken.unsure, waits, len(stub.batches)) == ((ID[A.key],), 1, 1)
    assert "nobody knows whether they arrived" in taken.sentences()[0]
    assert run(here, stub, A)[0].unsure == (), "it is said until they are submitted again"


@pytest.mark.parametrize("status", [400, 401, 404, 429])
def test_a_submission_that_is_refused_leaves_no_doubt(here: OpenLedger, stub: BatchStub, status: int) -> None:
    stub.refuse, stub.said = status, f"The key {KEY} is wrong"
    with pytest.raises(AutokbError) as refused:
        run(here, stub, A)
    assert KEY not in str(refused.value)
    assert refused.value.__cause__ is None, "what a provider answers may repeat the key"
    assert refused.value.exit_status == (2 if status in (401, 404) else 1)
    assert ("--batch-files" in str(refused.value)) == (status == 404)
    assert here.states() == {A.key: "awaited"}
    stub.refuse = 0
    taken, waits = run(here, stub, A)
    assert (taken.unsure, waits) == ((), 1)


def test_a_server_error_while_submitting_leaves_doubt(here: OpenLedger, stub: BatchStub) -> None:
    stub.refuse, stub.refuse_path = 500, "/batches"
    with pytest.raises(AutokbError, match="Nothing is lost"):
        run(here, stub, A)
    stub.refuse = 0
    assert run(here, stub, A)[0].unsure == (ID[A.key],)


def test_a_provider_that_cannot_be_asked_keeps_its_batches(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, A)
    stub.refuse = 503
    with pytest.raises(AutokbError, match="be asked for its batches"):
        run(here, stub, A)
    stub.refuse = 0
    stub.end("batch-1", says("x"))
    assert run(here, stub, A)[0].taken == 1


def test_batches_keep_to_what_the_provider_takes(
    here: OpenLedger, stub: BatchStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pydantic_ai.models.openai import OpenAIResponsesModel

    monkeypatch.setattr(OpenAIResponsesModel, "batch_max_requests", 2)
    many = [request(str(number), model=NAME) for number in range(5)]
    assert run(here, stub, *many)[1] == 5
    assert [len(stub.lines(name)) for name in stub.batches] == [2, 2, 1]


def run_bounded(at: OpenLedger, stub: BatchStub, most: int, *requests: ModelRequest) -> tuple[TakenReplies, int]:
    bound = ReplyBound(most)
    open_model = partial(open_batch_model, base_url=stub.url, bound=bound)

    async def once() -> tuple[TakenReplies, int]:
        batch = BatchProvider(at.ledger, at.handles, lambda _model: PRICE, open_model, bound)
        try:
            taken = await batch.take_replies()
            await noted(at, batch, *(r for r in requests if r.key not in at.ledger.replies([r.key])))
            return taken, await batch.flush()
        finally:
            await batch.close()

    return asyncio.run(once())


def test_a_reply_beyond_the_bound_is_named_and_asked_for_again(here: OpenLedger, stub: BatchStub) -> None:
    run_bounded(here, stub, 10_000, A, B)
    stub.end("batch-1", lambda line: ran(line, response("x" * 12_000 if line["custom_id"] == ID[A.key] else "of b")))
    taken, waits = run_bounded(here, stub, 10_000, A, B)
    assert (taken.taken, taken.reasons, waits) == (1, {ID[A.key]: too_long(10_000)}, 1)


def test_a_file_of_replies_beyond_their_bounds_is_not_read_to_its_end(here: OpenLedger, stub: BatchStub) -> None:
    run_bounded(here, stub, 10_000, A, B)
    stub.end("batch-1", lambda line: ran(line, response("x" * 30_000)))
    taken, waits = run_bounded(here, stub, 10_000, A, B)
    assert (taken.taken, taken.reasons, waits) == (0, dict.fromkeys(ID.values(), too_long(10_000)), 2)
    stub.end("batch-2", lambda line: ran(line, response("of \ud83d")))
    assert run_bounded(here, stub, 10_000, A, B)[0].taken == 2
    assert here.ledger.replies([A.key])[A.key].text == "of \ufffd"


def test_a_file_of_replies_that_cannot_be_read_is_asked_for_again(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, A, B)
    stub.end("batch-1", lambda line: ran(line, response("of it")))
    stub.files["out-batch-1"] += "{junk\n"
    taken, waits = run(here, stub, A, B)
    reason = "the provider's file of replies cannot be read"
    assert (taken.taken, taken.reasons, waits) == (0, dict.fromkeys(ID.values(), reason), 2)


def test_each_model_has_a_batch_of_its_own(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, A, request("a", model="openai:gpt-4o"))
    assert sorted(stub.lines(name)[0]["body"]["model"] for name in stub.batches) == ["gpt-4o", "gpt-4o-mini"]


def test_a_model_without_a_batch_interface_is_refused_before_anything_is_asked(
    here: OpenLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    from pydantic_ai.models.openai import OpenAIChatModel

    batch = BatchProvider(here.ledger, here.handles, lambda _m: PRICE, lambda name: OpenAIChatModel(name))
    with pytest.raises(BadInputError, match=r"house:x has no batch interface.*--batch-files DIR"):
        asyncio.run(batch.check(["house:x"]))


def test_a_missing_key_names_its_variable(here: OpenLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    batch = BatchProvider(here.ledger, here.handles, lambda _m: PRICE, open_batch_model)
    with pytest.raises(BadInputError, match="OPENAI_API_KEY"):
        asyncio.run(batch.check([NAME]))


def answering(answer: Callable[[str], ModelResponse], **profile: Any) -> FunctionModel:
    def function(messages: Any, _info: Any) -> ModelResponse:
        return answer(messages[-1].parts[-1].content)

    return FunctionModel(function, profile=profile)


def test_any_model_of_pydantic_ai_with_batches_will_do(here: OpenLedger) -> None:
    def answer(text: str) -> ModelResponse:
        if text == "b":
            raise ModelHTTPError(503, "m", {"message": "busy"})
        return ModelResponse(parts=[TextPart(f"of {text}")], finish_reason="length")

    model = answering(answer, supports_json_schema_output=True)  # its batches live as long as it does
    assert asyncio.run(run_once(here, lambda _name: model, A, B))[1] == 2
    taken, waits = asyncio.run(run_once(here, lambda _name: model, A, B))
    assert (taken.taken, taken.reasons, waits) == (1, {ID[B.key]: "HTTP 503: busy."}, 1)
    assert (here.ledger.replies([A.key])[A.key].text, here.ledger.replies([A.key])[A.key].finish) == ("of a", "length")


def test_a_model_that_is_given_the_schema_as_a_tool_is_read_from_its_call(here: OpenLedger) -> None:
    seen: list[Any] = []

    def function(_messages: Any, info: Any) -> ModelResponse:
        seen.extend(info.output_tools)
        return ModelResponse(parts=[TextPart("Here you are."), ToolCallPart("themes", {"a": 1})])

    model = FunctionModel(function, profile={"supports_json_schema_output": False})
    asyncio.run(run_once(here, lambda _name: model, A))
    asyncio.run(run_once(here, lambda _name: model, A))
    assert json.loads(here.ledger.replies([A.key])[A.key].text) == {"a": 1}
    assert (seen[0].name, seen[0].parameters_json_schema) == ("themes", A.schema)


THINKER = request("a", model="openai:gpt-5-mini")


def test_a_low_effort_and_the_room_for_it_are_submitted(here: OpenLedger, stub: BatchStub) -> None:
    plain, capped, chosen = A, replace(THINKER, cap=2148), replace(THINKER, effort="minimal")
    run(here, stub, plain, capped, chosen)
    sent = {line["custom_id"]: line["body"] for name in stub.batches for line in stub.lines(name)}
    assert "reasoning" not in sent[ID[A.key]]
    body = sent[custom_id(capped.key, capped.name)]
    assert (body["reasoning"]["effort"], body["max_output_tokens"], "temperature" in body) == ("low", 2148, False)
    assert sent[custom_id(chosen.key, chosen.name)]["reasoning"]["effort"] == "minimal"
    assert {row.key: row.cap for row in here.ledger.awaited()}[capped.key] == 2148


def test_a_batch_reply_that_reasoning_left_empty_is_a_paid_one_that_was_cut(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, THINKER)
    usage = {"input_tokens": 12, "output_tokens": 100, "output_tokens_details": {"reasoning_tokens": 100}}
    ended = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    thought: list[dict[str, Any]] = [{"type": "reasoning", "id": "r", "summary": []}]
    stub.end("batch-1", lambda line: ran(line, response("") | ended | {"output": thought, "usage": usage}))
    taken, _ = run(here, stub, THINKER)
    assert (taken.taken, taken.output_tokens, taken.reasoning_tokens) == (1, 100, 100)
    assert here.ledger.replies([THINKER.key])[THINKER.key] == ModelReply("", 12, 100, 0, "length", 100)


def test_a_batch_that_takes_no_effort_is_submitted_again_without_one(here: OpenLedger, stub: BatchStub) -> None:
    run(here, stub, THINKER)
    said = "Unsupported parameter: 'reasoning.effort' is not supported with this model."
    stub.end("batch-1", lambda line: ran(line, {"error": {"message": said}}, 400))
    try:
        taken, waits = run(here, stub, THINKER)
    finally:
        effort._refused.clear()
    assert (taken.taken, waits) == (0, 1)
    assert "reasoning" not in stub.lines("batch-2")[0]["body"]
