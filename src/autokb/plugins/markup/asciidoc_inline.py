"""What stands inside of a line of AsciiDoc, as HTML: each kind of mark is replaced in turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from html import escape

_CHARACTERS = {
    "nbsp": " ", "sp": " ", "empty": "", "blank": "", "plus": "+", "amp": "&", "lt": "<", "gt": ">", "startsb": "[",
    "endsb": "]", "vbar": "|", "caret": "^", "asterisk": "*", "tilde": "~", "backslash": "\\", "backtick": "`",
    "two-colons": "::", "two-semicolons": ";;", "cpp": "C++", "apos": "'", "quot": '"', "deg": "°", "zwsp": "",
    "ldquo": "“", "rdquo": "”", "lsquo": "‘", "rsquo": "’", "wj": "",
}  # fmt: skip
_REFERENCE = re.compile(r"(?<!\\)\{([\w-]{1,60})\}")
_DEEPEST = 5  # attributes in each other's values
_LONGEST = 20_000  # characters of a value, so that attributes of attributes do not grow without an end
_KEPT = re.compile("\ue100(\\d+)\ue101")
_PUT_ASIDE = re.compile(
    r"(?<![\w`])(``?)(?=\S)([^`\n]{1,2000}?)\1(?![\w`])|(?<![\w+])\+(?=\S)([^+\n]{1,2000}?)\+(?![\w+])|"
    r"\bpass:[a-z,]*\[([^\]\n]{0,2000})\]"
)
_LINK = re.compile(r"(?:\blink:(?:\+\+)?|(?=https?://|mailto:))([^\s\[\]<>]{1,500}?)(?:\+\+)?\[([^\]\n]{0,2000})\]")
_XREF = re.compile(
    r"\bxref:([^\s\[\]]{1,500})\[([^\]\n]{0,1000})\]|&lt;&lt;([^,&\n]{1,500})(?:,([^&\n]{0,1000}))?&gt;&gt;"
)
_SIMPLE = {
    r"\bmenu:([^\[\n]{1,200})\[([^\]\n]{1,500})\]": r"<strong>\1 &gt; \2</strong>",
    r"\bkbd:\[([^\]\n]{0,200})\]|\b(?:stem|latexmath|asciimath):\[([^\]\n]{0,2000})\]": r"\1\2",
    r"\bbtn:\[([^\]\n]{0,200})\]": r"<strong>\1</strong>",
    r"\bfootnote:[\w-]*\[([^\]\n]{1,2000})\]": r" (\1)",
    r"\(\(\([^()\n]{0,500}\)\)\)|\[\[[^\]\n]{0,200}\]\]": "",
    r"\b(?:indexterm:|icon:[\w-]+|anchor:[\w-]+)\[[^\]\n]{0,500}\]": "",
    r"\(\(([^()\n]{1,500})\)\)": r"\1",
    r"&quot;`|`&quot;": "&quot;",
    r"(?<!\w)(?:\[[^\]\n]{0,100}\])?##?(?=\S)([^#\n]{1,2000}?)##?(?!\w)": r"\1",
    r"\*\*(?=\S)([^*]{1,2000}?)\*\*|(?<![\w*])\*(?=\S)([^*]{1,2000}?)(?<=\S)\*(?![\w*])": r"<strong>\1\2</strong>",
    r"__(?=\S)([^_]{1,2000}?)__|(?<![\w_])_(?=\S)([^_]{1,2000}?)(?<=\S)_(?![\w_])": r"<em>\1\2</em>",
    r"\^([^\s^]{1,100})\^": r"<sup>\1</sup>",
    r"~([^\s~]{1,100})~": r"<sub>\1</sub>",
    r"(?m) \+$": "<br>",
}
_PICTURE = re.compile(r"\bimage:([^\s:\[\]][^\s\[\]]{0,500})\[([^\]\n]{0,500})\]")


def inline(text: str, attributes: Mapping[str, str], lost: Counter[str]) -> str:
    """Return the HTML of a text without blocks; pictures and attributes without a value are counted in ``lost``."""
    kept: list[str] = []

    def keep(html: str) -> str:
        kept.append(html)
        return f"\ue100{len(kept) - 1}\ue101"

    def aside(found: re.Match[str]) -> str:
        words = escape(found[2] or found[3] or found[4] or "")
        return keep(f"<code>{words.strip('+')}</code>" if found[2] else words)

    def picture(found: re.Match[str]) -> str:
        lost["picture"] += 1
        words = found[2].split(",")[0]
        return "" if "=" in words else words

    def unknown(found: re.Match[str]) -> str:
        lost["attribute without a value"] += 1
        return found[1].replace("-", " ")

    def link(found: re.Match[str]) -> str:
        words = found[2].rstrip("^").split(",window=")[0].strip(' "') or found[1]
        return (
            keep(f'<a href="{found[1]}">') + words + keep("</a>") if found[1].startswith(("http", "mailto")) else words
        )

    text = _with_values(text.replace("\ue100", "").replace("\ue101", ""), attributes)
    text = escape(_REFERENCE.sub(unknown, _PUT_ASIDE.sub(aside, text)))
    text = _LINK.sub(link, _PICTURE.sub(picture, text))
    text = _XREF.sub(lambda f: (f[2] or f[4] or _words(f[1] or f[3])).strip(), text)
    for pattern, shown in _SIMPLE.items():
        text = re.sub(pattern, shown, text)
    return _KEPT.sub(lambda f: kept[int(f[1])], text.replace("\\{", "{"))


def _with_values(text: str, attributes: Mapping[str, str]) -> str:
    for _ in range(_DEEPEST):
        longer = _REFERENCE.sub(lambda f: attributes.get(f[1], _CHARACTERS.get(f[1], f[0])), text)
        if longer == text or len(longer) > _LONGEST + len(text):
            break
        text = longer
    return text


def _words(target: str) -> str:
    """Return what a reference without words names, as words."""
    last = target.rpartition("#")[2] or target.partition("#")[0]
    return re.sub(r"[-_]+", " ", re.split("[/:]", last)[-1].removesuffix(".adoc")).strip()
