"""A model of pydantic-ai as a sender: our turns and our JSON schema go out as they are, one request at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import anyio

from autokb.core.model_requests import CHARACTERS_A_TOKEN, TOKENS_MOST, ModelReply, ModelRequest, PromptTurn, SendError
from autokb.core.settings import MAX_REPLY_BYTES
from autokb.core.storable import without_surrogates
from autokb.llm.effort import effort_sent, refuses_effort, usual_settings
from autokb.llm.failures import failure, timed_out
from autokb.net.reply_bound import is_too_long, too_long

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

    from autokb.net.bounded_http import BoundedClient

CONNECTING = 1.0  # seconds; whoever asks next waits for what takes longer
TOOL = "Takes your reply. Call it once."
EMPTY = "(an empty reply)"  # in place of an empty turn: Anthropic and Bedrock refuse one, or it is left out unseen
Mode = Literal["native", "tool", "prompted"]
Strict = Callable[[Mapping[str, Any]], bool]


def always_strict(_schema: Mapping[str, Any]) -> bool:
    """Ask a server to keep to every schema."""
    return True


@dataclass(eq=False)
class ModelSender:
    """Sends to one model of pydantic-ai.

    ``options`` are settings of every request beside those that we make. ``empty`` stands for an empty turn of the
    assistant where a provider refuses one. ``http`` is the client that the model asks through.
    """

    name: str
    model: Model
    timeout: float
    options: ModelSettings | None = None
    strict: Strict = always_strict
    empty: str = ""
    on_close: Callable[[], Any] | None = None
    max_reply_bytes: int = MAX_REPLY_BYTES
    http: BoundedClient | None = None

    async def connect(self) -> None:
        """Open a connection of the ``http`` client, which stays for the first request; ``CONNECTING`` at most."""
        if self.http is not None and self.model.base_url:
            with suppress(Exception), anyio.move_on_after(CONNECTING):
                await self.http.head(self.model.base_url)

    async def send(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply, or raise a SendError that says what kept it away and shows no key."""
        messages = turns(request.messages, self.empty)
        effort = effort_sent(self.name, self.model, request.effort)
        usual = usual_settings(self.name, self.model.profile, effort)
        settings = {**usual, **(self.options or {}), "max_tokens": request.most_output}
        parameters = request_parameters(
            mode_of(self.model.profile), request.name, request.schema, self.strict(request.schema)
        )
        found = await self._ask(messages, settings, parameters)
        if isinstance(found, SendError):
            if set(usual) - {"temperature"} and refuses_effort(self.name, self.model, found, effort):
                raise SendError(str(found), retry=True, retry_after=0.0)  # the next try goes without it
            raise found  # outside of the except clause: the provider's own error may show more than it should
        reply = reply_of(found, request)
        if is_too_long(reply.text, self.max_reply_bytes):  # the packages of some providers read answers themselves
            raise SendError(too_long(self.max_reply_bytes), retry=False, billed="perhaps")
        return reply

    async def _ask(self, messages: list[ModelMessage], settings: Any, parameters: Any) -> ModelResponse | SendError:
        try:
            with anyio.fail_after(self.timeout):
                return await self.model.request(messages, settings, parameters)
        except TimeoutError:
            return timed_out(self.timeout)
        except Exception as error:
            return failure(error, self.name)

    async def close(self) -> None:
        """Close its connections."""
        if self.http is not None:
            await self.http.aclose()
        if self.on_close is not None:
            await self.on_close()


def mode_of(profile: Mapping[str, Any]) -> Mode:
    """Return how a model is told the JSON schema of its reply: by itself, as a tool, or in words."""
    if profile.get("supports_json_schema_output", False):
        return "native"
    return "tool" if profile.get("supports_tools", True) else "prompted"


def request_parameters(mode: Mode, name: str, schema: Mapping[str, Any], strict: bool | None) -> ModelRequestParameters:
    """Return how a request asks for a reply that keeps to a JSON schema; None is strict where the provider can be."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    if mode == "tool":
        tool = ToolDefinition(
            name=name, parameters_json_schema=dict(schema), description=TOOL, strict=strict, kind="output"
        )
        return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    form = OutputObjectDefinition(json_schema=dict(schema), name=name, strict=strict)
    return ModelRequestParameters(output_mode=mode, output_object=form)


def turns(messages: Sequence[PromptTurn], empty: str = "") -> list[ModelMessage]:
    """Return our turns as pydantic-ai's messages; an empty turn of the assistant stays one, or becomes ``empty``."""
    from pydantic_ai import messages as theirs

    found: list[ModelMessage] = []
    for message in messages:
        if message.role == "assistant":
            text = message.text if message.text.strip() else empty or message.text
            found.append(theirs.ModelResponse(parts=[theirs.TextPart(text)]))
            continue
        kind = theirs.SystemPromptPart if message.role == "system" else theirs.UserPromptPart
        part = kind(message.text)
        if found and isinstance(found[-1], theirs.ModelRequest):
            found[-1] = theirs.ModelRequest(parts=[*found[-1].parts, part])
        else:
            found.append(theirs.ModelRequest(parts=[part]))
    return found


def reply_of(response: ModelResponse, request: ModelRequest) -> ModelReply:
    """Return what a model wrote; tokens that the provider did not count are estimated, never 0."""
    refused = (response.provider_details or {}).get("refusal")
    text = without_surrogates(refused if isinstance(refused, str) else _text(response))
    read = sum(len(m.text) for m in request.messages)
    usage = response.usage
    wrote = _counted(usage.output_tokens) or math.ceil(len(text) / CHARACTERS_A_TOKEN)
    finish = _finish(response.finish_reason, refused is not None)
    return ModelReply(
        text,
        _counted(usage.input_tokens) or math.ceil(read / CHARACTERS_A_TOKEN),
        wrote,
        _counted(usage.cache_read_tokens),
        finish,
        _reasoned(response, text, wrote, finish),
    )


def _reasoned(response: ModelResponse, text: str, wrote: int, finish: str) -> int:
    """Return the tokens of hidden reasoning among those written; where nobody counted them, what cannot be the text."""
    from pydantic_ai.messages import ThinkingPart

    if counted := _counted(response.usage.output_reasoning_tokens):
        return min(counted, wrote)
    thought = finish == "length" and not text.strip()
    if not thought and not any(isinstance(part, ThinkingPart) for part in response.parts):
        return 0
    return max(wrote - math.ceil(len(text) / CHARACTERS_A_TOKEN), 0)


def _counted(tokens: Any) -> int:
    """Return a number of tokens that a provider gave, 0 where it is none: what comes over the wire may be anything."""
    return tokens if type(tokens) is int and 0 < tokens < TOKENS_MOST else 0


def _text(response: ModelResponse) -> str:
    """Return the arguments of the reply's tool call where there is one, else its text, both as they were written."""
    from pydantic_ai.messages import TextPart, ToolCallPart

    for part in response.parts:
        if isinstance(part, ToolCallPart):
            return part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
    return "".join(part.content for part in response.parts if isinstance(part, TextPart))


def _finish(reason: str | None, refused: bool) -> Literal["stop", "length", "refusal", "other"]:
    if refused or reason == "content_filter":
        return "refusal"
    if reason == "length":
        return "length"
    return "stop" if reason in ("stop", "tool_call") else "other"
