"""MediaWiki-like markup (as Mozilla Support writes it) to Markdown: steps stay whole, conditional parts verbatim."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import unescape

from autokb.sources.decoding import clean
from autokb.sources.page import ConvertedFile, fenced, markdown_table
from autokb.sources.wiki_blocks import blocks_to_markdown
from autokb.sources.wiki_inline import (
    LINE_BREAK,
    PARAGRAPH_BREAK,
    PRIVATE_USE,
    Placeholders,
    code_span,
    inline_to_marks,
    marks_to_markdown,
    replace_templates,
    without_emphasis,
)


def replace_pairs(
    text: str,
    opening: re.Pattern[str],
    closing: Callable[[re.Match[str]], re.Pattern[str]],
    replacement: Callable[[re.Match[str], str], str],
) -> str:
    """Return the text with each pair replaced; an opening mark that nothing closes stays as it is.

    A lazy regular expression would look through the rest of the text again for every unclosed mark.
    """
    parts: list[str] = []
    unclosed: set[re.Pattern[str]] = set()
    position = 0
    while start := opening.search(text, position):
        end_mark = closing(start)
        end = None if end_mark in unclosed else end_mark.search(text, start.end())
        if end is None:
            unclosed.add(end_mark)
            parts.append(text[position : start.end()])
            position = start.end()
            continue
        parts += [text[position : start.start()], replacement(start, text[start.end() : end.start()])]
        position = end.end()
    return "".join([*parts, text[position:]])


_TABLE = re.compile(r"^[ \t:]{0,8}\{\|[^\n]*\n", re.MULTILINE)
_TABLE_END = re.compile(r"^[ \t]{0,8}\|\}", re.MULTILINE)
_CELL_ATTRIBUTES = re.compile(r"^[^|\[\]{}]*=[^|\[\]{}]*\|(?!\|)")
_LIST_PREFIX = re.compile(r"^[*#:;]+\s*")


def replace_tables(text: str, placeholders: Placeholders) -> str:
    """Return the text with a placeholder for each table, which stands for its Markdown."""
    return replace_pairs(
        text,
        _TABLE,
        lambda start: _TABLE_END,
        lambda start, body: f"\n\n{placeholders.protect(_table_to_markdown(body, placeholders))}{PARAGRAPH_BREAK}\n\n",
    )


def _table_to_markdown(body: str, placeholders: Placeholders) -> str:
    rows: list[list[str]] = []
    for row in _rows(body):
        if any(map(str.strip, row)):
            marked = (inline_to_marks(cell, placeholders) for cell in row)
            words = (cell.replace(LINE_BREAK, " ").replace(PARAGRAPH_BREAK, " ").split() for cell in marked)
            rows.append([" ".join(cell) for cell in words])
    if not rows:
        return ""
    # One column is a frame around text, not a table.
    if max(map(len, rows)) == 1:
        return "\n\n".join(row[0] for row in rows if row[0])
    return markdown_table(rows)


def _rows(body: str) -> list[list[str]]:
    """Return the wiki text of each cell; the table's caption is left out."""
    rows: list[list[str]] = [[]]
    for line in map(str.strip, body.split("\n")):
        if line.startswith("|-"):
            rows.append([])
        elif line.startswith("|+"):
            continue
        elif line.startswith(("|", "!")):
            cells = re.split(r"!!|\|\|" if line[0] == "!" else r"\|\|", line[1:])
            rows[-1].extend(_CELL_ATTRIBUTES.sub("", cell) for cell in cells)
        elif line and rows[-1]:
            rows[-1][-1] += "<br>" + _LIST_PREFIX.sub("", line)
    return rows


_CODE = re.compile(r"<(code|pre|nowiki|syntaxhighlight|source)\b[^<>]*>", re.IGNORECASE)
_NOWIKI = re.compile(r"</?nowiki\s*/?>", re.IGNORECASE)
_SCRIPT = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_BEHAVIOR_SWITCH = re.compile(r"__[A-Z]{2,20}__")
_LIST_ITEM_TAG = re.compile(r"<li\b[^<>]*>", re.IGNORECASE)
_BLOCK_TAG = re.compile(r"</?(?:ul|ol|li|p)\b[^<>]*>", re.IGNORECASE)
_NOTE = re.compile(r"\{(note|warning)\}")
_NOTE_MARK = re.compile(r"\{/?(?:note|warning)\}")
_STRUCTURE = re.compile(r"^\s*(?:[#*;:=]|\{\||$)", re.MULTILINE)
_LABELLED = re.compile(r"\s*(?:'''|\W*(?:note|tip|warning|important|caution|attention)\b|=|[#*;:])", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n{3,}")


def wiki_to_markdown(text: str) -> str:
    """Return the Markdown of a wiki text; what is written in it never becomes HTML."""
    return wiki_page(text).text


def wiki_page(text: str, templates: Mapping[str, str] | None = None) -> ConvertedFile:
    """Return the Markdown of a wiki text, and the templates and icons it uses that ``templates`` has no words for.

    The words of a template are wiki text.
    """
    placeholders = Placeholders()
    # An opening mark that nothing closes loses only itself; splitting is linear where a lazy expression is not.
    before, *parts = PRIVATE_USE.sub("", clean(text)).split("<!--")
    comments = [part.partition("-->") for part in parts]
    text = before + "".join(after if closed else comment for comment, closed, after in comments)
    text = replace_templates(text, templates or {}, placeholders.unresolved)
    text = replace_pairs(
        text,
        _CODE,
        lambda tag: re.compile(rf"</{tag.group(1).lower()}\s*>", re.IGNORECASE),
        lambda tag, code: _code_to_markdown(tag.group(1).lower(), code, placeholders),
    )
    text = _SCRIPT.sub("", _NOWIKI.sub("", text))
    if "<li" in text.lower():
        text = _BLOCK_TAG.sub("\n", _LIST_ITEM_TAG.sub("\n* ", text))
    text = replace_pairs(
        _BEHAVIOR_SWITCH.sub("", text),
        _NOTE,
        lambda mark: re.compile(rf"\{{/{mark.group(1)}\}}", re.IGNORECASE),
        lambda mark, note: _note_to_wiki(mark.group(1), note.strip()),
    )
    text = replace_tables(_NOTE_MARK.sub("\n\n", text), placeholders)
    markdown = marks_to_markdown(blocks_to_markdown(text, placeholders), placeholders)
    markdown = _BLANK_LINES.sub("\n\n", markdown).strip("\n")
    return ConvertedFile(markdown + "\n" if markdown.strip() else "", unresolved=tuple(placeholders.unresolved))


def _code_to_markdown(tag: str, content: str, placeholders: Placeholders) -> str:
    if tag == "nowiki":
        return placeholders.protect(unescape(content))
    code = unescape(re.sub(r"<br\s*/?>", "\n", _NOWIKI.sub("", content), flags=re.IGNORECASE))
    if not code.strip():
        return ""
    if "\n" not in code.strip():
        if tag == "code" and not _NOWIKI.search(content):  # a wiki shows what is bold in it bold
            code = without_emphasis(code)
        return placeholders.protect(code_span(code.strip()))
    lines = code.strip("\n").split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    block = fenced("\n".join(line[margin:].rstrip() for line in lines))
    return f"\n{placeholders.protect(block)}{PARAGRAPH_BREAK}\n"


def _note_to_wiki(kind: str, note: str) -> str:
    """Return a labelled note: a paragraph inside the step around it, or lines of its own where it has structure."""
    if not note:
        return ""
    label = "" if _LABELLED.match(note) else f"'''{kind.capitalize()}:''' "
    if _STRUCTURE.search(note):
        return f"\n\n{label}{note}\n\n"
    return f"{PARAGRAPH_BREAK}{label}{' '.join(note.split())}{PARAGRAPH_BREAK}"
