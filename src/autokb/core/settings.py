"""The settings of a workspace: ``settings.yaml``, which environment variables named AUTOKB_* override."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from autokb.core.errors import BadInputError

CHUNK_SIZE = 2048  # characters, as in section 3.2.1 of the AutoKB paper


@dataclass(frozen=True, slots=True)
class Settings:
    """Models, embedder, chunker and prices; the defaults run offline at no cost.

    ``timeout`` is in seconds a request, ``retries`` are those after the first try; ``window`` are the tokens that the
    model can read (0: what is known of it), ``max_output`` those that it may write in one reply. ``context`` is
    document or chained (empty: as the mode asks).
    """

    model: str = "offline"
    tasks: Mapping[str, str] = field(default_factory=dict)
    embedder: str = "packaged"
    base_url: str = ""
    concurrency: int = 8
    timeout: int = 120
    retries: int = 5
    window: int = 0
    max_output: int = 4096
    chunker: str = "fixed"
    max_size: int = CHUNK_SIZE
    context: str = ""
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


WORDS = ("model", "embedder", "base_url", "chunker", "context")
NUMBERS = ("concurrency", "max_size", "timeout", "retries", "window", "max_output")


def read_settings(data: Any, environment: Mapping[str, str] | None = None) -> Settings:
    """Turn the parsed ``settings.yaml`` and the environment into settings (BadInputError names the entry)."""
    if data is None:
        data = {}
    if not isinstance(data, Mapping):
        raise BadInputError("settings.yaml must be a mapping, for example: model: offline")
    if "rooms" in data:  # what earlier versions called tasks
        named = {str(k): v for k, v in data.items() if k != "rooms"}
        data = {**named, "tasks": data.get("tasks") or data["rooms"]}
    known = {f.name for f in fields(Settings)}
    if stray := sorted(set(map(str, data)) - known):
        names = ", ".join(sorted(known))
        raise BadInputError(f"settings.yaml: {stray[0]!r} is not a setting; the settings are {names}.")
    settings = replace(
        Settings(), **{name: _check_value(name, value) for name, value in data.items() if value is not None}
    )
    return _apply_environment(settings, environment or {})


def _apply_environment(settings: Settings, environment: Mapping[str, str]) -> Settings:
    changes = {}
    for name in (*WORDS, *NUMBERS):
        if value := environment.get(f"AUTOKB_{name.upper()}"):
            changes[name] = _check_value(name, value)
    return replace(settings, **changes)


def _check_value(name: str, value: Any) -> Any:
    if name in WORDS:
        if not isinstance(value, str):
            raise BadInputError(f"settings.yaml: {name} must be a word, not {value!r}.")
        return value.strip()
    if name in NUMBERS:
        if not str(value).isdigit() or int(value) < 1:
            raise BadInputError(f"settings.yaml: {name} must be a whole number of at least 1, not {value!r}.")
        return int(value)
    if not isinstance(value, Mapping):
        raise BadInputError(f"settings.yaml: {name} must be a mapping, not {value!r}.")
    if name == "prices":
        return _read_prices(value)
    for task, model in value.items():
        if not isinstance(model, str):
            raise BadInputError(f"settings.yaml: {name}: {task} must name a model, not {model!r}.")
    return {str(task): model for task, model in value.items()}


def _read_prices(value: Mapping[Any, Any]) -> dict[str, dict[str, float]]:
    prices = {}
    for model, price in value.items():
        if not isinstance(price, Mapping) or not {"input", "output"} <= set(price):
            raise BadInputError(f"settings.yaml: the price of {model} needs input and output in USD a million tokens.")
        try:
            prices[str(model)] = {str(k): float(v) for k, v in price.items()}
        except (TypeError, ValueError) as error:
            raise BadInputError(f"settings.yaml: the price of {model} must be numbers: {error}.") from error
        if any(v < 0 for v in prices[str(model)].values()):
            raise BadInputError(f"settings.yaml: the price of {model} must not be negative.")
    return prices
