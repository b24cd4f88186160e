"""The passages of a request, each page once, and which of their numbered places each of its nodes was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autokb.heuristics.solutions.solution import Excerpt, WriteSolutions
from autokb.tasks.places import StepPlace, find_places


def passage_key(excerpt: Excerpt) -> tuple[str, int, str]:
    """Return what makes two excerpts of different nodes the same passage."""
    return excerpt.document, excerpt.offset, excerpt.text


def read_apart(items: Sequence[WriteSolutions]) -> bool:
    """Return whether nodes of several trees were given other passages than each other."""
    return len({tuple(map(passage_key, item.excerpts)) for item in items}) > 1


def passages_of(items: Sequence[WriteSolutions]) -> list[Excerpt]:
    """Return the passages of all nodes, each once; a request numbers their places in this order, from 1.

    Where trees were given parts of a document that overlap, these are one passage.
    """
    found: dict[tuple[str, int, str], Excerpt] = {}
    for item in items:
        for excerpt in item.excerpts:
            found.setdefault(passage_key(excerpt), excerpt)
    if not read_apart(items):
        return list(found.values())
    joined: list[Excerpt] = []
    for excerpt in found.values():
        rest: list[Excerpt] = []
        place = len(joined)
        for n, other in enumerate(joined):
            if (both := _joined(other, excerpt, items[0].language)) is None:
                rest.append(other)
            else:
                excerpt, place = both, min(place, n)
        joined = [*rest[:place], excerpt, *rest[place:]]
    return joined


def numbered_places(items: Sequence[WriteSolutions]) -> dict[int, StepPlace]:
    """Return the places of a request's passages by their numbers."""
    return dict(enumerate(find_places(passages_of(items), items[0].language), 1))


def own_places(item: WriteSolutions, numbered: Mapping[int, StepPlace]) -> dict[int, StepPlace]:
    """Return those of a request's places that one of its nodes was given, as they stand in the node's own excerpts."""
    passages = {passage_key(excerpt): excerpt for excerpt in reversed(item.excerpts)}
    lines = {_line(place): place for place in find_places(item.excerpts, item.language)}
    found = {}
    for number, place in numbered.items():
        if same := passages.get(passage_key(place.excerpt)):
            found[number] = StepPlace(same, place.span)
        elif line := lines.get(_line(place)):
            found[number] = line
    return found


def as_ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as a prompt names them: 1-12, 30, 44-46."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    return ", ".join("-".join(map(str, one)) for one in ranges)


def _joined(one: Excerpt, other: Excerpt, language: str) -> Excerpt | None:
    """Return two parts of a document that overlap as one; None where a line of theirs would be none any more."""
    first, second = sorted((one, other), key=lambda e: e.offset)
    start = second.offset - first.offset
    if first.document != second.document or start >= len(first.text):
        return None
    text = first.text[:start] + second.text + first.text[start + len(second.text) :]
    both = replace(first, text=text, switches=(), windows=())
    parts = {_line(place) for part in (first, second) for place in find_places([part], language)}
    return both if parts.issubset(map(_line, find_places([both], language))) else None


def _line(place: StepPlace) -> tuple[str, int, int]:
    """Return where a place stands in its document."""
    at = place.excerpt.offset
    return place.excerpt.document, at + place.span[0], at + place.span[1]
