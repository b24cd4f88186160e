"""What a build will ask and cost, and what was spent."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autokb.core.nouns import Document, RawIssue
from autokb.core.plugins import built_in, of_ours
from autokb.core.progress import Progress, silent
from autokb.core.results import Result
from autokb.core.spending import NOTHING_SPENT, Figures, Spending, Tokens
from autokb.heuristics.document_audience import with_audiences
from autokb.llm.embedders import Embedder
from autokb.llm.prices import Prices
from autokb.notebook.html import html
from autokb.pipeline.build import GROWN_BY
from autokb.pipeline.cost_estimate import NO_FIGURES, CountingEncoder, CountingRunner, Estimate
from autokb.pipeline.dry_run import DryRun, ExpectedReplies
from autokb.pipeline.embedding import PACKAGED, Encoder, FreeEncoder, open_free_embedder, read_embedder_name
from autokb.pipeline.model_choice import check_settings, model_of, named_models
from autokb.pipeline.model_session import PACE, read_ratios
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.contexts import chunk_with_contexts
from autokb.pipeline.steps.passages import find_passages
from autokb.retrieval.corpus import Corpus
from autokb.stores.database import damaged_rows
from autokb.stores.ledger_table import LedgerTable, in_flight, spending
from autokb.stores.published import read_published
from autokb.stores.staged import staged_documents, staged_raw_issues
from autokb.stores.workspace import MODES, Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE

# Both in the time that this machine needs to encode one text: what builds took of it, measured on headphones, medical,
# cashbook, espresso (no issues) and Thunderbird with 840 issues, first builds and builds of what was built already.
# For each new text of a window, title or issue; in it are nodes, solutions and all that is no encoding.
TEXT_TIMES = 1.9
ITEM_TIMES = 0.2  # for each document and issue, new or not
SAMPLE = 32  # texts that are encoded to measure the time of one
ITEM_SECONDS = 0.003  # the same where no text is encoded here: measured on two cores
START_SECONDS = 0.25  # of opening everything


@dataclass(frozen=True, slots=True)
class Costs(Spending):
    """What was spent in a workspace's life, by stage and by task.

    ``in_flight`` is no part of it: what was under way when a process was killed, at the most that it can have cost.
    """

    stages: Mapping[str, Spending] = field(default_factory=dict)
    tasks: Mapping[str, Spending] = field(default_factory=dict)
    in_flight: Figures = field(default_factory=lambda: Figures(0, Tokens(0, 0), 0.0))

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape, and what was in flight where there is any."""
        shape = Result.as_json(self)
        if not self.in_flight.calls:
            del shape["in_flight"]
        return shape


@dataclass(frozen=True, slots=True)
class BatchPlan(Result):
    """What the same requests cost through a provider's batch interface."""

    cost: float | None


@dataclass(frozen=True, slots=True)
class Plan(Figures):
    """What a build is still to pay for in the mode set, and what either mode would take.

    ``seconds`` is None where nothing is known of them, ``paid`` what the workspace has paid already. ``documents``,
    ``issues`` and ``tickets`` are those that were added.
    """

    seconds: float | None
    documents: int
    issues: int
    mode: str
    stages: Mapping[str, Figures]
    modes: Mapping[str, Figures]
    batch: BatchPlan
    paid: Figures
    tickets: int = 0

    def _repr_html_(self) -> str:
        asked = [(name, one) for name, one in self.stages.items() if one.calls]
        return html("plan", plan=self, stages=asked, modes=self.modes if asked else {})


def estimate_build_seconds(workspace: Workspace, file: WorkspaceFile, progress: Progress = silent) -> float | None:
    """Return the seconds of a build without waiting for models; None where there is nothing to build.

    Nothing is kept: the documents that are new or changed are chunked on a copy, and a few texts are encoded there.
    Texts whose vectors are stored, as those of a build that was killed, count as done.
    """
    documents, raw = with_audiences(staged_documents(file), workspace.spec), staged_raw_issues(file)
    items = len(documents) + len(raw)
    embedder = read_embedder_name(workspace.settings.embedder)
    if not items:
        return None
    if embedder.is_paid:  # its requests are counted and waited for as a model's are
        return START_SECONDS + ITEM_SECONDS * items
    encoder = open_free_embedder(embedder)
    with tempfile.TemporaryDirectory(prefix="autokb-plan-") as folder:
        copy = workspace.copied_to(Path(folder))
        file.copy_to(copy.knowledge_path)
        with closing(copy.open_file()) as own:  # a damaged copy is a damaged workspace
            stages = Stages(own, FreeEncoder(encoder, own), progress=progress)
            missing = _texts_to_encode(stages, workspace, encoder, documents, raw)
    known = [d.title or d.id for d in documents] + [r.full_text for r in raw]
    pace = _seconds_a_text(encoder, missing or known)
    return START_SECONDS + pace * (TEXT_TIMES * len(missing) + ITEM_TIMES * items)


def _texts_to_encode(
    stages: Stages, workspace: Workspace, encoder: Embedder, documents: Sequence[Document], raw: Sequence[RawIssue]
) -> list[str]:
    """Return the texts of new and changed documents and issues whose vectors are not stored."""
    published = read_published(stages.file)
    changed = [d for d in documents if published.kb.documents.get(d.id) != d]
    chunks = chunk_with_contexts(stages, workspace, changed)
    corpus = Corpus.of({d.id: d for d in changed}, chunks, workspace.spec.language)
    new = [r.full_text for r in raw if published.raw_issues.get(r.id) != r]
    passages, _ = find_passages(stages.file, corpus.documents, chunks, workspace.spec)
    texts = list(dict.fromkeys((*corpus.texts_to_read(passages), *corpus.titles(), *new)))
    _, missing = stages.file.vectors(encoder.name, texts, encoder.dimensions)
    return [texts[n] for n in missing]


def _seconds_a_text(encoder: Embedder, texts: Sequence[str]) -> float:
    """Encode some of the texts, from everywhere among them, once the encoder is awake."""
    sample = list(texts[:: max(len(texts) // SAMPLE, 1)])[:SAMPLE]
    encoder.embed(sample[:1])
    started = time.perf_counter()
    encoder.embed(sample)
    return (time.perf_counter() - started) / len(sample)


SECONDS_A_CALL = 5.0  # of one request before anything is known of a model's pace
STAGES = (
    "chunks",
    "context",
    "embeddings",
    "attributes",
    "themes",
    "assign",
    "seeds",
    "trees",
    "merge",
    "solutions",
    "solution_attributes",
    "rules",
    "fit",
)


# Complex: each figure may be unknown offline or before anything is added, and None says so.
def plan(workspace: Workspace, progress: Progress = silent) -> Plan:
    """Return calls, tokens, money and seconds per stage that a build is still to pay for; offline all are 0.

    The whole build is rehearsed on a copy: the same requests are made and counted instead of sent, and the answers that
    are expected to them stand in for a model's. What plug-ins build by themselves is counted too, each in a stage of
    its own, such as the sections of past tickets, which ``autokb tickets build`` asks about. Seconds are None where
    there is nothing to build; those of plug-ins are the waiting for models alone.
    """
    settings = workspace.settings
    check_settings(settings)
    asks = bool(named_models(settings)) or read_embedder_name(settings.embedder).is_paid
    with workspace.file() as file:
        documents, issues, tickets = (len(file.staged(kind)) for kind in ("documents", "issues", "tickets"))
        pace = _noted_seconds(file, PACE)
        modes = _estimates(workspace, file, progress) if asks else {mode: _nothing(workspace, file) for mode in MODES}
        seconds = estimate_build_seconds(workspace, file, progress)
    chosen = modes[workspace.mode]
    total = chosen.total().rounded()
    if total.calls:
        seconds = (seconds or 0.0) + total.calls * (pace or SECONDS_A_CALL / settings.concurrency)
    spent = costs(workspace)
    return Plan(
        total.calls,
        total.tokens,
        total.cost,
        seconds=None if seconds is None else round(seconds, 1),
        documents=documents,
        issues=issues,
        tickets=tickets,
        mode=workspace.mode,
        stages={name: chosen.stages.get(name, NO_FIGURES).rounded() for name in (*STAGES, *built_in("planned"))},
        modes={mode: estimate.total().rounded() for mode, estimate in modes.items()},
        batch=BatchPlan(None if chosen.batch_cost is None else round(chosen.batch_cost, 6)),
        paid=Figures(spent.calls, spent.tokens, spent.cost),
    )


def _noted_seconds(file: WorkspaceFile, key: str) -> float | None:
    with damaged_rows("meta"):
        return None if (noted := file.meta(key)) is None else float(noted)


def _nothing(workspace: Workspace, file: WorkspaceFile) -> Estimate:
    return Estimate(Prices(workspace.settings.prices, workspace.settings.base_url), read_ratios(file))


def _estimates(workspace: Workspace, file: WorkspaceFile, progress: Progress) -> dict[str, Estimate]:
    """Return what each mode would ask, worked out on a copy; free vectors are kept for the build."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="autokb-plan-") as folder:
        for mode in MODES:
            copy = replace(workspace.copied_to(Path(folder)), mode=mode)
            file.copy_to(copy.knowledge_path)
            estimate = found[mode] = _nothing(workspace, file)
            with closing(WorkspaceFile(copy.knowledge_path)) as own:  # a damaged copy is a damaged workspace
                expected = ExpectedReplies()
                stages = counting_stages(copy, own, file, estimate, expected, progress)
                DryRun(copy, own, stages, expected=expected).run(publish=False)
                encoder = _encoder_beside(copy, own, estimate)
                for stage in built_in("planned"):
                    counting = counting_stages(copy, own, file, estimate, expected, progress, encoder=encoder)
                    of_ours("planned", stage)(copy, own, counting).count()
    return found


def counting_stages(
    workspace: Workspace,
    copy: WorkspaceFile,
    file: WorkspaceFile,
    estimate: Estimate,
    expected: ExpectedReplies,
    progress: Progress = silent,
    encoder: Encoder | None = None,
) -> Stages:
    """Return stages on a copy of a file that count what models would be asked, who answer as expected.

    Vectors that cost nothing are kept in the file itself too, unless another ``encoder`` is given.
    """
    settings, mode = workspace.settings, workspace.mode
    ledger = LedgerTable(copy)
    runners = {
        name: CountingRunner(settings, mode, ledger, estimate, name, expected.answer) for name in named_models(settings)
    }
    return Stages(
        copy,
        encoder or _encoder(workspace, copy, file, estimate),
        runners,
        lambda task, stage: model_of(settings, mode, task, stage),
        progress=progress,
    )


def _encoder(workspace: Workspace, copy: WorkspaceFile, file: WorkspaceFile, estimate: Estimate) -> Encoder:
    """Return what gives texts their vectors: in the place of a paid embedder's first ones those of the packaged one."""
    settings = workspace.settings
    embedder = read_embedder_name(settings.embedder)
    free = FreeEncoder(open_free_embedder(read_embedder_name(PACKAGED) if embedder.is_paid else embedder), copy, file)
    if not embedder.is_paid:
        return free
    is_first = copy.meta(GROWN_BY) != model_of(settings, workspace.mode, GROW_TREE.name, "trees")
    return CountingEncoder(settings.embedder, embedder.price_key, copy, estimate, free if is_first else None)


def _encoder_beside(workspace: Workspace, copy: WorkspaceFile, estimate: Estimate) -> Encoder:
    """Return what counts the vectors of builds beside this one, where they are paid for; they decide no request."""
    embedder = read_embedder_name(workspace.settings.embedder)
    if not embedder.is_paid:
        return FreeEncoder(open_free_embedder(embedder), copy)
    return CountingEncoder(workspace.settings.embedder, embedder.price_key, copy, estimate)


def costs(workspace: Workspace) -> Costs:
    """Return what was spent in the workspace's life by stage and task; an unknown price makes a cost None, never 0."""
    total = NOTHING_SPENT
    stages: dict[str, Spending] = {}
    tasks: dict[str, Spending] = {}
    with workspace.file() as file:
        calls, read, wrote, most = in_flight(file)
        lost = Figures(calls, Tokens(read, wrote), most)
        asked = [
            (stage, task, Spending(n, 0, Tokens(read, wrote, hidden), cost))
            for stage, task, n, read, wrote, cost, hidden in spending(file)
        ]
        cached = [
            (stage, task, Spending(n, taken, Tokens(read, wrote), cost))
            for stage, task, n, taken, read, wrote, cost in file.spent()
        ]
        for stage, task, row in [*asked, *cached]:
            total = total + row
            stages[stage] = stages.get(stage, NOTHING_SPENT) + row
            tasks[task] = tasks.get(task, NOTHING_SPENT) + row
    return Costs(
        **total.by_name(),
        stages=dict(sorted(stages.items())),
        tasks=dict(sorted(tasks.items())),
        in_flight=lost,
    )
