"""Decision 2 of the design as a table: one attribute at a time, then the node as a whole."""

from __future__ import annotations

import pytest

from autokb.core.attributes import ANY, NONE, Match, Values, as_lists, compare, compare_values, from_lists

PHONE, LAPTOP, TABLET = (frozenset({value}) for value in ("Phone", "Laptop", "Tablet"))
TWO = PHONE | LAPTOP

ONE_ATTRIBUTE: list[tuple[Values, Values | None, str]] = [
    # node, query (None: unknown), outcome
    (PHONE, LAPTOP, "conflict"),
    (TWO, TABLET, "conflict"),
    (PHONE, NONE, "conflict"),
    (NONE, PHONE, "conflict"),
    (PHONE, PHONE, "exact"),
    (TWO, LAPTOP | PHONE, "exact"),
    (ANY, ANY, "exact"),
    (NONE, NONE, "exact"),
    (ANY, PHONE, "broader"),
    (ANY, TWO, "broader"),
    (ANY, NONE, "broader"),
    (TWO, PHONE, "broader"),
    (PHONE, TWO, "narrower"),
    (PHONE, ANY, "narrower"),
    (NONE, ANY, "narrower"),
    (PHONE, None, "narrower"),
    (TWO, None, "narrower"),
    (NONE, None, "narrower"),
    (ANY, None, "exact"),
    (TWO, PHONE | TABLET, "overlap"),
]


@pytest.mark.parametrize(("node", "query", "outcome"), ONE_ATTRIBUTE)
def test_one_attribute(node: Values, query: Values | None, outcome: str) -> None:
    assert compare_values(node, query) == outcome


WHOLE_NODE = [
    # what each attribute of the node is to the query, what the node is
    (["exact"], "exact"),
    (["exact", "exact"], "exact"),
    (["exact", "broader"], "broader"),
    (["broader", "broader"], "broader"),
    (["exact", "narrower"], "narrower"),
    (["narrower", "narrower"], "narrower"),
    (["broader", "narrower"], "overlap"),
    (["exact", "broader", "narrower"], "overlap"),
    (["overlap"], "overlap"),
    (["exact", "overlap"], "overlap"),
    (["broader", "overlap"], "overlap"),
    (["narrower", "overlap"], "overlap"),
    (["conflict"], "conflict"),
    (["exact", "conflict"], "conflict"),
    (["broader", "conflict"], "conflict"),
    (["narrower", "conflict"], "conflict"),
    (["overlap", "conflict"], "conflict"),
    (["exact", "broader", "narrower", "overlap", "conflict"], "conflict"),
    ([], "exact"),
]
PAIRS = {
    "exact": (PHONE, PHONE),
    "broader": (ANY, PHONE),
    "narrower": (PHONE, TWO),
    "overlap": (TWO, PHONE | TABLET),
    "conflict": (PHONE, LAPTOP),
}


@pytest.mark.parametrize(("kinds", "outcome"), WHOLE_NODE)
def test_the_node_as_a_whole(kinds: list[str], outcome: str) -> None:
    node = {f"a{n}": PAIRS[kind][0] for n, kind in enumerate(kinds)}
    query = {f"a{n}": PAIRS[kind][1] for n, kind in enumerate(kinds)}
    assert compare(node, query, list(node)) == outcome
    assert compare(node, query, list(reversed(list(node)))) == outcome


def test_a_name_missing_from_the_node_is_any_and_one_missing_from_the_query_is_unknown() -> None:
    assert compare({}, {}, ["os"]) is Match.EXACT
    assert compare({}, {"os": PHONE}, ["os"]) is Match.BROADER
    assert compare({"os": PHONE}, {}, ["os"]) is Match.NARROWER


def test_names_that_are_not_configured_are_not_compared() -> None:
    assert compare({"os": PHONE, "colour": LAPTOP}, {"os": PHONE, "colour": TABLET}, ["os"]) is Match.EXACT


def test_lists_are_sorted_and_read_back() -> None:
    assert as_lists({"b": TWO, "a": ANY}) == {"a": ["Any"], "b": ["Laptop", "Phone"]}
    assert from_lists({"b": ["Phone", "Laptop"]}) == {"b": TWO}
