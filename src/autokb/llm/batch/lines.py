"""The lines of batch files in OpenAI's form: a request as a line, and a line as the reply it holds.

Lines of replies in the forms of Anthropic and Google are read too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from autokb.core.model_requests import TOKENS_MOST, ModelReply, ModelRequest
from autokb.core.settings import DEFAULT_EFFORT
from autokb.core.storable import without_surrogates
from autokb.llm.batch.awaited import custom_id
from autokb.llm.effort import usual_effort

SHOWN = 200  # characters of an error that came as a reply
Finish = Literal["stop", "length", "refusal", "other"]


@dataclass(frozen=True, slots=True)
class ReplyLine:
    """One line: the request it names (may be none) and its reply, or the reason why there is none.

    Tokens of None were not counted by whoever wrote the line.
    """

    custom_id: str
    text: str = ""
    finish: Finish = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    reason: str = ""

    def reply(self, characters: int) -> ModelReply:
        """Return the reply; tokens that were not counted are a quarter of the characters of request and reply."""
        read = self.input_tokens if self.input_tokens is not None else (characters + 3) // 4
        wrote = self.output_tokens if self.output_tokens is not None else (len(self.text) + 3) // 4
        was_used_up = self.finish == "length" and not self.text.strip()  # by what nobody sees
        hidden = min(self.reasoning_tokens or (wrote if was_used_up else 0), wrote)
        return ModelReply(self.text, read, wrote, min(self.cached_tokens, read), self.finish, hidden)


def read_count(value: Any) -> int | None:
    """Return a number of tokens that somebody counted, None where it is none."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < TOKENS_MOST else None


def describe_error(what: str, error: Any) -> str:
    """Say what came in the place of a reply."""
    text = error.get("message") or error.get("code") if isinstance(error, dict) else error
    shown = " ".join(without_surrogates(str(text)).split())[:SHOWN] if text else ""
    return f"{what}: {shown}" if shown else what


UNRUN = {"expired": "it expired before it was run", "canceled": "it was cancelled before it was run"}
ANTHROPIC_FINISHES: Mapping[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
GOOGLE_FINISHES: Mapping[str, Finish] = {"STOP": "stop", "MAX_TOKENS": "length"}
GOOGLE_REFUSALS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII")


# Complex: every part of a provider's line may be missing or of another type, and the reply is read all the same.
def read_anthropic(name: str, result: Mapping[str, Any]) -> ReplyLine:
    """Read the ``result`` of a line of a Message Batch: a message, or why there is none."""
    kind, message = result.get("type"), _object(result.get("message"))
    if kind in UNRUN:
        return ReplyLine(name, reason=UNRUN[kind])
    if kind != "succeeded":
        error = result.get("error")
        return ReplyLine(name, reason=describe_error("it came with an error", _inner_error(error)))
    content = message.get("content")
    if not isinstance(content, list):
        return ReplyLine(name, reason="its message has no content")
    blocks = _objects(content)
    called = [block["input"] for block in blocks if block.get("type") == "tool_use" and "input" in block]
    said = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    usage = _object(message.get("usage"))
    cached = read_count(usage.get("cache_read_input_tokens")) or 0
    fresh = read_count(usage.get("input_tokens"))
    made = read_count(usage.get("cache_creation_input_tokens")) or 0
    return ReplyLine(
        name,
        without_surrogates(json.dumps(called[0], ensure_ascii=False) if called else "".join(said)),
        ANTHROPIC_FINISHES.get(str(message.get("stop_reason") or "end_turn"), "other"),
        None if fresh is None else fresh + cached + made,
        read_count(usage.get("output_tokens")),
        cached,
    )


def _inner_error(error: Any) -> Any:
    """Return the error proper, which Anthropic wraps as it does in the answer to a single request."""
    return error["error"] if isinstance(error, dict) and isinstance(error.get("error"), dict) else error


def _object(value: Any) -> Mapping[str, Any]:
    """Return a value that should be an object, an empty one where it is something else."""
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a value that should be a list of them."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


# Complex: every part of a provider's line may be missing or of another type, and the reply is read all the same.
def read_google(name: str, line: Mapping[str, Any]) -> ReplyLine:
    """Read a line of a Gemini batch's results: a response with candidates, or an error."""
    response = line.get("response")
    if not isinstance(response, dict):
        return ReplyLine(name, reason=describe_error("it came with an error", line.get("error")))
    usage = _object(response.get("usageMetadata"))
    candidates = response.get("candidates")
    candidate = candidates[0] if isinstance(candidates, list) and candidates else None
    if not isinstance(candidate, dict):
        why = _object(response.get("promptFeedback")).get("blockReason")
        return ReplyLine(name, reason=describe_error("its response has no candidate", why))
    parts = _objects(_object(candidate.get("content")).get("parts"))
    said = [part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")]
    reason = str(candidate.get("finishReason") or "STOP")
    finish: Finish = "refusal" if reason in GOOGLE_REFUSALS else GOOGLE_FINISHES.get(reason, "other")
    wrote = read_count(usage.get("candidatesTokenCount"))
    thought = read_count(usage.get("thoughtsTokenCount")) or 0
    return ReplyLine(
        custom_id=name,
        text=without_surrogates("".join(said)),
        finish=finish,
        input_tokens=read_count(usage.get("promptTokenCount")),
        output_tokens=None if wrote is None and not thought else (wrote or 0) + thought,
        cached_tokens=read_count(usage.get("cachedContentTokenCount")) or 0,
        reasoning_tokens=thought,
    )


URL = "/v1/chat/completions"
NO_JSON = "it is no JSON object"
CUSTOM_ID = re.compile(rb'"(?:custom_id|key)"\s*:\s*"(autokb-[0-9a-z_-]{32,57})"', re.IGNORECASE)
ID_WITHIN = 4096  # bytes of a line: its names come before its body

FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "tool_calls": "stop",
    "function_call": "stop",
    "length": "length",
    "content_filter": "refusal",
}


def request_line(request: ModelRequest) -> bytes:
    """Return a request as one line; fields keep the order of the schema, which is the order a model writes them in."""
    schema = {"name": request.name, "schema": request.schema, "strict": _strict(request)}
    body: dict[str, Any] = {
        "model": request.model.partition(":")[2] or request.model,
        "messages": [{"role": m.role, "content": m.text} for m in request.messages],
        "max_completion_tokens": request.most_output,
        "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": schema},
    }
    effort = request.effort or _usual_effort(request.model)
    if not _takes_temperature(request.model) or request.effort not in ("", DEFAULT_EFFORT, "none"):
        del body["temperature"]
    if effort not in ("", DEFAULT_EFFORT):
        body["reasoning_effort"] = effort
    line = {"custom_id": custom_id(request.key, request.name), "method": "POST", "url": URL, "body": body}
    # A lone surrogate has no UTF-8.
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


@cache
def _openai_profile(name: str) -> Mapping[str, Any]:
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIProvider.model_profile(name) or {}


def _takes_temperature(model: str) -> bool:
    """Return whether a model takes a temperature; OpenAI's models that reason by default refuse one."""
    provider, _, name = model.partition(":")
    return provider != "openai" or not _openai_profile(name).get("thinking_enabled_by_default", False)


def _usual_effort(model: str) -> str:
    """Return the effort that OpenAI's models are asked for where nobody set one, if they have it."""
    provider, _, name = model.partition(":")
    effort = usual_effort(model) if provider == "openai" else ""
    return effort if effort in _openai_profile(name).get("openai_reasoning_efforts", (effort,)) else ""


def _strict(request: ModelRequest) -> bool:
    """Return whether the reply's form can be asked for strictly; OpenAI refuses a schema its strict mode knows not."""
    provider, _, name = request.model.partition(":")
    transformer = _openai_profile(name).get("json_schema_transformer") if provider == "openai" else None
    if transformer is None:
        return True
    walked = transformer(json.loads(json.dumps(request.schema)), strict=None)
    walked.walk()
    return bool(walked.is_strict_compatible)


def find_custom_id(beginning: bytes) -> str:
    """Return which request a line names that is too long to be read; nothing where its beginning does not say it."""
    found = CUSTOM_ID.search(beginning[:ID_WITHIN])
    return found[1].decode() if found else ""


def read_line(data: bytes) -> ReplyLine:
    """Read one line of a reply file; never raises."""
    try:
        line = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return ReplyLine("", reason=NO_JSON)
    if not isinstance(line, dict):
        return ReplyLine("", reason=NO_JSON)
    by_google = "custom_id" not in line and "key" in line
    name = line["key"] if by_google else line.get("custom_id")
    if not isinstance(name, str) or not name:
        return ReplyLine("", reason="it has no custom_id")
    name = without_surrogates(name)
    if by_google:
        return read_google(name, line)
    if isinstance(result := line.get("result"), dict):
        return read_anthropic(name, result)
    if line.get("error"):
        return ReplyLine(name, reason=describe_error("it came with an error", line["error"]))
    return _read_response(name, line.get("response"))


def _read_response(name: str, response: Any) -> ReplyLine:
    if not isinstance(response, dict):
        return ReplyLine(name, reason="it has no response")
    body = response.get("body")
    if (status := response.get("status_code", 200)) not in (200, None):
        error = body.get("error", body) if isinstance(body, dict) else body
        return ReplyLine(name, reason=describe_error(f"its status is {status!r:.20}", error))
    if not isinstance(body, dict):
        return ReplyLine(name, reason="its response has no body")
    if body.get("error"):
        return ReplyLine(name, reason=describe_error("it came with an error", body["error"]))
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return ReplyLine(name, reason="its body has no choices with a message")
    return _read_choice(name, choice, message, body.get("usage"))


def _read_choice(name: str, choice: Mapping[str, Any], message: Mapping[str, Any], usage: Any) -> ReplyLine:
    usage = usage if isinstance(usage, dict) else {}
    details, written = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    finish = FINISHES.get(str(choice.get("finish_reason") or "stop"), "other")
    text = _text(message.get("content")) or _arguments(message.get("tool_calls"))
    if refusal := _text(message.get("refusal")):
        text, finish = text or refusal, "refusal"
    return ReplyLine(
        custom_id=name,
        text=without_surrogates(text),
        finish=finish,
        input_tokens=read_count(usage.get("prompt_tokens")),
        output_tokens=read_count(usage.get("completion_tokens")),
        cached_tokens=read_count(details.get("cached_tokens") if isinstance(details, dict) else None) or 0,
        reasoning_tokens=read_count(written.get("reasoning_tokens") if isinstance(written, dict) else None) or 0,
    )


def _text(content: Any) -> str:
    """Return a message's text, which some servers give in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str))


def _arguments(calls: Any) -> str:
    """Return the arguments of the first tool call: where a model was given the schema as a tool, they are its reply."""
    call = calls[0] if isinstance(calls, list) and calls else None
    function = call.get("function") if isinstance(call, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if isinstance(arguments, dict):
        return json.dumps(arguments, ensure_ascii=False)
    return arguments if isinstance(arguments, str) else ""
