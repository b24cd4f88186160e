"""The hostile set: what its judge calls broken, and a fortieth of its small cases through the real command line."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from benchmarks.hostile import CASES, GROUPS, MOST_MEGABYTES, find_fault, meet
from benchmarks.hostile_cases.case import Answered

EXITS = frozenset({0, 2})
READ = Answered("add kb in", 0, {"added": 1, "skipped": []}, '{"added": 1}\n', "", 0.5, 0.4, 80.0)
REFUSED = replace(
    READ, status=2, answer={"error": "It is empty."}, out='{"error": "It is empty."}\n', err="It is empty.\n"
)


def test_what_is_read_or_refused_in_a_sentence_is_no_fault() -> None:
    assert find_fault(READ, EXITS) == ""
    assert find_fault(REFUSED, EXITS) == ""
    assert find_fault(replace(READ, out="\x1b[1mbold\x1b[0m\n"), EXITS, on_terminal=True) == ""


@pytest.mark.parametrize(
    ("one", "fault"),
    [
        (replace(READ, status=None), "did not end"),
        (replace(READ, status=-9), "signal 9"),
        (replace(READ, status=1), "ended with 1"),
        (replace(READ, err="Traceback (most recent call last):\n"), "Traceback"),
        (replace(READ, out="\x1b]52;c;aGk=\x07"), "0x1b"),
        (replace(READ, err="left \u202e right"), "0x202e"),
        (replace(READ, answer={}), "no JSON"),
        (replace(REFUSED, err=""), "no word"),
        (replace(REFUSED, err="one\ntwo\nthree\nfour\n"), "4 lines"),
        (replace(REFUSED, err="x" * 10_000), "10000 characters"),
        (replace(READ, answer={"skipped": [{"path": "a.md", "reason": ""}]}), "no reason"),
        (replace(READ, answer={"failures": [{"item": "a", "reason": "x" * 10_000}]}), "10000 characters"),
    ],
)
def test_faults_are_named(one: Answered, fault: str) -> None:
    assert fault in find_fault(one, EXITS)


def test_names_are_given_once_and_every_group_has_cases() -> None:
    assert len({(case.group, case.name) for case in CASES}) == len(CASES)
    assert {case.group for case in CASES} == set(GROUPS)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="many cases need what only Unix has")
@pytest.mark.parametrize("group", [group for group in GROUPS if group != "damage"])  # cli/test_damaged_database.py
def test_small_cases_are_read_or_refused_within_bounds(group: str) -> None:
    small = [case for case in CASES if case.group == group and not case.heavy]
    for one in meet(small[::40]):
        assert one.outcome != "BROKEN", (one.case.name, one.why)
        assert one.megabytes < MOST_MEGABYTES, one.case.name
