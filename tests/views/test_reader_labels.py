"""What stands beside a solution, in words of readers."""

from __future__ import annotations

from autokb.views.reader_labels import for_whom, outcome_label


def test_for_whom_names_each_value_once_and_nobody_where_it_holds_for_all() -> None:
    assert for_whom({"app": ["Android"], "os": ["Android"], "account": ["Any"]}) == "for Android"
    assert for_whom({"app": ["NONE"], "os": ["iOS", "Android"]}) == "for no app, Android or iOS"
    assert for_whom({"os": ["Any"]}) == ""


def test_what_is_more_probably_wrong_than_right_only_may_help() -> None:
    assert outcome_label("answered", 0.5) == "answered" and outcome_label("answered", 0.49) == "may help"
    assert outcome_label("asks", 0.1) == "asks" and outcome_label("abstains", 0.0) == "abstains"
