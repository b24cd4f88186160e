"""A ticket becomes its sections by rules: fields, headings, labels such as ``Expected result:``, code and logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autokb.core.nouns import Span
from autokb.core.ticket_template import SectionRule, TicketTemplate
from autokb.core.tickets import TICKET, Ticket, TicketSection
from autokb.text.markdown import Block, parse_blocks

LONGEST_LABEL = 60  # characters of a line that can be a label; a longer one is a sentence
WORDS_BEHIND = 3  # that a heading may have behind a known one: Steps to reproduce the crash
LOG_LINES = 0.3  # of a block's lines must look like a program's output
FEWEST_WORDS = 4  # of a field that is prose; ranks, sprints and dates have fewer
_NO_NAME = re.compile(r"customfield_\d+", re.IGNORECASE)
_EDGES = re.compile(r"^[\W\d_]+|[\W_]+$")
_LOG_LINE = re.compile(
    r"^\s*(?:\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\b|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d-\d\d \d\d:|"
    r"\d\d:\d\d:\d\d[.,\s]|[VDIWEF]/\S+\s*\(|at [\w$.<>]+\(|Caused by:|Traceback |\s*File \"|Exception in thread|"
    r"[\w.]+(?:Exception|Error): |\d+\s+\S+\s+0x[0-9a-f]{6,}|npm ERR!|Thread \d+)"
)
_LOG_LANGUAGES = frozenset({"log", "console", "output", "logs", "stacktrace", "terminal", "noformat"})


def parse_sections(ticket: Ticket, template: TicketTemplate) -> tuple[TicketSection, ...]:
    """Return the sections of a ticket that have a text, its root first; what no rule knows stays in its field's.

    A comment gives only sections of which no field is the reporter's own: causes and fixes, but no steps to reproduce,
    for those of a comment are mostly a tester's.
    """
    return tree_of_parts(ticket.id, template, parse_parts(ticket, template))


@dataclass(frozen=True, slots=True)
class SectionPart:
    """Part of a section's text; it is ``rest`` where no rule but its field says that it belongs there."""

    section: str
    text: str
    field: str
    rest: bool = False


def parse_parts(ticket: Ticket, template: TicketTemplate) -> list[SectionPart]:
    """Return the parts that a ticket's sections are made of, in the order of the template's fields."""
    known = known_headings(template)
    of_comments = {heading: name for heading, name in known.items() if _is_anybodys(template[name])}
    found: list[SectionPart] = []
    for rule in template.sections:
        for name in rule.fields:
            if name == "comments":
                texts = [p for c in ticket.comments for p in split_text(c.text, rule.name, of_comments, {})]
            elif name == "description":
                texts = list(split_text(ticket.description, rule.name, known, block_sections(template)))
            else:
                found.append(SectionPart(rule.name, ticket.text_of(name).strip(), name))
                continue
            found += (SectionPart(section, text, name, section == rule.name) for section, text in texts)
    return [*found, *_further_parts(ticket, template, known)]


def _further_parts(ticket: Ticket, template: TicketTemplate, known: Mapping[str, str]) -> Iterator[SectionPart]:
    """Yield the source's own fields that no rule names: in the section of that name, else prose with the description.

    A field without a name (customfield_10050) is none of them.
    """
    base, named = template.field_of.get("description", ""), {name for rule in template.sections for name in rule.fields}
    for name, text in ticket.other.items():
        if name in named or _NO_NAME.fullmatch(name) or not text.strip():
            continue
        if section := find_section(name, known):
            yield SectionPart(section, text.strip(), name)
        elif base and len(text.split()) >= FEWEST_WORDS:
            yield SectionPart(base, f"### {name}\n\n{text.strip()}", name)


def tree_of_parts(ticket: str, template: TicketTemplate, parts: Sequence[SectionPart]) -> tuple[TicketSection, ...]:
    """Return the tree of sections whose texts are these parts, each after the other."""
    texts: dict[str, list[str]] = {}
    for part in parts:
        if part.text:
            texts.setdefault(part.section, []).append(part.text)
    return tree_of(ticket, template, {name: "\n\n".join(some) for name, some in texts.items()})


def sections_of_comments(template: TicketTemplate) -> tuple[str, ...]:
    """Return the sections that a comment can tell: those of which no field is the reporter's own."""
    return tuple(rule.name for rule in template.sections if _is_anybodys(rule))


def tree_of(ticket: str, template: TicketTemplate, texts: Mapping[str, str]) -> tuple[TicketSection, ...]:
    """Return the tree of sections that have a text, each after the one it hangs under.

    A section above that has no text of its own has a node where one below has, so that paths of the template hold.
    """
    wanted = {rule.name for name, text in texts.items() if text for rule in template.path(name)}
    nodes = (
        TicketSection(ticket, rule.name, rule.parent, texts.get(rule.name, ""))
        for rule in template.sections
        if rule.name in wanted
    )
    return (TicketSection(ticket, TICKET), *nodes)


@dataclass(frozen=True, slots=True)
class _HeadLine:
    """A line that begins a section, or ends one (``section`` is empty); ``level`` 7 is a label, below any heading."""

    start: int
    end: int
    section: str
    level: int


# Complex: an unknown heading belongs to the section that is open, so that the lines are read in one pass.
def split_text(text: str, base: str, known: Mapping[str, str], blocks: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield section and text of each part of a Markdown text; ``base`` is the section of what no heading claims.

    ``known`` are folded headings with their sections, ``blocks`` the sections of code and logs outside of a claimed
    part. Headings stay out of the texts but for unknown ones.
    """
    text = text.strip()
    found = parse_blocks(text)
    lines = sorted(_heading_lines(text, found, known), key=lambda line: line.start)
    code = [(b.start, b.end) for b in found if b.kind == "code" and b.level == 0]
    section, level, start = base, 0, 0
    for line in [*lines, _HeadLine(len(text), len(text), "", 0)]:
        if not line.section and line.start < len(text) and (section == base or line.level > level):
            continue  # an unknown heading inside of a section, or of what is the base's anyway
        if section == base:
            yield from _without_blocks(text, (start, line.start), base, code, blocks)
        elif part := text[start : line.start].strip():
            yield section, part
        section = line.section or base
        start, level = (line.end if line.section else line.start), line.level


def _without_blocks(
    text: str, place: Span, base: str, code: Sequence[Span], blocks: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield a part of the base's own; its blocks of code and logs are sections by themselves."""
    start, end = place
    rest = []
    for first, last in code:
        if start <= first and last <= end:
            kind = "log" if looks_like_log(text[first:last]) else "code"
            if kind in blocks:
                rest.append(text[start:first].strip())
                yield blocks[kind], text[first:last].strip()
                start = last
    rest.append(text[start:end].strip())
    if any(rest):
        yield base, "\n\n".join(filter(None, rest))


def _heading_lines(text: str, blocks: Sequence[Block], known: Mapping[str, str]) -> Iterator[_HeadLine]:
    for block in blocks:
        if block.kind == "heading":
            section = find_section(text[block.start : block.end], known, WORDS_BEHIND)
            yield _HeadLine(block.start, block.end, section, block.level)
        elif block.kind == "paragraph" or (block.kind == "item" and block.level == 1):
            yield from _labels(text, block.start, block.end, known)


def _labels(text: str, start: int, end: int, known: Mapping[str, str]) -> Iterator[_HeadLine]:
    """Yield the lines of a paragraph or item that are a label, with a text behind its colon or not."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = text[start:stop]
        head, colon, rest = line.partition(":")
        if len(head) <= LONGEST_LABEL:
            bare = not rest.strip("*_ \t")
            is_marked = bool(colon) or line.strip().endswith("**")
            if section := find_section(head, known, WORDS_BEHIND if bare and is_marked else 0):
                yield _HeadLine(start, stop if bare else start + len(head) + 1, section, 7)
        start = stop + 1


def find_section(heading: str, known: Mapping[str, str], words_behind: int = 0) -> str:
    """Return the section that a heading names, or nothing; it may have some words behind a known one."""
    folded = fold_heading(heading)
    if folded in known:
        return known[folded]
    words = folded.split()
    for length in range(len(words) - 1, max(0, len(words) - 1 - words_behind), -1):
        head = " ".join(words[:length])
        if " " in head and head in known:  # a single word with others behind it says something else: Code signing
            return known[head]
    return ""


@lru_cache(maxsize=4_096)
def fold_heading(heading: str) -> str:
    """Return a heading as it is looked up: without marks, numbers, case and punctuation at its ends."""
    text = _EDGES.sub("", heading.strip())
    return " ".join(text.replace("*", "").replace("_", " ").casefold().split())


def looks_like_log(block: str) -> bool:
    """Return whether a block of code is a program's output."""
    first, _, rest = block.partition("\n")
    if first.strip("`~ ").casefold() in _LOG_LANGUAGES - {"noformat"}:
        return True
    lines = [line for line in rest.split("\n") if line.strip("`~ ")]
    return bool(lines) and sum(bool(_LOG_LINE.match(line)) for line in lines) >= LOG_LINES * len(lines)


def known_headings(template: TicketTemplate) -> dict[str, str]:
    """Return the section of each folded heading; of two sections with one heading the first has it."""
    found: dict[str, str] = {}
    for rule in template.sections:
        for heading in rule.headings:
            found.setdefault(fold_heading(heading), rule.name)
    return found


def _is_anybodys(rule: SectionRule) -> bool:
    return rule.parent == TICKET and not rule.fields


def block_sections(template: TicketTemplate) -> dict[str, str]:
    """Return the section of each kind of block, code or log, that a template has one for."""
    return {kind: rule.name for rule in reversed(template.sections) for kind in rule.blocks}
