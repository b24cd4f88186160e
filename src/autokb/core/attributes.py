"""Attribute values are sets; comparing a node with a query follows decision 2 of the design."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache

Values = frozenset[str]
Attributes = Mapping[str, Values]
PLAIN_NAMES = {"os": "operating system", "sex": "sex", "app": "app"}
ANY: Values = frozenset({"Any"})
NONE: Values = frozenset({"NONE"})


class Match(StrEnum):
    """How a node relates to a query."""

    EXACT = "exact"
    BROADER = "broader"
    NARROWER = "narrower"
    OVERLAP = "overlap"
    CONFLICT = "conflict"


def compare_values(node: Values, query: Values | None) -> Match:
    """Compare one attribute of a node with the query's; ``None`` means the query leaves it unknown."""
    if query is None:
        return Match.EXACT if node == ANY else Match.NARROWER
    if node == query:
        return Match.EXACT
    if node == ANY:
        return Match.BROADER
    if query == ANY:
        return Match.NARROWER
    if not node & query:
        return Match.CONFLICT
    if node > query:
        return Match.BROADER
    if node < query:
        return Match.NARROWER
    return Match.OVERLAP


def compare(node: Attributes, query: Attributes, names: Iterable[str]) -> Match:
    """Compare a node with a query over all attributes of the configuration."""
    found = {compare_values(node.get(name, ANY), query.get(name)) for name in names}
    if Match.CONFLICT in found:
        return Match.CONFLICT
    found.discard(Match.EXACT)
    if not found:
        return Match.EXACT
    return found.pop() if len(found) == 1 else Match.OVERLAP


def plain_name(attribute: str) -> str:
    """Say an attribute's name as a person would: ``secondary_device`` is the secondary device."""
    return PLAIN_NAMES.get(attribute.casefold(), attribute.replace("_", " ").replace("-", " ").strip())


def fixed_values(attributes: Attributes) -> dict[str, Values]:
    """Return what attributes say, without those for which anything holds or that are not there."""
    return {name: values for name, values in attributes.items() if values not in (ANY, NONE)}


def in_words(attributes: Attributes) -> str:
    """Say attributes in one line, without those for which anything holds: ``operating system Windows; app Lumo``."""
    said = ((name, values) for name, values in sorted(attributes.items()) if values != ANY)
    return "; ".join(f"{plain_name(name)} {', '.join(sorted(values))}" for name, values in said)


def as_lists(attributes: Attributes) -> dict[str, list[str]]:
    """Return the JSON shape: name to sorted list of values."""
    return {name: list(_in_order(values)) for name, values in sorted(attributes.items())}


@lru_cache(maxsize=4096)  # a domain has few sets of values, and they are written thousands of times
def _in_order(values: Values) -> tuple[str, ...]:
    return tuple(sorted(values))


def from_lists(lists: Mapping[str, Iterable[str]]) -> dict[str, Values]:
    """Read the JSON shape back."""
    return {name: frozenset(values) for name, values in lists.items()}
