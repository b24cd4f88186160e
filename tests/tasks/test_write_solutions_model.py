"""What is made of a model's solutions: quotes found, wordings supported, the rest left out with its reason."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from autokb.core.attributes import from_lists
from autokb.core.domain import read_domain
from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import Read, read_reply, reply_schema, request_for
from autokb.tasks.issues.write_solutions.reply_reader import passages_of
from autokb.tasks.issues.write_solutions.task import TASK, Excerpt, WriteSolutions, WrittenSolutions
from autokb.text.conditional_markup import find_conditionals

SPEC = read_domain({"attributes": {"os": {"values": ["Windows", "macOS"]}, "tip": {"kind": "open"}}})
RESET = "# Reset\n\nTo reset:\n\n1. Open the lid.\n2. Hold the **button** for 10 seconds.\n3. Do not shake it.\n"
SOUND = "Press {for win}Alt{/for}{for mac}Option{/for} and F5.\n\n## On macOS\n\nOpen System Settings.\n"
ANY = {"os": ["Any"], "tip": ["Any"]}


def excerpt(name: str, text: str, **more: Any) -> Excerpt:
    return Excerpt(name, f"Buds {name}", (), text, tuple(find_conditionals(text)), ((0, len(text), 0.6),), **more)


ONE, TWO, OTHER = excerpt("reset", RESET), excerpt("sound", SOUND), excerpt("other", "Charge both buds.", offset=50)


def node(*excerpts: Excerpt, **attributes: list[str]) -> WriteSolutions:
    given = from_lists(attributes)
    return WriteSolutions("Buds are silent", given, "Earbuds", SPEC.attributes, (), excerpts, "tree")


def step(quote: str, text: str = "", passage: int = 1) -> dict[str, Any]:
    return {"passage": passage, "quote": quote, "text": text}


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


def test_an_empty_text_is_the_quote_as_people_read_it() -> None:
    found = only(node(ONE), draft(1, step("Open the lid."), step("Hold the button for 10 seconds.")))
    assert solutions(found) == [("displayed", "Reset", ["Open the lid.", "Hold the button for 10 seconds."])]
    assert found.answer is not None
    assert (found.complaints, found.answer.left_out) == ((), ())
    (written,) = found.answer.solutions
    assert [s.quote for s in written.steps] == ["1. Open the lid.", "2. Hold the **button** for 10 seconds."]
    assert (written.headings, written.which, written.similarity) == (("Reset",), 0, 0.6)
    assert written.attributes == ANY


def test_a_quote_as_the_prompt_escaped_it_is_found() -> None:
    dry = excerpt("dry", "Dry a <b>wet</b> bud.")
    found = only(node(dry), draft(1, step("Dry a &lt;b>wet&lt;/b> bud."), title="Buds dry"))
    assert found.answer is not None
    assert [s.quote for s in found.answer.solutions[0].steps] == ["Dry a <b>wet</b> bud."]


def test_a_quote_from_another_passage_is_corrected() -> None:
    found = only(node(TWO, ONE), draft(1, step("Open the lid.", passage=1), step("Open the lid.", passage=77)))
    assert found.complaints == ()
    assert found.answer is not None
    assert [s.excerpt for s in found.answer.solutions] == [1]
    assert {s.excerpt for s in found.answer.solutions[0].steps} == {None}


def test_steps_of_one_solution_can_come_from_several_passages() -> None:
    found = only(node(OTHER, ONE), draft(1, step("Charge both buds.", passage=1), step("Open the lid.", passage=2)))
    assert found.answer is not None
    (written,) = found.answer.solutions
    assert (written.excerpt, [s.excerpt for s in written.steps]) == (0, [None, 1])
    assert [written.excerpt_of(s) for s in written.steps] == [0, 1]


def test_a_step_without_a_true_quote_is_worth_a_repair_and_then_left_out() -> None:
    found = only(node(ONE), draft(1, step("Open the lid."), step("Call 555-0199.")))
    assert found.complaints == (
        "Solution 1, step 2: its quote 'Call 555-0199.' stands in no passage; copy it word for word.",
    )
    assert solutions(found) == [("repaired", "Reset", ["Open the lid."])]
    assert found.answer is not None
    assert [x.part for x in found.answer.left_out] == ["Solution 1, step 2"]
    assert found.answer.solutions[0].reason.startswith("Left out step 2: its quote 'Call 555-0199.'")


def test_with_no_true_step_a_solution_is_withheld() -> None:
    found = only(node(ONE), draft(1, step("Send money."), title="Send money"))
    assert solutions(found) == [("withheld", "Reset", [])]
    assert found.answer is not None
    assert "No step of it has a true quote." in found.answer.solutions[0].reason
    nowhere = only(node(), draft(1, step("Send money.")))
    assert solutions(nowhere) == []
    assert nowhere.answer is not None
    assert len(nowhere.answer.left_out) == 2


def test_words_that_the_quote_does_not_carry_give_way_to_the_quote() -> None:
    found = only(node(ONE), draft(1, step("Open the lid.", "Open the lid and type your password.")))
    assert solutions(found) == [("displayed", "Reset", ["Open the lid."])]
    assert found.complaints == ()
    assert found.answer is not None
    assert [x.part for x in found.answer.left_out] == ["Solution 1, step 1, its own words"]
    kept = only(node(ONE), draft(1, step("Hold the button for 10 seconds.", "For 10 seconds, press the button.")))
    assert solutions(kept) == [("displayed", "Reset", ["Hold the button for 10 seconds."])]
    said = only(node(ONE), draft(1, step("Hold the button for 10 seconds.", "For 10 seconds, hold the button.")))
    assert solutions(said)[0][2] == ["For 10 seconds, hold the button."]


def test_a_quote_out_of_a_warning_is_shown_as_the_warning() -> None:
    found = only(node(ONE), draft(1, step("shake it.", "Shake it.")))
    assert solutions(found) == [("displayed", "Reset", ["Do not shake it."])]


def test_a_title_that_the_document_does_not_carry_gives_way_to_a_heading() -> None:
    found = only(node(ONE), draft(1, step("Open the lid."), title="Send us your PIN"))
    assert solutions(found) == [("displayed", "Reset", ["Open the lid."])]
    found = only(node(OTHER), draft(1, step("Charge both buds."), title="Visit evil.example"))
    assert solutions(found) == [("displayed", "Buds other", ["Charge both buds."])]


def test_a_step_reads_as_its_node_reads_it() -> None:
    press = draft(1, step("Press {for win}Alt{/for}{for mac}Option{/for} and F5."), title="Press F5")
    found = only(node(TWO, os=["macOS"], tip=["Any"]), press)
    assert solutions(found) == [("displayed", "Press F5", ["Press Option and F5."])]
    assert found.answer is not None
    assert found.answer.solutions[0].attributes == {"os": ["macOS"], "tip": ["Any"]}


def test_what_is_written_for_others_is_left_out_whatever_the_model_says() -> None:
    found = only(node(TWO, os=["Windows"]), draft(1, step("Open System Settings."), step("and F5.")))
    assert solutions(found)[0][2] == ["and F5."]
    assert found.complaints == ()
    assert found.answer is not None
    assert "written for others" in found.answer.solutions[0].reason


def test_a_solution_for_another_value_is_withheld() -> None:
    found = only(node(ONE, os=["Windows"]), draft(1, step("Open the lid."), os=["macOS"]))
    assert solutions(found) == [("withheld", "Reset", ["Open the lid."])]
    assert found.answer is not None
    assert found.answer.solutions[0].reason == "It holds for other values than the issue's."


def test_places_say_for_whom_a_solution_holds_where_the_model_says_nothing() -> None:
    found = only(node(TWO), draft(1, step("Open System Settings.")))
    assert found.answer is not None
    assert found.answer.solutions[0].attributes["os"] == ["macOS"]


def test_an_open_value_that_nothing_names_is_not_taken() -> None:
    found = only(node(ONE, tip=["Foam"]), draft(1, step("Open the lid."), tip=["Gold"]))
    assert found.answer is not None
    assert (found.answer.solutions[0].attributes["tip"], found.answer.solutions[0].status) == (["Any"], "displayed")
    same = only(node(ONE, tip=["Foam"]), draft(1, step("Open the lid."), tip=["foam"]))
    assert same.answer is not None
    assert same.answer.solutions[0].attributes["tip"] == ["Foam"]


def test_a_shared_solution_is_written_once_and_read_for_each_node() -> None:
    items = (node(ONE), node(OTHER, ONE), node(TWO))
    assert [e.document for e in passages_of(items)] == ["reset", "other", "sound"]
    found = read(items, [draft(1, step("Open the lid."))], [1], [1], [1])
    assert [solutions(one) for one in found[:2]] == [[("displayed", "Reset", ["Open the lid."])]] * 2
    assert [one.answer.solutions[0].excerpt for one in found[:2] if one.answer] == [0, 1]
    assert solutions(found[2]) == []
    assert found[2].complaints == ()
    assert found[2].answer is not None
    assert "was not found for this issue" in found[2].answer.left_out[0].reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"steps": "Open the lid."}, "valid list"),
        ({"attributes": {**ANY, "os": ["BeOS"]}}, "Windows"),
        ({"attributes": {"os": ["Any"]}}, "Field required"),
        ({"thoughts": "hm"}, "Extra inputs"),
        ({"title": 7}, "valid string"),
    ],
)
def test_a_solution_that_does_not_read_leaves_the_others_alone(change: dict[str, Any], reason: str) -> None:
    drafts = [draft(1, step("Open the lid.")), {**draft(2, step("Open the lid.")), **change}]
    first, second = read((node(ONE), node(ONE)), drafts, [1], [2])
    assert solutions(first) == [("displayed", "Reset", ["Open the lid."])]
    assert first.complaints == ()
    assert (solutions(second), second.error) == ([], "")
    assert len(second.complaints) == 1
    assert reason in second.complaints[0]


def test_ids_that_are_not_there_or_stand_twice_are_named() -> None:
    twice = [draft(1, step("Open the lid.")), draft(1, step("Hold the button"))]
    (found,) = read((node(ONE),), twice, [1, 9])
    assert [c.split(":")[0] for c in found.complaints] == ["Solution 1", "Solution 9"]
    assert solutions(found) == []


def test_one_step_that_does_not_read_spoils_no_other() -> None:
    found = only(node(ONE), draft(1, step("Open the lid."), {"passage": 1, "quote": 5, "text": ""}))
    assert solutions(found) == [("repaired", "Reset", ["Open the lid."])]
    assert len(found.complaints) == 1


def test_the_same_steps_are_shown_once() -> None:
    found = only(node(ONE), draft(1, step("Open the lid.")), draft(2, step("Open the lid."), title="Lid"))
    assert solutions(found) == [("displayed", "Reset", ["Open the lid."])]


def test_an_endless_quote_is_no_step() -> None:
    long = excerpt("long", "Press the key. " * 100)
    found = only(node(long), draft(1, step(long.text)))
    assert [s[0] for s in solutions(found)] == ["withheld"]
    assert "longer than 900" in found.complaints[0]


def test_without_attributes_the_reply_has_none_and_the_solution_holds_for_any() -> None:
    item = replace(node(ONE), with_attributes=False)
    plain = {k: v for k, v in draft(1, step("Open the lid.")).items() if k != "attributes"}
    found = only(item, plain)
    assert solutions(found) == [("displayed", "Reset", ["Open the lid."])]
    assert found.answer is not None
    assert found.answer.solutions[0].attributes == ANY
    assert "attributes" not in json.dumps(reply_schema(TASK, [item]))
    assert '"attributes"' not in request_for(TASK, [item], "openai:x").messages[0].text


def test_tree_and_manner_are_no_part_of_the_key_and_decide_what_shares_a_request() -> None:
    one = node(ONE)
    assert TASK.key(one) == TASK.key(replace(one, tree="x", with_attributes=False))
    assert TASK.together(one) != TASK.together(replace(one, tree="x"))
    assert TASK.together(one) == TASK.together(node(TWO, os=["macOS"]))
