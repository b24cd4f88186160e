"""Nodes of several trees in one request: each page is there once, and each node keeps every line that it was given."""

from __future__ import annotations

import re
from collections.abc import Sequence

from autokb.heuristics.solutions.solution import Excerpt, WriteSolutions
from autokb.tasks.issues.write_solutions.passages import as_ranges, numbered_places, own_places, passages_of
from autokb.tasks.issues.write_solutions.task import TASK

PAGE = (
    "# Sound\n\n## Silent\n\nCharge both buds. Wait a minute.\n\n1. Open the lid.\n2. Hold the button.\n\n"
    "## Too quiet\n\n- Clean the mesh.\n- Try another tip.\n"
)
QUIET = PAGE.index("## Too")


def part(start: int, end: int, document: str = "sound.md") -> Excerpt:
    return Excerpt(document, "Buds", (), PAGE[start:end], windows=((0, end - start, 0.5),), offset=start)


def node(tree: str, *excerpts: Excerpt) -> WriteSolutions:
    return WriteSolutions(f"Trouble of {tree}", {}, "Buds", {}, (), excerpts, tree=tree)


def lines(item: WriteSolutions, items: Sequence[WriteSolutions]) -> list[str]:
    """Return the words of the places that an item has in a request, as they stand in its own excerpts."""
    found = own_places(item, numbered_places(items)).values()
    assert all(any(place.excerpt is e for e in item.excerpts) for place in found)
    return [place.excerpt.text[place.span[0] : place.span[1]] for place in found]


def test_parts_that_overlap_are_one_passage_and_lines_stay_each_nodes_own() -> None:
    silent, quiet, other = node("a", part(0, QUIET)), node("b", part(9, len(PAGE))), node("c", part(0, 9, "other.md"))
    both = part(QUIET, len(PAGE))
    items = (silent, quiet, other, node("d", both))
    assert [(e.document, e.offset, e.text) for e in passages_of(items)] == [
        ("sound.md", 0, PAGE),
        ("other.md", 0, PAGE[:9]),
    ]
    for item in items:
        assert lines(item, items) == lines(item, [item])
    assert [line.strip() for line in lines(items[3], items)] == ["- Clean the mesh.", "- Try another tip."]


def test_parts_that_only_touch_stay_two_passages() -> None:
    items = (node("a", part(0, QUIET)), node("b", part(QUIET, len(PAGE))))
    assert [e.offset for e in passages_of(items)] == [0, QUIET]


def test_parts_stay_apart_where_a_line_of_theirs_would_be_none() -> None:
    cut = PAGE.index("both buds")
    items = (node("a", part(0, cut)), node("b", part(PAGE.index("## Silent"), len(PAGE))))
    assert len(passages_of(items)) == 2
    assert all(set(lines(item, items)) == set(lines(item, [item])) for item in items)


def test_a_prompt_names_the_lines_of_each_node_only_where_they_differ() -> None:
    items = (node("a", part(0, QUIET)), node("b", part(0, len(PAGE))))
    system, user = TASK.turns(items)
    assert re.findall(r"<lines>(.*)</lines>", user) == ["1-4", "1-6"]
    assert "its own `lines`" in system
    assert user.count("Open the lid.") == 1
    alike = TASK.turns((items[0], node("a", part(0, QUIET))))
    assert "lines>" not in alike[1]
    assert "`lines`" not in alike[0]


def test_ranges_are_as_short_as_they_can_be() -> None:
    assert as_ranges([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"
    assert as_ranges([]) == ""


def test_what_nodes_share_is_counted_by_lines_of_the_documents() -> None:
    whole, some = TASK.parts(node("a", part(0, len(PAGE)))), TASK.parts(node("b", part(QUIET, len(PAGE))))
    assert some.items() < whole.items()
    assert not whole.keys() & TASK.parts(node("c", part(0, len(PAGE), "other.md"))).keys()
