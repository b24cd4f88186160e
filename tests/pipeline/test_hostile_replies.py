"""Whole builds whose model, server or ledger gives what nothing should: paid once, booked, and never a traceback."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from autokb.app import SupportKB
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.ids import canonical_json
from autokb.net.reply_bound import too_long
from model_workspace import DOCUMENTS, PRICES, TOLERANT, exported, made
from scripted_model import ScriptedModel, form_of
from stub_server import BOMB, DRIP, FLOOD, Fault, StubServer

HALF = "\ud83d"  # the first half of an emoji
ASKED = f"{PRICES}context: document\n"  # a model is asked for contexts too
SPOILT = ("chunking_add_context", "issues_write_solutions", "issues_find_themes")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-that-must-not-be-seen")


def with_halves(value: Any) -> Any:
    """Put half an emoji behind every title, context and name that a model wrote."""
    if isinstance(value, list):
        return [with_halves(part) for part in value]
    if not isinstance(value, dict):
        return value
    names = ("title", "context", "name")
    return {n: v + HALF if n in names and isinstance(v, str) else with_halves(v) for n, v in value.items()}


@pytest.mark.parametrize("escaped", [True, False], ids=["in the reply's own JSON", "in the server's JSON"])
def test_a_reply_with_half_an_emoji_is_paid_once_and_booked(tmp_path: Path, escaped: bool) -> None:
    model = ScriptedModel()

    def reply(body: dict[str, Any]) -> str:
        text = model(body)
        if form_of(body)[0] not in SPOILT:
            return text
        return json.dumps(with_halves(json.loads(text)), ensure_ascii=escaped)

    with StubServer(reply) as server:
        kb = made(tmp_path, server.url, settings=ASKED)
        first = kb.build()
        assert (first.failures, first.calls) == ((), server.requests)
        assert (kb.costs().calls, kb.costs().cost) == (first.calls, pytest.approx(first.cost))
        again = kb.build()
        assert (again.calls, again.failures, server.requests) == (0, (), first.calls)
    assert "\ufffd" in exported(kb, tmp_path / "kb.jsonl").decode()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace('"number": 1', f'"number": {"9" * 5000}', 1),
        lambda text: text.replace('"number": 1', '"number": 1e999', 1),
        lambda text: text.replace('"number": 1', '"number": NaN', 1),
    ],
    ids=["5,000 digits", "1e999", "NaN"],
)
def test_a_reply_with_an_odd_number_is_repaired_or_a_failure_by_name(
    tmp_path: Path, spoil: Callable[[str], str]
) -> None:
    model = ScriptedModel()

    def reply(body: dict[str, Any]) -> str:
        text = model(body)
        is_first = len(body["messages"]) == 2
        return spoil(text) if form_of(body)[0] == "issues_grow_trees" and (is_first or lasting) else text

    with StubServer(reply) as server:
        lasting = False
        built = made(tmp_path / "repaired", server.url).build()
        assert (built.failures, built.parents > 0) == ((), True)
        lasting = True
        kb = made(tmp_path / "failed", server.url, settings=TOLERANT)
        built = kb.build()
        assert {f.stage for f in built.failures} == {"trees"}
        assert all(len(f.reason) < 200 and "Error" not in f.reason for f in built.failures)
        asked = server.requests
        lasting = False
        assert kb.build().failures == ()  # an unreadable reply is asked for again
        assert server.requests > asked


def test_an_error_with_half_an_emoji_is_a_reason_that_can_be_printed(tmp_path: Path) -> None:
    with StubServer(lambda _body: Fault("status", 400, content=f"no {HALF}")) as server:
        built = made(tmp_path, server.url, settings=TOLERANT).build()
    assert built.failures
    assert {f.reason for f in built.failures} == {"HTTP 400: no \ufffd."}
    json.dumps(built.as_json(), ensure_ascii=False).encode()


def test_sources_with_half_an_emoji_in_every_field_are_built_and_asked(tmp_path: Path) -> None:
    with StubServer(ScriptedModel()) as server:
        kb = made(tmp_path, server.url)
        (tmp_path / "pages.jsonl").write_text(
            r'{"id": "p\ud83d", "title": "Lid\ud83d", "text": "# Lid\n\n1. Close the lid.\ud83d"}' + "\n"
        )
        (tmp_path / "more.jsonl").write_text(
            r'{"id": "m\ud83d", "text": "The lid\ud83d opens", "title": "\ud83d", "date": "2026-01-01\ud83d", '
            r'"resolved_by": ["p\ud83d"]}' + "\n"
        )
        kb.add([tmp_path / "pages.jsonl"])
        kb.add([tmp_path / "more.jsonl"], "issues")
        built = kb.build()
        assert (built.failures, built.unresolved_links) == ((), ())
        lines = [json.loads(line) for line in exported(kb, tmp_path / "kb.jsonl").decode().splitlines()]
        (issue,) = [line for line in lines if line["id"] == "m\ufffd"]
        assert (issue["text"], issue["resolved_by"]) == ("The lid\ufffd opens", ["p\ufffd"])
        assert kb.ask(f"the lid opens {HALF}").query == "the lid opens \ufffd"


def test_no_export_holds_what_import_refuses(tmp_path: Path) -> None:
    with StubServer(ScriptedModel()) as server:
        kb = made(tmp_path, server.url)
        kb.build()
        before = exported(kb, tmp_path / "before.jsonl")
        with closing(sqlite3.connect(kb.workspace.knowledge_path)) as db, db:
            spoilt = db.execute("UPDATE vector SET data = ? WHERE length(data) = 1536", [b"\xff" * 1536]).rowcount
            db.execute("DELETE FROM work WHERE stage = 'fit'")
        assert spoilt > 0
        again = kb.build()
        assert (again.calls, again.failures) == (0, ())
        assert exported(kb, tmp_path / "after.jsonl") == before
    for odd in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="JSON"):
            canonical_json({"weights": [odd]})


@pytest.mark.parametrize("budget", [math.nan, math.inf, -1.0, 1e300])
def test_a_budget_is_an_amount_of_money(tmp_path: Path, budget: float) -> None:
    with StubServer(ScriptedModel()) as server:
        kb = made(tmp_path, server.url)
        with pytest.raises(BadInputError, match="budget"):
            kb.build(budget=budget)
        assert server.requests == 0


def patience(fault: Fault) -> int:
    """Return the seconds to wait for a reply: few where only they end it, else many, for the machine may be busy."""
    return 3 if fault is DRIP else 30


@pytest.mark.slow
@pytest.mark.parametrize("fault", [BOMB, FLOOD, DRIP], ids=["packed", "flood", "drip"])
def test_a_reply_without_end_costs_its_own_item_alone(tmp_path: Path, fault: Fault) -> None:
    model = ScriptedModel()

    def reply(body: dict[str, Any]) -> str | Fault:
        is_leaks = "Water leaks" in body["messages"][1]["content"]
        return fault if form_of(body)[0] == "chunking_add_context" and is_leaks else model(body)

    with StubServer(reply) as server:
        limits = f"max_reply_bytes: 1000000\ntimeout: {patience(fault)}\nretries: 1\n"
        kb = made(tmp_path, server.url, settings=f"{ASKED}{limits}")
        built = kb.build()
        (failure,) = built.failures
        assert (failure.stage, failure.item, built.stages["context"].computed) == ("context", "leaks.md", 3)
        sent = [body for body in server.bodies if form_of(body)[0] == "chunking_add_context"]
        lost = [body for body in sent if "Water leaks" in body["messages"][1]["content"]]
        assert {len(body["messages"]) for body in sent} == {2}, "it is never sent back for repair"
        if fault is DRIP:
            assert (failure.reason, len(lost)) == ("No reply came within 3 seconds.", 2)
        else:
            assert (failure.reason, len(lost)) == (too_long(1_000_000), 1)
        assert kb.workspace.knowledge_path.stat().st_size < 5_000_000
    assert built.parents > 0


@pytest.mark.slow
@pytest.mark.parametrize("fault", [BOMB, FLOOD, DRIP], ids=["packed", "flood", "drip"])
def test_vectors_without_end_end_the_build_with_a_sentence(tmp_path: Path, fault: Fault) -> None:
    with StubServer(ScriptedModel(), embed=lambda _body: fault) as server:
        limits = f"max_reply_bytes: 1000000\ntimeout: {patience(fault)}\nretries: 1\n"
        settings = f"{PRICES}embedder: openai:vec\n{limits}"
        kb = made(tmp_path, server.url, settings=settings)
        with pytest.raises(AutokbError) as ended:
            kb.build()
    reason = "No reply came within 3 seconds." if fault is DRIP else too_long(1_000_000)
    assert str(ended.value).startswith(f"The embedder openai:vec gave no vectors: {reason}")


ENVELOPE = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
NO_REPLIES = {
    "nothing": "{}",
    "no choices": json.dumps(ENVELOPE),
    "empty choices": json.dumps(ENVELOPE | {"choices": []}),
    "null choices": json.dumps(ENVELOPE | {"choices": None}),
    "a choice of nothing": json.dumps(ENVELOPE | {"choices": [{}]}),
    "an error": '{"error": {"message": "overloaded"}}',
    "5,000 digits": json.dumps(ENVELOPE | {"choices": []}).replace("1", "9" * 5000),
    "nested without end": "[" * 100_000,
}


@pytest.mark.slow
def test_a_200_without_a_reply_is_sent_again_and_a_failure_by_name_if_it_stays_so(tmp_path: Path) -> None:
    """A document for each kind of no reply, whose context is asked for in a request of its own."""
    model = ScriptedModel()
    asked: Counter[str] = Counter()
    lasting = False
    leaks = {f"# Leak of kind {n}\n": text for n, text in enumerate(NO_REPLIES.values())}
    documents = {f"leak{n}.md": f"{title}\nClose lid {n}, then wait.\n" for n, title in enumerate(leaks)}

    def reply(body: dict[str, Any]) -> str | Fault:
        user = body["messages"][1]["content"]
        titles = [title for title in leaks if title in user]
        if form_of(body)[0] != "chunking_add_context" or not titles:
            return model(body)
        (title,) = titles
        asked[title] += 1
        return Fault("body", content=leaks[title]) if lasting or asked[title] == 1 else model(body)

    with StubServer(reply) as server:
        sources = {"settings": f"{TOLERANT}context: document\n", "documents": {**DOCUMENTS, **documents}}
        built = made(tmp_path / "passing", server.url, **sources).build()
        assert (built.failures, asked) == ((), dict.fromkeys(leaks, 2))
        lasting = True
        asked.clear()
        failures = made(tmp_path / "lasting", server.url, **sources).build().failures
        assert {failure.item for failure in failures} == set(documents) and len(failures) == len(documents)
        assert asked == dict.fromkeys(leaks, 3)  # retries: 2
        for failure in failures:
            assert failure.reason.startswith("What came back is no reply: ")
            assert len(failure.reason) < 400


JUNK = ("rubbish", '{"answers": [', "[]", "{}", "null", '"\\ud83d"', "9" * 5000, b"\xff\xfe", 7, "[" * 100_000)


class Built(NamedTuple):
    """A built workspace that tests copy, the server that its settings name, and what came of the build."""

    folder: Path
    server: StubServer
    exported: bytes
    asked: int

    def copied(self, folder: Path) -> SupportKB:
        """Return a knowledge base of one's own."""
        return SupportKB.open(Path(shutil.copytree(self.folder, folder)))


@pytest.fixture(scope="module", params=["a model", "offline"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    here = tmp_path_factory.mktemp("built")
    with StubServer(ScriptedModel()) as server, pytest.MonkeyPatch.context() as patched:
        patched.setenv("OPENAI_API_KEY", "sk-a-key-that-must-not-be-seen")
        kb = made(here, server.url)
        if request.param == "offline":
            (here / "kb" / "settings.yaml").write_text("model: offline\n")
            kb = SupportKB.open(here / "kb")
        kb.build()
        text = exported(kb, here / "before.jsonl")
        kb.close()
        yield Built(here / "kb", server, text, server.requests)


@pytest.mark.parametrize("built", ["offline"], indirect=True)
def test_junk_in_every_stored_answer_costs_those_answers(tmp_path: Path, built: Built) -> None:
    with closing(built.copied(tmp_path / "kb")) as kb:
        with closing(sqlite3.connect(kb.workspace.knowledge_path)) as db, db:
            rows = [rowid for (rowid,) in db.execute("SELECT rowid FROM work")]
            spoilt = ((JUNK[n % len(JUNK)], rowid) for n, rowid in enumerate(rows))
            db.executemany("UPDATE work SET reply = ? WHERE rowid = ?", spoilt)
        assert len(rows) > 2 * len(JUNK)
        assert kb.build().failures == ()
        assert exported(kb, tmp_path / "after.jsonl") == built.exported


@pytest.mark.parametrize("built", ["a model"], indirect=True)
@pytest.mark.parametrize("junk", JUNK, ids=[str(junk)[:14] for junk in JUNK])
def test_junk_in_a_stored_answer_costs_that_answer(tmp_path: Path, junk: Any, built: Built) -> None:
    asked = built.server.requests
    with closing(built.copied(tmp_path / "kb")) as kb:
        with closing(sqlite3.connect(kb.workspace.knowledge_path)) as db, db:
            stages = [stage for (stage,) in db.execute("SELECT DISTINCT stage FROM work")]
            db.execute("UPDATE work SET reply = ? WHERE rowid IN (SELECT min(rowid) FROM work GROUP BY stage)", [junk])
        assert set(stages) >= {"chunks", "attributes", "trees", "solutions", "fit"}
        assert kb.build().failures == ()
        assert exported(kb, tmp_path / "after.jsonl") == built.exported
    # The ledger has their replies; only an item whose neighbours in a request are done is asked about alone.
    assert built.server.requests - asked <= len(stages)


@pytest.mark.parametrize("built", ["a model"], indirect=True)
@pytest.mark.parametrize(
    "change",
    [
        "text = 'rubbish'",
        "text = NULL",
        "text = CAST(x'fffe' AS TEXT)",
        "text = x'00ff'",
        "input = 'many'",
        "output = -5",
        "finish = 'odd'",
        "items = '{junk'",
        "items = '[7]'",
        "cost = 'dear'",
    ],
)
def test_junk_in_the_ledger_costs_that_reply(tmp_path: Path, change: str, built: Built) -> None:
    asked = built.server.requests
    with closing(built.copied(tmp_path / "kb")) as kb:
        with closing(sqlite3.connect(kb.workspace.knowledge_path)) as db, db:
            task = "WHERE room = 'issues/grow_trees'"
            rows = db.execute(f"UPDATE request SET {change}, state = 'paid' {task}").rowcount
            db.execute("DELETE FROM work WHERE stage = 'trees'")
        assert kb.build().failures == ()
        assert exported(kb, tmp_path / "after.jsonl") == built.exported
        assert built.server.requests - asked <= rows
        assert kb.costs().calls >= built.asked > 0
        assert kb.build().calls == 0
