"""Which embedder a workspace uses, and the vectors of texts: free, paid for through the client, or only counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from autokb.core.errors import AutokbError, BadInputError, StoppedOnPurposeError
from autokb.core.ids import digest
from autokb.core.model_requests import BudgetReachedError, EmbeddingRequest, SendError
from autokb.core.settings import Settings
from autokb.core.vectors import Vectors
from autokb.llm.embedders import Embedder
from autokb.stores.workspace_file import WorkspaceFile

if TYPE_CHECKING:
    from autokb.llm.embedders.endpoint import EndpointEmbedder
    from autokb.pipeline.cost_estimate import Estimate
    from autokb.pipeline.model_session import ModelSession

TASK = "embedding"  # what the ledger and ``costs`` call it
FREE_BATCH = 64  # texts between two writes to the disk: what a kill -9 can cost at most
PAID_BATCH = 64  # requests between two reports of progress
DIMENSIONS = "?dimensions="
COUNTED_DIMENSIONS = 8  # of the stand-ins in a plan, where nobody knows yet how long vectors are


@dataclass(frozen=True, slots=True)
class EmbedderName:
    """What ``embedder:`` says: ``packaged``, ``local:FOLDER``, or ``openai:NAME`` with ``?dimensions=N`` perhaps."""

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
    if name == "packaged":
        return EmbedderName("packaged")
    kind, _, rest = name.partition(":")
    model, _, dimensions = rest.partition(DIMENSIONS) if kind == "openai" else (rest, "", "")
    wrong_number = DIMENSIONS in rest and (not dimensions.isdecimal() or int(dimensions) < 1)
    if kind not in ("openai", "local") or not model.strip() or (kind == "openai" and wrong_number):
        raise BadInputError(
            f"settings.yaml: the embedder {name!r} is not known to this version; use packaged, openai:NAME, "
            f"openai:NAME{DIMENSIONS}256 or local:FOLDER."
        )
    return EmbedderName(kind, model.strip(), int(dimensions or 0))


def check_embedder(name: str) -> None:
    """Refuse an embedder that this version does not know or whose folder is missing (BadInputError)."""
    read = read_embedder_name(name)
    if read.kind == "local":
        from autokb.llm.embedders.local import checked_folder

        checked_folder(Path(read.model))


def open_free_embedder(name: EmbedderName) -> Embedder:
    """Return an embedder that runs on this machine; its weights are loaded once a process."""
    return _packaged() if name.kind == "packaged" else _local(name.model)


def open_endpoint_embedder(settings: Settings) -> EndpointEmbedder:
    """Return the settings' embedder behind an endpoint. A missing key is a BadInputError."""
    from autokb.llm.embedders.endpoint import EndpointEmbedder

    name = read_embedder_name(settings.embedder)
    return EndpointEmbedder(
        name.model, dimensions=name.dimensions, base_url=settings.base_url, timeout=settings.timeout
    )


@lru_cache(maxsize=1)
def _packaged() -> Embedder:
    from autokb.llm.embedders.packaged import PackagedEmbedder

    return PackagedEmbedder()


@lru_cache(maxsize=2)
def _local(folder: str) -> Embedder:
    from autokb.llm.embedders.local import LocalEmbedder

    return LocalEmbedder(Path(folder))


class Encoder(Protocol):
    """Gives the texts of a run their vectors."""

    @property
    def name(self) -> str:
        """Return the name of weights and preparation, which is part of every key."""
        ...

    @property
    def dimensions(self) -> int:
        """Return the length of the vectors; 0 where nobody knows it yet."""
        ...

    def learn_dimensions(self, stage: str, texts: Sequence[str]) -> int:
        """Encode the first of the texts where the length is not known; returns how many texts that took."""
        ...

    def encode(self, stage: str, texts: Sequence[str]) -> Iterator[tuple[Sequence[str], Vectors]]:
        """Yield the vectors of distinct texts batch by batch, each on the disk before it is yielded."""
        ...

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts that nobody will ask for again; they are not kept."""
        ...


@dataclass(frozen=True)
class FreeEncoder:
    """An embedder on this machine."""

    embedder: Embedder
    file: WorkspaceFile

    @property
    def name(self) -> str:
        """The embedder's."""
        return self.embedder.name

    @property
    def dimensions(self) -> int:
        """What the weights say."""
        return self.embedder.dimensions

    def learn_dimensions(self, _stage: str, _texts: Sequence[str]) -> int:
        """Do nothing: the weights know."""
        return 0

    def encode(self, _stage: str, texts: Sequence[str]) -> Iterator[tuple[Sequence[str], Vectors]]:
        """Encode and keep."""
        for start in range(0, len(texts), FREE_BATCH):
            batch = texts[start : start + FREE_BATCH]
            vectors = self.embedder.embed(batch)
            self.file.keep_vectors(self.name, batch, vectors)
            yield batch, vectors

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Encode."""
        return self.embedder.embed(texts)


@dataclass(frozen=True)
class PaidEncoder:
    """An embedder behind an endpoint, asked through the client of models; the ledger keeps vectors with their row."""

    embedder: EndpointEmbedder
    session: ModelSession
    file: WorkspaceFile

    @property
    def name(self) -> str:
        """The embedder's."""
        return self.embedder.name

    @property
    def dimensions(self) -> int:
        """That of the vectors that are kept, or that came in this run."""
        if kept := self.file.dimensions(self.name):
            self.embedder.expect(kept)
        return self.embedder.dimensions

    def learn_dimensions(self, stage: str, texts: Sequence[str]) -> int:
        """Send the first request by itself where no vector is kept."""
        if self.dimensions or not texts:
            return 0
        request = next(self.embedder.requests(list(dict.fromkeys(texts))))
        self._send(stage, [request])
        return len(request.texts)

    def encode(self, stage: str, texts: Sequence[str]) -> Iterator[tuple[Sequence[str], Vectors]]:
        """Ask for many batches at once; what came before one of them failed is kept."""
        requests = list(self.embedder.requests(texts))
        for start in range(0, len(requests), PAID_BATCH):
            yield from self._send(stage, requests[start : start + PAID_BATCH])

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Ask for vectors and keep only what they cost."""
        found = self._send("questions", list(self.embedder.requests(texts)), keep=False)
        return np.concatenate([vectors for _, vectors in found])

    def _send(
        self, stage: str, requests: Sequence[EmbeddingRequest], *, keep: bool = True
    ) -> list[tuple[Sequence[str], Vectors]]:
        from autokb.llm.client import Tag

        ask = partial(self.session.client.embed, tag=Tag(stage, TASK), keep=keep)
        found = self.session.run([partial(ask, request) for request in requests])
        for failed in found:
            if isinstance(failed, BudgetReachedError):
                raise StoppedOnPurposeError(str(failed))
            if isinstance(failed, SendError):
                raise AutokbError(
                    f"The embedder {self.name} gave no vectors: {failed} What was embedded before is kept; run the "
                    "command again."
                )
            if isinstance(failed, Exception):
                raise failed
        return [(request.texts, vectors) for request, vectors in zip(requests, found, strict=True)]  # type: ignore[misc]


@dataclass(frozen=True)
class CountingEncoder:
    """Counts what a paid embedder would read; what it has not read yet points anywhere, the same way each time."""

    name: str
    price_key: str
    file: WorkspaceFile
    estimate: Estimate

    @property
    def dimensions(self) -> int:
        """That of the vectors that are kept, else a stand-in's."""
        return self.file.dimensions(self.name) or COUNTED_DIMENSIONS

    def learn_dimensions(self, _stage: str, _texts: Sequence[str]) -> int:
        """Do nothing: a stand-in has any length."""
        return 0

    def encode(self, stage: str, texts: Sequence[str]) -> Iterator[tuple[Sequence[str], Vectors]]:
        """Count, and give each text a direction of its own; nothing is kept."""
        self.estimate.count_texts(stage, texts, self.price_key)
        for text in texts:
            vector = np.random.default_rng(int(digest(text)[:8], 16)).standard_normal((1, self.dimensions))
            yield [text], (vector / np.linalg.norm(vector)).astype(np.float32)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Refuse: nothing is asked while a build is only counted."""
        raise AssertionError(f"{len(texts)} questions were asked while a build was counted")
