"""The JSON shape of a record follows from its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autokb.core.nouns import Failure
from autokb.plugins.lab.evaluation.record import Record
from autokb.stats.bootstrap import NOT_MEASURED, Interval


@dataclass(frozen=True, slots=True)
class Counted(Record):
    """A figure with its interval in its place."""

    interval: Interval
    n: int


@dataclass(frozen=True, slots=True)
class Found(Record):
    """A report with parts, and with what may be missing."""

    figures: Mapping[str, Counted]
    failures: tuple[Failure, ...]
    note: str | None
    notes: tuple[str, ...] = ()
    more: Mapping[str, float] = field(default_factory=dict)


def test_the_ends_of_an_interval_stand_beside_what_was_counted_with_it() -> None:
    assert list(Counted(Interval(0.5, 0.25, 0.75), 0).as_json().items()) == [
        ("value", 0.5),
        ("low", 0.25),
        ("high", 0.75),
        ("n", 0),
    ]


def test_only_an_optional_field_that_holds_nothing_is_left_out() -> None:
    empty = {"figures": {}, "failures": [], "note": None}
    assert Found({}, (), None).as_json() == empty
    assert Found({}, (), None, ("said",), {"a": 0.0}).as_json() == empty | {"notes": ["said"], "more": {"a": 0.0}}


def test_parts_have_their_own_shape() -> None:
    shown = Found({"a": Counted(NOT_MEASURED, 0)}, (Failure("judge", "1", "unreadable"),), None).as_json()
    assert shown["figures"] == {"a": {"value": None, "low": None, "high": None, "n": 0}}
    assert shown["failures"] == [{"stage": "judge", "item": "1", "reason": "unreadable"}]
