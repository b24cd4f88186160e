"""Questions and replies out of a manual without a model."""

from __future__ import annotations

from autokb.core.reply_rules import ReplyRules
from autokb.heuristics.question_answer_pairs import find_pair

RULES = ReplyRules(max_words=12, negative_words=("unfortunately",))


def test_the_heading_asks_and_the_first_sentences_reply() -> None:
    text = (
        "## Clean the charging contacts\n\nWipe both **contacts** with a dry cloth. Let them dry.\n\nThen charge it.\n"
    )
    found = find_pair(("Robot", "Clean the charging contacts"), text, RULES)
    assert found is not None
    assert (found.question, found.reply) == (
        "Clean the charging contacts",
        "Wipe both contacts with a dry cloth. Let them dry.",
    )
    assert found.quote == "Wipe both **contacts** with a dry cloth. Let them dry." and found.quote in text


def test_a_heading_that_says_too_little_has_those_above_in_front() -> None:
    found = find_pair(("Robot", "Charging contacts", "On Android"), "Wipe them dry.", RULES)
    assert found is not None and found.question == "Charging contacts: On Android"


def test_a_reply_ends_with_a_whole_sentence_where_the_rules_end_it() -> None:
    text = "Wipe the contacts. Then put the robot back into its dock and wait until the light is green."
    found = find_pair(("Charging contacts clean",), text, RULES)
    assert found is not None and (found.reply, found.quote) == ("Wipe the contacts.", "Wipe the contacts.")


def test_what_is_no_reply_by_itself_gives_no_pair() -> None:
    heading = ("Charging contacts clean",)
    assert find_pair(heading, "This helps in most cases.", RULES) is None  # what?
    assert find_pair(heading, "Unfortunately the robot must be repaired.", RULES) is None
    assert find_pair(heading, "| a | b |\n|---|---|\n| 1 | 2 |\n", RULES) is None
    assert find_pair((), "Wipe the contacts.", RULES) is None
    later = find_pair(heading, "This helps in most cases.\n\nWipe the contacts.", RULES)
    assert later is not None and later.reply == "Wipe the contacts."
