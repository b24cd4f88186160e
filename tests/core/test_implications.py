"""Values of attributes settle others, or leave some of their values."""

from __future__ import annotations

import pytest

from autokb.core.attributes import Attributes, as_lists
from autokb.core.domain import read_domain
from autokb.core.implications import implied_values, with_implied_values

SPEC = read_domain(
    {
        "attributes": {
            "device": {"values": ["Laptop", "Phone", "Tablet"]},
            "os": {
                "values": ["Android", "iOS", "Windows", "Mac", "Other"],
                "implies": {"iOS": {"device": ["Phone", "Tablet"]}, "Mac": {"device": ["Laptop"]}},
            },
        }
    }
)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"os": ["Mac"]}, {"os": ["Mac"], "device": ["Laptop"]}),
        ({"os": ["iOS"]}, {"os": ["iOS"]}),
        ({"os": ["iOS"], "device": ["Laptop"]}, {"os": ["iOS"], "device": ["Laptop"]}),
        ({"os": ["Mac", "iOS"]}, {"os": ["Mac", "iOS"]}),
        ({"os": ["Mac", "Windows"]}, {"os": ["Mac", "Windows"]}),
        ({"os": ["Any"]}, {"os": ["Any"]}),
    ],
)
def test_values_settle_others(attributes: dict[str, list[str]], expected: dict[str, list[str]]) -> None:
    given: Attributes = {name: frozenset(values) for name, values in attributes.items()}
    assert with_implied_values(given, SPEC.attributes) == {name: frozenset(values) for name, values in expected.items()}


def test_what_a_value_leaves_open_is_a_set() -> None:
    assert as_lists(implied_values({"os": frozenset({"iOS"})}, SPEC.attributes)) == {"device": ["Phone", "Tablet"]}
    assert implied_values({"os": frozenset({"iOS"}), "device": frozenset({"Laptop"})}, SPEC.attributes) == {}
    assert implied_values({"os": frozenset({"Windows"})}, SPEC.attributes) == {}


def test_values_settle_others_through_others() -> None:
    spec = read_domain(
        {
            "attributes": {
                "model": {"values": ["X1", "Y"], "implies": {"X1": {"maker": ["Acme"]}}},
                "maker": {"values": ["Acme", "Bolt"], "implies": {"Acme": {"country": ["France"]}}},
                "country": {"values": ["France", "US"]},
            }
        }
    )
    found = with_implied_values({"model": frozenset({"X1"})}, spec.attributes)
    assert as_lists(found) == {"country": ["France"], "maker": ["Acme"], "model": ["X1"]}
