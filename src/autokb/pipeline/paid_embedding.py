"""Vectors from an embedder behind an endpoint: asked through the client of models, paid for once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from autokb.core.errors import AutokbError, StoppedOnPurposeError
from autokb.core.model_requests import BudgetReachedError, EmbeddingRequest, SendError
from autokb.core.vectors import Vectors
from autokb.llm.client import Tag
from autokb.llm.embedders.endpoint import EndpointEmbedder
from autokb.pipeline.model_session import ModelSession
from autokb.stores.workspace_file import WorkspaceFile

TASK = "embedding"  # what the ledger and ``costs`` call it
PAID_BATCH = 64  # requests between two reports of progress


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

    def token_reader(self, _language: str) -> None:
        """Return nothing: it gives vectors of whole texts alone."""

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Ask for vectors and keep only what they cost."""
        found = self._send("questions", list(self.embedder.requests(texts)), keep=False)
        return np.concatenate([vectors for _, vectors in found])

    def _send(
        self, stage: str, requests: Sequence[EmbeddingRequest], *, keep: bool = True
    ) -> list[tuple[Sequence[str], Vectors]]:
        ask = partial(self.session.client.embed, tag=Tag(stage, TASK), keep=keep)
        found = self.session.run([partial(ask, request) for request in requests])
        for failed in found:
            if isinstance(failed, BudgetReachedError):
                raise StoppedOnPurposeError(str(failed))
            if isinstance(failed, SendError):
                then = "run the command again." if failed.retry else "check embedder and base_url in settings.yaml."
                raise AutokbError(
                    f"The embedder {self.name} gave no vectors: {failed} What was embedded before is kept; {then}"
                )
            if isinstance(failed, Exception):
                raise failed
        return [(request.texts, vectors) for request, vectors in zip(requests, found, strict=True)]  # type: ignore[misc]
