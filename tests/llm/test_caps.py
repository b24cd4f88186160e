"""Caps: room for hidden reasoning, one retry of what was cut off, and a failure by name that is not paid for again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import pytest

from autokb.core.ledger import HiddenReasoning, Paid
from autokb.core.model_requests import AwaitedError, CutOffError, ModelReply, ModelRequest, PromptTurn
from autokb.llm.caps import HEADROOM, RAISE, Caps, Limits, was_cut
from autokb.llm.client import ModelClient, Tag
from autokb.llm.prices import Prices
from autokb.stores.ledger_table import LedgerTable, spending
from autokb.stores.workspace_file import WorkspaceFile

TAG = Tag("trees", "issues/grow_tree", ("i1",))
PRICES = Prices({name: {"input": 1.0, "output": 10.0} for name in ("m", "gpt-5-mini")})
DECLARED = 176
LOW = DECLARED + HEADROOM["low"]
RAISED = DECLARED + RAISE * HEADROOM["low"]
TEXT = '{"answers": []}'


def request(model: str = "openai:gpt-5-mini", effort: str = "", text: str = "hello") -> ModelRequest:
    return ModelRequest(model, (PromptTurn("user", text),), {}, "issues_grow_tree", DECLARED, effort=effort)


class Thinker:
    """A sender whose model reasons for ``needs`` tokens before it writes; ``shows`` is whether the text is in parts."""

    def __init__(self, needs: int, text: str = TEXT, counts: bool = True) -> None:
        self.needs = needs
        self.text = text
        self.counts = counts
        self.caps: list[int] = []

    async def send(self, request: ModelRequest) -> ModelReply:
        self.caps.append(request.most_output)
        await anyio.sleep(0)
        room = request.most_output - self.needs
        hidden = min(self.needs, request.most_output)
        wrote = len(self.text) // 4
        shown = self.text if room >= wrote else self.text[: max(room, 0) * 4]
        finish = "stop" if room >= wrote else "length"
        return ModelReply(shown, 10, hidden + min(max(room, 0), wrote), 0, finish, hidden)

    async def close(self) -> None:
        return


class Runs:
    """Runs over one workspace file, each with a client of its own, as one build after the other has."""

    def __init__(self, path: Path, sender: Thinker, output: int = 4096, window: int = 100_000) -> None:
        self.file = WorkspaceFile(path, create=not path.exists())
        self.ledger = LedgerTable(self.file)
        self.sender = sender
        self.limits = Limits(window, output)

    def ask(self, *requests: ModelRequest) -> list[ModelReply | Exception]:
        caps = Caps(self.ledger, lambda _model: self.limits)
        self.client = ModelClient(self.ledger, lambda _m: self.sender, PRICES, caps=caps)
        jobs: list[Callable[..., object]] = [partial(self.client.ask, one, TAG) for one in requests]
        return anyio.run(self.client.run_many, jobs)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "knowledge.db"


@pytest.mark.parametrize(
    ("model", "effort", "cap"),
    [
        ("openai:m", "", DECLARED),
        ("openai:gpt-4o-mini", "", DECLARED),
        ("openai:gpt-5.1", "", DECLARED),
        ("anthropic:claude-sonnet-4-5", "", DECLARED),
        ("anthropic:claude-opus-5", "", DECLARED),
        ("house:tiny", "", DECLARED),
        ("openai:gpt-5-mini", "", LOW),
        ("openai:o4-mini", "", LOW),
        ("google:gemini-2.5-flash", "", LOW),
        ("google:gemini-2.5-flash", "none", DECLARED),
        ("google:gemini-2.5-flash-lite", "", DECLARED),
        ("anthropic:claude-opus-5-5", "", LOW),  # it thinks whatever it is told
        ("openai:gpt-5-mini", "default", LOW),
        ("openai:gpt-5-mini", "high", DECLARED + HEADROOM["high"]),
        ("anthropic:claude-sonnet-4-5", "medium", DECLARED + HEADROOM["medium"]),
        ("openai:m", "low", LOW),
    ],
)
def test_a_model_that_reasons_has_room_for_it(path: Path, model: str, effort: str, cap: int) -> None:
    caps = Caps(Runs(path, Thinker(0)).ledger, lambda _model: Limits(100_000, 4096))
    assert caps.with_cap(request(model, effort), "t").most_output == cap


def test_the_room_grows_with_what_earlier_replies_used_and_stays_in_the_window(path: Path) -> None:
    runs = Runs(path, Thinker(1900))
    runs.ask(request())
    assert runs.ledger.reasoning("openai:gpt-5-mini") == {TAG.task: HiddenReasoning(1900, 1900.0)}
    runs.ask(request(text="another"))
    assert runs.sender.caps == [LOW, DECLARED + 2 * 1900]
    runs.limits = Limits(1000, 500)
    runs.ask(request(text="small"))
    assert runs.sender.caps[2] == 1000 - request(text="small").size // 3


def test_the_cap_is_no_part_of_the_key_so_a_reply_of_before_is_found(path: Path) -> None:
    runs = Runs(path, Thinker(0))
    for model in ("openai:m", "openai:gpt-5-mini"):
        before = request(model)
        runs.ledger.keep(
            [Paid(before.key, before.base_key, "s", TAG.task, model, (), "read", ModelReply(TEXT, 1, 1), 0.0)]
        )
        assert replace(before, cap=9999).key == before.key
        assert isinstance(runs.ask(before)[0], ModelReply)
    assert runs.sender.caps == []


def test_an_effort_is_in_the_key_where_a_person_set_one_that_is_sent(path: Path) -> None:
    assert request(effort="default").key == request().key
    assert len({request(effort=effort).key for effort in ("", "none", "low", "high")}) == 4


def test_a_reply_that_its_reasoning_cut_off_is_asked_for_once_more_with_a_raised_cap(path: Path) -> None:
    runs = Runs(path, Thinker(3000))
    (reply,) = runs.ask(request())
    assert isinstance(reply, ModelReply) and (reply.text, reply.reasoning_tokens) == (TEXT, 3000)
    assert runs.sender.caps == [LOW, RAISED]
    assert runs.ask(request()) == [reply]
    assert len(runs.sender.caps) == 2
    # The reply that was cut off was paid for as well.
    assert (spending(runs.file)[0][2], spending(runs.file)[0][4]) == (2, LOW + 3000 + len(TEXT) // 4)
    assert spending(runs.file)[0][6] == LOW + 3000


def test_a_model_that_uses_every_cap_up_fails_by_name_and_is_not_asked_again(path: Path) -> None:
    runs = Runs(path, Thinker(10**6))
    for _build in range(10):
        (error,) = runs.ask(request())
        assert isinstance(error, CutOffError) and error.hidden and not error.retry
        assert str(error) == (
            "The reply of openai:gpt-5-mini to issues/grow_tree was cut off at 8,368 tokens, 8,368 of them hidden "
            "reasoning; the task itself allows for 176. It is not asked again as it is: set a lower reasoning_effort "
            "for openai:gpt-5-mini, a max_output of more than 8368 or another model for the task in settings.yaml."
        )
    assert runs.sender.caps == [LOW, RAISED]


@pytest.mark.parametrize(
    ("changed", "output", "caps"),
    [
        (request(text="another prompt"), 4096, [LOW, RAISED]),
        (request(effort="low"), 4096, [LOW, RAISED]),
        (request("openai:m"), 4096, [DECLARED, RAISED]),
        (request(), 20_000, [20_000]),
    ],
    ids=["prompt", "effort", "model", "max_output"],
)
def test_it_is_asked_again_when_something_has_changed(
    path: Path, changed: ModelRequest, output: int, caps: list[int]
) -> None:
    runs = Runs(path, Thinker(10**6))
    runs.ask(request())
    runs.limits = replace(runs.limits, output=output)
    for _build in range(3):
        runs.ask(changed)
    assert runs.sender.caps == [LOW, RAISED, *caps]


def test_a_model_that_nobody_knew_to_reason_is_known_by_its_first_reply(path: Path) -> None:
    runs = Runs(path, Thinker(500))
    first, second = request("openai:m"), request("openai:m", text="another")
    assert [reply.text for reply in runs.ask(first) if isinstance(reply, ModelReply)] == [TEXT]
    runs.ask(second)
    assert runs.sender.caps == [DECLARED, RAISED, LOW]


def test_a_text_that_is_too_long_has_one_more_try_too(path: Path) -> None:
    runs = Runs(path, Thinker(0, text='{"answers": "' + "a" * 40_000 + '"}'))
    for _build in range(3):
        (error,) = runs.ask(request("openai:m"))
        assert isinstance(error, CutOffError) and not error.hidden
        assert "hidden" not in str(error) and "cut off at 4,096 tokens" in str(error)
    assert runs.sender.caps == [DECLARED, 4096]


def test_a_reply_that_is_whole_at_its_last_token_is_taken(path: Path) -> None:
    assert not was_cut(ModelReply(f"```json\n{TEXT}\n```", 1, 1, 0, "length"))
    assert [was_cut(ModelReply(text, 1, 1, 0, "length")) for text in ("", " ", '{"answers": [', "[]")] == [True] * 4
    assert not was_cut(ModelReply('{"answers": [', 1, 1, 0, "stop"))


def test_two_that_want_the_same_at_once_pay_once(path: Path) -> None:
    runs = Runs(path, Thinker(3000))
    assert len({str(reply) for reply in runs.ask(*[request()] * 5)}) == 1
    assert runs.sender.caps == [LOW, RAISED]


def test_a_cut_reply_of_a_batch_is_awaited_again_with_a_raised_cap_and_then_given_up(path: Path) -> None:
    class Mail(Thinker):
        async def send(self, request: ModelRequest) -> ModelReply:
            self.caps.append(request.most_output)
            raise AwaitedError("later")

    runs = Runs(path, Mail(0))
    for _round in range(2):
        assert [type(found) for found in runs.ask(request())] == [AwaitedError]
        (row,) = runs.ledger.awaited()
        assert row.cap == runs.sender.caps[-1]
        cut = ModelReply("", 10, row.cap, 0, "length", row.cap)
        runs.ledger.keep([replace(row, state="paid", reply=cut, cost=0.1, calls=1)])
    for _build in range(2):
        assert [type(found) for found in runs.ask(request())] == [CutOffError]
    assert runs.sender.caps == [LOW, RAISED]
    assert spending(runs.file)[0][2] == 2


def test_the_most_that_a_request_may_cost_counts_its_cap(path: Path) -> None:
    price = PRICES.of("openai:gpt-5-mini")
    assert price is not None
    assert price.most(replace(request(), cap=LOW)) == pytest.approx((request().size + 10 * LOW) / 1e6)
