"""What the tables of the response prediction paper are made of: a workspace's cases, retrievers and suggestions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar

from autokb.core.domain import DomainSpec
from autokb.core.errors import BadInputError, NothingPublishedError
from autokb.core.files import write_file
from autokb.core.ids import digest
from autokb.core.spending import NOTHING_SPENT, Spending
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.open_index import open_index
from autokb.pipeline.stages import without_models
from autokb.plugins.lab.evaluation.retrieval.retrievers import RetrieverReport
from autokb.plugins.lab.evaluation.suggestions.cases import Case, CaseStatistics, read_cases
from autokb.plugins.lab.evaluation.suggestions.experiment import SuggestionsReport
from autokb.plugins.lab.evaluation.system_names import AUTOKB, GOLD, INCUMBENT
from autokb.plugins.lab.studies.draft_cases import CaseSource, draft_cases
from autokb.plugins.lab.studies.evaluate_retrievers import evaluate_workspace_retrievers, everyday_off_topic
from autokb.plugins.lab.studies.evaluate_suggestions import SuggestionEvaluation, evaluate_workspace_suggestions
from autokb.plugins.lab.studies.judged_sheets import judged_means
from autokb.plugins.lab.studies.papers import PaperRun
from autokb.plugins.lab.studies.run_report import budget_left
from autokb.stores.published import NOTHING_PUBLISHED, published_spec, read_published
from autokb.stores.workspace import Workspace
from autokb.suggesting.beside import open_beside

MOST_CASES = 100  # of a workspace that the systems are asked; with a model each takes some fifteen requests
OFFLINE_SYSTEMS = (AUTOKB, INCUMBENT, "plain@3")
MODEL_SYSTEMS = (
    *(AUTOKB, INCUMBENT, "plain@1", "plain@3", "react@1", "react@3"),
    *("chain_of_verification@3", "chain_of_thought@3"),
    *(strategy + GOLD for strategy in ("plain", "chain_of_verification", "chain_of_thought")),
)
T = TypeVar("T")


@dataclass(frozen=True)
class Tried(Generic[T]):
    """What was found, or why it could not be."""

    found: T | None = None
    why_not: str = ""


@dataclass(frozen=True)
class DraftedFile:
    """Cases that were drafted, and where they lie."""

    path: Path
    cases: tuple[Case, ...]
    statistics: CaseStatistics


@dataclass(frozen=True)
class Subject:
    """A workspace in the place of the paper's company; ``cases`` are of its chats, else of its documents.

    ``by_people`` is what its judged sheets say of the two systems: by system, figure and case.
    """

    name: str
    spec: DomainSpec
    documents: tuple[str, ...]
    past_issues: tuple[str, ...]
    off_topic: tuple[str, ...]
    from_documents: Tried[DraftedFile]
    from_chats: Tried[DraftedFile]
    retrievers: Tried[RetrieverReport]
    suggestions: Tried[SuggestionsReport]
    by_people: Tried[Mapping[str, Mapping[str, Mapping[str, float]]]]

    @property
    def cases(self) -> Tried[DraftedFile]:
        """What the systems are asked."""
        return _cases(self.from_chats, self.from_documents)


def measure_subjects(run: PaperRun) -> Iterator[Subject]:
    """Measure every workspace; all that is asked of models has one budget.

    Without a judge no model is asked at all, whatever the settings name.
    """
    options, spent = ModelOptions(run.budget), NOTHING_SPENT
    for given in run.workspaces:
        workspace = given if run.has_judge else without_models(given)
        with workspace.file() as file:
            published = read_published(file)
            if not published.kb.documents:
                raise NothingPublishedError(NOTHING_PUBLISHED.format(folder=workspace.folder))
            spec = published_spec(workspace, published)
        with TemporaryDirectory() as folder:
            of_documents, of_chats = (_draft(workspace, Path(folder), source) for source in ("documents", "chats"))
            left = budget_left(options, spent)
            retrievers = _try(partial(evaluate_workspace_retrievers, workspace, progress=run.progress, options=left))
            spent = spent + _spent(retrievers)
            suggestions = _suggest(workspace, _cases(of_chats, of_documents), run, budget_left(options, spent))
            spent = spent + _spent(suggestions)
        yield Subject(
            name=spec.name,
            spec=spec,
            documents=tuple(document.text for document in published.kb.documents.values()),
            past_issues=tuple(issue.full_text for issue in published.raw_issues.values()),
            off_topic=everyday_off_topic(published, spec),
            from_documents=of_documents,
            from_chats=of_chats,
            retrievers=retrievers,
            suggestions=suggestions,
            by_people=_try(partial(judged_means, workspace, (AUTOKB, INCUMBENT))),
        )


def _try(measure: Callable[[], T]) -> Tried[T]:
    try:
        return Tried(measure())
    except BadInputError as error:
        return Tried(why_not=str(error))


def _cases(of_chats: Tried[DraftedFile], of_documents: Tried[DraftedFile]) -> Tried[DraftedFile]:
    return of_chats if of_chats.found is not None else of_documents


def _draft(workspace: Workspace, folder: Path, source: CaseSource) -> Tried[DraftedFile]:
    """Draft cases without a model: a model would read every section, and the tables would cost as much as a build."""

    def draft() -> DraftedFile:
        target = folder / f"{source}.jsonl"
        drafted = draft_cases(without_models(workspace), target, source)
        return DraftedFile(target, read_cases(target), drafted.statistics)

    return _try(draft)


def _spent(tried: Tried[RetrieverReport] | Tried[SuggestionsReport]) -> Spending:
    return tried.found.usage.spending if tried.found is not None else NOTHING_SPENT


def _suggest(
    workspace: Workspace, cases: Tried[DraftedFile], run: PaperRun, options: ModelOptions
) -> Tried[SuggestionsReport]:
    """Ask the systems an even sample of the cases, the same each time."""
    if (drafted := cases.found) is None:
        return Tried(why_not=cases.why_not)
    lines = drafted.path.read_text(encoding="utf-8").split("\n")[:-1]
    sampled = set(sorted(lines, key=digest)[:MOST_CASES])
    path = drafted.path.with_name("asked.jsonl")
    write_file(path, "".join(f"{line}\n" for line in lines if line in sampled))
    wanted = SuggestionEvaluation(
        path, systems=MODEL_SYSTEMS if run.has_judge else OFFLINE_SYSTEMS, judge=run.has_judge
    )
    with ExitStack() as held:
        opened = open_index(workspace)
        held.callback(opened.close)
        beside = tuple(open_beside(without_models(workspace)).values())
        for one in beside:
            held.callback(one.close)
        return Tried(evaluate_workspace_suggestions(opened, beside, wanted, run.progress, options))
