r"""Characters that steer a program instead of being read, and what stands in their place.

A control character is one of Unicode's class Cc but ``\n`` and ``\t`` (C0, DEL, C1), or one that embeds, overrides or
isolates the direction of writing (UAX 9), or one of their deprecated relatives. ZWJ and ZWNJ, which emoji, Persian and
the scripts of India are written with, are none.
"""

from __future__ import annotations

import re
import unicodedata

from autokb.core.storable import without_surrogates

_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u206f"  # without CR: it may end a line
# Format characters (class Cf) that a reader does not see: marks of direction (ALM, LRM, RLM), soft hyphen, zero-width
# space and word joiners, byte order mark, tags, and those of annotations, shorthand and music.
_INVISIBLE = (
    "\xad\u061c\u180e\u200b\u200e\u200f\u2060-\u2065\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
_SURROGATES = "\ud800-\udfff"
_LINE_SEPARATORS = "\u2028\u2029"

CONTROL_CHARACTER = re.compile(f"[{_CONTROL}\r{_SURROGATES}]")
_AT_INTAKE = re.compile(f"[{_CONTROL}]")
_FOR_TERMINAL = re.compile(f"\r\n?|[{_CONTROL}{_SURROGATES}]|[{_LINE_SEPARATORS}]|[{_INVISIBLE}]")
_FOR_JSON = re.compile(f"[{_CONTROL}\r{_SURROGATES}{_LINE_SEPARATORS}{_INVISIBLE}]")
_ESCAPE = r"\\u\{(=*)([0-9a-f]{1,5})\}"
_ESCAPED = re.compile(_ESCAPE)
_IN_FILE = re.compile(rf"[{_CONTROL}]|\r(?!\n)|{_ESCAPE}")


def replace_controls(text: str) -> str:
    r"""Return a text with a space for every control character, so that offsets stay; CR stays, for it ends lines.

    A space and not U+FFFD: what a control character parts stays two words, and no sign that nobody wrote gets into
    titles, vectors and quotes.
    """
    return _AT_INTAKE.sub(" ", text)


def printable_name(name: str) -> str:
    """Return a name that can be typed and stands in one line: only what ``str.isprintable`` allows, as ids must be."""
    if name.isprintable():
        return name
    printable = (c if c.isprintable() else "" if unicodedata.category(c) == "Cf" else " " for c in name)
    return "".join(printable).strip()


def for_terminal(text: str) -> str:
    r"""Return a text that cannot steer a terminal: U+FFFD for a control character, nothing for what nobody sees.

    A line ends with ``\n`` alone, and a line separator of Unicode is a space.
    """
    return text if text.isascii() and text.isprintable() else _FOR_TERMINAL.sub(_stand_in, text)


def _stand_in(found: re.Match[str]) -> str:
    character = found.group()
    if character[0] == "\r":
        return "\n"
    if character in _LINE_SEPARATORS:
        return " "
    return "\ufffd" if CONTROL_CHARACTER.match(character) else ""


def escape_json(json: str) -> str:
    r"""Return JSON that means the same, with ``\u`` escapes for all that ``for_terminal`` would change."""
    return _FOR_JSON.sub(_json_escape, json)


def _json_escape(found: re.Match[str]) -> str:
    data = found.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{data[n] << 8 | data[n + 1]:04x}" for n in range(0, len(data), 2))


def escape_controls(text: str) -> str:
    r"""Return a text for a file that people open: ``\u{1b}`` for ESC and so on, ``\r\n`` as it is.

    ``unescape_controls`` gives any text back: a ``\u{1b}`` that somebody wrote becomes ``\u{=1b}``.
    """
    return _IN_FILE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    marks, digits = found.groups()
    if digits is None:
        return f"\\u{{{ord(found.group()):x}}}"
    return f"\\u{{={marks}{digits}}}" if _is_control(digits) else found.group()


def unescape_controls(text: str) -> str:
    """Take that back."""
    return _ESCAPED.sub(_unescape, text) if "\\u{" in text else text


def _unescape(found: re.Match[str]) -> str:
    marks, digits = found.groups()
    if not _is_control(digits):
        return found.group()
    return f"\\u{{{marks[1:]}{digits}}}" if marks else chr(int(digits, 16))


def _is_control(digits: str) -> bool:
    return CONTROL_CHARACTER.match(chr(int(digits, 16))) is not None


def author_name(author: str) -> str:
    """Return the name of who does something, as it is kept."""
    return printable_name(without_surrogates(author)).strip()
