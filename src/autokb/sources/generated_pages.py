"""What stands beside pages: copies, indices and search pages that documentation tools write, and parts of pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import ClassVar

from autokb.core.nouns import Skipped
from autokb.sources.files import FoundFile
from autokb.text.lexicons import AsWritten, WordLists, word_lists

_REASONS = {
    "copies": "is a copy of a page, or its source, that a documentation tool wrote; left out",
    "indices": "is an index that a documentation tool made of the pages; left out",
    "searches": "belongs to the search that a documentation tool added to the pages; left out",
    "parts": "is a part that pages include, and is read in each of them; left out",
    "assets": "belongs to how a documentation tool shows the pages; left out",
}


@dataclass(frozen=True, slots=True)
class _Tool:
    """Patterns of paths below the folder of a site; the YAML file says what each is for."""

    marks: tuple[AsWritten, ...]
    copies: tuple[AsWritten, ...] = ()
    indices: tuple[AsWritten, ...] = ()
    searches: tuple[AsWritten, ...] = ()
    parts: tuple[AsWritten, ...] = ()
    assets: tuple[AsWritten, ...] = ()


@dataclass(frozen=True, slots=True)
class _GeneratedPages(WordLists):
    file: ClassVar[str] = "generated_pages"

    tools: Mapping[str, _Tool] = field(default_factory=dict)


def without_generated(files: Sequence[FoundFile]) -> tuple[list[FoundFile], list[Skipped]]:
    """Return the files that people wrote, and what a documentation tool wrote beside them: one reason a pattern.

    A page that is given without the site it belongs to stays: a person named it.
    """
    sites = [(site, tool) for tool in word_lists(_GeneratedPages).tools.values() for site in _sites(files, tool)]
    kept: list[FoundFile] = []
    left: dict[tuple[str, str], list[str]] = {}
    for file in files:
        found = next((why for site, tool in sites if (why := _pattern_of(file, site, tool))), None)
        if found is None:
            kept.append(file)
        else:
            left.setdefault(found, []).append(file.relative)
    return kept, [
        Skipped(some[0], f"{_REASONS[kind]}{f' (as are {len(some) - 1} more like it)' if len(some) > 1 else ''}.")
        for (kind, _), some in left.items()
    ]


def _sites(files: Iterable[FoundFile], tool: _Tool) -> set[FoundFile]:
    """Return the folders of sites that the tool wrote, by its marks in them."""
    found = set()
    for file in files:
        path = PurePosixPath(file.relative)
        for mark in tool.marks:
            depth = mark.count("/") + 1
            if fnmatchcase("/".join(path.parts[-depth:]), mark):
                found.add(FoundFile(file.root, str(path.parents[depth - 1])))
    return found


def _pattern_of(file: FoundFile, site: FoundFile, tool: _Tool) -> tuple[str, str] | None:
    """Return why a file of a site is left out, and the pattern that says so; None where it is a page of people."""
    path = PurePosixPath(file.relative)
    if file.root != site.root or not path.is_relative_to(site.relative):
        return None
    below = path.relative_to(site.relative).as_posix()
    patterns = ((kind, one) for kind in _REASONS for one in getattr(tool, kind))
    return next(((kind, one) for kind, one in patterns if fnmatchcase(below, one)), None)
