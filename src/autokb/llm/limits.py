"""How much a model can read and write at once."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.settings import Settings

WINDOW_UNKNOWN = 32_000  # tokens; most models of today have at least as many


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens: ``window`` is what fits into one request and its reply together, ``output`` the most of a reply."""

    window: int
    output: int


def limits(model: str, window: int, max_output: int) -> Limits:
    """Return the limits of ``provider:NAME``: the setting ``window``, else what is known of it, else 32,000."""
    found = window or known_window(model) or WINDOW_UNKNOWN
    return Limits(found, min(max_output, found // 2))


def usual_limits(model: str) -> Limits:
    """Return the limits of ``provider:NAME`` where nobody set any."""
    return limits(model, 0, Settings().max_output)


def known_window(model: str) -> int | None:
    """Return the context window that genai-prices has of a model."""
    from autokb.llm.prices import known_model

    provider, _, name = model.partition(":")
    known = known_model(provider, name)
    return None if known is None or known.context_window is None else int(known.context_window)
