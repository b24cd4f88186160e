"""Which reader a workspace has, if any."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autokb.core.errors import BadEntryError, shown_value
from autokb.core.plugins import call_implementation, code_of, is_of_plugin
from autokb.core.settings import NO_RERANKER, Settings
from autokb.llm.rerankers import Reranker
from autokb.pipeline.embedding import encoder_threads

MODEL = "?model="


@dataclass(frozen=True, slots=True)
class RerankerName:
    """What ``reranker:`` says: ``none``, ``local:FOLDER``, or ``http:URL`` with ``?model=NAME`` perhaps."""

    kind: str
    place: str = ""
    model: str = ""


def read_reranker_name(name: str) -> RerankerName:
    """Read the setting (BadInputError says what it may be); an address may stand there without ``http:`` before it."""
    if name == NO_RERANKER:
        return RerankerName(NO_RERANKER)
    if is_of_plugin(name):
        return RerankerName("plugin", name)
    kind, _, rest = name.partition(":")
    if kind == "local" and rest.strip():
        return RerankerName(kind, rest.strip())
    if kind in ("http", "https") and rest.strip():
        url, _, model = (name if rest.startswith("//") else rest.strip()).partition(MODEL)
        return RerankerName("http", url, model)
    raise BadEntryError(
        f"settings.yaml: the reranker {shown_value(name)} is not known to this version; use none, local:FOLDER, "
        f"http:URL or http:URL{MODEL}NAME."
    )


def check_reranker(name: str) -> None:
    """Refuse a reranker that this version does not know or whose folder is not one (BadInputError)."""
    read = read_reranker_name(name)
    if read.kind == "plugin":
        code_of("rerankers", name)
    elif read.kind == "local":
        from autokb.llm.rerankers.local import checked_folder

        checked_folder(Path(read.place))
    elif read.kind == "http":
        from autokb.llm.rerankers.endpoint import checked_host

        checked_host(read.place)


def open_reranker(settings: Settings, held: ExitStack) -> Reranker | None:
    """Return the settings' reader, None where they name none; the stack closes its connections."""
    name = read_reranker_name(settings.reranker)
    if name.kind == NO_RERANKER:
        return None
    if name.kind == "plugin":
        reranker: Reranker = call_implementation("rerankers", name.place, settings)
        return reranker
    if name.kind == "local":
        return _local(name.place, settings.reranker_seconds)
    from autokb.llm.rerankers.endpoint import EndpointReranker

    reader = EndpointReranker(
        name.place, settings.reranker_seconds, model=name.model, max_reply_bytes=settings.max_reply_bytes
    )
    held.callback(reader.close)
    return reader


@lru_cache(maxsize=2)
def _local(folder: str, seconds: int) -> Reranker:
    """Return a reader from a folder; its weights are loaded once a process."""
    from autokb.llm.rerankers.local import LocalReranker

    return LocalReranker(Path(folder), seconds, encoder_threads())
