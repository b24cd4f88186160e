"""MediaWiki-like markup (as Mozilla Support writes it) to Markdown: steps stay whole, platform switches verbatim."""

from __future__ import annotations

import re
from functools import cache
from html import unescape

from autokb.sources.decoding import clean
from autokb.sources.pairs import replace_pairs
from autokb.sources.wiki_blocks import blocks_to_markdown
from autokb.sources.wiki_inline import BREAK, FIRST_PRIVATE, LAST_PRIVATE, PARAGRAPH, Kept, code_span, finish, inline
from autokb.sources.wiki_tables import replace_tables

_PRIVATE = re.compile(f"[{FIRST_PRIVATE}-{LAST_PRIVATE}]")
_CODE = re.compile(r"<(code|pre|nowiki|syntaxhighlight|source)\b[^<>]*>", re.IGNORECASE)
_NOWIKI = re.compile(r"</?nowiki\s*/?>", re.IGNORECASE)
_DANGEROUS = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_MAGIC = re.compile(r"__[A-Z]{2,20}__")
_LIST_TAG = re.compile(r"<li\b[^<>]*>", re.IGNORECASE)
_LIST_END = re.compile(r"</?(?:ul|ol|li|p)\b[^<>]*>", re.IGNORECASE)
_BOX = re.compile(r"\{(note|warning)\}")
_BOX_MARK = re.compile(r"\{/?(?:note|warning)\}")
_STRUCTURE = re.compile(r"^\s*(?:[#*;:=]|\{\||$)", re.MULTILINE)
_LABELLED = re.compile(r"\s*(?:'''|\W*(?:note|tip|warning|important|caution|attention)\b|=|[#*;:])", re.IGNORECASE)
_BLANKS = re.compile(r"\n{3,}")


def wiki_to_markdown(text: str) -> str:
    """Return the Markdown of a wiki text; what is written in it never becomes HTML."""
    text = _PRIVATE.sub("", clean(text))
    kept = Kept()
    text = _without_comments(text)
    text = replace_pairs(text, _CODE, _code_end, lambda start, inside: _code(start.group(1).lower(), inside, kept))
    text = _DANGEROUS.sub("", _NOWIKI.sub("", text))
    text = _LIST_END.sub("\n", _LIST_TAG.sub("\n* ", text)) if "<li" in text.lower() else text
    text = replace_pairs(_MAGIC.sub("", text), _BOX, _box_end, _box)
    text = _BOX_MARK.sub("\n\n", text)
    text = replace_tables(text, lambda table: kept.keep(table) + PARAGRAPH, lambda cell: _in_cell(cell, kept))
    markdown = finish(blocks_to_markdown(text, kept), kept)
    markdown = _BLANKS.sub("\n\n", markdown).strip("\n")
    return markdown + "\n" if markdown.strip() else ""


def _without_comments(text: str) -> str:
    parts = text.split("<!--")
    result = [parts[0]]
    for part in parts[1:]:
        comment, closed, rest = part.partition("-->")
        result.append(rest if closed else comment)
    return "".join(result)


@cache
def _end_of(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _code_end(start: re.Match[str]) -> re.Pattern[str]:
    return _end_of(rf"</{start.group(1).lower()}\s*>")


def _box_end(start: re.Match[str]) -> re.Pattern[str]:
    return _end_of(rf"\{{/{start.group(1)}\}}")


def _code(tag: str, inside: str, kept: Kept) -> str:
    if tag == "nowiki":
        return kept.keep(unescape(inside))
    code = unescape(re.sub(r"<br\s*/?>", "\n", _NOWIKI.sub("", inside), flags=re.IGNORECASE))
    if not code.strip():
        return ""
    if "\n" not in code.strip():
        return kept.keep(code_span(code.strip()))
    lines = code.strip("\n").split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    fence = "```" if "```" not in code else "~~~~"
    block = "\n".join([fence, *(line[margin:].rstrip() for line in lines), fence])
    return f"\n{kept.keep(block)}{PARAGRAPH}\n"


def _box(start: re.Match[str], inside: str) -> str:
    """Return a note as a paragraph of its own, joined to the step it stands in, or as lines where it has structure."""
    kind, inside = start.group(1), inside.strip()
    if not inside:
        return ""
    label = "" if _LABELLED.match(inside) else f"'''{kind.capitalize()}:''' "
    if _STRUCTURE.search(inside):
        return f"\n\n{label}{inside}\n\n"
    return f"{PARAGRAPH}{label}{' '.join(inside.split())}{PARAGRAPH}"


def _in_cell(cell: str, kept: Kept) -> str:
    return inline(cell, kept).replace(BREAK, " ").replace(PARAGRAPH, " ")
