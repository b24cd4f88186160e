"""Which embedder a workspace uses, and the vectors of texts, each embedded once in the workspace's life."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from autokb.core.domain import ENGLISH
from autokb.core.errors import BadEntryError, shown_value
from autokb.core.executor import LOCAL, Done, Executor
from autokb.core.plugins import call_implementation, code_of, is_of_plugin
from autokb.core.settings import Settings
from autokb.core.vectors import TokenVectors, Vectors
from autokb.heuristics.grouping import grouped
from autokb.llm.embedders import Embedder
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.words import stop_words

if TYPE_CHECKING:
    from autokb.llm.embedders.endpoint import EndpointEmbedder
    from autokb.llm.embedders.packaged import PackagedEmbedder

EMBEDDINGS = "embeddings"  # the stage that vectors are counted to
ENCODER_THREADS = "AUTOKB_ENCODER_THREADS"
FREE_BATCH = 64  # texts between two writes to the disk: what a kill -9 can cost at most
DIMENSIONS = "?dimensions="
PLUGIN = "plugin"  # the kind of an embedder that a plug-in brings
PACKAGED = "packaged"  # the default embedder, of English; any other was chosen by somebody who knows its languages


@dataclass(frozen=True, slots=True)
class EmbedderName:
    """What ``embedder:`` says: ``packaged``, ``local:FOLDER``, ``openai:NAME`` with ``?dimensions=N`` perhaps, or
    ``PLUGIN.NAME``.
    """

    kind: str
    model: str = ""
    dimensions: int = 0

    @property
    def is_paid(self) -> bool:
        """Whether it is asked over the network and may cost money."""
        return self.kind == "openai"

    @property
    def price_key(self) -> str:
        """The name under which prices know it; nothing where it costs nothing."""
        return f"openai:{self.model}" if self.is_paid else ""


def read_embedder_name(name: str) -> EmbedderName:
    """Read the setting (BadInputError says what it may be)."""
    if name == PACKAGED:
        return EmbedderName(PACKAGED)
    if is_of_plugin(name):
        return EmbedderName(PLUGIN, name)
    kind, _, rest = name.partition(":")
    model, _, dimensions = rest.partition(DIMENSIONS) if kind == "openai" else (rest, "", "")
    wrong_number = DIMENSIONS in rest and (not dimensions.isdecimal() or int(dimensions) < 1)
    if kind not in ("openai", "local") or not model.strip() or (kind == "openai" and wrong_number):
        raise BadEntryError(
            f"settings.yaml: the embedder {shown_value(name)} is not known to this version; use packaged, openai:NAME, "
            f"openai:NAME{DIMENSIONS}256 or local:FOLDER."
        )
    return EmbedderName(kind, model.strip(), int(dimensions or 0))


def check_embedder(name: str) -> None:
    """Refuse an embedder that this version does not know or whose folder is missing (BadInputError)."""
    read = read_embedder_name(name)
    if read.kind == PLUGIN:
        code_of("embedders", name)
    elif read.kind == "local":
        from autokb.llm.embedders.local import checked_folder

        checked_folder(Path(read.model))


def open_free_embedder(name: EmbedderName) -> Embedder:
    """Return an embedder that runs on this machine; its weights are loaded once a process."""
    if name.kind == PLUGIN:
        return _of_plugin(name.model)
    return _packaged() if name.kind == PACKAGED else _local(name.model)


def open_endpoint_embedder(settings: Settings) -> EndpointEmbedder:
    """Return the settings' embedder behind an endpoint. A missing key is a BadInputError."""
    from autokb.llm.embedders.endpoint import EndpointEmbedder

    name = read_embedder_name(settings.embedder)
    return EndpointEmbedder(
        name.model,
        dimensions=name.dimensions,
        base_url=settings.base_url,
        timeout=settings.timeout,
        max_reply_bytes=settings.max_reply_bytes,
    )


@lru_cache(maxsize=1)
def _packaged() -> PackagedEmbedder:
    from autokb.llm.embedders.packaged import PackagedEmbedder

    return PackagedEmbedder(encoder_threads())


def encoder_threads() -> int | None:
    """Return how many threads one text may take, where somebody said so: fewer leave processors to other requests."""
    wanted = os.environ.get(ENCODER_THREADS, "")
    return int(wanted) if re.fullmatch("[1-9][0-9]?", wanted) else None


@lru_cache(maxsize=2)
def _of_plugin(name: str) -> Embedder:
    embedder: Embedder = call_implementation("embedders", name)
    return embedder


@lru_cache(maxsize=2)
def _local(folder: str) -> Embedder:
    from autokb.llm.embedders.local import LocalEmbedder

    return LocalEmbedder(Path(folder))


@lru_cache(maxsize=1)
def open_multilingual_embedder() -> Embedder:
    """Return the embedder of the extra ``multilingual``; its weights are loaded once a process, at the first text."""
    from autokb.llm.embedders.multilingual import MultilingualEmbedder

    return MultilingualEmbedder()


def compares_languages(settings: Settings, language: str) -> bool:
    """Return whether questions in other languages than the documents' are compared with these by a second encoder."""
    from autokb.llm.embedders.multilingual import LANGUAGES, is_installed

    return read_embedder_name(settings.embedder).kind == PACKAGED and language in LANGUAGES and is_installed()


class Encoder(Protocol):
    """Gives the texts of a run their vectors."""

    @property
    def name(self) -> str:
        """Return the name of weights and preparation, which is part of every key."""

    @property
    def dimensions(self) -> int:
        """Return the length of the vectors; 0 where nobody knows it yet."""

    def learn_dimensions(self, stage: str, texts: Sequence[str]) -> int:
        """Encode the first of the texts where the length is not known; returns how many texts that took."""

    def encode(self, stage: str, texts: Sequence[str]) -> Iterator[tuple[Sequence[str], Vectors]]:
        """Yield the vectors of distinct texts batch by batch, each on the disk before it is yielded."""

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts that nobody will ask for again; they are not kept."""

    def token_reader(self, language: str) -> TokenEncoder | None:
        """Return what gives the tokens of texts their vectors; None by an encoder that gives only those of texts."""


@dataclass(frozen=True)
class FreeEncoder:
    """An embedder on this machine; its vectors are kept in ``file``, and in ``also`` where that is another one.

    Where it says by what other processes open it too (``opened_by``), the ``executor`` has texts embedded by them.
    """

    embedder: Embedder
    file: WorkspaceFile
    also: WorkspaceFile | None = None
    executor: Executor = LOCAL
    opened_by: Callable[[], Embedder] | None = None

    @property
    def name(self) -> str:
        """The embedder's."""
        return self.embedder.name

    @property
    def dimensions(self) -> int:
        """The length of the encoder's vectors."""
        return self.embedder.dimensions

    def learn_dimensions(self, _stage: str, _texts: Sequence[str]) -> int:
        """Do nothing: the weights know."""
        return 0

    def encode(self, _stage: str, texts: Sequence[str]) -> Iterator[tuple[Sequence[str], Vectors]]:
        """Encode and keep."""
        batches = list(_batches(texts))
        for batch, done in zip(batches, self._embed_each(batches), strict=True):
            vectors = done.get()
            for file in filter(None, (self.file, self.also)):
                file.keep_vectors(self.name, batch, vectors)
            yield batch, vectors

    def _embed_each(self, batches: Sequence[Sequence[str]]) -> Iterator[Done[Vectors]]:
        if self.opened_by is None:
            return LOCAL.map(self.embedder.embed, batches)
        return self.executor.map(partial(_embed_by, self.opened_by), batches)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Encode."""
        return self.embedder.embed(texts)

    def token_reader(self, language: str) -> TokenEncoder | None:
        """Return the packaged encoder's."""
        from autokb.llm.embedders.packaged import PackagedEmbedder

        if not isinstance(self.embedder, PackagedEmbedder):
            return None
        opened_by = None if self.opened_by is None else _packaged
        return TokenEncoder(self.embedder, self.file, language, self.executor, opened_by)


def _embed_by(opened_by: Callable[[], Embedder], texts: Sequence[str]) -> Vectors:
    return opened_by().embed(texts)


def _embed_tokens(
    opened_by: Callable[[], PackagedEmbedder], without: frozenset[str], texts: Sequence[str]
) -> list[TokenVectors]:
    return opened_by().embed_tokens(texts, without)


@dataclass(frozen=True)
class TokenEncoder:
    """Gives the tokens of texts their vectors, for late interaction; words that say nothing are left out."""

    embedder: PackagedEmbedder
    file: WorkspaceFile
    language: str
    executor: Executor = LOCAL
    opened_by: Callable[[], PackagedEmbedder] | None = None

    def ordinary_words(self) -> frozenset[str]:
        """Return what the encoder knows of the language: no word of a customer among them is a slip."""
        from autokb.llm.embedders.packaged import ordinary_words

        return ordinary_words() if self.language == ENGLISH else frozenset()

    def question(self, text: str) -> TokenVectors:
        """Return the tokens of a text that nobody will ask for again."""
        return self.embedder.embed_tokens([text], stop_words(self.language))[0]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokens of a text stand in it, in their order."""
        return self.embedder.token_spans(text, stop_words(self.language))

    def read(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the tokens of texts, each encoded once; the vectors of the whole texts are kept, too."""
        name, dimensions = self.embedder.name, self.embedder.dimensions
        found = self.file.token_vectors(f"{name} tokens {self.language}", texts, dimensions)
        missing = list(dict.fromkeys(text for text in texts if text not in found))
        batches = list(_batches(missing))
        for batch, done in zip(batches, self._embed_each(batches), strict=True):
            tokens = done.get()
            self.file.keep_token_vectors(f"{name} tokens {self.language}", batch, tokens)
            self.file.keep_vectors(name, batch, np.array([one.whole for one in tokens]))
            found |= dict(zip(batch, tokens, strict=True))
        return [found[text] for text in texts]

    def _embed_each(self, batches: Sequence[Sequence[str]]) -> Iterator[Done[list[TokenVectors]]]:
        without = frozenset(stop_words(self.language))
        if self.opened_by is None:
            return LOCAL.map(partial(_embed_tokens, lambda: self.embedder, without), batches)
        return self.executor.map(partial(_embed_tokens, self.opened_by, without), batches)


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Give the texts in batches of about one length: the packaged encoder reads those of as many tokens together.

    They are of even size, for a text that is left alone would be taken for a question's, with a session of its own.
    """
    by_length = sorted(texts, key=len)
    batches = math.ceil(len(by_length) / FREE_BATCH)
    for n in range(batches):
        yield by_length[n * len(by_length) // batches : (n + 1) * len(by_length) // batches]


def embed_once(
    file: WorkspaceFile, encoder: Encoder, stage: str, texts: Sequence[str], progress: Callable[[int, int], None]
) -> tuple[Vectors, int]:
    """Return the vectors of the texts, (len(texts), dimensions), and how many had to be embedded.

    Only texts never seen before are, each once; ``progress`` is told how many of them are done.
    """
    learned = encoder.learn_dimensions(stage, texts)
    vectors, missing = file.vectors(encoder.name, texts, encoder.dimensions)
    rows = grouped((texts[row], row) for row in missing)
    done = 0
    for batch, found in encoder.encode(stage, list(rows)):
        for text, vector in zip(batch, found, strict=True):
            vectors[rows[text]] = vector
        done += len(batch)
        progress(done, len(rows))
    return np.ascontiguousarray(vectors), len(rows) + learned


def encoder_name(settings: Settings) -> str:
    """Return the name of the encoder that the settings mean, without asking anybody."""
    name = read_embedder_name(settings.embedder)
    return settings.embedder.strip() if name.is_paid else open_free_embedder(name).name
