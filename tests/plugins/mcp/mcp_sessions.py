"""The protocol's own client before ``autokb mcp``: in this process, over stdio, and over HTTP with a key."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from autokb.app import SupportKB
from autokb.core.roles import Role
from autokb.plugins.mcp.marked import NOTICE
from autokb.plugins.mcp.server import CallContext, create_server
from autokb.web.access import Caller

SECONDS = 60  # that a request may take before it is given up
READING = {"ask", "search_knowledge", "read_issue", "read_document", "search_tickets"}  # what a reader may
INSIDE = {"suggest_reply", "ask_tickets"}
WRITING = {"report_outcome"}
TICKETS = {"search_tickets", "ask_tickets"}  # which are offered only where there are some


def inside(kb: SupportKB, role: Role = "admin", *, writes: bool = False) -> Client:
    """Return a client of a server in this process, which a caller of this role uses."""
    call = CallContext(kb, kb.workspace.folder, Caller("", role), None, writes)
    return Client(create_server(lambda _context: call), cache=None)


@asynccontextmanager
async def over_stdio(folder: Path, *words: str, log: Path, mode: str = "auto") -> AsyncIterator[Client]:
    """Give a client of ``autokb mcp``, whose standard error goes to a file."""
    command = StdioServerParameters(command=sys.executable, args=["-m", "autokb", "mcp", str(folder), *words])
    with log.open("w", encoding="utf-8") as errors:
        async with Client(stdio_client(command, errlog=errors), mode=mode, read_timeout_seconds=SECONDS) as client:
            yield client


@asynccontextmanager
async def over_http(url: str, key: str = "", *, mode: str = "auto") -> AsyncIterator[Client]:
    """Give a client of ``autokb mcp --http`` that shows a key."""
    shown = {"authorization": f"Bearer {key}"} if key else {}
    async with httpx2.AsyncClient(headers=shown, timeout=SECONDS) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, read_timeout_seconds=SECONDS) as client:
            yield client


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """Return what a tool gives, marked as data; its text is the same without what is in it already."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert not result.is_error, content
    check_same(json.loads(content.text), result.structured_content)  # type: ignore[union-attr]
    return unmarked(result.structured_content)


def as_answered(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer without its time and the solutions' texts, whose steps have the manual's marks over MCP.

    Numbers are rounded: a process with another number of threads adds up products in another order.
    """
    rounded = json.loads(json.dumps(answer), parse_float=lambda number: round(float(number), 3))
    copy = {**rounded, "seconds": 0}
    for one in (*copy["passages"], *(solution for match in copy["matches"] for solution in match["solutions"])):
        del one["text"]
    return copy


def check_same(text: Any, whole: Any, said: Sequence[str] = ()) -> None:
    """Check that a text has all of a result but steps, and quotes of evidence, whose words it ``said``."""
    if isinstance(whole, list):
        assert len(text) == len(whole)
        for one, other in zip(text, whole, strict=True):
            check_same(one, other, said)
    elif isinstance(whole, dict):
        words = _words(f"{whole['text']} {whole['steps']}") if "steps" in whole else said
        for name, value in whole.items():
            if name in text:
                check_same(text[name], value, words)
            elif name == "steps":
                assert all(step in whole["text"] for step in value)
            else:
                assert name == "quote" and set(_words(value)) <= set(words), name
        assert set(text) <= set(whole)
    else:
        assert text == whole


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.casefold()) if not word.isdigit()]


async def refused(client: Client, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the sentence that a call is refused with."""
    result = await client.call_tool(tool, dict(arguments))
    (content,) = result.content
    assert result.is_error and result.structured_content is None, result
    return str(content.text)  # type: ignore[union-attr]


async def read(client: Client, uri: str) -> Any:
    """Return what a resource holds, marked as data."""
    (content,) = (await client.read_resource(uri)).contents
    assert content.mime_type == "application/json"
    return unmarked(json.loads(content.text))  # type: ignore[union-attr]


def unmarked(found: Any) -> Any:
    """Take a result out of its envelope, which has nothing else."""
    assert set(found) == {"notice", "data"} and found["notice"] == NOTICE
    return found["data"]
