"""The marks inside a line of wiki text: emphasis, links, buttons, keys, images, line breaks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from html import unescape

from autokb.text.conditional_markup import CONDITIONAL_MARK

# Private characters stand for what later steps must not touch again; those of the source are taken out beforehand.
PRIVATE_USE = re.compile("[\ue000-\uf8ff]")
PLACEHOLDER_START, PLACEHOLDER_END = "\ue110", "\ue111"
BOLD = "\ue112"
LINE_BREAK = "\ue113"
PARAGRAPH_BREAK = "\ue114"
LESS_THAN = "\ue115"

_PLACEHOLDER = re.compile(f"{PLACEHOLDER_START}(\\d+){PLACEHOLDER_END}")
# A table is protected after its cells' file paths, and those after the code in them.
_PLACEHOLDER_NESTING = 4
_IMAGE = re.compile(r"\[\[\s*(?:Image|File|Video|V)\s*:([^\[\]\n]*)\]\]", re.IGNORECASE)
_HIDDEN_LINK = re.compile(r"\[\[\s*(?:UI|Include|Category)\s*:[^\[\]\n]*\]\]", re.IGNORECASE)
_TEMPLATE = re.compile(r"\[\[\s*(?:T|Template)\s*:\s*([^\[\]|\n]*)[^\[\]\n]*\]\]", re.IGNORECASE)
_PAGE_LINK = re.compile(r"\[\[([^\[\]\n|]*)(?:\|([^\[\]\n]*))?\]\]")
_WEB_LINK = re.compile(r"\[((?:https?|ftp|mailto):[^\s\[\]]+)(?:[ \t]+([^\[\]\n]*))?\]")
_MACRO = re.compile(r"\{(button|menu|key|filepath|pref|tooltip) ([^{}\n]*)\}")
# A macro in a macro, such as a key in a button, is replaced in the next round.
_MACRO_NESTING = 3
_EMPHASIS = ((re.compile(r"'{5}(.+?)'{5}"), "***"), (re.compile(r"'''(.+?)'''"), BOLD), (re.compile(r"''(.+?)''"), "*"))
_LINE_BREAKS = re.compile(r"(?:[ \t]*<br[ \t]*/?>[ \t]*)+", re.IGNORECASE)
_BOLD_TAG = re.compile(r"</?(?:b|strong)>", re.IGNORECASE)
_ITALIC_TAG = re.compile(r"</?(?:i|em)>", re.IGNORECASE)
_STYLE_TAG = re.compile(
    r"</?(?:u|s|del|ins|span|div|p|font|center|small|big|sub|sup|img|a|section|noinclude|includeonly|ref)\b[^<>]*>",
    re.IGNORECASE,
)
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_ICON_NAME = re.compile(r"[A-Za-z]+(?: [A-Za-z]+){0,3}")
_EMPTY_SWITCH = re.compile(r"\{for [^{}\n]{1,80}\}(?:[ \t]|<br[ \t]*/?>)*\{/for\}", re.IGNORECASE)
_SWITCH_NESTING = 5
_SPACES = re.compile(r"[ \t\u00a0]{2,}")


class Placeholders:
    """Finished pieces of Markdown that later steps must not touch, each behind a token of private characters."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.unresolved: list[str] = []  # names of templates and icons that nothing says the words of

    def protect(self, piece: str) -> str:
        """Put a piece aside and return its token."""
        self._pieces.append(piece)
        return f"{PLACEHOLDER_START}{len(self._pieces) - 1}{PLACEHOLDER_END}"

    def restore(self, text: str) -> str:
        """Put every piece back, also those inside others."""
        for _ in range(_PLACEHOLDER_NESTING):
            if PLACEHOLDER_START not in text:
                break
            text = _PLACEHOLDER.sub(lambda m: self._pieces[int(m.group(1))], text)
        return text


def inline_to_marks(text: str, placeholders: Placeholders) -> str:
    """Return a line of wiki text as Markdown in which breaks, bold and conditionals are private characters."""
    text = _HIDDEN_LINK.sub("", _SPACES.sub(" ", text.replace("&nbsp;", " ")))
    text = without_empty_conditionals(_without_images(text, placeholders.unresolved))
    text = CONDITIONAL_MARK.sub(lambda m: placeholders.protect(m.group()), text)
    text = _ITALIC_TAG.sub("''", _BOLD_TAG.sub("'''", text))
    for _ in range(_MACRO_NESTING):
        text = _MACRO.sub(lambda m: _macro_to_marks(m.group(1), m.group(2).strip(), placeholders), text)
    text = _PAGE_LINK.sub(
        lambda m: (m.group(2) or m.group(1).partition("#")[0] or m.group(1).lstrip("#")).strip(), text
    )
    for pattern, mark in _EMPHASIS:
        text = pattern.sub(partial(_emphasize, mark), text)
    text = _WEB_LINK.sub(lambda m: _link_to_marks(m.group(1), (m.group(2) or "").strip(), placeholders), text)
    text = _LINE_BREAKS.sub(lambda m: PARAGRAPH_BREAK if m.group().lower().count("<br") > 1 else LINE_BREAK, text)
    text = unescape(_STYLE_TAG.sub("", text)).replace("\u00a0", " ")
    return _SPACES.sub(" ", _TAG_START.sub(LESS_THAN, text)).strip()


def marks_to_markdown(text: str, placeholders: Placeholders) -> str:
    """Return the text with every private character turned into its Markdown."""
    return placeholders.restore(text).replace(BOLD, "**").replace(LESS_THAN, "\\<")


def without_empty_conditionals(text: str) -> str:
    """Return the text without conditionals that hold nothing any more, such as a screenshot per platform."""
    for _ in range(_SWITCH_NESTING):
        if (shorter := _EMPTY_SWITCH.sub("", text)) == text:
            break
        text = shorter
    return text


def replace_templates(text: str, templates: Mapping[str, str], unresolved: list[str]) -> str:
    """Return wiki text with the words that a table has for templates and icons, by their folded names.

    A template that is not in the table is left out and named in ``unresolved``; an icon is left to its line.
    """
    known = {" ".join(name.casefold().split()): words for name, words in templates.items()}

    def template(mark: re.Match[str]) -> str:
        name = " ".join(mark.group(1).split())
        if name and name.casefold() not in known:
            unresolved.append(name)
        return known.get(name.casefold(), "")

    def icon(mark: re.Match[str]) -> str:
        return known.get(" ".join(mark.group(1).partition("|")[0].casefold().split()), mark.group())

    return _IMAGE.sub(icon, _TEMPLATE.sub(template, text))


def _without_images(text: str, unresolved: list[str]) -> str:
    """Drop screenshots; an icon inside a key or button leaves its name, one in a sentence is named as unresolved."""
    if not _IMAGE.search(text):
        return text
    rest = CONDITIONAL_MARK.sub("", _IMAGE.sub("", text)).strip("#*:; \t")
    if rest in ("or", "and"):
        return ""
    if not re.search(r"\w", rest) and "{key" not in text:
        return _IMAGE.sub("", text)
    return _IMAGE.sub(partial(_icon_to_name, unresolved), text)


def _icon_to_name(unresolved: list[str], icon: re.Match[str]) -> str:
    name = icon.group(1).partition("|")[0].strip()
    before = icon.string[: icon.start()]
    # After its own name, or after a sentence, a picture shows what the words have said.
    if not _ICON_NAME.fullmatch(name) or before.rstrip().lower().endswith((name.lower(), "<br>", ".", ":")):
        return ""
    if re.search(r"\{(?:key|button|menu)\s*$", before):
        return name
    unresolved.append(name)
    return ""


def _macro_to_marks(kind: str, words: str, placeholders: Placeholders) -> str:
    if not words:
        return ""
    if kind in ("filepath", "pref"):
        return placeholders.protect(code_span(words))
    return f"{BOLD}{words.replace(BOLD, '')}{BOLD}"


def without_emphasis(text: str) -> str:
    """Return wiki text without the quotes around what is bold or in italics."""
    for pattern, _ in _EMPHASIS:
        text = pattern.sub(r"\1", text)
    return text


def code_span(code: str) -> str:
    """Return a code span whose fence is longer than any run of backticks inside."""
    fence = "`" * (max(map(len, re.findall(r"`+", code)), default=0) + 1)
    space = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{fence}{space}{code}{space}{fence}"


def _emphasize(mark: str, emphasis: re.Match[str]) -> str:
    """Put a mark close around the words, since Markdown reads none beside a space."""
    words = emphasis.group(1)
    stripped = words.strip().replace(BOLD, "") if mark == BOLD else words.strip()
    if not stripped:
        return " "
    before = words[: len(words) - len(words.lstrip())]
    return f"{before}{mark}{stripped}{mark}{words[len(words.rstrip()) :]}"


def _link_to_marks(address: str, label: str, placeholders: Placeholders) -> str:
    for character in "()<>":
        address = address.replace(character, f"%{ord(character):X}")
    # The label stays open to the steps that follow; the address is finished.
    return f"[{label}{placeholders.protect(f']({address})')}" if label else placeholders.protect(f"<{address}>")
