"""Which embedder a workspace uses."""

from __future__ import annotations

from functools import lru_cache

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


def check_models(settings: Settings) -> None:
    """Refuse models that this version cannot ask, before any work is done."""
    named = {settings.model, *settings.rooms.values()} - {"offline"}
    if named:
        raise BadInputError(
            f"settings.yaml: the model {sorted(named)[0]!r} is not known to this version; use model: offline."
        )
