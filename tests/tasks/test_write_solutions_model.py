"""What is made of a model's solutions: quotes cut out at its numbers, wordings supported, the rest left out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from autokb.core.attributes import from_lists
from autokb.core.domain import read_domain
from autokb.core.model_requests import ModelReply
from autokb.heuristics.solutions.solution import Excerpt, WriteSolutions, WrittenSolutions
from autokb.tasks.asking import read_reply, reply_schema, request_for
from autokb.tasks.issues.write_solutions.passages import passages_of
from autokb.tasks.issues.write_solutions.task import TASK
from autokb.tasks.task import Read
from autokb.text.conditional_markup import find_conditionals

SPEC = read_domain({"attributes": {"os": {"values": ["Windows", "macOS"]}, "tip": {"kind": "open"}}})
RESET = "# Reset\n\nTo reset:\n\n1. Open the lid.\n2. Hold the **button** for 10 seconds.\n3. Do not shake it.\n"
SOUND = "Press {for win}Alt{/for}{for mac}Option{/for} and F5.\n\n## On macOS\n\nOpen System Settings.\n"
ANY = {"os": ["Any"], "tip": ["Any"]}


def excerpt(name: str, text: str, **more: Any) -> Excerpt:
    return Excerpt(name, f"Buds {name}", (), text, tuple(find_conditionals(text)), ((0, len(text), 0.6),), **more)


ONE, TWO, OTHER = excerpt("reset", RESET), excerpt("sound", SOUND), excerpt("other", "Charge both buds.", offset=50)
LEAD, LID, HOLD, SHAKE = 1, 2, 3, 4  # places of ONE alone
PRESS, SETTINGS = 1, 2  # and of TWO


def node(*excerpts: Excerpt, **attributes: list[str]) -> WriteSolutions:
    given = from_lists(attributes)
    return WriteSolutions("Buds are silent", given, "Earbuds", SPEC.attributes, (), excerpts, "tree")


def step(*places: int, text: str = "") -> dict[str, Any]:
    return {"places": list(places), "text": text}


def draft(number: int, *steps: dict[str, Any], title: str = "Reset", **more: Any) -> dict[str, Any]:
    return {"id": number, "title": title, "attributes": {**ANY, **more}, "steps": list(steps)}


def read(items: tuple[WriteSolutions, ...], drafts: list[Any], *own: list[int]) -> list[Read[WrittenSolutions]]:
    answers = [{"number": n, "solutions": ids} for n, ids in enumerate(own, 1)]
    reply = ModelReply(json.dumps({"solutions": drafts, "answers": answers}), 1, 1)
    return read_reply(TASK, items, reply)


def only(item: WriteSolutions, *drafts: Any) -> Read[WrittenSolutions]:
    (found,) = read((item,), list(drafts), [d["id"] for d in drafts])
    assert found.error == ""
    return found


def solutions(found: Read[WrittenSolutions]) -> list[tuple[str, str, list[str]]]:
    assert found.answer is not None
    return [(s.status, s.title, [one.text for one in s.steps]) for s in found.answer.solutions]


def quotes(found: Read[WrittenSolutions]) -> list[str]:
    assert found.answer is not None
    return [one.quote for solution in found.answer.solutions for one in solution.steps]


def test_an_empty_text_is_the_place_as_people_read_it() -> None:
    found = only(node(ONE), draft(1, step(LID), step(HOLD)))
    assert solutions(found) == [("displayed", "Reset", ["Open the lid.", "Hold the button for 10 seconds."])]
    assert found.answer is not None
    assert (found.complaints, found.answer.left_out) == ((), ())
    (written,) = found.answer.solutions
    assert quotes(found) == ["1. Open the lid.", "2. Hold the **button** for 10 seconds."]
    assert (written.headings, written.which, written.similarity) == (("Reset",), 0, 0.6)
    assert written.attributes == ANY


def test_places_that_follow_each_other_are_one_quote() -> None:
    found = only(node(ONE), draft(1, step(LEAD, LID), step(HOLD, SHAKE)))
    assert quotes(found) == [
        "To reset:\n\n1. Open the lid.",
        "2. Hold the **button** for 10 seconds.\n3. Do not shake it.",
    ]
    assert solutions(found)[0][2][0] == "To reset: Open the lid."


def test_places_that_are_apart_are_steps_of_their_own_and_lose_the_words_about_both() -> None:
    found = only(node(ONE), draft(1, step(SHAKE, LID, text="Open the lid. Do not shake it.")))
    assert solutions(found) == [("displayed", "Reset", ["Do not shake it.", "Open the lid."])]
    assert found.answer is not None
    assert [x.part for x in found.answer.left_out] == ["Solution 1, step 1, its own words"]
    over_a_heading = only(node(TWO), draft(1, step(PRESS, SETTINGS)))
    assert quotes(over_a_heading) == ["Press {for win}Alt{/for}{for mac}Option{/for} and F5.", "Open System Settings."]


def test_numbers_run_on_through_all_passages() -> None:
    found = only(node(TWO, ONE), draft(1, step(LID + 2)))
    assert found.answer is not None
    assert [s.excerpt for s in found.answer.solutions] == [1]
    assert quotes(found) == ["1. Open the lid."]


def test_steps_of_one_solution_can_come_from_several_passages() -> None:
    found = only(node(OTHER, ONE), draft(1, step(1), step(LID + 1)))
    assert found.answer is not None
    (written,) = found.answer.solutions
    assert (written.excerpt, [s.excerpt for s in written.steps]) == (0, [None, 1])
    assert [written.excerpt_of(s) for s in written.steps] == [0, 1]


def test_a_step_without_a_number_that_is_there_is_worth_a_repair_and_then_left_out() -> None:
    found = only(node(ONE), draft(1, step(LID), step(99)))
    assert found.complaints == ("Solution 1, step 2: there is no place 99; the passages have 1 to 4.",)
    assert solutions(found) == [("repaired", "Reset", ["Open the lid."])]
    assert found.answer is not None
    assert [x.part for x in found.answer.left_out] == ["Solution 1, step 2"]
    assert found.answer.solutions[0].reason.startswith("Left out the model’s step 2: there is no place 99")
    assert (
        only(node(ONE), draft(1, step(LID), step()))
        .complaints[0]
        .endswith("it names no place; the passages have 1 to 4.")
    )


def test_a_solution_without_its_first_step_or_most_of_its_steps_is_withheld() -> None:
    first = only(node(ONE), draft(1, step(99), step(LID), step(HOLD)))
    assert [status for status, *_ in solutions(first)] == ["withheld"]
    most = only(node(ONE), draft(1, step(LID), step(97), step(98)))
    assert [status for status, *_ in solutions(most)] == ["withheld"]
    for found, loss in ((first, "Without its first step"), (most, "Most of its steps")):
        assert found.answer is not None and found.answer.solutions[0].reason.startswith(loss)


def test_a_wrong_number_beside_a_right_one_costs_no_repair() -> None:
    found = only(node(ONE), draft(1, step(LID, 0), step(HOLD, 99)))
    assert solutions(found) == [("displayed", "Reset", ["Open the lid.", "Hold the button for 10 seconds."])]
    assert found.complaints == ()
    assert found.answer is not None
    assert [x.part for x in found.answer.left_out] == ["Solution 1, step 1, place 0", "Solution 1, step 2, place 99"]


def test_with_no_step_that_can_be_used_a_solution_is_withheld_where_it_names_a_passage() -> None:
    others = node(TWO, os=["Windows"])
    assert solutions(only(others, draft(1, step(SETTINGS), title="Settings"))) == [("withheld", "Settings", [])]
    found = only(node(ONE), draft(1, step(77), title="Send money"))
    assert solutions(found) == []
    assert len(found.complaints) == 1
    nowhere = only(node(), draft(1, step(1)))
    assert solutions(nowhere) == []


def test_words_that_the_place_does_not_carry_give_way_to_it() -> None:
    found = only(node(ONE), draft(1, step(LID, text="Open the lid and type your password.")))
    assert solutions(found) == [("displayed", "Reset", ["Open the lid."])]
    assert found.complaints == ()
    assert found.answer is not None
    assert [x.part for x in found.answer.left_out] == ["Solution 1, step 1, its own words"]
    kept = only(node(ONE), draft(1, step(HOLD, text="For 10 seconds, press the button.")))
    assert solutions(kept) == [("displayed", "Reset", ["Hold the button for 10 seconds."])]
    said = only(node(ONE), draft(1, step(HOLD, text="For 10 seconds, hold the button.")))
    assert solutions(said)[0][2] == ["For 10 seconds, hold the button."]
    turned = only(node(ONE), draft(1, step(SHAKE, text="Shake it.")))
    assert solutions(turned)[0][2] == ["Do not shake it."]


def test_a_title_that_the_document_does_not_carry_gives_way_to_a_heading() -> None:
    found = only(node(ONE), draft(1, step(LID), title="Send us your PIN"))
    assert solutions(found) == [("displayed", "Reset", ["Open the lid."])]
    found = only(node(OTHER), draft(1, step(1), title="Visit evil.example"))
    assert solutions(found) == [("displayed", "Buds other", ["Charge both buds."])]


def test_a_title_may_use_any_of_the_passages_words() -> None:
    found = only(node(ONE), draft(1, step(LID), title="Reset by the button for 10 seconds"))
    assert solutions(found) == [("displayed", "Reset by the button for 10 seconds", ["Open the lid."])]
    elsewhere = only(node(ONE, OTHER), draft(1, step(LID), title="Charge both buds"))
    assert solutions(elsewhere)[0][1] == "Reset"


def test_the_order_of_an_answer_is_kept() -> None:
    found = only(node(ONE, OTHER), draft(2, step(SHAKE), title="Reset"), draft(1, step(5), title="Charge both buds"))
    assert [title for _, title, _ in solutions(found)] == ["Reset", "Charge both buds"]


def test_a_step_reads_as_its_node_reads_it() -> None:
    found = only(node(TWO, os=["macOS"], tip=["Any"]), draft(1, step(PRESS), title="Press F5"))
    assert solutions(found) == [("displayed", "Press F5", ["Press Option and F5."])]
    assert found.answer is not None
    assert found.answer.solutions[0].attributes == {"os": ["macOS"], "tip": ["Any"]}


def test_what_is_written_for_others_is_left_out_whatever_the_model_says() -> None:
    found = only(node(TWO, os=["Windows"]), draft(1, step(SETTINGS), step(PRESS)))
    assert solutions(found)[0][2] == ["Press Alt and F5."]
    assert found.complaints == ()
    assert found.answer is not None
    assert "written for others" in found.answer.solutions[0].reason


def test_a_solution_for_another_value_is_withheld() -> None:
    found = only(node(ONE, os=["Windows"]), draft(1, step(LID), os=["macOS"]))
    assert solutions(found) == [("withheld", "Reset", ["Open the lid."])]
    assert found.answer is not None
    assert found.answer.solutions[0].reason == "It holds for other values than the issue's."


def test_places_say_for_whom_a_solution_holds_where_the_model_says_nothing() -> None:
    found = only(node(TWO), draft(1, step(SETTINGS)))
    assert found.answer is not None
    assert found.answer.solutions[0].attributes["os"] == ["macOS"]


def test_a_solution_that_a_model_gives_to_all_is_not_narrowed_by_one_step_for_some() -> None:
    both = node(excerpt("mixed", "Open the lid.\n\nPress F5.\n\n## On macOS\n\nOpen System Settings.\n"))
    mixed = only(both, draft(1, step(1), step(3)))
    assert mixed.answer is not None
    assert [s.text for s in mixed.answer.solutions[0].steps] == ["Open the lid.", "Open System Settings."]
    assert mixed.answer.solutions[0].attributes["os"] == ["Any"]


def test_an_open_value_that_nothing_names_is_not_taken() -> None:
    found = only(node(ONE, tip=["Foam"]), draft(1, step(LID), tip=["Gold"]))
    assert found.answer is not None
    assert (found.answer.solutions[0].attributes["tip"], found.answer.solutions[0].status) == (["Any"], "displayed")
    same = only(node(ONE, tip=["Foam"]), draft(1, step(LID), tip=["foam"]))
    assert same.answer is not None
    assert same.answer.solutions[0].attributes["tip"] == ["Foam"]


def test_a_shared_solution_is_written_once_and_read_for_each_node() -> None:
    items = (node(ONE), node(OTHER, ONE), node(TWO))
    assert [e.document for e in passages_of(items)] == ["reset", "other", "sound"]
    found = read(items, [draft(1, step(LID))], [1], [1], [1])
    assert [solutions(one) for one in found[:2]] == [[("displayed", "Reset", ["Open the lid."])]] * 2
    assert [one.answer.solutions[0].excerpt for one in found[:2] if one.answer] == [0, 1]
    assert solutions(found[2]) == []
    assert found[2].complaints == ()
    assert found[2].answer is not None
    assert "was not found for this issue" in found[2].answer.left_out[0].reason


def test_a_shared_solution_that_lacks_a_step_for_one_node_is_worth_a_repair() -> None:
    items = (node(ONE, OTHER), node(ONE))
    charge = 5
    found = read(items, [draft(1, step(LID), step(charge))], [1], [1])
    assert solutions(found[0]) == [("displayed", "Reset", ["Open the lid.", "Charge both buds."])]
    assert solutions(found[1]) == [("repaired", "Reset", ["Open the lid."])]
    assert found[0].complaints == ()
    assert found[1].complaints == ("Solution 1, step 2: its lines were not found for this issue.",)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"steps": "Open the lid."}, "valid list"),
        ({"attributes": {**ANY, "os": ["BeOS"]}}, "Windows"),
        ({"attributes": {"os": ["Any"]}}, "Field required"),
        ({"thoughts": "hm", "title": None}, "valid string"),
        ({"title": 7}, "valid string"),
    ],
)
def test_a_solution_that_does_not_read_leaves_the_others_alone(change: dict[str, Any], reason: str) -> None:
    drafts = [draft(1, step(LID)), {**draft(2, step(LID)), **change}]
    first, second = read((node(ONE), node(ONE)), drafts, [1], [2])
    assert solutions(first) == [("displayed", "Reset", ["Open the lid."])]
    assert first.complaints == ()
    assert (solutions(second), second.error) == ([], "")
    assert len(second.complaints) == 1
    assert reason in second.complaints[0]


def test_ids_that_are_not_there_or_stand_twice_are_named() -> None:
    twice = [draft(1, step(LID)), draft(1, step(HOLD))]
    (found,) = read((node(ONE),), twice, [1])
    assert [c.split(":")[0] for c in found.complaints] == ["Solution 1"]
    (found,) = read((node(ONE),), [draft(1, step(LID))], [9])
    assert [c.split(":")[0] for c in found.complaints] == ["Solution 9"]
    assert solutions(found) == []


def test_an_id_that_is_not_there_beside_one_that_is_costs_no_repair() -> None:
    (found,) = read((node(ONE),), [draft(1, step(LID))], [1, 9, 1])
    assert solutions(found) == [("displayed", "Reset", ["Open the lid."])]
    assert found.complaints == ()
    assert [(part.part, part.reason) for part in found.answer.left_out] == [("Solution 9", "there is no such solution")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"places": 2, "text": ""},
        {"places": ["two"], "text": ""},
        {"text": ""},
        {"places": [2], "quote": ""},
    ],
)
def test_one_step_that_does_not_read_spoils_no_other(wrong: dict[str, Any]) -> None:
    found = only(node(ONE), draft(1, step(LID), wrong))
    assert solutions(found) == [("repaired", "Reset", ["Open the lid."])]
    assert len(found.complaints) == 1


def test_the_same_steps_are_shown_once() -> None:
    found = only(node(ONE), draft(1, step(LID)), draft(2, step(LID), title="Lid"))
    assert solutions(found) == [("displayed", "Reset", ["Open the lid."])]


def test_without_attributes_the_reply_has_none_and_the_solution_holds_for_any() -> None:
    item = replace(node(ONE), with_attributes=False)
    plain = {k: v for k, v in draft(1, step(LID)).items() if k != "attributes"}
    found = only(item, plain)
    assert solutions(found) == [("displayed", "Reset", ["Open the lid."])]
    assert found.answer is not None
    assert found.answer.solutions[0].attributes == ANY
    assert "attributes" not in json.dumps(reply_schema(TASK, [item]))
    assert '"attributes"' not in request_for(TASK, [item], "openai:x").messages[0].text


def test_a_node_that_is_asked_about_alone_can_have_five_solutions() -> None:
    steps = "\n".join(f"{n}. Press key {n}." for n in range(1, 7))
    item = replace(node(excerpt("keys", steps)), with_attributes=False)
    drafts = [{"id": n, "title": "Press key", "steps": [step(n)]} for n in range(1, 6)]
    assert len(solutions(only(item, *drafts))) == 5
    assert "At most 5 solutions" in request_for(TASK, [item], "openai:x").messages[0].text
    assert "At most 4 solutions" in request_for(TASK, [node(ONE)], "openai:x").messages[0].text


def test_with_a_scratchpad_the_reply_begins_with_reasoning_that_nobody_keeps() -> None:
    item = replace(node(ONE), scratchpad=True)
    assert list(reply_schema(TASK, [item])["properties"]) == ["reasoning", "solutions", "answers"]
    reply = {"reasoning": "Line 2.", "solutions": [draft(1, step(LID))], "answers": [{"number": 1, "solutions": [1]}]}
    (found,) = read_reply(TASK, (item,), ModelReply(json.dumps(reply), 1, 1))
    assert solutions(found) == [("displayed", "Reset", ["Open the lid."])]
    system = request_for(TASK, [item], "openai:x").messages[0].text
    assert system.count('"reasoning"') == 1
    assert "`reasoning`" in system
    without = request_for(TASK, [node(ONE)], "openai:x")
    assert "reasoning" not in without.messages[0].text
    assert TASK.key(item) == TASK.key(node(ONE))
    assert TASK.together(item) != TASK.together(node(ONE))
    assert request_for(TASK, [item], "openai:x").max_tokens > without.max_tokens


def test_tree_and_manner_are_no_part_of_the_key_and_decide_what_shares_a_request() -> None:
    one = node(ONE)
    assert TASK.key(one) == TASK.key(replace(one, tree="x", with_attributes=False))
    assert TASK.together(one) != TASK.together(replace(one, tree="x"))
    assert TASK.together(one) == TASK.together(node(TWO, os=["macOS"]))
