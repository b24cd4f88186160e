"""A node that needs solutions, the excerpts found for it, and solutions whose every step has its quote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from autokb.core.attributes import Attributes
from autokb.core.domain import ENGLISH, Attribute
from autokb.core.ids import only_if_other_than, outside_key, short_id
from autokb.core.reply import LeftOut, Reply
from autokb.text.conditional_markup import Conditional


def section_id(document: str, headings: Sequence[str], which: int) -> str:
    """Return the id of what a document says under some headings; ``which`` counts those under the same ones."""
    return short_id("passage", document, *headings, str(which))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Part of a document around what was found in it; every place is counted from the excerpt's own start.

    ``headings`` stand above the excerpt, ``switches`` are those that touch it, ``windows`` are (start, end, cosine to
    the issue); ``offset`` is where the excerpt begins in the document.
    """

    document: str
    title: str
    headings: tuple[str, ...]
    text: str
    switches: tuple[Conditional, ...] = ()
    windows: tuple[tuple[int, int, float], ...] = ()
    offset: int = outside_key(0)


@dataclass(frozen=True, slots=True)
class WriteSolutions:
    """A node, what its domain says, and the excerpts found for it, best first.

    Nodes of one ``tree`` can share a request to a model. Without ``with_attributes`` a model is not asked for whom a
    solution holds; with a ``scratchpad`` it reasons in its reply before it answers.
    """

    issue: str
    attributes: Attributes
    domain: str
    configuration: Mapping[str, Attribute]
    rules: tuple[str, ...]
    excerpts: tuple[Excerpt, ...]
    language: str = only_if_other_than(ENGLISH)
    tree: str = outside_key("")
    with_attributes: bool = outside_key(True)
    scratchpad: bool = outside_key(False)


class Step(Reply):
    """One step; ``quote`` is exactly ``text[start:end]`` of its ``excerpt``, by default the solution's own."""

    text: str
    start: int
    end: int
    quote: str
    excerpt: int | None = None


class WrittenSolution(Reply):
    """One solution, named after its first excerpt; ``which`` counts those under the same headings.

    ``repaired``: steps that did not pass a check are left out. ``withheld``: what is left must not be shown, and may be
    nothing. Both say why in ``reason``.
    """

    excerpt: int
    title: str
    headings: tuple[str, ...]
    which: int
    steps: tuple[Step, ...]
    attributes: dict[str, list[str]]
    similarity: float
    status: Literal["displayed", "repaired", "withheld"] = "displayed"
    reason: str = ""

    def excerpt_of(self, step: Step) -> int:
        """Return which excerpt a step comes from."""
        return self.excerpt if step.excerpt is None else step.excerpt


class WrittenSolutions(Reply):
    """The solutions, best first, none where nothing fits; and what of a model's reply is not used."""

    solutions: tuple[WrittenSolution, ...]
    left_out: tuple[LeftOut, ...] = ()
