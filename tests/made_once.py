"""What the tests make once: the encoder's sessions, the commands' tree, the types of replies, the domains' YAML.

A test that opens a workspace would load the encoder's weights again and read the same few hundred texts again, and one
that runs a command would have typer read the signatures of every command again: half of the suite's time (decision
046). A build by a scripted model spent a third of its time on pydantic's types and their JSON schemas, most of them the
same as those of the request before. Opening a workspace is mostly reading its YAML, which is that of few domains. And
half of the time that a test of the stores takes is waiting for the disk: nothing that a test writes has to outlive the
machine. What is shared here is tested without it: in ``llm/test_packaged_embedder.py`` that an encoder gives each text
the same bits, in ``core/test_yaml_text.py`` how YAML is read, in ``stores/test_workspace_file.py`` that the database
waits for the disk.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Mapping
from copy import deepcopy
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import httpcore2
import numpy as np
import typer.main
from botocore.loaders import JSONFileLoader

from autokb.core.yaml_text import parse_yaml
from autokb.exchange import import_kb
from autokb.llm.embedders import packaged
from autokb.llm.embedders.multilingual import MultilingualEmbedder
from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.stores import database, published, workspace
from autokb.tasks import wire

KEPT = "AUTOKB_TESTS_READ"  # environment variable with the folder of what the encoder has read in this run
MOST_TYPES = 1_000  # of replies that are remembered; above it they are forgotten

open_session = PackagedEmbedder._open_session
multilingual_model: Any = vars(MultilingualEmbedder)["_model"]
connect_durably = database._connect
_make_schema = database.make_schema
_make_command = typer.main.get_command
_open_trust = httpcore2.default_ssl_context
_load_json = JSONFileLoader.load_file
_create_model = wire.create_model
_types: dict[object, tuple[type[wire.Wire], object]] = {}
_schemas: dict[type[wire.Wire], dict[str, Any]] = {}


def share() -> None:
    """Make them once from now on."""
    PackagedEmbedder._open_session = lambda embedder: _session()  # type: ignore[method-assign]
    typer.main.get_command = lambda group: _command(group, _commands(group))
    httpcore2.default_ssl_context = cache(_open_trust)  # a machine's 140 certificates, for servers that have none
    JSONFileLoader.load_file = lambda loader, path: _aws_file(path)
    wire.create_model = _reply_type  # type: ignore[assignment]
    wire.Wire.model_json_schema = classmethod(_schema)  # type: ignore[assignment, arg-type]
    for module in (workspace, published, import_kb):
        module.parse_yaml = _parsed  # type: ignore[attr-defined]
    packaged.ordinary_words = cache(packaged.ordinary_words)
    MultilingualEmbedder._model = property(lambda embedder: _multilingual())  # type: ignore[assignment]
    database._connect = _connect
    database.make_schema = _make_schema_at_once


class RememberingSession:
    """A session of onnxruntime that reads a text once in a whole run: what it gave lies in a file for each text.

    All workers of a run have these files in common. A text has the same vectors in any company.
    """

    def __init__(self, session: Any, kept: Path) -> None:
        self._run = session.run
        self._kept = kept

    def run(self, outputs: object, feed: Mapping[str, Any]) -> list[Any]:
        """Return what the session gave for these texts, (texts, tokens, dimensions)."""
        if not os.access(self._kept, os.W_OK | os.X_OK, effective_ids=True):  # a test that is root no more
            found: list[Any] = self._run(outputs, feed)
            return found
        files = [self._kept / hashlib.sha256(row.tobytes()).hexdigest() for row in feed["input_ids"]]
        unread = [number for number, file in enumerate(files) if not file.exists()]
        if unread:
            (read,) = self._run(outputs, {name: array[unread] for name, array in feed.items()})
            for number, vectors in zip(unread, read, strict=True):
                _keep(files[number], vectors)
        tokens = feed["input_ids"].shape[1]
        return [np.stack([np.fromfile(file, dtype=np.float32).reshape(tokens, -1) for file in files])]


def _keep(file: Path, vectors: np.ndarray[Any, Any]) -> None:
    """Write a file that other threads and processes see whole or not at all."""
    begun = file.with_name(f"{file.name}.{os.getpid()}.{threading.get_ident()}")
    vectors.tofile(begun)
    begun.replace(file)


@cache
def _session() -> RememberingSession:
    session = open_session(PackagedEmbedder(1))
    return RememberingSession(session, Path(os.environ[KEPT]))


@cache
def _multilingual() -> Any:
    """Return the encoder of other languages, whose weights take a quarter of a second to unpack."""
    return multilingual_model.func(MultilingualEmbedder())


@cache
def _command(group: typer.Typer, _has: object) -> Any:
    return _make_command(group)


def _commands(group: typer.Typer) -> tuple[object, ...]:
    """Return what commands a group has, which changes when the file of a command is imported or a plug-in has one."""
    below = (found.typer_instance for found in group.registered_groups)
    own = (
        *((one.name, one.callback) for one in group.registered_commands),
        *(one.name for one in group.registered_groups),
    )
    return (*own, *(_commands(one) for one in below if one is not None))


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


def _parsed(text: str, name: str) -> Any:
    return deepcopy(_parsed_once(text, name))


@lru_cache(maxsize=100)
def _parsed_once(text: str, name: str) -> Any:
    return parse_yaml(text, name)


def _connect(address: str, path: Path, *, writable: bool) -> sqlite3.Connection:
    """Open a database whose changes are written when the system pleases; another process sees them at once."""
    db = connect_durably(address, path, writable=writable)
    if writable:
        db.execute("PRAGMA synchronous = OFF")
    return db


def _make_schema_at_once(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA synchronous = OFF")
    _make_schema(db)
