"""How much a model reasons before it writes: what is sent to whom, and which server takes no such parameter."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from autokb.core.model_requests import SendError
from autokb.core.settings import DEFAULT_EFFORT

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

USUAL_EFFORT = "low"  # every model that reasons has it; minimal is known to gpt-5 alone, none to few
NO_TEMPERATURE = (
    "thinking_enabled_by_default",
    "anthropic_disallows_sampling_settings",
    "bedrock_disallows_sampling_settings",
)
GPT_OSS_ON_BEDROCK = {"none": "low", "minimal": "low", "xhigh": "high", "max": "high"}  # it has low, medium and high
PARAMETER = re.compile(r"HTTP (400|422)\b.*(reasoning|thinking|effort)", re.IGNORECASE | re.DOTALL)
_LOG = logging.getLogger(__name__)
_refused: set[tuple[str, str]] = set()  # models and addresses that take no effort, of this process


@lru_cache(maxsize=64)
def profile_of(model: str) -> Mapping[str, Any]:
    """Return what pydantic-ai knows of ``provider:NAME``, which takes no key; nothing of a model it does not know."""
    from pydantic_ai.providers import infer_provider_class

    provider, _, name = model.partition(":")
    try:
        return infer_provider_class(provider).model_profile(name) or {}
    except (ValueError, ImportError):  # a provider or a package that is not there
        return {}


def usual_effort(model: str) -> str:
    """Return the effort that a model is asked for where nobody set one; empty where it reasons only if it is told to.

    Claude thinks only where a person asks for it.
    """
    profile = profile_of(model)
    # The Flash-Lite models of Google do not think until they are told to; all other thinking ones of Google do.
    google = model.startswith("google") and profile.get("supports_thinking", False) and "flash-lite" not in model
    if not (google or profile.get("thinking_enabled_by_default", False) or always_reasons(model)):
        return ""
    return "none" if "claude" in model else USUAL_EFFORT


def always_reasons(model: str) -> bool:
    """Return whether a model cannot be kept from reasoning."""
    return bool(profile_of(model).get("thinking_always_enabled", False))


def usual_settings(model: str, profile: Mapping[str, Any], effort: str = "") -> ModelSettings:
    """Return the settings of every request: the effort that was set or is usual, and a temperature of 0.

    Models that reason by default, or are set to, and some newer ones refuse a temperature.
    """
    chosen = effort or usual_effort(model)
    plain = any(profile.get(name, False) for name in NO_TEMPERATURE) or effort not in ("", DEFAULT_EFFORT, "none")
    settings: ModelSettings = {} if plain else {"temperature": 0.0}
    if chosen in ("", DEFAULT_EFFORT):
        return settings
    if effort and model.startswith("openai"):  # as it was written: whoever serves the model knows which it has
        return {**settings, "openai_reasoning_effort": effort}  # type: ignore[typeddict-unknown-key]
    if profile.get("bedrock_thinking_variant") == "openai":  # pydantic-ai takes no effort for it beside a tool
        level = GPT_OSS_ON_BEDROCK.get(chosen, chosen)
        return {**settings, "bedrock_additional_model_requests_fields": {"reasoning_effort": level}}  # type: ignore[typeddict-unknown-key]
    return {**settings, "thinking": False if chosen == "none" else chosen}  # type: ignore[typeddict-item]


def effort_sent(name: str, model: Model, effort: str) -> str:
    """Return the effort to ask a model for: the one that was set, or none where its server refused any before."""
    return DEFAULT_EFFORT if (name, str(model.base_url)) in _refused else effort


def refuses_effort(name: str, model: Model, error: SendError, effort: str) -> bool:
    """Return whether a server's error is about the effort, and remember for this process that it takes none."""
    if not PARAMETER.match(str(error)):
        return False
    if (name, str(model.base_url)) not in _refused:
        _refused.add((name, str(model.base_url)))
        if effort not in ("", DEFAULT_EFFORT):
            _LOG.warning("%s does not take the reasoning_effort %s and is asked without one: %s", name, effort, error)
    return True
