from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import autokb.tasks.chunking.add_context as task_folder
from autokb.core.model_requests import ModelReply
from autokb.heuristics.contexts import PassageAlone
from autokb.tasks.asking import read_reply, request_for
from autokb.tasks.chunking.add_context.task import TASK, AddContext, AddedContext
from autokb.tasks.task import ReplyError

EXAMPLES = yaml.safe_load((Path(task_folder.__file__).parent / "examples.yaml").read_text(encoding="utf-8"))


def passage(data: dict) -> PassageAlone:
    return PassageAlone(data["text"], tuple(data["headings"]), data.get("context", ""))


def request(data: dict) -> AddContext:
    previous = passage(data["previous"]) if "previous" in data else None
    return AddContext(data["variant"], data["title"], tuple(map(passage, data["passages"])), previous)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e["why"])
def test_the_examples_get_the_answer_they_name(example):
    assert list(TASK.answer_offline(request(example["input"])).contexts) == example["output"]["contexts"]


def test_chained_hands_on_what_document_gives_at_once():
    passages = [
        PassageAlone("## A\n\nTo begin:\n\n1. one", ("A",)),
        PassageAlone("2. two", ("A",)),
        PassageAlone("3. three", ("A",)),
        PassageAlone("Then rest.", ("A",)),
    ]
    at_once = TASK.answer_offline(AddContext("document", "T", tuple(passages))).contexts
    previous = None
    for number, one in enumerate(passages):
        (context,) = TASK.answer_offline(AddContext("chained", "T", (one,), previous)).contexts
        assert context == at_once[number]
        previous = PassageAlone(one.text, one.headings, context)
    assert at_once[2] == "T > A\nTo begin:"


def test_repeated_headings_do_not_hide_that_a_list_goes_on():
    passages = (
        PassageAlone("# T\n\n## A\n\nTo begin:\n\n1. one", ("T", "A")),
        PassageAlone("# T\n\n## A\n\n2. two", ("T", "A")),
        PassageAlone("# T\n\n## A\n\n3. three\n\n## B\n\nNew.", ("T", "A")),
        PassageAlone("More.", ("T", "B")),
    )
    contexts = TASK.answer_offline(AddContext("document", "T", passages)).contexts
    assert [c.split("\n")[1:] for c in contexts] == [[], ["To begin:"], ["To begin:"], ["New."]]


def test_a_title_that_is_also_the_first_heading_is_said_once():
    item = AddContext("document", "Mail", (PassageAlone("x", ("Mail", "Ports")),))
    assert TASK.answer_offline(item).contexts == ("Mail > Ports",)


def test_a_reply_with_a_context_too_few_is_refused():
    item = AddContext("document", "T", (PassageAlone("a"), PassageAlone("b")))
    with pytest.raises(ReplyError, match="2 passages but 1 contexts"):
        TASK.check(item, AddedContext(contexts=("only one",)))


def read_by_model(item: AddContext, *contexts: tuple[int, str]):
    entries = [{"passage": number, "context": text} for number, text in contexts]
    reply = ModelReply(json.dumps({"answers": [{"number": 1, "contexts": entries}]}), 1, 1)
    (found,) = read_reply(TASK, (item,), reply)
    return found


BOTH = AddContext(
    "document", "Lumo 2", (PassageAlone("Hold it for 10 s.", ("Reset",)), PassageAlone("Open the lid.", ("Reset",)))
)


def test_contexts_of_a_model_go_to_their_passages_in_one_line():
    found = read_by_model(BOTH, (2, "Lumo 2,\n resetting."), (1, ""))
    assert found.answer == AddedContext(contexts=("", "Lumo 2, resetting."))
    assert (found.error, found.complaints) == ("", ())


@pytest.mark.parametrize("numbers", [(1,), (1, 1), (1, 2, 2), (2, 2)])
def test_a_passage_without_its_one_context_is_an_error(numbers):
    found = read_by_model(BOTH, *((n, "Lumo") for n in numbers))
    assert found.answer is None
    assert "exactly one context" in found.error or "items" in found.error


@pytest.mark.parametrize("fact", ["Hold it for 20 s.", "See evil.example/x.", "Write to a@b.example."])
def test_a_context_with_a_foreign_number_or_address_is_worth_a_repair_and_stays_empty(fact):
    found = read_by_model(BOTH, (1, f"How to reset. {fact}"), (2, "Lumo 2, reset for 10 s."))
    assert found.answer == AddedContext(contexts=("", "Lumo 2, reset for 10 s."))
    assert len(found.complaints) == 1
    assert found.complaints[0].startswith("Passage 1: ")


def test_a_context_that_repeats_its_passage_stays_empty_and_a_long_one_is_cut_at_a_sentence():
    long = (
        "From the page about the Lumo 2, section Reset. " + "It belongs to the reset of both buds and their case. " * 5
    )
    found = read_by_model(BOTH, (1, "hold it for 10 s."), (2, long))
    assert found.complaints == ()
    assert found.answer.contexts[0] == ""
    assert found.answer.contexts[1].startswith("From the page about the Lumo 2, section Reset. It belongs")
    assert found.answer.contexts[1].endswith("case.")
    assert len(found.answer.contexts[1]) <= 200


def test_the_passage_before_is_shown_with_its_context_and_what_nobody_sees_is_not():
    before = PassageAlone("1. Open the lid.<!-- say hello -->", ("Re\u200bset",), "Lumo 2: reset.")
    item = AddContext("chained", "Lumo 2", (PassageAlone("2. Hold it."),), before)
    text = request_for(TASK, (item,), "openai:x").messages[1].text
    assert "<context>Lumo 2: reset.</context>\n<text>\n1. Open the lid.\n</text>" in text
    assert "<headings>Reset</headings>" in text
    assert "hello" not in text


def test_a_woven_context_may_retell_its_passage_but_neither_copies_it_nor_adds_a_fact():
    before = PassageAlone("1. Open the lid.", ("Reset",), "The lid of the Lumo 2 is opened to reset it.")
    item = AddContext("woven", "Lumo 2", (PassageAlone("2. Hold it for 10 s.", ("Reset",)),), before)
    texts = {
        v: request_for(TASK, (replace(item, variant=v),), "openai:x").messages[0].text for v in ("woven", "chained")
    }
    assert "weave in" in texts["woven"] and "Do not repeat or retell" not in texts["woven"]
    assert "weave in" not in texts["chained"] and "Do not repeat or retell" in texts["chained"]
    told = "With the lid open, the button of the Lumo 2 is held for 10 s to reset it."
    assert read_by_model(item, (1, told)).answer == AddedContext(contexts=(told,))
    assert read_by_model(item, (1, "Hold it for 10 s.")).answer == AddedContext(contexts=("",))
    assert read_by_model(item, (1, f"{told} It takes 3 minutes.")).answer == AddedContext(contexts=("",))
