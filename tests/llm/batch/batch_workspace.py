"""What the tests of batches share: a ledger on a real file, requests, and replies as files hold them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.core.ledger import Paid
from autokb.core.model_requests import AwaitedError, ModelReply, ModelRequest, PromptTurn
from autokb.llm.client import ModelClient, Tag
from autokb.llm.prices import Price, Prices
from autokb.stores.ledger_table import LedgerTable
from autokb.stores.workspace_file import WorkspaceFile

PRICE = Price(input=2.0, output=10.0, cached=1.0)


@dataclass
class Notes:
    """Handles over the workspace file, as the app keeps them."""

    file: WorkspaceFile

    def get(self, name: str) -> str | None:
        return self.file.meta(name)

    def put(self, name: str, text: str) -> None:
        with self.file.transaction():
            self.file.note(name, text)


@dataclass
class OpenLedger:
    """A workspace's ledger and handles."""

    file: WorkspaceFile
    ledger: LedgerTable[ModelReply, Paid]
    handles: Notes

    def states(self) -> dict[str, str]:
        """Return the state of every request by key, read over a connection of its own: what is on the disk."""
        with sqlite3.connect(self.file.path) as db:
            return dict(db.execute("SELECT key, state FROM request"))


@contextmanager
def open_ledger(folder: Path) -> Iterator[OpenLedger]:
    """Open the workspace file of a folder, made where it is missing."""
    path = folder / "knowledge.db"
    file = WorkspaceFile(path, create=not path.exists())
    try:
        yield OpenLedger(file, LedgerTable(file), Notes(file))
    finally:
        file.close()


def request(text: str, name: str = "themes", model: str = "house:tiny") -> ModelRequest:
    """Return a request with one user turn."""
    schema = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}}
    return ModelRequest(model, (PromptTurn("system", "Say."), PromptTurn("user", text)), schema, name, 100)


async def noted(at: OpenLedger, batch: Any, *requests: ModelRequest) -> None:
    """Ask for requests as a build does, through the client; a batch awaits each."""
    client = ModelClient(at.ledger, lambda _model: batch, Prices({}), sends_at_once=False)
    for one in requests:
        task = one.name.replace("_", "/", 1) if "_" in one.name else f"issues/{one.name}"
        try:
            await client.ask(one, Tag("stage", task))
        except AwaitedError:
            continue
        raise AssertionError("a batch has no reply at once")


def body(text: str, **more: Any) -> dict[str, Any]:
    """Return a chat completion that says a text, 12 tokens in and 3 out."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
    return {"object": "chat.completion", "choices": [choice], "usage": usage} | more


def reply(name: str, text: str) -> dict[str, Any]:
    """Return a line of a reply file as OpenAI writes it."""
    response = {"status_code": 200, "request_id": "r", "body": body(text)}
    return {"id": "b", "custom_id": name, "response": response, "error": None}


def write(path: Path, *lines: dict[str, Any]) -> Path:
    """Write lines into a file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Read the lines of a file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]
