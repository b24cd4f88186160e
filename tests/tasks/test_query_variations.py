"""The task that says a text in other words."""

from __future__ import annotations

import json

import pytest

from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply
from autokb.tasks.probes.query_variations.task import LEVELS, TASK, QueryVariations, VaryQuery
from autokb.tasks.task import Read, ReplyError


def five(word: str) -> tuple[str, ...]:
    return tuple(f"{word} {n}" for n in range(5))


@pytest.mark.parametrize("text", ["rain", "🔋", "日本語のテキスト", "I", "USB-C!", "a" * 400, "don’t", ". , !"])
def test_offline_any_text_has_variations_that_pass_the_check(text: str) -> None:
    reply = TASK.answer_offline(VaryQuery(text, ""))
    every = [v for level in LEVELS for v in reply.levels[level]]
    assert len(set(every)) == len(every) > 2
    assert text not in every


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (QueryVariations(easy=("x ", "y"), medium=("y",), hard=()), "stands twice"),
        (QueryVariations(easy=("rain",), medium=(), hard=()), "is the text itself"),
        (QueryVariations(easy=(" ",), medium=(), hard=()), "1 to 128 characters"),
        (QueryVariations(easy=("r" * 129,), medium=(), hard=()), "1 to 128 characters"),
        (QueryVariations(easy=(*five("a"), "b"), medium=(), hard=()), "give 5 variations, not 6"),
        (QueryVariations(easy=(), medium=(), hard=()), "no variation"),
    ],
)
def test_what_is_no_variation_is_refused(reply: QueryVariations, words: str) -> None:
    with pytest.raises(ReplyError, match=words):
        TASK.check(VaryQuery("rain", ""), reply)


def read(**levels: tuple[str, ...]) -> Read[QueryVariations]:
    entry = {"number": 1, **{level: list(levels.get(level, five(level))) for level in LEVELS}}
    reply = ModelReply(json.dumps({"answers": [entry]}), 1, 1)
    (found,) = read_reply(TASK, (VaryQuery("rain & <snow>", ""),), reply)
    return found


def test_a_reply_is_unescaped_and_repeats_are_worth_a_repair_only() -> None:
    found = read(easy=("rain, &lt;snow>", "rain & <snow>", "rain, <snow>", "Rain!", " Rain! "))
    assert found.answer is not None
    assert found.answer.easy == ("rain, <snow>", "Rain!")
    assert found.complaints == ("Number 1, easy: 3 are empty, too long, the text or given twice.",)


def test_a_level_that_only_repeats_is_an_error() -> None:
    assert "hard: none of the variations differs" in read(hard=("rain & <snow>",) * 5).error
