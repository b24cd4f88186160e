"""Rules for markdown-it that find the same blocks as its own in less time: cells and inline text are of no use here."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_block.table import MAX_AUTOCOMPLETED_CELLS, escapedSplit

_BLOCK_MARKS = frozenset("`~>*-_+0123456789[<#")  # a line that begins with one of these may be more than a paragraph
_BLOCK_MARKS_BELOW = _BLOCK_MARKS | frozenset("|:=")  # ... or make a table or a heading of the line above it
_CODE_INDENT = 4  # columns: from there on a line is code


def add_fast_rules(parser: MarkdownIt) -> None:
    """Let a parser try plain paragraphs first, and tell a table's lines without its cells."""
    parser.block.ruler.before("table", "plain_paragraph", _take_plain_paragraph)
    parser.block.ruler.at("table", _take_table, {"alt": ["paragraph", "reference"]})


def _take_plain_paragraph(state: StateBlock, start: int, _end: int, _silent: bool) -> bool:
    """Take lines up to an empty one whose first characters say that they are a paragraph and nothing else."""
    line = start
    while line < state.lineMax and not state.isEmpty(line):
        if not 0 <= state.sCount[line] - state.blkIndent < _CODE_INDENT:
            return False
        if state.src[state.bMarks[line] + state.tShift[line]] in (
            _BLOCK_MARKS if line == start else _BLOCK_MARKS_BELOW
        ):
            return (
                line == start
                and _is_single_link_line(state, start)
                and _push_block(state, "paragraph_open", start, start + 1)
            )
        line += 1
    return _push_block(state, "paragraph_open", start, line)


def _is_single_link_line(state: StateBlock, line: int) -> bool:
    """Return whether a line that begins with a link, and has an empty one below it, defines no target of links."""
    begin, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    below = line + 1 >= state.lineMax or state.isEmpty(line + 1)
    return below and state.src[begin] == "[" and "]:" not in state.src[begin:end]


def _push_block(state: StateBlock, kind: str, start: int, end: int) -> bool:
    state.push(kind, "", 0).map = [start, end]
    state.line = end
    return True


def _take_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take a table's lines as the rule of markdown-it does, which alone says whether there is one."""
    if not table(state, start, end, True):
        return False
    if silent:
        return True
    before, state.parentType = state.parentType, "table"
    width = _count_cells(state, start)
    line, added = start + 2, 0
    while line < end and _continues_table(state, line, end):
        added += width - _count_cells(state, line)
        if added > MAX_AUTOCOMPLETED_CELLS:
            break
        line += 1
    state.parentType = before
    return _push_block(state, "table_open", start, line)


def _continues_table(state: StateBlock, line: int, end: int) -> bool:
    if state.sCount[line] < state.blkIndent or state.is_code_block(line) or not _line_text(state, line):
        return False
    if state.src[state.bMarks[line] + state.tShift[line]] == "|":
        return True  # nothing else begins so
    return not any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("blockquote"))


def _count_cells(state: StateBlock, line: int) -> int:
    text = _line_text(state, line)
    cells = escapedSplit(text) if "\\" in text else text.split("|")
    return len(cells) - (cells[0] == "") - (len(cells) > 1 and cells[-1] == "")


def _line_text(state: StateBlock, line: int) -> str:
    return mdTrim(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]])
