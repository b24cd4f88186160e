"""How a reply is repaired once, and which reading counts then."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from autokb.core.model_requests import ModelReply, ModelRequest, SendError
from autokb.tasks.asking import answer, read_reply, request_for
from autokb.tasks.issues.assign_theme.task import TASK, AssignTheme, AssignThemeTask
from autokb.tasks.issues.extract_attributes.task import TASK as EXTRACT
from autokb.tasks.task import Read

ITEMS = [AssignTheme("buds", text, ("Sound", "Battery")) for text in ("silent", "flat")]


SOUND, BATTERY, NO_THEME = 1, 2, 3  # the numbers of the themes, and one that is none's


def themes(*numbers: int) -> str:
    return json.dumps({"answers": [{"number": n, "theme": theme} for n, theme in enumerate(numbers, 1)]})


class Model:
    """Replies with the given texts, one after the other; an error is raised."""

    def __init__(self, *replies: str | Exception) -> None:
        self._replies = list(replies)
        self.asked: list[ModelRequest] = []

    async def ask(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return ModelReply(reply, 1, 1)


def answered(model: Model, items: Sequence[AssignTheme] = tuple(ITEMS)) -> list[Read[Any]]:
    return asyncio.run(answer(request_for(TASK, items, "openai:any"), TASK, items, model.ask))


def indexes(found: Sequence[Read[Any]]) -> list[int | None]:
    return [None if read.answer is None else read.answer.index for read in found]


def test_a_right_reply_is_asked_for_once() -> None:
    model = Model(themes(SOUND, BATTERY))
    assert indexes(answered(model)) == [0, 1]
    assert len(model.asked) == 1


def test_a_wrong_entry_is_repaired_and_what_was_right_before_counts() -> None:
    model = Model(themes(SOUND, NO_THEME), themes(BATTERY, BATTERY))
    assert indexes(answered(model)) == [0, 1]
    first, second = model.asked
    assert second.messages[: len(first.messages)] == first.messages
    assert [m.role for m in second.messages[len(first.messages) :]] == ["assistant", "user"]
    assert "Number 2: theme: Input should be 1 or 2" in second.messages[-1].text


def test_a_repair_that_spoils_what_was_right_is_not_taken() -> None:
    model = Model(themes(SOUND, NO_THEME), "I am sorry.")
    assert indexes(answered(model)) == [0, None]
    assert len(model.asked) == 2


def test_a_repair_that_cannot_be_sent_leaves_the_first_reading() -> None:
    assert indexes(answered(Model(themes(SOUND, NO_THEME), SendError("busy", retry=False)))) == [0, None]
    with pytest.raises(SendError, match="no key"):
        answered(Model(themes(SOUND, NO_THEME), SendError("no key", retry=False, fatal=True)))


def test_the_room_for_a_reply_is_that_of_its_entries_and_can_be_bounded() -> None:
    most = [TASK.tokens(item)[0] for item in ITEMS]
    assert request_for(TASK, ITEMS, "openai:any").max_tokens == 64 + sum(most)
    assert request_for(TASK, ITEMS, "openai:any", 70).max_tokens == 70


def test_a_task_is_named_by_its_folder() -> None:
    assert (TASK.name, TASK.package) == ("issues/assign_theme", "autokb.tasks.issues.assign_theme")
    assert (EXTRACT.name, EXTRACT.asks_models) == ("issues/extract_attributes", True)


@pytest.fixture
def masking(monkeypatch: pytest.MonkeyPatch) -> AssignThemeTask:
    """Return the task as if its texts held private data."""
    monkeypatch.setattr(AssignThemeTask, "masks", True)
    return TASK


def test_private_data_leaves_for_no_model_and_comes_back_in_the_answer(masking: AssignThemeTask) -> None:
    task = masking
    items = [AssignTheme("buds", "write to ann@example.com or +44 20 7946 0958", ("Sound", "ann@example.com"))]
    request = request_for(task, items, "openai:any")
    shown = "\n".join(message.text for message in request.messages)
    assert "ann@example.com" not in shown
    assert "<email-1>" in shown
    assert "<phone-1>" in shown
    assert "ann@example.com" in "\n".join(task.turns(items))
    (read,) = read_reply(task, items, ModelReply(json.dumps({"answers": [{"number": 1, "theme": 2}]}), 1, 1))
    assert read.answer is not None
    assert read.answer.theme == "ann@example.com"


def test_what_a_model_writes_is_read_with_what_its_placeholders_stand_for(
    masking: AssignThemeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = masking
    monkeypatch.setattr(AssignThemeTask, "entry", lambda _self, _items: {"theme": str})
    monkeypatch.setattr(AssignThemeTask, "read", lambda _self, _item, entry: Read(None, f"no theme {entry.theme}"))
    items = [AssignTheme("buds", "write to ann@example.com", ("Sound",))]
    reply = json.dumps({"answers": [{"number": 1, "theme": "<email-1>"}]})
    (read,) = read_reply(task, items, ModelReply(reply, 1, 1))
    assert read.error == "no theme ann@example.com"
    model = Model(reply, reply)
    asyncio.run(answer(request_for(task, items, "openai:any"), task, items, model.ask))
    assert len(model.asked) == 2
    assert all("ann@" not in message.text for request in model.asked for message in request.messages)
