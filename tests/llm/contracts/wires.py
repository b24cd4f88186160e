"""How Anthropic, Google and Bedrock write a chat reply; only what their packages need to read one."""

from __future__ import annotations

import json
from typing import Any

ENDS = {"stop": ("end_turn", "STOP"), "length": ("max_tokens", "MAX_TOKENS")}


def anthropic(body: dict[str, Any], content: str, finish: str = "stop", refused: str | None = None) -> bytes:
    """Answer POST /v1/messages; where a tool is forced, the content is its input."""
    part: dict[str, Any] = {"type": "text", "text": refused or content}
    if body.get("tools") and not refused:
        part = {"type": "tool_use", "id": "t1", "name": body["tools"][0]["name"], "input": json.loads(content)}
    answer = {"id": "m1", "type": "message", "role": "assistant", "model": body["model"], "content": [part]}
    ended = "refusal" if refused else ENDS[finish][0]
    return json.dumps(answer | {"stop_reason": ended, "usage": {"input_tokens": 11, "output_tokens": 5}}).encode()


def google(_body: dict[str, Any], content: str, finish: str = "stop", refused: str | None = None) -> bytes:
    """Answer POST /v1beta/models/NAME:generateContent."""
    ended = "SAFETY" if refused else ENDS[finish][1]
    candidate = {"content": {"role": "model", "parts": [{"text": refused or content}]}, "finishReason": ended}
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 5, "totalTokenCount": 16}
    return json.dumps({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "g"}).encode()


def bedrock(body: dict[str, Any], content: str, finish: str = "stop", refused: str | None = None) -> bytes:
    """Answer POST /model/NAME/converse."""
    part: dict[str, Any] = {"text": refused or content}
    tools = body.get("toolConfig", {}).get("tools")
    if tools and not refused:
        part = {"toolUse": {"toolUseId": "t1", "name": tools[0]["toolSpec"]["name"], "input": json.loads(content)}}
    ended = "content_filtered" if refused else ENDS[finish][0]
    answer = {"output": {"message": {"role": "assistant", "content": [part]}}, "stopReason": ended}
    usage = {"inputTokens": 11, "outputTokens": 5, "totalTokens": 16}
    return json.dumps(answer | {"usage": usage, "metrics": {"latencyMs": 1}}).encode()
