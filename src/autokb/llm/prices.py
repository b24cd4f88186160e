"""What tokens cost: the user's own prices, else the list that comes with genai-prices; unknown stays unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from autokb.core.model_requests import EmbeddingRequest, ModelRequest

MILLION = 1_000_000  # tokens, for which providers give their prices
BATCH_FACTOR = 0.5  # OpenAI, Anthropic, Google and Bedrock all publish half the price for their batch interfaces
OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Price:
    """USD a million tokens; ``cached`` is input that came from the provider's cache, ``batch`` the batch's share.

    ``dearer`` holds (tokens, price): a request with more input tokens than that has the other price as a whole.
    """

    input: float
    output: float
    cached: float
    batch: float = BATCH_FACTOR
    dearer: tuple[tuple[int, Price], ...] = ()

    def cost(self, input_tokens: int, output_tokens: int, cached: int = 0, batch: bool = False) -> float:
        """Return the USD of one reply; ``cached`` tokens are part of its input."""
        rate = self
        for tokens, price in self.dearer:
            rate = price if input_tokens > tokens else rate
        cached = min(cached, input_tokens)
        usd = ((input_tokens - cached) * rate.input + cached * rate.cached + output_tokens * rate.output) / MILLION
        return usd * self.batch if batch else usd

    def most(self, request: ModelRequest | EmbeddingRequest, batch: bool = False) -> float:
        """Return the most USD that a request can cost: each of its bytes a token, and all of its cap."""
        return self.cost(request.size, request.most_output, batch=batch)


@dataclass(frozen=True)
class Prices:
    """Looks prices up; ``base_url`` is the address of ``openai:`` models, where it is not OpenAI's own."""

    own: Mapping[str, Mapping[str, float]]
    base_url: str = ""

    def of(self, model: str) -> Price | None:
        """Return the price of ``provider:NAME``, None when it is unknown."""
        provider, _, name = model.partition(":")
        for spelling in (model, name):
            if own := self.own.get(spelling):
                return _own(own)
        elsewhere = provider == "openai" and not is_openai(self.base_url)
        return _published(provider, name, elsewhere)


def is_openai(base_url: str) -> bool:
    """Return whether requests to this base_url go to OpenAI itself."""
    return base_url.rstrip("/") in ("", OPENAI_URL)


def _own(own: Mapping[str, float]) -> Price:
    return Price(own["input"], own["output"], own.get("cached", own["input"]), own.get("batch", BATCH_FACTOR))


# Complex: any of the three rates may be missing, and each has a substitute of its own.
@lru_cache(maxsize=64)
def _published(provider: str, name: str, elsewhere: bool) -> Price | None:
    from datetime import UTC, datetime

    if (model := known_model(provider, name)) is None:
        return None
    if elsewhere and model.id != name.lower():
        return None  # another server's model that only resembles one of OpenAI's
    rates = model.get_prices(datetime.now(UTC))
    fields = [getattr(rates, f"{kind}_mtok", None) for kind in ("input", "output", "cache_read")]
    if fields[0] is None or (fields[1] is None and "embed" not in model.id):
        return None
    fields = [fields[0], 0 if fields[1] is None else fields[1], fields[0] if fields[2] is None else fields[2]]
    starts = sorted({tier.start for field in fields for tier in getattr(field, "tiers", ())})
    input_, output, cached = (_rate(field, 0) for field in fields)
    return Price(input_, output, cached, dearer=tuple((start, _above(fields, start)) for start in starts))


def _above(fields: Sequence[Any], tokens: int) -> Price:
    input_, output, cached = (_rate(field, tokens + 1) for field in fields)
    return Price(input_, output, cached)


def _rate(field: Any, tokens: int) -> float:
    """Return the price that holds for a request of so many input tokens."""
    found = getattr(field, "base", field)
    for tier in sorted(getattr(field, "tiers", ()), key=lambda tier: tier.start):
        found = tier.price if tokens > tier.start else found
    return float(found)


def known_model(provider: str, name: str) -> Any:
    """Return what genai-prices has of a model in the list that came with it, or None; nothing is downloaded."""
    from genai_prices.data_snapshot import get_snapshot

    try:
        return get_snapshot().find_provider_model(name, None, provider, None)[1]
    except LookupError:
        return None
