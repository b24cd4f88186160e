"""The tables of the AutoChunker paper, measured on the documents that workspaces were made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.pipeline.model_session import ModelOptions
from autokb.plugins.lab.evaluation.chunking.results import DEPTHS, WITH_CONTEXT, ChunkingReport, MethodReport
from autokb.plugins.lab.evaluation.papers.tables import NOT_JUDGED, UNMEASURED, Cell, PaperTable, Printed
from autokb.plugins.lab.studies.evaluate_chunking import ChunkEvaluation, evaluate_chunking
from autokb.plugins.lab.studies.papers import PaperRun
from autokb.plugins.lab.studies.papers.printed import printed_tables
from autokb.stores.staged import staged_sources
from autokb.stores.workspace import Workspace
from autokb.tasks.judges.task_relevance.task import SUPPORT as SUPPORT_TASK

# Our methods under the names of the paper's rows: name and input.
METHODS = {
    "recursive_text": ("Recursive", "Text"),
    "recursive_html": ("Recursive", "HTML"),
    "recursive_markdown": ("Recursive", "Markdown"),
    "semantic": ("Embedding", "Markdown"),
    "llm_semantic": ("LLMSemantic", "Markdown"),
    "lumber_chunker": ("LumberChunker", "Markdown"),
    "auto_chunker": ("AutoChunker", "Markdown"),
}
PRINTED = printed_tables("autochunker")
# Of the methods as they are built here; a recursive one by the kind of a document cuts HTML and Markdown at headings.
FEATURES_HERE = PRINTED["features"]["rows"] | {"LGMGC": (), "AutoChunker": ("yes", "yes", "no", "yes", "yes", "yes")}
BY_CONTEXT = "Retrieval by context is measured in table 3; no search of the product does it, so ours says no."
TENETS = ("noise", "completeness", "context_switch", "task_relevance")
SUPPORT, WIKIPEDIA = "Support", "Wikipedia"  # the paper's domains
ENCYCLOPEDIA = "Question answering: readers ask about what the articles of an encyclopedia tell."
CONTEXT_AWARE = "auto_chunker" + WITH_CONTEXT
PLACES = ("recall", "precision", "iou")  # of the text that a question needs, character by character
NO_CHUNK = "there is no chunk"
CHARACTERS_A_TOKEN = 4.0  # of English prose; the usual rule of thumb, since the paper does not name its tokenizer
BY_MODEL = ("llm_semantic", "lumber_chunker", "auto_chunker")  # without one rules stand in for what it would decide
STAND_IN = "Without --judge rules stand in for the model of LLMSemantic, LumberChunker and AutoChunker."
SAME_INPUT = (
    "Text and HTML differ where something stood around the text of a web page; a document that was Markdown or a bare "
    "page is cut alike as both. "
    "What is left out is what AutoChunker drops as noise."
)
JUDGE_ASKS = "A judge says how relevant each chunk is, and makes the questions where none are given."
NO_PLACES = (
    "no question with the places of its answer: name them with --cases FILE, a line such as "
    '{"question": "...", "document": "guide.md", "references": [{"start": 10, "end": 95}]}'
)
GONE = "The files that the documents of {name} were read from are not there any more; add them again."


@dataclass(frozen=True)
class Measured:
    """A workspace as one of the paper's domains, and what was found of its documents; ``judged`` by a model."""

    name: str
    report: ChunkingReport
    judged: bool

    @property
    def domain(self) -> str:
        """The paper's domain that it stands beside."""
        return domain_of(self.name)

    @property
    def beside(self) -> str:
        """What stands behind the name of a table."""
        return f"{self.name}, beside the paper's {self.domain} pages"

    def rows(self) -> Iterator[tuple[str, str, MethodReport]]:
        """Give each method with the name of its row, which says where rules stand in for a model."""
        for method, (name, given) in METHODS.items():
            by_rules = " (by rules)" if method in BY_MODEL and not self.judged else ""
            yield method, f"{name}, {given}{by_rules}", self.report.methods[method]


def domain_of(name: str) -> str:
    """Return the paper's domain for that of a workspace, which says that it is Wikipedia by its name."""
    return WIKIPEDIA if WIKIPEDIA.casefold() in name.casefold() else SUPPORT


def tables(run: PaperRun) -> Iterator[PaperTable]:
    """Give the paper's tables in its order."""
    yield _features()
    for workspace in run.workspaces:
        measured = Measured(workspace.spec.name, _report(workspace, run), run.has_judge)
        yield _tenets(measured)
        yield _counted(measured)
        yield _precision(measured)
        yield _places(measured)
        yield _sizes(measured)
        yield _seconds(measured)


def _report(workspace: Workspace, run: PaperRun) -> ChunkingReport:
    judge = run.judge if run.has_judge else ""
    is_support = domain_of(workspace.spec.name) == SUPPORT
    settings = workspace.folder / "settings.yaml"
    wanted = ChunkEvaluation(
        methods=tuple(METHODS),
        model=judge,
        judge=judge,
        questions=run.cases,
        others=True,  # one file serves all workspaces
        task=SUPPORT_TASK if is_support else ENCYCLOPEDIA,
        ledger=workspace.folder / "chunking.db" if judge else None,
        settings=settings if judge and settings.exists() else None,
    )
    return evaluate_chunking(_files(workspace), wanted, run.progress, ModelOptions(run.budget))


def _files(workspace: Workspace) -> list[Path]:
    """Return the files that a workspace's documents were read from and that are still there."""
    with workspace.file() as file:
        places = [Path(p.root, p.relative) for p, _ in staged_sources(file) if p.kind == "documents" and p.root]
    if not (found := [place for place in places if place.exists()]):
        raise BadInputError(GONE.format(name=workspace.folder))
    return found


def _features() -> PaperTable:
    """Table 1."""
    not_built = "not built here: it needs a model's own logits, which no provider of chat models gives"
    rows = {}
    for method, printed in PRINTED["features"]["rows"].items():
        here: Sequence[Printed] = FEATURES_HERE[method] or (None,) * len(printed)
        rows[method] = tuple(Cell.known(value, not_built, theirs) for value, theirs in zip(here, printed, strict=True))
    return PaperTable.of("Table 1: what the methods can do", rows, tuple(PRINTED["features"]["columns"]), BY_CONTEXT)


def _tenets(measured: Measured) -> PaperTable:
    """Table 2, in per cent of the chunks."""
    rows = {}
    for method, name, found in measured.rows():
        printed = zip(TENETS, PRINTED["tenets"][method][measured.domain], strict=True)
        rows[name] = tuple(_judged(found, tenet, theirs) for tenet, theirs in printed)
    columns = ("noise % (lower)", "complete %", "context switch % (lower)", "task relevance %")
    note = "" if measured.judged else STAND_IN
    return PaperTable.of(f"Table 2: quality of the chunks of {measured.beside}", rows, columns, note)


def _judged(found: MethodReport, tenet: str, printed: float) -> Cell:
    judged = found.tenets.get(tenet)
    return Cell.of(judged.interval if judged else NOT_JUDGED, printed, percent=True, missing=NOT_JUDGED)


def _counted(measured: Measured) -> PaperTable:
    """What can be counted of the same chunks without a judge."""
    measures = list(dict.fromkeys(m for _, _, found in measured.rows() for m in found.mechanical.shares))
    rows = {}
    for _, name, found in measured.rows():
        shares = (found.mechanical.shares.get(measure) for measure in measures)
        rows[name] = tuple(Cell.of(one.interval if one else UNMEASURED, percent=True) for one in shares)
    columns = tuple(f"{measure.replace('_', ' ')} %" for measure in measures)
    return PaperTable.of(f"Table 2, counted without a judge: {measured.name}", rows, columns, SAME_INPUT)


def _precision(measured: Measured) -> PaperTable:
    """Table 3."""
    rows = {}
    for method, name, suffix, found in _with_context(measured):
        if printed := PRINTED["precision"].get(method + suffix):
            depths = zip(DEPTHS, printed[measured.domain], strict=True)
            rows[name] = tuple(_judged(found, f"wp@{k}{suffix}", one) for k, one in depths)
    columns = tuple(f"WP@{k}" for k in DEPTHS)
    note = "" if measured.judged else JUDGE_ASKS
    return PaperTable.of(f"Table 3: weighted precision on {measured.beside}", rows, columns, note)


def _with_context(measured: Measured) -> Iterator[tuple[str, str, str, MethodReport]]:
    """Give the methods with their rows, and AutoChunker's once more for context-aware retrieval."""
    for method, name, found in measured.rows():
        yield method, name, "", found
        if method + WITH_CONTEXT == CONTEXT_AWARE:
            yield method, f"{name} + context-aware retrieval", WITH_CONTEXT, found


def _places(measured: Measured) -> PaperTable:
    """What table 3 can be without a judge: how much of the text that answers a question is in what is found."""
    figures = [(figure, k) for figure in PLACES for k in DEPTHS]
    rows, asked = {}, 0
    for _, name, suffix, found in _with_context(measured):
        shares = [found.retrieval.get(f"{figure}@{k}{suffix}") for figure, k in figures]
        rows[name] = tuple(Cell.of(one.interval if one else NO_PLACES, percent=True) for one in shares)
        asked = max([asked, *(share.n for share in shares if share)])
    columns = tuple(f"{figure}@{k} %" for figure, k in figures)
    note = (
        f"Characters of the marked places of {asked} questions. Longer chunks bring more of everything: read recall "
        "beside the sizes of table 4."
    )
    return PaperTable.of(f"Table 3, by places without a judge: {measured.name}", rows, columns, note if asked else "")


def _sizes(measured: Measured) -> PaperTable:
    """Table 4, lengths in characters and in tokens."""
    rows = {}
    for method, name, found in measured.rows():
        _, *lengths, chunks = PRINTED["sizes"][method]
        size = (found.size.mean, found.size.p50, found.size.p90)
        own = [Cell.known(one, NO_CHUNK) for one in size]
        tokens = [None if one is None else one / CHARACTERS_A_TOKEN for one in size]
        beside = [Cell.known(one, NO_CHUNK, printed) for one, printed in zip(tokens, lengths, strict=True)]
        rows[name] = (*own, *beside, Cell(found.chunks / measured.report.documents, paper=chunks))
    columns = ("characters, mean", "p50", "p90", "tokens, mean", "tokens, p50", "tokens, p90", "chunks a document")
    note = f"A token is taken for {CHARACTERS_A_TOKEN:g} characters. The paper's pages are longer than most manuals'."
    return PaperTable.of(f"Table 4: sizes of the chunks of {measured.name}", rows, columns, note)


def _seconds(measured: Measured) -> PaperTable:
    """The first column of table 4, which another run measures otherwise."""
    documents = measured.report.documents
    rows = {name: (Cell(f.seconds / documents, paper=PRINTED["sizes"][m][0]),) for m, name, f in measured.rows()}
    note = "Reading a page, and the extractor's vote on it, is in none."
    return PaperTable.of(f"Table 4, seconds a document of {measured.name}", rows, ("seconds",), note, of_run=True)
