"""Text from outside as it can be stored: what has no UTF-8 fits into no database, no file and no request."""

from __future__ import annotations

import re

_SURROGATE = re.compile(r"[\ud800-\udfff]")
# In JSON: an escaped backslash, a whole pair, or a half; what is escaped behind a backslash is no escape.
_ESCAPE = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_ANY_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


def without_surrogates(text: str) -> str:
    """Return the text with lone surrogates (half an emoji; no characters, and no UTF-8) replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def without_half_escapes(json: bytes) -> bytes:
    """Return JSON whose strings escape no lone surrogate, which strict readers refuse with all that is around it."""
    if not _ANY_ESCAPE.search(json):
        return json
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found["half"] else found[0], json)
