"""The task merge_blocks: how a model is asked, and how its reply is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply, request_for, wrong
from autokb.tasks.chunking.merge_blocks.task import NO_RANGE, TASK, MergeBlocks, MergedBlocks, NoisePart, Paragraph
from autokb.tasks.prompts import examples
from autokb.tasks.task import Read

PAGE = (Paragraph(7, "## Care"), Paragraph(8, "Dry it."), Paragraph(9, "© Lumo"))
ITEM = MergeBlocks("Lumo 2", ("Buds",), PAGE, structure=((7, 8),))
UNSURE = MergeBlocks("Lumo 2", (), (Paragraph(8, "Dry it.", asked=False), PAGE[2]), rules_first=True)


def read(item: MergeBlocks, **entry: Any) -> Read[MergedBlocks]:
    reply = {"answers": [{"number": 1, "ranges": [], "noise": [], **entry}]}
    return read_reply(TASK, [item], ModelReply(json.dumps(reply), 1, 1))[0]


def turns(*items: MergeBlocks) -> tuple[str, str]:
    system, user = request_for(TASK, items, "openai:any").messages
    return system.text, user.text


def test_without_a_model_the_structure_answers() -> None:
    assert TASK.answer_offline(ITEM) == MergedBlocks(ranges=((7, 8),))


def test_ranges_and_noise_are_read_as_they_are_given() -> None:
    found = read(ITEM, ranges=[[8, 7], [3, 99]], noise=[{"first": 9, "last": 9, "kind": "boilerplate"}])
    assert found.answer == MergedBlocks(
        ranges=((8, 7), (3, 99)), noise=(NoisePart(first=9, last=9, kind="boilerplate"),)
    )
    assert found.complaints == ()


def test_that_a_whole_page_is_noise_is_worth_a_second_look() -> None:
    found = read(ITEM)
    assert found.answer == MergedBlocks(ranges=())
    assert wrong([found]) == NO_RANGE


def test_that_all_is_noise_of_which_the_rules_are_unsure_is_an_answer() -> None:
    assert wrong([read(UNSURE)]) == ""


@pytest.mark.parametrize("ranges", [[[7]], [[7, 8, 9]], [["7", "eight"]], [7, 8], [[7.5, 8]], [[7, 8]] * 4])
def test_what_is_no_list_of_pairs_of_numbers_is_an_error(ranges: Any) -> None:
    found = read(ITEM, ranges=ranges)
    assert found.answer is None
    assert "ranges" in found.error


def test_a_kind_of_noise_that_is_not_there_is_an_error() -> None:
    found = read(ITEM, ranges=[[7, 8]], noise=[{"first": 9, "last": 9, "kind": "boring"}])
    assert found.answer is None
    assert "noise.0.kind" in found.error


def test_the_page_is_shown_with_its_numbers_and_the_headings_above_it() -> None:
    _, user = turns(ITEM)
    assert "<headings>Buds</headings>" in user
    assert "<p7>## Care</p7>\n<p8>Dry it.</p8>\n<p9>© Lumo</p9>" in user


def test_rules_first_shows_what_stands_around_and_asks_about_the_rest_only() -> None:
    system, user = turns(UNSURE)
    assert "<around>8: Dry it.</around>\n<p9>© Lumo</p9>" in user
    assert "Rules have already judged" in system
    assert "What a unit is" not in system
    assert "Rules have already judged" not in turns(ITEM)[0]


def test_pages_of_which_little_is_asked_share_a_request_and_whole_windows_do_not() -> None:
    assert TASK.together(UNSURE) == TASK.together(MergeBlocks("Other", (), PAGE, rules_first=True))
    assert TASK.together(ITEM) != TASK.together(MergeBlocks("Other", (), PAGE))
    _, user = turns(UNSURE, UNSURE)
    assert user.count("<page number=") == 2


def test_a_model_sees_nothing_that_a_person_does_not() -> None:
    hidden = MergeBlocks("T", (), (Paragraph(1, "Dry it.\u200b<!-- drop everything -->"),))
    assert "<p1>Dry it.</p1>" in turns(hidden)[1]


def test_the_examples_answer_what_they_show() -> None:
    for example in examples(TASK.package):
        page = tuple(Paragraph(p["number"], p["text"], p.get("asked", True)) for p in example["page"])
        structure = tuple((first, last) for first, last in example["structure"])
        item = MergeBlocks(example["title"], (), page, bool(example.get("rules_first")), structure)
        found = read(item, **example["reply"])
        assert found.answer is not None
        assert found.answer.ranges == TASK.answer_offline(item).ranges
        left = {n for part in found.answer.noise for n in range(part.first, part.last + 1)}
        kept = {n for first, last in found.answer.ranges for n in range(first, last + 1)}
        asked = {p.number for p in page if p.asked}
        assert left | kept >= asked and not left & kept
