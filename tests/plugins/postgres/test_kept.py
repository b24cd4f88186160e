"""What is kept in memory has a bound, and what was used longest ago goes first."""

from __future__ import annotations

from autokb.plugins.postgres.kept import Kept


def test_what_was_used_longest_ago_goes_first() -> None:
    kept: Kept[str, int] = Kept(10)
    kept.keep("a", 1, 4)
    kept.keep("b", 2, 4)
    assert kept.get(["a", "c"]) == {"a": 1}
    kept.keep("c", 3, 4)  # b was asked for longest ago
    assert kept.get(["a", "b", "c"]) == {"a": 1, "c": 3}
    assert kept.bytes == 8
    kept.keep("a", 5, 6)
    assert kept.get(["a", "c"]) == {"a": 5, "c": 3}
    assert kept.bytes == 10


def test_what_is_larger_than_the_room_is_not_kept_and_leaves_nothing_old_behind() -> None:
    kept: Kept[str, int] = Kept(10)
    kept.keep("a", 1, 4)
    kept.keep("a", 2, 11)
    assert kept.get(["a"]) == {}
    assert kept.bytes == 0
