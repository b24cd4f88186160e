"""What a reader sees of a piece of Markdown.

It is read by patterns and not by a parser, since most pieces are no document: a row without its table, a sentence of
a list item. A parser of documents takes these for something else, and takes seven times as long.
"""

from __future__ import annotations

import html
import re

from autokb.text.conditional_markup import CONDITIONAL_MARK

_TAGS = (
    "a|abbr|article|aside|b|big|blockquote|br|button|caption|center|cite|code|col|colgroup|dd|del|details|div|dl|dt|em|"
    "figcaption|figure|font|footer|h[1-6]|header|hr|i|iframe|img|input|ins|kbd|label|li|main|mark|nav|ol|p|picture|pre|"
    "q|s|samp|script|section|small|source|span|strike|strong|style|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|"
    "u|ul|var|video|wbr"
)
_BREAK_TAG = re.compile(
    r"</?(?:br|p|div|li|ul|ol|tr|table|h[1-6]|blockquote|dd|dt|dl|section|hr)\b[^<>]*>", re.IGNORECASE
)
_TAG = re.compile(rf"</?(?:{_TAGS})(?:[\s/][^<>]*)?>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^ ?(?:```+|~~~+)[^\n`]*$", re.MULTILINE)
_CODE = re.compile(r"(?<!`)(`{1,4})(?!`)([^`\n]{1,2000}?)(?<!`)\1(?!`)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_LITERAL = re.compile("\ufdd0([0-9]+)\ufdd1")
_IMAGE = re.compile(
    r"!\[([^\[\]]{0,1000})\]\((?:<[^<>\n]{0,2000}>|[^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?)\)"
)
_LINK = re.compile(  # its first sign is one that can be searched for; what must not precede it is looked at after that
    r"\[(?<!\\\[)([^\[\]]{0,2000})\]\((?:<[^<>\n]{0,2000}>|[^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?)\)"
)
_REFERENCE = re.compile(r"(?<![\w\]])!?\[([^\[\]\n]{1,500})\]\[[^\[\]\n]{0,200}\]")
_DEFINITION = re.compile(r"^ ?\[[^\[\]\n]{1,500}\]:[ \t]*\S+[^\n]*$", re.MULTILINE)
_ANY_ADDRESS = re.compile(  # without the full stop or bracket behind it
    r"(?:\b(?:https?|ftp)://|\bwww\.|(?<![\w./@-])(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24}/)[^\s<>\"“”]{0,2000}(?<![.,;:!?)])",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,2000})>")
_STARS = re.compile(r"(\*{1,3})(?=[^\s*])([^*\n]{1,2000}?)(?<=[^\s*])\1")
_UNDERSCORES = re.compile(r"(?<![\w_])(_{1,3})(?=[^\s_])([^\n]{1,300}?)(?<=[^\s_])\1(?![\w_])")
_STRUCK = re.compile(r"~~(?=\S)([^~\n]{1,2000}?)(?<=\S)~~")
_RULE = re.compile(r"^ ?(?:(?:[-*_] ?){3,}|=+ ?|\|?(?: ?:?-+:? ?\|)+(?: ?:?-+:?)? ?)$", re.MULTILINE)
_QUOTE = re.compile(r"^ ?>[> ]*", re.MULTILINE)
_HEADING = re.compile(r"^ ?#{1,6}(?: ([^\n]*))?$", re.MULTILINE)
_BULLET = re.compile(r"^ ?(?:[-*+]|\d{1,9}[.)]) (?:\[[ xX]\] )?", re.MULTILINE)
_ITEM = re.compile(r"^([ \t>]*)(?:[-*+]|(\d{1,9})[.)])[ \t]+(?=\S)(?![-*_ \t]+$)(?:\[[ xX]\] )?", re.MULTILINE)
_ROW = re.compile(r"^ ?\|([^\n]*)$", re.MULTILINE)
_BLANK = re.compile(r"\n{2,}")
_SPACE = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")  # white space in a line, all but a single blank


def without_addresses(text: str) -> str:
    """Return a text with the labels of its links and pictures, and without their targets and any other address."""
    if "/" not in text and "](" not in text and "www." not in text:
        return text
    return _ANY_ADDRESS.sub("", _LINK.sub(r"\1", _IMAGE.sub(r"\1", text)))


# Complex: each condition spares a text a pass that it does not need.
def plain_text(markdown: str, *, marks: bool = False, images: bool = True) -> str:
    """Return what a reader sees: labels of links, alternative texts of images, no marks, no tags; a line a block.

    With ``marks`` each list item has its number or a bullet before it, and those of a list inside of another are set
    in; without ``images`` pictures leave nothing behind.
    """
    literals: list[str] = []
    text = markdown if _is_spaced_evenly(markdown) else markdown.translate(_CLEAN)
    text = _keep_item_marks(text, literals) if marks else text
    text = text if _is_spaced_evenly(text) else _SPACE.sub(" ", text)
    text = _CODE.sub(lambda m: _set_aside(m.group(2).strip(), literals), text) if "`" in text else text
    text = _ESCAPE.sub(lambda m: _set_aside(m.group(1), literals), text) if "\\" in text else text
    text = _without_block_marks(_COMMENT.sub("", text) if "<!--" in text else text)
    text = _without_inline_marks(text, images)
    text = html.unescape(text) if "&" in text else text
    text = text.strip() if _is_spaced_evenly(text) else _SPACE.sub(" ", text).strip()
    text = "\n".join(line.strip() for line in text.split("\n") if line.strip()) if "\n" in text else text
    return _LITERAL.sub(lambda m: literals[int(m.group(1))], text) if literals else text


_CLEAN = {0xFDD0: None, 0xFDD1: None, 0xFDD2: None, 0: None, ord("\r"): "\n", 0x2028: "\n", 0x2029: "\n"}


def _is_spaced_evenly(text: str) -> bool:
    """Return whether a text is one line with single blanks between words; what ``_CLEAN`` names cannot be printed."""
    return text.isprintable() and "  " not in text


def _set_aside(text: str, literals: list[str]) -> str:
    """Keep code and escaped marks out of the way until everything else is done."""
    literals.append(text)
    return f"\ufdd0{len(literals) - 1}\ufdd1"


def _keep_item_marks(markdown: str, literals: list[str]) -> str:
    """Set the marks of list items aside; the items of the outermost list, and of those in its first item, stand at 0.

    Of a list of which each item says 1, Markdown counts the items.
    """
    lists: list[tuple[int, str, int]] = []  # those around an item: indentation, what the last item says, its number
    outer = int(_ITEM.match(markdown) is not None)

    def mark(item: re.Match[str]) -> str:
        indent, said, number = len(item[1].expandtabs(4)), item[2] or "", int(item[2] or 0)
        while lists and lists[-1][0] >= indent:
            _, before, last = lists.pop()
            if before == said and last >= number:
                number = last + 1
        lists.append((indent, said, number))
        shown = f"{number}." if said else "-"
        return f"\n{_set_aside('  ' * max(0, len(lists) - 1 - outer) + shown, literals)} "

    return _ITEM.sub(mark, markdown)


# Complex: each condition spares a pattern the many texts that have none of its marks.
def _without_block_marks(text: str) -> str:
    """Take block marks away; a blank line stays between blocks, a soft line break becomes a space."""
    text = _FENCE.sub("\n\n", text) if "```" in text or "~~~" in text else text
    text = _DEFINITION.sub("", text) if "]:" in text else text
    text = _QUOTE.sub("", text) if ">" in text else text
    text = _RULE.sub("\n\n", text) if _may_be_ruled(text) else text
    text = _HEADING.sub(_heading_text, text) if "#" in text else text
    text = _ROW.sub(_row_text, text) if "|" in text else text
    if "\n" in text:
        text = _BULLET.sub("\n\n", text)
    elif found := _BULLET.match(text):
        text = text[found.end() :]
    text = _BREAK_TAG.sub("\n\n", text) if "<" in text else text
    if "\n" not in text:
        return text.strip()
    text = _BLANK.sub("\ufdd2", text.replace(" \n", "\n").replace("\n ", "\n"))
    return text.replace("\n", " ").replace("\ufdd2", "\n").strip()


def _may_be_ruled(text: str) -> bool:
    """Return whether there are marks enough for a rule, or for the line below a table's head."""
    return "=" in text or "|" in text or text.count("-") + text.count("*") + text.count("_") > 2


def _heading_text(heading: re.Match[str]) -> str:
    title = (heading.group(1) or "").rstrip()
    closed = title.rstrip("#")
    return f"\n\n{closed if closed.endswith(' ') or not closed else title}\n\n"


def _row_text(row: re.Match[str]) -> str:
    cells = (cell.strip() for cell in row.group(1).split("|"))
    return "\n\n" + " | ".join(cell for cell in cells if cell) + "\n\n"


def _without_inline_marks(text: str, images: bool) -> str:
    if "](" in text or "][" in text:
        text = _IMAGE.sub(r"\1" if images else "", text) if "![" in text else text
        text = _LINK.sub(r"\1", text)
        text = _REFERENCE.sub(r"\1", text) if "][" in text else text
    text = CONDITIONAL_MARK.sub("", text) if "{" in text else text
    if "<" in text:
        text = _TAG.sub("", _ADDRESS.sub(r"\1", text))
    for mark, pattern in (("*", _STARS), ("_", _UNDERSCORES)):
        if mark in text:
            text = pattern.sub(r"\2", pattern.sub(r"\2", text))
    return _STRUCK.sub(r"\1", text) if "~~" in text else text
