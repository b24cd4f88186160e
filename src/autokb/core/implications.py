"""What some values of attributes say of others: iOS leaves phone and tablet."""

from __future__ import annotations

from collections.abc import Mapping

from autokb.core.attributes import ANY, NONE, Attributes, Values
from autokb.core.domain import Attribute


def with_implied_values(attributes: Attributes, configuration: Mapping[str, Attribute]) -> dict[str, Values]:
    """Add the values that the given ones imply: where only one is left for an unknown attribute, step by step."""
    result = dict(attributes)
    while new := {name: values for name, values in implied_values(result, configuration).items() if len(values) == 1}:
        result.update(new)
    return result


def implied_values(attributes: Attributes, configuration: Mapping[str, Attribute]) -> dict[str, Values]:
    """Return the values that an unknown attribute can still have by the given ones: ``iOS`` leaves phone and tablet."""
    found: dict[str, Values] = {}
    for name in sorted(attributes):
        for other, values in _find_implied(name, attributes[name], configuration).items():
            if other not in attributes:
                found[other] = found.get(other, values) & values or found[other]
    return found


def without_left_open(attributes: Attributes, configuration: Mapping[str, Attribute]) -> dict[str, Values]:
    """Return values in their one spelling, without several that are only what the other values leave open.

    Some who label write out what a laptop leaves open (Windows, macOS, Linux), others leave it unknown.
    """
    normal = {name: configuration[name].normal(values) for name, values in attributes.items()}
    for name, values in sorted(normal.items()):
        others = {n: v for n, v in normal.items() if n != name}
        if len(values) > 1 and implied_values(others, configuration).get(name) == values:
            del normal[name]
    return normal


def _find_implied(name: str, values: Values, configuration: Mapping[str, Attribute]) -> dict[str, Values]:
    if name not in configuration or values in (ANY, NONE):
        return {}
    implied = [configuration[name].implies.get(value, {}) for value in sorted(values)]
    shared = set.intersection(*(set(i) for i in implied)) & set(configuration)
    sets = {
        other: configuration[other].normal(frozenset().union(*(i[other] for i in implied))) for other in sorted(shared)
    }
    return {other: found for other, found in sets.items() if found and found != ANY}
