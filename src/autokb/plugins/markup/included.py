"""Other files that AsciiDoc and reStructuredText name to be read in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from posixpath import dirname, join, normpath
from typing import Any

from autokb.core.errors import BadInputError
from autokb.core.yaml_text import parse_yaml
from autokb.sources.decoding import DEEPEST_FILE, MOST_INCLUDED, clean

MOST_FILES = 1_000  # that one text includes; those of large manuals include some dozens
Beside = Callable[[str], str | None]  # the text of the file of a name beside the one that is read, None without one

_ADOC = re.compile(r"include::([^\[\n]{1,500})\[([^\]\n]*)\][ \t]*")
_COMPONENT = "antora.yml"  # in the folder of a component of Antora, above those of its pages
_ATTRIBUTE = re.compile(r":!?([\w-]+)!?:(?:[ \t]+(\S.*))?[ \t]*")
_NAMED = re.compile(r"\{([\w-]+)\}")
_FAMILY = re.compile(r"(?:[\w.-]*:)??(?:([\w.-]*):)?(partial|example|page|attachment)\$/?(.+)")
_OPTION = re.compile(r"(\w+)=(?:\"([^\"]*)\"|([^,]*))")
_TAG = re.compile(r"\b(tag|end)::([\w.-]+)\[\]")
_HEADING = re.compile(r"(={1,6})[ \t]+\S")
_FENCE = re.compile(r"-{4,}|\.{4,}|`{3,}.*")
_RST = re.compile(
    r"^(?P<indent>[ \t]*)\.\. (?P<kind>include|literalinclude)::[ \t]+(?P<path>\S.*?)[ \t]*\n"
    r"(?P<options>(?:(?P=indent)[ \t]+:[\w-]+:.*(?:\n|\Z))*)",
    re.MULTILINE,
)
_RST_OPTION = re.compile(r":([\w-]+):[ \t]*(.*)")
_LITERAL = re.compile(r"^[ \t]*\.\. (?:code(?:-block)?|sourcecode|parsed-literal)::|^(?![ \t]*\.\. ).*::[ \t]*$")
_LONGEST_BLOCK = 2_000  # characters before a line in which the beginning of its block is looked for
_RANGE = re.compile(r"(\d+)(?:(?:\.\.|-)(-1|\d*))?")


class _Files:
    """The files that one text includes: each is read once, and all together are bounded."""

    def __init__(self, beside: Beside) -> None:
        self._beside = beside
        self._read: dict[str, str | None] = {}
        self._room = MOST_INCLUDED

    def take(self, path: str) -> str | None:
        """Return the text of a file; None where it is not there, or too much was included."""
        if path not in self._read:
            found = self._beside(path) if len(self._read) < MOST_FILES else None
            self._read[path] = None if found is None else clean(found)
        text = self._read[path]
        if text is None or len(text) >= self._room:
            return None
        self._room -= len(text) + 1  # an empty one counts, too
        return text


def with_adoc(text: str, beside: Beside) -> str:
    """Return AsciiDoc with the files of ``include::`` in their places; what cannot be read stays a line of it.

    The attributes of a component of Antora stand before its pages.
    """
    files = _Files(beside)
    attributes, fixed = _of_component(files.take(_COMPONENT) or "")
    header, _, body = text.partition("\n\n")
    own = [line for line in header.split("\n") if not ((found := _ATTRIBUTE.fullmatch(line)) and found[1] in fixed)]
    lines = [*(f":{name}: {value}" for name, value in attributes.items()), *own, "", *body.split("\n")]
    return "\n".join(_Adoc(files).read(lines, "", DEEPEST_FILE))


@lru_cache(maxsize=8)
def _of_component(text: str) -> tuple[Mapping[str, str], frozenset[str]]:
    """Return the attributes that a component of Antora gives its pages, and the names that no page sets itself.

    A page may set what has no value here, or one that ends with @.
    """
    try:
        said = parse_yaml(text, _COMPONENT)
    except BadInputError:
        said = None
    component = said if isinstance(said, Mapping) else {}
    title, version = component.get("title", component.get("name")), component.get("version")
    found = {
        "page-component-name": component.get("name"),
        "page-component-title": title,
        "page-component-version": version,
        "page-component-display-version": component.get("display_version", version),
        "page-version": version,
    }
    asciidoc = component.get("asciidoc")
    given = asciidoc.get("attributes") if isinstance(asciidoc, Mapping) else None
    found |= given if isinstance(given, Mapping) else {}
    values = {name: " ".join(str(value).split()) for name, value in found.items() if _is_set(name, value)}
    fixed = frozenset(name for name, value in values.items() if not value.endswith("@"))
    return {name: value.removesuffix("@") for name, value in values.items()}, fixed


def _is_set(name: str, value: Any) -> bool:
    is_name = re.fullmatch(r"[\w-]+", name) is not None
    return is_name and not isinstance(value, Mapping | list) and value not in (None, "false", "false@")


class _Adoc:
    """Reads one file with all that it includes, with the attributes that were set up to each place."""

    def __init__(self, files: _Files) -> None:
        self._files = files
        self._attributes: dict[str, str] = {}

    def read(self, lines: Sequence[str], folder: str, depth: int) -> Iterator[str]:
        """Give the lines of a file that stands in a folder, and of those that it includes."""
        for line in lines:
            if (found := _ATTRIBUTE.fullmatch(line)) and found[2]:
                self._attributes[found[1]] = found[2].strip()
            included = self._file(found, folder) if depth and (found := _ADOC.fullmatch(line)) else None
            if included is None:
                yield line
            else:
                yield from self.read(*included, depth - 1)

    def _file(self, found: re.Match[str], folder: str) -> tuple[list[str], str] | None:
        """Return the lines of the file that one names, and its folder; None where it is not there, or too much."""
        target = _NAMED.sub(lambda m: self._attributes.get(m[1], m[0]), found[1])
        family = _FAMILY.fullmatch(target)
        path = join(family[1] or "", f"{family[2]}s", family[3]) if family else normpath(join(folder, target))
        if (text := self._files.take(path)) is None:
            return None
        options = {name: quoted or plain for name, quoted, plain in _OPTION.findall(found[2])}
        lines = list(_tagged(text.split("\n"), options.get("tag") or options.get("tags", "")))
        if "lines" in options:
            lines = _numbered(lines, options["lines"])
        return _deeper(lines, int(_number(options.get("leveloffset", "")))), dirname(path)


def _number(text: str) -> str:
    return text if re.fullmatch(r"[+-]?[0-6]", text) else "0"


def _tagged(lines: Sequence[str], wanted: str) -> Iterator[str]:
    """Give the lines between the marks of the tags that are wanted, all where none or any is; no mark is a line."""
    names = {name for name in re.split("[,;]", wanted) if name and name[0] != "!"}
    is_all = not names or bool(names & {"*", "**"})
    open_tags: list[str] = []
    for line in lines:
        if found := _TAG.search(line):
            if found[1] == "tag":
                open_tags.append(found[2])
            elif found[2] in open_tags:
                open_tags.remove(found[2])
        elif is_all or names.intersection(open_tags):
            yield line


def _numbered(lines: Sequence[str], ranges: str) -> list[str]:
    """Return lines by their numbers from 1: ``2..5;7`` and ``2-5,7``; an end of -1, or none, is the last line."""
    found: list[str] = []
    for first, last in _RANGE.findall(ranges):
        has_end = any(f"{first}{sign}" in ranges for sign in ("..", "-"))
        end = (len(lines) if last in ("", "-1") else int(last)) if has_end else int(first)
        found += lines[max(0, int(first) - 1) : end]
    return found


def _deeper(lines: Sequence[str], levels: int) -> list[str]:
    """Return lines whose headings are so many levels deeper."""
    found, fence = [], ""
    for line in lines:
        if _FENCE.fullmatch(line):
            fence = "" if line == fence else fence or line
        if levels and not fence and (heading := _HEADING.match(line)):
            line = "=" * max(1, len(heading[1]) + levels) + line[len(heading[1]) :]
        found.append(line)
    return found


def with_rst(text: str, beside: Beside) -> str:
    """Return reStructuredText with the files of ``include`` and ``literalinclude`` in their places.

    What cannot be read stays a directive.
    """
    files = _Files(beside)

    def file(found: re.Match[str], depth: int) -> str:
        is_shown = _is_in_literal(found.string, found.start(), len(found["indent"]))
        written = files.take(found["path"]) if depth and not is_shown else None
        if written is None:
            return found[0]
        options = dict(_RST_OPTION.findall(found["options"]))
        lines = _between(written.split("\n"), options)
        if found["kind"] == "include" and not {"literal", "code"} & set(options):
            part = "\n".join(lines)
            read = _RST.sub(lambda m: file(m, depth - 1), part).split("\n")
            return "\n".join(f"{found['indent']}{line}".rstrip() for line in ("", *read, "", ""))
        language = options.get("language") or options.get("code", "")
        head = f"{found['indent']}.. code-block:: {language}".rstrip()
        return "\n".join((head, "", *(f"{found['indent']}   {line}".rstrip() for line in lines), "", ""))

    return _RST.sub(lambda m: file(m, DEEPEST_FILE), f"{text}\n")


def _is_in_literal(text: str, start: int, indent: int) -> bool:
    """Return whether a line stands in a block of code: the nearest line above that is set in less begins one."""
    above = text[max(0, start - _LONGEST_BLOCK) : start].split("\n")[:-1] if indent else []
    outer = (one for one in reversed(above) if one.strip() and len(one) - len(one.lstrip()) < indent)
    return _LITERAL.search(next(outer, "")) is not None


def _between(lines: list[str], options: Mapping[str, str]) -> list[str]:
    """Return the lines that the options of a directive choose."""
    if "lines" in options:
        return _numbered(lines, options["lines"])
    first = (
        _index(lines, options, "start-after", 1)
        or _index(lines, options, "start-at", 0)
        or _given(options, "start-line")
    )
    behind = lines[first or 0 :]
    end = _index(behind, options, "end-before", 0)
    end = _index(behind, options, "end-at", 1) if end is None else end
    if end is None and (last := _given(options, "end-line")) is not None:
        end = max(0, (last if last >= 0 else len(lines) + last) - (first or 0))
    return behind[:end]


def _index(lines: Sequence[str], options: Mapping[str, str], name: str, plus: int) -> int | None:
    words = options.get(name)
    return next((n + plus for n, line in enumerate(lines) if words and words in line), None)


def _given(options: Mapping[str, str], name: str) -> int | None:
    return int(options[name]) if re.fullmatch(r"-?\d{1,9}", options.get(name, "")) else None
