"""The path to a real model, end to end: plumbing and format, never content."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest

from autokb.core.model_requests import ModelReply, ModelRequest, PromptTurn
from autokb.llm.providers import open_sender
from autokb.pipeline.stages import open_stages
from autokb.stores.workspace import create_workspace

pytestmark = pytest.mark.slow  # a real model answers

THEMES = ["battery", "pairing", "sound"]
MESSAGES = (
    PromptTurn("system", "You sort what customers wrote by its theme. Reply in JSON."),
    PromptTurn("user", "1: It does not charge.\n2: Bluetooth does not find my phone."),
)


def schema(themes: list[str]) -> dict[str, Any]:
    """A reply with one entry for each of two issues, as a task asks for it."""
    number = {"type": "integer", "minimum": 1, "maximum": 2}
    entry = {
        "type": "object",
        "properties": {"number": number, "theme": {"enum": themes}, "why": {"type": "string", "maxLength": 30}},
        "required": ["number", "theme", "why"],
        "additionalProperties": False,
    }
    answers = {"type": "array", "items": {"$ref": "#/$defs/Entry"}, "minItems": 2, "maxItems": 2}
    return {
        "$defs": {"Entry": entry},
        "type": "object",
        "properties": {"answers": answers},
        "required": ["answers"],
        "additionalProperties": False,
    }


def fits(text: str, themes: list[str]) -> bool:
    """Whether a reply is what the schema allows."""
    answers = json.loads(text)["answers"]
    return len(answers) == 2 and all(
        set(a) == {"number", "theme", "why"} and a["number"] in (1, 2) and a["theme"] in themes and len(a["why"]) <= 30
        for a in answers
    )


def test_the_server_itself_holds_replies_to_a_json_schema(chat_url: str) -> None:
    body = {
        "model": "smollm2",
        "messages": [{"role": m.role, "content": m.text} for m in MESSAGES],
        "temperature": 0,
        "max_tokens": 200,
        "response_format": {"type": "json_schema", "json_schema": {"name": "themes", "schema": schema(THEMES)}},
    }
    request = urllib.request.Request(
        f"{chat_url}/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        found = json.load(answer)
    assert fits(found["choices"][0]["message"]["content"], THEMES)
    assert found["choices"][0]["finish_reason"] == "stop"
    assert found["usage"]["prompt_tokens"] > 20 and found["usage"]["completion_tokens"] > 20


def sent(url: str, request: ModelRequest) -> ModelReply:
    """Send one request as a build does."""

    async def once() -> ModelReply:
        sender = open_sender(request.model, url, 100.0)
        try:
            return await sender.send(request)
        finally:
            await sender.close()

    return anyio.run(once)


def test_a_request_of_ours_comes_back_as_its_schema_says(chat_url: str) -> None:
    # Words that no prompt names: only a schema that arrives whole can bring them into the reply.
    themes = ["zulu-17", "quebec-4"]
    reply = sent(chat_url, ModelRequest("openai:smollm2", MESSAGES, schema(themes), "themes", 200))
    assert fits(reply.text, themes)
    assert reply.finish == "stop"
    assert reply.input_tokens > 20 and reply.output_tokens > 20


def test_a_reply_that_reaches_its_bound_says_so(chat_url: str) -> None:
    reply = sent(chat_url, ModelRequest("openai:smollm2", MESSAGES, schema(THEMES), "themes", 8))
    assert (reply.finish, reply.output_tokens) == ("length", 8)


def test_a_repair_with_an_empty_turn_is_taken(chat_url: str) -> None:
    turns = (*MESSAGES, PromptTurn("assistant", ""), PromptTurn("user", "It is empty. Reply again."))
    reply = sent(chat_url, ModelRequest("openai:smollm2", turns, schema(THEMES), "themes", 200))
    assert fits(reply.text, THEMES)


def test_a_real_encoder_behind_an_endpoint_is_read_and_kept(embedding_url: str, tmp_path: Path) -> None:
    text = f"embedder: openai:smollm2\nbase_url: {embedding_url}\n"
    workspace = create_workspace(tmp_path / "kb", "name: real\n", text)
    texts = ["the headphones do not pair", "my headset does not connect", "cheese"]
    with workspace.file() as file, open_stages(workspace, file) as stages:
        vectors = stages.embed(texts)
        assert stages.spending().tokens.input > 10
        assert vectors.shape == (3, 576)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
        assert file.vectors("openai:smollm2", texts, 576)[1] == []
