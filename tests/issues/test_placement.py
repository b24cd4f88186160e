"""Which node a solution stands on, and which children a tree has for that."""

from __future__ import annotations

from dataclasses import replace

from autokb.core.attributes import ANY
from autokb.core.domain import read_domain
from autokb.core.nouns import Evidence, Issue, Solution
from autokb.issues.placement import (
    FOR_OTHERS,
    PlacedTree,
    place_solutions,
    without_foreign_children,
    without_repetition,
)
from autokb.issues.solutions import solution_id
from autokb.issues.trees import issue_id

SPEC = read_domain(
    {
        "attributes": {
            "os": {
                "values": ["Windows", "macOS", "Android"],
                "implies": {"Windows": {"device": ["Laptop"]}, "Android": {"device": ["Phone", "Tablet"]}},
            },
            "device": {"values": ["Laptop", "Phone", "Tablet"]},
        }
    }
)
EVERYBODY = {"os": ANY, "device": ANY}
TITLES = {"sound.md": "No sound", "laptop.md": "Sound on a laptop"}
PHONES = frozenset({"Phone", "Tablet"})


def of(**values):
    return EVERYBODY | {name: frozenset({value}) for name, value in values.items()}


def node(text, parent=None, **values):
    attributes = of(**values)
    return Issue(issue_id("raw", attributes), text, parent.id if parent else None, attributes, "seed-1", ("raw",))


PARENT = node("No sound")
WINDOWS = node("No sound on my Dell", PARENT, os="Windows", device="Laptop")
LAPTOP = node("No sound on a laptop", PARENT, device="Laptop")


def solved(issue, heading, rank=1, document="sound.md", status="displayed", attributes=EVERYBODY):
    evidence = Evidence(document, len(heading), len(heading) + 5, "Do it")
    made = solution_id(issue.id, (document, heading, "0"))
    return Solution(made, issue.id, heading, ("Do it",), attributes, (evidence,), status, rank=rank)


def place(nodes, *solutions) -> PlacedTree:
    paths = {s.id: (s.evidence[0].document, s.text, "0") for s in solutions}
    (placed,) = place_solutions([("raw", nodes)], solutions, paths, SPEC, TITLES)
    return placed


def shown(placed):
    """Return the headings of the solutions by the text of their node, in the order of their ranks."""
    texts = {i.id: i.text for i in placed.issues}
    found = {i.text: [] for i in placed.issues}
    for solution in sorted(placed.solutions, key=lambda s: s.rank):
        found[texts[solution.issue_id]].append(solution.text)
    return found


def test_a_solution_for_some_customers_moves_to_the_child_that_reported_so():
    general, narrow = solved(PARENT, "Everywhere", rank=2), solved(PARENT, "On Windows", attributes=of(os="Windows"))
    own = solved(WINDOWS, "Windows sound service")
    placed = place([PARENT, WINDOWS], general, narrow, own)
    assert shown(placed) == {
        "No sound": ["Everywhere"],
        "No sound on my Dell": ["Windows sound service", "On Windows"],
    }
    moved = next(s for s in placed.solutions if s.text == "On Windows")
    assert moved.id == solution_id(WINDOWS.id, ("sound.md", "On Windows", "0"))  # as if it had been written there
    assert [s.rank for s in placed.solutions if s.issue_id == WINDOWS.id] == [1, 2]


def test_what_the_manual_distinguishes_is_a_child_that_nobody_reported():
    android = solved(PARENT, "On Android", attributes=of(os="Android") | {"device": PHONES})
    placed = place([PARENT], android)
    assert shown(placed) == {"No sound": [], "No sound (Android)": ["On Android"]}
    (_, child) = placed.issues
    assert child.attributes == of(os="Android")  # phone or tablet follows from it
    assert child.id == issue_id("raw", of(os="Android")) and child.parent_id == PARENT.id
    assert (child.seed, child.raw_issues) == ("seed-1", ())


def test_a_child_that_nobody_reported_and_no_heading_names_is_none():
    passing = solved(PARENT, "Restart it", attributes=of(os="Android"))
    (stays,) = place([PARENT], passing).solutions
    assert (stays.issue_id, stays.status, stays.attributes) == (PARENT.id, "displayed", passing.attributes)
    titled = solved(PARENT, "Restart it", document="laptop.md", attributes=of(device="Laptop"))
    assert shown(place([PARENT], titled)) == {"No sound": [], "No sound (Laptop)": ["Restart it"]}
    reported = node("Silent Samsung", PARENT, os="Android")
    assert shown(place([PARENT, reported], passing)) == {"No sound": [], "Silent Samsung": ["Restart it"]}


def test_a_child_whose_solutions_the_rules_withheld_goes():
    placed = place([PARENT, WINDOWS], solved(PARENT, "For everybody"), solved(WINDOWS, "Windows sound service"))
    checked = tuple(replace(s, status="withheld") if s.text.startswith("W") else s for s in placed.solutions)
    assert shown(without_repetition(replace(placed, solutions=checked))) == {"No sound": ["For everybody"]}


def test_several_values_are_named_together():
    placed = place([PARENT], solved(PARENT, "Phones", attributes=EVERYBODY | {"device": PHONES}))
    assert shown(placed) == {"No sound": [], "No sound (Phone / Tablet)": ["Phones"]}


def test_a_child_that_shows_nothing_beside_its_parents_solutions_is_none():
    solutions = [solved(PARENT, "Everywhere"), solved(PARENT, "Again", rank=2), solved(LAPTOP, "Everywhere")]
    placed = place([PARENT, LAPTOP, WINDOWS], *solutions)
    assert shown(placed) == {"No sound": ["Everywhere", "Again"]}
    assert all(s.issue_id == PARENT.id for s in placed.solutions)


def test_a_child_that_shows_some_lines_of_its_parents_solution_stays():
    whole = solved(PARENT, "Everywhere")
    rest = replace(whole.evidence[0], start=100, end=105)
    tailored = replace(solved(LAPTOP, "Everywhere"), attributes=of(device="Laptop"))
    placed = place([PARENT, LAPTOP], replace(whole, evidence=(*whole.evidence, rest)), tailored)
    assert shown(placed) == {"No sound": ["Everywhere"], "No sound on a laptop": ["Everywhere"]}
    assert shown(place([PARENT, LAPTOP], whole, tailored)) == {"No sound": ["Everywhere"]}


def test_a_solution_found_twice_is_shown_once():
    twice = [solved(node, "On Windows", attributes=of(os="Windows")) for node in (PARENT, LAPTOP, WINDOWS)]
    assert shown(place([PARENT, LAPTOP, WINDOWS], *twice)) == {"No sound": [], "No sound on my Dell": ["On Windows"]}


def test_a_solution_that_a_node_settles_by_what_it_fixes_stays():
    laptops = solved(WINDOWS, "On laptops", attributes=of(device="Laptop"))
    assert shown(place([PARENT, WINDOWS], laptops))["No sound on my Dell"] == ["On laptops"]


def test_what_is_withheld_stays_where_it_was_written_and_adds_no_child():
    withheld = solved(PARENT, "On Android", status="withheld", attributes=of(os="Android"))
    placed = place([PARENT], withheld)
    assert shown(placed) == {"No sound": ["On Android"]}


def test_what_no_node_can_hold_for_is_withheld_where_it_was_written_and_says_why():
    impossible = solved(PARENT, "Strange", attributes=of(os="Windows", device="Phone"))
    (withheld,) = place([PARENT], impossible).solutions
    assert (withheld.id, withheld.issue_id, withheld.status) == (impossible.id, PARENT.id, "withheld")
    assert withheld.reason == FOR_OTHERS


def test_a_child_by_what_no_report_tells_apart_goes_where_the_parent_has_an_answer():
    child = replace(node("No sound (Windows)", PARENT, os="Windows"), raw_issues=())
    general, narrow = solved(PARENT, "Everywhere"), solved(child, "On Windows")
    tree = PlacedTree((PARENT, child), (general, narrow))
    assert without_foreign_children(tree, [PARENT]).issues == (PARENT,)
    assert without_foreign_children(tree, [PARENT]).solutions == (general,)
    assert without_foreign_children(tree, [PARENT, WINDOWS]) == tree  # a report tells of an os
    assert without_foreign_children(tree, [PARENT], {narrow.id}) == tree  # a person decided on its solution,
    assert without_foreign_children(tree, [PARENT], {child.id}) == tree  # or wrote one for it
    withheld = PlacedTree(tree.issues, (replace(general, status="withheld"), narrow))
    assert without_foreign_children(withheld, [PARENT]) == withheld  # nothing else would be shown
