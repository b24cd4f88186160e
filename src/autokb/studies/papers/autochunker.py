"""The tables of the AutoChunker paper, measured on the documents that workspaces were made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.evaluation.chunking.judges import WITH_CONTEXT
from autokb.evaluation.chunking.results import ChunkingReport, MethodReport
from autokb.evaluation.papers.tables import NOT_JUDGED, Cell, PaperTable, Printed
from autokb.pipeline.model_session import ModelOptions
from autokb.stores.staged import staged_sources
from autokb.stores.workspace import Workspace
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
FEATURES_HERE = FEATURES_PRINTED | {"LGMGC": ()}
TENETS = ("noise", "completeness", "context_switch", "task_relevance")
TENETS_PRINTED = {  # table 2, per cent: support pages, then Wikipedia's
    "recursive_text": ((27.56, 15.36, 23.60, 84.38), (29.83, 18.45, 25.12, 82.54)),
    "recursive_html": ((25.59, 55.75, 2.96, 45.16), (26.91, 53.62, 3.15, 47.23)),
    "recursive_markdown": ((26.46, 27.34, 24.34, 82.32), (28.13, 25.67, 26.45, 80.91)),
    "semantic": ((35.86, 9.41, 59.41, 57.92), (37.42, 8.92, 61.23, 55.84)),
    "llm_semantic": ((24.00, 71.21, 6.81, 76.89), (25.34, 69.87, 7.12, 75.32)),
    "lumber_chunker": ((36.05, 1.25, 54.64, 63.16), (38.21, 2.14, 56.78, 61.45)),
    "auto_chunker": ((1.12, 93.03, 1.66, 94.76), (2.31, 91.24, 2.05, 92.87)),
}
KS = (1, 3, 5)
PRECISION_PRINTED = {  # table 3, weighted precision at K: support pages
    "recursive_text": (60.75, 51.25, 39.15),
    "semantic": (16.75, 14.25, 13.65),
    "llm_semantic": (69.12, 56.23, 49.41),
    "auto_chunker": (75.42, 63.42, 56.84),
}
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
BY_MODEL = ("llm_semantic", "lumber_chunker")  # without a model rules stand in for what it would decide
STAND_IN = "Without --judge rules stand in for the model of LLMSemantic, LumberChunker and AutoChunker."
SAME_INPUT = (
    "The inputs differ where a document was a web page; one that was Markdown is cut alike as text and as HTML. "
    "What is left out is what AutoChunker drops as noise."
)
GONE = "The files that the documents of {name} were read from are not there any more; add them again."


def tables(run: PaperRun) -> Iterator[PaperTable]:
    """Give the paper's tables in its order."""
    yield _features()
    reports = {workspace.spec.name: _report(workspace, run) for workspace in run.workspaces}
    for name, report in reports.items():
        yield _tenets(name, report, run)
        yield _counted(name, report)
        yield _precision(name, report, run)
        yield _sizes(name, report, run)
        yield _seconds(name, report)


def _report(workspace: Workspace, run: PaperRun) -> ChunkingReport:
    with workspace.file() as file:
        places = [Path(p.root, p.relative) for p, _ in staged_sources(file) if p.kind == "documents" and p.root]
    files = [place for place in places if place.exists()]
    if not files:
        raise BadInputError(GONE.format(name=workspace.folder))
    judge = run.judge if run.has_judge else ""
    settings = workspace.folder / "settings.yaml"
    wanted = ChunkEvaluation(
        methods=tuple(METHODS),
        model=judge,
        judge=judge,
        ledger=workspace.folder / "chunking.db" if judge else None,
        settings=settings if judge and settings.exists() else None,
    )
    return evaluate_chunking(files, wanted, run.progress, ModelOptions(run.budget))


def _features() -> PaperTable:
    """Table 1."""
    not_built = Cell(missing="not built here: it needs a model's own logits, which no provider of chat models gives")
    cells = []
    for method, printed in FEATURES_PRINTED.items():
        here: Sequence[Printed] = FEATURES_HERE[method]
        ours = [Cell(value, paper=theirs) for value, theirs in zip(here, printed, strict=True)] if here else []
        cells.append(tuple(ours or (Cell(paper=one, missing=not_built.missing) for one in printed)))
    return PaperTable("Table 1: what the methods can do", tuple(FEATURES_PRINTED), FEATURES, tuple(cells))


def _rows(report: ChunkingReport) -> Iterator[tuple[str, str, MethodReport]]:
    for method, (name, given) in METHODS.items():
        yield method, f"{name}, {given}", report.methods[method]


def _tenets(workspace: str, report: ChunkingReport, run: PaperRun) -> PaperTable:
    """Table 2 beside the paper's support pages, in per cent of the chunks."""
    names, cells = [], []
    for method, name, found in _rows(report):
        names.append(name)
        printed = TENETS_PRINTED[method][0]
        cells.append(tuple(_judged(found.tenets, tenet, theirs) for tenet, theirs in zip(TENETS, printed, strict=True)))
    columns = ("noise % (lower)", "complete %", "context switch % (lower)", "task relevance %")
    note = "" if run.has_judge else STAND_IN
    return PaperTable(f"Table 2: quality of the chunks of {workspace}", tuple(names), columns, tuple(cells), note)


def _judged(tenets: Mapping[str, object], tenet: str, printed: float) -> Cell:
    found = tenets.get(tenet)
    interval = getattr(found, "interval", None)
    if interval is None or interval.value is None:
        return Cell(paper=printed, missing=NOT_JUDGED)
    return Cell.of(interval, printed, percent=True)


def _counted(workspace: str, report: ChunkingReport) -> PaperTable:
    """What can be counted of the same chunks without a judge."""
    measures = list(dict.fromkeys(m for _, _, found in _rows(report) for m in found.mechanical.shares))
    names, cells = [], []
    for _, name, found in _rows(report):
        names.append(name)
        shares = (found.mechanical.shares.get(measure) for measure in measures)
        nothing = Cell(missing="there is nothing to measure")
        cells.append(tuple(Cell.of(one.interval, percent=True) if one else nothing for one in shares))
    columns = tuple(f"{measure.replace('_', ' ')} %" for measure in measures)
    name = f"Table 2, counted without a judge: {workspace}"
    return PaperTable(name, tuple(names), columns, tuple(cells), SAME_INPUT)


def _precision(workspace: str, report: ChunkingReport, run: PaperRun) -> PaperTable:
    """Table 3 beside the paper's support pages."""
    names, cells = [], []
    for method, name, found in _rows(report):
        if method in PRECISION_PRINTED:
            names.append(name)
            printed = PRECISION_PRINTED[method]
            cells.append(tuple(_judged(found.tenets, f"wp@{k}", one) for k, one in zip(KS, printed, strict=True)))
    names.append("AutoChunker with its context, Markdown")
    expanded = report.methods["auto_chunker"].tenets
    for_context = zip(KS, (75.42, 68.74, 63.22), strict=True)
    cells.append(tuple(_judged(expanded, f"wp@{k}{WITH_CONTEXT}", one) for k, one in for_context))
    columns = tuple(f"WP@{k}" for k in KS)
    note = "" if run.has_judge else "A judge makes the questions and says how relevant each chunk is."
    return PaperTable(f"Table 3: weighted precision on {workspace}", tuple(names), columns, tuple(cells), note)


def _sizes(workspace: str, report: ChunkingReport, run: PaperRun) -> PaperTable:
    """Table 4, lengths in characters and in tokens."""
    names, cells = [], []
    for method, name, found in _rows(report):
        stands_in = method in (*BY_MODEL, "auto_chunker") and not run.has_judge
        names.append(f"{name} (by rules)" if stands_in else name)
        _, *lengths, chunks = SIZES_PRINTED[method]
        size = (found.size.mean, found.size.p50, found.size.p90)
        own = [Cell(one, missing=None if one is not None else "there is no chunk") for one in size]
        tokens = [_tokens(one, printed) for one, printed in zip(size, lengths, strict=True)]
        cells.append((*own, *tokens, Cell(found.chunks / report.documents, paper=chunks)))
    columns = ("characters, mean", "p50", "p90", "tokens, mean", "tokens, p50", "tokens, p90", "chunks a document")
    note = f"A token is taken for {CHARACTERS_A_TOKEN:g} characters. The paper's pages are longer than most manuals'."
    return PaperTable(f"Table 4: sizes of the chunks of {workspace}", tuple(names), columns, tuple(cells), note)


def _seconds(workspace: str, report: ChunkingReport) -> PaperTable:
    """The first column of table 4, which another run measures otherwise."""
    found = list(_rows(report))
    cells = tuple((Cell(one.seconds / report.documents, paper=SIZES_PRINTED[method][0]),) for method, _, one in found)
    name = f"Table 4, seconds a document of {workspace}"
    return PaperTable(name, tuple(name for _, name, _ in found), ("seconds",), cells, of_run=True)


def _tokens(characters: float | None, printed: float) -> Cell:
    if characters is None:
        return Cell(paper=printed, missing="there is no chunk")
    return Cell(characters / CHARACTERS_A_TOKEN, paper=printed)
