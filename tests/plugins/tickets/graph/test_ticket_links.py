from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from autokb.core.tickets import Edge, Ticket, TicketLink
from autokb.plugins.tickets.graph.links import choose_threshold, explicit_edges, similar_edges, update_similar


def unit(rows: list[list[float]]) -> np.ndarray:
    vectors = np.array(rows, dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_a_link_told_from_both_sides_is_one_edge_and_a_target_elsewhere_dangles() -> None:
    one = Ticket(
        "A",
        "a",
        links=(TicketLink("Duplicate", "B"), TicketLink("Relates", "X"), TicketLink("Blocks", "Y", inward=True)),
    )
    other = Ticket("B", "b", links=(TicketLink("Duplicate", "A", inward=True),))
    assert explicit_edges([one, other]) == [
        Edge("A", "Duplicate", "B"),
        Edge("A", "Relates", "X", dangling=True),
        Edge("Y", "Blocks", "A", dangling=True),
    ]


def test_similar_titles_are_linked_from_the_threshold_on() -> None:
    titles = unit([[1, 0], [1, 0.1], [0, 1]])
    assert [(e.source, e.target) for e in similar_edges(["a", "b", "c"], titles, 0.9)] == [("a", "b"), ("b", "a")]


def test_few_links_leave_the_choice_to_chance() -> None:
    titles = np.random.default_rng(1).normal(size=(50, 8)).astype(np.float32)
    titles /= np.linalg.norm(titles, axis=1, keepdims=True)
    ids = [f"t{n}" for n in range(50)]
    assert "chance" in choose_threshold(ids, titles, [Edge("t1", "Relates", "t2")]).reason
    linked = [Edge(ids[n], "Relates", ids[int((titles @ titles[n]).argsort()[-2])]) for n in range(50)]
    chosen = choose_threshold(ids, titles, linked)
    assert "chosen on" in chosen.reason
    assert chosen.value >= choose_threshold(ids, titles, []).value


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 25), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
def test_an_update_equals_a_fresh_comparison(seed: int, count: int, new: int, gone: int, moved: int) -> None:
    random = np.random.default_rng(seed)
    before = unit(random.normal(size=(count, 4)).tolist())
    ids = [f"t{n:02}" for n in range(count)]
    edges = similar_edges(ids, before, 0.2)
    names = dict(zip(ids, before, strict=True))
    changed = set()
    for name in random.choice(ids, size=min(moved, count), replace=False):
        names[str(name)] = unit([random.normal(size=4).tolist()])[0]
        changed.add(str(name))
    for name in random.choice(ids, size=min(gone, count - 1), replace=False):
        names.pop(str(name))
        changed.discard(str(name))
    for n in range(new):
        names[f"n{n}"] = unit([random.normal(size=4).tolist()])[0]
        changed.add(f"n{n}")
    now = sorted(names)
    vectors = np.array([names[name] for name in now], dtype=np.float32)
    assert update_similar(edges, now, vectors, changed, 0.2) == similar_edges(now, vectors, 0.2)


def test_two_tickets_that_have_nothing_in_common_are_not_similar() -> None:
    titles = np.array([[1.0, 0.0], [0.1, 0.995]], dtype=np.float32)
    threshold = choose_threshold(["t1", "t2"], titles, []).value
    assert similar_edges(["t1", "t2"], titles, threshold) == []
