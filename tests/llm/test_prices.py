"""Prices: the user's own first, then those of the list that comes with genai-prices, else unknown."""

from __future__ import annotations

import pytest

from autokb.core.model_requests import ModelRequest, PromptTurn
from autokb.llm.caps import Limits, limits
from autokb.llm.prices import Price, Prices

OWN = Prices(
    {"mine": {"input": 1.0, "output": 2.0}, "openai:full": {"input": 3.0, "output": 4.0, "cached": 0.5, "batch": 0.25}}
)


def test_own_prices_by_name_and_by_full_name() -> None:
    assert OWN.of("openai:mine") == Price(1.0, 2.0, 1.0, 0.5)
    assert OWN.of("openai:full") == Price(3.0, 4.0, 0.5, 0.25)


def test_own_prices_come_before_published_ones() -> None:
    assert Prices({"gpt-4o-mini": {"input": 9.0, "output": 9.0}}).of("openai:gpt-4o-mini") == Price(9.0, 9.0, 9.0)


def test_published_prices() -> None:
    assert Prices({}).of("openai:gpt-4o-mini") == Price(0.15, 0.6, 0.075)
    assert Prices({}).of("openai:text-embedding-3-small") == Price(0.02, 0.0, 0.02)


@pytest.mark.parametrize("model", ["openai:smollm2", "openai:gpt-4o-mini-of-mine", "nobody:gpt-4o-mini", "openai:"])
def test_unknown_is_unknown(model: str) -> None:
    assert Prices({}).of(model) is None


def test_another_server_has_a_published_price_only_for_the_very_name() -> None:
    assert Prices({}).of("openai:gpt-4.1-mini-2025-04-14") is not None
    assert Prices({}, "http://127.0.0.1:1/v1").of("openai:gpt-4.1-mini-2025-04-14") is None
    assert Prices({}, "http://127.0.0.1:1/v1").of("openai:gpt-4o-mini") == Price(0.15, 0.6, 0.075)
    assert Prices({}, "https://api.openai.com/v1/").of("openai:gpt-4.1-mini-2025-04-14") is not None


def test_a_cost_counts_cached_input_and_the_batch() -> None:
    price = Price(1.0, 10.0, 0.1)
    assert price.cost(1_000_000, 0) == 1.0
    assert price.cost(1_000_000, 100_000, cached=400_000) == pytest.approx(0.6 + 0.04 + 1.0)
    assert price.cost(1_000_000, 100_000, batch=True) == 1.0
    assert Price(1.0, 1.0, 1.0, batch=0.2).cost(1_000_000, 0, batch=True) == 0.2
    assert price.cost(10, 0, cached=99) == pytest.approx(10 * 0.1 / 1e6)


def test_long_requests_of_some_models_cost_more() -> None:
    price = Prices({}).of("anthropic:claude-sonnet-4-5")
    assert price is not None
    assert price.cost(200_000, 0) == pytest.approx(0.6)
    assert price.cost(200_001, 0) == pytest.approx(200_001 * 6 / 1e6)


def test_the_most_that_a_request_can_cost() -> None:
    request = ModelRequest("openai:mine", (PromptTurn("user", "é" * 100),), {}, "room", 50)  # 200 bytes, and {} has 2
    assert Price(1.0, 10.0, 1.0).most(request) == pytest.approx((202 + 500) / 1e6)


def test_limits_come_from_the_setting_then_from_what_is_known() -> None:
    assert limits("openai:gpt-4o-mini", 8000, 4096) == Limits(8000, 4000)
    assert limits("openai:gpt-4o-mini", 0, 4096) == Limits(128_000, 4096)
    assert limits("openai:smollm2", 0, 4096) == Limits(32_000, 4096)
