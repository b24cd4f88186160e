"""Requests and replies in pydantic-ai's terms, for models whose provider has a batch interface."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.model_requests import ModelReply, ModelRequest
from autokb.core.settings import MAX_REPLY_BYTES
from autokb.llm.batch.awaited import custom_id
from autokb.llm.effort import effort_sent, usual_settings
from autokb.llm.failures import failure
from autokb.llm.prices import OPENAI_URL
from autokb.llm.provider_sender import EMPTY, mode_of, reply_of, request_parameters, turns
from autokb.net.reply_bound import ReplyBound

if TYPE_CHECKING:
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.models.batch import BatchRequest, BatchResult
    from pydantic_ai.settings import ModelSettings

BATCH_SECONDS = 600.0  # between two pieces of an answer; the file of a large batch takes its time


@asynccontextmanager
async def open_batch_model(model: str, base_url: str = "", bound: ReplyBound | None = None) -> AsyncIterator[Model]:
    """Give the model behind ``provider:NAME`` as its batch interface takes it; its answers are bounded.

    OpenAI's is asked by the responses interface: pydantic-ai has it for no other.
    """
    from autokb.llm.providers import check_model, infer_bounded
    from autokb.net.bounded_http import BoundedClient

    check_model(model, base_url)
    async with BoundedClient(bound or ReplyBound(MAX_REPLY_BYTES), BATCH_SECONDS, follow_redirects=True) as http:
        if model.startswith("openai:"):
            from pydantic_ai.models.openai import OpenAIResponsesModel
            from pydantic_ai.providers.openai import OpenAIProvider

            provider = OpenAIProvider(base_url=base_url or OPENAI_URL, http_client=http)
            found: Model = OpenAIResponsesModel(model.removeprefix("openai:"), provider=provider)
        else:
            found = infer_bounded(model, http)
        async with found:
            yield found


def check_has_batches(model: Model, name: str) -> None:
    """Refuse a model whose provider takes no batches."""
    if model.batch_max_requests is None:
        raise BadInputError(
            f"{name} has no batch interface that autokb can use; leave --batch out, or have its requests written to "
            "files with --batch-files DIR."
        )


def batch_request(model: Model, request: ModelRequest) -> BatchRequest:
    """Return a request as one of a batch; a time limit of its own it cannot have."""
    from pydantic_ai.models.batch import BatchRequest

    effort = effort_sent(request.model, model, request.effort)
    settings: ModelSettings = {
        **usual_settings(request.model, model.profile, effort),
        "max_tokens": request.most_output,
    }
    return BatchRequest(
        custom_id=custom_id(request.key, request.name),
        messages=turns(request.messages, "" if model.system == "openai" else EMPTY),
        model_settings=settings,
        model_request_parameters=_parameters(model, request.name, dict(request.schema)),
    )


def _parameters(model: Model, name: str, schema: dict[str, Any]) -> ModelRequestParameters:
    # OpenAI refuses a schema that its strict mode does not know; None is strict where it does.
    return request_parameters(mode_of(model.profile), name, schema, None if model.system == "openai" else True)


def decoded(model: Model, result: BatchResult) -> ModelReply:
    """Return the reply that a result holds; raises pydantic-ai's ModelAPIError when it holds none.

    How a reply is read does not depend on its schema, so none needs to be kept until it comes.
    """
    from pydantic_ai.models.batch import BatchRequest

    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    stand_in = ModelRequest("", (), schema, "reply", 0)
    request = BatchRequest(
        custom_id=result.custom_id, messages=[], model_request_parameters=_parameters(model, "reply", schema)
    )
    reply = reply_of(model.batch_decode(result, request), stand_in)
    return replace(reply, cached_tokens=min(reply.cached_tokens, reply.input_tokens))


def was_refused(error: Exception) -> bool:
    """Return whether the provider certainly did not take what was submitted."""
    status = getattr(error, "status_code", None)  # none, or a later one: the provider may have it
    return status is not None and status < 500 and status not in (408, 409)


@contextmanager
def explained(model: str, doing: str) -> Iterator[None]:
    """Turn an error of a provider's batch interface into a sentence that says what to do, with no key in it."""
    from pydantic_ai.exceptions import ModelAPIError, UserError

    try:
        yield
    except (ModelAPIError, UserError) as error:
        known = failure(error, model)
        if getattr(error, "status_code", None) in (404, 405):
            raise BadInputError(
                f"{model} could not {doing}: {known} Its server may have no batch interface; leave --batch out, or "
                "have the requests written to files with --batch-files DIR."
            ) from None
        if known.fatal or isinstance(error, UserError):
            raise BadInputError(f"{model} could not {doing}: {known}") from None
        raise AutokbError(f"{model} could not {doing}: {known} Nothing is lost; run the command again later.") from None
