"""Real models through pydantic-ai: which provider a name means, what it needs, and how a request reaches it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from autokb.core.errors import BadEntryError, BadInputError, shown_value
from autokb.core.ids import canonical_json
from autokb.core.settings import MAX_REPLY_BYTES
from autokb.llm.keys import NO_KEY, check_key, check_package, scrubbed, warn_of_open_wire
from autokb.llm.prices import OPENAI_URL, is_openai
from autokb.llm.provider_sender import EMPTY, ModelSender, Strict, always_strict
from autokb.llm.sender import Sender
from autokb.net.reply_bound import ReplyBound

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from autokb.net.bounded_http import BoundedClient

OPENAI = ("openai", "openai-chat")
OURS = (*OPENAI, "anthropic", "bedrock", "google")


def check_model(model: str, base_url: str = "") -> None:
    """Refuse a model that cannot be asked: unknown provider, missing package, missing key (BadInputError)."""
    check_provider(model, base_url)
    if _parts(model)[0] in OPENAI:
        warn_of_open_wire(base_url)


def check_provider(model: str, base_url: str = "") -> None:
    """Do so without a warning of what goes unencrypted."""
    provider, name = _parts(model)
    if provider in OPENAI and base_url and not base_url.startswith(("http://", "https://")):
        raise BadEntryError(f"base_url must begin with http:// or https://, not {shown_value(base_url)}.")
    check_package(provider)
    if provider not in OPENAI or is_openai(base_url):
        check_key(provider, model)
    if provider not in OURS:
        _check_other(provider, name)


def open_sender(
    model: str, base_url: str = "", timeout: float = 120.0, max_reply_bytes: int = MAX_REPLY_BYTES
) -> Sender:
    """Return a sender of requests to a model, written ``provider:NAME``; close it in the event loop that used it.

    ``timeout`` is in seconds and holds for one request; a reply of more than ``max_reply_bytes`` is an error.
    BadInputError where the name or ``base_url`` cannot be used.
    """
    from autokb.net.bounded_http import BoundedClient

    check_model(model, base_url)
    provider, name = _parts(model)
    bound = ReplyBound(max_reply_bytes)
    http = BoundedClient(bound, timeout)
    if provider in OPENAI:
        return _openai(model, name, base_url, timeout, max_reply_bytes, http)
    found = _bedrock(name, timeout, bound) if provider == "bedrock" else infer_bounded(model, http)
    # Retries are the client's, each counted. Bedrock's client has both settings itself.
    options: Any = {} if provider == "bedrock" else {"max_retries": 0, "timeout": timeout}

    async def close() -> None:
        await found.__aenter__()  # only a provider that was entered closes its connections
        await found.__aexit__(None, None, None)

    return ModelSender(
        model, found, timeout, options, empty=EMPTY, on_close=close, http=http, max_reply_bytes=max_reply_bytes
    )


def _parts(model: str) -> tuple[str, str]:
    provider, _, name = model.partition(":")
    if not provider or not name:
        raise BadEntryError(
            f"{shown_value(model)} is no model: write offline or PROVIDER:NAME, for example openai:gpt-4o-mini."
        )
    return provider, name


def _openai(
    model: str, name: str, base_url: str, timeout: float, max_reply_bytes: int, http: BoundedClient
) -> ModelSender:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile, openai_model_profile
    from pydantic_ai.providers.openai import OpenAIProvider

    # An address is always named: OPENAI_BASE_URL must not send a person's texts and money elsewhere unseen.
    client = AsyncOpenAI(
        api_key=os.environ.get("OPENAI_API_KEY", "").strip() or NO_KEY,
        base_url=base_url or OPENAI_URL,
        max_retries=0,
        http_client=http,
    )
    own = is_openai(base_url)
    profile = OpenAIModelProfile(
        json_schema_transformer=None,  # the schema goes out as it is
        may_tokenize_special_tokens_in_content=False,  # and so does the reply
        # max_tokens is what every compatible server knows; OpenAI itself and its reasoning models want the newer name.
        openai_chat_supports_max_completion_tokens=own or reasons(openai_model_profile(name)),
    )
    found = OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client), profile=profile)
    strict = _strict_mode(name) if own else always_strict
    return ModelSender(model, found, timeout, strict=strict, http=http, max_reply_bytes=max_reply_bytes)


def reasons(profile: Mapping[str, Any]) -> bool:
    """Return whether a model of OpenAI reasons before it writes."""
    return bool(profile.get("openai_supports_reasoning", False))


def _strict_mode(name: str) -> Strict:
    """Return what tells whether OpenAI takes a schema in strict mode; it refuses a request whose schema it does not."""
    from pydantic_ai.providers.openai import OpenAIProvider

    transformer: Any = (OpenAIProvider.model_profile(name) or {}).get("json_schema_transformer")

    @lru_cache(maxsize=256)
    def fits(schema: str) -> bool:
        walked = transformer(json.loads(schema), strict=None)
        walked.walk()
        return bool(walked.is_strict_compatible)

    return lambda schema: fits(canonical_json(schema))


def _bedrock(name: str, timeout: float, bound: ReplyBound) -> Model:
    from importlib import import_module

    from pydantic_ai.models.bedrock import BedrockConverseModel
    from pydantic_ai.providers.bedrock import BedrockProvider

    from autokb.net.bounded_http import CONNECT_SECONDS, CONNECTIONS, BoundedAwsSession

    boto3, errors = import_module("boto3"), import_module("botocore.exceptions")  # they have no types
    config = import_module("botocore.config").Config(
        read_timeout=timeout,
        connect_timeout=min(timeout, CONNECT_SECONDS),
        max_pool_connections=CONNECTIONS,
        retries={"total_max_attempts": 1},
    )
    try:
        client = boto3.Session().client("bedrock-runtime", config=config)
    except errors.BotoCoreError as error:
        said = scrubbed(str(error))
        raise BadInputError(
            f"bedrock:{name} cannot be asked: {said} Set AWS_DEFAULT_REGION and the AWS keys."
        ) from None
    # botocore offers no other place to bound an answer than the session behind its client.
    client._endpoint.http_session = BoundedAwsSession(client._endpoint.http_session, bound, timeout)
    return BedrockConverseModel(name, provider=BedrockProvider(bedrock_client=client))


def infer_bounded(model: str, http: BoundedClient) -> Model:
    """Return a model of pydantic-ai's; the providers that autokb knows itself ask through the bounded client."""
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import Provider, infer_provider, infer_provider_class

    def provider(name: str) -> Provider[Any]:
        if name not in OURS:
            return infer_provider(name)
        kind: Any = infer_provider_class(name)
        return kind(http_client=http)  # type: ignore[no-any-return]

    try:
        return infer_model(model, provider)
    except (UserError, ImportError, ValueError) as error:
        raise BadInputError(f"{model} cannot be asked: {scrubbed(str(error))}") from None


def _check_other(provider: str, name: str) -> None:
    """Check a provider that only pydantic-ai knows: it says itself which variable or package is missing."""
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.providers import infer_provider

    try:
        infer_provider(provider)
    except ValueError:
        known = ", ".join(p for p in OURS if p != "openai-chat")
        raise BadEntryError(
            f"{shown_value(provider)} is no provider of models; autokb knows offline, {known}, and those of "
            "pydantic-ai (groq, mistral, ollama, openrouter and others). A server of your own: openai:NAME with a "
            "base_url."
        ) from None
    except ImportError as error:
        raise BadInputError(f"{provider}:{name} needs a package that is not installed: {error}") from None
    except UserError as error:
        said = scrubbed(str(error)).partition(" To try ")[0]
        raise BadInputError(f"{provider}:{name} cannot be asked: {said}") from None
