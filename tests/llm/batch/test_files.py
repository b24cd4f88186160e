"""Batch files: every order, several parts, runs that are killed, and every way in which a reply can be wrong."""

from __future__ import annotations

import asyncio
import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from batch_workspace import PRICE, OpenLedger, body, lines_of, noted, open_ledger, reply, request, write

from autokb.core.errors import BadInputError
from autokb.core.model_requests import AwaitedError, ModelReply, ModelRequest
from autokb.core.settings import MAX_REPLY_BYTES
from autokb.llm.batch import folder as batch_folder
from autokb.llm.batch.awaited import TakenReplies, awaited_row, custom_id, key_digits
from autokb.llm.batch.files import BatchFiles
from autokb.llm.batch.lines import request_line
from autokb.llm.client import ModelClient, Tag
from autokb.llm.prices import Prices
from autokb.stores.ledger_table import spending
from autokb.tasks.registry import task_names

A, B, C = request("a"), request("b"), request("c", name="attributes")
NAMES = {text: custom_id(one.key, one.name) for text, one in (("a", A), ("b", B), ("c", C))}


async def run_once(
    at: OpenLedger, folder: Path, *requests: ModelRequest, most: int = MAX_REPLY_BYTES
) -> tuple[TakenReplies, int]:
    """Do what a build does: take, ask for what the ledger has not, flush."""
    batch = BatchFiles(folder, at.ledger, at.handles, lambda _model: PRICE, most)
    try:
        taken = await batch.take_replies()
        await noted(at, batch, *(r for r in requests if r.key not in at.ledger.replies([r.key])))
        return taken, await batch.flush()
    finally:
        await batch.close()


def run(at: OpenLedger, folder: Path, *requests: ModelRequest) -> tuple[TakenReplies, int]:
    return asyncio.run(run_once(at, folder, *requests))


def wanted(folder: Path) -> list[str]:
    return [line["custom_id"] for path in sorted(folder.glob("requests*.jsonl")) for line in lines_of(path)]


def test_a_request_is_a_line_of_openais_form() -> None:
    line = json.loads(request_line(A))
    assert line == {
        "custom_id": "autokb-themes-" + A.key[:32],
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "tiny",
            "messages": [{"role": "system", "content": "Say."}, {"role": "user", "content": "a"}],
            "max_completion_tokens": 100,
            "temperature": 0,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "themes", "schema": A.schema, "strict": True},
            },
        },
    }
    schema = line["body"]["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["b", "a"], "a model writes the fields in the order of the schema"


@pytest.mark.parametrize("name", task_names())
def test_every_custom_id_names_its_task_within_what_all_providers_take(name: str) -> None:
    for spelled in (name, name.replace("/", "_")):
        found = custom_id(A.key, spelled)
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", found), "what Anthropic takes, who is the strictest"
        assert found == f"autokb-{name.partition('/')[2]}-{A.key[:32]}"
        assert key_digits(found) == A.key[:32]


def test_a_reply_to_an_id_of_an_earlier_version_is_taken(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A, B)
    write(folder / "r.jsonl", reply(f"autokb-{A.key[:40]}", "of a"), reply(f"autokb-{B.key[:39]}", "of b"))
    taken, waits = run(here, folder, A, B)
    assert (taken.taken, taken.foreign, waits) == (2, (), 0)
    assert here.ledger.replies([A.key])[A.key].text == "of a"


@pytest.mark.parametrize(
    ("model", "name", "heat"),
    [
        ("openai:gpt-4o-mini", "gpt-4o-mini", True),
        ("openai:o3-mini", "o3-mini", False),
        ("ollama:qwen:8b", "qwen:8b", True),
        ("plain", "plain", True),
    ],
)
def test_the_model_goes_without_its_provider(model: str, name: str, heat: bool) -> None:
    sent = json.loads(request_line(request("a", model=model)))["body"]
    assert (sent["model"], "temperature" in sent) == (name, heat)


def test_openai_is_asked_strictly_only_for_a_schema_that_its_strict_mode_knows() -> None:
    def strict(model: str, **more: Any) -> bool:
        fields = {"type": "array", "items": {"type": "string", "maxLength": 9}} | more
        schema = {"type": "object", "properties": {"a": fields}, "required": ["a"], "additionalProperties": False}
        sent = json.loads(request_line(ModelRequest(model, A.messages, schema, "x", 9)))
        assert sent["body"]["response_format"]["json_schema"]["schema"] == schema, "it goes out as it is"
        return bool(sent["body"]["response_format"]["json_schema"]["strict"])

    assert strict("openai:gpt-4o-mini")
    assert not strict("openai:gpt-4o-mini", uniqueItems=True)
    assert strict("house:tiny", uniqueItems=True)


def test_half_a_character_does_not_break_a_line() -> None:
    assert json.loads(request_line(request("a\ud800b")))["body"]["messages"][1]["content"] == "a?b"


def test_a_first_run_writes_what_it_awaits(here: OpenLedger, folder: Path) -> None:
    taken, waits = run(here, folder, A, B, C)
    assert (taken, waits) == (TakenReplies(), 3)
    assert wanted(folder) == [NAMES["c"], *sorted([NAMES["a"], NAMES["b"]])], "ordered by schema and key"
    assert here.states() == {A.key: "awaited", B.key: "awaited", C.key: "awaited"}


def test_the_same_requests_give_the_same_bytes_in_any_order(here: OpenLedger, folder: Path, tmp_path: Path) -> None:
    run(here, folder, A, B, C)
    with open_ledger(tmp_path) as again:
        run(again, tmp_path / "other", C, B, A, B)
    assert (folder / "requests.jsonl").read_bytes() == (tmp_path / "other" / "requests.jsonl").read_bytes()


def test_replies_go_into_the_ledger_in_any_order_and_number_of_files(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A, B, C)
    write(folder / "z.jsonl", reply(NAMES["b"], "of b"))
    write(folder / "m.jsonl", reply(NAMES["c"], "of c"), reply(NAMES["a"], "of a"))
    taken, waits = run(here, folder, A, B, C)
    assert waits == 0
    assert here.ledger.replies([A.key, B.key, C.key]) == {
        one.key: ModelReply(text, 12, 3, 4, "stop") for one, text in ((A, "of a"), (B, "of b"), (C, "of c"))
    }
    assert list(folder.glob("requests*")) == [], "nothing is awaited any longer"
    # 8 fresh, 4 cached and 3 written tokens each, at half the price
    assert taken == TakenReplies(taken=3, input_tokens=36, output_tokens=9, cost=pytest.approx(3 * 50e-6 / 2))


def test_replies_may_come_over_several_runs(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A, B)
    write(folder / "one.jsonl", reply(NAMES["a"], "of a"))
    taken, waits = run(here, folder, A, B)
    assert (taken.taken, taken.missing, waits, wanted(folder)) == (1, (NAMES["b"],), 1, [NAMES["b"]])
    write(folder / "two.jsonl", reply(NAMES["b"], "of b"))
    taken, waits = run(here, folder, A, B)
    assert (taken.taken, taken.missing, taken.doubled, waits) == (1, (), (), 0)
    assert run(here, folder, A, B)[0] == TakenReplies(), "lines that were taken before say nothing new"


def test_a_reply_counts_when_its_response_has_no_status(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A)
    write(folder / "r.jsonl", {"custom_id": NAMES["a"], "response": {"body": body("of a")}})
    assert run(here, folder, A)[0].taken == 1


def test_the_first_of_doubled_replies_counts(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A, B)
    write(folder / "1.jsonl", reply(NAMES["a"], "first"), reply(NAMES["a"], "second"), reply(NAMES["b"], "same"))
    write(folder / "2.jsonl", reply(NAMES["b"], "same"))
    taken, _ = run(here, folder, A, B)
    assert (taken.taken, set(taken.doubled)) == (2, {NAMES["a"], NAMES["b"]})
    assert here.ledger.replies([A.key])[A.key].text == "first"
    again, _ = run(here, folder, A, B)
    assert again.doubled == (NAMES["a"],), "the very same line is fine in a later run, another text is not"
    assert here.ledger.replies([A.key])[A.key].text == "first"


def test_a_foreign_reply_is_named_and_left_out(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A)
    write(folder / "r.jsonl", reply("someone-else", "x"), {"custom_id": "autokb-00", "error": {"message": "no"}})
    taken, waits = run(here, folder, A)
    assert (taken.taken, taken.foreign, waits) == (0, ("someone-else", "autokb-00"), 1)


STATUS = {"status_code": 500, "body": {"error": {"message": "broke\ndown"}}}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"response": None}, "it has no response"),
    ({"response": {"status_code": 200}}, "its response has no body"),
    ({"response": {"status_code": 200, "body": {}}}, "its body has no choices with a message"),
    ({"response": {"status_code": 200, "body": {"choices": [None]}}}, "its body has no choices with a message"),
    ({"response": {"status_code": 200, "body": {"choices": [{}]}}}, "its body has no choices with a message"),
    ({"response": STATUS}, "its status is 500: broke down"),
    ({"response": {"status_code": 429, "body": "later"}}, "its status is 429: later"),
    ({"response": {"body": {"error": {"code": "full"}}}}, "it came with an error: full"),
    ({"response": None, "error": {"code": "batch_expired", "message": "late"}}, "it came with an error: late"),
    ({"error": "no", "response": {"status_code": 200, "body": body("x")}}, "it came with an error: no"),
]


@pytest.mark.parametrize(("line", "reason"), WRONG)
def test_what_cannot_be_used_is_named_and_asked_for_again(
    here: OpenLedger, folder: Path, line: dict[str, Any], reason: str
) -> None:
    run(here, folder, A, B)
    write(folder / "r.jsonl", {"custom_id": NAMES["a"]} | line, reply(NAMES["b"], "of b"))
    taken, waits = run(here, folder, A, B)
    assert (taken.taken, taken.malformed, taken.missing) == (1, (NAMES["a"],), ())
    assert taken.reasons == {NAMES["a"]: reason}
    assert (waits, wanted(folder)) == (1, [NAMES["a"]])
    write(folder / "s.jsonl", reply(NAMES["a"], "of a"))
    taken, waits = run(here, folder, A, B)
    assert (taken.taken, taken.malformed, taken.doubled, waits) == (1, (), (), 0), "a good one settles it"


@pytest.mark.parametrize(
    "line",
    [
        b"nothing\n",
        b"[1]\n",
        b"\xff\xfe\n",
        b"[" * 200_000 + b"\n",
        b"9" * 5_000 + b"\n",
        b'{"custom_id": 7}\n',
        b'{"custom_id": ""}\n',
        b'{"response": {}}\n',
    ],
)
def test_a_line_that_names_nothing_is_named_by_its_place(here: OpenLedger, folder: Path, line: bytes) -> None:
    run(here, folder, A)
    good = json.dumps(reply(NAMES["a"], "of a")).encode()
    (folder / "r.jsonl").write_bytes(b"\n" + line + good + b"\n")
    taken, _ = run(here, folder, A)
    assert (taken.taken, taken.malformed) == (1, ("r.jsonl line 2",))


def test_a_line_that_is_still_being_written_is_left_for_later(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A, B)
    whole = json.dumps(reply(NAMES["b"], "of b"))
    path = write(folder / "r.jsonl", reply(NAMES["a"], "of a"))
    path.write_text(path.read_text() + whole[:60])
    taken, waits = run(here, folder, A, B)
    assert (taken.taken, taken.incomplete, taken.malformed, waits) == (1, ("r.jsonl",), (), 1)
    write(path, reply(NAMES["a"], "of a")).open("a").write(whole)
    taken, waits = run(here, folder, A, B)
    assert (taken.taken, taken.incomplete, waits) == (1, (), 0), "a last line needs no newline"


def test_lines_are_split_at_the_newline_only(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A)
    text = "one\u2028two\x85three"
    line = json.dumps(reply(NAMES["a"], text), ensure_ascii=False)
    (folder / "r.jsonl").write_bytes(b"\xef\xbb\xbf" + line.encode() + b"\r\n")
    assert run(here, folder, A)[0].taken == 1
    assert here.ledger.replies([A.key])[A.key].text == text


def test_a_line_beyond_the_bound_is_named_and_its_request_asked_for_again(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A, B)
    long = reply(NAMES["a"], "x" * 9_000)
    (folder / "r.jsonl").write_text(f"{json.dumps(long)}\n{'9' * 9_000}\n{json.dumps(reply(NAMES['b'], 'of b'))}\n")
    taken, waits = asyncio.run(run_once(here, folder, A, B, most=2_000))
    sentence = "The reply is longer than max_reply_bytes in settings.yaml (2000 bytes) and is left out."
    assert (taken.taken, taken.reasons) == (1, {NAMES["a"]: sentence, "r.jsonl line 2": sentence})
    assert (waits, wanted(folder)) == (1, [NAMES["a"]])
    whole = len(json.dumps(long))
    assert asyncio.run(run_once(here, folder, A, B, most=whole - 1))[0].taken == 0
    assert asyncio.run(run_once(here, folder, A, B, most=whole))[0].taken == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_files_of_requests_are_the_owners_alone_whatever_the_umask(here: OpenLedger, folder: Path) -> None:
    folder.mkdir()
    (folder / ".requests.jsonl.new").write_text("left by a run that was killed")
    (folder / ".requests.jsonl.new").chmod(0o666)
    before = os.umask(0)
    try:
        run(here, folder, A)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.glob("requests*.jsonl")] == [0o600]


def test_a_long_reply_is_taken_whole(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A)
    write(folder / "r.jsonl", reply(NAMES["a"], "ä" * 1_000_000))
    assert run(here, folder, A)[0].taken == 1
    assert here.ledger.replies([A.key])[A.key].text == "ä" * 1_000_000


def said(**message: Any) -> dict[str, Any]:
    finish = message.pop("finish", "stop")
    return body("", choices=[{"message": message, "finish_reason": finish}])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (said(content=None), ModelReply("", 12, 3, 4, "stop")),
        (said(content="a", finish="length"), ModelReply("a", 12, 3, 4, "length")),
        (said(content="a", finish="content_filter"), ModelReply("a", 12, 3, 4, "refusal")),
        (said(content="a", finish="who knows"), ModelReply("a", 12, 3, 4, "other")),
        (said(content="a", finish=None), ModelReply("a", 12, 3, 4, "stop")),
        (said(content=None, refusal="I will not."), ModelReply("I will not.", 12, 3, 4, "refusal")),
        (said(content=[{"type": "text", "text": "a"}, {"text": "b"}]), ModelReply("ab", 12, 3, 4, "stop")),
        (
            said(content=None, tool_calls=[{"function": {"name": "f", "arguments": '{"a": 1}'}}], finish="tool_calls"),
            ModelReply('{"a": 1}', 12, 3, 4, "stop"),
        ),
        (said(content=None, tool_calls=[{"function": {"arguments": {"a": 1}}}]), ModelReply('{"a": 1}', 12, 3, 4)),
        (said(content="half \ud800"), ModelReply("half \ufffd", 12, 3, 4, "stop")),
        # 4 + 1 characters of the request and 8 of the reply
        (body("12345678", usage=None), ModelReply("12345678", 2, 2, 0, "stop")),
        (body("12345678", usage={"prompt_tokens": -1, "completion_tokens": 2**70}), ModelReply("12345678", 2, 2)),
        (body("1", usage={"prompt_tokens": True, "completion_tokens": "9"}), ModelReply("1", 2, 1)),
    ],
)
def test_how_a_completion_is_read(here: OpenLedger, folder: Path, given: dict[str, Any], expected: ModelReply) -> None:
    run(here, folder, A)
    write(folder / "r.jsonl", {"custom_id": NAMES["a"], "response": {"status_code": 200, "body": given}})
    assert run(here, folder, A)[0].taken == 1
    assert here.ledger.replies([A.key]) == {A.key: expected}


def test_an_unknown_price_is_no_zero(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A)
    write(folder / "r.jsonl", reply(NAMES["a"], "of a"))
    batch = BatchFiles(folder, here.ledger, here.handles, lambda _model: None)
    assert asyncio.run(batch.take_replies()).cost is None


def test_a_reply_that_could_not_be_read_leaves_its_line_silent(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A)
    write(folder / "r.jsonl", reply(NAMES["a"], "of a"))
    run(here, folder, A)
    here.ledger.settle([A.key], readable=False)
    again = A.tried_again(1)
    taken, waits = run(here, folder, again)
    assert (taken, waits, wanted(folder)) == (TakenReplies(), 1, [custom_id(again.key, again.name)])


def test_what_a_build_no_longer_asks_for_stands_in_no_file(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A, B)
    assert run(here, folder, B)[1] == 1
    assert wanted(folder) == [NAMES["b"]]
    write(folder / "late.jsonl", reply(NAMES["a"], "of a"))
    taken, _ = run(here, folder, B)
    assert (taken.taken, taken.missing, taken.foreign) == (1, (NAMES["b"],), ()), "a late reply is still taken"


def test_replies_that_come_during_a_run_need_no_line(here: OpenLedger, folder: Path) -> None:
    async def build() -> tuple[int, int]:
        batch = BatchFiles(folder, here.ledger, here.handles, lambda _model: PRICE)
        await noted(here, batch, A, B)
        await batch.flush()
        write(folder / "r.jsonl", reply(NAMES["a"], "of a"))
        return (await batch.take_replies()).taken, await batch.flush()

    assert (asyncio.run(build()), wanted(folder)) == ((1, 1), [NAMES["b"]])


def test_an_emptied_folder_loses_nothing(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A, B)
    write(folder / "r.jsonl", reply(NAMES["a"], "of a"))
    run(here, folder, A, B)
    for path in folder.iterdir():
        path.unlink()
    taken, waits = run(here, folder, A, B)
    assert (taken.missing, waits, wanted(folder)) == ((NAMES["b"],), 1, [NAMES["b"]])
    assert here.ledger.replies([A.key])[A.key].text == "of a"


def test_a_run_that_ends_before_it_writes_keeps_what_it_took(here: OpenLedger, folder: Path, tmp_path: Path) -> None:
    run(here, folder, A, B)
    write(folder / "r.jsonl", reply(NAMES["a"], "of a"))
    batch = BatchFiles(folder, here.ledger, here.handles, lambda _model: PRICE)
    asyncio.run(batch.take_replies())  # and no flush: the process was killed
    assert here.states() == {A.key: "paid", B.key: "awaited"}
    with open_ledger(tmp_path) as later:
        assert run(later, folder, A, B)[1] == 1


def test_a_run_that_ends_between_ledger_and_files_writes_them_later(here: OpenLedger, folder: Path) -> None:
    folder.mkdir()
    (folder / "requests.jsonl").mkdir()
    with pytest.raises(BadInputError, match="could not be written"):
        run(here, folder, A)
    assert here.states() == {A.key: "awaited"}
    (folder / "requests.jsonl").rmdir()
    (folder / ".requests-7.jsonl.new").write_text("left by a run that was killed")
    assert run(here, folder, A)[1] == 1
    assert sorted(p.name for p in folder.iterdir()) == ["README.txt", "requests.jsonl"]


def test_the_stage_that_the_client_noted_stays(here: OpenLedger, folder: Path) -> None:
    row = replace(awaited_row(A), stage="themes", task="issues/themes", items=("i1", "i2"))
    here.ledger.keep([row])
    run(here, folder, A)
    write(folder / "r.jsonl", reply(NAMES["a"], "of a"))
    run(here, folder, A)
    assert here.ledger.open_groups("issues/themes") == [("i1", "i2")]


def test_a_build_asks_through_the_client_and_finds_the_reply_there_later(here: OpenLedger, folder: Path) -> None:
    async def build() -> ModelReply | Exception:
        batch = BatchFiles(folder, here.ledger, here.handles, lambda _model: PRICE)
        client = ModelClient(here.ledger, lambda _model: batch, Prices({}))
        await batch.take_replies()
        (found,) = await client.run_many([lambda: client.ask(A, Tag("themes", "issues/assign_theme", ("i1", "i2")))])
        await batch.flush()
        await client.close()
        return found

    assert isinstance(asyncio.run(build()), AwaitedError)
    assert here.ledger.open_groups("issues/assign_theme") == [("i1", "i2")]
    write(folder / "r.jsonl", reply(NAMES["a"], "of a"))
    assert asyncio.run(build()) == ModelReply("of a", 12, 3, 4, "stop")
    (row,) = spending(here.file)
    assert row == ("themes", "issues/assign_theme", 1, 12, 3, pytest.approx(25e-6), 0)


def test_many_requests_take_several_files(here: OpenLedger, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_folder, "LINES_MOST", 2)
    many = [request(str(number)) for number in range(5)]
    assert run(here, folder, *many)[1] == 5
    names = sorted(p.name for p in folder.iterdir())
    assert names == ["README.txt", "requests-2.jsonl", "requests-3.jsonl", "requests.jsonl"]
    assert sorted(wanted(folder)) == sorted(custom_id(one.key, one.name) for one in many)
    run(here, folder, many[0])
    assert sorted(p.name for p in folder.iterdir()) == ["README.txt", "requests.jsonl"], (
        "files of an earlier run are gone"
    )


def test_a_file_of_requests_has_at_most_so_many_bytes(
    here: OpenLedger, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_folder, "BYTES_MOST", len(request_line(A)) + 1)
    run(here, folder, A, B)
    assert [len(lines_of(folder / name)) for name in ("requests.jsonl", "requests-2.jsonl")] == [1, 1]


def test_other_files_are_left_alone_and_said(here: OpenLedger, folder: Path) -> None:
    folder.mkdir()
    for name in ("requests-out.jsonl", "notes.txt", "requests.json"):
        (folder / name).write_text("{}")
    (folder / "folder.jsonl").mkdir()
    taken, waits = run(here, folder)
    assert (taken, waits) == (TakenReplies(skipped=("requests-out.jsonl",)), 0)
    assert len(list(folder.iterdir())) == 4


def test_an_empty_folder_asks_for_nothing(here: OpenLedger, folder: Path) -> None:
    assert run(here, folder) == (TakenReplies(), 0)
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_is_bad_input(here: OpenLedger, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "no" / "such" / "folder"):
        with pytest.raises(BadInputError, match="cannot be used as the folder of batch files"):
            BatchFiles(folder, here.ledger, here.handles, lambda _model: PRICE)


def test_a_folder_that_vanished_is_said_and_nothing_is_lost(here: OpenLedger, folder: Path) -> None:
    async def build() -> None:
        batch = BatchFiles(folder, here.ledger, here.handles, lambda _model: PRICE)
        await noted(here, batch, A)
        folder.rmdir()
        await batch.flush()

    with pytest.raises(BadInputError, match="Nothing is lost"):
        asyncio.run(build())
    assert here.states() == {A.key: "awaited"}


def test_sending_says_which_reply_is_awaited(here: OpenLedger, folder: Path) -> None:
    batch = BatchFiles(folder, here.ledger, here.handles, lambda _model: PRICE)
    with pytest.raises(AwaitedError, match=NAMES["a"]):
        asyncio.run(batch.send(A))


def test_what_people_are_told() -> None:
    many = tuple(f"m{number}" for number in range(22))
    taken = TakenReplies(taken=2, missing=many, malformed=("x",), reasons={"x": "it has no response"})
    assert taken.sentences() == [
        "Replies taken: 2.",
        "Replies that cannot be used, and are asked for again: x (it has no response).",
        f"No reply yet: {', '.join(many[:20])}, and 2 more.",
    ]
    assert TakenReplies().sentences() == []


@pytest.mark.parametrize(
    ("model", "set_effort", "sent"),
    [
        ("openai:gpt-5-mini", "", "low"),
        ("openai:gpt-5-mini", "high", "high"),
        ("openai:gpt-5-mini", "default", None),
        ("openai:gpt-5-pro", "", None),  # it has no low one
        ("openai:gpt-5.1", "", None),
        ("openai:gpt-4o-mini", "", None),
        ("house:tiny", "", None),
        ("house:tiny", "low", "low"),
        ("google:gemini-2.5-flash", "", None),  # whoever answers the file says how much it may think
    ],
)
def test_a_line_has_the_effort_and_the_room_for_it(model: str, set_effort: str, sent: str | None) -> None:
    one = replace(request("a", model=model), effort=set_effort, cap=2148)
    line = json.loads(request_line(one))["body"]
    assert (line.get("reasoning_effort"), line["max_completion_tokens"]) == (sent, 2148)


def test_hidden_reasoning_of_a_file_is_counted(here: OpenLedger, folder: Path) -> None:
    run(here, folder, A, B)
    details = {"prompt_tokens": 12, "completion_tokens": 100, "completion_tokens_details": {"reasoning_tokens": 90}}
    empty = body("") | {"usage": {"prompt_tokens": 12, "completion_tokens": 100}}
    empty["choices"][0]["finish_reason"] = "length"
    one = reply(NAMES["a"], "of a")
    one["response"]["body"]["usage"] = details
    two = reply(NAMES["b"], "")
    two["response"]["body"] = empty
    write(folder / "r.jsonl", one, two)
    taken, _ = run(here, folder, A, B)
    assert (taken.output_tokens, taken.reasoning_tokens) == (200, 190)
    assert here.ledger.replies([A.key])[A.key] == ModelReply("of a", 12, 100, 0, "stop", 90)
    assert here.ledger.replies([B.key])[B.key] == ModelReply("", 12, 100, 0, "length", 100)
