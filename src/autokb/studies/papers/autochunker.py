"""The tables of the AutoChunker paper, measured on the documents that workspaces were made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.evaluation.chunking.results import DEPTHS, WITH_CONTEXT, ChunkingReport, MethodReport
from autokb.evaluation.papers.tables import NOT_JUDGED, Cell, PaperTable, Printed
from autokb.pipeline.model_session import ModelOptions
from autokb.stores.staged import staged_sources
from autokb.stores.workspace import Workspace
from autokb.studies.evaluate_chunking import SUPPORT as SUPPORT_TASK
from autokb.studies.evaluate_chunking import ChunkEvaluation, evaluate_chunking
from autokb.studies.papers import PaperRun

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
# What the paper prints, by our method. Table 1: yes, partly, no, or that it says nothing of the method.
FEATURES = (
    "uses structure",
    "removes noise",
    "retrieval by context",
    "context switching",
    "needs no logits",
    "parameters matter little",
)
FEATURES_PRINTED = {
    "Recursive": ("yes", "no", "no", "no", "-", "no"),
    "Semantic": ("no", "no", "no", "no", "-", "no"),
    "LGMGC": ("no", "no", "no", "yes", "no", "yes"),
    "LLMSemantic": ("no", "no", "no", "yes", "yes", "yes"),
    "LumberChunker": ("no", "no", "no", "yes", "yes", "no"),
    "AutoChunker": ("yes", "yes", "yes", "yes", "yes", "yes"),
}
# Of the methods as they are built here; a recursive one by the kind of a document cuts HTML and Markdown at headings.
FEATURES_HERE = FEATURES_PRINTED | {"LGMGC": (), "AutoChunker": ("yes", "yes", "no", "yes", "yes", "yes")}
BY_CONTEXT = "Retrieval by context is measured in table 3; no search of the product does it, so ours says no."
TENETS = ("noise", "completeness", "context_switch", "task_relevance")
SUPPORT, WIKIPEDIA = "Support", "Wikipedia"  # the paper's domains
DOMAINS = (SUPPORT, WIKIPEDIA)
ENCYCLOPEDIA = "Question answering: readers ask about what the articles of an encyclopedia tell."
TENETS_PRINTED = {  # table 2, per cent, by the paper's domains in their order
    "recursive_text": ((27.56, 15.36, 23.60, 84.38), (29.83, 18.45, 25.12, 82.54)),
    "recursive_html": ((25.59, 55.75, 2.96, 45.16), (26.91, 53.62, 3.15, 47.23)),
    "recursive_markdown": ((26.46, 27.34, 24.34, 82.32), (28.13, 25.67, 26.45, 80.91)),
    "semantic": ((35.86, 9.41, 59.41, 57.92), (37.42, 8.92, 61.23, 55.84)),
    "llm_semantic": ((24.00, 71.21, 6.81, 76.89), (25.34, 69.87, 7.12, 75.32)),
    "lumber_chunker": ((36.05, 1.25, 54.64, 63.16), (38.21, 2.14, 56.78, 61.45)),
    "auto_chunker": ((1.12, 93.03, 1.66, 94.76), (2.31, 91.24, 2.05, 92.87)),
}
CONTEXT_AWARE = "auto_chunker" + WITH_CONTEXT
PRECISION_PRINTED = {  # table 3, weighted precision at 1, 3 and 5, by the paper's domains in their order
    "recursive_text": ((60.75, 51.25, 39.15), (58.45, 48.92, 37.84)),
    "semantic": ((16.75, 14.25, 13.65), (15.92, 13.85, 12.95)),
    "llm_semantic": ((69.12, 56.23, 49.41), (66.78, 54.32, 47.65)),
    "auto_chunker": ((75.42, 63.42, 56.84), (72.95, 61.45, 54.92)),
    CONTEXT_AWARE: ((75.42, 68.74, 63.22), (72.95, 66.84, 61.35)),
}
PLACES = ("recall", "precision", "iou")  # of the text that a question needs, character by character
SIZES_PRINTED = {  # table 4: seconds, tokens (mean, p50, p90), chunks a document
    "recursive_text": (0.11, 359.5, 391, 407, 534),
    "recursive_html": (5.61, 14.2, 10, 34, 13924),
    "recursive_markdown": (0.24, 357.4, 388, 406, 534),
    "semantic": (0.38, 259.6, 163, 419, 772),
    "llm_semantic": (49.39, 95.3, 76, 195.1, 2570),
    "lumber_chunker": (10.52, 1314.5, 633, 4037, 191),
    "auto_chunker": (6.04, 94.3, 72, 202, 2223),
}
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
    def domain(self) -> int:
        """The place of the paper's domain that it stands beside."""
        return domain_of(self.name)

    @property
    def beside(self) -> str:
        """What stands behind the name of a table."""
        return f"{self.name}, beside the paper's {DOMAINS[self.domain]} pages"

    def rows(self) -> Iterator[tuple[str, str, MethodReport]]:
        """Give each method with the name of its row, which says where rules stand in for a model."""
        for method, (name, given) in METHODS.items():
            by_rules = " (by rules)" if method in BY_MODEL and not self.judged else ""
            yield method, f"{name}, {given}{by_rules}", self.report.methods[method]


def domain_of(name: str) -> int:
    """Return the place of the paper's domain for that of a workspace, which says that it is Wikipedia by its name."""
    return DOMAINS.index(WIKIPEDIA if WIKIPEDIA.casefold() in name.casefold() else SUPPORT)


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
    is_support = domain_of(workspace.spec.name) == DOMAINS.index(SUPPORT)
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
    not_built = Cell(missing="not built here: it needs a model's own logits, which no provider of chat models gives")
    cells = []
    for method, printed in FEATURES_PRINTED.items():
        here: Sequence[Printed] = FEATURES_HERE[method]
        ours = [Cell(value, paper=theirs) for value, theirs in zip(here, printed, strict=True)] if here else []
        cells.append(tuple(ours or (Cell(paper=one, missing=not_built.missing) for one in printed)))
    return PaperTable("Table 1: what the methods can do", tuple(FEATURES_PRINTED), FEATURES, tuple(cells), BY_CONTEXT)


def _tenets(measured: Measured) -> PaperTable:
    """Table 2, in per cent of the chunks."""
    names, cells = [], []
    for method, name, found in measured.rows():
        names.append(name)
        printed = TENETS_PRINTED[method][measured.domain]
        cells.append(tuple(_judged(found.tenets, tenet, theirs) for tenet, theirs in zip(TENETS, printed, strict=True)))
    columns = ("noise % (lower)", "complete %", "context switch % (lower)", "task relevance %")
    note = "" if measured.judged else STAND_IN
    name = f"Table 2: quality of the chunks of {measured.beside}"
    return PaperTable(name, tuple(names), columns, tuple(cells), note)


def _judged(tenets: Mapping[str, object], tenet: str, printed: float) -> Cell:
    found = tenets.get(tenet)
    interval = getattr(found, "interval", None)
    if interval is None or interval.value is None:
        return Cell(paper=printed, missing=NOT_JUDGED)
    return Cell.of(interval, printed, percent=True)


def _counted(measured: Measured) -> PaperTable:
    """What can be counted of the same chunks without a judge."""
    measures = list(dict.fromkeys(m for _, _, found in measured.rows() for m in found.mechanical.shares))
    names, cells = [], []
    for _, name, found in measured.rows():
        names.append(name)
        shares = (found.mechanical.shares.get(measure) for measure in measures)
        nothing = Cell(missing="there is nothing to measure")
        cells.append(tuple(Cell.of(one.interval, percent=True) if one else nothing for one in shares))
    columns = tuple(f"{measure.replace('_', ' ')} %" for measure in measures)
    name = f"Table 2, counted without a judge: {measured.name}"
    return PaperTable(name, tuple(names), columns, tuple(cells), SAME_INPUT)


def _precision(measured: Measured) -> PaperTable:
    """Table 3."""
    names, cells = [], []
    for method, name, suffix, found in _with_context(measured):
        if printed := PRECISION_PRINTED.get(method + suffix):
            names.append(name)
            depths = zip(DEPTHS, printed[measured.domain], strict=True)
            cells.append(tuple(_judged(found.tenets, f"wp@{k}{suffix}", one) for k, one in depths))
    columns = tuple(f"WP@{k}" for k in DEPTHS)
    note = "" if measured.judged else JUDGE_ASKS
    name = f"Table 3: weighted precision on {measured.beside}"
    return PaperTable(name, tuple(names), columns, tuple(cells), note)


def _with_context(measured: Measured) -> Iterator[tuple[str, str, str, MethodReport]]:
    """Give the methods with their rows, and AutoChunker's once more for context-aware retrieval."""
    for method, name, found in measured.rows():
        yield method, name, "", found
        if method + WITH_CONTEXT == CONTEXT_AWARE:
            yield method, f"{name} + context-aware retrieval", WITH_CONTEXT, found


def _places(measured: Measured) -> PaperTable:
    """What table 3 can be without a judge: how much of the text that answers a question is in what is found."""
    figures = [(figure, k) for figure in PLACES for k in DEPTHS]
    names, cells, asked = [], [], 0
    for _, name, suffix, found in _with_context(measured):
        names.append(name)
        shares = [found.retrieval.get(f"{figure}@{k}{suffix}") for figure, k in figures]
        cells.append(tuple(Cell.of(s.interval, percent=True) if s else Cell(missing=NO_PLACES) for s in shares))
        asked = max([asked, *(share.n for share in shares if share)])
    columns = tuple(f"{figure}@{k} %" for figure, k in figures)
    note = (
        f"Characters of the marked places of {asked} questions. Longer chunks bring more of everything: read recall "
        "beside the sizes of table 4."
    )
    name = f"Table 3, by places without a judge: {measured.name}"
    return PaperTable(name, tuple(names), columns, tuple(cells), note if asked else "")


def _sizes(measured: Measured) -> PaperTable:
    """Table 4, lengths in characters and in tokens."""
    names, cells = [], []
    for method, name, found in measured.rows():
        names.append(name)
        _, *lengths, chunks = SIZES_PRINTED[method]
        size = (found.size.mean, found.size.p50, found.size.p90)
        own = [Cell(one, missing=None if one is not None else "there is no chunk") for one in size]
        tokens = [_tokens(one, printed) for one, printed in zip(size, lengths, strict=True)]
        cells.append((*own, *tokens, Cell(found.chunks / measured.report.documents, paper=chunks)))
    columns = ("characters, mean", "p50", "p90", "tokens, mean", "tokens, p50", "tokens, p90", "chunks a document")
    note = f"A token is taken for {CHARACTERS_A_TOKEN:g} characters. The paper's pages are longer than most manuals'."
    name = f"Table 4: sizes of the chunks of {measured.name}"
    return PaperTable(name, tuple(names), columns, tuple(cells), note)


def _seconds(measured: Measured) -> PaperTable:
    """The first column of table 4, which another run measures otherwise."""
    documents = measured.report.documents
    rows = [(name, Cell(f.seconds / documents, paper=SIZES_PRINTED[m][0])) for m, name, f in measured.rows()]
    name = f"Table 4, seconds a document of {measured.name}"
    cells = tuple((cell,) for _, cell in rows)
    note = "Reading a page, and the extractor's vote on it, is in none."
    return PaperTable(name, tuple(name for name, _ in rows), ("seconds",), cells, note, of_run=True)


def _tokens(characters: float | None, printed: float) -> Cell:
    if characters is None:
        return Cell(paper=printed, missing="there is no chunk")
    return Cell(characters / CHARACTERS_A_TOKEN, paper=printed)
