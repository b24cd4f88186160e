"""Which part of a solution a reply is made of."""

from __future__ import annotations

from autokb.core.reply_rules import ReplyRules, count_words
from autokb.heuristics.conversations.reply_excerpt import ReplyExcerpt, condition_of, excerpt
from autokb.text.words import content_words

RULES = ReplyRules(max_words=12)


def cut(*quotes: str, question: str = "it leaks", condition: str = "", said: str = "") -> ReplyExcerpt | None:
    steps = [quote.lstrip("0123456789.- ") for quote in quotes]
    return excerpt(steps, quotes, question, RULES, condition=condition, said=content_words(said))


def test_whole_steps_from_the_first_one_on() -> None:
    found = cut("1. Unplug the kettle.", "2. Turn it over and dry the ring.", "3. Fill it slowly to the line.")
    assert found == ReplyExcerpt("Unplug the kettle. Turn it over and dry the ring.", (0, 1))


def test_what_leads_over_to_a_list_that_does_not_fit_is_left_out() -> None:
    steps = (
        "1. Open the lid. Then choose one of these:",
        "2. Descale it with one sachet of powder and a litre of water.",
    )
    assert cut(*steps) == ReplyExcerpt("Open the lid.", (0,))
    assert cut("1. Open the lid. Then choose:", "2. Descale it.") == ReplyExcerpt(
        "Open the lid. Then choose: Descale it.", (0, 1)
    )


def test_a_procedure_is_told_from_its_first_step_on() -> None:
    found = cut("1. Unplug the kettle, let it cool.", "2. Press the leaking ring.", question="leaking ring")
    assert found == ReplyExcerpt("Unplug the kettle, let it cool. Press the leaking ring.", (0, 1))
    found = cut("1. Unplug it, let it cool for a whole hour.", "2. Press the leaking ring.", question="leaking ring")
    assert found == ReplyExcerpt("Unplug it, let it cool for a whole hour.", (0,))


def test_of_things_to_try_the_one_that_the_question_names_comes_first() -> None:
    tries = ("1. Descale it with one sachet and a litre of water.", "2. A leaking ring is worn: put in a new one.")
    assert cut(*tries, question="the ring is leaking") == ReplyExcerpt(
        "A leaking ring is worn: put in a new one.", (1,)
    )
    assert cut(*tries, question="what now?") == ReplyExcerpt("Descale it with one sachet and a litre of water.", (0,))


def test_a_point_of_a_list_that_has_more_of_the_question_comes_first() -> None:
    points = ("- Check that the lid is closed and the switch is down.", "- A leaking ring is to be replaced: part R2.")
    found = cut(*points, question="the ring is leaking, may I replace it?")
    assert found == ReplyExcerpt("A leaking ring is to be replaced: part R2.", (1,))
    assert cut(*points, question="what now?") == ReplyExcerpt(
        "Check that the lid is closed and the switch is down.", (0,)
    )


def test_a_later_beginning_operates_nothing() -> None:
    points = ("- Check that the lid of the kettle is closed and dry.", "- Press the leaking ring down until it clicks.")
    found = cut(*points, question="the ring is leaking")
    assert found == ReplyExcerpt("Check that the lid of the kettle is closed and dry.", (0,))


def test_a_reply_goes_on_behind_the_last_step_that_was_said() -> None:
    steps = (
        "1. Unplug the kettle.",
        "2. Press the rubber ring until it clicks.",
        "3. Turn the grey dial to mark zero.",
    )
    told = "I unplugged it, then I pressed the rubber ring until it clicked."
    assert cut(*steps, said=told) == ReplyExcerpt("Turn the grey dial to mark zero.", (2,))
    assert cut(*steps, said="The rubber ring leaks.") == cut(*steps)  # a few of its words are no step
    everything = f"{told} I turned the grey dial to mark zero as well."
    assert cut(*steps, said=everything) == cut(*steps)  # nothing is left that could follow


def test_behind_what_was_said_the_next_step_comes_first_whatever_the_question_names() -> None:
    tries = (
        "- Close the small lid with a click.",
        "- Descale it with one sachet.",
        "- A leaking ring is to be replaced: R2.",
    )
    question, said = "leaking ring, replace it?", "I closed the small lid, it clicked"
    assert cut(*tries, question=question) == ReplyExcerpt("A leaking ring is to be replaced: R2.", (2,))
    assert cut(*tries, question=question, said=said) == ReplyExcerpt("Descale it with one sachet.", (1,))


def test_words_of_the_title_tell_no_step_and_rows_of_a_table_are_none() -> None:
    steps = ("Check the small grey lid of the kettle.", "Descale the plate.")
    said = "the small grey lid of my kettle leaks"
    assert cut(*steps, said=said) == ReplyExcerpt("Descale the plate.", (1,))
    whole = excerpt(steps, steps, "it leaks", RULES, said=content_words(said), title="The small grey lid leaks")
    assert whole == ReplyExcerpt("Check the small grey lid of the kettle. Descale the plate.", (0, 1))
    table = "| Light | Help |\n|---|---|\n| red light flashes | press the round button |\n| white | wait |"
    told = "the red light flashes, I pressed the round button, help"
    assert cut(table, "Descale the plate.", said=told) == cut(table, "Descale the plate.")


def test_a_reply_begins_at_the_first_sentence_that_needs_no_other() -> None:
    found = cut("This happens on small kettles. Close the lid until it clicks.")
    assert found == ReplyExcerpt("Close the lid until it clicks.", (0,))


def test_of_a_table_the_row_that_was_asked_for_is_told_with_the_heads_of_its_columns() -> None:
    table = "| Light | Meaning |\n|---|---|\n| red blinking | no water |\n| blue | keeps warm |"
    found = excerpt([table], [table], "the light is red and blinking", RULES)
    assert found == ReplyExcerpt("red blinking: no water.", (0,))
    assert excerpt([table], [table], "it hums", RULES) is None
    wide = "| Part | Daily | Weekly |\n|---|---|---|\n| Drip tray | rinse | scrub |\n| Lid | wipe | - |"
    found = excerpt([wide], [wide], "how do I clean the drip tray?", RULES)
    assert found == ReplyExcerpt("Part: Drip tray; Daily: rinse; Weekly: scrub.", (0,))


def test_headings_within_a_step_are_no_part_of_a_reply() -> None:
    step, quote = "Draining\nOpen the valve.\nWait a minute.", "## Draining\n\nOpen the valve.\n\nWait a minute."
    assert excerpt([step], [quote], "drain", RULES) == ReplyExcerpt("Open the valve. Wait a minute.", (0,))
    assert excerpt([step], [f"Draining\n--------\n{quote[13:]}"], "drain", RULES) == ReplyExcerpt(
        "Open the valve. Wait a minute.", (0,)
    )


def test_a_condition_stands_in_front_and_counts_as_words() -> None:
    found = cut("Unplug the kettle. Turn it over. Dry the ring with a cloth.", condition="With a filter")
    assert found is not None
    assert found.text == "With a filter: Unplug the kettle. Turn it over."
    assert count_words(found.text) < RULES.max_words


def test_nothing_is_cut_within_a_sentence() -> None:
    assert cut("Descale " + "slowly " * 20 + "today.") is None


def test_a_title_that_names_a_condition_names_it_unless_the_customer_did() -> None:
    assert condition_of("Cold: With high blood pressure", "my nose is blocked") == "With high blood pressure"
    assert condition_of("Cold: With high blood pressure", "blocked nose, high blood pressure") == ""
    assert condition_of("Cold: Adults", "my nose is blocked") == ""
    assert condition_of("Erkältung: Bei Bluthochdruck", "Schnupfen", "de") == "Bei Bluthochdruck"


def test_a_procedure_whose_first_step_leans_on_what_was_said_before_is_not_told_from_its_second_on() -> None:
    steps = [
        "As explained above, open it: Click Create… to start the wizard.",
        "Note: a kettle holds two litres.",
        "Click Next.",
        "Click Finish.",
    ]
    quotes = [
        "As explained above, open it:\n\n1. Click Create… to start the wizard.",
        steps[1],
        "2. Click Next.",
        "3. X",
    ]
    assert excerpt(steps, quotes, "it leaks", RULES) == ReplyExcerpt("Note: a kettle holds two litres.", (1,))
