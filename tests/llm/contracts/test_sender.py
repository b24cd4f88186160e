"""What every provider must do, each asked through its own package against a stub that speaks its wire format."""

from __future__ import annotations

import json
import traceback
import tracemalloc
from collections.abc import Iterator
from typing import Any

import anyio
import pytest

import stub_server as stub
from autokb.core.model_requests import ModelReply, ModelRequest, PromptTurn, SendError
from autokb.core.settings import MAX_REPLY_BYTES
from autokb.llm.providers import open_sender
from autokb.net.reply_bound import too_long
from llm.contracts import wires

SECRETS = {
    "OPENAI_API_KEY": "sk-not-to-be-seen-1",
    "ANTHROPIC_API_KEY": "ak-not-to-be-seen-2",
    "GOOGLE_API_KEY": "gk-not-to-be-seen-3",
    "AWS_SECRET_ACCESS_KEY": "aws-not-to-be-seen-4",
}
NATIVE_ANTHROPIC = "anthropic:claude-sonnet-4-5"
TOOL_ANTHROPIC = "anthropic:claude-3-5-haiku-latest"
NATIVE_BEDROCK = "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"
TOOL_BEDROCK = "bedrock:amazon.nova-lite-v1:0"
MODELS = ("openai:m", NATIVE_ANTHROPIC, TOOL_ANTHROPIC, "google:gemini-2.5-flash", NATIVE_BEDROCK, TOOL_BEDROCK)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"theme": {"type": "string", "enum": ["Sound", "Battery"]}},
    "required": ["theme"],
    "additionalProperties": False,
}
TURNS = (PromptTurn("system", "Be brief."), PromptTurn("user", "Which theme?"))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[stub.StubServer]:
    """A stub of every provider, and an environment that leads to it."""
    paths = {"/messages": wires.anthropic, ":generateContent": wires.google, "/converse": wires.bedrock}
    with stub.StubServer(lambda _body: '{"theme": "Sound"}', wires=paths) as server:
        root = server.url.removesuffix("/v1")
        places = ("ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME")
        others = {"AWS_ACCESS_KEY_ID": "id", "AWS_DEFAULT_REGION": "us-east-1"}
        for name, value in (SECRETS | dict.fromkeys(places, root) | others).items():
            monkeypatch.setenv(name, value)
        yield server


def send(
    server: stub.StubServer,
    model: str,
    turns: tuple[PromptTurn, ...] = TURNS,
    seconds: float = 20.0,
    most: int = MAX_REPLY_BYTES,
) -> ModelReply:
    async def once() -> ModelReply:
        sender = open_sender(model, server.url, seconds, most)
        try:
            return await sender.send(ModelRequest(model, turns, SCHEMA, "assign_theme", 77))
        finally:
            await sender.close()

    return anyio.run(once)


def refused(server: stub.StubServer, model: str, seconds: float = 20.0, most: int = MAX_REPLY_BYTES) -> SendError:
    """Return the error of one request; whatever it was, it was sent once and shows no key."""
    with pytest.raises(SendError) as caught:
        send(server, model, seconds=seconds, most=most)
    shown = "".join(traceback.format_exception(caught.value))
    assert not [secret for secret in SECRETS.values() if secret in shown]
    assert server.requests == 1
    return caught.value


@pytest.mark.parametrize("model", MODELS)
def test_a_reply_is_text_with_its_tokens(server: stub.StubServer, model: str) -> None:
    reply = send(server, model)
    assert (json.loads(reply.text), reply.finish) == ({"theme": "Sound"}, "stop")
    # The stub's OpenAI counts a quarter of the characters, the others say 11 and 5.
    assert (reply.input_tokens, reply.output_tokens) == ((5, 4) if model == "openai:m" else (11, 5))


@pytest.mark.parametrize("model", MODELS)
def test_what_is_sent_has_our_turns_the_enumeration_and_the_bound(server: stub.StubServer, model: str) -> None:
    send(server, model)
    sent = json.dumps(server.bodies[0])
    assert "Be brief." in sent
    assert "Which theme?" in sent
    assert '["Sound", "Battery"]' in sent.replace("\\", "").replace('"Sound","Battery"', '"Sound", "Battery"')
    assert ": 77" in sent


@pytest.mark.parametrize("model", MODELS)
def test_an_empty_turn_of_the_assistant_stays_a_turn(server: stub.StubServer, model: str) -> None:
    send(server, model, (*TURNS, PromptTurn("assistant", ""), PromptTurn("user", "Reply again.")))
    turns = server.bodies[0].get("messages") or server.bodies[0]["contents"]
    roles = [turn["role"] for turn in turns if turn["role"] != "system"]
    assert roles == ["user", "model" if "google" in model else "assistant", "user"]
    assert ("(an empty reply)" in json.dumps(turns)) is (model != "openai:m")


@pytest.mark.parametrize("model", MODELS)
def test_cut_off_and_refused_replies_say_so(server: stub.StubServer, model: str) -> None:
    server.reply = lambda _body: stub.length('{"theme": "Sound"}')
    assert send(server, model).finish == "length"
    server.reply = lambda _body: stub.refusal("I would rather not.")
    reply = send(server, model)
    assert (reply.text, reply.finish) == ("I would rather not.", "refusal")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("code", "retry"), [(429, True), (500, True), (503, True), (400, False), (422, False)])
def test_a_refusal_says_whether_to_send_again(server: stub.StubServer, model: str, code: int, retry: bool) -> None:
    server.reply = lambda _body: stub.status(code)
    error = refused(server, model)
    assert (error.retry, error.fatal, error.billed, error.retry_after) == (retry, False, "no", None)
    assert str(code) in str(error)


@pytest.mark.parametrize("model", MODELS)
def test_the_seconds_to_wait_are_read(server: stub.StubServer, model: str) -> None:
    server.reply = lambda _body: stub.status(429, retry_after=7)
    assert refused(server, model).retry_after == 7


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_refused_key_and_an_unknown_model_end_everything(server: stub.StubServer, model: str, code: int) -> None:
    server.reply = lambda _body: stub.status(code)
    error = refused(server, model)
    assert (error.retry, error.fatal) == (False, True)
    variables = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}
    named = variables.get(model.partition(":")[0], "AWS_ACCESS_KEY_ID")
    assert (named if code != 404 else model.partition(":")[2]) in str(error)


@pytest.mark.parametrize("model", MODELS)
def test_a_connection_that_breaks_may_have_been_paid_for(server: stub.StubServer, model: str) -> None:
    server.reply = lambda _body: stub.RESET
    error = refused(server, model)
    assert (error.retry, error.fatal, error.billed) == (True, False, "perhaps")


@pytest.mark.parametrize("model", MODELS)
def test_a_request_that_hangs_may_have_been_paid_for(server: stub.StubServer, model: str) -> None:
    server.reply = lambda _body: stub.HANG
    error = refused(server, model, seconds=0.5)
    assert (error.retry, error.billed) == (True, "perhaps")


@pytest.mark.parametrize("fault", [stub.CUT, stub.GARBAGE, stub.HTML])
def test_a_body_that_is_no_reply_is_asked_for_again(server: stub.StubServer, fault: stub.Fault) -> None:
    server.reply = lambda _body: fault
    error = refused(server, "openai:m")
    assert (error.retry, error.billed) == (True, "perhaps")


MOST = 2_000_000  # bytes


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("fault", [stub.BOMB, stub.FLOOD], ids=["packed", "flood"])
def test_a_body_beyond_the_bound_is_not_held_in_memory(server: stub.StubServer, model: str, fault: stub.Fault) -> None:
    send(server, model)  # what is loaded once is no part of a reply
    server.bodies.clear()
    server.reply = lambda _body: fault
    tracemalloc.start()
    try:
        error = refused(server, model, most=MOST)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < stub.BOMB_BYTES / 5  # the description of its services alone takes Amazon's package 9 MB
    # Amazon's package unpacks nothing; there the packed bytes are no reply.
    if fault is stub.FLOOD or not model.startswith("bedrock"):
        assert str(error) == too_long(MOST)
        assert (error.retry, error.fatal, error.billed) == (False, False, "perhaps")


@pytest.mark.parametrize("model", MODELS)
def test_a_body_that_drips_ends_with_the_time_out(server: stub.StubServer, model: str) -> None:
    server.reply = lambda _body: stub.DRIP
    error = refused(server, model, seconds=0.5)
    assert (error.retry, error.billed) == (True, "perhaps")


@pytest.mark.parametrize("model", MODELS)
def test_a_reply_of_the_bounds_own_length_is_read(server: stub.StubServer, model: str) -> None:
    text = json.dumps({"theme": "S" * 5_000})
    server.reply = lambda _body: text
    assert json.loads(send(server, model, most=10_000).text) == json.loads(text)
    with pytest.raises(SendError, match="longer than max_reply_bytes"):
        send(server, model, most=4_000)


@pytest.mark.parametrize("model", MODELS)
def test_a_long_page_with_an_error_is_cut_and_the_status_counts(server: stub.StubServer, model: str) -> None:
    server.reply = lambda _body: stub.Fault("status", 503, content="x" * 3_000_000)
    error = refused(server, model, most=MOST)
    assert (error.retry, error.billed) == (True, "no")
    assert len(str(error)) < 500


def test_nothing_listens(server: stub.StubServer) -> None:
    url = server.url
    server.stop()

    async def once() -> None:
        sender = open_sender("openai:m", url, 5)
        with pytest.raises(SendError) as caught:
            await sender.send(ModelRequest("openai:m", TURNS, SCHEMA, "assign_theme", 77))
        assert (caught.value.retry, caught.value.billed) == (True, "no")
        await sender.close()

    anyio.run(once)


def test_an_account_without_credit_ends_everything(server: stub.StubServer) -> None:
    server.reply = lambda _body: stub.status(429, error_code="insufficient_quota")
    error = refused(server, "openai:m")
    assert (error.retry, error.fatal) == (False, True)


def test_a_key_that_the_provider_repeats_is_blotted_out(server: stub.StubServer) -> None:
    repeated = f"Incorrect API key provided: {SECRETS['OPENAI_API_KEY']}"
    server.reply = lambda _body: stub.Fault("status", 400, content=repeated)
    error = refused(server, "openai:m")
    assert str(error) == "HTTP 400: Incorrect API key provided: ***."


def test_openai_gets_our_schema_as_it_is(server: stub.StubServer) -> None:
    entry = {
        "type": "object",
        "title": "Entry",
        "properties": {
            "number": {"type": "integer", "minimum": 1, "maximum": 2},
            "quote": {"type": "string", "minLength": 1, "maxLength": 40},
            "theme": {"const": "Sound"},
        },
        "required": ["number", "quote", "theme"],
        "additionalProperties": False,
    }
    answers = {"type": "array", "items": {"$ref": "#/$defs/Entry"}, "minItems": 2, "maxItems": 2}
    schema = {
        "$defs": {"Entry": entry},
        "type": "object",
        "properties": {"answers": answers},
        "required": ["answers"],
        "additionalProperties": False,
    }

    async def once() -> None:
        sender = open_sender("openai:m", server.url, 20)
        await sender.send(ModelRequest("openai:m", TURNS, schema, "grow_tree", 77))
        await sender.close()

    anyio.run(once)
    assert server.bodies == [
        {
            "model": "m",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which theme?"}],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "grow_tree", "schema": schema, "strict": True},
            },
            "temperature": 0.0,
            "max_tokens": 77,
            "stream": False,
        }
    ]


@pytest.mark.parametrize(
    ("name", "bound", "temperature"), [("gpt-4o-mini", "max_tokens", 0.0), ("o4-mini", "max_completion_tokens", None)]
)
def test_reasoning_models_get_what_they_take(
    server: stub.StubServer, name: str, bound: str, temperature: float | None
) -> None:
    send(server, f"openai:{name}")
    assert (server.bodies[0].get(bound), server.bodies[0].get("temperature")) == (77, temperature)
