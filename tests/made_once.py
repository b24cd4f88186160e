"""What a process of the tests makes once: the packaged encoder's sessions and the tree of commands.

A test that opens a workspace would load the encoder's weights again and read the same few hundred texts again, and one
that runs a command would have typer read the signatures of every command again: half of the suite's time (decision
046). That an encoder gives each text the same bits is tested without this in ``llm/test_packaged_embedder.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import typer.main

from autokb.llm.embedders.packaged import PackagedEmbedder

MOST_BYTES = 150_000_000  # of remembered vectors; above it they are forgotten

open_session = PackagedEmbedder._open_session
_make_command = typer.main.get_command


def share() -> None:
    """Make both once from now on."""
    PackagedEmbedder._open_session = lambda embedder, threads: _session(threads)  # type: ignore[method-assign]
    typer.main.get_command = lambda group: _command(group, _size(group))


class RememberingSession:
    """A session of onnxruntime that reads the same input once."""

    def __init__(self, session: Any) -> None:
        self.get_inputs = session.get_inputs
        self._run = session.run
        self._found: dict[object, list[Any]] = {}
        self._bytes = 0

    def run(self, outputs: object, feed: Mapping[str, Any]) -> list[Any]:
        """Return what the session gave for this input, to read only."""
        key = tuple((name, array.tobytes()) for name, array in feed.items())
        if key not in self._found:
            found = self._run(outputs, feed)
            found[0].flags.writeable = False
            self._bytes += found[0].nbytes
            if self._bytes > MOST_BYTES:
                self._found, self._bytes = {}, found[0].nbytes
            self._found[key] = found
            return found  # type: ignore[no-any-return]
        return self._found[key]


@cache
def _session(threads: int) -> RememberingSession:
    return RememberingSession(open_session(PackagedEmbedder(threads), threads))


@cache
def _command(group: typer.Typer, _size: int) -> Any:
    return _make_command(group)


def _size(group: typer.Typer) -> int:
    """Return how many commands a group has, which grows when the file of a command is imported."""
    below = (found.typer_instance for found in group.registered_groups)
    return len(group.registered_commands) + sum(1 + _size(one) for one in below if one is not None)
