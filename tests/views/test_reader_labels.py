"""What stands beside a solution, in words of readers."""

from __future__ import annotations

from autokb.core.reply_rules import LEFT_OPEN, OFF_TOPIC
from autokb.views.reader_labels import for_whom, how_sure, is_of_another_topic, outcome_label, plain_reason


def test_for_whom_names_each_value_once_and_nobody_where_it_holds_for_all() -> None:
    assert for_whom({"app": ["Android"], "os": ["Android"], "account": ["Any"]}) == "for Android"
    assert for_whom({"app": ["NONE"], "os": ["iOS", "Android"]}) == "for no app, Android or iOS"
    assert for_whom({"os": ["Any"]}) == ""


def test_what_is_more_probably_wrong_than_right_only_may_help() -> None:
    assert outcome_label("answered", 0.5) == "answered" and outcome_label("answered", 0.49) == "may help"
    assert outcome_label("answered", 0.1, "openai:m") == "answered"
    assert how_sure(0.1, "openai:m") == "chosen by openai:m" and how_sure(0.1) == "nothing sure"
    assert outcome_label("asks", 0.1) == "asks" and outcome_label("abstains", 0.0) == "abstains"


def test_a_log_of_an_earlier_version_says_another_topic_in_other_words() -> None:
    before = "Nothing that is known is near the question; it looks off topic."
    assert is_of_another_topic(before) and plain_reason(before) == OFF_TOPIC
    assert not is_of_another_topic(LEFT_OPEN) and plain_reason(LEFT_OPEN) == LEFT_OPEN
