"""Text from outside as it can be stored: what has no UTF-8 fits into no database, no file and no request."""

from __future__ import annotations

import re

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """Return the text with lone surrogates (half an emoji; no characters, and no UTF-8) replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)
