"""The tables of the ticket graph paper, measured on workspaces with past tickets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autokb.core.errors import BadInputError
from autokb.core.in_use import CONTROL, TREATMENT
from autokb.core.plugins import of_ours
from autokb.core.settings import OFFLINE_MODEL
from autokb.core.test_sets import LabelledQuery, read_queries
from autokb.core.tickets import NO_TICKETS, Edge, Ticket
from autokb.plugins.lab.evaluation.report import Cell, Table
from autokb.plugins.lab.evaluation.retrieval.datasets import Judgement
from autokb.plugins.lab.evaluation.retrieval.experiment import SystemResults
from autokb.plugins.lab.evaluation.retrieval.metrics import reciprocal_rank
from autokb.plugins.lab.evaluation.suggestions.meteor import NoMeteorError, load_meteor
from autokb.plugins.lab.evaluation.suggestions.text_metrics import bleu, rouge_l
from autokb.plugins.lab.evaluation.system_names import TICKET_TEXT, TICKET_WORDING, TICKETS
from autokb.plugins.lab.studies.evaluate_tickets import rank_tickets
from autokb.plugins.lab.studies.papers import PaperRun, PaperTables
from autokb.stats.bootstrap import NOT_MEASURED, Interval, measured_mean, ratio_interval
from autokb.stores.ticket_tables import read_edges, read_tickets
from autokb.stores.workspace import Workspace
from autokb.usage.in_use import Duration, measure_use

BASELINE, EXPERIMENT, DIFFERENCE = "Baseline", "Experiment", "Experiment - Baseline (paired)"
METRICS = ("mrr", "recall@1", "recall@3", "ndcg@1", "ndcg@3")
ARMS = {TICKET_TEXT: BASELINE, TICKETS: EXPERIMENT, TICKET_WORDING: "Experiment, without components and dates"}
BY_TITLE = ", by title"
COMPARED = ("BLEU", "METEOR", "ROUGE", "answered")
TIMES = ("mean", "p50", "p90")
NOT_USED, USED, BESIDE = "Tool Not Used", "Tool Used", "Used beside not used %"
PAPER = PaperTables("tickets")
SECONDS_AN_HOUR = 3_600  # in which outcomes are reported
DIRECT, SAME_PROBLEM = 2.0, 1.0  # grades of the ticket that a duplicate names, and of others about the same problem
_DUPLICATE = re.compile("dupli[ck]at", re.IGNORECASE)
NO_QUESTIONS = (
    "no ticket here was closed as a duplicate of another one; give questions with their right tickets: --cases FILE, a "
    'line such as {"id": "q1", "text": "...", "title": "...", "tickets": ["APP-1"]}'
)
NO_TITLES = 'no case has a title; add "title": "..." to the lines of --cases FILE'
NO_ANSWERS = 'needs golden answers: --cases FILE, a line such as {"id": "q1", "text": "...", "answer": "..."}'
BOTH_QUOTE = "Without a model both arms quote what they found: words that people would choose are there by chance."
NO_TIMES = (
    "no such conversation was reported with its seconds: say what was used with autokb feedback add, and how long "
    "conversations took with autokb outcomes import"
)


@dataclass(frozen=True)
class Cases:
    """Questions with the grades of their right tickets; what is ``without`` is asked and so not to be found."""

    questions: Sequence[LabelledQuery]
    right: Sequence[Judgement]
    without: frozenset[str] = frozenset()

    def by_title(self) -> Cases:
        """Return the same with nothing but the titles of those that have one."""
        titled = [replace(q, text=title) for q in self.questions if (title := str(q.fields.get("title") or "").strip())]
        return replace(self, questions=titled)


def tables(run: PaperRun) -> Iterator[Table]:
    """Give the paper's tables in its order, of one workspace after the other."""
    given = () if run.cases is None else read_queries(run.cases)
    for workspace in run.workspaces:
        name = workspace.folder.name
        with workspace.file() as file:
            tickets = {ticket: one.ticket for ticket, one in read_tickets(file).items()}
            edges = read_edges(file)
        if not tickets:
            raise BadInputError(NO_TICKETS.format(folder=workspace.folder))
        labelled = _labelled(given)
        yield _retrieval(name, workspace, labelled if labelled.right else own_duplicates(tickets, edges), run)
        yield _answers(name, workspace, [case for case in given if case.fields.get("answer")], run)
        yield _times(name, workspace, tickets.values())


# -- table 1 -------------------------------------------------------------------------------------------------------


def _labelled(given: Sequence[LabelledQuery]) -> Cases:
    """Return the cases of a file that name their right tickets (BadInputError where that is no list)."""
    right = []
    for case in given:
        tickets = case.fields.get("tickets") or []
        if not isinstance(tickets, list) or not all(isinstance(one, str) for one in tickets):
            raise BadInputError(f'The case {case.id!r} must have its right tickets as a list: "tickets": ["APP-1"].')
        right += [Judgement(case.id, ticket, DIRECT) for ticket in tickets]
    labelled = {one.query for one in right}
    return Cases([case for case in given if case.id in labelled], right)


# Complex: links, clusters and who asks follow from one another.
def own_duplicates(tickets: Mapping[str, Ticket], edges: Iterable[Edge]) -> Cases:
    """Return the tickets that were closed as duplicates, each asking for what it duplicates as if it were new.

    All tickets that are linked as duplicates are about one problem: the one that a duplicate is linked with counts
    double. None that asks is to be found, for none was there when it was written.
    """
    linked: dict[str, set[str]] = {}
    for edge in edges:
        if edge.origin == "source" and _DUPLICATE.search(edge.type) and {edge.source, edge.target} <= tickets.keys():
            linked.setdefault(edge.source, set()).add(edge.target)
            linked.setdefault(edge.target, set()).add(edge.source)
    closed = {t for t in linked if _DUPLICATE.search(f"{tickets[t].resolution} {tickets[t].status}")}
    questions, right = [], list[Judgement]()
    for ticket in sorted(closed):
        same = _reached(ticket, linked)
        if found := sorted(same - closed):
            questions.append(_as_question(tickets[ticket], same))
            right += [Judgement(ticket, t, DIRECT if t in linked[ticket] else SAME_PROBLEM) for t in found]
    return Cases(questions, right, frozenset(question.id for question in questions))


def _reached(ticket: str, linked: Mapping[str, set[str]]) -> set[str]:
    found, waiting = {ticket}, [ticket]
    while waiting:
        new = linked[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def _as_question(ticket: Ticket, same: Iterable[str]) -> LabelledQuery:
    """Return a ticket as somebody reports it who knows no other one: the ids of those about the same are left out."""
    ids = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in sorted(same)))
    title, description = (ids.sub("", text) for text in (ticket.title, ticket.description))
    fields = {"title": title, "components": list(ticket.components), "created": ticket.created}
    return LabelledQuery(ticket.id, f"{title}\n\n{description}".strip(), fields)


def _retrieval(name: str, workspace: Workspace, cases: Cases, run: PaperRun) -> Table:
    """Return table 1, by the whole question and by its title alone."""
    rows: dict[str, list[Cell]] = {}
    arms = PAPER.printed("retrieval")
    titled = cases.by_title()
    for asked, suffix, missing in ((cases, "", NO_QUESTIONS), (titled, BY_TITLE, NO_TITLES)):
        why = Cell(missing=missing if cases.questions else NO_QUESTIONS)
        found = dict.fromkeys(arms, [why] * (len(METRICS) + 1))
        if asked.questions:
            ranked = rank_tickets(
                workspace, asked.questions, asked.right, tuple(ARMS), without=asked.without, progress=run.progress
            )
            found |= _retrieval_rows(ranked.results.results)
        rows |= {f"{arm}{suffix}": cells for arm, cells in found.items()}
    questions, with_title = len(cases.questions), len(titled.questions)
    printed = {row: arms[row.removesuffix(BY_TITLE)] for row in rows}
    return PAPER.table("retrieval", rows, printed, name=name, questions=questions, titled=with_title)


def _retrieval_rows(found: SystemResults) -> dict[str, list[Cell]]:
    """Return the rows of one form of the questions by arm."""
    ranks = {
        system: [reciprocal_rank(found.systems[system].rankings[q], right) for q, right in found.relevant.items()]
        for system in ARMS
    }
    gains = {s: ratio_interval([list(zip(ranks[s], ranks[TICKET_TEXT], strict=True))]) for s in ARMS}
    measured = {arm: (found.systems[system].metrics, gains[system]) for system, arm in ARMS.items()}
    differences = {d.metric: d.interval for d in found.differences if d.system == TICKETS}
    measured[DIFFERENCE] = (differences, gains[TICKETS])
    return {
        arm: [
            *(Cell.of(metrics[metric]) for metric in METRICS),
            Cell.of(gain.map(lambda ratio: ratio - 1), percent=True),
        ]
        for arm, (metrics, gain) in measured.items()
    }


# -- table 2 -------------------------------------------------------------------------------------------------------

Values = dict[tuple[str, str], list[float]]  # by arm and column: one value a case


def _answers(name: str, workspace: Workspace, cases: Sequence[LabelledQuery], run: PaperRun) -> Table:
    """Return table 2: the words that both arms' answers share with golden ones."""
    metrics: dict[str, Callable[[str, str], float]] = {"BLEU": bleu, "ROUGE": rouge_l}
    missing = dict.fromkeys(COMPARED, NO_ANSWERS)
    values: Values = {}
    notes = []
    if cases:
        try:
            metrics["METEOR"] = load_meteor()
        except NoMeteorError as error:
            missing["METEOR"] = str(error)
        values = _compared(_ask_both(workspace, cases, run), [str(case.fields["answer"]) for case in cases], metrics)
        notes.append(f"{len(cases)} golden answers; no answer counts 0.")
        if workspace.settings.model == OFFLINE_MODEL:
            notes.append(BOTH_QUOTE)
    rows = {
        arm: [Cell.of(measured_mean(values.get((arm, label), [])), missing=missing[label]) for label in COMPARED]
        for arm in PAPER.printed("answers")
    }
    return PAPER.table("answers", rows, name=name, notes=notes)


def _compared(
    answers: Mapping[str, Sequence[str]], golden: Sequence[str], metrics: Mapping[str, Callable[[str, str], float]]
) -> Values:
    values = {(arm, "answered"): [float(bool(answer)) for answer in said] for arm, said in answers.items()}
    for label, metric in metrics.items():
        for arm, said in answers.items():
            values[arm, label] = [metric(answer, right) for answer, right in zip(said, golden, strict=True)]
    for label in (*metrics, "answered"):
        pairs = zip(values[EXPERIMENT, label], values[BASELINE, label], strict=True)
        values[DIFFERENCE, label] = [after - before for after, before in pairs]
    return values


def _ask_both(workspace: Workspace, cases: Sequence[LabelledQuery], run: PaperRun) -> dict[str, list[str]]:
    """Return the answers from the nearest pieces of text, and those of ``tickets ask``, by the same writer."""
    with of_ours("experiments", "tickets").both_answers(workspace, run.budget) as arms:
        asking = zip((BASELINE, EXPERIMENT), arms, strict=True)
        return {arm: [answer(case.text) for case in cases] for arm, answer in asking}


# -- table 3 -------------------------------------------------------------------------------------------------------


def _times(name: str, workspace: Workspace, tickets: Iterable[Ticket]) -> Table:
    """Return table 3: how long it took with and without what was found, and what the past tickets themselves took."""
    use = measure_use(workspace, None)
    arms = use.experiment.outcomes if use.experiment else None
    by_chance = arms is not None and all(group.seconds.n for group in arms.groups.values())
    compared, (used, not_used) = (arms, (TREATMENT, CONTROL)) if arms and by_chance else (use.use, ("used", "not_used"))
    differences = (compared.differences[f"seconds_{time}_relative"] for time in TIMES)
    past = of_ours("experiments", "tickets").resolution_times(tickets)
    rows = {
        NOT_USED: _hours(compared.groups[not_used].seconds),
        USED: _hours(compared.groups[used].seconds),
        BESIDE: [Cell.of(one, percent=True, missing=NO_TIMES) for one in differences],
        "Past tickets, from creation to resolution": _past_hours(past),
    }
    hours = PAPER.printed("hours")
    pairs = zip(hours[USED], hours[NOT_USED], strict=True)
    printed = {**hours, BESIDE: [round(100 * (after / before - 1), 1) for after, before in pairs]}
    return PAPER.table("hours", rows, printed, name=name, compared=compared.note, resolved=past.n)


def _hours(taken: Duration) -> list[Cell]:
    hours = (found.map(lambda seconds: seconds / SECONDS_AN_HOUR) for found in (taken.mean, taken.p50, taken.p90))
    return [Cell.of(found, missing=NO_TIMES) for found in hours]


def _past_hours(past: Any) -> list[Cell]:
    known = zip(TIMES, (past.mean, past.p50, past.p90), strict=True)
    hours = (NOT_MEASURED if value is None else Interval(value, *past.intervals[time]) for time, value in known)
    return [Cell.of(found, missing="no ticket is resolved") for found in hours]
