"""Evaluates suggestions: hands a workspace's systems, as functions, to the evaluation, and its judge."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from autokb.core.document_names import DocumentNames
from autokb.core.domain import DomainSpec
from autokb.core.errors import BadInputError
from autokb.core.nouns import Evidence
from autokb.core.progress import Progress, silent
from autokb.heuristics.solutions.audience import audience_reader, conditional_label
from autokb.pipeline.embedding import check_embedder, encoder_name
from autokb.pipeline.model_choice import OFFLINE
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.open_index import OpenIndex
from autokb.pipeline.stages import Stages, open_stages, without_models
from autokb.plugins.lab.evaluation.experiment import ModelUsage
from autokb.plugins.lab.evaluation.suggestions.cases import Case, case_statistics, read_cases, resolve_case_documents
from autokb.plugins.lab.evaluation.suggestions.experiment import (
    Cited,
    Compare,
    Measures,
    Offers,
    SuggestionsReport,
    ask_systems,
    differences_to,
    measure_offers,
)
from autokb.plugins.lab.evaluation.suggestions.judging import STAGE as JUDGE_STAGE
from autokb.plugins.lab.evaluation.suggestions.judging import JudgedOffer, judge_replies, mechanical_verdict
from autokb.plugins.lab.evaluation.suggestions.sheet import (
    SheetFigures,
    check_sheet,
    read_suggestion_sheet,
    write_suggestion_sheet,
)
from autokb.plugins.lab.evaluation.suggestions.text_metrics import InverseFrequencies
from autokb.plugins.lab.evaluation.system_names import INCUMBENT, choose_suggestion_systems
from autokb.plugins.lab.studies.judged_sheets import FOLDER as SHEETS
from autokb.plugins.lab.studies.judged_sheets import is_judged_in_browser, make_folder_for
from autokb.plugins.lab.studies.run_report import budget_left, count_answers, model_usage
from autokb.plugins.lab.studies.suggestion_systems import STRATEGY_SYSTEMS, SuggestionSystems, check_models
from autokb.stores.chats import staged_conversations
from autokb.stores.published import read_published
from autokb.stores.ticket_tables import read_tickets
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.suggesting.beside import Beside
from autokb.tasks.judges.consistency.task import JudgeConsistency
from autokb.tasks.judges.reply_correctness.task import TASK as REPLY_CORRECTNESS
from autokb.tasks.judges.reply_correctness.task import JudgeReply
from autokb.text.conditional_markup import find_conditionals
from autokb.text.plain_text import plain_text

SIMILARITY = "semantic_similarity"  # by an encoder that is not the retriever's
NO_JUDGE = (
    "No model is set, so only what refusals settle is judged and there is no accuracy: name a model with --model, or "
    f"in settings.yaml as tasks: {{{REPLY_CORRECTNESS.name}: openai:NAME}}."
)
FORM = "/evaluation/suggestions"  # the page of the service
IN_BROWSER = (
    "People fill the sheet in with a spreadsheet; put it into {folder} with its key, and they judge it in a browser at "
    "{form} of the service."
)
SAME_ENCODER = (
    "{embedder} is the encoder that finds the suggestions, and would find its own choice alike; name another one with "
    "--similarity, or leave it out: tf-idf and ROUGE-L compare the words."
)


@dataclass(frozen=True, slots=True)
class SuggestionEvaluation:
    """What is to be evaluated: the cases, the systems (the usual two without any), and how.

    ``similarity`` names an embedder other than the workspace's own. ``sheet`` is written for people, ``read`` is one
    that they filled in; ``most`` bounds the cases on it, ``seed`` shuffles the sides.
    """

    cases: Path
    systems: tuple[str, ...] = ()
    baseline: str = ""
    judge: bool = False
    similarity: str = ""
    sheet: Path | None = None
    read: Path | None = None
    most: int | None = None
    seed: int = 0


# Complex: judge and similarity are wanted or not, and each needs stages of its own inside the first.
def evaluate_workspace_suggestions(
    opened: OpenIndex,
    beside: Sequence[Beside],
    wanted: SuggestionEvaluation,
    progress: Progress = silent,
    options: ModelOptions | None = None,
) -> SuggestionsReport:
    """Answer ``evaluate suggestions`` for a workspace, by what is known ``beside`` it too."""
    workspace = opened.by_language.workspace
    started = time.perf_counter()
    options = options or ModelOptions()
    names, baseline = _choose_systems(wanted, workspace)
    given = read_cases(wanted.cases)
    with workspace.file() as file, open_stages(workspace, file, progress, options) as stages:
        documents = read_published(file).kb.documents
        cases, unresolved = resolve_case_documents(given, DocumentNames(tuple(documents.values())).resolve)
        makes = SuggestionSystems(opened, beside, cases, staged_conversations(file), stages, options.budget)
        with makes.held:
            systems = {name: makes.system(name) for name in names}
            offers = ask_systems(systems, cases, count_answers(progress, len(cases)))
        if wanted.sheet is not None:
            write_suggestion_sheet(wanted.sheet, cases, offers, wanted.most, wanted.seed)
        judge = stages.model(REPLY_CORRECTNESS, JUDGE_STAGE) if wanted.judge else None
        texts = {document.id: document.text for document in documents.values()}
        places = _CitedTexts(texts, opened.index.spec, file)
        usage = ModelUsage(tuple(stages.log.failures), sum(makes.spent, stages.spending()))
        judged: dict[str, JudgedOffer] | None = None
        if wanted.judge:
            with open_stages(workspace, file, progress, budget_left(options, usage.spending)) as judging:
                judged = _judge(judging, cases, offers, places.as_read)
                usage = model_usage(judging, usage)
        compare: dict[str, Compare] = {}
        if wanted.similarity:
            other = replace(workspace, settings=replace(workspace.settings, embedder=wanted.similarity))
            with open_stages(without_models(other), file, progress, budget_left(options, usage.spending)) as comparing:
                if comparing.encoder.name == encoder_name(workspace.settings):
                    raise BadInputError(SAME_ENCODER.format(embedder=wanted.similarity))
                compare[SIMILARITY] = _compare_by(comparing, cases, offers)
                usage = model_usage(comparing, usage)
        language = opened.index.spec.language
        weights = InverseFrequencies((*texts.values(), *(case.reply for case in cases if case.reply)), language)
        measures = Measures(places.texts_of, weights, language, compare, places.as_read)
        figures = measure_offers(offers, cases, measures, judged)
        return SuggestionsReport(
            systems=figures,
            differences=differences_to(figures, baseline),
            cases={**case_statistics(cases, texts.values()).as_json(), "unresolved": unresolved},
            judge=judge,
            sheet=_read(wanted.read, cases, offers, judged),
            notes=(
                *(makes.notes if INCUMBENT in names else ()),
                *((NO_JUDGE,) if judge == OFFLINE else ()),
                *((_how_to_judge(workspace, wanted.sheet),) if wanted.sheet else ()),
            ),
            usage=usage,
            seconds=time.perf_counter() - started,
        )


def _choose_systems(wanted: SuggestionEvaluation, workspace: Workspace) -> tuple[list[str], str]:
    """Return the systems and the baseline, once nothing that is wanted speaks against asking them (BadInputError)."""
    names = choose_suggestion_systems(wanted.systems, tuple(STRATEGY_SYSTEMS))
    check_models(workspace, names)
    baseline = wanted.baseline or (INCUMBENT if INCUMBENT in names else names[0])
    if baseline not in names:
        raise BadInputError(f"The baseline {baseline!r} is not among the systems: {', '.join(names)}.")
    if wanted.similarity:
        check_embedder(wanted.similarity)
        if wanted.similarity == workspace.settings.embedder:
            raise BadInputError(SAME_ENCODER.format(embedder=wanted.similarity))
    if wanted.sheet is not None:
        check_sheet(wanted.sheet, names)
        make_folder_for(workspace, wanted.sheet)
    return names, baseline


def _how_to_judge(workspace: Workspace, sheet: Path) -> str:
    folder = shlex.quote(str(workspace.folder))
    if is_judged_in_browser(workspace, sheet):
        return f"People judge the sheet in a browser at {FORM}: autokb serve {folder}"
    return IN_BROWSER.format(folder=shlex.quote(str(workspace.folder / SHEETS)), form=FORM)


class _CitedTexts:
    """What stands at the places that suggestions cite, in documents and in tickets."""

    def __init__(self, texts: Mapping[str, str], spec: DomainSpec, file: WorkspaceFile) -> None:
        self._texts = texts
        self._reader = audience_reader(spec.attributes, spec.language)
        self._conditionals = lru_cache(maxsize=1_000)(find_conditionals)
        self._tickets = lru_cache(maxsize=1_000)(lambda ticket: read_tickets(file, [ticket]).get(ticket))

    def texts_of(self, place: Cited) -> Sequence[str]:
        """Return the text of the document, or of every section of the ticket that has the name."""
        if isinstance(place, Evidence):
            return [self._texts.get(place.document, "")]
        ticket = self._tickets(place.ticket)
        return [section.text for section in ticket.sections if section.section == place.section] if ticket else []

    def as_read(self, place: Cited) -> str:
        """Return the words that readers see at a place: a manual's ``{for win}`` is Windows, as in its steps."""
        labels: list[str] = []
        if isinstance(place, Evidence):
            around = self._conditionals(self._texts.get(place.document, ""))
            here = [c for c in around if c.start < place.end and c.end > place.start]
            labels = [conditional_label(conditional, self._reader) for conditional in here]
        return "\n".join((place.quote, plain_text(place.quote), *labels))


def _judge(
    stages: Stages, cases: Sequence[Case], offers: Offers, cited: Callable[[Cited], str]
) -> dict[str, JudgedOffer]:
    """Have the model judge the first suggestion of every case that refusals do not settle, and what it cites."""
    found = {}
    for system, of_case in offers.items():
        replies: dict[str, JudgeReply] = {}
        citing: dict[str, JudgeConsistency] = {}
        for case in cases:
            if case.id not in of_case or mechanical_verdict(case.refuses, of_case[case.id].refuses) != "not judged":
                continue
            first = of_case[case.id].suggestions[0]
            said = tuple((message.role, message.text) for message in case.messages)
            replies[case.id] = JudgeReply(said, case.reply or "\n".join(case.answers), first.text)
            if first.evidence:
                citing[case.id] = JudgeConsistency(first.text, tuple(cited(e) for e in first.evidence))
        found[system] = judge_replies(stages, replies, citing)
    return found


def _compare_by(stages: Stages, cases: Sequence[Case], offers: Offers) -> Compare:
    """Return the cosine of a suggestion and a reply by another encoder than the retriever's.

    A suggestion chosen by an encoder would look good to the same one.
    """
    shown = [one.text for of_case in offers.values() for o in of_case.values() for one in o.suggestions]
    texts = list(dict.fromkeys([*shown, *(case.reply for case in cases if case.reply)]))
    vectors = dict(zip(texts, stages.embed(texts), strict=True))
    return lambda one, other: float(vectors[one] @ vectors[other])


def _read(
    sheet: Path | None, cases: Sequence[Case], offers: Offers, judged: Mapping[str, JudgedOffer] | None
) -> SheetFigures | None:
    """Read the filled sheet, beside the judge where one was asked."""
    if sheet is None:
        return None
    verdicts = {
        system: {
            case.id: of_model.verdicts.get(case.id, mechanical_verdict(case.refuses, offers[system][case.id].refuses))
            for case in cases
            if case.id in offers[system]
        }
        for system, of_model in (judged or {}).items()
    }
    return read_suggestion_sheet(sheet, verdicts, offers)
