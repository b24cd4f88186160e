"""The server for one client on the same machine, which starts it and talks to it over standard input and output."""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server

from autokb.app import SupportKB
from autokb.core.errors import AutokbError
from autokb.plugins.mcp.server import CallContext, create_server
from autokb.web.access import Caller
from autokb.web.middleware import in_thread
from autokb.web.serving import computing_limit

AT_A_TERMINAL = (  # on standard error; the output is the protocol's
    "Serving tools over standard input and output, for an assistant that starts this command itself. Ctrl-C ends it; "
    "--http serves over the network instead."
)


def serve_stdio(folder: Path, *, writes: bool = False) -> None:
    """Serve a workspace until the client closes standard input, or a signal ends this (BadInputError).

    Who starts it has the rights that the command line has; unless it ``writes``, nothing is kept of what is asked.
    """
    kb = SupportKB.open(folder, keep_log=writes)
    logging.basicConfig(level=logging.ERROR, format="%(message)s")  # on standard error; the output is the protocol's

    def end(_signal: int, _frame: object) -> None:
        kb.close()
        os._exit(0)  # a thread waits for the next line of standard input, which may never come

    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, end)
    if sys.stdin.isatty():
        print(AT_A_TERMINAL, file=sys.stderr)
    anyio.run(_serve, kb, folder, writes)
    kb.close()


async def _serve(kb: SupportKB, folder: Path, writes: bool) -> None:
    computing = None if kb.waits_for_servers else computing_limit()
    call = CallContext(kb, folder, Caller("", "admin"), computing, writes)
    server = create_server(lambda _context: call)
    async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
        tasks.start_soon(_load, kb)
        await server.run(read, write, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _load(kb: SupportKB) -> None:
    with suppress(AutokbError):  # which the first question says
        await in_thread(kb.load)
