"""Which nodes share a request for their solutions: trees that read the same pages, each tree whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from autokb.heuristics.solutions.solution import Excerpt, WriteSolutions
from autokb.llm.caps import limits
from autokb.pipeline.request_batching import Batching, Group, item_keys
from autokb.tasks.issues.write_solutions.task import TASK

MODEL = "openai:gpt-4o-mini"
PAGES = {name: f"# {name}\n\n" + "".join(f"- Do {name} {n}.\n" for n in range(40)) for name in "abcdef"}
SHORT, LONG = 3, 9  # nodes of a tree


def tree(name: str, pages: str, nodes: int = SHORT) -> list[WriteSolutions]:
    excerpts = tuple(Excerpt(page, page, (), PAGES[page]) for page in pages)
    return [WriteSolutions(f"Trouble {name} {n}", {}, "Buds", {}, (), excerpts, tree=name) for n in range(nodes)]


def groups(
    trees: Sequence[Sequence[WriteSolutions]], *, one_each: bool = False, missing: Sequence[int] | None = None
) -> list[Group]:
    items = [item for one in trees for item in one]
    batching = Batching(TASK, items, limits(MODEL, 0, 16_000), one_each)
    return batching.groups(item_keys(TASK, MODEL, items), missing or range(len(items)), [])


def together(trees: Mapping[str, Sequence[WriteSolutions]], found: Sequence[Group]) -> list[str]:
    names = [name for name, nodes in trees.items() for _ in nodes]
    return ["".join(sorted({names[n] for n in group})) for group in found]


def test_trees_that_read_the_same_pages_share_a_request_and_others_do_not() -> None:
    trees = {"1": tree("1", "ab"), "2": tree("2", "ef"), "3": tree("3", "bc"), "4": tree("4", "a")}
    found = groups(list(trees.values()))
    assert together(trees, found) == ["134", "2"]
    assert sorted(n for group in found for n in group) == list(range(4 * SHORT))


def test_what_shares_most_comes_first_and_a_tree_that_does_not_fit_stays_whole() -> None:
    trees = {"1": tree("1", "ab"), "2": tree("2", "bc", LONG), "3": tree("3", "ab", LONG)}
    assert together(trees, groups(list(trees.values()))) == ["13", "2"]


def test_in_paper_mode_each_node_is_asked_alone() -> None:
    assert list(map(len, groups([tree("1", "ab"), tree("2", "ab")], one_each=True))) == [1] * 2 * SHORT


@pytest.mark.parametrize("missing", [range(SHORT), range(SHORT, 2 * SHORT), [1, 4]])
def test_what_is_missing_is_asked_and_nothing_else(missing: Sequence[int]) -> None:
    found = groups([tree("1", "ab"), tree("2", "ab")], missing=missing)
    assert [sorted(group) for group in found] == [list(missing)]
