"""The task that says a text in other words."""

from __future__ import annotations

import pytest

from autokb.tasks.probes.query_variations.model import ASKING
from autokb.tasks.probes.query_variations.task import LEVELS, TASK, QueryVariations, VaryQuery
from autokb.tasks.task import ReplyError

ROBOT = "The robot does not pair with the app on an iPhone"


def five(word: str) -> tuple[str, ...]:
    return tuple(f"{word} {n}" for n in range(5))


def test_offline_each_level_changes_what_it_may() -> None:
    reply = TASK.answer_offline(VaryQuery(ROBOT, "", (("robot", ("mower",)),)))
    assert reply.easy[:3] == (
        "the robot does not pair with the app on an iphone",
        "The robot doesn't pair with the app on an iPhone",
        "The robot does not pairs with the app on an iPhone",
    )
    assert reply.medium[:3] == (
        "The mower does not pair with the app on an iPhone",  # the domain's own words come first
        "The robot fails to pair with the app on an iPhone",
        "The robot does not pair with the application on an iPhone",
    )
    assert reply.hard == (
        "With the app on an iPhone, the robot does not pair",
        "On an iPhone, the robot does not pair with the app",
        "What can I do about this: the robot does not pair with the app on an iPhone?",
        "robot pair app iPhone",
        "Why is it that the robot does not pair with the app on an iPhone?",
    )


def test_offline_a_question_becomes_a_statement() -> None:
    hard = TASK.answer_offline(VaryQuery("How do I delete a folder?", "")).hard
    assert hard[0] == "I would like to know: how do I delete a folder"
    assert "delete folder" in hard


def test_offline_sentences_change_places() -> None:
    hard = TASK.answer_offline(VaryQuery("Wipe the contacts. Plug the dock in.", "")).hard
    assert hard[0] == "Plug the dock in. Wipe the contacts."


@pytest.mark.parametrize("text", ["rain", "🔋", "日本語のテキスト", "I", "USB-C!", "a" * 400, "don’t", ". , !"])
def test_offline_any_text_has_variations_that_pass_the_check(text: str) -> None:
    reply = TASK.answer_offline(VaryQuery(text, ""))
    every = [v for level in LEVELS for v in reply.levels[level]]
    assert len(set(every)) == len(every) > 2
    assert text not in every


def test_offline_a_level_that_the_words_do_not_give_stays_empty() -> None:
    assert TASK.answer_offline(VaryQuery("rain", "")).medium == ()


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


def said(**levels: tuple[str, ...]) -> object:
    items = (VaryQuery("rain & <snow>", ""),)
    whole = {level: list(levels.get(level, five(level))) for level in LEVELS}
    return ASKING.entry(items).model_validate({"number": 1, **whole}), items


def test_a_reply_is_unescaped_and_repeats_are_worth_a_repair_only() -> None:
    entry, items = said(easy=("rain, &lt;snow>", "rain & <snow>", "rain, <snow>", "Rain!", " Rain! "))  # type: ignore[misc]
    found, complaints = ASKING.read(items, 0, entry, {})
    assert found.easy == ("rain, <snow>", "Rain!")
    assert complaints == ("Number 1, easy: 3 are empty, too long, the text or given twice.",)
    TASK.check(items[0], found)


def test_a_level_that_only_repeats_is_an_error() -> None:
    entry, items = said(hard=("rain & <snow>",) * 5)  # type: ignore[misc]
    with pytest.raises(ReplyError, match="hard: none of the variations differs"):
        ASKING.read(items, 0, entry, {})
