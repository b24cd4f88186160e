"""Codes and part numbers in a text: NW-5004, 0x80070644, 55-1020-B3."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(r"(?<![\w.@-])[A-Za-z0-9]++(?:[-_][A-Za-z0-9]++)*+(?![\w@-])")
_HEX = re.compile(r"0x[0-9a-f]{3,16}", re.IGNORECASE)
_LETTERS_FIRST = re.compile(r"[A-Za-z]{1,8}[-_]?[A-Za-z]{0,3}[-_]?\d{2,}[A-Z0-9_-]{0,12}")
# What is typed in small letters is a code from so many digits on: nw-5004, but no covid-19.
_DIGITS_OF_SMALL = 3


def codes_in(text: str) -> Iterator[re.Match[str]]:
    """Give the codes that a text names."""
    return (token for token in _TOKEN.finditer(text) if _is_code(token.group()))


def _is_code(token: str) -> bool:
    digits = sum(map(str.isdigit, token))
    if _HEX.fullmatch(token):
        return True
    if digits < 2 or token.isdecimal():
        return False
    if _LETTERS_FIRST.fullmatch(token):
        return token[0].isupper() or digits >= _DIGITS_OF_SMALL
    return "-" in token and digits >= _DIGITS_OF_SMALL and token.isupper()


def shape_of(code: str) -> str:
    """Return what codes of one kind share: their letters, with a nine in place of numbers."""
    return "0x" if _HEX.fullmatch(code) else re.sub(r"\d+", "9", code.casefold()).rstrip("abcdefghijklmnopqrstuvwxyz")
