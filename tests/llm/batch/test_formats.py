"""Batch files in the forms of the providers: what is written for each, and what each writes as a result."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from batch_workspace import PRICE, OpenLedger, lines_of, noted, reply, request, write

from autokb.core.errors import BadInputError
from autokb.core.model_requests import ModelReply, ModelRequest, PromptTurn
from autokb.llm.batch.awaited import TakenReplies, custom_id
from autokb.llm.batch.files import BatchFiles
from autokb.llm.batch.readme import HEADING
from autokb.llm.caps import HEADROOM

CLAUDE, GEMINI, OLLAMA, GPT = "anthropic:claude-sonnet-4-5", "google:gemini-2.5-flash", "ollama:qwen", "openai:gpt-4o"
SCHEMA = {
    "type": "object",
    "properties": {"theme": {"type": "string", "enum": ["Pairing", "Sound"]}},
    "required": ["theme"],
    "additionalProperties": False,
}


def asked(model: str, text: str = "Ünd <issue>", name: str = "issues_assign_theme") -> ModelRequest:
    return ModelRequest(model, (PromptTurn("system", "Sort."), PromptTurn("user", text)), SCHEMA, name, 77)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def run(at: OpenLedger, folder: Path, *requests: ModelRequest, outlook: str = "") -> tuple[TakenReplies, int]:
    async def once() -> tuple[TakenReplies, int]:
        batch = BatchFiles(folder, at.ledger, at.handles, lambda _model: PRICE)
        try:
            taken = await batch.take_replies()
            await noted(at, batch, *(r for r in requests if r.key not in at.ledger.replies([r.key])))
            return taken, await batch.flush(outlook)
        finally:
            await batch.close()

    return asyncio.run(once())


@pytest.mark.slow
def test_a_claude_is_asked_by_a_line_of_a_message_batch(here: OpenLedger, folder: Path) -> None:
    one = asked(CLAUDE)
    run(here, folder, one)
    (line,) = lines_of(folder / "requests.jsonl")
    assert line["custom_id"] == custom_id(one.key, "issues/assign_theme")
    assert set(line) == {"custom_id", "params"}
    assert line["params"] == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 77,
        "system": "Sort.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Ünd <issue>"}]}],
        "temperature": 0.0,
        "output_config": line["params"]["output_config"],
    }
    form = line["params"]["output_config"]["format"]
    assert (form["type"], form["schema"]["properties"]["theme"]["enum"]) == ("json_schema", ["Pairing", "Sound"])


@pytest.mark.parametrize("model", [CLAUDE, GEMINI])
def test_an_empty_turn_of_the_assistant_is_marked_as_in_a_single_request(
    here: OpenLedger, folder: Path, model: str
) -> None:
    one = asked(model)
    again = (PromptTurn("assistant", ""), PromptTurn("user", "Your reply cannot be used: It is empty."))
    run(here, folder, replace(one, messages=(*one.messages, *again)))
    (line,) = lines_of(folder / "requests.jsonl")
    turns = line["params"]["messages"] if model == CLAUDE else line["request"]["contents"]
    parts = turns[1].get("content") or turns[1]["parts"]
    assert [part["text"] for part in parts] == ["(an empty reply)"]


def test_an_older_claude_is_given_the_schema_as_a_tool(here: OpenLedger, folder: Path) -> None:
    run(here, folder, asked("anthropic:claude-3-5-haiku-latest"))
    (line,) = lines_of(folder / "requests.jsonl")
    assert [tool["name"] for tool in line["params"]["tools"]] == ["issues_assign_theme"]
    assert line["params"]["tool_choice"] == {"type": "any"}


def test_a_gemini_is_asked_by_a_line_of_its_batch_mode(here: OpenLedger, folder: Path) -> None:
    one = asked(GEMINI)
    run(here, folder, one)
    (line,) = lines_of(folder / "requests.jsonl")
    assert set(line) == {"key", "request"}
    assert line["key"] == custom_id(one.key, one.name)
    assert line["request"]["contents"] == [{"role": "user", "parts": [{"text": "Ünd <issue>"}]}]
    assert line["request"]["systemInstruction"]["parts"] == [{"text": "Sort."}]
    config = line["request"]["generationConfig"]
    assert config["maxOutputTokens"] == 77 + HEADROOM["low"]  # Gemini reasons before it writes
    assert config["temperature"] == 0.0
    assert config["responseJsonSchema"]["properties"] == SCHEMA["properties"]


def test_each_model_has_files_of_its_own_and_the_readme_says_what_to_do_with_them(
    here: OpenLedger, folder: Path
) -> None:
    one, other = asked(GPT), asked(GPT, name="issues_grow_tree")
    run(here, folder, one, other, asked(CLAUDE), asked(GEMINI), asked(OLLAMA), outlook="At most 2 rounds are left.")
    models = {path.name: {_model(line) for line in lines_of(path)} for path in _requests(folder)}
    assert models == {
        "requests.jsonl": {"claude-sonnet-4-5"},
        "requests-2.jsonl": {"gemini"},
        "requests-3.jsonl": {"qwen"},
        "requests-4.jsonl": {"gpt-4o"},
    }
    text = (folder / "README.txt").read_text()
    assert text.startswith(HEADING)
    assert "requests-4.jsonl  openai:gpt-4o  1 assign_theme, 1 grow_tree" in text
    assert "At most 2 rounds are left." in text
    for said in (
        "/v1/messages/batches",
        "requests.jsonl | curl",
        "file=@requests-4.jsonl",
        'upload(file="requests-2.jsonl"',
        'model="gemini-2.5-flash"',
        "take requests-3.jsonl as it is",
        '"completion_window": "24h"',
    ):
        assert said in text, said
    assert max(map(len, text.split("\n"))) <= 130


def _requests(folder: Path) -> list[Path]:
    return sorted(folder.glob("requests*.jsonl"))


def _model(line: dict[str, Any]) -> str:
    if "key" in line:
        return "gemini"  # the model of a Gemini batch is named when it is made
    return str((line.get("params") or line.get("body"))["model"])


def test_the_readme_names_only_the_providers_that_are_asked_and_goes_with_the_requests(
    here: OpenLedger, folder: Path
) -> None:
    one = asked(GPT)
    run(here, folder, one)
    text = (folder / "README.txt").read_text()
    assert "api.openai.com" in text and "anthropic" not in text.casefold() and "genai" not in text
    write(folder / "r.jsonl", reply(custom_id(one.key, one.name), "x"))
    run(here, folder, one)
    assert [path.name for path in folder.iterdir()] == ["r.jsonl"]


def test_a_readme_of_somebody_else_stays(here: OpenLedger, folder: Path) -> None:
    folder.mkdir()
    (folder / "README.txt").write_text("Mine.")
    run(here, folder, asked(GPT))
    run(here, folder)
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("README.txt", "Mine.")]


def test_a_provider_whose_package_is_missing_is_named(
    here: OpenLedger, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(BadInputError, match=r"autokb\[anthropic\]"):
        run(here, folder, asked(CLAUDE))


def message(*content: dict[str, Any], stop: str = "end_turn", **usage: int) -> dict[str, Any]:
    counts = {"input_tokens": 8, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2, "output_tokens": 3}
    whole = {"type": "message", "role": "assistant", "content": list(content), "stop_reason": stop}
    return {"type": "succeeded", "message": whole | {"usage": counts | usage}}


TEXT = {"type": "text", "text": "said"}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (message(TEXT), ModelReply("said", 14, 3, 4, "stop")),
        (message({"type": "thinking", "thinking": "hm"}, TEXT, TEXT), ModelReply("saidsaid", 14, 3, 4, "stop")),
        (message(TEXT, {"type": "tool_use", "name": "x", "input": {"a": "ü"}}, stop="tool_use"),
         ModelReply('{"a": "ü"}', 14, 3, 4, "stop")),
        (message(TEXT, stop="max_tokens"), ModelReply("said", 14, 3, 4, "length")),
        (message(TEXT, stop="refusal"), ModelReply("said", 14, 3, 4, "refusal")),
        (message(TEXT, stop="pause_turn"), ModelReply("said", 14, 3, 4, "other")),
        (message(), ModelReply("", 14, 3, 4, "stop")),
    ],
)  # fmt: skip
def test_how_a_result_of_anthropic_is_read(
    here: OpenLedger, folder: Path, result: dict[str, Any], expected: ModelReply
) -> None:
    one = asked(CLAUDE)
    run(here, folder, one)
    write(folder / "results.jsonl", {"custom_id": custom_id(one.key, one.name), "result": result})
    taken, waits = run(here, folder, one)
    assert (taken.taken, waits) == (1, 0)
    assert here.ledger.replies([one.key]) == {one.key: expected}


ERROR = {"type": "error", "error": {"type": "invalid_request_error", "message": "too\nodd"}}


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"type": "errored", "error": ERROR}, "it came with an error: too odd"),
        ({"type": "errored", "error": "no"}, "it came with an error: no"),
        ({"type": "errored"}, "it came with an error"),
        ({"type": "expired"}, "it expired before it was run"),
        ({"type": "canceled"}, "it was cancelled before it was run"),
        ({"type": "succeeded"}, "its message has no content"),
        ({"type": "succeeded", "message": {"content": "x"}}, "its message has no content"),
        ({}, "it came with an error"),
    ],
)
def test_a_request_that_anthropic_did_not_answer_is_named_and_asked_for_again(
    here: OpenLedger, folder: Path, result: dict[str, Any], reason: str
) -> None:
    one = asked(CLAUDE)
    run(here, folder, one)
    name = custom_id(one.key, one.name)
    write(folder / "results.jsonl", {"custom_id": name, "result": result})
    taken, waits = run(here, folder, one)
    assert (taken.taken, taken.reasons, waits) == (0, {name: reason}, 1)


def response(*parts: dict[str, Any], finish: str = "STOP", **usage: int) -> dict[str, Any]:
    counts = {"promptTokenCount": 12, "candidatesTokenCount": 3, "cachedContentTokenCount": 4} | usage
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": finish}
    return {"response": {"candidates": [candidate], "usageMetadata": counts}}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (response({"text": "sa"}, {"text": "id"}), ModelReply("said", 12, 3, 4, "stop")),
        (response({"text": "hm", "thought": True}, {"text": "said"}, thoughtsTokenCount=9),
         ModelReply("said", 12, 12, 4, "stop", 9)),
        (response({"text": "said"}, finish="MAX_TOKENS"), ModelReply("said", 12, 3, 4, "length")),
        (response(finish="SAFETY"), ModelReply("", 12, 3, 4, "refusal")),
        ({"error": {"code": 3, "message": "odd"}}, "it came with an error: odd"),
        ({"response": {"promptFeedback": {"blockReason": "SAFETY"}}}, "its response has no candidate: SAFETY"),
        ({"response": {"candidates": [{}]}}, ModelReply("", 6, 0, 0, "stop")),  # 5 + 19 characters / 4
    ],
)  # fmt: skip
def test_how_a_result_of_google_is_read(
    here: OpenLedger, folder: Path, line: dict[str, Any], expected: ModelReply | str
) -> None:
    one = asked(GEMINI, "Which theme has it?")
    run(here, folder, one)
    name = custom_id(one.key, one.name)
    write(folder / "results.jsonl", {"key": name} | line)
    taken, _ = run(here, folder, one)
    if isinstance(expected, str):
        assert (taken.taken, taken.reasons) == (0, {name: expected})
    else:
        assert (taken.taken, here.ledger.replies([one.key])) == (1, {one.key: expected})


def test_a_claude_may_be_answered_in_openais_form_too(here: OpenLedger, folder: Path) -> None:
    one = asked(CLAUDE)
    run(here, folder, one)
    write(folder / "r.jsonl", reply(custom_id(one.key, one.name), "of another tool"))
    assert run(here, folder, one)[0].taken == 1


def test_requests_of_one_model_stay_in_one_file(here: OpenLedger, folder: Path) -> None:
    run(here, folder, request("a"), request("b"), request("c", name="attributes"))
    assert [path.name for path in _requests(folder)] == ["requests.jsonl"]
