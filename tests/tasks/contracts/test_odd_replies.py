"""Every task reads good replies in any clothes, and calls odd ones what they are."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
from odd_replies import (
    ONE_WRONG,
    RIGHT,
    WRONG,
    as_text,
    entries_with_one_wrong_field,
    said,
    with_each_number_as,
    with_long_strings,
)
from samples import SAMPLES, Sample

from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import ERROR_CHARACTERS, read_reply, wrong
from autokb.tasks.task import Read

LONGEST_ERROR = ERROR_CHARACTERS + 40  # the number of its item stands before what was wrong


@lru_cache
def sample(name: str) -> Sample:
    return SAMPLES[name]()


def read(name: str, reply: ModelReply) -> list[Read[Any]]:
    it = sample(name)
    return read_reply(it.task, it.items, reply)


@lru_cache
def right(name: str) -> list[Read[Any]]:
    return read(name, said(as_text(sample(name).reply)))


every_task = pytest.mark.parametrize("name", sorted(SAMPLES))


@every_task
def test_a_right_reply_is_read_whatever_it_wears(name: str) -> None:
    for kind, dressed in RIGHT.items():
        found = read(name, said(dressed(sample(name).reply)))
        assert found == right(name), kind
        assert [r.error for r in found] == [""] * len(found), kind


@every_task
def test_a_wrong_reply_is_an_error_of_every_item(name: str) -> None:
    for kind, (made, reason) in WRONG.items():
        found = read(name, made(sample(name).reply))
        assert len(found) == len(sample(name).items), kind
        for item in found:
            assert item.answer is None and reason in item.error and len(item.error) <= LONGEST_ERROR, (kind, item)
        assert reason in wrong(found), kind


@every_task
def test_a_wrong_entry_is_an_error_of_its_item_alone(name: str) -> None:
    for kind, (made, reason) in ONE_WRONG.items():
        first, *others = read(name, said(as_text(made(sample(name).reply))))
        assert first.answer is None, kind
        assert reason in first.error, kind
        assert others == right(name)[1:], kind


@every_task
def test_a_field_of_another_type_is_an_error_of_its_item_alone(name: str) -> None:
    for kind, reply in entries_with_one_wrong_field(sample(name).reply):
        first, *others = read(name, said(as_text(reply)))
        assert first.answer is None, kind
        assert first.error.startswith("Number 1"), kind
        assert others == right(name)[1:]


def _used(found: list[Read[Any]]) -> list[Any]:
    """Return the answers without the reasons for what was left out."""
    return [one.answer and one.answer.model_dump(exclude={"left_out"}) for one in found]


@every_task
def test_true_is_no_number(name: str) -> None:
    reply = sample(name).reply
    pairs = list(zip(with_each_number_as(reply, True), with_each_number_as(reply, "one"), strict=True))
    assert pairs, "every reply has the number of its first entry"
    for with_true, with_words in pairs:
        found = read(name, said(as_text(with_true)))
        assert found != right(name)
        assert _used(found) == _used(read(name, said(as_text(with_words))))


@every_task
def test_very_long_strings_are_neither_taken_nor_repeated(name: str) -> None:
    long = with_long_strings(sample(name).reply)
    found = read(name, said(as_text(long)))
    assert wrong(found) or long == sample(name).reply  # a reply of numbers has no strings
    assert "very long very long very long" not in repr(found)
    assert all(len(r.error) <= LONGEST_ERROR for r in found)
