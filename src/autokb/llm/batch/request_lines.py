"""Requests as lines of batch files, in the form of the provider whose model is asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from autokb.core.errors import BadInputError
from autokb.core.model_requests import ModelRequest
from autokb.llm.batch.awaited import custom_id
from autokb.llm.batch.lines import request_line
from autokb.llm.batch.models import batch_request
from autokb.llm.keys import check_package, scrubbed

if TYPE_CHECKING:
    from pydantic_ai.models import Model

OWN_FORM = ("anthropic", "google")  # all others are asked in OpenAI's form, which most servers know
NO_KEY = "none-is-needed-to-write-a-file"  # pydantic-ai opens no model without one; it goes nowhere


class RequestLines:
    """Writes lines: for Anthropic and Google what their packages would submit. It needs no key and sends nothing."""

    def __init__(self) -> None:
        self._models: dict[str, Model] = {}

    async def line(self, request: ModelRequest) -> bytes:
        """Return a request as one line; BadInputError where its provider's package is not installed or refuses it."""
        from pydantic_ai.exceptions import UserError

        provider, _, name = request.model.partition(":")
        if provider not in OWN_FORM:
            return request_line(request)
        try:
            model = self._model(provider, name)
            body = json.loads((await model.batch_encode(batch_request(model, request))).body)
        except UserError as error:
            raise BadInputError(f"{request.model} takes no such request in a batch: {scrubbed(str(error))}") from None
        name = custom_id(request.key, request.name)
        line = {"custom_id": name, "params": body} if provider == "anthropic" else {"key": name, "request": body}
        return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"

    def _model(self, provider: str, name: str) -> Model:
        if (model := f"{provider}:{name}") not in self._models:
            check_package(provider)
            self._models[model] = _anthropic(name) if provider == "anthropic" else _google(name)
        return self._models[model]


def _anthropic(name: str) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return AnthropicModel(name, provider=AnthropicProvider(api_key=NO_KEY))


def _google(name: str) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(name, provider=GoogleProvider(api_key=NO_KEY))
