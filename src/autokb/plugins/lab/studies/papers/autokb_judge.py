"""What the AutoKB paper's tables are measured on: a workspace, and the model that judges it and solves its issues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autokb.core.attributes import from_lists
from autokb.core.domain import DomainSpec
from autokb.core.errors import AutokbError
from autokb.core.ids import digest
from autokb.core.nouns import Chunk, KnowledgeBase, RawIssue, Solution, Verdict
from autokb.core.solution_text import solution_text
from autokb.heuristics.attributes.extract import extract_attributes
from autokb.heuristics.rules import verdicts_by_patterns
from autokb.issues.safeguards import rules_request
from autokb.pipeline.model_choice import model_of
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import open_stages
from autokb.plugins.lab.evaluation.quality.measures import Compliance, TreeOf, compliance_of
from autokb.plugins.lab.evaluation.retrieval.baselines import STAGE as SOLVE_STAGE
from autokb.plugins.lab.studies.papers import NOT_JUDGED, PaperRun
from autokb.stores.published import published_spec, read_published
from autokb.stores.workspace import Workspace
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.probes.unaided_solutions.task import TASK as UNAIDED_SOLUTIONS
from autokb.tasks.probes.unaided_solutions.task import SolveByLLMOnly
from autokb.tasks.task import In, Out, Task

STAGE = "judge"
MOST_JUDGED = 200  # solutions of a system whose rules a model judges: a share of them is known to some 3 points
NOTHING_SOLVED = "not judged: the model solved none of the issues"

MEDICAL, TROUBLESHOOTING = "Medical", "Troubleshooting"


@dataclass(frozen=True)
class Subject:
    """A workspace as one of the paper's domains."""

    workspace: Workspace
    kb: KnowledgeBase
    spec: DomainSpec
    chunks: tuple[Chunk, ...]
    raw_issues: Mapping[str, RawIssue]

    @property
    def domain(self) -> str:
        """The domain of the paper that it stands beside."""
        return MEDICAL if MEDICAL.casefold() in self.spec.name.casefold() else TROUBLESHOOTING

    @property
    def name(self) -> str:
        """The row of its figures."""
        return f"{self.domain}: {self.spec.name}"


def open_subject(workspace: Workspace) -> Subject:
    """Read what a workspace has published."""
    with workspace.file() as file:
        published = read_published(file)
    spec = published_spec(workspace, published)
    return Subject(workspace, published.kb, spec, published.chunks, published.raw_issues)


@dataclass
class PaperJudge:
    """Asks the judge of a run, workspace by workspace, within one budget."""

    run: PaperRun
    spent: float = 0.0
    _solved: dict[tuple[str, frozenset[str]], Mapping[str, Sequence[Solution]] | str] = field(default_factory=dict)

    def ask(
        self, subject: Subject, stage: str, task: Task[In, Out], items: Sequence[In], names: Sequence[str]
    ) -> list[Out | None] | str:
        """Return a reply an item, None for one that failed; or why there is none.

        A spent budget or a model out of reach leaves cells open, not the tables.
        """
        if not self.run.has_judge:
            return NOT_JUDGED
        left = None if self.run.budget is None else max(0.0, self.run.budget - self.spent)
        workspace = subject.workspace
        try:
            with (
                workspace.file() as file,
                open_stages(workspace, file, self.run.progress, ModelOptions(left)) as stages,
            ):
                try:
                    return stages.run(stage, task, items, names)
                finally:
                    self.spent += stages.spending().cost or 0.0
        except AutokbError as error:
            return f"not judged: {error}"

    def solved(self, subject: Subject) -> Mapping[str, Sequence[Solution]] | str:
        """Return what the model solves by itself, by raw issue, or why there is nothing."""
        names = {issue.full_text: issue.id for issue in subject.raw_issues.values()}  # equal texts are asked once
        return self.solve(subject, {issue: text for text, issue in names.items()})

    def solve(self, subject: Subject, texts: Mapping[str, str]) -> Mapping[str, Sequence[Solution]] | str:
        """Return the model's own solutions of these issues, by their names, or why there are none; asked once."""
        key = str(subject.workspace.folder), frozenset(texts)
        if key not in self._solved:
            self._solved[key] = self._solve(subject, texts)
        return self._solved[key]

    def _solve(self, subject: Subject, texts: Mapping[str, str]) -> Mapping[str, Sequence[Solution]] | str:
        spec = subject.spec
        asked = [SolveByLLMOnly(spec.in_words, text) for text in texts.values()]
        replies = self.ask(subject, SOLVE_STAGE, UNAIDED_SOLUTIONS, asked, list(texts))
        if isinstance(replies, str):
            return replies
        solved = {
            issue: [
                as_solution(f"{issue} {n}", issue, solution_text(one.title, one.steps, ()), spec, one.title, one.steps)
                for n, one in enumerate(reply.solutions, 1)
            ]
            for issue, reply in zip(texts, replies, strict=True)
            if reply is not None
        }
        return solved or NOTHING_SOLVED

    def compliance(self, subject: Subject, solutions: Sequence[Solution], tree_of: TreeOf) -> Compliance | str:
        """Return Q_D of an even sample of the solutions as the model judges them, or why it does not."""
        sample = sorted(solutions, key=lambda solution: digest("judged", solution.id))[:MOST_JUDGED]
        asked = [rules_request(solution, None, subject.spec) for solution in sample]
        replies = self.ask(subject, STAGE, CHECK_RULES, asked, [solution.id for solution in sample])
        if isinstance(replies, str):
            return replies
        found = {
            one.id: {} if reply is None else {v.rule: v.verdict for v in reply.verdicts}
            for one, reply in zip(sample, replies, strict=True)
        }
        workspace = subject.workspace
        return compliance_of(found, tree_of, model_of(workspace.settings, workspace.mode, CHECK_RULES.name, STAGE))


def as_solution(
    name: str, issue: str, text: str, spec: DomainSpec, title: str = "", steps: Sequence[str] = ()
) -> Solution:
    """Return a text that no build made as a solution: its values read offline, its rules judged by patterns."""
    verdicts = verdicts_by_patterns(spec.rules, title or text, steps, text, spec.language)
    return Solution(
        id=name,
        issue_id=issue,
        text=text,
        steps=tuple(steps),
        attributes=from_lists(extract_attributes(text, "solution", spec.attributes, spec.language)),
        evidence=(),
        rules=tuple(Verdict(one.rule, one.verdict, one.reason) for one in verdicts),
    )


def raw_solutions(subject: Subject) -> list[Solution]:
    """Return the chunks as they stand, each a solution; those of one document are as alike as those of one tree."""
    return [raw_solution(chunk, subject) for chunk in subject.chunks if chunk.text.strip()]


def raw_solution(chunk: Chunk, subject: Subject) -> Solution:
    """Return a chunk as it stands as a solution."""
    return as_solution(chunk.id, chunk.document, chunk.text, subject.spec)
