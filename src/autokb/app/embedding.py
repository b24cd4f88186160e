"""Which embedder a workspace uses, and how its vectors are worked out batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autokb.chunking.chunkers import CHUNKERS
from autokb.core.errors import BadInputError
from autokb.core.settings import Settings
from autokb.llm.embedders import Embedder, Vectors, paid
from autokb.stores.workspace_file import WorkspaceFile

FREE_BATCH = 64  # texts between two writes to the disk, where a batch is no request
DIMENSIONS = "?dimensions="


@dataclass(frozen=True, slots=True)
class EmbedderName:
    """What ``embedder:`` says: ``packaged``, ``local:FOLDER``, or ``openai:NAME`` with ``?dimensions=N`` perhaps."""

    kind: str
    model: str = ""
    dimensions: int = 0

    @property
    def price_key(self) -> str:
        """Return the name under which prices know it; nothing where it costs nothing."""
        return f"openai:{self.model}" if self.kind == "openai" else ""


@dataclass(frozen=True, slots=True)
class Embedded:
    """One batch that was worked out: its vectors, and the tokens and requests that it cost."""

    texts: Sequence[str]
    vectors: Vectors
    tokens: int = 0
    sent: int = 0


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


def open_embedder(name: str, base_url: str = "", timeout: float = 120.0, retries: int = 5) -> Embedder:
    """Return the embedder of a name; weights are loaded once a process. A missing key is a BadInputError."""
    read = read_embedder_name(name)
    if read.kind == "packaged":
        return _packaged()
    if read.kind == "local":
        return _local(read.model)
    from autokb.llm.embedders.endpoint import OpenAIEmbedder

    return OpenAIEmbedder(
        read.model, asked_dimensions=read.dimensions, base_url=base_url, timeout=timeout, retries=retries
    )


def embedder_of(settings: Settings) -> Embedder:
    """Return the embedder that the settings name, at their endpoint."""
    return open_embedder(settings.embedder, settings.base_url, settings.timeout, settings.retries)


@lru_cache(maxsize=1)
def _packaged() -> Embedder:
    from autokb.llm.embedders.packaged import PackagedEmbedder

    return PackagedEmbedder()


@lru_cache(maxsize=2)
def _local(folder: str) -> Embedder:
    from autokb.llm.embedders.local import LocalEmbedder

    return LocalEmbedder(Path(folder))


def first_texts(file: WorkspaceFile, embedder: Embedder, texts: Sequence[str]) -> list[str]:
    """Return the texts whose vectors must come first because nobody knows yet how long vectors are; mostly none.

    An endpoint's embedder is told how long the vectors kept here are, so that nothing is asked only to learn it.
    """
    if (costly := paid(embedder)) is None:
        return []
    if noted := noted_dimensions(file, embedder):
        costly.expect(noted)
    if costly.known_dimensions or not texts:
        return []
    return costly.batches(list(dict.fromkeys(texts)))[0]


def learn_dimensions(file: WorkspaceFile, embedder: Embedder, texts: Sequence[str]) -> Embedded | None:
    """Learn from the first batch of the texts how long an endpoint's vectors are; it is kept before it is returned."""
    if not (part := first_texts(file, embedder, texts)):
        return None
    first = next(embed_batches(embedder, part))
    keep_batch(file, embedder, first)
    return first


def noted_dimensions(file: WorkspaceFile, embedder: Embedder) -> int:
    """Return how long an endpoint's vectors kept here are; 0 when nothing was embedded yet."""
    return int(file.meta(_note(embedder)) or 0)


def embed_batches(embedder: Embedder, texts: Sequence[str]) -> Iterator[Embedded]:
    """Yield the texts' vectors batch by batch; of an endpoint a batch is one request and what it cost."""
    costly = paid(embedder)
    if costly is None:
        for start in range(0, len(texts), FREE_BATCH):
            part = texts[start : start + FREE_BATCH]
            yield Embedded(part, embedder.embed(part))
        return
    for part in costly.batches(texts):
        before = costly.sent
        vectors, tokens = costly.embed_counted(part)
        yield Embedded(part, vectors, tokens, costly.sent - before)


def keep_batch(file: WorkspaceFile, embedder: Embedder, batch: Embedded) -> None:
    """Keep a batch on disk, and with the first one how long its vectors are."""
    file.keep_vectors(embedder.name, batch.texts, batch.vectors)
    if paid(embedder) is not None and file.meta(_note(embedder)) is None:
        with file.transaction():
            file.note(_note(embedder), str(batch.vectors.shape[1]))


def _note(embedder: Embedder) -> str:
    return f"dimensions of {embedder.name}"


def check_settings(settings: Settings) -> None:
    """Refuse models, embedders, chunkers and contexts that this version does not know, before any work is done."""
    if settings.chunker not in CHUNKERS:
        known = ", ".join(sorted(CHUNKERS))
        raise BadInputError(f"settings.yaml: there is no chunker {settings.chunker!r}; choose one of: {known}.")
    if settings.context not in ("", "document", "chained"):
        raise BadInputError(f"settings.yaml: context must be document or chained, not {settings.context!r}.")
    _check_embedder(settings.embedder)
    for model in sorted({settings.model, *settings.tasks.values()} - {"offline"}):
        provider, _, name = model.partition(":")
        if not provider.strip() or not name.strip():
            raise BadInputError(
                f"settings.yaml: the model {model!r} is not known to this version; write offline or PROVIDER:NAME, "
                "for example openai:gpt-5-mini."
            )


def _check_embedder(name: str) -> None:
    read = read_embedder_name(name)
    if read.kind == "local":
        from autokb.llm.embedders.local import checked_folder

        checked_folder(Path(read.model))
