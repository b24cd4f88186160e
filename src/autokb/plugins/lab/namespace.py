"""What ``SupportKB.evaluate`` is, and what ``study``, ``compare`` and ``evaluate_chunking`` of it call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from autokb.app.namespaces.namespace import Namespace
from autokb.core.one_or_many import listed
from autokb.core.progress import Progress
from autokb.notebook.progress import show_progress

if TYPE_CHECKING:
    from autokb.app import SupportKB
    from autokb.pipeline.calibrate_gate import GateCalibration, GateReset
    from autokb.pipeline.fit_features import RankFit
    from autokb.pipeline.model_session import ModelOptions
    from autokb.plugins.lab.evaluation.blind_sheet import SheetMarks
    from autokb.plugins.lab.evaluation.chunking.results import ChunkingReport
    from autokb.plugins.lab.evaluation.compare import Comparison
    from autokb.plugins.lab.evaluation.quality.report import QualityReport
    from autokb.plugins.lab.evaluation.retrieval.experiment import RetrievalReport
    from autokb.plugins.lab.evaluation.retrieval.paraphrase_experiment import ParaphraseReport
    from autokb.plugins.lab.evaluation.retrieval.retrievers import RetrieverReport
    from autokb.plugins.lab.evaluation.suggestions.experiment import SuggestionsReport
    from autokb.plugins.lab.evaluation.suggestions.sheet_form import SheetProgress
    from autokb.plugins.lab.plugin_study import PluginStudy
    from autokb.plugins.lab.studies.annotations import SheetPage
    from autokb.plugins.lab.studies.draft_cases import CaseSource, DraftedCases
    from autokb.plugins.lab.studies.evaluate_chunking import ChunkEvaluation
    from autokb.plugins.lab.studies.evaluate_suggestions import SuggestionEvaluation
    from autokb.plugins.lab.studies.evaluate_tickets import TicketRetrievalReport
    from autokb.plugins.lab.studies.papers import PaperReport
    from autokb.plugins.lab.studies.trial import TrialReport


class EvaluateNamespace(Namespace):
    """What the knowledge base is worth: evaluations, their cases and sheets, the gate's calibration."""

    def __init__(self, kb: SupportKB) -> None:
        super().__init__(kb._memory)

    def retrieval(
        self,
        queries: Path | str,
        qrels: Path | str,
        systems: Sequence[str] | str = (),
        *,
        budget: float | None = None,
        progress: Progress = show_progress,
    ) -> RetrievalReport:
        """Measure retrieval systems on labelled questions; without names every system that asks no model."""
        from autokb.pipeline.model_session import ModelOptions
        from autokb.plugins.lab.studies.evaluate import evaluate_workspace_retrieval

        return evaluate_workspace_retrieval(
            self._memory.workspace, Path(queries), Path(qrels), listed(systems), progress, ModelOptions(budget)
        )

    def variations(
        self,
        systems: Sequence[str] | str = (),
        sample: int = 50,
        *,
        budget: float | None = None,
        progress: Progress = show_progress,
    ) -> ParaphraseReport:
        """Measure retrieval systems on paraphrases of ``sample`` nodes and of as many chunks of the workspace."""
        from autokb.pipeline.model_session import ModelOptions
        from autokb.plugins.lab.studies.evaluate import evaluate_workspace_paraphrases

        return evaluate_workspace_paraphrases(
            self._memory.workspace, listed(systems), sample, progress, ModelOptions(budget)
        )

    def retrievers(
        self,
        embedders: Sequence[str] | str = (),
        cases: Path | str | None = None,
        *,
        budget: float | None = None,
        progress: Progress = show_progress,
    ) -> RetrieverReport:
        """Measure encoders and searches on the workspace's past issues, or on ``cases`` with their documents."""
        from autokb.pipeline.model_session import ModelOptions
        from autokb.plugins.lab.studies.evaluate_retrievers import evaluate_workspace_retrievers

        given = Path(cases) if cases else None
        return evaluate_workspace_retrievers(
            self._memory.workspace, listed(embedders), given, progress, ModelOptions(budget)
        )

    def tickets(
        self,
        queries: Path | str,
        qrels: Path | str,
        systems: Sequence[str] | str = (),
        *,
        progress: Progress = show_progress,
    ) -> TicketRetrievalReport:
        """Measure how tickets are ranked, on labelled questions: each signal alone and together."""
        from autokb.plugins.lab.studies.evaluate_tickets import evaluate_workspace_tickets

        return evaluate_workspace_tickets(self._memory.workspace, Path(queries), Path(qrels), listed(systems), progress)

    def suggestions(
        self, wanted: SuggestionEvaluation, *, budget: float | None = None, progress: Progress = show_progress
    ) -> SuggestionsReport:
        """Measure what systems suggest for the cases of a test set, beside what people replied."""
        from autokb.pipeline.model_session import ModelOptions
        from autokb.plugins.lab.studies.evaluate_suggestions import evaluate_workspace_suggestions

        with self._memory.opening:
            now = self._memory.now()
            beside, index = tuple(now.beside.values()), now.index
        return evaluate_workspace_suggestions(index, beside, wanted, progress, ModelOptions(budget))

    def quality(
        self,
        sheet: Path | str | None = None,
        read: Path | str | None = None,
        most: int | None = None,
        *,
        judge: bool = False,
        budget: float | None = None,
        progress: Progress = show_progress,
    ) -> QualityReport:
        """Measure granularity and rules kept; ``sheet`` writes the annotators' sheet, ``read`` takes a filled one in.

        ``judge`` has the model judge the displayed solutions, ``most`` of them.
        """
        from autokb.pipeline.model_session import ModelOptions
        from autokb.plugins.lab.studies.evaluate import evaluate_workspace_quality

        return evaluate_workspace_quality(
            self._memory.workspace,
            Path(sheet) if sheet else None,
            Path(read) if read else None,
            most,
            judge=judge,
            progress=progress,
            options=ModelOptions(budget),
        )

    def sheet_item(self, annotator: str = "1", item: str = "") -> SheetPage:
        """Return what an annotator (1 or 2) has not judged yet, or the ``item`` named: is the solution correct?"""
        from autokb.plugins.lab.studies.annotations import next_item

        return next_item(self._memory.workspace, annotator, item)

    def annotate(self, item: str, annotator: str, is_correct: bool | None, *, author: str = "") -> SheetPage:
        """Keep an annotator's answer, None takes it back; ``quality`` counts it while the words stay so."""
        from autokb.plugins.lab.studies.annotations import annotate

        return annotate(self._memory.workspace, item, annotator, is_correct, author=author)

    def sheets(self) -> tuple[str, ...]:
        """Return the names of the blind sheets of suggestions that lie in the workspace's folder ``sheets``."""
        from autokb.plugins.lab.studies.judged_sheets import sheet_names

        return sheet_names(self._memory.workspace)

    def sheet_case(self, sheet: str, annotator: str, item: str = "") -> SheetProgress:
        """Return the case ``item`` of a blind sheet, else the first that an annotator has not judged whole."""
        from autokb.plugins.lab.studies.judged_sheets import case_to_judge

        return case_to_judge(self._memory.workspace, sheet, annotator, item)

    def judge_case(self, sheet: str, annotator: str, item: str, marks: Mapping[str, str]) -> SheetProgress:
        """Save an annotator's marks of a case, by column, in place of earlier ones; returns what comes next."""
        from autokb.plugins.lab.studies.judged_sheets import judge_case

        return judge_case(self._memory.workspace, sheet, annotator, item, marks)

    def draft_cases(
        self,
        target: Path | str,
        source: CaseSource = "chats",
        out_of_domain: Path | str | None = None,
        *,
        budget: float | None = None,
        progress: Progress = show_progress,
    ) -> DraftedCases:
        """Write questions with their replies as cases for a test set, private data masked.

        They are those of the added chats, or made of the added documents; ``out_of_domain`` is a JSONL of questions
        that are to be refused.
        """
        from autokb.pipeline.model_session import ModelOptions
        from autokb.plugins.lab.studies.draft_cases import draft_cases

        others = Path(out_of_domain) if out_of_domain else None
        return draft_cases(
            self._memory.workspace, Path(target), source, others, options=ModelOptions(budget), progress=progress
        )

    def trial(
        self,
        budget: float = 1.0,
        *,
        themes: int = 10,
        questions: int = 30,
        out: Path | str | None = None,
        progress: Progress = show_progress,
    ) -> TrialReport:
        """Build a sample offline and by the settings' model, ask both past questions, and estimate the whole.

        It works in a folder of its own (``out``, else ``trial`` in the workspace), which a later run goes on with; all
        runs together spend no more than ``budget`` (USD). Nothing of the workspace changes.
        """
        from autokb.plugins.lab.studies.trial import run_trial

        folder = Path(out) if out else None
        return run_trial(
            self._memory.workspace, budget, themes=themes, questions=questions, folder=folder, progress=progress
        )

    @staticmethod
    def study(kb: SupportKB, name: str) -> PluginStudy:
        """Run a study of another plug-in on ``kb``: this holds no knowledge base, which would hold it, too."""
        from autokb.plugins.lab.plugin_study import run_study

        return run_study(kb, name)

    @staticmethod
    def compare(before: Path, after: Path, metric: str | None, gate: float | None) -> Comparison:
        """Compare two stored answers, for ``SupportKB.compare``."""
        from autokb.plugins.lab.evaluation.compare import compare, read_answer

        return compare(read_answer(before), read_answer(after), metric, gate)

    @staticmethod
    def chunking(
        paths: list[Path], wanted: ChunkEvaluation, progress: Progress, options: ModelOptions
    ) -> ChunkingReport:
        """Measure chunkers on documents, for ``SupportKB.evaluate_chunking``."""
        from autokb.plugins.lab.studies.evaluate_chunking import evaluate_chunking

        return evaluate_chunking(paths, wanted, progress, options)

    @staticmethod
    def paper(
        paper: str,
        workspaces: Sequence[Path | str] | Path | str,
        *,
        judge: str = "",
        budget: float | None = None,
        cases: Path | str | None = None,
        sheets: Path | str | None = None,
        filled: Path | str | None = None,
        progress: Progress = show_progress,
    ) -> PaperReport:
        """Return the tables of a paper (autokb, autochunker, tickets, suggestions), measured on workspaces.

        ``judge`` is the model that fills the cells which need one, asked for no more than ``budget`` (USD).
        ``cases`` are labelled questions for the tables of tickets and of autochunker. Sheets for people are written to
        the folder ``sheets``, and what they filled in is read from ``filled``.
        """
        from autokb.plugins.lab.studies.papers import paper_tables

        folders = [Path(one) for one in listed(workspaces)]
        paths = {"cases": cases, "sheets": sheets, "filled": filled}
        given = {name: Path(path) for name, path in paths.items() if path}
        return paper_tables(paper, folders, judge, budget=budget, progress=progress, **given)

    @staticmethod
    def read_trial_sheet(sheet: Path | str) -> SheetMarks:
        """Return what the filled blind sheet of a trial says; its key lies beside it."""
        from autokb.plugins.lab.evaluation.blind_sheet import read_blind_sheet

        return read_blind_sheet(Path(sheet))

    def fit_features(self) -> RankFit:
        """Weigh the ranking features of plug-ins on the workspace's checks and linked issues, and use what gains."""
        from autokb.pipeline.fit_features import fit_features

        return fit_features(self._memory.workspace)

    def calibrate_gate(self, in_domain: Path | str, out_of_domain: Path | str) -> GateCalibration:
        """Calibrate the gate on a team's own questions: two JSONL files with ``id`` and ``text``.

        From now on it says which questions are off topic, until it is calibrated anew or reset; builds keep it.
        """
        from autokb.pipeline.calibrate_gate import calibrate_gate

        return calibrate_gate(self._memory.workspace, Path(in_domain), Path(out_of_domain))

    def reset_gate(self) -> GateReset:
        """Drop the calibration of the gate, so that the gate of the build decides again."""
        from autokb.pipeline.calibrate_gate import reset_gate

        return reset_gate(self._memory.workspace)
