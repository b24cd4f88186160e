"""The stores that hold a workspace, for the suite that each must pass, and one write that touches every table of it.

As a program it makes a process that writes without end, to be killed, for each line with a store and its address.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

import ticket_graphs
from autokb.core.api_keys import ApiKey
from autokb.core.checks import Check
from autokb.core.ids import canonical_json
from autokb.core.in_use import AssignedArm, ClosedGap, ConversationOutcome, Feedback, LoggedQuestion
from autokb.core.ledger import Paid
from autokb.core.model_requests import ModelReply
from autokb.core.nouns import Annotation
from autokb.core.tickets import Edge, Ticket
from autokb.plugins.tickets.heuristics.parse_sections import tree_of
from autokb.stores.annotations import keep_annotation, read_annotations
from autokb.stores.api_keys import keep_api_key, read_api_keys
from autokb.stores.checks import keep_checks, read_checks
from autokb.stores.database import failures_as_sentences
from autokb.stores.feedback import keep_feedback, read_feedback
from autokb.stores.hook_messages import HookMessage, HookWork, conversation_messages, keep_message, note_judged
from autokb.stores.ledger_table import LedgerTable, spending
from autokb.stores.outcomes import find_outcome, keep_arms, keep_outcome, read_arms
from autokb.stores.question_log import close_gaps, keep_questions, read_closed_gaps, read_questions
from autokb.stores.ticket_tables import (
    PublishedTicket,
    SectionPiece,
    publish_edges,
    publish_tickets,
    read_edges,
    read_pieces,
    read_tickets,
)
from autokb.stores.versions import Made
from autokb.stores.workspace_file import Staged, WorkspaceFile, vector_key

DATE = "2026-01-01T00:00:00+00:00"
HELD = 5  # the transaction that the program holds for a while after it has said that it is inside
LONG, SHORT = 60.0, 0.02  # seconds for which it does that, and for which it is inside another one


class Store(Protocol):
    """Where the truth of one workspace lies."""

    name: str
    address: str

    def open(self, shows: str = "") -> WorkspaceFile:
        """Return a new connection; the first one makes the workspace."""
        ...

    def run_past_it(self, statement: str) -> None:
        """Run a statement as somebody does who knows the engine and not the program."""
        ...

    def sentences(self) -> AbstractContextManager[None]:
        """Make one sentence of each failure inside, as whoever opens a workspace does."""
        ...


@dataclass(frozen=True)
class SqliteStore:
    """A file."""

    address: str
    name: str = "sqlite"

    def open(self, shows: str = "") -> WorkspaceFile:
        return WorkspaceFile(Path(self.address), create=True, shows=shows)

    def run_past_it(self, statement: str) -> None:
        with closing(sqlite3.connect(self.address)) as db:
            db.execute(statement)
            db.commit()

    def sentences(self) -> AbstractContextManager[None]:
        return failures_as_sentences(Path(self.address))


@dataclass(frozen=True)
class PostgresStore:
    """A schema of a server."""

    address: str
    name: str = "postgres"

    def open(self, shows: str = "") -> WorkspaceFile:
        return WorkspaceFile(Path("knowledge.db"), shows=shows, url=self.address)

    def run_past_it(self, statement: str) -> None:
        from autokb.plugins.postgres.pool import pool_of

        with pool_of(self.address).connection() as db:
            db.execute(statement)

    def sentences(self) -> AbstractContextManager[None]:
        return failures_as_sentences(Path("knowledge.db"))


STORES: dict[str, Callable[[str], Store]] = {"sqlite": SqliteStore, "postgres": PostgresStore}


def solution(title: str) -> str:
    return canonical_json({"title": title, "status": "displayed", "text": "Hänge es auf 😀"})


def paid(key: str, text: str = "reply", *, cost: float | None = 0.25) -> Paid:
    reply = ModelReply(text, 100, 20, 30, "stop")
    return Paid(key, f"base of {key}", "trees", "grow_tree", "openai:m", ("i",), "paid", reply, cost)


def ticket(ident: str, title: str) -> PublishedTicket:
    sections = tree_of(ident, ticket_graphs.TEMPLATE, {"summary": title, "fix": "Dry it."})
    piece = SectionPiece(ident, "summary", 0, len(title), vector_key("e", title))
    return PublishedTicket(Ticket(ident, title), sections, f"print of {title}", (piece,))


def vector_of(number: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.array([[number, 0.1]], dtype=np.float32)


def write_everything(file: WorkspaceFile, number: int) -> None:
    """Write a number into every table; call it inside a transaction."""
    said = str(number)
    file.stage("documents", [Staged("d", "root", "a.md", {"text": said})])
    file.note("said", said)
    file.finish("trees", {"w": said}, {"w": f"request {said}"})
    file.keep_vectors("e", [said], vector_of(number))
    file.publish({("solution", "s"): solution(said)}, ["solution"], Made("build", DATE, 3))
    file.keep_candidate({("solution", "s"): solution(f"candidate {said}")}, {"said": said})
    file.keep_decisions("edit", {"e": {"number": number, "text": said}})
    file.spend([("trees", "grow_tree", 1, 0, 1, 1, 0.5)])
    LedgerTable(file).keep([paid(f"key {said}", said)])
    keep_feedback(file, Feedback(f"f {said}", "it leaks", "used", "s"))
    keep_questions(file, [LoggedQuestion(said, "answered", "ask", DATE)])
    close_gaps(file, [ClosedGap("gap", "done", said, DATE)])
    keep_arms(file, [AssignedArm(f"c {said}", "salt", "control", DATE)])
    keep_outcome(file, ConversationOutcome("c", True, False, float(number), DATE))
    keep_api_key(file, ApiKey(f"key {said}", "agent", DATE), f"hash {said}")
    keep_annotation(file, Annotation("i", "ann", said, True, "ann", DATE))
    keep_checks(file, [Check("check", said, outcome="answered")])
    publish_tickets(file, [ticket("T", said)], [], ticket_graphs.TEMPLATE)
    keep_message(file, HookMessage("zendesk", said, "c", "customer", float(number), HookWork(said), due=1e12))
    note_judged(file, conversation_messages(file, "zendesk", "c", 1)[0].number, said)
    publish_edges(file, [Edge("T", "Duplicate", "U", "source", True, float(number))])


def read_everything(file: WorkspaceFile) -> dict[str, object]:
    """Return the number that each table has; all of one moment have the same, as text."""
    pieces, vectors = read_pieces(file, 2)
    outcome = find_outcome(file, "c")
    return {
        "staged": [s.body["text"] for s in file.staged("documents")][-1],
        "meta": file.meta("said"),
        "work": file.finished(["w"])["w"],
        "origins": file.origins(["w"])["w"].removeprefix("request "),
        "record": dict(file.records("solution"))["s"]["title"],
        "titles": file.titles("solution")["s"],
        "version": str(file.versions()[-1].number),
        "candidate": file.candidate()["said"],
        "candidate's record": str(file.candidate_records()["solution", "s"]).split("candidate ")[1].split('"')[0],
        "decision": file.decisions("edit")[0][1]["text"],
        "spend": str(len(file.spent())),
        "request": str(sum(row[2] for row in spending(file))),
        "feedback": str(read_feedback(file)[-1].number),
        "question": read_questions(file)[-1].text,
        "closed_gap": read_closed_gaps(file)["gap"].author,
        "arm": read_arms(file, "salt")[-1].conversation.removeprefix("c "),
        "outcome": None if outcome is None else f"{outcome.seconds:.0f}",
        "api_key": read_api_keys(file)[-1].id.removeprefix("key "),
        "annotation": read_annotations(file)[0].text_hash,
        "checks": read_checks(file)[0].text,
        "hook_message": conversation_messages(file, "zendesk", "c", 1)[0].work.judged_by,
        "ticket": read_tickets(file)["T"].ticket.title,
        "ticket_section": next(s.text for s in read_tickets(file)["T"].sections if s.section == "summary"),
        "ticket_piece": f"{vectors[0][0]:.0f}" if len(pieces) == 1 else pieces,
        "ticket_edge": f"{read_edges(file)[0].score:.0f}",
    }


def main(name: str, address: str) -> None:
    """Write one number after another for ever, and say who writes and what has been written."""
    print(os.getpid(), flush=True)
    file = STORES[name](address).open()
    number = int(file.meta("said") or 0)
    while True:
        number += 1
        with file.transaction():
            write_everything(file, number)
            print("in", flush=True)
            time.sleep(LONG if number == HELD else SHORT)
        print(number, flush=True)


def begin_writers() -> None:
    """Make a writer for each line, one after another, and say how it ended; all that it imports is imported once."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            main(*json.loads(line))
        print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    begin_writers()
