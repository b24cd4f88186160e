"""A trial: a sample of a workspace built offline and by a model, both asked the workspace's own past questions.

All of it lies in a folder of its own: two workspaces, what was answered, and the sheet. The workspace is only read.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from autokb.answering.answer import Answer
from autokb.answering.chosen import Choosing
from autokb.core.errors import BadInputError, NothingPublishedError, StageFailedError, StoppedOnPurposeError
from autokb.core.files import replace_private
from autokb.core.ids import canonical_json, digest, short_id
from autokb.core.in_use import folded
from autokb.core.nouns import Document, RawIssue
from autokb.core.progress import Progress, silent
from autokb.core.results import Result
from autokb.core.spending import NOTHING_SPENT, Figures, Spending
from autokb.pipeline.build import build
from autokb.pipeline.build_report import BuildReport
from autokb.pipeline.model_choice import OFFLINE, check_settings
from autokb.pipeline.model_session import ModelOptions, open_session
from autokb.pipeline.open_index import OpenIndex, open_index
from autokb.pipeline.plan import Costs, Plan, costs, plan
from autokb.pipeline.stages import open_stages, without_models
from autokb.plugins.lab.evaluation.blind_sheet import Side, write_blind_sheet
from autokb.plugins.lab.evaluation.sheets import key_path
from autokb.retrieval.reader import ReaderRun
from autokb.stats.samples import nearest_rank
from autokb.stats.shares import Share, share
from autokb.stores.published import NOTHING_PUBLISHED, Published, read_published
from autokb.stores.question_log import read_questions
from autokb.stores.staged import staged_raw_issues
from autokb.stores.workspace import (
    DEFAULT_SETTINGS,
    KNOWLEDGE_FILE,
    LOCK_FILE,
    SETTINGS_FILE,
    Workspace,
    new_workspace,
    one_at_a_time,
    open_workspace,
    read_yaml_file,
)
from autokb.suggesting.choosing_model import NO_CHOICE, STAGE
from autokb.tasks.answers.choose_answer.task import TASK as CHOOSE_ANSWER
from autokb.tasks.answers.choose_answer.task import ChooseAnswer, ChosenAnswer
from autokb.text.markdown import sections

HELD_OUT = 3  # at most one issue of so many is asked instead of built from, so that small samples still make trees
FOLDER, STATE_FILE, SHEET_FILE = "trial", "trial.json", "sheet.csv"
MODEL = "model"  # the other of the two systems, beside OFFLINE
NOTHING_SHOWN = "(nothing is shown)"


@dataclass(frozen=True, slots=True)
class TrialAnswer(Result):
    """What a question got: what is read first, where that stands, and what it took.

    ``note`` says why the model's choice did not count; ``generation`` is the publication that was asked.
    """

    outcome: str
    text: str
    source: str
    section: str
    seconds: float
    generation: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Trial(Result):
    """What a trial was drawn as and what was done of it, as it is kept for a run that goes on."""

    model: str
    most_themes: int
    most_questions: int
    themes: int
    asked_from: str
    questions: Mapping[str, str]
    issues: tuple[str, ...]
    plan: Figures | None = None
    answers: Mapping[str, Mapping[str, TrialAnswer]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrialSystem(Result):
    """One of the two: its knowledge base, what its questions got, and what both cost; None where nothing was built."""

    themes: int | None
    parents: int | None
    children: int | None
    solutions: int | None
    withheld: int | None
    asked: int
    answered: int
    asked_back: int
    refused: int
    seconds_p50: float | None
    seconds_p95: float | None
    build: Spending
    ask: Spending


@dataclass(frozen=True, slots=True)
class TrialReport(Result):
    """A trial and what the whole would cost.

    ``same_first`` is how often both show the same section first, where both show one. ``sample_plan`` is what ``plan``
    said of the sample, ``ratio`` what the sample cost for each USD of that, None until it is built. ``whole_plan`` is
    what it says of the whole; ``whole_cost`` is that times the ratio. ``stopped`` says why not all was done.
    """

    folder: str
    model: str
    budget: float
    spent: float
    themes: int
    documents: int
    issues: int
    questions: int
    asked_from: str
    systems: Mapping[str, TrialSystem]
    same_first: Share
    sample_plan: Figures
    ratio: float | None
    whole_plan: Figures
    whole_cost: float | None
    cost_a_question: float | None
    sheet: str | None
    key: str | None
    notes: tuple[str, ...] = ()
    stopped: str | None = None


def run_trial(
    workspace: Workspace,
    budget: float,
    *,
    themes: int,
    questions: int,
    folder: Path | None = None,
    progress: Progress = silent,
) -> TrialReport:
    """Build the largest ``themes`` offline and by the workspace's model, ask both, and write the blind sheet.

    It lies in ``folder``, or in ``trial`` below the workspace. All its runs together spend no more than ``budget``
    (USD), and one that goes on pays nothing twice.
    """
    if workspace.settings.model == OFFLINE:
        raise BadInputError(
            "A trial compares a model with the offline build; name one with --model, for example openai:gpt-5-mini."
        )
    check_settings(workspace.settings)
    folder = folder or workspace.folder / FOLDER
    with workspace.file() as file, open_session(workspace, file, ModelOptions(budget, is_live=True)):
        pass  # key, price and package are there, before anything is built
    drawn = _read_state(folder) or _draw(workspace, themes, questions)
    if (drawn.model, drawn.most_themes, drawn.most_questions) != (workspace.settings.model, themes, questions):
        raise BadInputError(
            f"{folder} holds a trial of {drawn.model} with --themes {drawn.most_themes} and --questions "
            f"{drawn.most_questions}; run that one again, or name another folder with --out."
        )
    folder.mkdir(parents=True, exist_ok=True)
    with one_at_a_time(folder / LOCK_FILE, f"Another trial is at work in {folder}"):
        trial = _read_state(folder) or drawn
        _write_state(folder, trial)
        return _Running(workspace, folder, budget, trial, progress).run()


# Complex: what is asked depends on the log, and what is built on what is asked.
def _draw(workspace: Workspace, themes: int, questions: int) -> Trial:
    """Choose themes, questions and issues of what was published last; the same ones of the same workspace."""
    with workspace.file() as file, file.snapshot():
        published, added = read_published(file), staged_raw_issues(file)
        logged = {short_id("asked", one.text): one.text for one in read_questions(file)}
    if not published.kb.documents and not published.kb.issues:
        raise NothingPublishedError(NOTHING_PUBLISHED.format(folder=workspace.folder))
    largest, sample = _largest_themes(published, added, themes)
    pool, most, asked_from = logged, questions, "log"
    if len(logged) <= questions:
        distinct = {folded(text): i for i, text in sample.items()}
        pool, asked_from = {i: sample[i] for i in distinct.values()}, "issues"
        most = min(questions, len(pool) // HELD_OUT)
    asked = {i: pool[i] for i in sorted(pool, key=digest)[:most]}
    if not asked:
        raise BadInputError(
            f"There is nothing to ask: a trial needs {HELD_OUT} past issues at least, or a log of more than "
            f"{questions} questions. Add issues and build."
        )
    held_out = {folded(text) for text in asked.values()}
    return Trial(
        model=workspace.settings.model,
        most_themes=themes,
        most_questions=questions,
        themes=largest,
        asked_from=asked_from,
        questions=asked,
        issues=tuple(i for i, text in sample.items() if folded(text) not in held_out),
    )


def _largest_themes(published: Published, added: Sequence[RawIssue], most: int) -> tuple[int, dict[str, str]]:
    """Return how many themes were chosen and their issues' texts by id; without any theme all issues."""
    theme_of = {i: place["theme"] for i, place in published.raw_places.items() if "theme" in place}
    counts = Counter(theme_of[issue.id] for issue in added if issue.id in theme_of)
    largest = sorted(counts, key=lambda theme: (-counts[theme], theme))[:most]
    return len(largest), {i.id: i.full_text for i in added if not largest or theme_of.get(i.id) in largest}


def _read_state(folder: Path) -> Trial | None:
    """Return what an earlier run left in the folder, None where it is free (BadInputError where it is not)."""
    path = folder / STATE_FILE
    if not path.exists():
        if folder.exists() and (not folder.is_dir() or any(one.name != LOCK_FILE for one in folder.iterdir())):
            raise BadInputError(f"{folder} holds something else; name a new folder with --out.")
        return None
    try:
        return TypeAdapter(Trial).validate_json(path.read_bytes())
    except ValidationError as error:
        raise BadInputError(f"{path} is damaged; delete the folder, or name another with --out.") from error


def _write_state(folder: Path, trial: Trial) -> None:
    replace_private(folder / STATE_FILE, canonical_json(trial.as_json()).encode("utf-8"))


@dataclass
class _Running:
    """A trial at work; ``trial`` is what is done of it."""

    workspace: Workspace
    folder: Path
    budget: float
    trial: Trial
    progress: Progress
    stopped: str | None = None

    def run(self) -> TrialReport:
        offline, by_model = without_models(self._made(OFFLINE)), self._made(MODEL)
        if self.trial.plan is None:  # of all of it: the plan of a later run is what is left
            self._keep(replace(self.trial, plan=_figures(plan(by_model, self.progress))))
        built: dict[str, BuildReport] = {}
        answers: dict[str, dict[str, TrialAnswer]] = {OFFLINE: {}, MODEL: {}}
        for name, made in ((OFFLINE, offline), (MODEL, by_model)):
            try:
                built[name] = build(made, options=ModelOptions(self._left()), progress=self.progress)
            except StageFailedError as failed:  # the model's server is away, or its replies cannot be read
                assert isinstance(failed.result, BuildReport)
                built[name] = failed.result
                break
            except StoppedOnPurposeError as stop:
                if not costs(made).calls:
                    raise BadInputError(self._too_small()) from stop
                self.stopped = self._reached()
                break
            answers[name] = self._asked(name, made)
        return self._report(built, answers)

    def _made(self, name: str) -> Workspace:
        """Return one of the two workspaces, with all documents and the issues of the sample."""
        place = self.folder / name
        if not (place / KNOWLEDGE_FILE).exists():
            settings = self.workspace.folder / SETTINGS_FILE
            text = read_yaml_file(settings) if settings.exists() else DEFAULT_SETTINGS
            with self.workspace.file() as file, file.snapshot():
                documents = file.staged("documents")
                issues = [one for one in file.staged("issues") if one.id in set(self.trial.issues)]
            with new_workspace(place, self.workspace.domain_text, text) as made, made.file() as own, own.transaction():
                own.stage("documents", documents)
                own.stage("issues", issues)
        # The settings as they are now, so that a key's address or a price that was put right counts.
        return replace(open_workspace(place, mode=self.workspace.mode), settings=self.workspace.settings)

    def _keep(self, trial: Trial) -> None:
        self.trial = trial
        _write_state(self.folder, trial)

    def _spent(self) -> float:
        """Return the USD of the trial's life, what was in flight when it was killed at its most."""
        paid = [costs(self._made(name)) for name in (OFFLINE, MODEL)]
        return sum((one.cost or 0.0) + (one.in_flight.cost or 0.0) for one in paid)

    def _left(self) -> float:
        return max(0.0, self.budget - self._spent())

    def _reached(self) -> str:
        return (
            f"The budget of {self.budget:g} USD is reached: {self._spent():.4f} USD are spent, and the next request "
            "may cost more than the rest. Run this again with a larger --budget to go on."
        )

    def _too_small(self) -> str:
        planned = self.trial.plan.cost if self.trial.plan is not None else None
        needed = "" if planned is None else f" The build of the sample is planned at {planned:.4f} USD."
        return f"A budget of {self.budget:g} USD is too small for a first request.{needed} Give a larger --budget."

    def _asked(self, name: str, made: Workspace) -> dict[str, TrialAnswer]:
        """Ask what was not asked of this publication before, and return all answers; the model's until it is stopped.

        Where the model failed the offline answer stands in, and a run that goes on asks again.
        """
        found: dict[str, TrialAnswer] = {}
        opened = open_index(made)
        documents, generation = read_published(opened.file).kb.documents, opened.index.generation
        known = {i: a for i, a in self.trial.answers.get(name, {}).items() if a.generation == generation}
        with closing(opened):
            opened.ask(next(iter(self.trial.questions.values())))  # loads what only the first question waits for
            with self._choosing(name, made, opened) as choosing:
                for number, (item, question) in enumerate(self.trial.questions.items(), 1):
                    if item in known:
                        found[item] = known[item]
                    elif not self.stopped:
                        try:
                            answer = opened.ask(question, choosing=choosing)
                        except StoppedOnPurposeError:
                            self.stopped = self._reached()
                            continue
                        found[item] = _trial_answer(answer, documents, generation)
                        kept = {i: a for i, a in found.items() if a.note is None} | known
                        self._keep(replace(self.trial, answers={**self.trial.answers, name: kept}))
                    self.progress(f"questions {name}", number, len(self.trial.questions))
        return found

    @contextmanager
    def _choosing(self, name: str, made: Workspace, opened: OpenIndex) -> Iterator[Choosing | None]:
        """Give who chooses: nobody offline, else the model within what is left of the budget."""
        if name == OFFLINE:
            yield None
            return
        asked = replace(made, settings=replace(made.settings, tasks={}, context=""))
        with open_stages(asked, opened.file, options=ModelOptions(self._left(), is_live=True)) as stages:

            def choose(item: ChooseAnswer) -> tuple[ChosenAnswer | None, ReaderRun]:
                started, before, failed = time.perf_counter(), stages.spending(), len(stages.log.failures)
                with stages.within(time.monotonic() + made.settings.ask.timeout):
                    (chosen,) = stages.run(STAGE, CHOOSE_ANSWER, [item], ["the question"])
                reasons = dict.fromkeys(failure.reason for failure in stages.log.failures[failed:])
                note = None if chosen is not None else " ".join(reasons) or NO_CHOICE
                cost = (stages.spending() - before).cost
                return chosen, ReaderRun(made.settings.model, time.perf_counter() - started, note, cost)

            yield Choosing(choose)

    # Complex: each part is missing where the budget ended before it.
    def _report(
        self, built: Mapping[str, BuildReport], answers: Mapping[str, Mapping[str, TrialAnswer]]
    ) -> TrialReport:
        trial, planned = self.trial, self.trial.plan
        assert planned is not None, "it was planned first"
        systems = {name: _system(built.get(name), answers[name], costs(self._made(name))) for name in answers}
        took, asking = systems[MODEL].build.cost, systems[MODEL].ask.cost
        ratio = _over(took if MODEL in built else None, planned.cost)
        whole = _plan_whole(self.workspace, self.progress)
        both = [item for item in trial.questions if all(item in of for of in answers.values())]
        failures = built[MODEL].failures if MODEL in built else ()
        notes = [f"{failure.stage} {failure.item}: {failure.reason}" for failure in failures]
        sheet = self.folder / SHEET_FILE
        if both:
            notes += self._write_sheet(sheet, both, answers)
        with self._made(MODEL).file() as file:
            documents = len(file.staged("documents"))
        return TrialReport(
            folder=str(self.folder),
            model=trial.model,
            budget=self.budget,
            spent=round(self._spent(), 6),
            themes=trial.themes,
            documents=documents,
            issues=len(trial.issues),
            questions=len(trial.questions),
            asked_from=trial.asked_from,
            systems=systems,
            same_first=_same_first(answers, both),
            sample_plan=planned,
            ratio=ratio,
            whole_plan=whole,
            whole_cost=None if ratio is None or whole.cost is None else round(whole.cost * ratio, 6),
            cost_a_question=_over(asking, len(answers[MODEL])),
            sheet=str(sheet) if both else None,
            key=str(key_path(sheet)) if both else None,
            notes=tuple(notes),
            stopped=self.stopped,
        )

    def _write_sheet(
        self, sheet: Path, items: Sequence[str], answers: Mapping[str, Mapping[str, TrialAnswer]]
    ) -> list[str]:
        """Write the sheet and return what a person should know of its answers."""
        stood_in = [answer.note for answer in answers[MODEL].values() if answer.note]
        notes = (
            [f"The offline answer stood in for the model's {len(stood_in)} times: {stood_in[0]}"] if stood_in else []
        )
        sides = {name: {i: Side(of[i].text, of[i].source) for i in items} for name, of in answers.items()}
        if not write_blind_sheet(sheet, {item: self.trial.questions[item] for item in items}, sides):
            notes.append(f"{sheet} has marks and stays; there are other answers now. Move it away and run this again.")
        return notes


def _over(cost: float | None, by: float | None) -> float | None:
    return None if cost is None or not by else cost / by


def _same_first(answers: Mapping[str, Mapping[str, TrialAnswer]], items: Sequence[str]) -> Share:
    firsts = [{of[item].section for of in answers.values()} for item in items]
    shown = [sections for sections in firsts if "" not in sections]
    return share(sum(len(sections) == 1 for sections in shown), len(shown))


def _figures(planned: Plan) -> Figures:
    return Figures(planned.calls, planned.tokens, planned.cost)


def _plan_whole(workspace: Workspace, progress: Progress) -> Figures:
    """Return the plan of the workspace, made on a copy: a plan keeps vectors."""
    with tempfile.TemporaryDirectory(prefix="autokb-trial-") as place:
        copy = workspace.copied_to(Path(place))
        with workspace.file() as file:
            file.copy_to(copy.knowledge_path)
        return _figures(plan(copy, progress))


def _system(built: BuildReport | None, answers: Mapping[str, TrialAnswer], paid: Costs) -> TrialSystem:
    outcomes = Counter(answer.outcome for answer in answers.values())
    seconds = sorted(answer.seconds for answer in answers.values())
    asking = paid.stages.get(STAGE, NOTHING_SPENT)
    building = sum((of for stage, of in paid.stages.items() if stage != STAGE), NOTHING_SPENT)
    return TrialSystem(
        themes=None if built is None else built.themes,
        parents=None if built is None else built.parents,
        children=None if built is None else built.children,
        solutions=None if built is None else built.solutions,
        withheld=None if built is None else built.withheld,
        asked=len(answers),
        answered=outcomes["answered"],
        asked_back=outcomes["asks"],
        refused=outcomes["abstains"],
        seconds_p50=nearest_rank(seconds, 0.5),
        seconds_p95=nearest_rank(seconds, 0.95),
        build=building,
        ask=asking,
    )


def _trial_answer(answer: Answer, documents: Mapping[str, Document], generation: str) -> TrialAnswer:
    """Return what a person reads first of an answer, and the section that it stands in."""
    first = answer.shown[0] if answer.shown else None
    section = source = ""
    if first is not None and first.evidence:
        place = first.evidence[0]
        under = [one for one in sections(documents[place.document].text) if one.start <= place.start][-1]
        section, source = f"{place.document}#{under.start}", " > ".join((place.document, *under.headings))
    asked = "" if answer.question is None else f"{answer.question.text}\n\n"
    return TrialAnswer(
        outcome=answer.outcome,
        text=asked + first.text if first is not None else asked.strip() or NOTHING_SHOWN,
        source=source,
        section=section,
        seconds=round(answer.seconds, 6),
        generation=generation,
        note=None if answer.reading is None else answer.reading.note,
    )
