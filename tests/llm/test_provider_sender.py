"""What of pydantic-ai's models a sender makes: replies as they were written, and tokens that are never 0."""

from __future__ import annotations

import anyio
import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RequestUsage

from autokb.core.model_requests import ModelReply, ModelRequest, PromptTurn
from autokb.llm.provider_sender import ModelSender, mode_of

TestModel.__test__ = False  # type: ignore[attr-defined]
REQUEST = ModelRequest(
    "function:m", (PromptTurn("system", "a" * 40), PromptTurn("user", "b" * 41)), {"type": "object"}, "r", 9
)


def reply(response: ModelResponse) -> ModelReply:
    def answer(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        return response

    return anyio.run(ModelSender("function:m", FunctionModel(answer), 5).send, REQUEST)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([TextPart('{"a":'), TextPart(" 1}")], '{"a": 1}'),
        ([ThinkingPart("hm"), TextPart("{}")], "{}"),
        ([TextPart("Here it is."), ToolCallPart("r", '{"a":  1')], '{"a":  1'),
        ([ToolCallPart("r", {"a": "ü"})], '{"a": "ü"}'),
        ([], ""),
    ],
)
def test_a_reply_is_what_was_written(parts: list[TextPart | ThinkingPart | ToolCallPart], text: str) -> None:
    assert reply(ModelResponse(parts=parts, finish_reason="stop")).text == text


def test_tokens_are_those_of_the_provider() -> None:
    usage = RequestUsage(input_tokens=50, output_tokens=7, cache_read_tokens=20)
    found = reply(ModelResponse(parts=[TextPart("{}")], usage=usage, finish_reason="stop"))
    assert found == ModelReply("{}", 50, 7, 20, "stop")


@pytest.mark.parametrize(
    ("reason", "refusal", "finish"),
    [
        ("stop", None, "stop"),
        ("tool_call", None, "stop"),
        ("length", None, "length"),
        ("content_filter", None, "refusal"),
        ("error", None, "other"),
        (None, None, "other"),
        ("stop", "no", "refusal"),
    ],
)
def test_how_a_reply_ended(reason: str | None, refusal: str | None, finish: str) -> None:
    details = {"refusal": refusal} if refusal else None
    found = reply(ModelResponse(parts=[], finish_reason=reason, provider_details=details))  # type: ignore[arg-type]
    assert (found.finish, found.text) == (finish, refusal or "")


def test_the_test_model_of_pydantic_ai_keeps_the_port() -> None:
    sender = ModelSender("test:m", TestModel(custom_output_args={"a": 1}), 5)
    assert anyio.run(sender.send, REQUEST).text == '{"a": 1}'


def test_how_a_model_is_told_the_schema() -> None:
    assert mode_of({"supports_json_schema_output": True, "supports_tools": True}) == "native"
    assert mode_of({"supports_json_schema_output": False, "supports_tools": True}) == "tool"
    assert mode_of({"supports_json_schema_output": False, "supports_tools": False}) == "prompted"


def test_tokens_that_nobody_counted_are_estimated() -> None:
    from autokb.llm.provider_sender import reply_of

    found = reply_of(ModelResponse(parts=[TextPart("x" * 10)], finish_reason="stop"), REQUEST)
    assert (found.input_tokens, found.output_tokens) == (21, 3)
