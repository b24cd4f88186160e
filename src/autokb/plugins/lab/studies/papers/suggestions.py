"""The tables of the response prediction paper, measured on workspaces: each stands where the paper has its company."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from autokb.core import reply_rules
from autokb.core.reply_rules import count_words, read_reply_rules
from autokb.plugins.lab.evaluation.papers.cosine_picture import cosine_picture
from autokb.plugins.lab.evaluation.papers.tables import NEEDS_PEOPLE, NOT_JUDGED, Cell, PaperTable
from autokb.plugins.lab.evaluation.retrieval.retrievers import DECILES, IN_DOMAIN, OFF_TOPIC, RECALLS, best_threshold
from autokb.plugins.lab.evaluation.suggestions.cases import TextCount
from autokb.plugins.lab.evaluation.suggestions.judging import RATES
from autokb.plugins.lab.evaluation.suggestions.system_names import AUTOKB, GOLD, INCUMBENT
from autokb.plugins.lab.studies.papers import PaperRun
from autokb.plugins.lab.studies.papers.printed import printed_tables
from autokb.plugins.lab.studies.papers.suggestion_figures import DraftedFile, Subject, Tried, measure_subjects
from autokb.stats.bootstrap import NOT_MEASURED, mean_interval
from autokb.stats.differences import paired_difference, paired_t_test, relative_difference
from autokb.suggesting.suggest import refusal_of

RATE_COLUMNS = ("accuracy %", "hallucination rate %", "missing rate %")
THRESHOLD = 0.7  # cosine; the paper's, of its encoder
PRINTED = printed_tables("suggestions")

_SUGGESTIONS = "autokb evaluate suggestions WORKSPACE --cases FILE"
SHEET = NEEDS_PEOPLE.format(
    how=f"{_SUGGESTIONS} --sheet WORKSPACE/sheets/NAME.csv, then autokb serve WORKSPACE, at /evaluation/suggestions"
)
P_VALUE = "p (paired t-test)"
NO_SPREAD = "all cases differ by the same, or there is but one: nothing to test"
OWN_REPORT = "no command fills this cell; {command} prints such figures in a report of its own"
RETRIEVERS = OWN_REPORT.format(command="autokb evaluate retrievers WORKSPACE --embedders packaged,local:FOLDER")
OTHER_ENCODERS = f"the paper's encoder is not at hand, and {RETRIEVERS}"
ONE_ENCODER = f"one encoder is above none, and {RETRIEVERS}"
OPEN_RETRIEVAL = f"open questions are no part of a workspace, and of a workspace of their documents {RETRIEVERS}"
OPEN_QUESTIONS = "open questions are no part of a workspace, and with them as cases " + OWN_REPORT.format(
    command=f"{_SUGGESTIONS} --systems {{systems}} --judge --model MODEL"
)
NO_GOLD = f"no case names a document: autokb draft-cases WORKSPACE FILE, fill in documents, then {_SUGGESTIONS}"
ANOTHER_ENCODER = "needs an encoder that is not the retriever's, and " + OWN_REPORT.format(
    command=f"{_SUGGESTIONS} --similarity local:FOLDER"
)
CITES_NOTHING = "the incumbent cites nothing that it could agree with"
NO_REPLIES = "past issues have no reply; add conversations: autokb add WORKSPACE FILE --as chats"
NEEDS_MODEL = "needs a model: name one with --judge MODEL"
NOT_APPLICABLE = Cell("none")
OF_DOCUMENTS = (
    "No chats are added: the cases are headings and first sentences of the documents, which the product quotes, so its "
    "likeness to them is flattered; add past conversations (--as chats) for people's questions and replies."
)
WRITES_TOO = "The model that judges also writes what the strategies suggest; another judge would be more independent."


def tables(run: PaperRun) -> Iterator[PaperTable]:
    """Give the paper's tables in its order."""
    subjects = list(measure_subjects(run))
    yield _counts(subjects)
    yield _over_the_worst(subjects)
    yield _cosines(subjects)
    for subject in subjects:
        yield _automated(subject, run)
    for subject in subjects:
        yield _by_people(subject)
    yield _strategies(subjects, run)
    yield _latency(subjects)
    yield _sample_statistics(subjects)
    yield _recalls(subjects)
    yield _generated(subjects, run)
    for name in PRINTED["gold_strategies"]:
        yield _on_gold(name, subjects, run)


# -- counts -----------------------------------------------------------------------------------------------------------


def _counts(subjects: Sequence[Subject]) -> PaperTable:
    """Table 1: how many articles and questions there are, and how long they are."""
    rows, cells = [], []
    for subject in subjects:
        for (source, printed), ours in zip(PRINTED["counts"].items(), _counted(subject), strict=True):
            rows.append(f"{subject.name}: {source}")
            cells.append(tuple(replace(cell, paper=paper) for cell, paper in zip(ours, printed, strict=True)))
    columns = ("total", "words of the article or query", "words of the response")
    note = "Lengths are words between white space. Questions about other things are everyday ones that ship."
    return PaperTable("Table 1: articles, questions and replies", tuple(rows), columns, tuple(cells), note)


def _counted(subject: Subject) -> Iterator[tuple[Cell, Cell, Cell]]:
    articles = TextCount.of(subject.documents)
    yield Cell(articles.n), _mean(articles), NOT_APPLICABLE
    yield _pairs(subject.from_documents)
    if subject.from_chats.found is None and subject.past_issues:
        asked = TextCount.of(subject.past_issues)
        yield Cell(asked.n), _mean(asked), Cell(missing=NO_REPLIES)
    else:
        yield _pairs(subject.from_chats)
    others = TextCount.of(subject.off_topic)
    refusal = count_words(refusal_of(read_reply_rules(subject.spec.reply), subject.spec, reply_rules.OFF_TOPIC))
    yield Cell(others.n), _mean(others), Cell(refusal)


def _pairs(drafted: Tried[DraftedFile]) -> tuple[Cell, Cell, Cell]:
    if drafted.found is None:
        return (Cell(missing=drafted.why_not),) * 3
    counts = drafted.found.statistics
    return Cell(counts.questions.n), _mean(counts.questions), _mean(counts.replies)


def _mean(count: TextCount) -> Cell:
    return Cell.known(count.mean_words, "there is no text")


def _sample_statistics(subjects: Sequence[Subject]) -> PaperTable:
    """Table 7: unique documents, questions and answers with their mean length."""
    columns = (
        *("unique documents", "words of a document"),
        *("unique questions", "words of a question", "unique answers", "words of an answer"),
    )
    rows = {subject.name: _unique(subject) for subject in subjects}
    missing = OPEN_QUESTIONS.format(systems="short_answer@1,short_answer@3")
    rows |= {name: Cell.unmeasured(values, missing) for name, values in PRINTED["samples"].items()}
    note = "The paper counts tokens, we count words between white space."
    return PaperTable.of("Table 7: the questions that are asked", rows, columns, note)


def _unique(subject: Subject) -> tuple[Cell, ...]:
    drafted = subject.cases
    if drafted.found is None:
        return (Cell(missing=drafted.why_not),) * 6
    cases = drafted.found.cases
    kinds = (subject.documents, (case.question for case in cases), (case.reply for case in cases if case.reply))
    counts = [TextCount.of(dict.fromkeys(texts)) for texts in kinds]
    return tuple(cell for count in counts for cell in (Cell(count.n), _mean(count)))


# -- retrieval --------------------------------------------------------------------------------------------------------


def _over_the_worst(subjects: Sequence[Subject]) -> PaperTable:
    """Table 2: recall in per cent over the worst encoder."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for subject in subjects:
        sizes = subject.retrievers.found.dimensions if subject.retrievers.found else {}
        above = Cell(missing=subject.retrievers.why_not or ONE_ENCODER)
        rows |= {f"{subject.name}: {encoder}": (Cell(size), above, above, above) for encoder, size in sizes.items()}
    rows |= {name: Cell.unmeasured(values, OTHER_ENCODERS) for name, values in PRINTED["encoders"].items()}
    columns = ("embedding size", "R@1 %", "R@3 %", "R@5 %")
    note = (
        "The recalls of the workspace's own encoder are in table 8; ours is an exact search where the paper's is ScaNN."
    )
    return PaperTable.of("Table 2: encoders, per cent over the worst", rows, columns, note)


def _recalls(subjects: Sequence[Subject]) -> PaperTable:
    """Table 8: recall by encoder and search."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for subject in subjects:
        report = subject.retrievers.found
        if report is None:
            rows[subject.name] = (Cell(missing=subject.retrievers.why_not),) * len(RECALLS)
            continue
        for system, body in report.results.systems.items():
            rows[f"{subject.name}: {system}"] = tuple(Cell.of(body.metrics[recall]) for recall in RECALLS)
    for data, systems in PRINTED["recall"].items():
        for system, values in systems.items():
            rows[f"{data}: {system}"] = Cell.unmeasured(values, OPEN_RETRIEVAL)
    note = "Ours are the workspace's past issues with known documents, of which a question may have several."
    return PaperTable.of("Table 8: recall of documents", rows, RECALLS, note)


def _cosines(subjects: Sequence[Subject]) -> PaperTable:
    """Figure 4: how near the document is that is found first, of questions in and out of the domain."""
    rows: dict[str, tuple[Cell, ...]] = {}
    pictures, notes = [], []
    for subject in subjects:
        report = subject.retrievers.found
        if report is None:
            missing = Cell(missing=subject.retrievers.why_not)
            rows[subject.name] = (missing,) * (len(DECILES) + 2)
            continue
        for encoder, kinds in report.cosines.items():
            best, name = best_threshold(kinds), f"{subject.name}: {encoder}"
            notes.append(f"{name}: {best:g} tells the two kinds best apart.")
            lines = {f"ours {best:g}": best, f"the paper's {THRESHOLD:g}": THRESHOLD}
            shown = {kind.replace("_", " "): kinds[kind].histogram for kind in (IN_DOMAIN, OFF_TOPIC)}
            pictures.append(cosine_picture(name, shown, lines))
            for kind, printed in ((IN_DOMAIN, 88.96), (OFF_TOPIC, 1.41)):
                of_kind = kinds[kind]
                deciles = [Cell(value) for value in of_kind.deciles] or [Cell(missing="there is no question")] * 9
                above = (of_kind.at_least[f"{t:g}"] for t in (THRESHOLD, best))
                shares = (Cell.of(one, paper, percent=True) for one, paper in zip(above, (printed, None), strict=True))
                rows[f"{name}, {kind.replace('_', ' ')}"] = (*deciles, *shares)
    columns = (*(f"{part:.0%}" for part in DECILES), f"at least {THRESHOLD:g}, %", "at least ours, %")
    title = "Figure 4: cosine of question and first document, by tenths of the questions"
    note = " ".join((*notes, "A threshold belongs to its encoder."))
    return PaperTable.of(title, rows, columns, note, pictures=tuple(pictures))


# -- suggestions ------------------------------------------------------------------------------------------------------


def _automated(subject: Subject, run: PaperRun) -> PaperTable:
    """Table 3: the product beside the incumbent."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for label, (metric, printed) in PRINTED["automated"].items():
        reason = subject.suggestions.why_not or _why_missing(label, run)
        ours, theirs = (_figure(subject, system, metric, reason) for system in (AUTOKB, INCUMBENT))
        if label == "AlignScore":
            reason = CITES_NOTHING
            ours = _figure(subject, AUTOKB, metric if run.has_judge else "consistency@1", NOT_JUDGED)
            theirs = Cell(missing=reason)
        row = (ours, theirs, *_improvement(subject, metric, printed, reason))
        rows[label] = (_unlike_people(subject, printed) or row) if label == "AI-generated" else row
    notes = (
        "Points between the two, per case; AlignScore offline is the share of words that what is cited bears out. "
        "AI-generated is what people say on a sheet that no person wrote; less of it is an improvement.",
        *((OF_DOCUMENTS,) if subject.from_chats.found is None else ()),
        *((WRITES_TOO,) if run.has_judge else ()),
    )
    columns = ("AutoKB %", "incumbent %", "improvement", P_VALUE)
    return PaperTable.of(f"Table 3: AutoKB over the incumbent, {subject.name}", rows, columns, " ".join(notes))


def _unlike_people(subject: Subject, printed: float | None) -> tuple[Cell, ...] | None:
    """Return the row of what no person could have written, by people on the sheets of the workspace; None without."""
    after, before = _both(subject, "human_touch")
    if not after:
        return None
    shares = (Cell.of(mean_interval([1 - mark for mark in marks]), percent=True) for marks in (after, before))
    return (*shares, Cell.of(paired_difference(after, before), printed, percent=True), _p(after, before))


def _both(subject: Subject, figure: str) -> tuple[list[float], list[float]]:
    """Return what people gave ours and the incumbent, of the cases in which they judged both."""
    found = subject.by_people.found or {}
    ours, theirs = (found.get(system, {}).get(figure, {}) for system in (AUTOKB, INCUMBENT))
    both = [case for case in ours if case in theirs]
    return [ours[case] for case in both], [theirs[case] for case in both]


def _why_missing(label: str, run: PaperRun) -> str:
    known = {"Semantic similarity": ANOTHER_ENCODER, "AI-generated": SHEET}
    return known.get(label, "there is nothing to measure" if run.has_judge else NOT_JUDGED)


def _figure(subject: Subject, system: str, metric: str, reason: str) -> Cell:
    """Return a system's mean in per cent, or why there is none."""
    report = subject.suggestions.found
    body = report.systems.get(system) if report else None
    found = body.metrics.get(metric, NOT_MEASURED) if body else NOT_MEASURED
    return Cell.of(found, percent=True, missing=subject.suggestions.why_not or reason)


def _improvement(subject: Subject, metric: str, paper: float | None, reason: str) -> tuple[Cell, Cell]:
    """Return the points between the two, and p."""
    report = subject.suggestions.found
    for paired in report.differences if report else ():
        if (paired.difference.system, paired.difference.metric) == (AUTOKB, metric):
            p = Cell.known(paired.p_value, NO_SPREAD)
            return Cell.of(paired.difference.interval, paper, percent=True), p
    return Cell(paper=paper, missing=reason), Cell(missing=reason)


def _by_people(subject: Subject) -> PaperTable:
    """Table 4: what people say of the two, on the sheets in the workspace's folder."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for label, (figure, printed) in PRINTED["by_people"].items():
        after, before = _both(subject, figure)
        if not after:
            missing = Cell(missing=subject.by_people.why_not or SHEET)
            rows[label] = (missing, missing, replace(missing, paper=printed), missing, Cell(0))
            continue
        over = Cell.of(relative_difference(after, before), printed)
        rows[label] = (*(Cell.of(mean_interval(v)) for v in (after, before)), over, _p(after, before), Cell(len(after)))
    columns = ("AutoKB", "incumbent", "improvement %", P_VALUE, "cases")
    note = "Scores are means from 0 to 2, the others shares; a case counts by the mean of those who judged it."
    return PaperTable.of(f"Table 4: AutoKB over the incumbent, by people, {subject.name}", rows, columns, note)


def _p(after: Sequence[float], before: Sequence[float]) -> Cell:
    return Cell.known(paired_t_test(after, before), NO_SPREAD)


def _strategies(subjects: Sequence[Subject], run: PaperRun) -> PaperTable:
    """Table 5: strategies in per cent over the plain one of as many passages."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for subject in subjects:
        for label, (system, baseline, printed) in PRINTED["strategies"].items():
            pairs = (_relative(subject, run, system, baseline, *pair) for pair in zip(RATES, printed, strict=True))
            rows[f"{subject.name}: {label}"] = tuple(cell for pair in pairs for cell in pair)
    note = "Per cent over the plain strategy with as many passages." + (f" {WRITES_TOO}" if run.has_judge else "")
    columns = tuple(name for column in RATE_COLUMNS for name in (column, f"{column.removesuffix(' %')}, p"))
    return PaperTable.of("Table 5: strategies over the plain one", rows, columns, note)


def _relative(
    subject: Subject, run: PaperRun, system: str, baseline: str, rate: str, paper: float
) -> tuple[Cell, Cell]:
    """Return per cent over the baseline, and p of the paired t-test."""
    report = subject.suggestions.found
    if report is None or not run.has_judge:
        missing = Cell(missing=subject.suggestions.why_not or NOT_JUDGED)
        return replace(missing, paper=paper), missing
    after, before = (report.systems[name].per_query.get(rate, {}) for name in (system, baseline))
    both = [case for case in after if case in before]
    ours, theirs = [after[c] for c in both], [before[c] for c in both]
    return Cell.of(relative_difference(ours, theirs), paper), _p(ours, theirs)


def _latency(subjects: Sequence[Subject]) -> PaperTable:
    """Table 6: how long a suggestion takes with and without ReAct."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for subject in subjects:
        report = subject.suggestions.found
        for label, (system, printed) in PRINTED["latency"].items():
            body = report.systems.get(system) if report else None
            seconds: Mapping[str, float | None] = body.seconds if body else dict.fromkeys(("p50", "p95", "p99"))
            reason = subject.suggestions.why_not or NEEDS_MODEL
            pairs = zip(seconds.values(), printed, strict=True)
            rows[f"{subject.name}: {label}"] = tuple(Cell.known(value, reason, paper) for value, paper in pairs)
    note = (
        "In this process, one case after the other, up to a hundred; offline the plain strategy asks no model. The "
        "paper measured its service over 10,000 queries. Times differ from run to run, so the page leaves them out."
    )
    columns = ("p50 s", "p95 s", "p99 s")
    return PaperTable.of("Table 6: seconds to a suggestion", rows, columns, note, of_run=True)


def _generated(subjects: Sequence[Subject], run: PaperRun) -> PaperTable:
    """Table 9: how right the plain strategy is with one passage and three."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for passages in (1, 3):
        for subject in subjects:
            rows[f"k={passages}, {subject.name}"] = _rates(subject, run, f"plain@{passages}")
        missing = OPEN_QUESTIONS.format(systems="short_answer@1,short_answer@3")
        for name, values in PRINTED["generated"][passages].items():
            rows[f"k={passages}, {name}"] = Cell.unmeasured(values, missing)
    return PaperTable.of("Table 9: the plain strategy", rows, RATE_COLUMNS)


def _rates(subject: Subject, run: PaperRun, system: str) -> tuple[Cell, ...]:
    reason = NO_GOLD if run.has_judge and system.endswith(GOLD) else NOT_JUDGED
    return tuple(_figure(subject, system, rate, reason) for rate in RATES)


def _on_gold(title: str, subjects: Sequence[Subject], run: PaperRun) -> PaperTable:
    """Tables 10 and 11: a strategy beside the plain one, both from the documents that answer."""
    label, strategy, theirs = PRINTED["gold_strategies"][title]
    missing = OPEN_QUESTIONS.format(systems=f"plain{GOLD},{strategy}{GOLD}")
    rows = {s.name: _rates(s, run, f"plain{GOLD}") + _rates(s, run, strategy + GOLD) for s in subjects}
    for name, plain in PRINTED["gold_baseline"].items():
        rows[name] = Cell.unmeasured((*plain, *theirs[name]), missing)
    columns = tuple(f"{of} {rate}" for of in ("baseline", label) for rate in RATE_COLUMNS)
    return PaperTable.of(title, rows, columns)
