"""Values of settings that more than one section has: numbers and addresses of the web."""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import SplitResult, urlsplit


def read_number(value: Any) -> float:
    """Read a number that YAML gave, as one or as text; NaN, of which no comparison is true, where it is none."""
    try:
        return float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        return math.nan


def web_address(text: str) -> SplitResult | None:
    """Return the parts of an address of the web; None where a text is none."""
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if is_address and not any(c.isspace() for c in text) else None
