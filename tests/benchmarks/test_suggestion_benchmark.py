"""The benchmark of suggestions takes helpers' answers for the truth, never the asker's, and none of their links."""

from __future__ import annotations

from typing import Any

from benchmarks.suggestions import cases, chosen_reply, past_chats

LONG = "Open the account settings and choose another port for the server."
LINK = f"It is all written here: https://support.mozilla.org/en-US/kb/ports#w_x {LONG}"


def answer(text: str, *, accepted: bool = False) -> dict[str, Any]:
    return {"text": text, "is_accepted_solution": accepted}


def issue(name: str, *slugs: str) -> dict[str, Any]:
    return {"issue_id": name, "title": "No mail", "text": "since today", "gold_kb": [{"slug": s} for s in slugs]}


def test_the_accepted_answer_stands_before_one_that_links_an_article() -> None:
    given = [answer(LINK), answer(LONG, accepted=True)]
    assert chosen_reply(given, links=True) == (LONG, True)
    reply, accepted = chosen_reply(given[:1], links=True)
    assert (reply, accepted) == (f"It is all written here: {LONG}", False)  # without its address
    assert chosen_reply(given[:1], links=False) == ("", False)


def test_an_answer_that_is_hardly_more_than_a_link_is_no_reply() -> None:
    assert chosen_reply([answer("See https://support.mozilla.org/kb/ports now", accepted=True)], links=True) == (
        "",
        False,
    )


def test_cases_have_what_the_evaluation_reads() -> None:
    asked = [issue("a", "ports"), issue("b"), issue("c")]
    answers = {"a": [answer(LINK)], "b": [answer(LONG, accepted=True)], "c": [answer(LONG)]}
    first, second = cases(asked, answers)
    assert (first["id"], first["documents"], first["accepted"]) == ("a", ["ports"], False)
    assert first["messages"] == [{"role": "customer", "text": "No mail\nsince today"}]
    assert (second["id"], second["documents"], second["accepted"]) == ("b", [], True)


def test_the_incumbent_knows_any_helpers_answer_of_the_earlier_part() -> None:
    (chat,) = past_chats([issue("c"), issue("d")], {"c": [answer("Which one?"), answer(LONG)], "d": []})
    assert chat["conversation"] == "c"
    assert chat["messages"][1] == {"role": "agent", "text": LONG}
