from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import autokb.tasks.chunking.add_context as room_folder
from autokb.tasks.chunking.add_context.task import ROOM, AddContext, AddedContext, Passage
from autokb.tasks.room import ReplyError

EXAMPLES = yaml.safe_load((Path(room_folder.__file__).parent / "examples.yaml").read_text(encoding="utf-8"))


def passage(data: dict) -> Passage:
    return Passage(data["text"], tuple(data["headings"]), data.get("context", ""))


def request(data: dict) -> AddContext:
    previous = passage(data["previous"]) if "previous" in data else None
    return AddContext(data["variant"], data["title"], tuple(map(passage, data["passages"])), previous)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e["why"])
def test_the_examples_get_the_answer_they_name(example):
    assert list(ROOM.answer_offline(request(example["input"])).contexts) == example["output"]["contexts"]


def test_chained_hands_on_what_document_gives_at_once():
    passages = [
        Passage("## A\n\nTo begin:\n\n1. one", ("A",)),
        Passage("2. two", ("A",)),
        Passage("3. three", ("A",)),
        Passage("Then rest.", ("A",)),
    ]
    at_once = ROOM.answer_offline(AddContext("document", "T", tuple(passages))).contexts
    previous = None
    for number, one in enumerate(passages):
        (context,) = ROOM.answer_offline(AddContext("chained", "T", (one,), previous)).contexts
        assert context == at_once[number]
        previous = Passage(one.text, one.headings, context)
    assert at_once[2] == "T > A\nTo begin:"


def test_repeated_headings_do_not_hide_that_a_list_goes_on():
    passages = (
        Passage("# T\n\n## A\n\nTo begin:\n\n1. one", ("T", "A")),
        Passage("# T\n\n## A\n\n2. two", ("T", "A")),
        Passage("# T\n\n## A\n\n3. three\n\n## B\n\nNew.", ("T", "A")),
        Passage("More.", ("T", "B")),
    )
    contexts = ROOM.answer_offline(AddContext("document", "T", passages)).contexts
    assert [c.split("\n")[1:] for c in contexts] == [[], ["To begin:"], ["To begin:"], ["New."]]


def test_a_title_that_is_also_the_first_heading_is_said_once():
    item = AddContext("document", "Mail", (Passage("x", ("Mail", "Ports")),))
    assert ROOM.answer_offline(item).contexts == ("Mail > Ports",)


def test_a_reply_with_a_context_too_few_is_refused():
    item = AddContext("document", "T", (Passage("a"), Passage("b")))
    with pytest.raises(ReplyError, match="2 passages but 1 contexts"):
        ROOM.check(item, AddedContext(contexts=("only one",)))
