"""Which embedder a workspace uses."""

from __future__ import annotations

from functools import lru_cache

from autokb.chunking.chunkers import CHUNKERS
from autokb.errors import BadInputError
from autokb.llm.embedders import Embedder
from autokb.settings import Settings


@lru_cache(maxsize=4)
def open_embedder(name: str) -> Embedder:
    """Return the embedder that the settings name; its weights are loaded once a process."""
    if name == "packaged":
        from autokb.llm.embedders.packaged import PackagedEmbedder

        return PackagedEmbedder()
    raise BadInputError(f"settings.yaml: the embedder {name!r} is not known to this version; use embedder: packaged.")


def check_settings(settings: Settings) -> None:
    """Refuse models, chunkers and contexts that this version does not know, before any work is done."""
    if settings.chunker not in CHUNKERS:
        known = ", ".join(sorted(CHUNKERS))
        raise BadInputError(f"settings.yaml: there is no chunker {settings.chunker!r}; choose one of: {known}.")
    if settings.context not in ("document", "chained"):
        raise BadInputError(f"settings.yaml: context must be document or chained, not {settings.context!r}.")
    if settings.embedder != "packaged":
        open_embedder(settings.embedder)
    named = {settings.model, *settings.rooms.values()} - {"offline"}
    if named:
        raise BadInputError(
            f"settings.yaml: the model {sorted(named)[0]!r} is not known to this version; use model: offline."
        )
