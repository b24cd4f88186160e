"""The tables of the AutoChunker paper, measured on the documents that workspaces were made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError
from autokb.pipeline.model_session import ModelOptions
from autokb.plugins.lab.evaluation.chunking.results import DEPTHS, WITH_CONTEXT, ChunkingReport, MethodReport
from autokb.plugins.lab.evaluation.report import UNMEASURED, Cell, Table
from autokb.plugins.lab.studies.evaluate_chunking import ChunkEvaluation, evaluate_chunking
from autokb.plugins.lab.studies.papers import NOT_JUDGED, PaperRun, PaperTables
from autokb.stores.staged import staged_sources
from autokb.stores.workspace import Workspace
from autokb.tasks.judges.task_relevance.task import SUPPORT as SUPPORT_TASK

# Our methods under the names of the paper's rows: name and input.
METHODS = {
    "recursive_text": "Recursive, Text",
    "recursive_html": "Recursive, HTML",
    "recursive_markdown": "Recursive, Markdown",
    "semantic": "Embedding, Markdown",
    "llm_semantic": "LLMSemantic, Markdown",
    "lumber_chunker": "LumberChunker, Markdown",
    "auto_chunker": "AutoChunker, Markdown",
}
CONTEXT_AWARE = "auto_chunker" + WITH_CONTEXT
PAPER = PaperTables("autochunker")
# Of the methods as they are built here; a recursive one by the kind of a document cuts HTML and Markdown at headings.
FEATURES_HERE = {"LGMGC": (None,) * 6, "AutoChunker": ("yes", "yes", "no", "yes", "yes", "yes")}
NOT_BUILT = "not built here: it needs a model's own logits, which no provider of chat models gives"
TENETS = ("noise", "completeness", "context_switch", "task_relevance")
PLACES = ("recall", "precision", "iou")  # of the text that a question needs, character by character
SUPPORT, WIKIPEDIA = "Support", "Wikipedia"  # the paper's domains
ENCYCLOPEDIA = "Question answering: readers ask about what the articles of an encyclopedia tell."
NO_CHUNK = "there is no chunk"
CHARACTERS_A_TOKEN = 4.0  # of English prose; the usual rule of thumb, since the paper does not name its tokenizer
BY_MODEL = ("llm_semantic", "lumber_chunker", "auto_chunker")  # without one rules stand in for what it would decide
STAND_IN = "Without --judge rules stand in for the model of LLMSemantic, LumberChunker and AutoChunker."
JUDGE_ASKS = "A judge says how relevant each chunk is, and makes the questions where none are given."
NO_PLACES = (
    "no question with the places of its answer: name them with --cases FILE, a line such as "
    '{"question": "...", "document": "guide.md", "references": [{"start": 10, "end": 95}]}'
)
OF_PLACES = (
    "Characters of the marked places of {asked} questions. Longer chunks bring more of everything: read recall beside "
    "the sizes of table 4."
)
GONE = "The files that the documents of {name} were read from are not there any more; add them again."


def tables(run: PaperRun) -> Iterator[Table]:
    """Give the paper's tables in its order."""
    here = {**PAPER.printed("features"), **FEATURES_HERE}
    yield PAPER.table("features", {method: [Cell.known(one, NOT_BUILT) for one in of] for method, of in here.items()})
    for workspace in run.workspaces:
        yield from Measured(workspace.spec.name, _report(workspace, run), run.has_judge).tables()


@dataclass(frozen=True)
class Measured:
    """A workspace as one of the paper's domains, and what was found of its documents; ``judged`` by a model."""

    name: str
    report: ChunkingReport
    judged: bool

    def tables(self) -> Iterator[Table]:
        """Give what is measured of every method; without a judge what can be counted stands for what is judged."""
        yield from self._quality()
        yield from self._retrieval()
        yield from self._sizes()

    def _quality(self) -> Iterator[Table]:
        rows = self._shares(METHODS, attrgetter("tenets"), TENETS, NOT_JUDGED)
        domain, notes = domain_of(self.name), [] if self.judged else [STAND_IN]
        yield PAPER.table("tenets", rows, self._printed("tenets"), name=self.name, domain=domain, notes=notes)
        of_methods = (one.mechanical.shares for one in self.report.methods.values())
        counted = list(dict.fromkeys(chain.from_iterable(of_methods)))
        rows = self._shares(METHODS, attrgetter("mechanical.shares"), counted, UNMEASURED)
        yield PAPER.table("counted", rows, columns=map(_per_cent, counted), name=self.name)

    def _retrieval(self) -> Iterator[Table]:
        rows = self._shares(PAPER.printed("precision"), attrgetter("tenets"), [f"wp@{k}" for k in DEPTHS], NOT_JUDGED)
        domain, notes = domain_of(self.name), [] if self.judged else [JUDGE_ASKS]
        yield PAPER.table("precision", rows, self._printed("precision"), name=self.name, domain=domain, notes=notes)
        places = [f"{figure}@{k}" for figure in PLACES for k in DEPTHS]
        asked = max((share.n for one in self.report.methods.values() for share in one.retrieval.values()), default=0)
        rows = self._shares((*METHODS, CONTEXT_AWARE), attrgetter("retrieval"), places, NO_PLACES)
        notes = [OF_PLACES.format(asked=asked)] if asked else []
        yield PAPER.table("places", rows, columns=map(_per_cent, places), name=self.name, notes=notes)

    def _sizes(self) -> Iterator[Table]:
        methods = {self.row(method): self.report.methods[method] for method in METHODS}
        printed = {self.row(method): of for method, of in PAPER.printed("sizes").items()}
        rows = {row: self._lengths(of) for row, of in methods.items()}
        lengths = {row: (None, None, None, *of[1:]) for row, of in printed.items()}
        yield PAPER.table("sizes", rows, lengths, name=self.name, characters=CHARACTERS_A_TOKEN)
        rows = {row: [Cell(of.seconds / self.report.documents)] for row, of in methods.items()}
        yield PAPER.table("seconds", rows, {row: of[:1] for row, of in printed.items()}, name=self.name)

    def row(self, method: str) -> str:
        """Return the name of a method's row, which says where rules stand in for a model."""
        name = method.removesuffix(WITH_CONTEXT)
        by_rules = " (by rules)" if name in BY_MODEL and not self.judged else ""
        return f"{METHODS[name]}{by_rules}{' + context-aware retrieval' if method == CONTEXT_AWARE else ''}"

    def _printed(self, table: str) -> dict[str, Sequence[float]]:
        domain = domain_of(self.name)
        return {self.row(method): of_domains[domain] for method, of_domains in PAPER.printed(table).items()}

    def _shares(
        self,
        methods: Iterable[str],
        part: Callable[[MethodReport], Mapping[str, Any]],
        figures: Sequence[str],
        missing: str,
    ) -> dict[str, list[Cell]]:
        """Return the rows of ``figures`` in a part of each method's report, per cent."""
        rows = {}
        for method in methods:
            found = part(self.report.methods[method.removesuffix(WITH_CONTEXT)])
            suffix = WITH_CONTEXT if method == CONTEXT_AWARE else ""
            shares = [found.get(f"{figure}{suffix}") for figure in figures]
            rows[self.row(method)] = [
                Cell.of(one.interval if one else missing, percent=True, missing=missing) for one in shares
            ]
        return rows

    def _lengths(self, found: MethodReport) -> list[Cell]:
        """Return lengths in characters and in tokens."""
        size = (found.size.mean, found.size.p50, found.size.p90)
        tokens = (None if one is None else one / CHARACTERS_A_TOKEN for one in size)
        return [*(Cell.known(one, NO_CHUNK) for one in (*size, *tokens)), Cell(found.chunks / self.report.documents)]


def _per_cent(figure: str) -> str:
    return f"{figure.replace('_', ' ')} %"


def domain_of(name: str) -> str:
    """Return the paper's domain for that of a workspace, which says that it is Wikipedia by its name."""
    return WIKIPEDIA if WIKIPEDIA.casefold() in name.casefold() else SUPPORT


def _report(workspace: Workspace, run: PaperRun) -> ChunkingReport:
    judge = run.judge if run.has_judge else ""
    settings = workspace.folder / "settings.yaml"
    wanted = ChunkEvaluation(
        methods=tuple(METHODS),
        model=judge,
        judge=judge,
        questions=run.cases,
        others=True,  # one file serves all workspaces
        task=SUPPORT_TASK if domain_of(workspace.spec.name) == SUPPORT else ENCYCLOPEDIA,
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
