"""Table 3, figure 4 and appendix B of the AutoKB paper: solutions beside raw chunks and a model's own ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from autokb.core.attributes import ANY, from_lists
from autokb.core.domain import DomainSpec
from autokb.core.errors import AutokbError
from autokb.core.nouns import DISPLAYED, Chunk, Issue, Solution, Verdict
from autokb.core.solution_text import solution_text
from autokb.evaluation.papers.tables import NEEDS_PEOPLE, NOT_JUDGED, Cell, PaperTable
from autokb.evaluation.quality.measures import solution_verdicts
from autokb.evaluation.quality.report import QualityReport, evaluate_quality
from autokb.evaluation.retrieval.baselines import STAGE
from autokb.evaluation.statistics.bootstrap import Interval
from autokb.evaluation.statistics.shares import Share, share_difference
from autokb.heuristics.attributes.extract import extract_attributes
from autokb.heuristics.rules import verdicts_by_patterns
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import open_stages
from autokb.studies.evaluate import evaluate_workspace_quality
from autokb.studies.papers import PaperRun
from autokb.studies.papers.autokb_figures import named_values
from autokb.studies.papers.autokb_subject import MEDICAL, TROUBLESHOOTING, Subject
from autokb.tasks.probes.unaided_solutions.task import TASK, SolveByLLMOnly

UNAIDED, RAW, AUTOKB = "LLM-WK", "Raw", "AutoKB"
COLUMNS = ("Q_C %", "Q_D %", "Q_M")
TIMES = (100, 100, 1)  # Q_C and Q_D are in per cent
PRINTED: Mapping[str, Mapping[str, tuple[float | None, ...]]] = {  # of LLM-WK, below it what is above LLM-WK
    TROUBLESHOOTING: {UNAIDED: (None, None, None), RAW: (22.9, 2.8, 0.22), AUTOKB: (24.8, 5.0, 0.57)},
    MEDICAL: {UNAIDED: (67.5, 96.8, 0.21), RAW: (24.6, -0.1, 0.13), AUTOKB: (25.7, 1.3, 0.50)},
}
SHEET = NEEDS_PEOPLE.format(how="autokb evaluate quality WORKSPACE --sheet FILE, fill it, then --read FILE")
NO_SHEET = NEEDS_PEOPLE.format(
    how="show two people each issue with the solution and ask yes or no; no sheet holds these"
)
NO_FIRST_ROW = f"an increment over LLM-WK; {NOT_JUDGED}"
NO_FIRST_Q_C = "an increment over LLM-WK, whose solutions people would have to judge"


@dataclass
class UnaidedSolutions:
    """What a model solves by itself, workspace by workspace, within one budget; asked once each."""

    run: PaperRun
    spent: float = 0.0
    _found: dict[str, Mapping[str, Sequence[Solution]] | str] = field(default_factory=dict)

    def of(self, subject: Subject) -> Mapping[str, Sequence[Solution]] | str:
        """Return the solutions by raw issue, or why there are none."""
        if not self.run.has_judge:
            return NOT_JUDGED
        key = str(subject.workspace.folder)
        if key not in self._found:
            try:
                self._found[key] = self._ask(subject)
            except AutokbError as error:  # a spent budget or a model out of reach leaves cells open, not the tables
                self._found[key] = f"not judged: {error}"
        return self._found[key]

    def _ask(self, subject: Subject) -> Mapping[str, Sequence[Solution]] | str:
        left = None if self.run.budget is None else max(0.0, self.run.budget - self.spent)
        spec = subject.spec
        names = {issue.full_text: issue.id for issue in subject.raw_issues.values()}
        asked = [SolveByLLMOnly(spec.in_words, text) for text in names]
        with (
            subject.workspace.file() as file,
            open_stages(subject.workspace, file, self.run.progress, ModelOptions(left)) as stages,
        ):
            replies = stages.run(STAGE, TASK, asked, list(names.values()))
            self.spent += stages.spending().cost or 0.0
        solved = {
            issue: [
                as_solution(f"{issue} {n}", issue, solution_text(one.title, one.steps), spec, one.title, one.steps)
                for n, one in enumerate(reply.solutions, 1)
            ]
            for issue, reply in zip(names.values(), replies, strict=True)
            if reply is not None
        }
        return solved or "not judged: the model solved none of the raw issues"


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
    return [_raw(chunk, subject) for chunk in subject.chunks if chunk.text.strip()]


def _raw(chunk: Chunk, subject: Subject) -> Solution:
    return as_solution(chunk.id, chunk.document, chunk.text, subject.spec)


# -- table 3 ----------------------------------------------------------------------------------------------------------


def quality_tables(subjects: Sequence[Subject], unaided: UnaidedSolutions) -> Iterator[PaperTable]:
    """Give table 3 as increments over LLM-WK and in absolute values."""
    rows, increments, absolute = [], [], []
    notes: list[str] = []
    for subject in subjects:
        of_rows = _measured(subject, unaided)
        first = of_rows[UNAIDED]
        for name, found in of_rows.items():
            printed = PRINTED[subject.domain][name]
            rows.append(f"{subject.name}, {name}")
            absolute.append(_absolute(name, found, _printed_absolute(subject.domain, name)))
            is_first = name == UNAIDED
            increments.append(_absolute(name, found, printed) if is_first else _over(first, found, printed))
        raw, own = of_rows[RAW], of_rows[AUTOKB]
        if isinstance(raw, QualityReport) and isinstance(own, QualityReport):
            notes += _quality_notes(subject, raw, own)
    note = " ".join(dict.fromkeys(notes))
    yield PaperTable("Table 3: quality, above LLM-WK", tuple(rows), COLUMNS, tuple(increments), note=note)
    yield PaperTable("Table 3 in absolute values", tuple(rows), COLUMNS, tuple(absolute))


def _measured(subject: Subject, unaided: UnaidedSolutions) -> dict[str, QualityReport | str]:
    """Return the quality of each row's solutions, or why there are none."""
    solved, spec = unaided.of(subject), subject.spec
    return {
        UNAIDED: solved if isinstance(solved, str) else evaluate_quality([*chain(*solved.values())], {}, spec),
        RAW: evaluate_quality(raw_solutions(subject), {}, spec),
        AUTOKB: evaluate_workspace_quality(subject.workspace),
    }


def _quality_notes(subject: Subject, raw: QualityReport, own: QualityReport) -> Iterator[str]:
    """Say what Q_D by patterns is worth, and where raw chunks are as granular as solutions, and by which attribute."""
    if own.q_d.note:
        yield f"Q_D of {AUTOKB}: {own.q_d.note}"
    ours, theirs = own.q_m.interval.value, raw.q_m.interval.value
    if ours is None or theirs is None or ours > theirs:
        return
    pairs = {name: (value, own.q_m.attributes.get(name)) for name, value in raw.q_m.attributes.items()}
    known = [(a - b, name, a, b) for name, (a, b) in pairs.items() if a is not None and b is not None]
    _, name, of_raw, of_own = max(known)
    yield (
        f"On {subject.name} the paper's order of Q_M is not reproduced: {AUTOKB} has {ours:.3f}, {RAW} {theirs:.3f}; "
        f"the largest gap is that of {name} ({of_own:.3f} and {of_raw:.3f}). A chunk that names three values counts "
        "1/3; a solution that holds for any counts 0 for an open attribute, and for a closed one as if it named all."
    )


def _intervals(report: QualityReport) -> tuple[Interval, Interval, Interval]:
    return report.q_c, report.q_d.interval, report.q_m.interval


def _absolute(name: str, found: QualityReport | str, printed: Sequence[float | None]) -> tuple[Cell, ...]:
    if isinstance(found, str):
        return tuple(Cell(paper=paper, missing=found) for paper in printed)
    own = _intervals(found)
    cells = [Cell.of(one, paper, percent=times == 100) for one, paper, times in zip(own, printed, TIMES, strict=True)]
    if own[0].value is None:
        cells[0] = Cell(paper=printed[0], missing=SHEET if name == AUTOKB else NO_SHEET)
    return tuple(cells)


def _over(first: QualityReport | str, found: QualityReport | str, printed: Sequence[float | None]) -> tuple[Cell, ...]:
    """Return what solutions are above those of LLM-WK; they are others, so the difference is not paired."""
    if isinstance(first, str) or isinstance(found, str):
        reason = NO_FIRST_ROW if first == NOT_JUDGED else str(first)
        return tuple(Cell(paper=paper, missing=reason) for paper in printed)
    cells = []
    for own, of_first, paper, times in zip(_intervals(found), _intervals(first), printed, TIMES, strict=True):
        gain = share_difference(_as_share(own), _as_share(of_first))
        missing = Cell(paper=paper, missing=NO_FIRST_Q_C)
        cells.append(missing if gain.value is None else Cell.of(gain, paper, percent=times == 100))
    return tuple(cells)


def _as_share(found: Interval) -> Share:
    return Share(0, found.value, found.low, found.high)


def _printed_absolute(domain: str, name: str) -> Sequence[float | None]:
    """Return what the paper's values come to where it prints those of LLM-WK."""
    pairs = zip(PRINTED[domain][UNAIDED], PRINTED[domain][name], strict=True)
    return [
        first if name == UNAIDED or first is None or more is None else round(first + more, 2) for first, more in pairs
    ]


# -- figure 4 ---------------------------------------------------------------------------------------------------------


def example_table(subject: Subject, unaided: UnaidedSolutions) -> PaperTable | None:
    """Figure 4: what one child issue is answered by each, with the rules it breaks and the values it names."""
    shown = _example(subject)
    if shown is None:
        return None
    issue, own = shown
    chunk = _chunk_of(own, subject)
    no_chunk = (Cell(missing="no chunk holds what the solution cites"),) * 3
    rows = {AUTOKB: _example_cells(own, subject)}
    rows[RAW] = no_chunk if chunk is None else _example_cells(_raw(chunk, subject), subject)
    rows[UNAIDED] = _unaided_cells(issue, subject, unaided.of(subject))
    return PaperTable(
        f"Figure 4: one issue of {subject.name}: {issue.text}",
        tuple(rows),
        ("solution", "rules that it breaks", "values that it names"),
        tuple(rows.values()),
        note="An example and no measure: of the child issues whose chunk breaks a rule, where there are any, the one "
        "whose solution names the most values.",
    )


def _example(subject: Subject) -> tuple[Issue, Solution] | None:
    """Return the child issue whose shown solution names the most values, first of those whose chunk breaks a rule."""
    issues = subject.kb.issues
    shown = [
        solution
        for solution in subject.kb.solutions.values()
        if solution.status in DISPLAYED and solution.evidence and solution.issue_id in issues
        if issues[solution.issue_id].parent_id is not None
    ]
    breaking = [one for one in shown if (chunk := _chunk_of(one, subject)) and _broken(_raw(chunk, subject), subject)]
    best = min(breaking or shown, key=lambda one: (-_limited(one), one.id), default=None)
    return None if best is None else (issues[best.issue_id], best)


def _limited(solution: Solution) -> int:
    return sum(values != ANY for values in solution.attributes.values())


def _broken(solution: Solution, subject: Subject) -> list[str]:
    """Return the rules that a solution breaks."""
    verdicts = solution_verdicts(solution, subject.spec.rules, subject.spec.language)
    return [f"{rule.id}: {rule.text}" for rule in subject.spec.rules if verdicts.get(rule.id) == "broken"]


def _example_cells(solution: Solution, subject: Subject) -> tuple[Cell, ...]:
    broken = "; ".join(_broken(solution, subject))
    return Cell(solution.text), Cell(broken or "none"), Cell(named_values(solution.attributes) or "none")


def _chunk_of(solution: Solution, subject: Subject) -> Chunk | None:
    """Return the chunk that holds what a solution cites first."""
    place = solution.evidence[0]
    of_document = (chunk for chunk in subject.chunks if chunk.document == place.document)
    return next((c for c in of_document if any(s < place.end and place.start < e for s, e in c.spans)), None)


def _unaided_cells(issue: Issue, subject: Subject, solved: Mapping[str, Sequence[Solution]] | str) -> tuple[Cell, ...]:
    if isinstance(solved, str):
        return (Cell(missing=solved),) * 3
    parent = subject.kb.issues.get(issue.parent_id or "")
    of_tree = (*issue.raw_issues, *(parent.raw_issues if parent else ()))
    first = next((solved[raw][0] for raw in of_tree if raw in solved), None)
    if first is None:
        return (Cell(missing="the model solved no raw issue of this tree"),) * 3
    return _example_cells(first, subject)


# -- appendix B -------------------------------------------------------------------------------------------------------

PEOPLE_AND_MODEL: Mapping[str, tuple[float, str]] = {  # what appendix B prints, in per cent, and how to fill the cell
    "rules kept: model beside people": (
        97.0,
        "export the solutions with autokb export WORKSPACE FILE.jsonl, have people mark each rule as kept or broken, "
        "and compare with its verdicts; no sheet asks for that yet",
    ),
    "attributes: model beside people": (
        94.0,
        "export the issues with autokb export WORKSPACE FILE.jsonl, have people mark the values of each, and compare "
        "with its attributes; no sheet asks for that yet",
    ),
}
ANNOTATORS_AGREE = 97.0  # per cent of the solutions that two people answered, as the paper prints


def agreement_table(subjects: Sequence[Subject]) -> PaperTable:
    """Appendix B: how often a model says what people say, and how often two people agree on what is correct."""
    rows, cells = [], []
    for subject in subjects:
        for name, (printed, how) in PEOPLE_AND_MODEL.items():
            rows.append(f"{subject.name}, {name}")
            cells.append((Cell(paper=printed, missing=NEEDS_PEOPLE.format(how=how)), Cell(0)))
        sheet = evaluate_workspace_quality(subject.workspace).agreement
        rows.append(f"{subject.name}, correct: two people")
        if sheet is None or sheet.agreement is None:
            cells.append((Cell(paper=ANNOTATORS_AGREE, missing=SHEET), Cell(0)))
        else:
            cells.append((Cell(100 * sheet.agreement, paper=ANNOTATORS_AGREE), Cell(sheet.twice)))
    return PaperTable("Appendix B: agreement with people", tuple(rows), ("accuracy %", "compared"), tuple(cells))
