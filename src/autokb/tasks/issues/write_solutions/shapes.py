"""What the room is asked and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autokb.knowledge.attributes import Attributes
from autokb.knowledge.domain import Attribute
from autokb.knowledge.switches import Switch
from autokb.tasks.room import Reply, outside_key


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Part of a document around what was found in it; every place is counted from the excerpt's own start.

    ``headings`` stand above the excerpt, ``switches`` are those that touch it, ``windows`` are (start, end, cosine to
    the issue); ``lift`` is what speaks for the document beside its words, in cosine; ``offset`` is where the excerpt
    begins in the document.
    """

    document: str
    title: str
    headings: tuple[str, ...]
    text: str
    switches: tuple[Switch, ...] = ()
    windows: tuple[tuple[int, int, float], ...] = ()
    lift: float = 0.0
    offset: int = outside_key(0)


@dataclass(frozen=True, slots=True)
class WriteSolutions:
    """A node, what its domain says, and the excerpts found for it, best first."""

    issue: str
    attributes: Attributes
    domain: str
    configuration: Mapping[str, Attribute]
    rules: tuple[str, ...]
    excerpts: tuple[Excerpt, ...]


class Step(Reply):
    """One step; ``quote`` is exactly ``text[start:end]`` of the excerpt."""

    text: str
    start: int
    end: int
    quote: str


class Written(Reply):
    """One solution out of one excerpt; ``which`` counts those under the same headings."""

    excerpt: int
    title: str
    headings: tuple[str, ...]
    which: int
    steps: tuple[Step, ...]
    attributes: dict[str, list[str]]
    similarity: float


class WrittenSolutions(Reply):
    """The solutions, best first; none where nothing fits."""

    solutions: tuple[Written, ...]
