"""What every store of a workspace must do, whatever the engine: each kind of row, transactions, readers, damage."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from uuid import uuid4

import numpy as np
import pytest
from benchmarks.postgres_server import PostgresServer

import ticket_graphs
import workspace_stores
from autokb.core.api_keys import ApiKey
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.in_use import AssignedArm, ConversationOutcome, Feedback, LoggedQuestion
from autokb.core.tickets import Edge
from autokb.stores import outcomes, question_log
from autokb.stores.api_keys import find_api_key, has_api_keys, keep_api_key, note_revoked, read_api_keys
from autokb.stores.feedback import (
    count_verdicts,
    feedback_ids,
    find_feedback,
    keep_feedback,
    read_feedback,
    replace_all_feedback,
    take_back,
)
from autokb.stores.hook_messages import (
    ACCEPTED,
    REFUSED_SECONDS,
    CountedHooks,
    HookMessage,
    HookState,
    HookWork,
    OfferedText,
    UnfinishedMessages,
    accepted_hooks,
    add_hooks,
    claim_message,
    conversation_messages,
    count_states,
    forget_messages,
    keep_message,
    next_due,
    refused_hooks,
    unfinished_messages,
    update_message,
)
from autokb.stores.ledger_table import LedgerTable, in_flight, spending, spent_on
from autokb.stores.outcomes import find_outcome, keep_arms, keep_outcome, read_arms
from autokb.stores.question_log import (
    count_questions,
    count_shown_first,
    forget_questions,
    keep_questions,
    read_question_outcomes,
    read_questions,
)
from autokb.stores.ticket_tables import (
    count_tickets,
    list_ticket_ids,
    publish_edges,
    publish_tickets,
    read_edges,
    read_link_types,
    read_pieces,
    read_tickets,
)
from autokb.stores.versions import CANDIDATE, Made
from autokb.stores.workspace_file import Staged, WorkspaceFile
from real_postgres import needs_postgres
from workspace_stores import (
    DATE,
    HELD,
    SHORT,
    STORES,
    Store,
    paid,
    read_everything,
    solution,
    ticket,
    write_everything,
)

TESTS = Path(workspace_stores.__file__).parent
KILLS = 8
HANGS = 300.0  # seconds after which a writer that says nothing more is ended
SECRET = "sesame"
MADE = Made("build", DATE)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=[needs_postgres, pytest.mark.slow])])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "sqlite":
        return STORES["sqlite"](str(tmp_path / "knowledge.db"))
    server: PostgresServer = request.getfixturevalue("postgres")
    return STORES["postgres"](server.url(f"s{uuid4().hex}"))


@pytest.fixture
def file(store: Store) -> Iterator[WorkspaceFile]:
    with closing(store.open()) as opened:
        yield opened


def publish(file: WorkspaceFile, *titles: str, keep: int = 20) -> None:
    """Publish solutions with ids of their order, as a version."""
    records = {("solution", f"s{n}"): solution(title) for n, title in enumerate(titles)}
    with file.transaction():
        file.publish(records, ["solution"], replace(MADE, keep=keep))


def titles(file: WorkspaceFile) -> list[str]:
    return [body["title"] for _, body in file.records("solution")]


# -- each kind of row -------------------------------------------------------------------------------------------------


def test_what_one_connection_writes_another_reads(store: Store, file: WorkspaceFile) -> None:
    for number in (1, 2, 3):  # new rows, and rows in the place of others
        with file.transaction():
            write_everything(file, number)
        for opened in (file, store.open()):
            found = read_everything(opened)
            assert found == dict.fromkeys(found, str(number))


def test_a_message_of_a_helpdesk_is_kept_once_and_claimed_by_one(file: WorkspaceFile) -> None:
    offered = (OfferedText("a\0b", "whole", "passage", None, ("a.md", "ä.md")),)
    work = HookWork("it leaks 😀", "5", arrived=1.5, offered=offered)
    message = HookMessage("zendesk", "1", "c", "customer", 12.25, work, due=5.0)
    with file.transaction():
        assert keep_message(file, message)
        assert not keep_message(file, replace(message, conversation="other"))
        assert keep_message(file, replace(message, id="2", said=3.0, due=7.0))
        assert keep_message(file, replace(message, helpdesk="intercom", due=9.0))
    assert [one.id for one in conversation_messages(file, "zendesk", "c", 9)] == ["2", "1"]
    assert conversation_messages(file, "zendesk", "c", 1) == [message]
    assert next_due(file) == 5.0 and count_states(file) == {"open": 3}
    with file.transaction():
        claimed = claim_message(file, 6.0, 60.0, "me")
        assert claimed is not None and claimed.id == "1" and claimed.work.tries == 1
        assert claim_message(file, 6.0, 60.0, "you") is None and next_due(file) == 7.0
        again = claim_message(file, 61.0, 90.0, "you")
        assert again is not None and again.id == "2"  # due for longer
        lost = claim_message(file, 61.0, 90.0, "he")
        assert lost is not None and lost.helpdesk == "intercom"
        taken = claim_message(file, 61.0, 90.0, "she")
        assert taken is not None and taken.number == claimed.number and taken.work.tries == 2
    with file.transaction():
        assert not update_message(file, replace(claimed, state="failed"))
        done = replace(taken, state="done", due=62.0, work=replace(taken.work, sent_at=61.5, note="x"))
        assert update_message(file, done)
    assert conversation_messages(file, "zendesk", "c", 1) == [done]
    assert count_states(file) == {"open": 2, "done": 1}
    with file.transaction():
        forget_messages(file, 62.0)
        assert count_states(file) == {"open": 2, "done": 1}
        forget_messages(file, 1e12)
    assert count_states(file) == {"open": 2}


def test_what_failed_is_past_where_a_later_note_was_written(file: WorkspaceFile) -> None:
    def keep(ident: str, conversation: str, due: float, work: HookWork, state: HookState = "failed") -> None:
        with file.transaction():
            keep_message(file, HookMessage("zendesk", ident, conversation, "customer", 10.0 - due, work, state, due))

    for number, conversation in enumerate("aabcd", 1):
        keep(str(number), conversation, number, HookWork("it leaks", note=f"because {number}"))
    keep("6", "f", 6.0, HookWork("it leaks"), "done")  # nothing was written
    keep("7", "g", 4.5, HookWork("it leaks", sent_at=1e9), "done")  # before the last one failed
    failed = UnfinishedMessages("zendesk", "failed", 5, 5.0, "because 5", ("d", "c", "b"), is_past=False)
    assert unfinished_messages(file) == [failed]
    keep("8", "h", 5.5, HookWork("it leaks", sent_at=0.25), "done")
    keep("9", "h", 7.0, HookWork("it leaks"), "open")
    waits = UnfinishedMessages("zendesk", "open", 1, 3.0, "", ("h",), is_past=False)
    assert unfinished_messages(file) == [waits, replace(failed, is_past=True)]


def test_refused_webhooks_are_counted_by_reason_until_a_month_has_passed(store: Store, file: WorkspaceFile) -> None:
    other = CountedHooks("chatwoot", "'ä", 3, 20.0, 20.0)
    for now, counted in (
        (10.0, [CountedHooks("zendesk", "late", 2, 9.0, 10.0), CountedHooks("zendesk", ACCEPTED, 1, 8.0, 8.0)]),
        (20.0, [CountedHooks("zendesk", "late", 1, 19.0, 19.0), other]),
        (21.0, [CountedHooks("zendesk", ACCEPTED, 1, 7.0, 7.0)]),  # from a process that stores late
    ):
        with file.transaction():
            add_hooks(file, counted, now)
    assert refused_hooks(store.open(), 20.0) == [other, CountedHooks("zendesk", "late", 3, 9.0, 19.0)]
    assert accepted_hooks(store.open()) == {"zendesk": 8.0}
    after = 20.0 + REFUSED_SECONDS
    assert refused_hooks(file, after) == []
    again = CountedHooks("zendesk", "late", 1, after, after)
    with file.transaction():
        add_hooks(file, [again], after)
    assert refused_hooks(file, 20.0) == [again]
    assert accepted_hooks(file) == {"zendesk": 8.0}  # which is remembered for as long as there is a helpdesk


def test_records_come_in_the_order_of_their_ids_whatever_their_letters(file: WorkspaceFile) -> None:
    ids = ["Z", "a", "ä", "日", "a-1", "a 1", "A", "😀", "a1", "\uffee"]
    with file.transaction():
        file.publish({("solution", i): solution(i) for i in ids}, ["solution"])
    expected = sorted(ids)  # by code points, as bytes of UTF-8
    assert [i for i, _ in file.records("solution")] == expected
    assert [i for i, _ in file.records("solution", after="a1")] == expected[expected.index("a1") + 1 :]
    assert [i for _, i, _ in file.lines()] == expected
    assert file.titles("solution") == {i: i for i in ids}
    assert file.fields("solution", "title", "none") == {i: (i, "") for i in ids}
    assert file.record("solution", "ä") == {"title": "ä", "status": "displayed", "text": "Hänge es auf 😀"}
    assert file.record("solution", "none") is None and file.record("issue", "ä") is None


def test_a_body_is_kept_to_the_letter(file: WorkspaceFile) -> None:
    body = '{"b": 1.0,  "a":"\\u0000 ? % %s $1 \'; --","b":1}'
    with file.transaction():
        file.publish({("setting", "?"): body}, ["setting"])
    assert list(file.lines()) == [("setting", "?", body)]


def test_staged_sources_are_replaced_removed_and_ordered(file: WorkspaceFile) -> None:
    items = [Staged(i, "root", f"{i}.md", {"text": i}) for i in ("b", "a", "Ä")]
    with file.transaction():
        file.stage("documents", items)
        file.stage("issues", items[:1])
        file.stage("documents", [replace(items[0], body={"text": "new"})])
    assert [(s.id, s.body["text"]) for s in file.staged("documents")] == [("a", "a"), ("b", "new"), ("Ä", "Ä")]
    assert [(p.kind, p.id) for p in file.staged_places()][-1] == ("issues", "b")
    with file.transaction():
        file.unstage("documents", [*(str(n) for n in range(1200)), "a", "Ä"])
    assert [s.id for s in file.staged("documents")] == ["b"] and len(file.staged("issues")) == 1


def test_finished_work_and_vectors_are_found_beyond_one_statement(file: WorkspaceFile) -> None:
    replies = {f"k{n}": f'"{n} 😀"' for n in range(1200)}
    file.finish("trees", replies, {"k7": "key of a request"})
    assert file.finished([*replies, "other"]) == replies
    assert file.origins(list(replies)) == {"k7": "key of a request"}
    vectors = np.random.default_rng(0).random((1200, 3), dtype=np.float32)
    file.keep_vectors("e", list(replies), vectors)
    found, missing = file.vectors("e", [*replies, "other"], 3)
    assert missing == [1200] and np.array_equal(found[:1200], vectors) and file.dimensions("e") == 3


def test_decisions_come_in_the_order_of_their_numbers(file: WorkspaceFile) -> None:
    with file.transaction():
        file.keep_decisions("edit", {"b": {"number": 1, "text": "x"}, "a": {"number": 10, "text": "y"}})
        file.keep_decisions("verdict", {"b": {"number": 2}})
        file.keep_decisions("edit", {"b": {"number": 11, "text": "z"}})
    assert file.decisions("edit") == [("a", {"number": 10, "text": "y"}), ("b", {"number": 11, "text": "z"})]
    assert file.last_number() == 11 and file.generation == "3"
    with file.transaction():
        file.drop_all_decisions()
    assert file.decisions("edit") == file.decisions("verdict") == [] and file.last_number() == 0


def test_the_ledger_adds_up_and_keeps_the_first_reply(file: WorkspaceFile) -> None:
    ledger = LedgerTable(file)
    first, again = paid("k1", "one"), paid("k1", "other", cost=0.5)
    ledger.keep([replace(first, state="sent", reply=None)] * 2)
    assert in_flight(file)[::3] == (2, 0.5) and ledger.replies(["k1"]) == {}
    ledger.keep([first])
    ledger.keep([again, replace(first, state="failed", reply=None, cost=0.0)])
    assert [r.text for r in ledger.replies(["k1", "k2"]).values()] == ["one"]
    assert in_flight(file)[0] == 0
    assert spending(file) == [("trees", "grow_tree", 3, 100, 20, 0.75, 0)]
    ledger.settle(["k1"], readable=False)
    assert ledger.replies(["k1"]) == {} and ledger.unreadable(["base of k1"]) == {"base of k1": 1}
    ledger.keep([paid("k2", cost=None), replace(paid("k3"), state="awaited", reply=None, items=("x", "y"))])
    assert spending(file)[0][5] is None and spent_on(file, "trees", "2026-01-01") == 0.0
    assert ledger.open_groups("grow_tree") == [("i",), ("x", "y")]
    assert [one.key for one in ledger.awaited()] == ["k3"]


def test_versions_are_read_in_the_place_of_the_newest(store: Store, file: WorkspaceFile) -> None:
    for n in range(1, 5):
        publish(file, *(f"{i}" for i in range(n)), f"last {n}", keep=3)
    assert [one.number for one in file.versions()] == [2, 3, 4] and file.shown_version == 4
    assert file.counts_of("") == {"solution": 5, "displayed": 5} and file.counts_of("2")["solution"] == 3
    with pytest.raises(BadInputError, match="no version 1"):
        store.open("1")
    assert titles(store.open("2")) == ["0", "1", "last 2"]
    with file.transaction():
        file.show_version(3)
    for opened in (file, store.open()):
        assert titles(opened) == ["0", "1", "2", "last 3"] and opened.shown_version == 3
        assert opened.record("solution", "s4") is None and opened.newest("solution", "s4") is not None
    publish(file, "0", "1", "2", "last 3")  # what readers see stays, as a version on top
    assert titles(store.open()) == ["0", "1", "2", "last 3"] and file.rolled_back == 0


def test_a_candidate_is_seen_by_nobody_and_stays_what_it_is(store: Store, file: WorkspaceFile) -> None:
    publish(file, "a", "b")
    assert not file.has_candidate
    with pytest.raises(BadInputError, match="no candidate"):
        store.open(CANDIDATE)
    with file.transaction():
        file.keep_candidate({("solution", "s0"): solution("a"), ("solution", "s2"): solution("c")}, {"by": "build"})
    assert titles(store.open()) == ["a", "b"] and file.differs_for_readers
    publish(file, "other", "b", "x", "y")
    assert titles(store.open(CANDIDATE)) == ["a", "c"] and file.candidate() == {"by": "build"}
    assert file.counts_of(CANDIDATE) == {"solution": 2, "displayed": 2}
    with file.transaction():
        file.drop_candidate()
    assert not store.open().has_candidate


def test_feedback_is_numbered_once_and_can_be_taken_back(file: WorkspaceFile) -> None:
    given = [Feedback(f"f-{n}", "it leaks", "used", "s" if n % 2 else None, date=DATE) for n in range(5)]
    with file.transaction():
        numbers = [
            None if kept is None else kept.number for kept in (keep_feedback(file, g) for g in [*given, given[0]])
        ]
    assert numbers == [1, 2, 3, 4, 5, None]
    with file.transaction():
        take_back(file, "f-1")
    assert [one.number for one in read_feedback(file, after=1, limit=2)] == [3, 4]
    assert feedback_ids(file, undone=True) == {"f-1"} and len(feedback_ids(file)) == 5
    assert count_verdicts(file) == {"s": {"used": 1}}
    with file.transaction():
        kept = keep_feedback(file, given[1])
    assert kept is not None and kept.number == 2 and find_feedback(file, "f-1") == kept
    with file.transaction():
        replace_all_feedback(file, [replace(given[0], number=7), replace(given[1], number=7)])
    assert [one.number for one in read_feedback(file)] == [7, 8]


def test_the_log_keeps_the_newest_and_can_be_emptied(file: WorkspaceFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_log, "MOST_QUESTIONS", 3)
    asked = LoggedQuestion("it leaks", "answered", "ask", DATE, solutions=("s", "t"), seconds=0.25, cost=None)
    with file.transaction():
        keep_questions(file, [replace(asked, text=str(n)) for n in range(4)])
    with file.transaction():
        keep_questions(file, [replace(asked, outcome="abstains", solutions=(), text="4", cost=0.5)])
    assert [one.text for one in read_questions(file)] == ["2", "3", "4"]
    assert [one.text for one in read_questions(file, "abstains")] == ["4"]
    assert [(one.seconds, one.cost) for one in read_question_outcomes(file)] == [
        (0.25, None),
        (0.25, None),
        (0.25, 0.5),
    ]
    assert count_shown_first(file) == {"s": 2} and count_questions(file) == (3, DATE)
    assert forget_questions(file) == 3 and read_questions(file) == []


def test_as_many_are_kept_as_the_limit_says_whatever_gaps_their_numbers_have(
    file: WorkspaceFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_log, "MOST_QUESTIONS", 3)
    monkeypatch.setattr(outcomes, "MOST_ARMS", 3)

    def keep(name: str) -> None:
        keep_arms(file, [AssignedArm(name, "salt", "control", DATE)])
        keep_questions(file, [LoggedQuestion(name, "answered", "ask", DATE)])

    for name in "abc":
        with file.transaction():
            for _ in range(5):  # of which all but the first are there already
                keep_arms(file, [AssignedArm(name, "salt", "control", DATE)])
            keep(name)
        for _ in range(5):
            with pytest.raises(ZeroDivisionError), file.transaction():
                keep("lost")
                raise ZeroDivisionError
    assert [one.conversation for one in read_arms(file, "salt")] == ["a", "b", "c"]
    assert [one.text for one in read_questions(file)] == ["a", "b", "c"]
    with file.transaction():
        keep("d")
    assert [one.conversation for one in read_arms(file, "salt")] == ["b", "c", "d"]
    assert [one.text for one in read_questions(file)] == ["b", "c", "d"]


def test_keys_are_read_in_the_order_of_their_making(file: WorkspaceFile) -> None:
    assert not has_api_keys(file)
    first, second = ApiKey("key-b", "agent", DATE), ApiKey("key-a", "admin", DATE)
    with file.transaction():
        keep_api_key(file, first, "hash b")
        keep_api_key(file, second, "hash a")
        revoked = note_revoked(file, first, "2026-02-02T00:00:00+00:00")
    assert read_api_keys(file) == [revoked, second] and revoked.revoked == "2026-02-02T00:00:00+00:00"
    assert [find_api_key(file, one) for one in ("hash b", "hash a", "none")] == [revoked, second, None]


def test_the_first_arm_and_all_that_was_said_of_an_end_stay(file: WorkspaceFile) -> None:
    arms = [AssignedArm(c, "salt", arm, DATE) for c, arm in (("z", "control"), ("a", "treatment"), ("z", "treatment"))]
    with file.transaction():
        keep_arms(file, arms)
        keep_outcome(file, ConversationOutcome("z", resolved=True, date=DATE))
        known, is_news = keep_outcome(file, ConversationOutcome("z", returned=False, seconds=2.5, date="later"))
    assert read_arms(file, "salt") == arms[:2]
    assert is_news and known == find_outcome(file, "z") == ConversationOutcome("z", True, False, 2.5, DATE)


def test_tickets_with_their_sections_pieces_and_edges(file: WorkspaceFile) -> None:
    made = [ticket(i, f"title of {i}") for i in ("B", "a", "A")]
    edges = [Edge("a", "Duplicate", "B"), Edge("A", "Äußeres", "gone", dangling=True), Edge("a", "Contains", "A")]
    with file.transaction():
        publish_tickets(file, made, [], ticket_graphs.TEMPLATE)
        publish_edges(file, edges)
        file.keep_vectors("e", [f"title of {i}" for i in "Ba"], np.array([[1, 2], [3, 4]], dtype=np.float32))
    found = read_tickets(file)
    assert list(found) == ["A", "B", "a"] and found["a"].sections == made[1].sections
    assert read_tickets(file, ["a", "gone", "A"]) == {i: found[i] for i in "Aa"}
    assert list_ticket_ids(file, "A", 1) == ["B"] and list_ticket_ids(file) == ["A", "B", "a"]
    assert read_edges(file) == sorted(edges, key=lambda e: (e.source, e.type)) and len(read_edges(file, ["A"])) == 2
    assert read_link_types(file) == ("Contains", "Duplicate", "Äußeres")
    assert (count_tickets(file).tickets, count_tickets(file).dangling) == (3, 1)
    pieces, vectors = read_pieces(file, 2)
    assert [p.ticket for p in pieces] == ["B", "a"] and vectors.tolist() == [[1, 2], [3, 4]]
    with file.transaction():
        publish_tickets(file, [ticket("a", "another")], ["B"], ticket_graphs.TEMPLATE)
        assert publish_edges(file, [replace(edges[0], score=0.5)]) == 3
    assert {i: one.ticket.title for i, one in read_tickets(file).items()} == {"A": "title of A", "a": "another"}
    assert [p.ticket for p in read_pieces(file, 2)[0]] == [] and read_edges(file)[0].score == 0.5


# -- transactions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_takes_everything_back(store: Store, file: WorkspaceFile, error: type[BaseException]) -> None:
    with file.transaction():
        write_everything(file, 1)
    before = read_everything(file)
    with pytest.raises(error), file.transaction():
        with file.transaction():
            write_everything(file, 2)
        assert read_everything(file)["staged"] == "2"  # who writes sees what is written
        raise error
    assert read_everything(file) == read_everything(store.open()) == before
    with file.transaction():
        write_everything(file, 2)
    assert set(read_everything(store.open()).values()) == {"2"}


def write_until_held(store: Store) -> None:
    """Write as the program does until it would hold a transaction."""
    with closing(store.open()) as file:
        for number in range(1, HELD + 1):
            with file.transaction():
                write_everything(file, number)


@pytest.fixture(scope="module")
def writers() -> Iterator[subprocess.Popen[str]]:
    """The program that begins writers."""
    command = [sys.executable, str(TESTS / "workspace_stores.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


@dataclass(frozen=True)
class Writer:
    """A process that writes without end, and what it says until it is killed."""

    pid: int
    lines: Iterator[str]

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


@contextmanager
def writer(store: Store, writers: subprocess.Popen[str]) -> Iterator[Writer]:
    """A process that writes without end, and has begun; it is killed when the block has ended."""
    assert writers.stdin is not None and writers.stdout is not None
    hung = threading.Timer(HANGS, writers.kill)  # so that a writer that hangs fails this test, and ends no run
    hung.daemon = True
    hung.start()
    print(json.dumps([store.name, store.address]), file=writers.stdin, flush=True)
    said = map(str.strip, writers.stdout)
    begun = Writer(int(next(said)), lines_of(said))
    try:
        assert next(begun.lines) == "in"
        yield begun
    finally:
        with suppress(ProcessLookupError):  # the test has killed it
            begun.kill()
        list(begun.lines)
        hung.cancel()


def lines_of(said: Iterator[str]) -> Iterator[str]:
    """Yield what a writer says; it must not end by itself."""
    for line in said:
        if line.startswith("ended"):
            assert line == f"ended {-signal.SIGKILL}"
            return
        yield line


def test_kill_9_leaves_all_of_the_last_transaction_or_nothing(store: Store, writers: subprocess.Popen[str]) -> None:
    """Also where the process was inside one; what was acknowledged is there, and the next writer need not wait."""
    store.open().close()
    with writer(store, writers) as process:
        for line in process.lines:
            if line == str(HELD - 1):
                break
        assert next(process.lines) == "in"  # and stays so
    with closing(store.open()) as file:
        found = read_everything(file)
        assert found == dict.fromkeys(found, str(HELD - 1))
        with file.transaction():
            write_everything(file, HELD)
        assert set(read_everything(store.open()).values()) == {str(HELD)}


def test_a_writer_that_is_killed_at_any_moment_loses_no_acknowledged_write(
    store: Store, writers: subprocess.Popen[str]
) -> None:
    random = Random(3)
    write_until_held(store)
    acknowledged = HELD
    for _ in range(KILLS):
        with writer(store, writers) as process:
            lines = random.randrange(2, 12)  # two a transaction
            said = [next(process.lines) for _ in range(lines)]
            time.sleep(random.random() * SHORT)
            process.kill()
            acknowledged = max(int(line) for line in (*said, *process.lines) if line != "in")
        with closing(store.open()) as file:
            found = read_everything(file)
        assert len(set(found.values())) == 1, found
        assert int(str(found["staged"])) >= acknowledged
    assert acknowledged >= HELD + KILLS


def test_transactions_of_several_connections_wait_for_one_another(store: Store, file: WorkspaceFile) -> None:
    with file.transaction():
        file.note("count", "0")

    def count(_: int) -> None:
        with closing(store.open()) as own:
            for _ in range(10):
                with own.transaction():
                    own.note("count", str(int(own.meta("count") or 0) + 1))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count, range(4)))
    assert file.meta("count") == "40"


# -- readers ----------------------------------------------------------------------------------------------------------


def test_readers_see_before_or_after_and_never_between(store: Store, file: WorkspaceFile) -> None:
    reader = store.open()
    with file.transaction():
        write_everything(file, 1)
    with file.transaction():
        write_everything(file, 2)
        assert set(read_everything(reader).values()) == {"1"}
        with reader.snapshot():
            assert set(read_everything(reader).values()) == {"1"}
    assert set(read_everything(reader).values()) == {"2"}
    with reader.snapshot():
        assert reader.meta("said") == "2"
        with file.transaction():
            write_everything(file, 3)
        assert set(read_everything(reader).values()) == {"2"}
    assert set(read_everything(reader).values()) == {"3"}


def test_snapshots_hold_while_another_process_writes(store: Store, writers: subprocess.Popen[str]) -> None:
    write_until_held(store)
    with writer(store, writers), closing(store.open()) as reader:
        seen = set()
        end = time.monotonic() + 60
        while len(seen) < 20:
            assert time.monotonic() < end
            with reader.snapshot():
                found = read_everything(reader)
            assert len(set(found.values())) == 1, found
            seen |= set(found.values())


def test_a_publication_is_told_by_its_count(store: Store, file: WorkspaceFile) -> None:
    other = store.open()
    publish(file, "a")
    first = (other.generation, other.publication)
    publish(file, "a")  # nothing else than before
    assert (other.generation, other.publication) == first
    with file.transaction():
        file.keep_decisions("edit", {"e": {"number": 1}})
    assert other.generation != first[0] and other.publication == first[1]
    publish(file, "b")
    assert other.publication != first[1]


# -- damage -----------------------------------------------------------------------------------------------------------

Reader = Callable[[WorkspaceFile], object]
NOT_JSON = f"'{SECRET} {{'"
DAMAGE: dict[str, tuple[str, Reader]] = {
    "staged": (f"body = {NOT_JSON}", lambda file: file.staged("documents")),
    "record": (f"body = {NOT_JSON}", lambda file: list(file.records("solution"))),
    "record's titles": (f"body = {NOT_JSON}", lambda file: file.titles("solution")),
    "record's list": (f"body = '[\"{SECRET}\"]'", lambda file: file.record("solution", "s")),
    "decision": (f"body = {NOT_JSON}", lambda file: file.decisions("edit")),
    "version": (f"body = {NOT_JSON}", lambda file: file.versions()),
    "meta": (f"value = '{SECRET}'", lambda file: file.rolled_back or file.dimensions("e")),
    "feedback": (f"body = {NOT_JSON}", read_feedback),
    "feedback's counts": (f"body = {NOT_JSON}", count_verdicts),
    "question": (f"body = {NOT_JSON}", read_questions),
    "question's outcomes": (f"body = {NOT_JSON}", read_question_outcomes),
    "api_key": (f"role = '{SECRET}'", read_api_keys),
    "arm": (f"arm = '{SECRET}'", lambda file: read_arms(file, "salt")),
    "closed_gap": (f"status = '{SECRET}'", question_log.read_closed_gaps),
    "ticket": (f"body = {NOT_JSON}", read_tickets),
}


@pytest.mark.parametrize("place", DAMAGE)
def test_damage_is_one_sentence_without_what_stands_there(store: Store, file: WorkspaceFile, place: str) -> None:
    change, read = DAMAGE[place]
    with file.transaction():
        write_everything(file, 1)
    read(file)
    store.run_past_it(f"UPDATE {place.partition(chr(39))[0]} SET {change}")
    with pytest.raises(AutokbError, match=r"is damaged .*; restore") as raised, store.sentences():
        read(file)
    said = str(raised.value)
    assert SECRET not in said and "\n" not in said and re.fullmatch(r"[^.]*(\.[^ ]+[^.]*)*\.", said)


@pytest.mark.parametrize("change", ["text = NULL", "finish = 'sesame'", "input = -1"])
def test_a_damaged_reply_counts_as_missing_and_is_paid_for_again(
    store: Store, file: WorkspaceFile, change: str
) -> None:
    ledger = LedgerTable(file)
    ledger.keep([paid("k"), paid("k2")])
    store.run_past_it(f"UPDATE request SET {change} WHERE key = 'k'")
    assert list(ledger.replies(["k", "k2"])) == ["k2"]
    ledger.keep([paid("k", "again")])
    assert ledger.replies(["k"])["k"].text == "again"


def test_a_damaged_vector_counts_as_missing(store: Store, file: WorkspaceFile) -> None:
    file.keep_vectors("e", ["a", "b"], np.array([[1, 2], [3, 4]], dtype=np.float32))
    with file.transaction():
        publish_tickets(file, [ticket("T", "a"), ticket("U", "b")], [], ticket_graphs.TEMPLATE)
    store.run_past_it("DELETE FROM vector WHERE key = (SELECT vector FROM ticket_piece WHERE ticket = 'T')")
    assert file.vectors("e", ["a", "b"], 2)[1] == [0]
    assert [p.ticket for p in read_pieces(file, 2)[0]] == ["U"]
