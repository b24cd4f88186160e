r"""Markdown of strangers that a renderer may show: no tag, no script, no link but to the web, mail or relative.

``masked`` writes a sign that would begin something active as a character reference, ``&lt;script>``, which renderers
show as the sign itself; what is inert already stays: ``a < b``, ``\<b>``, code in fences and, where all parsers
agree, in a line (compared were markdown-it, cmark and GitHub's cmark-gfm). ``unmasked`` knows the references by what
stands beside them and takes them back; one that somebody wrote there has got another ``amp;``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from autokb.text.control_characters import escape_controls, unescape_controls

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

SCHEMES = frozenset({"http", "https", "mailto"})
_LINE_START = r"(?:(?<=[\r\n])|\A)"
_MARK = re.compile(
    rf"""
      (?P<tag> < (?=[A-Za-z/!?]) )                            # may begin a tag, a comment or an address in brackets
    | (?<=\]) (?P<target> [(:] )                              # before the target of a link, image or definition
    | (?P<indent> {_LINE_START} [ ]{{0,3}} ) (?P<fence> [`~] ) (?=(?P=fence){{2}})
    | & (?= (?:amp;)* lt; [A-Za-z/!?] )                       # references as ours are, but somebody's own
    | (?<=\]) & (?= (?:amp;)* \#(?:40|58); )
    | (?P<before> {_LINE_START} [ ]{{0,3}} ) & (?= (?:amp;)* \#(?:96|126); )
    """,
    re.VERBOSE,
)
_MASK = re.compile(
    rf"""
      & (?P<lt> (?:amp;)* ) lt; (?=[A-Za-z/!?])
    | (?<=\]) & (?P<target> (?:amp;)* ) \#(?P<code>40|58);
    | (?P<indent> {_LINE_START} [ ]{{0,3}} ) & (?P<fence> (?:amp;)* ) \#(?P<fence_code>96|126);
    """,
    re.VERBOSE,
)
# CommonMark's autolinks, those that are surely one: no tag begins so, and no backtick in it can end code.
_ADDRESS = re.compile(r"<(?:(?i:https?://|mailto:)[^\s<>`\"'\\]+|[\w.+-]+@[A-Za-z0-9.-]+)>", re.ASCII)
# The marks of quotes may stand between ``](`` and a target in the next line.
# Characters that are looked at; one that is longer and has neither scheme nor slash hides something.
_LONGEST_TARGET = 200
_TARGET = re.compile(rf"[\s>]*(?:<([^<>\n]{{0,{_LONGEST_TARGET}}})|(\S{{0,{_LONGEST_TARGET}}}))")
_CUT_REFERENCE = re.compile(r"&[^&;]*\Z")
_IGNORED_IN_TARGETS = re.compile(r"[\s\x00-\x20\x7f\\]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):")
# Stand for a tag's place while code is looked for; no character of Unicode, so that no text needs them.
_OPEN, _CLOSE, _OTHER = "\ufdd0", "\ufdd1", "\ufdd2"
_COMMENT = re.compile("<!--")
_BEFORE_CODE = re.compile(r"^[^`\n]+", re.MULTILINE)
_BLANK = re.compile(r"[ \t\n\r]")
_LONGEST_WORD = 200  # characters before a place that are looked at; a longer word may be an address
_BACKTICKS = re.compile("`+")
_PLACE = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")


def masked(text: str) -> str:
    """Return Markdown that means the same to a reader, in which nothing is active and nothing steers a terminal."""
    text = escape_controls(text)
    if not _MARK.search(text):
        return text
    fences = False
    code, unclosed = _find_code(text, fences)
    if unclosed:  # a block of code that would turn what follows in the file into code, and code into what is active
        fences = True
        code, _ = _find_code(text, fences)
    return _rewrite(text, fences, lambda place: "<" if place in code else "&lt;")


def unmasked(text: str) -> str:
    """Take that back."""
    return unescape_controls(_MASK.sub(_unmask, text))


def _unmask(found: re.Match[str]) -> str:
    if found["lt"] is not None:
        return f"&{found['lt'][4:]}lt;" if found["lt"] else "<"
    if found["target"] is not None:
        return f"&{found['target'][4:]}#{found['code']};" if found["target"] else chr(int(found["code"]))
    rest = f"&{found['fence'][4:]}#{found['fence_code']};" if found["fence"] else chr(int(found["fence_code"]))
    return found["indent"] + rest


def escape_tags(text: str) -> str:
    """Return a line for the inside of an HTML comment, where nothing is code or link; ``unmasked`` takes it back."""
    return _rewrite(escape_controls(text), fences=False, tag=lambda _place: "&lt;", everywhere=True)


def _rewrite(text: str, fences: bool, tag: Callable[[int], str], *, everywhere: bool = False) -> str:
    """Write every mark as a reference where it is active; ``tag`` gives what stands for a tag at a place."""

    def one(found: re.Match[str]) -> str:
        if found["tag"]:
            return "<" if not everywhere and _is_inert(text, found.start()) else tag(found.start())
        if found["target"]:
            sign = found["target"]
            return f"&#{ord(sign)};" if _leads_to_other_scheme(text, found.end()) else sign
        if found["fence"]:
            return found["indent"] + (f"&#{ord(found['fence'])};" if fences else found["fence"])
        return f"{found['before'] or ''}&amp;"

    return _MARK.sub(one, text)


def _is_inert(text: str, place: int) -> bool:
    """Return whether ``<`` is escaped by a backslash, or begins an address that may be a link."""
    before = place
    while before and text[before - 1] == "\\":
        before -= 1
    if (place - before) % 2 == 1:
        return not _is_in_bare_address(text, before)
    return _ADDRESS.match(text, place) is not None


def _is_in_bare_address(text: str, place: int) -> bool:
    """Return whether the word before a place may be an address that GitHub links as it stands.

    Such an address takes backslashes and backticks into itself, up to the next blank or tag.
    """
    word = _BLANK.split(text[max(place - _LONGEST_WORD, 0) : place])[-1].casefold()
    return ":" in word or "www." in word or len(word) == _LONGEST_WORD


def _leads_to_other_scheme(text: str, place: int) -> bool:
    """Return whether the target of a link has a scheme that is not allowed, however it is spelt."""
    found = _TARGET.match(text, place)
    written = (found and (found[1] or found[2])) or ""
    is_cut = len(written) >= _LONGEST_TARGET
    written = _CUT_REFERENCE.sub("", written) if is_cut else written
    plain = _IGNORED_IN_TARGETS.sub("", unquote(html.unescape(unescape_controls(written)))).casefold()
    if scheme := _SCHEME.match(plain):
        return scheme[1] not in SCHEMES
    return is_cut and not re.search(r"[/?#:]", plain)


@lru_cache(maxsize=2)
def _parser(tables: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    if tables:
        parser.enable("table")
    parser.inline.ruler.enableOnly(["text", "newline", "escape", "backticks", "autolink"])
    parser.inline.ruler2.enableOnly([])
    return parser


def _find_code(text: str, fences: bool) -> tuple[Collection[int], bool]:
    """Return the places of ``<`` that every renderer takes for code, and whether a block of code is never closed.

    Parsed is what the masked text will be, with a number for every tag in it.
    """
    text = text.replace(_OPEN, _OTHER).replace(_CLOSE, _OTHER)
    numbered = _rewrite(text, fences, lambda place: f"{_OPEN}{place}{_CLOSE}") + "\n"
    if not fences and _OPEN not in numbered and "```" not in text and "~~~" not in text:
        return (), False
    plain, with_tables = (_parser(tables).parse(numbered) for tables in (False, True))
    code = set(_places_in_code(plain, text)) & set(_places_in_code(with_tables, text))
    code -= {mark.start() for mark in _COMMENT.finditer(text)}  # marks of ours are looked for line by line
    return code, any(map(_is_unclosed, plain)) or any(map(_is_unclosed, with_tables))


# Complex: fences and code in a line are children of other tokens, in one walk over them.
def _places_in_code(tokens: list[Token], text: str) -> Iterator[int]:
    # Where no backtick is before it in its line, a tag may begin a block of HTML in the middle of what looks like code.
    first = {line.start() + n for line in _BEFORE_CODE.finditer(text) for n, c in enumerate(line.group()) if c == "<"}
    for token in tokens:
        if token.type == "fence":
            yield from _places(token.content)
        elif token.type == "inline" and _has_plain_code(token.content):
            for child in token.children or ():
                if child.type == "code_inline":
                    yield from (place for place in _places(child.content) if place not in first)


def _places(content: str) -> Iterator[int]:
    return map(int, _PLACE.findall(content))


def _has_plain_code(words: str) -> bool:
    """Return whether all parsers agree where code begins and ends in a paragraph: its backticks pair off one by one."""
    runs = list(_BACKTICKS.finditer(words))
    if len(runs) % 2 or len({run.group() for run in runs}) != 1 or "[" in words or "\\`" in words:
        return False
    return not any(_is_in_bare_address(words, opening.start()) for opening in runs[::2])


def _is_unclosed(token: Token) -> bool:
    first, after = token.map or (0, 0)
    return token.type == "fence" and not token.level and after - first < token.content.count("\n") + 2
