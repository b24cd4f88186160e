"""The marks inside a line of wiki text: emphasis, links, buttons, keys, images, line breaks."""

from __future__ import annotations

import re
from functools import partial
from html import unescape

from autokb.text.conditional_markup import MARK

# Private characters stand for what must not be touched again; the source's own ones are taken out beforehand.
FIRST_PRIVATE, LAST_PRIVATE = "\ue000", "\uf8ff"
OPEN, CLOSE = "\ue110", "\ue111"
BOLD = "\ue112"
BREAK = "\ue113"
PARAGRAPH = "\ue114"
LESS_THAN = "\ue115"

_KEPT = re.compile(f"{OPEN}(\\d+){CLOSE}")
_IMAGE = re.compile(r"\[\[\s*(?:Image|File|Video|V)\s*:([^\[\]\n]*)\]\]", re.IGNORECASE)
_INTERFACE = re.compile(r"\[\[\s*(?:UI|Include|Category)\s*:[^\[\]\n]*\]\]", re.IGNORECASE)
_TEMPLATE = re.compile(r"\[\[\s*(?:T|Template)\s*:\s*([^\[\]|\n]*)[^\[\]\n]*\]\]", re.IGNORECASE)
_PAGE = re.compile(r"\[\[([^\[\]\n|]*)(?:\|([^\[\]\n]*))?\]\]")
_LINK = re.compile(r"\[((?:https?|ftp|mailto):[^\s\[\]]+)(?:[ \t]+([^\[\]\n]*))?\]")
_MACRO = re.compile(r"\{(button|menu|key|filepath|pref|tooltip) ([^{}\n]*)\}")
_EMPHASIS = ((re.compile(r"'{5}(.+?)'{5}"), "***"), (re.compile(r"'''(.+?)'''"), BOLD), (re.compile(r"''(.+?)''"), "*"))
_LINE_BREAKS = re.compile(r"(?:[ \t]*<br[ \t]*/?>[ \t]*)+", re.IGNORECASE)
_STRONG = re.compile(r"</?(?:b|strong)>", re.IGNORECASE)
_SLANTED = re.compile(r"</?(?:i|em)>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:u|s|del|ins|span|div|p|font|center|small|big|sub|sup|img|a|section|noinclude|includeonly|ref)\b[^<>]*>",
    re.IGNORECASE,
)
_LESS_THAN = re.compile(r"<(?=[A-Za-z/!?])")
_READABLE = re.compile(r"[A-Za-z]+(?: [A-Za-z]+){0,3}")
_EMPTY_SWITCH = re.compile(r"\{for [^{}\n]{1,80}\}(?:[ \t]|<br[ \t]*/?>)*\{/for\}", re.IGNORECASE)
_DEEPEST_SWITCH = 5
_SPACES = re.compile(r"[ \t\u00a0]{2,}")


class Kept:
    """Finished pieces that later steps must not touch, each behind a token of private characters."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def keep(self, piece: str) -> str:
        """Put a piece aside and return its token."""
        self._pieces.append(piece)
        return f"{OPEN}{len(self._pieces) - 1}{CLOSE}"

    def restore(self, text: str) -> str:
        """Put every piece back, also those inside others."""
        for _ in range(4):
            if OPEN not in text:
                break
            text = _KEPT.sub(lambda m: self._pieces[int(m.group(1))], text)
        return text


def inline(text: str, kept: Kept) -> str:
    """Return a line of wiki text as Markdown; line breaks and switches stay as private marks until the end."""
    text = _INTERFACE.sub("", _SPACES.sub(" ", text.replace("&nbsp;", " ")))
    text = _without_images(text)
    text = without_empty_switches(text)
    text = MARK.sub(lambda m: kept.keep(m.group()), text)
    text = _TEMPLATE.sub(lambda m: f"[{m.group(1).strip()}]" if m.group(1).strip() else "", text)
    text = _STRONG.sub("'''", text)
    text = _SLANTED.sub("''", text)
    for _ in range(3):
        text = _MACRO.sub(lambda m: _macro(m, kept), text)
    text = _PAGE.sub(lambda m: (m.group(2) or m.group(1).partition("#")[0] or m.group(1).lstrip("#")).strip(), text)
    for pattern, mark in _EMPHASIS:
        text = pattern.sub(partial(_emphasised, mark), text)
    text = _LINK.sub(lambda m: _link(m, kept), text)
    text = _LINE_BREAKS.sub(lambda m: PARAGRAPH if m.group().lower().count("<br") > 1 else BREAK, text)
    text = _TAG.sub("", text)
    text = unescape(text).replace("\u00a0", " ")
    text = _LESS_THAN.sub(LESS_THAN, text)
    return _SPACES.sub(" ", text).strip()


def finish(text: str, kept: Kept) -> str:
    """Return the text with every private mark turned into its Markdown."""
    return kept.restore(text).replace(BOLD, "**").replace(LESS_THAN, "\\<")


def without_empty_switches(text: str) -> str:
    """Return the text without switches that hold nothing any more, such as a screenshot per platform."""
    for _ in range(_DEEPEST_SWITCH):
        if (shorter := _EMPTY_SWITCH.sub("", text)) == text:
            break
        text = shorter
    return text


def _without_images(text: str) -> str:
    """Drop screenshots; an icon inside a sentence or a key leaves its name where that is made of words."""
    if not _IMAGE.search(text):
        return text
    rest = MARK.sub("", _IMAGE.sub("", text)).strip("#*:; \t")
    if rest in ("or", "and"):
        return ""
    return _IMAGE.sub(lambda m: _icon(m) if re.search(r"\w", rest) or "{key" in text else "", text)


def _icon(found: re.Match[str]) -> str:
    name = found.group(1).partition("|")[0].strip()
    before = found.string[: found.start()]
    if not _READABLE.fullmatch(name) or before.rstrip().lower().endswith((name.lower(), "<br>", ".", ":")):
        return ""
    return name if re.search(r"\{(?:key|button|menu)\s*$", before) else f"[{name}]"


def _macro(found: re.Match[str], kept: Kept) -> str:
    kind, words = found.group(1), found.group(2).strip()
    if not words:
        return ""
    if kind in ("filepath", "pref"):
        return kept.keep(code_span(words))
    return f"{BOLD}{words.replace(BOLD, '')}{BOLD}"


def code_span(code: str) -> str:
    """Return a code span whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * (longest + 1)
    space = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{fence}{space}{code}{space}{fence}"


def _emphasised(mark: str, found: re.Match[str]) -> str:
    words = found.group(1)
    inner = words.strip()
    if mark == BOLD:
        inner = inner.replace(BOLD, "")
    if not inner:
        return " " if words else ""
    before = words[: len(words) - len(words.lstrip())]
    after = words[len(words.rstrip()) :]
    return f"{before}{mark}{inner}{mark}{after}"


def _link(found: re.Match[str], kept: Kept) -> str:
    address = found.group(1).replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")
    label = (found.group(2) or "").strip()
    if not label:
        return kept.keep(f"<{address}>")
    return f"[{label}{kept.keep(f']({address})')}"
