"""Markdown of documentation sites as plain Markdown: what their generators read becomes what their readers see.

Which elements there are is in the word lists (``site_markup.yaml``). Tabs and what unfolds become sections under their
label, notes begin with their kind, marks go and what stands between them stays. Other text is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath
from typing import ClassVar

from autokb.sources.decoding import clean
from autokb.sources.page import ConvertedFile, first_heading
from autokb.sources.site_outline import Element, note_label, outlined
from autokb.sources.subprocess_converter import convert_in_subprocess
from autokb.sources.wiki import replace_pairs
from autokb.text.front_matter import front_matter, split_front_matter
from autokb.text.lexicons import AsWritten, WordLists, word_lists
from autokb.text.markdown import front_matter_end, html_blocks, parse_blocks
from autokb.text.plain_text import plain_text

MOST_INCLUDED = 2_000_000  # characters of other files in one: pages that name each other would grow without an end
DEEPEST = 5  # files in each other
_OURS = re.compile("[\ue110-\ue121]")
_FENCE = re.compile(r"([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})([^`\n]*)$")
_DIRECTIVE = re.compile(r"\{([\w:.-]+)\}[ \t]*")
_CODE = re.compile(r"(\{[a-z][\w:+.-]{0,40}\})?(?<!`)(`{1,4})(?!`)([^`\n\ue110]{1,2000}?)(?<!`)\2(?!`)")
_TARGET = re.compile(r"[ \t]*<[^<>\n]*>$")
_PUT_ASIDE = re.compile("\ue110(\\d+)\ue111")
_ATTRIBUTE = re.compile(
    r"([\w:.-]+)[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)'|\{[ \t]*[\"'`]([^\"'`]*)[\"'`][ \t]*\}|([^\s\"'{}<>]+))"
)
_OPTION = re.compile(r"^[ \t]*:([\w-]+):[ \t]*([^\n]*)$", re.MULTILINE)
_QUOTED = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
_TAB_NAMES = re.compile(r"label[\"']?\s*:\s*[\"']([^\"'\n]+)[\"']\s*,\s*[\"']?value[\"']?\s*:\s*[\"']([^\"'\n]+)[\"']")
_TABS_IN_ORDER = re.compile(r"items=\{\[([^\]]*)\]\}")
_VARIABLE = re.compile(r"\{\{-?[ \t]*([^{}\n<>%#]{1,300}?)[ \t]*-?\}\}")
_EXPRESSION = re.compile(r"(?<![\\{$])\{[ \t]*(?:([\"'`])([^\"'`{}\n]{0,500})\1|([\w.]{1,100}))[ \t]*\}(?!\})")
_CALLOUT = re.compile(
    r"^((?:[ \t]*>)+[ \t]*)\[!([A-Za-z][\w-]{0,30})\][+-]?[ \t]*([^\n]*)$(?:\n(?:[ \t]*>)+[ \t]*(?=[^\s>|#*+`~\d-]))?",
    re.MULTILINE,
)
_LONGEST_NAME = 60  # characters of what is listed as left out
_BLANKS = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


@dataclass(frozen=True, slots=True)
class _Replaced:
    pattern: AsWritten
    becomes: AsWritten


@dataclass(frozen=True, slots=True)
class _SiteWords(WordLists):
    """Names of elements and patterns; the YAML file says what each is for."""

    file: ClassVar[str] = "site_markup"

    tabs: frozenset[str] = frozenset()
    folds: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()
    notes_of_a_kind: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    elements: tuple[AsWritten, ...] = ()
    programs: tuple[AsWritten, ...] = ()
    included: tuple[AsWritten, ...] = ()
    remarks: Mapping[str, _Replaced] = field(default_factory=dict)
    marks: Mapping[str, _Replaced] = field(default_factory=dict)


@cache
def _pattern(written: str) -> re.Pattern[str]:
    return re.compile(written, re.MULTILINE | (re.IGNORECASE if "include" in written else 0))


def site_page(
    text: str,
    name: str = "",
    templates: Mapping[str, str] | None = None,
    included: Callable[[str], str | None] = lambda path: None,
) -> ConvertedFile:
    """Return a Markdown file as its readers see it, and the variables, components and files that are not known.

    ``templates`` has the words of variables; ``included`` gives the text of another file, None for one that cannot be
    read.
    """
    front, body = split_front_matter(clean(text))
    title = str(front_matter(front).get("title") or "") or first_heading(front + body)
    reader = _Reader(
        templates or {}, included, title or PurePosixPath(name).stem, is_program=name.lower().endswith(".mdx")
    )
    if (read := reader.read(body)) != body or front not in text:
        text = front.rstrip("\n") + "\n" * 2 * bool(front) + read.strip("\n") + "\n"
    return ConvertedFile(text, title or first_heading(text), unresolved=tuple(reader.unresolved))


@dataclass
class _Reader:
    """Reads one file; ``kept`` is its code with the column where it stands, out of the way of everything else."""

    templates: Mapping[str, str]
    included: Callable[[str], str | None]
    title: str
    is_program: bool
    words: _SiteWords = field(default_factory=lambda: word_lists(_SiteWords))
    kept: list[tuple[str, int]] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)
    tab_names: dict[str, str] = field(default_factory=dict)
    tabs_in_order: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    room: int = MOST_INCLUDED

    def read(self, text: str) -> str:
        """Return the text of the file as its readers see it; the very text where they see nothing else."""
        found = self._with_files(text, DEEPEST)
        for remark in self.words.remarks.values():
            ends = _pattern(remark.becomes)
            found = replace_pairs(found, _pattern(remark.pattern), lambda _, ends=ends: ends, lambda *_: "")
        found = self._with_elements(found)
        found = _CALLOUT.sub(_note_of_callout, found)
        for mark in self.words.marks.values():
            found = _pattern(mark.pattern).sub(mark.becomes, found)
        found = _VARIABLE.sub(lambda m: self._words_of(m[1]), found)
        found = _EXPRESSION.sub(self._value, found) if self.is_program else found
        found = _with_html_read(found)
        return text if self._with_code(found) == text else self._with_code(_BLANKS.sub("\n\n", found))

    # -- code, other files, programs ------------------------------------------------------------------------------

    def _with_files(self, text: str, depth: int) -> str:
        """Return a text with its code put aside, the lines of programs taken out, and other files in their places."""
        text = self._without_blocks_of_code(_OURS.sub("", text))
        if not self.is_program and not any(
            _pattern(one).search(text) for one in self.words.elements if "indented" in one
        ):
            for block in reversed([block for block in parse_blocks(text) if block.kind == "code"]):
                column = block.start - text.rfind("\n", 0, block.start) - 1
                text = text[: block.start] + self._keep(text[block.start : block.end], column) + text[block.end :]
        text = _CODE.sub(self._keep_words, text)
        for program in self.words.programs:
            text = _pattern(program).sub(self._program, text)
        for pattern in self.words.included:
            text = _pattern(pattern).sub(lambda m: self._file(m["path"], depth, m.groupdict().get("args") or ""), text)
        for name, path in tuple(self.files.items()):
            text = re.sub(rf"<{name}(?:\s[^<>]{{0,500}})?/>", lambda m, path=path: self._file(path, depth), text)
        return text

    def _file(self, path: str, depth: int, args: str = "") -> str:
        """Return the text of another file, as it is read here, or else the words that it was given; else list it."""
        path = path.strip().replace("\\", "")
        given = _attributes(args)
        if words := " ".join(given[name] for name in self.words.words if given.get(name)):
            kind = self._kind(PurePosixPath(path).stem.casefold(), "", given, "")
            label = note_label(kind) if kind and kind not in ("tab", "fold", "silent", "left out") else ""
            return f"\n\n{label} {words}\n\n"
        found = self.included(path) if depth and self.room > 0 else None
        if found is None:
            self.unresolved.append(path)
            return ""
        self.room -= len(found)
        return "\n\n" + self._with_files(found[front_matter_end(found) :], depth - 1).strip("\n") + "\n\n"

    def _program(self, found: re.Match[str]) -> str:
        """Take lines of a program out, and remember what a name in them stands for."""
        named = found.groupdict()
        if named.get("name") and named.get("value"):
            self.known[named["name"]] = named["value"].strip()
        elif named.get("name") and (named.get("path") or "").lower().endswith((".md", ".mdx")):
            self.files[named["name"]] = named["path"]
        self.is_program = True
        return ""

    # -- elements -------------------------------------------------------------------------------------------------

    def _with_elements(self, text: str) -> str:
        """Return a text with a sign of ours, in a line of its own, where an element begins or ends."""
        patterns = [_pattern(written) for written in self.words.elements]
        ends = (m for p in patterns if "close" in p.groupindex for m in p.finditer(text) if m["close"])
        self.closed.update(end["name"].casefold() for end in ends if "name" in end.re.groupindex)
        for pattern in patterns:
            text = pattern.sub(self._element, text)
        return outlined(text, self.elements, self.title) if self.elements else text

    # Complex: each dialect says in another way what an element is, what it is called and where it ends.
    def _element(self, found: re.Match[str]) -> str:
        """Return the sign of an element or of its end, and the words of one that is not known."""
        groups, said = found.groupdict(""), found[0].lstrip()
        name, args = (groups.get("name") or groups.get("plain") or "").casefold(), groups.get("args") or ""
        line = "indented" if groups.get("indented") else "link" if groups.get("link") else groups.get("fence", "")
        if found.groupdict().get("close") is not None:
            is_known = line or self._kind(name, line, {}, "") not in ("", "silent")
            return self._sign(found, Element("end", line or name)) if is_known else ""
        is_void = bool(groups.get("void")) or not (line or name in self.closed)
        given = _attributes(args) | {option.casefold(): value for option, value in _OPTION.findall(said)}
        if said[0] == "<" and is_void and not given and not groups["void"]:
            return found[0]  # <VERSION> stands for a word of the reader's
        if name == "tabs":
            self.tab_names |= {value: label for label, value in _TAB_NAMES.findall(args)}
            self.tabs_in_order = [one or two for m in _TABS_IN_ORDER.findall(args) for one, two in _QUOTED.findall(m)]
        others = _ATTRIBUTE.sub(" ", args)
        placed = [one or two for one, two in _QUOTED.findall(others)] or [
            " ".join(others.strip(" \t{}[]|").split()) if said[0] not in "<!?" else ""
        ]
        label = next(filter(None, (groups.get("label"), *map(given.get, self.words.labels), placed[0])), "")
        kind = self._kind(name.removeprefix("callout-"), line, given, placed[0])
        words = ": ".join(given[n] for n in self.words.words if given.get(n))
        if kind in ("tab", "fold"):
            label = self.tab_names.get(label, label) or next(iter(self.tabs_in_order), name)
            self.tabs_in_order[:1] = []
        if kind and (kind != "silent" or line):
            said = (words or placed[0]) if is_void else plain_text(label)
            said = "" if said.casefold() == kind else said
            return self._sign(found, Element(kind, "" if is_void else line or name, said))
        if said[0] in "<{" and is_void and not words and not kind:
            self.unresolved.append(said if len(said) < _LONGEST_NAME else f"{said[:_LONGEST_NAME]}…")
            words = " ".join(given.values()) if said[0] == "<" and self._is_inside(found) else ""
        return words if is_void or not words else f"\n\n**{words}**\n\n"

    def _kind(self, name: str, line: str, given: Mapping[str, str], first: str) -> str:
        """Return what an element is: tab, fold, left out, silent, the kind of a note; empty where it is not known."""
        words = self.words
        if name in words.notes_of_a_kind or name in words.notes:
            named = (*map(given.get, words.kinds), first if name in words.notes_of_a_kind else "", name)
            kinds = (one.casefold().split(" ", 1)[0] for one in named if one)
            return next((one for one in kinds if one in words.notes), "note")
        sets = {"tab": words.tabs, "fold": words.folds, "left out": words.left_out, "silent": words.silent}
        found = next((kind for kind, names in sets.items() if name in names), "silent" if line else "")
        return "tab" if line == "link" or (line == "indented" and not name) else found

    @staticmethod
    def _is_inside(found: re.Match[str]) -> bool:
        """Return whether an element stands in a line with other words."""
        before, after = found.string.rfind("\n", 0, found.start()) + 1, found.string.find("\n", found.end())
        return bool((found.string[before : found.start()] + found.string[found.end() : after]).strip())

    def _sign(self, found: re.Match[str], element: Element) -> str:
        """Return the sign of an element in a line of its own, as far in as the line where it stands."""
        self.elements.append(element)
        line = found.string[found.string.rfind("\n", 0, found.start()) + 1 : found.end()]
        indent = line[: len(line) - len(line.lstrip())]
        return f"\n{indent}\ue120{len(self.elements) - 1}\ue121\n{indent}"

    # -- code and expressions -------------------------------------------------------------------------------------

    def _keep(self, code: str, column: int = 0) -> str:
        self.kept.append((code, column))
        return f"\ue110{len(self.kept) - 1}\ue111"

    def _keep_words(self, found: re.Match[str]) -> str:
        """Put code inside a line aside; what has a role is words: {kbd}`Ctrl`, {ref}`words <target>`."""
        return _TARGET.sub("", found[3]) if found[1] else self._keep(found[0])

    # Complex: a fence is code or a directive, and only the one that opened it says what ends it.
    def _without_blocks_of_code(self, text: str) -> str:
        lines: list[str] = []
        block: list[str] = []
        lead, fence = "", ""
        directives: list[str] = []
        for line in text.split("\n"):
            found = _FENCE.match(line)
            directive = _DIRECTIVE.match(found[3]) if found else None
            if block:
                block.append(line)
                if found and found[2].startswith(fence) and not found[3].strip():
                    lines.append(lead + self._keep("\n".join(block), len(lead.expandtabs(4))))
                    block = []
            elif found and directive and directive[1] not in self.words.code:
                directives.append(found[2])
                lines.append(line)
            elif found and directives and found[2] == directives[-1] and not found[3].strip():
                directives.pop()
                lines.append(line)
            elif found:
                lead, fence = found[1], found[2]
                block = [fence + (found[3][directive.end() :] if directive else found[3])]
            else:
                lines.append(line)
        return "\n".join([*lines, *([lead + self._keep("\n".join(block), len(lead.expandtabs(4)))] if block else [])])

    def _with_code(self, text: str) -> str:
        """Return a text with its code in place again, as far in as the line where it stands now."""

        def put_back(found: re.Match[str]) -> str:
            code, column = self.kept[int(found[1])]
            now = len(text[text.rfind("\n", 0, found.start()) + 1 : found.start()].expandtabs(4))
            if "\n" not in code or now == column:
                return code
            first, *more = code.split("\n")
            return "\n".join(
                [
                    first,
                    *(
                        " " * max(0, now - column) + line[min(max(0, column - now), len(line) - len(line.lstrip())) :]
                        for line in more
                    ),
                ]
            )

        return _PUT_ASIDE.sub(put_back, text)

    def _words_of(self, variable: str) -> str:
        """Return the words of a variable; one that is not known is listed and left out."""
        if variable not in self.templates:
            self.unresolved.append(variable)
        return self.templates.get(variable, "")

    def _value(self, found: re.Match[str]) -> str:
        """Return what an expression of a program says: words in quotes, or the value of a constant."""
        return found[2] if found[1] else self.known.get(found[3]) or self._words_of(found[3])


def _attributes(args: str) -> dict[str, str]:
    return {m[1].casefold(): next(filter(None, m.groups()[1:]), "") for m in _ATTRIBUTE.finditer(args)}


def _note_of_callout(found: re.Match[str]) -> str:
    return f"{found[1]}{note_label(found[2], found[3])} "


def _with_html_read(text: str) -> str:
    """Return a text with its blocks of HTML read as a web page is."""
    out, here = [], 0
    for start, end in html_blocks(text):
        indent = " " * (start - text.rfind("\n", 0, start) - 1)
        page = convert_in_subprocess("html", text[start:end].encode("utf-8", "surrogatepass"))
        out += [
            text[here:start].rstrip(" "),
            "\n",
            *(f"{indent}{line}\n" for line in page.text.strip("\n").split("\n")),
        ]
        here = end
    return "".join([*out, text[here:]])
