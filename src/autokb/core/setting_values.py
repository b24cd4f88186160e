"""Addresses of the web, which more than one section of the settings has."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def web_address(text: str) -> SplitResult | None:
    """Return the parts of an address of the web; None where a text is none."""
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if is_address and not any(c.isspace() for c in text) else None
