"""How long a build will take on this machine, apart from waiting for models: nearly all of it is the encoder's work."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autokb.core.progress import Progress, silent
from autokb.llm.embedders import Embedder
from autokb.pipeline.embedding import FreeEncoder, open_free_embedder, read_embedder_name
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.contexts import chunk_with_contexts
from autokb.retrieval.corpus import Corpus
from autokb.stores.published import read_published
from autokb.stores.staged import staged_documents, staged_raw_issues
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

# Both in the time that this machine needs to encode one text: what builds took of it, measured on headphones, medical,
# cashbook, espresso (no issues) and Thunderbird with 840 issues, first builds and builds of what was built already.
TEXT_TIMES = (
    1.9  # for each new text of a window, title or issue; in it are nodes, solutions and all that is no encoding
)
ITEM_TIMES = 0.2  # for each document and issue, new or not
SAMPLE = 32  # texts that are encoded to measure the time of one
ITEM_SECONDS = 0.003  # the same where no text is encoded here: measured on two cores
START_SECONDS = 0.25  # of opening everything


def estimate_build_seconds(workspace: Workspace, file: WorkspaceFile, progress: Progress = silent) -> float | None:
    """Return the seconds of a build without waiting for models; None where there is nothing to build.

    Nothing is kept: the documents that are new or changed are chunked on a copy, and a few texts are encoded there.
    Texts whose vectors are stored, as those of a build that was killed, count as done.
    """
    documents, raw = staged_documents(file), staged_raw_issues(file)
    items = len(documents) + len(raw)
    embedder = read_embedder_name(workspace.settings.embedder)
    if not items:
        return None
    if embedder.is_paid:  # its requests are counted and waited for as a model's are
        return START_SECONDS + ITEM_SECONDS * items
    published = read_published(file)
    changed = [d for d in documents if published.kb.documents.get(d.id) != d]
    encoder = open_free_embedder(embedder)
    with tempfile.TemporaryDirectory(prefix="autokb-plan-") as folder:
        copy = replace(workspace, folder=Path(folder))
        file.copy_to(copy.knowledge_path)
        with copy.file() as own:
            stages = Stages(own, FreeEncoder(encoder, own), progress=progress)
            chunks = chunk_with_contexts(stages, workspace, changed)
            corpus = Corpus.of({d.id: d for d in changed}, chunks, workspace.spec.language)
            new = [r.full_text for r in raw if published.raw_issues.get(r.id) != r]
            texts = list(dict.fromkeys((*corpus.window_texts(), *corpus.titles(), *new)))
            _, missing = own.vectors(encoder.name, texts, encoder.dimensions)
    known = [d.title or d.id for d in documents] + [r.full_text for r in raw]
    pace = _seconds_a_text(encoder, [texts[n] for n in missing] or known)
    return START_SECONDS + pace * (TEXT_TIMES * len(missing) + ITEM_TIMES * items)


def _seconds_a_text(encoder: Embedder, texts: Sequence[str]) -> float:
    """Encode some of the texts, from everywhere among them, once the encoder is awake."""
    sample = list(texts[:: max(len(texts) // SAMPLE, 1)])[:SAMPLE]
    encoder.embed(sample[:1])
    started = time.perf_counter()
    encoder.embed(sample)
    return (time.perf_counter() - started) / len(sample)
