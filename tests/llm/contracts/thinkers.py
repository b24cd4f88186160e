"""A model that reasons before it writes, in the words of each provider: hidden tokens use the cap up."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import stub_server as stub

TEXT = '{"theme": "Sound"}'
ENDS = {
    "openai": ("stop", "length"),
    "anthropic": ("end_turn", "max_tokens"),
    "google": ("STOP", "MAX_TOKENS"),
    "bedrock": ("end_turn", "max_tokens"),
}


def cap_of(body: dict[str, Any]) -> int:
    """Return the limit of tokens that a request has, whoever it is written for."""
    places = (body, body.get("generationConfig", {}), body.get("inferenceConfig", {}))
    names = ("max_completion_tokens", "max_output_tokens", "max_tokens", "maxOutputTokens", "maxTokens")
    return next(int(place[name]) for place in places for name in names if name in place)


@dataclass
class Thinker:
    """Answers a request of its provider's wire format after ``needs`` hidden tokens; it notes every cap."""

    provider: str
    needs: int
    text: str = TEXT
    caps: list[int] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> stub.Fault:
        """Return the whole answer that the provider would send."""
        cap = cap_of(body)
        self.caps.append(cap)
        hidden = min(self.needs, cap)
        is_whole = cap - hidden >= len(self.text) // 4
        text = self.text if is_whole else ""
        end = ENDS[self.provider][not is_whole]
        made = {"openai": openai, "anthropic": anthropic, "google": google, "bedrock": bedrock}[self.provider]
        return stub.body(json.dumps(made(body, text, hidden, hidden + len(text) // 4, end)))


def openai(body: dict[str, Any], text: str, hidden: int, wrote: int, end: str) -> dict[str, Any]:
    """Return a chat completion; the completion's tokens hold the hidden ones."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": end}
    usage = {"prompt_tokens": 11, "completion_tokens": wrote, "total_tokens": 11 + wrote}
    usage_details = {"completion_tokens_details": {"reasoning_tokens": hidden}}
    answer = {"id": "c", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice]}
    return answer | {"usage": usage | usage_details}


def anthropic(body: dict[str, Any], text: str, hidden: int, wrote: int, end: str) -> dict[str, Any]:
    """Return a message with a block of thinking."""
    content: list[dict[str, Any]] = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]
    content += [{"type": "text", "text": text}] if text else []
    usage = {"input_tokens": 11, "output_tokens": wrote, "output_tokens_details": {"thinking_tokens": hidden}}
    answer = {"id": "m", "type": "message", "role": "assistant", "model": body["model"], "content": content}
    return answer | {"stop_reason": end, "usage": usage}


def google(_body: dict[str, Any], text: str, hidden: int, wrote: int, end: str) -> dict[str, Any]:
    """Return a candidate; where all went into thoughts it has no parts at all."""
    content: dict[str, Any] = {"role": "model"} | ({"parts": [{"text": text}]} if text else {})
    usage = {"promptTokenCount": 11, "thoughtsTokenCount": hidden, "totalTokenCount": 11 + wrote}
    usage |= {"candidatesTokenCount": wrote - hidden} if text else {}
    return {"candidates": [{"content": content, "finishReason": end}], "usageMetadata": usage, "modelVersion": "g"}


def bedrock(_body: dict[str, Any], text: str, _hidden: int, wrote: int, end: str) -> dict[str, Any]:
    """Return a converse answer with reasoning, whose tokens Bedrock does not count apart."""
    content: list[dict[str, Any]] = [{"reasoningContent": {"reasoningText": {"text": "Hm."}}}]
    content += [{"text": text}] if text else []
    usage = {"inputTokens": 11, "outputTokens": wrote, "totalTokens": 11 + wrote}
    output = {"message": {"role": "assistant", "content": content}}
    return {"output": output, "stopReason": end, "usage": usage, "metrics": {"latencyMs": 1}}
