"""What stands beside a solution, in words of readers."""

from __future__ import annotations

from autokb.views.reader_labels import for_whom


def test_for_whom_names_each_value_once_and_nobody_where_it_holds_for_all() -> None:
    assert for_whom({"app": ["Android"], "os": ["Android"], "account": ["Any"]}) == "for Android"
    assert for_whom({"app": ["NONE"], "os": ["iOS", "Android"]}) == "for no app, Android or iOS"
    assert for_whom({"os": ["Any"]}) == ""
