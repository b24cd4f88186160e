"""AsciiDoc, as much of it as manuals use, by way of HTML; files that it includes are in it already.

No library of a free licence reads it in Python. Notes begin with their kind. Tabs and what unfolds become sections
under their label, and before the text behind them the heading above is written again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html import escape, unescape

from autokb.plugins.markup.asciidoc_inline import inline
from autokb.plugins.markup.outline import Outline, without_signs
from autokb.sources.decoding import clean, decode
from autokb.sources.page import ConvertedFile, counted_all

_DEEPEST = 20  # blocks and lists in each other
_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:[ \t]+(.*))?")
_STYLE = re.compile(r"\[(?!\[)(.*)\][ \t]*")
_ANCHOR = re.compile(r"\[\[[^\]\n]*\]\][ \t]*")
_TITLE = re.compile(r"\.(?=[^\s.])(.+)")
_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```)([\w+-]*)[ \t]*")
_TABLE = re.compile(r"[|,:!]={3,}[ \t]*")
_MACRO = re.compile(r"(image|video|audio|include|toc|ifdef|ifndef|ifeval|endif)::([^\[\s]*)\[(.*)\][ \t]*")
_ITEM = re.compile(r"[ \t]*(\*{1,6}|-|\.{1,6}|\d{1,9}\.|[a-zA-Z]\.|<(?:\d+|\.)>)[ \t]+(\S.*)")
_TERM = re.compile(r"[ \t]*(\S.*?)(:{2,4}|;;)(?:[ \t]+(\S.*))?")
_NOTE = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(.*)", re.DOTALL)
_MOST_REPEATED = 100  # times that a cell is written, however often a text says
_LITERAL = ("source", "listing", "literal")
_NOTES = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")
_CELL = re.compile(r"(?<!\\)(?:(\d{1,3})\*)?(?:(\d{1,3})?(?:\.(\d{1,3}))?\+)?[<^>.]{0,4}([aehlmdsv])?\|")
_COLUMNS = re.compile(r"cols=(?:\"([^\"]*)\"|([^,\]]+))")
_CALLOUT = re.compile(r"[ \t]{0,20}(?://|#|--|;;)?[ \t]{0,20}(?:<!--)?<(?:\d+|\.)>(?:-->)?[ \t]*$", re.MULTILINE)


def read_adoc(data: bytes) -> ConvertedFile:
    """Return the Markdown of a file of AsciiDoc."""
    state = _State()
    lines = without_signs(clean(decode(data))).expandtabs(4).split("\n")
    page = state.outline.markdown(_Blocks(lines, state).html())
    lost = counted_all(state.lost, {"attribute without a value": "attributes without a value"})
    return ConvertedFile(page.text, state.title or page.title, left_out=(*state.includes, *lost))


class _State:
    """What holds for the whole file: attributes, what is marked for the outline, and what is left out."""

    def __init__(self) -> None:
        self.attributes: dict[str, str] = {}
        self.outline = Outline()
        self.title = ""
        self.lost: Counter[str] = Counter()
        self.includes: dict[str, None] = {}

    def words(self, text: str) -> str:
        """Return the HTML of a line or a paragraph."""
        return inline(text, self.attributes, self.lost)


class _Blocks:
    """The blocks of some lines."""

    def __init__(self, lines: Sequence[str], state: _State, depth: int = 0) -> None:
        self._lines, self._state, self._depth = lines, state, depth
        self._at = 0
        self._style, self._caption = "", ""
        if depth > _DEEPEST:
            raise RecursionError

    def html(self) -> str:
        """Return the HTML of all blocks."""
        parts = []
        while self._at < len(self._lines):
            parts.append(self._block())
        return "".join(parts)

    def _block(self) -> str:
        """Return the next block, or nothing for a line that is about the one behind it."""
        line = self._lines[self._at].rstrip()
        if not line or (line.startswith("//") and not line.startswith("////")) or line in ("'''", "<<<", "+"):
            self._at += 1
            return ""
        if self._is_about(line):
            self._at += 1
            return ""
        style, caption = self._style, self._caption
        self._style = self._caption = ""
        if found := _HEADING.fullmatch(line):
            self._at += 1
            return self._heading(len(found[1]), self._state.words(found[2]))
        if found := _MACRO.fullmatch(line):
            self._at += 1
            return self._macro(found[1], found[2], found[3])
        for pattern, read in self._kinds():
            if found := pattern.fullmatch(line):
                return read(found, style, caption)
        return self._paragraph(style, caption)

    def _kinds(self) -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str, str], str]], ...]:
        return (_FENCE, self._fenced), (_TABLE, self._table), (_ITEM, self._list), (_TERM, self._terms)

    def _is_about(self, line: str) -> bool:
        """Return whether a line says something of the next block, or sets an attribute."""
        if found := _ATTRIBUTE.fullmatch(line):
            name = found[1].strip("!")
            if "!" in found[1]:
                self._state.attributes.pop(name, None)
            else:
                self._state.attributes[name] = found[2] or ""
            return True
        if _ANCHOR.fullmatch(line):
            return True
        if found := _STYLE.fullmatch(line):
            self._style = f"{self._style},{found[1]}".strip(",")
            return True
        if (found := _TITLE.fullmatch(line)) and not _FENCE.fullmatch(line):
            self._caption = found[1]
            return True
        return False

    def _heading(self, level: int, words: str) -> str:
        if level == 1 and not self._state.title:
            self._state.title = " ".join(unescape(re.sub("<[^<>]*>", "", words)).split())
            self._state.attributes["doctitle"] = self._state.title
        return f"<h{level}>{words}</h{level}>"

    def _titled(self, caption: str, html: str) -> str:
        """Return a block below its own title, if it has one."""
        return f"<p><strong>{self._state.words(caption)}</strong></p>{html}" if caption else html

    def _plain(self, caption: str) -> str:
        return unescape(re.sub("<[^<>]*>", "", self._state.words(caption)))

    def _macro(self, kind: str, target: str, inside: str) -> str:
        if kind == "include":
            self._state.includes[f"include {target[:60]}"] = None
        elif kind in ("image", "video", "audio"):
            self._state.lost["picture" if kind == "image" else kind] += 1
            words = inside.split(",")[0].strip(' "')
            return f"<p>{self._state.words(words)}</p>" if words and "=" not in words else ""
        elif kind in ("ifdef", "ifndef") and inside:
            return "" if self._is_about(inside) else f"<p>{self._state.words(inside)}</p>"
        return ""

    def _until(self, end: str) -> list[str]:
        """Return the lines up to a mark, and go behind it."""
        start = self._at = self._at + 1
        while self._at < len(self._lines) and self._lines[self._at].rstrip() != end:
            self._at += 1
        self._at += 1
        return list(self._lines[start : self._at - 1])

    def _inside(self, lines: Sequence[str]) -> str:
        return _Blocks(lines, self._state, self._depth + 1).html()

    # Complex: a fenced block is what its mark or its style says, the first that fits.
    def _fenced(self, found: re.Match[str], style: str, caption: str) -> str:
        mark, name = found[1], re.split("[,%#]", style)[0]
        lines = self._until(mark)
        if mark[0] in "/+" or "comment" in name:
            self._state.lost["block of raw HTML"] += mark[0] == "+"
            return ""
        if name.upper() in _NOTES:
            return self._state.outline.around(name, self._plain(caption), self._inside(lines))
        if (mark[0] in "-.`" and mark != "--") or name in _LITERAL:
            return self._titled(caption, _code(lines, found[2] or (style.split(",")[1] if "source," in style else "")))
        if "tabs" in name:
            return self._tabs(lines)
        if "%collapsible" in style:
            return self._state.outline.around("fold", self._plain(caption) or "Details", self._inside(lines))
        html = self._inside(lines)
        return self._titled(caption, f"<blockquote>{html}</blockquote>" if mark[0] == "_" or name == "quote" else html)

    def _tabs(self, lines: Sequence[str]) -> str:
        """Return each tab, whose label is a term of a list."""
        tabs: list[tuple[str, list[str]]] = []
        for line in lines:
            if (found := _TERM.fullmatch(line)) and not line[:1].isspace():
                tabs.append((found[1], [found[3]] if found[3] else []))
            elif tabs and (tabs[-1][1] or line.strip() != "+"):
                tabs[-1][1].append(line)
        around = self._state.outline.around
        return "".join(around("tab", self._plain(label), self._inside(body)) for label, body in tabs)

    def _paragraph(self, style: str, caption: str) -> str:
        start = self._at
        self._at += 1
        while self._at < len(self._lines) and not self._ends_paragraph(self._lines[self._at].rstrip()):
            self._at += 1
        lines = self._lines[start : self._at]
        name = re.split("[,%#]", style)[0]
        if name in _LITERAL or lines[0][:1] == " ":
            return self._titled(caption, _code(lines, ""))
        text = "\n".join(line for line in lines if not line.startswith("//"))
        if found := _NOTE.fullmatch(text):
            name, text = found[1], found[2]
        html = f"<p>{self._state.words(text)}</p>" if text else ""
        if name.upper() in _NOTES:
            return self._state.outline.around(name, self._plain(caption), html)
        return self._titled(caption, html)

    @staticmethod
    def _ends_paragraph(line: str) -> bool:
        marks = (_FENCE, _TABLE, _STYLE, _ATTRIBUTE, _MACRO)
        return line.strip() in ("", "+") or any(one.fullmatch(line) for one in marks)

    def _list(self, found: re.Match[str], style: str, caption: str, outer: tuple[str, ...] = ()) -> str:
        """Return a list: items with one mark are of one list, those with another are inside of it."""
        mark = _kind_of(found[1])
        items = []
        while (now := self._item()) and (kind := _kind_of(now[1])) not in outer:
            items.append(self._list(now, "", "", (*outer, mark)) if kind != mark else f"<li>{self._words_of(now)}")
        start = found[1].rstrip(".")
        first = f' start="{start}"' if start.isdecimal() else ""
        tag = "ol" if mark[0] in ".1<a" else "ul"
        return self._titled(caption, f"<{tag}{first}>{''.join(items)}</{tag}>")

    def _item(self) -> re.Match[str] | None:
        return _ITEM.fullmatch(self._lines[self._at].rstrip()) if self._at < len(self._lines) else None

    def _words_of(self, found: re.Match[str]) -> str:
        """Return what stands in an item, and go behind it."""
        words = self._lines_of([re.sub(r"^\[[ x*]\] ", "", found[2])])
        return self._state.words(words) + self._attached()

    def _lines_of(self, words: list[str]) -> str:
        """Return the text of an item, which begins with these words, and go behind it."""
        self._at += 1
        while self._at < len(self._lines) and self._goes_on(self._lines[self._at]):
            words.append(self._lines[self._at].strip())
            self._at += 1
        return "\n".join(words)

    def _goes_on(self, line: str) -> bool:
        marks = (_ITEM, _FENCE, _TABLE, _STYLE, _TERM, _HEADING, _MACRO)
        return bool(line.strip()) and line.strip() != "+" and not any(one.fullmatch(line.rstrip()) for one in marks)

    def _attached(self) -> str:
        """Return the blocks that a plus binds to an item, and go to the next item, if there is one."""
        parts = []
        while self._at < len(self._lines):
            line = self._lines[self._at].strip()
            behind = next((n for n in range(self._at, len(self._lines)) if self._lines[n].strip()), len(self._lines))
            if line == "+":
                self._at += 1
                block = ""
                while self._at < len(self._lines) and not block:
                    block = self._block()
                parts.append(block)
            elif not line and behind < len(self._lines) and _ITEM.fullmatch(self._lines[behind].rstrip()):
                self._at = behind
            else:
                break
        return "".join(parts)

    def _terms(self, found: re.Match[str], style: str, caption: str) -> str:
        """Return a term in bold before what explains it."""
        words = self._lines_of([found[3]] if found[3] else [])
        text = f"<p>{self._state.words(words)}</p>" if words else ""
        return self._titled(caption, self._titled(found[1], text + self._attached()))

    def _table(self, _: re.Match[str], style: str, caption: str) -> str:
        lines = self._until(self._lines[self._at].rstrip())
        width = self._columns(style, lines)
        has_head = "header" in style or (len(lines) > 1 and bool(lines[0].strip()) and not lines[1].strip())
        rows, row, filled = list[str](), list[str](), 0
        for spans, html, across in self._cells("\n".join(lines)):
            tag = "th" if has_head and not rows else "td"
            row.append(f"<{tag}{spans}>{html}</{tag}>")
            filled += across
            if filled >= width:
                rows.append(f"<tr>{''.join(row)}</tr>")
                row, filled = [], 0
        return self._titled(caption, f"<table>{''.join(rows)}<tr>{''.join(row)}</tr></table>")

    def _cells(self, text: str) -> Iterator[tuple[str, str, int]]:
        """Give the spans, the HTML and the width of each cell."""
        marks = list(_CELL.finditer(text))
        for one, end in zip(marks, [*(m.start() for m in marks[1:]), len(text)], strict=True):
            words = text[one.end() : end].strip().replace("\\|", "|")
            spans = "".join(f' {name}="{one[n]}"' for name, n in (("colspan", 2), ("rowspan", 3)) if one[n])
            html = self._inside(words.split("\n")) if one[4] == "a" else self._state.words(words)
            for _ in range(min(int(one[1] or 1), _MOST_REPEATED)):
                yield spans, html, int(one[2] or 1)

    @staticmethod
    def _columns(style: str, lines: Sequence[str]) -> int:
        """Return how many columns a table has: by its style, else by its first line."""
        if found := _COLUMNS.search(style):
            columns = re.split("[,;]", found[1] or found[2])
            return sum(int(one.split("*")[0]) if re.match(r"\s*\d+\*", one) else 1 for one in columns)
        first = next((line for line in lines if line.strip()), "")
        return max(1, sum(int(one[1] or 1) * int(one[2] or 1) for one in _CELL.finditer(first)))


def _kind_of(mark: str) -> str:
    return "1" if mark[0].isdigit() else "<" if mark[0] == "<" else "a" if mark[0].isalpha() else mark


def _code(lines: Sequence[str], language: str) -> str:
    text = _CALLOUT.sub("", "\n".join(lines).rstrip())
    name = f' class="language-{escape(language.strip())}"' if re.fullmatch(r"\s*[\w+-]{1,20}\s*", language) else ""
    return f"<pre><code{name}>{escape(text)}</code></pre>"
