"""Suggestions over HTTP from SQLite beside Postgres: the same 7,000 solutions, in turns, with a key and a rate.

Both services run all the time; the users (``service_users``) ask one of them at a time. The server's own count of
transactions says what it does for a suggestion; in the background each process asks it some things a second.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import psycopg

from autokb.plugins.postgres.pool import split_url
from benchmarks.figures import Figure, Result
from benchmarks.postgres_server import PostgresServer, postgres_server
from benchmarks.running import autokb, folder
from benchmarks.served import served
from benchmarks.service_load import AIMS, RATE, SHORT, WORKERS, Measured, figures, make_workspace, use, wait_until_idle

STORES = ("sqlite", "postgres")
TURNS, SECONDS = 2, 60  # turns of each store, and how long one is
A_MINUTE = 100 * 60 * RATE  # requests of a key: counted and shared, and never reached
COUNTED = 1.5  # seconds after which a server has counted what was done


def run(options: argparse.Namespace) -> Result:
    """Serve the same knowledge base from both stores, and ask each in turn."""
    turns, seconds = (1, 8) if options.quick else (TURNS, SECONDS)
    with folder() as place, postgres_server() as server, ExitStack() as stack:
        key = _make_both(place, server)
        services = {
            store: stack.enter_context(
                served(place / store, "--workers", str(WORKERS), "--rate", str(A_MINUTE), key=key)
            )
            for store in STORES
        }
        for service in services.values():
            wait_until_idle(service)
        measured: dict[str, list[Measured]] = {store: [] for store in STORES}
        transactions = 0
        for turn in range(turns):
            for store in STORES if turn % 2 == 0 else reversed(STORES):
                before = _transactions(server)
                measured[store].append(use(services[store], RATE, seconds, SHORT, key))
                if store == "postgres":
                    transactions += _transactions(server) - before
    joined = {store: _join(turns_of) for store, turns_of in measured.items()}
    found = [figure for store in STORES for figure in figures(store, joined[store], AIMS)]
    found.append(Figure("postgres.transactions_a_suggestion", transactions / len(joined["postgres"].due), ""))
    detail = {store: [round(turn.percentile(95), 1) for turn in of] for store, of in measured.items()}
    return Result("service_stores", found, {"p95 of each turn": detail})


def _make_both(place: Path, server: PostgresServer) -> str:
    """Make the workspace in a file and, moved, on the server; returns a key that both know."""
    make_workspace(place)
    made = autokb("keys", "create", place / "kb", "--role", "agent", "--name", "users")
    shutil.copytree(place / "kb", place / "postgres")
    (place / "kb").rename(place / "sqlite")
    autokb("move", place / "postgres", "--to", server.url("suggestions"))
    return str(made.answer["key"])


def _transactions(server: PostgresServer) -> int:
    """Return how many transactions the server has ended; a statement alone is one."""
    time.sleep(COUNTED)
    address, _ = split_url(server.url("suggestions"))
    with psycopg.connect(address) as db:
        (count,) = db.execute("SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database").fetchone() or (0,)
    return int(count)


def _join(turns: Sequence[Measured]) -> Measured:
    """Return several turns as one, with the highest load of the machine."""
    due, seconds, statuses = (np.concatenate([getattr(t, n) for t in turns]) for n in ("due", "seconds", "statuses"))
    return Measured(due, seconds, statuses, {}, max(turn.load for turn in turns))
