"""What the benchmark of trees counts, on trees written out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.trees import Exported, measure, sample

DOMAIN = """
name: kettles
attributes:
  os: {kind: closed, values: [Android, iOS, Windows], implies: {iOS: {device: [Phone, Tablet]}}}
  device: {kind: closed, values: [Laptop, Phone, Tablet]}
impossible: [{os: [Android], device: [Laptop]}]
"""


def _issue(name: str, parent: str | None = None, raw: tuple[str, ...] = (), **values: list[str]) -> dict[str, Any]:
    attributes = {"os": ["Any"], "device": ["Any"], **values}
    return {"kind": "issue", "id": name, "text": name, "parent_id": parent, "attributes": attributes, "raw_issues": raw}


def _solution(issue: str, start: int, status: str = "displayed", **values: list[str]) -> dict[str, Any]:
    attributes = {"os": ["Any"], "device": ["Any"], **values}
    evidence = [{"document": "manual", "start": start, "end": start + 5, "quote": "steps"}]
    name = f"{issue}-{start}"
    return {"kind": "solution", "id": name, "issue_id": issue, "text": name, "attributes": attributes, "rank": 1,
            "evidence": evidence, "status": status}  # fmt: skip


RECORDS = [
    {"kind": "setting", "id": "domain", "yaml": DOMAIN},
    {"kind": "document", "id": "manual", "title": "Kettles", "text": "# On iOS\n\nDo it.\n\n# Elsewhere\n\nDo it.\n"},
    *(
        {"kind": "raw_issue", "id": f"r{n}", "text": "It leaks", **place}
        for n, place in enumerate([{"issue": "leaks"}, {"issue": "leaks"}, {"reason": "off topic"}])
    ),
    _issue("leaks"),
    _issue("drips"),
    _issue("silent"),
    _issue("leaks on iOS", "leaks", os=["iOS"]),
    _issue("leaks on Windows", "leaks", os=["Windows"]),
    _issue("leaks on Android", "leaks", os=["Android"]),
    _solution("leaks", 0),
    _solution("drips", 0),
    _solution("drips", 0, os=["Windows"]),
    _solution("leaks on iOS", 10, os=["iOS"], device=["Phone", "Tablet"]),
    _solution("leaks on Windows", 0),
    _solution("leaks on Android", 20, status="withheld"),
]


def test_what_nobody_can_have_and_what_was_reported_is_told_apart() -> None:
    android = _issue("leaks on a laptop", "leaks", ("r0",), os=["Android"], device=["Laptop"])
    found = measure(Exported.of([*RECORDS, android]))
    assert (found["impossible_children"], found["children_not_reported"]) == (1, 3)


def test_trees_are_counted_as_a_reader_sees_them() -> None:
    found = measure(Exported.of(RECORDS))
    assert found["trees"] == 3
    assert found["children_a_tree"] == pytest.approx(1.0)
    assert found["raw_issues_a_tree"] == pytest.approx(2 / 3)
    assert found["raw_issues_in_no_tree"] == 1
    assert found["nodes_without_solution"] == 2  # silent, and the child whose solution is withheld
    assert found["children_that_differ"] == pytest.approx(1 / 3)  # one shows its parent's, one shows nothing
    assert found["impossible_children"] == 0
    assert found["children_not_reported"] == 3
    # "On iOS" stands above the place of one, and the solution of another one is named "leaks on Windows-0".
    assert found["children_neither_reported_nor_named"] == 1
    assert found["solutions_a_node"] == pytest.approx(5 / 6)
    assert found["twins"] == pytest.approx(2 / 3)
    assert found["solutions_fixing_more"] == pytest.approx(1 / 5)  # iOS leaves phone and tablet anyway


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    kb = Exported.of(RECORDS)
    assert list(sample(kb, 2, 5)) == list(sample(kb, 2, 5))
    assert sum("**" in line for line in sample(kb, 3, 1)) == 6
