"""Opening a workspace to be asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from weakref import finalize

from autokb.answering.answer import Answer
from autokb.answering.ask import ask, ask_in_other_language
from autokb.answering.chosen import Choosing
from autokb.core.attributes import Values
from autokb.core.errors import BadInputError, NothingPublishedError
from autokb.core.nouns import RawIssue
from autokb.core.progress import Progress, silent
from autokb.core.reply_rules import OFF_TOPIC
from autokb.core.storable import without_surrogates
from autokb.core.vectors import Vectors
from autokb.pipeline.embedding import (
    EMBEDDINGS,
    PACKAGED,
    Encoder,
    FreeEncoder,
    embed_once,
    encoder_name,
    open_free_embedder,
    open_multilingual_embedder,
    read_embedder_name,
)
from autokb.pipeline.fed_questions import with_fed_questions
from autokb.pipeline.own_features import own_features
from autokb.pipeline.process_pool import process_pool
from autokb.pipeline.reranking import open_reranker
from autokb.pipeline.searched_store import SearchedKnowledge, SearchedStore
from autokb.pipeline.steps.passages import find_passages
from autokb.retrieval.calibrated_gate import SETTING as CALIBRATION
from autokb.retrieval.index import (
    QuestionIndex,
    ScoredQuestion,
    TokenReader,
    calibration_of,
    gate_of,
    load_decisions,
    load_index,
)
from autokb.retrieval.read_question import spec_for_question_in
from autokb.stores.database import failures_as_sentences
from autokb.stores.published import (
    NOTHING_PUBLISHED,
    Published,
    published_spec,
    read_decided_anew,
    read_published,
)
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.languages import LANGUAGE_NAMES, find_other_language
from autokb.text.mail_parts import says_nothing, without_mail_parts

NOT_COMPARED_IN_DATABASE = (
    "This knowledge base is searched in the database, where questions are compared in {language} alone; ask in it."
)
MORE_MEMORY = "run autokb build on a machine with more memory, which prepares what is searched in the database"
QUESTION_CHARACTERS = 100_000  # at most; nobody reads more, and the encoder reads its first 256 tokens


@dataclass(frozen=True)
class IndexByLanguage:
    """The usual index of a knowledge base, and that of the second encoder for questions in another language."""

    index: QuestionIndex
    workspace: Workspace
    file: WorkspaceFile
    sliced: SearchedKnowledge | None = None
    _multilingual: list[QuestionIndex] = field(default_factory=list)
    _loading: Lock = field(default_factory=Lock)

    def index_for(
        self, question: str, also: Sequence[str] = (), said: str = "", overrides: Mapping[str, Values] | None = None
    ) -> tuple[QuestionIndex, ScoredQuestion | None, str | None]:
        """Return the index that understands the language of a question, else the usual one and why there is none.

        Between them is what the question finds by it, where that is known already.

        Only the packaged encoder is one of a single language; whoever names another has chosen what it compares. The
        index of a knowledge base that is searched in the database has what the question, and ``also`` and ``said``,
        need, with the attributes that ``overrides`` replace.
        """
        index, scored, spec = self.index, None, self.index.spec
        if self.sliced is not None:
            index, scored = self.sliced.score([question, *also], said, overrides)
        if read_embedder_name(self.workspace.settings.embedder).kind != PACKAGED:
            return index, scored, None
        language = find_other_language(question, spec.language, index.chunks.words.vocabulary)
        if language is None:
            return index, scored, None
        from autokb.pipeline.steps.languages import why_not_compared

        unread = why_not_compared(language, spec.language)
        if self.sliced is not None:  # whose vectors are all of one encoder
            unread = unread or NOT_COMPARED_IN_DATABASE.format(language=LANGUAGE_NAMES[spec.language])
        index = index if unread else self.load_multilingual()
        return replace(index, spec=spec_for_question_in(language, spec)), None, unread

    @property
    def multilingual(self) -> QuestionIndex | None:
        """The knowledge base by the second encoder, None while it is not in memory."""
        return self._multilingual[0] if self._multilingual else None

    def load_multilingual(self) -> QuestionIndex:
        """Put the knowledge base into memory by the second encoder, once; what no build embedded is embedded now."""
        with self._loading:
            if not self._multilingual:
                from autokb.pipeline.steps.languages import load_multilingual_index

                self._multilingual.append(load_multilingual_index(self.workspace, self.file, read_published(self.file)))
            return self._multilingual[0]


@dataclass(frozen=True)
class Undecided:
    """What a publication held before anybody decided something of it; ``published`` is without documents and chunks.

    ``raw_issues`` are those of the publication with those that were fed.
    """

    publication: tuple[int, str]
    published: Published
    raw_issues: Mapping[str, RawIssue]


@dataclass(frozen=True)
class OpenIndex:
    """A workspace's knowledge base in memory, and whether a later build has replaced it.

    ``undecided`` is what later decisions are laid over; a knowledge base that is searched in the database has none.
    """

    index: QuestionIndex
    file: WorkspaceFile
    held: ExitStack
    by_language: IndexByLanguage
    undecided: Undecided | None = None

    def ask(
        self,
        text: str,
        overrides: Mapping[str, Values] | None = None,
        k: int = 5,
        *,
        said: str = "",
        also: Sequence[str] = (),
        explain: bool = False,
        choosing: Choosing | None = None,
    ) -> Answer:
        """Answer a question; an empty one is refused.

        ``said`` is all that a customer said, where that is more; ``also`` are other ways to read the message that asks.
        Who is ``choosing`` chooses among the best that were found.
        """
        started = time.perf_counter()
        if not text.strip():
            raise BadInputError("The question is empty; write what the customer asks.")
        with failures_as_sentences(self.file.path):
            query = without_surrogates(text[:QUESTION_CHARACTERS])
            question, _ = without_mail_parts(query)
            if says_nothing(question):
                return Answer(query, {}, "abstains", reason=OFF_TOPIC, seconds=time.perf_counter() - started)
            said = without_surrogates(said)
            index, scored, unread = self.by_language.index_for(question, also, said, overrides)
            if index.spec is self.index.spec:
                answer = ask(
                    index, question, overrides, k, said, also, scored=scored, explain=explain, choosing=choosing
                )
            else:
                answer = ask_in_other_language(
                    index, question, overrides, k, unread=unread, explain=explain, choosing=choosing
                )
        return replace(answer, query=query, seconds=time.perf_counter() - started)

    def index_with(self, solution: str) -> QuestionIndex:
        """Return an index that has a passage of this id, where there is one."""
        sliced = self.by_language.sliced
        return self.index if sliced is None else sliced.index_with(solution)

    def close(self) -> None:
        """Let go of the workspace file, and of the connection to an embedder."""
        self.held.close()


def open_index(workspace: Workspace, *, calibrated: bool = True, before: OpenIndex | None = None) -> OpenIndex:
    """Load what the last build published (BadInputError when nothing was).

    Questions are read offline whatever the settings' model; only a paid embedder is asked. Without ``calibrated`` the
    team's calibration of the gate is left out, whatever encoder it is of. Where people only decided something since
    what was open ``before``, its arrays are taken over.
    """
    with failures_as_sentences(workspace.knowledge_path), ExitStack() as stack:
        file = workspace.open_file()
        stack.callback(file.close)
        if before is not None and (decided := _read_decided(workspace, file, before)) is not None:
            return _with_decisions(workspace, file, stack, before, decided)
        with file.snapshot():
            publication, as_built = (file.inode, file.publication), read_published(file)
            published = with_fed_questions(file, as_built)
        if not published.kb.documents and not published.kb.issues:
            raise NothingPublishedError(NOTHING_PUBLISHED.format(folder=workspace.folder))
        if not calibrated:
            settings = {setting: body for setting, body in published.settings.items() if setting != CALIBRATION}
            published = replace(published, settings=settings)
        name = encoder_name(workspace.settings)
        gate_of(published.settings, name).check_encoder(name)  # before anything is embedded, perhaps for money
        if (calibration := calibration_of(published.settings)) is not None:
            calibration.check_encoder(name)
        index = _load(workspace, published, file, stack)
        index = _as_set(index, workspace, file, stack)
        kept = replace(as_built, kb=replace(as_built.kb, documents={}), chunks=())
        undecided = Undecided(publication, kept, published.raw_issues)
        return _opened(IndexByLanguage(index, workspace, file), stack, undecided)


def _as_set(index: QuestionIndex, workspace: Workspace, file: WorkspaceFile, stack: ExitStack) -> QuestionIndex:
    """Return an index with the reader that the settings name, and the features that ``autokb rank fit`` admitted."""
    reranker = open_reranker(workspace.settings, stack)
    return replace(index, reranker=reranker, own=own_features(workspace, file))


def _opened(by_language: IndexByLanguage, stack: ExitStack, undecided: Undecided | None) -> OpenIndex:
    """Return what is ready to be asked, whose resources are held until it is closed or let go."""
    held = stack.pop_all()
    opened = OpenIndex(by_language.index, by_language.file, held, by_language, undecided)
    finalize(opened, held.close)  # of an index that was let go while a question was being answered
    return opened


def _read_decided(workspace: Workspace, file: WorkspaceFile, before: OpenIndex) -> Published | None:
    """Return what was open before with what people decided since; None where more has changed than decisions."""
    known = before.undecided
    if known is None or workspace is not before.by_language.workspace:
        return None
    with file.snapshot():
        if known.publication != (file.inode, file.publication):
            return None
        decided = read_decided_anew(file, known.published)
        return decided if with_fed_questions(file, decided).raw_issues == known.raw_issues else None


def _with_decisions(
    workspace: Workspace, file: WorkspaceFile, stack: ExitStack, before: OpenIndex, decided: Published
) -> OpenIndex:
    """Open what was open before with what people decided since, by each encoder that it was open by."""

    def lay_over(index: QuestionIndex, encoder: Encoder, tokens: TokenReader | None) -> QuestionIndex:
        return load_decisions(index, decided, embedding_by(file, encoder), encoder.embed_questions, tokens)

    encoder = _encoder(workspace, file, stack)
    index = lay_over(before.index, encoder, encoder.token_reader(before.index.spec.language))
    index = _as_set(index, workspace, file, stack)
    foreign = before.by_language.multilingual
    of_foreign = [] if foreign is None else [lay_over(foreign, FreeEncoder(open_multilingual_embedder(), file), None)]
    return _opened(IndexByLanguage(index, workspace, file, None, of_foreign), stack, before.undecided)


def open_served_index(workspace: Workspace, before: OpenIndex | None = None) -> OpenIndex:
    """Open what was published for a process that answers questions: from the store where that is large and it can.

    What is searched is written first where it is not that of what is published, and this user may write. What was
    open ``before`` is taken over as by ``open_index``.
    """
    with failures_as_sentences(workspace.knowledge_path), ExitStack() as stack:
        file = workspace.open_file()
        stack.callback(file.close)
        if (searched := _searched(workspace, file)) is None:
            return open_index(workspace, before=before)
        encoder = _encoder(workspace, file, stack)
        gate_of(dict(file.records("setting")), encoder.name).check_encoder(encoder.name)
        if not searched.is_ready(file):
            # whose memory, that of the whole knowledge base, is given back
            with process_pool(2, MORE_MEMORY) as in_processes:
                list(in_processes(_write_rows, [workspace]))
        sliced = searched.open(workspace, file, encoder, stack)
        return _opened(IndexByLanguage(sliced.empty(), workspace, file, sliced), stack, None)


def _searched(workspace: Workspace, file: WorkspaceFile) -> SearchedStore | None:
    """Return what questions search in the store: readers' version, where it is as large as the settings say."""
    if workspace.shows or file.store is None:
        return None
    searched: SearchedStore | None = file.store.searched
    is_large = searched is not None and searched.count_rows(file) >= workspace.settings.search.in_database_from
    return searched if is_large else None


def keep_search_rows(workspace: Workspace, file: WorkspaceFile) -> None:
    """Write what questions search in the database, where they do, so that nobody waits for it."""
    if (searched := _searched(workspace, file)) is None or searched.is_current(file):
        return
    with ExitStack() as stack:
        searched.write_rows(workspace, file, _encoder(workspace, file, stack))


def _write_rows(workspace: Workspace) -> None:
    with workspace.file() as file:
        keep_search_rows(workspace, file)


def embed_published(workspace: Workspace, file: WorkspaceFile, progress: Progress = silent) -> None:
    """Embed what is published now, so that the first question does not wait for it."""
    from autokb.pipeline.steps.languages import load_multilingual_index, was_asked_in_another_language

    published = with_fed_questions(file, read_published(file))
    if published.kb.documents or published.kb.issues:
        with ExitStack() as stack:
            _load(workspace, published, file, stack, progress)
        keep_search_rows(workspace, file)
        if was_asked_in_another_language(workspace, file):
            load_multilingual_index(workspace, file, read_published(file), progress)


def _load(
    workspace: Workspace, published: Published, file: WorkspaceFile, held: ExitStack, progress: Progress = silent
) -> QuestionIndex:
    """Put a published knowledge base into memory; what its embedder needs is held open by the stack."""
    encoder = _encoder(workspace, file, held)
    return index_published(workspace, published, file, encoder, embedding_by(file, encoder, progress))


def embedding_by(
    file: WorkspaceFile, encoder: Encoder, progress: Progress = silent
) -> Callable[[Sequence[str]], Vectors]:
    """Return what gives the vectors of texts by an encoder, each embedded once and kept."""
    return lambda texts: embed_once(file, encoder, EMBEDDINGS, texts, partial(progress, EMBEDDINGS))[0]


def index_published(
    workspace: Workspace,
    published: Published,
    file: WorkspaceFile,
    encoder: Encoder,
    embed: Callable[[Sequence[str]], Vectors],
) -> QuestionIndex:
    """Put a published knowledge base into memory; ``embed`` gives the vectors of what was published."""
    spec, documents = published_spec(workspace, published), list(published.kb.documents.values())
    passages, _ = find_passages(file, documents, published.chunks, spec)
    caution, tokens = workspace.settings.answer.caution, encoder.token_reader(spec.language)
    return load_index(
        published=published,
        spec=spec,
        encoder=encoder.name,
        embed=embed,
        embed_questions=encoder.embed_questions,
        passages=passages,
        caution=caution,
        tokens=tokens,
    )


def _encoder(workspace: Workspace, file: WorkspaceFile, held: ExitStack) -> Encoder:
    name = read_embedder_name(workspace.settings.embedder)
    return _paid_encoder(workspace, file, held) if name.is_paid else FreeEncoder(open_free_embedder(name), file)


def _paid_encoder(workspace: Workspace, file: WorkspaceFile, held: ExitStack) -> Encoder:
    from autokb.pipeline.stages import open_question_encoder  # the client of models, which the packaged one needs not

    return open_question_encoder(workspace, file, held)
