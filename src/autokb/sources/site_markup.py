"""Markdown of documentation sites as plain Markdown: what their generators read becomes what their readers see.

The names of elements and the patterns are in the word lists (``site_markup.yaml``). Tabs and folds become sections
under their label, notes begin with their kind, marks go and what stands between them stays. Other text is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath
from typing import ClassVar

from autokb.sources.decoding import DEEPEST_FILE, MOST_INCLUDED, clean
from autokb.sources.page import ConvertedFile, first_heading
from autokb.sources.site_outline import BEHIND_CODE, Element, note_label, outlined, sign_of
from autokb.sources.subprocess_converter import convert_in_subprocess
from autokb.sources.wiki import replace_pairs
from autokb.text.front_matter import split_front_matter
from autokb.text.lexicons import AsWritten, WordLists, word_lists
from autokb.text.markdown import front_matter_end, html_blocks, parse_blocks
from autokb.text.plain_text import plain_text

_LONGEST_NAME = 60  # characters of what is listed as left out
# What could be markup stands in code as private characters until all else is done.
_IN_CODE = {ord(sign): 0x10F000 + ord(sign) for sign in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"}
_AGAIN = {private: sign for sign, private in _IN_CODE.items()} | {ord(BEHIND_CODE): None}
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(?:\{([\w:.-]+)\})?([^`\n]*)$")
_CODE = re.compile(r"(?<!`)(`{1,4})(?!`)[^\n]{1,1000}?(?<!`)\1(?!`)")
_ROLE = re.compile(r"\{[a-z][\w:+.-]{0,40}\}`([^`<\n]{1,500}?)[ \t]?(?:<[^<>`\n]{1,500}>)?`")  # {ref}`words <target>`
_ATTRIBUTE = re.compile(
    r"([\w:.-]+)[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)'|\{[ \t]*[\"'`]([^\"'`]*)[\"'`][ \t]*\}|([^\s\"'{}<>]+))"
)
_OPTION = re.compile(r"^[ \t]*:([\w-]+):[ \t]*([^\n]*)$", re.MULTILINE)
_QUOTED = re.compile(r"[\"']([^\"'\n]*)[\"']")
_TAB_NAMES = re.compile(r"label[\"']?\s*:\s*[\"']([^\"'\n]+)[\"']\s*,\s*[\"']?value[\"']?\s*:\s*[\"']([^\"'\n]+)[\"']")
_TABS_IN_ORDER = re.compile(r"items=\{\[([^\]]*)\]\}")
_VARIABLE = re.compile(r"\{\{-?[ \t]*([^{}\n<>%#]{1,300}?)[ \t]*-?\}\}")
_EXPRESSION = re.compile(r"(?<![\\{$])\{[ \t]*(?:([\"'`])([^\"'`{}\n]{0,500})\1|([\w.]{1,100}))[ \t]*\}(?!\})")
_CALLOUT = re.compile(
    r"^((?:[ \t]*>)+[ \t]*)\[!([A-Za-z][\w-]{0,30})\][+-]?[ \t]*([^\n]*)$"
    r"(?:\n(?:[ \t]*>)+[ \t]*(?=[^\s>|#*+`~\d-]))?",
    re.MULTILINE,
)
_BLANKS = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


@dataclass(frozen=True, slots=True)
class _Replaced:
    pattern: AsWritten
    becomes: AsWritten


@dataclass(frozen=True, slots=True)
class _SiteWords(WordLists):
    """The YAML file says what each is for."""

    file: ClassVar[str] = "site_markup"

    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    patterns: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    remarks: Mapping[str, _Replaced] = field(default_factory=dict)
    marks: Mapping[str, _Replaced] = field(default_factory=dict)


@cache
def _pattern(written: str) -> re.Pattern[str]:
    return re.compile(written, re.MULTILINE | (re.IGNORECASE if "include" in written else 0))


def site_page(
    text: str, name: str, templates: Mapping[str, str], included: Callable[[str], str | None]
) -> ConvertedFile:
    """Return a Markdown file as its readers see it, and the variables, components and files that are not known.

    ``templates`` has the words of variables; ``included`` gives the text of another file, None for one that cannot be
    read.
    """
    front, body = split_front_matter(clean(text))
    title = first_heading(front + body)
    reader = _SiteReader(templates, included, is_program=name.lower().endswith(".mdx"))
    read = reader.read(body, title or PurePosixPath(name).stem)
    if read != body or front not in text:
        text = front.rstrip("\n") + "\n" * 2 * bool(front) + read.strip("\n") + "\n"
    return ConvertedFile(text, title or first_heading(text), unresolved=tuple(reader.unresolved))


@dataclass
class _SiteReader:
    """Reads one file; ``known`` are constants of a program, ``files`` what it names other files by."""

    templates: Mapping[str, str]
    included: Callable[[str], str | None]
    is_program: bool
    words: _SiteWords = field(default_factory=lambda: word_lists(_SiteWords))
    unresolved: list[str] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)  # names of elements that have an end somewhere
    tab_names: dict[str, str] = field(default_factory=dict)  # by the value that stands for each
    tabs_in_order: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    room: int = MOST_INCLUDED

    def read(self, text: str, title: str) -> str:
        """Return the text of the file as its readers see it; the very text where they see nothing else."""
        found = self._with_files(text, DEEPEST_FILE)
        for remark in self.words.remarks.values():
            found = _without_remarks(found, _pattern(remark.pattern), _pattern(remark.becomes))
        found = self._with_signs(found)
        found = outlined(found, self.elements, title) if self.elements else found
        found = _CALLOUT.sub(lambda m: f"{m[1]}{note_label(m[2], m[3])} ", found)
        for mark in self.words.marks.values():
            found = _pattern(mark.pattern).sub(mark.becomes, found)
        found = _VARIABLE.sub(lambda m: self._words_of(m[1]), found)
        if self.is_program:
            found = _EXPRESSION.sub(lambda m: m[2] or self.known.get(m[3]) or self._words_of(m[3]), found)
        found = _with_html_read(found)
        is_as_it_was = found.translate(_AGAIN) == text
        return text if is_as_it_was else _BLANKS.sub("\n\n", found).translate(_AGAIN)

    def _words_of(self, variable: str | None) -> str:
        """Return the words of a variable; one that is not known is listed and left out."""
        if variable and variable not in self.templates:
            self.unresolved.append(variable)
        return self.templates.get(variable or "", "")

    # -- code, other files, programs ------------------------------------------------------------------------------

    def _with_files(self, text: str, depth: int) -> str:
        """Return a text with its code out of the way, without lines of programs, and with the text of other files."""
        lines = text.split("\n")
        is_code = _lines_of_code(lines, self.words.names["code"])
        lines = [line.translate(_IN_CODE) + BEHIND_CODE if c else line for line, c in zip(lines, is_code, strict=True)]
        text = self._without_indented_code("\n".join(lines))
        text = _CODE.sub(lambda m: m[0].translate(_IN_CODE), _ROLE.sub(r"\1", text))
        for program in self.words.patterns["programs"]:
            text = _pattern(program).sub(self._program, text)
        for pattern in self.words.patterns["included"]:
            text = _pattern(pattern).sub(lambda m: self._file(m["path"], depth), text)
        for name, path in tuple(self.files.items()):
            parts = re.split(rf"<{name}(?:\s[^<>]{{0,500}})?/>", text)
            text = self._file(path, depth).join(parts) if len(parts) > 1 else text
        return text

    def _without_indented_code(self, text: str) -> str:
        """Return a text in which code that is only set in has no markup; some dialects set in what is in a note."""
        indented = (one for one in self.words.patterns["elements"] if "<indented>" in one)
        if self.is_program or any(_pattern(one).search(text) for one in indented):
            return text
        for block in reversed(parse_blocks(text)):
            if block.kind == "code" and text[block.start] not in "`~":
                code = text[block.start : block.end].translate(_IN_CODE).replace("\n", f"{BEHIND_CODE}\n")
                text = text[: block.start] + code + text[block.end :]
        return text

    def _file(self, path: str, depth: int) -> str:
        """Return the text of another file as it is read here; one that cannot be read is listed."""
        path = path.strip().replace("\\", "")
        found = self.included(path) if depth and self.room > 0 else None
        if found is None:
            self.unresolved.append(path)
            return ""
        self.room -= len(found)
        return f"\n\n{self._with_files(found[front_matter_end(found) :], depth - 1).strip()}\n\n"

    def _program(self, found: re.Match[str]) -> str:
        """Take lines of a program out, and remember what a name in them stands for."""
        named = found.groupdict("")
        if named.get("name") and named.get("value"):
            self.known[named["name"]] = named["value"].strip()
        elif named.get("name") and named.get("path", "").lower().endswith((".md", ".mdx")):
            self.files[named["name"]] = named["path"]
        self.is_program = True
        return ""

    # -- elements -------------------------------------------------------------------------------------------------

    def _with_signs(self, text: str) -> str:
        """Return a text with a sign, in a line of its own, where an element begins or ends."""
        patterns = [_pattern(written) for written in self.words.patterns["elements"]]
        ends = (
            m for pattern in patterns if "close" in pattern.groupindex for m in pattern.finditer(text) if m["close"]
        )
        self.ended.update(end["name"].casefold() for end in ends)
        for pattern in patterns:
            text = pattern.sub(self._element, text)
        return text

    # Complex: each dialect says in another way what an element is called and where it ends.
    def _element(self, found: re.Match[str]) -> str:
        """Return the sign of an element or of its end; of one that is not known the words that its readers see."""
        groups = found.groupdict("")
        name = (groups.get("name") or groups.get("plain", "")).casefold().removeprefix("callout-")
        line = next((one for one in ("indented", "link") if groups.get(one)), groups.get("fence", ""))
        given = _attributes(groups.get("args", ""), found[0].lstrip())
        kind = self._kind(name, line, given)
        is_known = bool(line) or kind not in ("", "silent")
        if found.groupdict().get("close") is not None:
            return sign_of(found, self.elements, Element("end", line or name)) if is_known else ""
        if groups.get("void") or not (line or name in self.ended):
            return self._without_end(found, kind, given)
        label = self._label(name, kind, given, groups)
        if is_known:
            return sign_of(found, self.elements, Element(kind, line or name, label))
        return f"\n\n**{words}**\n\n" if not kind and (words := self._words_in(given)) else ""

    def _without_end(self, found: re.Match[str], kind: str, given: Mapping[str, str]) -> str:
        """Return what stands for an element that holds nothing: its words; without any it is listed."""
        said, words = found[0].lstrip(), self._words_in(given)
        if said[0] == "<" and not given and not found["void"]:
            return found[0]  # <VERSION> stands for a word of the reader's
        if kind not in ("", "silent") and (words or said.startswith("{:")):
            return sign_of(found, self.elements, Element(kind, "", words))
        if said[0] in "<{" and not words and kind != "silent":
            self.unresolved.append(said if len(said) < _LONGEST_NAME else f"{said[:_LONGEST_NAME]}…")
        return words

    def _words_in(self, given: Mapping[str, str]) -> str:
        return " ".join(given[name] for name in self.words.attributes["words"] if given.get(name))

    # Complex: what a note is may be said by its name, an attribute or the first word.
    def _kind(self, name: str, line: str, given: Mapping[str, str]) -> str:
        """Return what an element is: tab, fold, left out, silent, the kind of a note; empty where it is not known."""
        if line == "link" or (line == "indented" and not name):
            return "tab"
        names = self.words.names
        found = next((kind for kind, some in names.items() if name in some), "silent" if line else "")
        if not found.startswith("note"):
            return found
        said = [*self.words.attributes["kind"], *([""] if found != "note" else [])]
        kinds = (re.split(r"[ .]", one.casefold())[0] for one in (*(given.get(one, "") for one in said), name))
        return next((one for one in kinds if one in names["note"]), "note")

    def _label(self, name: str, kind: str, given: Mapping[str, str], groups: Mapping[str, str]) -> str:
        """Return what an element is called; the names of tabs may stand in the element around them."""
        if name == "tabs":
            self.tab_names |= {value: label for label, value in _TAB_NAMES.findall(groups["args"])}
            self.tabs_in_order = [one for m in _TABS_IN_ORDER.findall(groups["args"]) for one in _QUOTED.findall(m)]
        label = groups.get("label") or next(filter(None, map(given.get, (*self.words.attributes["label"], ""))), "")
        label = self.tab_names.get(label, plain_text(label))
        if kind in ("tab", "fold"):
            label = label or next(iter(self.tabs_in_order), name)
            del self.tabs_in_order[:1]
        return "" if label.casefold() == kind else label


# Complex: a fence may be that of a directive, and only the one that opened it says what ends it.
def _lines_of_code(lines: Sequence[str], code: frozenset[str]) -> Iterator[bool]:
    """Tell of each line whether it belongs to a fenced block of code; ``code`` are directives that are code."""
    fence = ""
    directives: list[str] = []
    for line in lines:
        marks, name, rest = found.groups("") if (found := _FENCE.match(line)) else ("", "", "")
        is_bare = bool(marks) and not name and not rest.strip()
        is_code = bool(fence)
        if fence:
            fence = "" if is_bare and marks.startswith(fence) else fence
        elif name and name not in code:
            directives.append(marks)
        elif is_bare and directives[-1:] == [marks]:
            directives.pop()
        else:
            fence = marks
        yield is_code or bool(fence)


def _attributes(args: str, said: str) -> dict[str, str]:
    """Return what an element was given by name; under no name what it was given by place."""
    found = {m[1].casefold(): next(filter(None, m.groups()[1:]), "") for m in _ATTRIBUTE.finditer(args)}
    found |= {option.casefold(): value for option, value in _OPTION.findall(said)}
    others = _ATTRIBUTE.sub(" ", args)
    quoted = _QUOTED.search(others)
    bare = " ".join(others.strip(" \t{}[]|").split()) if said[0] not in "<!?" else ""
    return found | ({"": quoted[1] if quoted else bare} if quoted or bare else {})


def _without_remarks(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    return replace_pairs(text, opening, lambda _: closing, lambda _, remark: "")


def _with_html_read(text: str) -> str:
    """Return a text with its blocks of HTML read as a web page is."""
    parts, here = [], 0
    for start, end in html_blocks(text):
        indent = " " * (start - text.rfind("\n", 0, start) - 1)
        page = convert_in_subprocess("html", text[start:end].encode("utf-8", "surrogatepass")).text.strip("\n")
        parts += [text[here:start].rstrip(" "), "\n", *(f"{indent}{line}\n" for line in page.split("\n"))]
        here = end
    return "".join([*parts, text[here:]])
