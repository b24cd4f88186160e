"""The process that ladybug runs in: a query can crash it, fill its memory or never end, and nothing else is lost.

It is started as a script of its own (``python -I``), so it imports nothing of autokb. Lines of JSON come on standard
input, and each gets a line on standard output.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import ladybug

BUFFER = 256 << 20  # bytes of pages in memory; a query that needs more fails
LARGEST_GRAPH = 16 << 30  # bytes of the file; ladybug reserves that much address space
MEMORY = 1 << 30  # bytes that a query may have beside it and the buffer
LARGEST_REPLY = 8 << 20  # characters


def make(path: str) -> None:
    """Make a graph of the statements that come in; without the line that ends them it stays unfinished, and is left."""
    database = ladybug.Database(path, buffer_pool_size=BUFFER, max_db_size=LARGEST_GRAPH)
    with database, ladybug.Connection(database) as connection:
        for line in sys.stdin:
            asked = json.loads(line)
            if asked.get("done"):
                break
            connection.execute(asked["query"], {"rows": asked["rows"]} if asked.get("rows") else {})
        else:
            os._exit(1)  # whoever wanted it is gone: nothing more is written
        connection.execute("CHECKPOINT")
    _answer({"made": True})


def serve(path: str) -> None:
    """Answer queries, which can write nothing: neither into the graph nor anywhere else."""
    database = ladybug.Database(path, buffer_pool_size=BUFFER, max_db_size=LARGEST_GRAPH, read_only=True)
    with database, ladybug.Connection(database, num_threads=1) as connection:
        stamp: Any = connection.execute("MATCH (p:`autokb projection`) RETURN p.stamp")
        _forbid_writing()
        _answer({"stamp": stamp.get_all()[0][0]})
        for line in sys.stdin:
            _answer(_run(connection, json.loads(line)))


def _run(connection: Any, asked: dict[str, Any]) -> dict[str, Any]:
    connection.set_query_timeout(asked["milliseconds"])
    try:
        result = connection.execute(asked["text"])
        if isinstance(result, list):
            return {"error": "it is more than one statement"}
        with result:
            rows: list[list[Any]] = []
            size = 0
            while len(rows) < asked["most"] and result.has_next():
                row = json.loads(json.dumps(result.get_next(), default=str))
                size += len(json.dumps(row))
                if size > LARGEST_REPLY:
                    return {"error": f"its rows are larger than {LARGEST_REPLY >> 20} MB"}
                rows.append(row)
            return {"columns": result.get_column_names(), "rows": rows}
    except Exception as error:
        return {"error": str(error)}


def _forbid_writing() -> None:
    """Take from this process what it does not need to read a graph."""
    with suppress(ImportError):
        import resource  # no such thing on Windows

        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError, ValueError):
            now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, now + MEMORY))


def _answer(body: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(body) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    {"make": make, "serve": serve}[sys.argv[1]](sys.argv[2])
