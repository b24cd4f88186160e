"""The ledger in the workspace file keeps the port, and is on disk when it says so."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from autokb.core.errors import AutokbError
from autokb.core.ledger import Ledger, Paid
from autokb.core.model_requests import ModelReply
from autokb.stores.ledger_table import LedgerTable, in_flight, spending
from autokb.stores.workspace_file import WorkspaceFile

REPLY = ModelReply('{"answers": []}', 100, 20, 30, "length")
ROW = Paid("k1", "b1", "trees", "issues/grow_tree", "openai:m", ("i1", "i2"), "paid", REPLY, 0.25)


@pytest.fixture
def file(tmp_path: Path) -> WorkspaceFile:
    return WorkspaceFile(tmp_path / "knowledge.db", create=True)


@pytest.fixture
def ledger(file: WorkspaceFile) -> Ledger:
    return LedgerTable(file)


def failed(row: Paid, cost: float | None = 0.0) -> Paid:
    return replace(row, state="failed", reply=None, cost=cost)


def test_a_kept_reply_is_there_for_another_connection(file: WorkspaceFile, ledger: Ledger) -> None:
    ledger.keep([ROW])
    other = sqlite3.connect(file.path)
    assert other.execute("SELECT key, text, state FROM request").fetchall() == [("k1", '{"answers": []}', "paid")]
    other.close()
    assert LedgerTable(WorkspaceFile(file.path)).replies(["k1", "k2"]) == {"k1": REPLY}


def test_read_replies_are_served_unreadable_ones_never_again(ledger: Ledger) -> None:
    ledger.keep([ROW, replace(ROW, key="k2"), replace(ROW, key="k3", base_key="b3")])
    ledger.settle(["k1"], True)
    ledger.settle(["k2", "k3"], False)
    assert ledger.replies(["k1", "k2", "k3"]) == {"k1": REPLY}
    assert ledger.unreadable(["b1", "b3", "b9"]) == {"b1": 1, "b3": 1}


def test_what_was_read_once_and_is_not_any_more_is_unreadable(ledger: Ledger) -> None:
    ledger.keep([ROW])
    ledger.settle(["k1"], True)
    ledger.settle(["k1"], False)
    assert ledger.replies(["k1"]) == {}
    ledger.settle(["k1"], True)
    assert ledger.replies(["k1"]) == {}


def test_a_failed_attempt_is_counted_and_serves_nothing(file: WorkspaceFile, ledger: Ledger) -> None:
    ledger.keep([failed(ROW), failed(ROW, 0.5)])
    assert ledger.replies(["k1"]) == {}
    assert ledger.open_groups("issues/grow_tree") == []
    assert spending(file) == [("trees", "issues/grow_tree", 2, 0, 0, 0.5, 0)]
    ledger.keep([ROW])
    assert spending(file) == [("trees", "issues/grow_tree", 3, 100, 20, 0.75, 0)]


def test_a_later_failure_does_not_lose_a_reply(file: WorkspaceFile, ledger: Ledger) -> None:
    ledger.keep([ROW])
    ledger.keep([failed(ROW), replace(ROW, state="awaited", reply=None)])
    assert ledger.replies(["k1"]) == {"k1": REPLY}
    assert spending(file) == [("trees", "issues/grow_tree", 2, 100, 20, 0.25, 0)]


def test_the_first_reply_to_a_key_counts(ledger: Ledger) -> None:
    ledger.keep([ROW])
    ledger.keep([replace(ROW, reply=ModelReply("other", 1, 1))])
    assert ledger.replies(["k1"]) == {"k1": REPLY}


def test_awaited_requests_cost_nothing_until_their_reply_is_there(file: WorkspaceFile, ledger: Ledger) -> None:
    waiting = replace(ROW, state="awaited", reply=None, cost=None, batch="line 1")
    ledger.keep([waiting])
    assert spending(file) == []
    assert ledger.awaited() == [replace(waiting, cost=0.0, calls=0)]
    ledger.keep([ROW])
    assert ledger.awaited() == []
    assert spending(file) == [("trees", "issues/grow_tree", 1, 100, 20, 0.25, 0)]


def test_what_a_row_does_not_name_stays(ledger: Ledger) -> None:
    ledger.keep([replace(ROW, state="awaited", reply=None, batch="line 1")])
    ledger.keep([Paid("k1", "b1", "", "", "openai:m", (), "awaited", None, 0.0, calls=0)])
    assert ledger.awaited() == [replace(ROW, state="awaited", reply=None, batch="line 1", cost=0.0, calls=0)]


def test_open_groups_are_those_paid_and_unread_or_awaited_oldest_first(ledger: Ledger) -> None:
    ledger.keep([replace(ROW, key=k, items=items) for k, items in (("k1", ("z",)), ("k2", ("a", "b")), ("k3", ("z",)))])
    ledger.keep([replace(ROW, key="k4", items=("w",), state="awaited", reply=None)])
    ledger.keep([replace(ROW, key="k5", items=("x",)), replace(ROW, key="k6", task="other", items=("y",))])
    ledger.settle(["k5"], True)
    assert ledger.open_groups("issues/grow_tree") == [("z",), ("a", "b"), ("w",)]


def test_an_unknown_cost_makes_the_sum_unknown(file: WorkspaceFile, ledger: Ledger) -> None:
    ledger.keep([ROW, replace(ROW, key="k2", cost=None), replace(ROW, key="k3", stage="themes", task="r", cost=1.0)])
    assert spending(file) == [("trees", "issues/grow_tree", 2, 200, 40, None, 0), ("themes", "r", 1, 100, 20, 1.0, 0)]


def test_many_keys_need_more_than_one_statement(ledger: Ledger) -> None:
    ledger.keep([replace(ROW, key=f"k{n}") for n in range(1200)])
    assert len(ledger.replies([f"k{n}" for n in range(1300)])) == 1200


def test_rows_and_what_was_read_of_them_can_share_a_transaction(file: WorkspaceFile, ledger: Ledger) -> None:
    ledger.keep([ROW])
    with pytest.raises(ValueError, match="killed"), file.transaction():
        file.finish("trees", {"i1": "{}"}, {"i1": "k1 k2"})
        ledger.settle(["k1"], True)
        raise ValueError("killed")
    assert file.finished(["i1"]) == {}
    assert ledger.open_groups("issues/grow_tree") == [("i1", "i2")]
    file.finish("trees", {"i1": "{}", "i2": "{}"}, {"i1": "k1 k2"})
    assert file.origins(["i1", "i2", "i3"]) == {"i1": "k1 k2"}


def test_a_full_disk_is_a_sentence(file: WorkspaceFile, ledger: Ledger) -> None:
    pages = file._db.execute("PRAGMA page_count").fetchone()[0]
    file._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(AutokbError, match="free some disk space"):
        ledger.keep([replace(ROW, reply=replace(REPLY, text="long" * 100_000))])
    assert ledger.replies(["k1"]) == {}


SENT = replace(ROW, state="sent", reply=ModelReply("", 900, 64), cost=0.5)


def test_what_is_under_way_is_booked_apart_until_it_is_answered(file: WorkspaceFile, ledger: Ledger) -> None:
    assert in_flight(file) == (0, 0, 0, 0.0)
    ledger.keep([SENT, replace(SENT, key="k2", cost=0.25)])
    assert in_flight(WorkspaceFile(file.path)) == (2, 1800, 128, 0.75)
    assert (spending(file), ledger.replies(["k1"]), ledger.open_groups("issues/grow_tree")) == ([], {}, [])
    assert ledger.unreadable(["b1"]) == {}
    ledger.keep([ROW])
    assert in_flight(file) == (1, 900, 64, 0.25)
    assert spending(file) == [("trees", "issues/grow_tree", 1, 100, 20, 0.25, 0)]


def test_a_failure_takes_its_own_attempt_out_and_a_reply_all_of_its_request(
    file: WorkspaceFile, ledger: Ledger
) -> None:
    ledger.keep([SENT])  # in flight when an earlier run was killed
    ledger.keep([SENT])
    assert in_flight(file) == (2, 1800, 128, 1.0)
    ledger.keep([failed(ROW)])
    assert in_flight(file) == (1, 900, 64, 0.5)
    ledger.keep([SENT])
    ledger.keep([ROW])
    assert in_flight(file) == (0, 0, 0, 0.0)
    ledger.keep([replace(SENT, cost=None)])
    assert in_flight(file) == (1, 900, 64, None)
    ledger.keep([replace(ROW, state="awaited", reply=None, calls=0)])
    assert in_flight(file) == (0, 0, 0, 0.0)
