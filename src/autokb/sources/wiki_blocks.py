"""Lines of wiki text become Markdown blocks; lists keep their nesting and numbers whatever stands between the items."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from autokb.sources.wiki_inline import BREAK, PARAGRAPH, Kept, inline, without_empty_switches
from autokb.text.conditional_markup import MARK

_HEADING = re.compile(r"^(={1,6})\s*(.+?)\s*\1\s*$")
_PREFIX = re.compile(r"^\s{0,3}([#*:;]+)\s*")
_BY_HAND = re.compile(r"^ {0,3}(\d{1,3})[.)]\s+(?=\S)")
_UNDERLINE = re.compile(r"^(?:=+|-{2,}|_{3,}|\*{3,})\s*$")
_BLOCK_START = re.compile(r"^(?:#{1,6}(?=\s)|>|[-+*](?=\s))")
_INDENTED = re.compile(r"^ {4,}\S")
# More lines than these between two steps are no remark on the step before.
_MOST_BETWEEN = 4
_LOOK_AHEAD = 60
_RUNNING = frozenset({"text", "note", "blank"})
_LONGEST_HEADING = 500

Kind = Literal["heading", "item", "text", "note", "blank", "opening", "closing"]


@dataclass(frozen=True, slots=True)
class _Line:
    kind: Kind
    text: str = ""
    prefix: str = ""


@dataclass(slots=True)
class _Level:
    kind: str
    count: int
    indent: int
    inner: int = 0


@dataclass(slots=True)
class _Writer:
    """What is written so far, the lists that are open, and where numbering goes on after a platform switch."""

    out: list[str] = field(default_factory=list)
    stack: list[_Level] = field(default_factory=list)
    resume: int = 0
    alternative: int | None = None
    switches: list[tuple[int, int]] = field(default_factory=list)
    in_paragraph: bool = False


def blocks_to_markdown(text: str, kept: Kept) -> str:
    """Return the Markdown of wiki lines; private marks of ``wiki_inline`` stay for ``finish``."""
    lines = _lines(text, kept)
    writer = _Writer()
    for n, line in enumerate(lines):
        if line.kind == "heading":
            _close(writer)
            writer.out += ["", f"{line.prefix} {_one_line(line.text)}", ""]
        elif line.kind == "item":
            _item(writer, line, lines, n)
        elif line.kind in ("text", "note"):
            _text(writer, line, lines, n)
        elif line.kind == "blank":
            writer.in_paragraph = False
        else:
            _switch(writer, line)
        if line.kind not in ("blank", "closing"):
            writer.alternative = None
    return "\n".join(writer.out)


def _lines(text: str, kept: Kept) -> list[_Line]:
    found: list[_Line] = []
    expected = 1
    for raw in text.split("\n"):
        number = _BY_HAND.match(raw)
        if number and int(number.group(1)) in (1, expected):
            # Steps that were numbered by hand are steps.
            expected = int(number.group(1)) + 1
            raw = f"# {raw[number.end() :]}"
        for part in _switches_apart(without_empty_switches(raw)):
            found.append(_line(part, kept))
    return found


def _line(raw: str, kept: Kept) -> _Line:
    stripped = raw.strip()
    if not stripped:
        return _Line("blank")
    if MARK.fullmatch(stripped):
        return _Line("opening" if stripped.startswith("{for") else "closing", stripped)
    if len(stripped) <= _LONGEST_HEADING and (heading := _HEADING.match(stripped)):
        words = inline(heading.group(2), kept)
        return _Line("heading", words, "#" * len(heading.group(1))) if words else _Line("blank")
    prefix = _PREFIX.match(raw)
    words = inline(raw[prefix.end() :] if prefix else raw, kept)
    if not words.replace(PARAGRAPH, "").replace(BREAK, "").strip():
        return _Line("blank") if not prefix or not set(prefix.group(1)) & set("#*") else _Line("text", "")
    if prefix:
        return _Line("item", words, prefix.group(1))
    if _INDENTED.match(raw) and not words.startswith(PARAGRAPH):
        return _Line("text", kept.keep(raw[4:].rstrip()) + BREAK)
    return _Line("note" if words.startswith(PARAGRAPH) or words.endswith(PARAGRAPH) else "text", words)


def _switches_apart(raw: str) -> list[str]:
    """Put a switch that opens a line, or closes one, on its own line when its partner stands on another."""
    marks = list(MARK.finditer(raw))
    if not marks:
        return [raw]
    open_ones: list[re.Match[str]] = []
    loose: list[re.Match[str]] = []
    for mark in marks:
        if mark.group().startswith("{for"):
            open_ones.append(mark)
        elif open_ones:
            open_ones.pop()
        else:
            loose.append(mark)
    before: list[str] = []
    after: list[str] = []
    start = 0
    gap = ""
    for mark in open_ones:
        if (between := raw[start : mark.start()]).strip("#*:; \t"):
            break
        gap += between
        before.append(mark.group())
        start = mark.end()
    end = len(raw)
    while loose and loose[-1].end() >= start and not raw[loose[-1].end() : end].strip():
        mark = loose.pop()
        after.append(mark.group())
        end = mark.start()
    raw = gap + raw[start:end]
    prefix = _PREFIX.match(raw)
    raw = prefix.group(1) + " " + raw[prefix.end() :] if before and prefix else raw.strip() if before else raw
    return [*before, *([raw] if raw.strip("#*:; \t") else []), *after]


def _close(writer: _Writer) -> None:
    writer.stack.clear()
    writer.resume = 0
    writer.in_paragraph = False


def _one_line(text: str) -> str:
    return " ".join(text.replace(BREAK, " ").replace(PARAGRAPH, " ").split())


def _item(writer: _Writer, line: _Line, lines: list[_Line], n: int) -> None:
    kinds = [c for c in line.prefix if c in "#*"]
    stack = writer.stack
    if not kinds or line.prefix[-1] in ":;":
        if stack and (kinds or _stays_inside(writer, lines, n)):
            _continue(writer, line.text, min(len(kinds) or len(stack), len(stack)))
        else:
            _paragraph(writer, line.text)
        return
    depth = min(len(kinds), len(stack) + 1)
    kind = kinds[-1]
    if kind == "*" and depth <= len(stack) and stack[depth - 1].kind == "#" and _steps_go_on(lines, n, len(kinds)):
        depth += 1
    del stack[depth:]
    if len(stack) == depth and stack[-1].kind != kind:
        stack.pop()
    if len(stack) < depth:
        _open_list(writer, kind)
    level = stack[-1]
    level.count += 1
    marker = f"{level.count}. " if level.kind == "#" else "- "
    level.inner = level.indent + len(marker)
    first, *rest = _paragraphs(line.text)
    _write(writer, first, level.indent, marker)
    for paragraph in rest:
        _write(writer, paragraph, level.inner, blank=True)
    writer.in_paragraph = False


def _open_list(writer: _Writer, kind: str) -> None:
    stack = writer.stack
    if not stack:
        if writer.out and writer.out[-1]:
            writer.out.append("")
        count = writer.resume if kind == "#" else 0
        writer.resume = 0
        stack.append(_Level(kind, count, 0))
    else:
        stack.append(_Level(kind, 0, stack[-1].inner))


def _steps_go_on(lines: list[_Line], n: int, depth: int) -> bool:
    """Return whether, after these bullets, the numbered list of the same depth is taken up again at once."""
    for line in islice(lines, n + 1, n + 1 + _LOOK_AHEAD):
        if line.kind != "item":
            return False
        kinds = [c for c in line.prefix if c in "#*"]
        if len(kinds) <= depth and kinds and kinds[-1] == "#":
            return len(kinds) == depth
    return False


def _text(writer: _Writer, line: _Line, lines: list[_Line], n: int) -> None:
    if not line.text:
        writer.in_paragraph = False
    elif writer.stack and _stays_inside(writer, lines, n):
        _continue(writer, line.text, len(writer.stack) if writer.stack[-1].kind == "#" else 1)
    else:
        _paragraph(writer, line.text)


def _stays_inside(writer: _Writer, lines: list[_Line], n: int) -> bool:
    """Return whether lines between two steps belong to the step before, so that the list is not torn."""
    if writer.stack[0].kind != "#":
        return lines[n].prefix.startswith((";", ":")) and lines[n - 1].kind == "item"
    between = []
    end = n
    while end < min(len(lines), n + _LOOK_AHEAD) and (lines[end].kind in _RUNNING or _is_indent(lines[end])):
        if lines[end].kind != "blank":
            between.append(lines[end])
        end += 1
    goes_on = end < len(lines) and lines[end].kind == "item" and lines[end].prefix.startswith("#")
    if not goes_on:
        return lines[n].prefix.startswith((";", ":")) and lines[n - 1].kind == "item"
    if all(line.kind == "note" or _is_indent(line) for line in between):
        return True
    colon = any(line.text.rstrip().endswith(":") for line in between)
    near = lines[end - 1].kind != "blank"
    return near and not colon and len(between) <= _MOST_BETWEEN


def _is_indent(line: _Line) -> bool:
    return line.kind == "item" and not set(line.prefix) & set("#*")


def _continue(writer: _Writer, text: str, depth: int) -> None:
    for paragraph in _paragraphs(text):
        _write(writer, paragraph, writer.stack[depth - 1].inner, blank=True)
    del writer.stack[depth:]


def _paragraph(writer: _Writer, text: str) -> None:
    goes_on = writer.in_paragraph and not text.startswith(PARAGRAPH)
    _close(writer)
    paragraphs = _paragraphs(text)
    for position, paragraph in enumerate(paragraphs):
        _write(writer, paragraph, 0, blank=not (goes_on and position == 0))
    writer.in_paragraph = not text.endswith(PARAGRAPH)


def _paragraphs(text: str) -> list[str]:
    parts = [part.strip().strip(BREAK).strip() for part in text.split(PARAGRAPH)]
    return [part for part in parts if part] or [""]


def _write(writer: _Writer, text: str, indent: int, marker: str = "", *, blank: bool = False) -> None:
    if blank and writer.out and writer.out[-1]:
        writer.out.append("")
    space = " " * indent
    lines = [part.strip() for part in text.split(BREAK) if part.strip() != "."] or [""]
    for n, line in enumerate(lines):
        if not marker and (_UNDERLINE.match(line) or _BLOCK_START.match(line)) and not line.startswith(("- ", "+ ")):
            line = "\\" + line
        end = "  " if n < len(lines) - 1 else ""
        writer.out.append(f"{space}{marker if n == 0 else ' ' * len(marker)}{line}{end}")


def _switch(writer: _Writer, line: _Line) -> None:
    """Write a switch as a paragraph; numbering goes on in it, and after it, where the list around it was open."""
    count = writer.stack[0].count if writer.stack and writer.stack[0].kind == "#" else writer.resume
    writer.stack.clear()
    writer.in_paragraph = False
    if line.kind == "opening":
        base = writer.alternative if writer.alternative is not None else count
        writer.switches.append((base, max(base, count)))
        writer.resume = base
    elif writer.switches:
        base, most = writer.switches.pop()
        writer.resume = max(most, count)
        writer.alternative = base
    if writer.out and writer.out[-1]:
        writer.out.append("")
    writer.out += [line.text, ""]
