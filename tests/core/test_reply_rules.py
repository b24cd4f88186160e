from __future__ import annotations

from typing import Any

import pytest

from autokb.core.errors import BadInputError
from autokb.core.reply_rules import ReplyRules, read_reply_rules


def test_what_is_not_said_has_its_usual_value() -> None:
    assert read_reply_rules({}) == ReplyRules()
    given = {"max_words": 20, "tone": ["calm"], "negative_words": ["your fault"], "refusal": " Only  kettles. "}
    assert read_reply_rules(given) == ReplyRules(20, ("calm",), ("your fault",), "Only kettles.")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"max_wrods": 20}, "not 'max_wrods'. Did you mean max_words"),
        ({"max_words": 3}, "max_words must be a whole number from 8 on"),
        ({"max_words": True}, "max_words must be a whole number"),
        ({"tone": "calm"}, "tone must be a list of texts"),
        ({"negative_words": [3]}, "negative_words must be a list of texts"),
        ({"refusal": ["a"]}, "refusal must be text"),
        ({"unanswered": 3}, "unanswered must be text"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        read_reply_rules(given)


def test_words_that_no_reply_may_have_count_whole_and_in_any_case() -> None:
    rules = ReplyRules(negative_words=("fault",))
    assert rules.has_negative_words("It is your Fault.")
    assert not rules.has_negative_words("The default is on.")
    assert not rules.fits("word " * 30)
    assert rules.fits("word " * 29)
