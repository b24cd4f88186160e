"""Questions in other languages than the documents': the same knowledge base by a second encoder that compares both."""

from __future__ import annotations

from dataclasses import replace

from autokb.core.domain import ENGLISH
from autokb.core.ids import digest
from autokb.core.progress import Progress, silent
from autokb.llm.embedders import multilingual
from autokb.pipeline.embedding import FreeEncoder, compares_languages, open_multilingual_embedder
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.fit import fit_gate
from autokb.pipeline.steps.passages import find_passages
from autokb.retrieval.calibrated_gate import SETTING as CALIBRATION
from autokb.retrieval.corpus import Corpus
from autokb.retrieval.gate import Gate
from autokb.retrieval.index import QuestionIndex, load_index
from autokb.retrieval.recalibration import SETTING as CONFIDENCE
from autokb.stores.published import Published, published_spec, read_published
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.languages import LANGUAGE_NAMES

STAGE = "languages"
# Cosine of the second encoder to the nearest window, node or issue, where too little is there to fit a gate: 98 % of
# questions on topic in German, French and Spanish lie above, 80 % of the everyday questions below (two bases).
BARE_THRESHOLD = 0.38


def load_multilingual_index(
    workspace: Workspace, file: WorkspaceFile, published: Published, progress: Progress = silent
) -> QuestionIndex:
    """Put what is published into memory by the second encoder: windows, titles, nodes, raw issues and what is shown.

    The gate is fitted anew, for it reads cosines, and a team's calibration is the first encoder's alone; weights
    stay those of the first encoder. All of it follows from what is published and is no part of it, so an
    import works it out again; vectors and gate are kept by their keys like all others.
    """
    return _load(workspace, published, Stages(file, FreeEncoder(open_multilingual_embedder(), file), progress=progress))


def was_asked_in_another_language(workspace: Workspace, file: WorkspaceFile) -> bool:
    """Return whether what is published was loaded by the second encoder before, so that it is kept ready for it.

    The first question in another language, or a service that starts, embeds all of it. Most workspaces are never asked
    one, and it would take an eighth of the processor's time of a first build (decision 47).
    """
    embedded = file.dimensions(multilingual.MultilingualEmbedder.name) > 0
    return embedded and compares_languages(workspace.settings, workspace.spec.language)


def prepare_languages(stages: Stages, workspace: Workspace) -> None:
    """Embed what is published by the second encoder where it was needed before, so that no question waits for it."""
    if not was_asked_in_another_language(workspace, stages.file):
        return
    with stages.log.timed(STAGE) as count:
        progress = stages.log.progress
        own = Stages(
            stages.file,
            FreeEncoder(
                open_multilingual_embedder(),
                stages.file,
                executor=stages.executor,
                opened_by=open_multilingual_embedder,
            ),
            progress=lambda _stage, done, total: progress(STAGE, done, total),
            executor=stages.executor,
        )
        _load(workspace, read_published(stages.file), own)
        count.computed += sum(done.computed for done in own.log.counts.values())
        count.reused += sum(done.reused for done in own.log.counts.values())


def _load(workspace: Workspace, published: Published, stages: Stages) -> QuestionIndex:
    spec, encoder, documents = published_spec(workspace, published), stages.encoder, published.kb.documents
    passages, _ = find_passages(stages.file, list(documents.values()), published.chunks, spec)
    of_first_encoder = ("gate", CALIBRATION, CONFIDENCE)
    settings = {name: body for name, body in published.settings.items() if name not in of_first_encoder}
    index = load_index(
        published=replace(published, settings=settings),
        spec=spec,
        encoder=encoder.name,
        embed=stages.embed,
        embed_questions=encoder.embed_questions,
        passages=passages,
        caution=workspace.settings.answer.caution,
    )
    texts = {raw.id: raw.full_text for raw in published.told_issues.values()}
    raw = dict(zip(texts, stages.embed(list(texts.values())), strict=True))
    corpus = Corpus.of(documents, published.chunks, spec.language)
    everything = digest(corpus.fingerprint(), *(part for pair in sorted(texts.items()) for part in pair))
    # The everyday questions are in English; to this encoder the language of a text says nothing of its matter.
    fitted = replace(index, spec=replace(spec, language=ENGLISH))
    gate = fit_gate(stages, fitted, raw, texts, list(documents.values()), everything, reads_words=False)
    if gate.coefficients is None:  # a bare cosine is only known for the packaged encoder
        gate = Gate(BARE_THRESHOLD, encoder.name)
    return replace(index, gate=gate)


def why_not_compared(language: str, documents: str) -> str | None:
    """Say why a question in one language cannot be compared with documents in another; None where it can.

    >>> why_not_compared("sv", "en")
    'The question is in Swedish, which no encoder here knows; ask it in English.'
    """
    asked, written = LANGUAGE_NAMES[language], LANGUAGE_NAMES[documents]
    if not {language, documents} <= multilingual.LANGUAGES:
        of_documents = "" if language not in multilingual.LANGUAGES else f"the documents are in {written}, "
        return f"The question is in {asked}, {of_documents}which no encoder here knows; ask it in {written}."
    if not multilingual.is_installed():
        return (
            f"The question is in {asked}, the documents are in {written}: ask it in {written}, or install what "
            f"compares them: {multilingual.EXTRA}"
        )
    return None
