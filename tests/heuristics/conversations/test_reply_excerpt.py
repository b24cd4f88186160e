"""Which part of a solution a reply is made of."""

from __future__ import annotations

from autokb.core.reply_rules import ReplyRules
from autokb.heuristics.conversations.read_turn import SaidBefore
from autokb.heuristics.conversations.reply_excerpt import WORDS_OF_WHOLE, ReplyExcerpt, condition_of, excerpt
from autokb.text.words import content_words

RULES = ReplyRules(max_words=12)
LONG = "- Descale it " + "with fresh water " * 50  # with it a solution is too long to be sent whole


def cut(
    *quotes: str, question: str = "it leaks", condition: str = "", said: str = "", reports: bool = False
) -> ReplyExcerpt | None:
    steps = [quote.lstrip("0123456789.- ") for quote in quotes]
    return excerpt(steps, quotes, question, RULES, condition=condition, said=SaidBefore(content_words(said), reports))


def test_a_few_short_steps_are_whole_and_of_more_the_first_ones_are_told() -> None:
    steps = ("1. Unplug the kettle.", "2. Turn it over and dry the ring.", "3. Fill it slowly to the line.")
    assert cut(*steps) == ReplyExcerpt(
        "Unplug the kettle. Turn it over and dry the ring. Fill it slowly to the line.", (0, 1, 2)
    )
    many = [*steps, *(f"{n}. Press the ring number {n}." for n in range(4, 8))]
    assert cut(*many[:6]) == ReplyExcerpt(" ".join(one[3:] for one in many[:6]), tuple(range(6)))
    assert cut(*many) == ReplyExcerpt("Unplug the kettle. Turn it over and dry the ring.", (0, 1), is_cut=True)


def test_what_leads_over_to_a_list_that_does_not_fit_is_left_out() -> None:
    lead = "1. Open the lid. Then choose one of these:"
    assert cut(lead, f"2. {LONG[2:]}") == ReplyExcerpt("Open the lid.", (0,), is_cut=True)
    assert cut("1. Open the lid. Then choose:", "2. Descale it.") == ReplyExcerpt(
        "Open the lid. Then choose: Descale it.", (0, 1)
    )
    assert cut("There can be several reasons:") is None


def test_a_procedure_is_told_from_its_first_step_on() -> None:
    found = cut(
        "1. Unplug it, let it cool for a whole hour.", f"2. Press the leaking ring {LONG}", question="leaking ring"
    )
    assert found == ReplyExcerpt("Unplug it, let it cool for a whole hour.", (0,), is_cut=True)


def test_what_only_introduces_or_repeats_the_problem_is_no_part_of_a_remedy() -> None:
    steps = ("Kettles may leak for several reasons.", "1. Close the lid.", "2. Press the ring.")
    assert cut(*steps) == ReplyExcerpt("Close the lid. Press the ring.", (1, 2))
    needed = ("Only a cold kettle may be opened.", *steps[1:])
    assert cut(*needed) == ReplyExcerpt("Only a cold kettle may be opened. Close the lid. Press the ring.", (0, 1, 2))
    assert cut("It is the kettle that leaks. Close the lid.", question="my kettle leaks") == ReplyExcerpt(
        "Close the lid.", (0,)
    )
    normal = ("A few drops are normal.", "1. Close the lid.")
    assert cut(*normal, question="is it normal that it leaks?") == ReplyExcerpt(
        " ".join((normal[0], "Close the lid.")), (0, 1)
    )


def test_the_sentence_that_says_a_fact_is_sought() -> None:
    points = ("- The lid closes with a loud click after a while.", "- A leaking ring is replaced for free: part R2.")
    found = cut(*points, question="is the leaking ring replaced for free?")
    assert found == ReplyExcerpt("A leaking ring is replaced for free: part R2.", (1,))


def test_of_many_things_to_try_the_one_that_the_question_names_comes_first() -> None:
    points = ("- Check that the lid is closed.", "- A leaking ring is to be replaced: part R2.", LONG)
    found = cut(*points, question="the ring is leaking, I replaced it")
    assert found == ReplyExcerpt("A leaking ring is to be replaced: part R2.", (1,), is_cut=True)
    assert cut(*points, question="what now?") == ReplyExcerpt("Check that the lid is closed.", (0,), is_cut=True)


def test_alternatives_that_a_step_refers_to_bear_their_names() -> None:
    quotes = ("1. Open it as described above.", "### Kettle\n\nLift the lid.", "### Pot\n\nTurn the lid.", "2. Pour.")
    steps = ("Open it as described above.", "Kettle\nLift the lid.", "Pot\nTurn the lid.", "Pour.")
    found = excerpt(steps, quotes, "it is shut", RULES)
    assert found == ReplyExcerpt("Kettle: Lift the lid. Pot: Turn the lid. Pour.", (1, 2, 3))


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


def test_before_any_advice_only_complete_first_steps_that_the_customer_reports_are_left_out() -> None:
    steps = ("1. Press the rubber ring until it clicks.", "2. Turn the grey dial to mark zero.", "3. Fill it.")
    assert cut(*steps, said="I pressed the rubber ring, it clicks", reports=True) == ReplyExcerpt(
        "Turn the grey dial to mark zero. Fill it.", (1, 2)
    )
    told = "I turned the grey dial to mark zero"
    assert cut(*steps, said=told, reports=True) == cut(*steps)
    assert cut(*steps, said=told) == ReplyExcerpt("Fill it.", (2,))


def test_behind_what_was_said_the_next_step_comes_first_whatever_the_question_names() -> None:
    tries = (
        "- Close the small lid with a click.",
        "- Descale it with one sachet.",
        "- A leaking ring is to be replaced: R2.",
    )
    question, said = "leaking ring, replace it?", "I closed the small lid, it clicked"
    found = cut(*tries, LONG, question=question)
    assert found is not None and found.text.startswith("A leaking ring")
    assert cut(*tries, LONG, question=question, said=said) == ReplyExcerpt(
        "Descale it with one sachet.", (1,), is_cut=True
    )


def test_words_of_the_title_tell_no_step_and_rows_of_a_table_are_none() -> None:
    steps = ("Check the small grey lid of the kettle.", "Descale the plate.")
    said = "the small grey lid of my kettle leaks"
    assert cut(*steps, said=said) == ReplyExcerpt("Descale the plate.", (1,))
    whole = excerpt(
        steps, steps, "it leaks", RULES, said=SaidBefore(content_words(said)), title="The small grey lid leaks"
    )
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
    steps = ("1. Unplug the kettle.", "2. Turn it over.", "3. Dry the ring with a cloth.", f"4. {LONG[2:]}")
    assert cut(*steps, condition="With a filter") == ReplyExcerpt(
        "With a filter: Unplug the kettle. Turn it over.", (0, 1), is_cut=True
    )


def test_nothing_is_cut_within_a_sentence() -> None:
    assert cut("Descale " + "slowly " * WORDS_OF_WHOLE + "today.") is None


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
    assert excerpt(steps, quotes, "it leaks", RULES) is None


def test_lines_of_code_are_not_sent_as_sentences() -> None:
    code = "```\n# note\nlisten 443;\ncamera=();\n```"
    step = "Put this into the file:\n# note\nlisten 443;\ncamera=();"
    rules = ReplyRules()
    quote = f"Put this into the file:\n\n{code}"
    assert excerpt([step, "Then restart it."], [quote, "Then restart it."], "how do I configure it", rules) is None
    found = excerpt(["Stop the server.", step], ["Stop the server.", quote], "how do I configure it", rules)
    assert found is not None and found.text == "Stop the server."
    one = excerpt(["Run this:\nsudo apt update"], ["Run this:\n\n```\nsudo apt update\n```"], "how do I update", rules)
    assert one is not None and one.text == "Run this: sudo apt update."
