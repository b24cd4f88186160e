"""Vectors that cost money: each batch fits the budget before it is sent, and is in the ledger with its vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from autokb.app.embedding import Embedded, embed_batches, keep_batch, learn_dimensions, noted_dimensions
from autokb.core.errors import StoppedOnPurposeError
from autokb.core.ids import digest
from autokb.llm.embedders import Embedder, PaidEmbedder, paid

if TYPE_CHECKING:
    from autokb.app.models import Models
    from autokb.stores.workspace_file import WorkspaceFile

TASK = "embedding"


def embed_and_keep(
    file: WorkspaceFile, models: Models | None, stage: str, embedder: Embedder, texts: Sequence[str]
) -> Iterator[Embedded]:
    """Yield the texts' vectors batch by batch, each on disk before it is yielded, and paid ones in the ledger."""
    costly = paid(embedder)
    if costly is None or models is None:
        for batch in embed_batches(embedder, texts):
            keep_batch(file, embedder, batch)
            yield batch
        return
    for part in costly.batches(texts):
        yield _paid(file, models, stage, costly, part)


def first_batch(
    file: WorkspaceFile, models: Models | None, stage: str, embedder: Embedder, texts: Sequence[str]
) -> int:
    """Learn how long an endpoint's vectors are, by the first batch of the texts where none was embedded yet.

    Returns how many texts that embedded; like every batch it is in the budget and the ledger.
    """
    costly = paid(embedder)
    if costly is None or models is None or noted_dimensions(file, embedder) or costly.known_dimensions or not texts:
        first = learn_dimensions(file, embedder, texts)
        return len(first.texts) if first else 0
    return len(_paid(file, models, stage, costly, costly.batches(list(dict.fromkeys(texts)))[0]).texts)


def _paid(file: WorkspaceFile, models: Models, stage: str, embedder: PaidEmbedder, part: Sequence[str]) -> Embedded:
    price = models.prices.of(embedder.price_key)
    budget = models.budget
    most = 0.0 if price is None else price.cost(sum(len(text.encode()) for text in part), 0)
    ticket = None if budget is None else budget.reserve(most)
    if budget is not None and ticket is None:
        raise StoppedOnPurposeError(
            f"The budget of {budget.limit_usd:g} USD is reached before all texts are embedded; run the command again "
            "with a new budget to go on."
        )
    (batch,) = embed_batches(embedder, part)
    cost = None if price is None else price.cost(batch.tokens, 0)
    if budget is not None and ticket is not None:
        budget.settle(ticket, cost or 0.0)
    with file.transaction():
        keep_batch(file, embedder, batch)
        models.pay(
            stage, TASK, embedder.price_key, digest("embed", embedder.name, *part), batch.tokens, cost, batch.sent
        )
    return batch
