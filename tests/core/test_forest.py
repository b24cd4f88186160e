"""Forest: up, down, subtree, and one policy for parents that are missing or lead round in a circle."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.core.forest import Forest


@dataclass(frozen=True)
class Leaf:
    id: str
    parent_id: str | None = None


def forest(**parents: str | None) -> Forest[Leaf]:
    return Forest(Leaf(name, parent) for name, parent in parents.items())


def ids(nodes: object) -> str:
    return "".join(node.id for node in nodes)  # type: ignore[attr-defined]


def test_up_down_and_subtree_follow_the_order_that_was_given() -> None:
    wood = forest(d="b", a=None, b="a", c="a", e=None)
    assert (ids(wood.ancestors("d")), ids(wood.ancestors("a"))) == ("ba", "")
    assert (wood.root("d").id, wood.root("e").id) == ("a", "e")
    assert (ids(wood.children("a")), ids(wood.children("d"))) == ("bc", "")
    assert (ids(wood.subtree("a")), ids(wood.subtree("b"))) == ("abdc", "bd")
    assert ids(wood.roots) == "ae"
    assert wood.circling == ()


def test_a_node_whose_parent_is_missing_is_a_root() -> None:
    wood = forest(a="gone", b="a")
    assert (ids(wood.roots), wood.root("b").id, ids(wood.ancestors("b"))) == ("a", "a", "a")


def test_the_first_node_of_a_circle_is_its_root() -> None:
    wood = forest(x="b", a="c", b="a", c="b", s="s")
    assert wood.circling == ("a", "b", "c", "s")
    assert ids(wood.roots) == "as"
    assert (wood.root("x").id, ids(wood.ancestors("c")), ids(wood.subtree("a"))) == ("a", "ba", "abxc")


def test_an_unknown_id_is_a_key_error() -> None:
    wood = forest(a=None)
    for ask in (wood.children, wood.root, lambda i: list(wood.ancestors(i)), lambda i: list(wood.subtree(i))):
        with pytest.raises(KeyError):
            ask("b")


@given(st.lists(st.integers(-1, 11), min_size=1, max_size=12))
def test_whatever_the_parents_every_node_is_in_the_subtree_of_one_root(parents: list[int]) -> None:
    wood = Forest(Leaf(str(n), None if p < 0 else str(p)) for n, p in enumerate(parents))
    found = [node.id for root in wood.roots for node in wood.subtree(root.id)]
    assert sorted(found) == sorted(wood.nodes)
    assert all(wood.root(i) in wood.roots for i in wood.nodes)
    for node in wood.nodes.values():
        assert all(node in wood.children(above.id) for above in list(wood.ancestors(node.id))[:1])
