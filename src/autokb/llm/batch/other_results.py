"""How Anthropic and Google write the result of a batched request: by their documentation, without their packages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from autokb.core.storable import without_surrogates
from autokb.llm.batch.reply_line import Finish, ReplyLine, describe_error, read_count

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
