"""Hidden reasoning at every provider, each through its own package: what is sent, what is counted, what is retried."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

import stub_server as stub
from autokb.core.errors import BadInputError
from autokb.core.model_requests import CutOffError, ModelReply, ModelRequest, PromptTurn
from autokb.llm import effort
from autokb.llm.caps import HEADROOM, RAISE, Caps, Limits
from autokb.llm.client import ModelClient, Tag
from autokb.llm.prices import Prices
from autokb.llm.providers import open_sender
from autokb.stores.ledger_table import LedgerTable, spending
from autokb.stores.workspace_file import WorkspaceFile
from llm.contracts.test_sender import NATIVE_BEDROCK, SCHEMA, TOOL_BEDROCK, server
from llm.contracts.thinkers import TEXT, Thinker

__all__ = ["server"]
DECLARED = 77
LOW = DECLARED + HEADROOM["low"]
RAISED = DECLARED + RAISE * HEADROOM["low"]
GPT_OSS = "bedrock:openai.gpt-oss-120b-1:0"
SONNET = "anthropic:claude-sonnet-4-5"
# Models with the effort that a person set; Claude reasons where one is set alone.
REASONING = [
    ("openai:gpt-5-mini", ""),
    (SONNET, "low"),
    ("google:gemini-2.5-flash", ""),
    ("google:gemini-3-pro-preview", ""),
    (NATIVE_BEDROCK, "low"),
    (GPT_OSS, ""),
]


@pytest.fixture(autouse=True)
def _forget_refusals() -> Iterator[None]:
    effort._refused.clear()
    yield
    effort._refused.clear()


def request(model: str, set_effort: str = "", text: str = "Which theme?") -> ModelRequest:
    turns = (PromptTurn("system", "Be brief."), PromptTurn("user", text))
    return ModelRequest(model, turns, SCHEMA, "assign_theme", DECLARED, effort=set_effort)


class Runs:
    """Runs over one ledger, each with a client and connections of its own."""

    def __init__(self, url: str, path: Path) -> None:
        self.url = url
        self.file = WorkspaceFile(path, create=True)
        self.ledger = LedgerTable(self.file)

    def ask(self, *requests: ModelRequest) -> list[ModelReply | Exception]:
        async def run() -> list[ModelReply | Exception]:
            caps = Caps(self.ledger, lambda _model: Limits(100_000, 4096))
            client = ModelClient(self.ledger, lambda model: open_sender(model, self.url, 20), Prices({}), caps=caps)
            try:
                return await client.run_many([lambda one=one: client.ask(one, Tag("s", "t", ())) for one in requests])
            finally:
                await client.close()

        return anyio.run(run)


@pytest.fixture
def runs(server: stub.StubServer, tmp_path: Path) -> Runs:
    return Runs(server.url, tmp_path / "knowledge.db")


def sent(server: stub.StubServer, *path: str) -> Any:
    """Return what the last request has at a place, None where it has nothing there."""
    found: Any = server.bodies[-1]
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


OPENAI = ("reasoning_effort",)
CLAUDE = ("thinking",)
GEMINI = ("generationConfig", "thinkingConfig")
CONVERSE = ("additionalModelRequestFields",)


@pytest.mark.parametrize(
    ("model", "set_effort", "path", "value"),
    [
        ("openai:gpt-5-mini", "", OPENAI, "low"),
        ("openai:o4-mini", "", OPENAI, "low"),
        ("openai:gpt-5-pro", "", OPENAI, "high"),  # it has no other
        ("openai:gpt-5-mini", "minimal", OPENAI, "minimal"),
        ("openai:gpt-5-mini", "default", OPENAI, None),
        ("openai:gpt-5.1", "", OPENAI, None),  # it does not reason until it is told to
        ("openai:gpt-5.1", "medium", OPENAI, "medium"),
        ("openai:gpt-5.6-terra", "none", OPENAI, "none"),
        ("openai:m", "", OPENAI, None),
        ("openai:m", "high", OPENAI, "high"),
        (SONNET, "", CLAUDE, None),
        (SONNET, "low", CLAUDE, {"type": "enabled", "budget_tokens": 2048}),
        (SONNET, "medium", CLAUDE, {"type": "enabled", "budget_tokens": 10_000}),
        ("anthropic:claude-opus-5", "", CLAUDE, {"type": "disabled"}),  # it would think
        ("anthropic:claude-opus-5", "default", CLAUDE, None),
        ("google:gemini-2.5-flash", "", (*GEMINI, "thinking_budget"), 2048),
        ("google:gemini-2.5-flash", "none", (*GEMINI, "thinking_budget"), 0),
        ("google:gemini-2.5-flash-lite", "", GEMINI, None),
        ("google:gemini-3-pro-preview", "", (*GEMINI, "thinking_level"), "LOW"),
        (NATIVE_BEDROCK, "", CONVERSE, None),
        (NATIVE_BEDROCK, "low", (*CONVERSE, "thinking"), {"type": "enabled", "budget_tokens": 2048}),
        (TOOL_BEDROCK, "", CONVERSE, None),
        (GPT_OSS, "", (*CONVERSE, "reasoning_effort"), "low"),
        (GPT_OSS, "high", (*CONVERSE, "reasoning_effort"), "high"),
    ],
)
def test_the_effort_is_sent_in_the_providers_own_words(
    server: stub.StubServer, runs: Runs, model: str, set_effort: str, path: tuple[str, ...], value: Any
) -> None:
    server.reply = lambda _body: TEXT
    (reply,) = runs.ask(request(model, set_effort))
    assert isinstance(reply, ModelReply), reply
    assert sent(server, *path) == value


@pytest.mark.parametrize("model", ["openai:gpt-5.1", SONNET, NATIVE_BEDROCK])
def test_a_model_that_is_set_to_reason_gets_no_temperature(server: stub.StubServer, runs: Runs, model: str) -> None:
    server.reply = lambda _body: TEXT
    for set_effort, found in (("", True), ("none", True), ("low", False)):
        runs.ask(request(model, set_effort))
        assert ("temperature" in json.dumps(server.bodies[-1])) is found, set_effort


@pytest.mark.parametrize(("model", "set_effort"), REASONING)
def test_hidden_reasoning_is_counted_apart(server: stub.StubServer, runs: Runs, model: str, set_effort: str) -> None:
    server.reply = Thinker(model.partition(":")[0], 1500)
    (reply,) = runs.ask(request(model, set_effort))
    assert reply == ModelReply(TEXT, 11, 1504, 0, "stop", 1500) or (
        # Bedrock does not count it: what is not the text.
        reply == ModelReply(TEXT, 11, 1504, 0, "stop", 1504 - 5) and model.startswith("bedrock")
    )
    assert spending(runs.file)[0][4] == 1504


@pytest.mark.parametrize(("model", "set_effort"), REASONING)
def test_a_reply_that_reasoning_left_empty_is_asked_for_once_more(
    server: stub.StubServer, runs: Runs, model: str, set_effort: str
) -> None:
    server.reply = thinker = Thinker(model.partition(":")[0], 3000)
    (reply,) = runs.ask(request(model, set_effort))
    assert isinstance(reply, ModelReply), reply
    assert (reply.text, thinker.caps) == (TEXT, [LOW, RAISED])
    # Both are paid for, the empty one too.
    assert spending(runs.file)[0][2:5] == (2, 22, LOW + 3004)
    assert runs.ask(request(model, set_effort)) == [reply]
    assert len(thinker.caps) == 2


@pytest.mark.parametrize(("model", "set_effort"), [*REASONING, ("openai:local", "")])
def test_a_model_that_never_ends_is_given_up_after_two(
    server: stub.StubServer, runs: Runs, model: str, set_effort: str
) -> None:
    server.reply = thinker = Thinker(model.partition(":")[0], 10**6)
    for _build in range(3):
        (error,) = runs.ask(request(model, set_effort))
        assert isinstance(error, CutOffError) and error.hidden
    assert thinker.caps == [DECLARED if model == "openai:local" else LOW, RAISED]
    assert spending(runs.file)[0][6] == sum(thinker.caps)


UNSUPPORTED = [
    "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
    "Unrecognized request argument supplied: reasoning_effort",
    "Unsupported value: 'low' is not supported with the 'x' model. Supported values for reasoning.effort are: 'high'.",
]


@pytest.mark.parametrize("sentence", UNSUPPORTED)
@pytest.mark.parametrize("code", [400, 422])
def test_a_server_that_knows_no_effort_is_asked_without_one_from_then_on(
    server: stub.StubServer, runs: Runs, sentence: str, code: int
) -> None:
    def reply(body: dict[str, Any]) -> str | stub.Fault:
        return stub.Fault("status", code, content=sentence) if "reasoning_effort" in body else TEXT

    server.reply = reply
    model = "openai:gpt-5-mini"
    for text in ("first", "second"):  # the second with a client and a connection of its own
        (found,) = runs.ask(request(model, text=text))
        assert isinstance(found, ModelReply), found
    assert ["reasoning_effort" in body for body in server.bodies] == [True, False, False]
    assert spending(runs.file)[0][2] == 3


def test_a_person_is_told_that_the_effort_which_was_set_is_not_taken(
    server: stub.StubServer, runs: Runs, caplog: pytest.LogCaptureFixture
) -> None:
    def reply(body: dict[str, Any]) -> str | stub.Fault:
        return stub.Fault("status", 400, content=UNSUPPORTED[0]) if "reasoning_effort" in body else TEXT

    server.reply = reply
    with caplog.at_level(logging.WARNING):
        runs.ask(request("openai:m", "high", "one"), request("openai:m", "high", "two"))
    (said,) = [record.getMessage() for record in caplog.records if "reasoning_effort" in record.getMessage()]
    assert said.startswith("openai:m does not take the reasoning_effort high and is asked without one: HTTP 400")


def test_another_400_is_no_reason_to_leave_the_effort_out(server: stub.StubServer, runs: Runs) -> None:
    server.reply = lambda _body: stub.status(400)
    runs.ask(request("openai:gpt-5-mini"))
    assert server.requests == 1
    server.reply = lambda _body: stub.status(401)
    with pytest.raises(BadInputError):
        runs.ask(request("openai:gpt-5-mini", text="another"))
    assert sent(server, "reasoning_effort") == "low"
