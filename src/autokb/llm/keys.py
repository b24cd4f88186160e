"""Which environment variables hold a provider's key, and which package it needs; a key itself is never shown."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from autokb.core.errors import BadEntryError, BadInputError, shown_value

HIDDEN = "***"
_LOG = logging.getLogger(__name__)  # warnings go to standard error where nobody set up logging
_warned: set[str] = set()
# One of the variables of a provider must be set; the first is the one that a sentence names.
VARIABLES: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "openai-chat": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "bedrock": (
        "AWS_ACCESS_KEY_ID",
        "AWS_PROFILE",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ),
}
# provider: (module, what installs it)
PACKAGES: Mapping[str, tuple[str, str]] = {
    "anthropic": ("anthropic", "autokb[anthropic]"),
    "bedrock": ("boto3", "autokb[bedrock]"),
    "google": ("google.genai", "autokb[google]"),
}
SECRET = re.compile(r"(_KEY|_TOKEN|_SECRET|_PASSWORD|_CREDENTIALS|_PAT)(_|$)|^AWS_SECRET")
NO_KEY = "none"  # what a server of one's own is sent, which needs none: the client of OpenAI wants a word
SHORTEST_SECRET = 4  # shorter values would blot out ordinary words


def check_package(provider: str) -> None:
    """Refuse a provider whose package is not installed (BadInputError says how to install it)."""
    if provider in PACKAGES:
        module, extra = PACKAGES[provider]
        if find_spec(module.partition(".")[0]) is None or find_spec(module) is None:
            raise BadInputError(f"{provider}: models need a package that is not installed; pip install '{extra}'")


def check_key(provider: str, model: str) -> None:
    """Refuse a provider whose key is not set (BadInputError names the variable)."""
    names = VARIABLES.get(provider, ())
    if not names or any(os.environ.get(name, "").strip() for name in names):
        return
    if provider == "bedrock" and any((Path.home() / ".aws" / name).is_file() for name in ("credentials", "config")):
        return
    others = f" (or {', '.join(names[1:])})" if names[1:] else ""
    raise BadInputError(f"{model} needs a key: set the environment variable {names[0]}{others}. It is never stored.")


def warn_of_open_wire(base_url: str) -> None:
    """Warn, once a process and address, that a key goes unencrypted over a network; loopback is none."""
    try:
        address = urlsplit(base_url)
    except ValueError as error:
        raise BadEntryError(
            f"base_url is no address such as https://models.example.com/v1, not {shown_value(base_url)}."
        ) from error
    if address.scheme == "http" and not _is_loopback(address.hostname or "") and base_url not in _warned:
        _warned.add(base_url)
        _LOG.warning(
            "base_url begins with http://, so the key and all texts go to %s unencrypted; use https:// there.",
            address.hostname,
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def variable_of(provider: str) -> str:
    """Return the variable that a person sets for a provider."""
    return VARIABLES[provider][0] if provider in VARIABLES else f"{provider.upper().replace('-', '_')}_API_KEY"


def scrubbed(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return a text without the value of any environment variable that holds a secret."""
    for name, value in (os.environ if environment is None else environment).items():
        value = value.strip()
        if len(value) >= SHORTEST_SECRET and SECRET.search(name):
            text = text.replace(value, HIDDEN)
    return text
