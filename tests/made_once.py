"""What a process of the tests makes once: the packaged encoder's sessions, the commands' tree, the types of replies.

A test that opens a workspace would load the encoder's weights again and read the same few hundred texts again, and one
that runs a command would have typer read the signatures of every command again: half of the suite's time (decision
046). A build by a scripted model spent a third of its time on pydantic's types and their JSON schemas, most of them the
same as those of the request before. That an encoder gives each text the same bits is tested without this in
``llm/test_packaged_embedder.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, get_args, get_origin

import httpcore2
import typer.main
from botocore.loaders import JSONFileLoader

from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.tasks import wire

MOST_BYTES = 150_000_000  # of remembered vectors; above it they are forgotten
MOST_TYPES = 1_000  # of replies that are remembered; above it they are forgotten

open_session = PackagedEmbedder._open_session
_make_command = typer.main.get_command
_open_trust = httpcore2.default_ssl_context
_load_json = JSONFileLoader.load_file
_create_model = wire.create_model
_types: dict[object, tuple[type[wire.Wire], object]] = {}
_schemas: dict[type[wire.Wire], dict[str, Any]] = {}


def share() -> None:
    """Make them once from now on."""
    PackagedEmbedder._open_session = lambda embedder, threads: _session(threads)  # type: ignore[method-assign]
    typer.main.get_command = lambda group: _command(group, _size(group))
    httpcore2.default_ssl_context = cache(_open_trust)  # a machine's 140 certificates, for servers that have none
    JSONFileLoader.load_file = lambda loader, path: _aws_file(path)
    wire.create_model = _reply_type  # type: ignore[assignment]
    wire.Wire.model_json_schema = classmethod(_schema)  # type: ignore[assignment, arg-type]


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


@cache
def _aws_file(path: str) -> Any:
    """Return a description of AWS, of megabytes, that each of its clients reads."""
    return _load_json(JSONFileLoader(), path)


def _reply_type(name: str, /, **given: Any) -> type[wire.Wire]:
    """Return the type of these fields, which a type stays equal to for as long as it is remembered."""
    key = (name, *((field, _described(kind)) for field, kind in given.items()))
    if key not in _types:
        if len(_types) >= MOST_TYPES:
            _types.clear()
            _schemas.clear()
        _types[key] = (_create_model(name, **given), given)  # what a key names by its address lives as long as the key
    return _types[key][0]


def _described(kind: Any) -> object:
    """Return what tells two types apart, order included: a Literal equals another of another order."""
    if isinstance(kind, type):
        return kind
    if isinstance(kind, tuple):
        return tuple(map(_described, kind))
    if get_origin(kind) is Annotated:
        return (Annotated, *map(_described, get_args(kind)))
    return (get_origin(kind), *map(_described, get_args(kind))) if get_args(kind) else repr(kind)


def _schema(kind: type[wire.Wire]) -> dict[str, Any]:
    if kind not in _schemas:
        _schemas[kind] = super(wire.Wire, kind).model_json_schema()
    return _schemas[kind]
