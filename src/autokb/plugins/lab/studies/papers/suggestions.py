"""The tables of the response prediction paper, measured on workspaces: each stands where the paper has its company."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from autokb.core import reply_rules
from autokb.core.reply_rules import count_words, read_reply_rules
from autokb.plugins.lab.evaluation.report import UNMEASURED, Cell, Table, picture
from autokb.plugins.lab.evaluation.retrieval.retrievers import (
    DECILES,
    IN_DOMAIN,
    OFF_TOPIC,
    RECALLS,
    FirstCosines,
    best_threshold,
)
from autokb.plugins.lab.evaluation.suggestions.cases import TextCount
from autokb.plugins.lab.evaluation.suggestions.judging import RATES
from autokb.plugins.lab.evaluation.system_names import AUTOKB, GOLD, INCUMBENT
from autokb.plugins.lab.studies.papers import NEEDS_PEOPLE, NOT_JUDGED, PaperRun, PaperTables
from autokb.plugins.lab.studies.papers.suggestion_figures import DraftedFile, Subject, Tried, measure_subjects
from autokb.stats.bootstrap import NOT_MEASURED, mean_interval
from autokb.stats.differences import paired_difference, paired_t_test, relative_difference
from autokb.suggesting.suggest import refusal_of

THRESHOLD = 0.7  # cosine; the paper's, of its encoder
PAPER = PaperTables("suggestions")

_SUGGESTIONS = "autokb evaluate suggestions WORKSPACE --cases FILE"
SHEET = NEEDS_PEOPLE.format(
    how=f"{_SUGGESTIONS} --sheet WORKSPACE/sheets/NAME.csv, then autokb serve WORKSPACE, at /evaluation/suggestions"
)
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


def tables(run: PaperRun) -> Iterator[Table]:
    """Give the paper's tables in its order."""
    subjects = list(measure_subjects(run))
    yield _counts(subjects)
    yield _over_the_worst(subjects)
    yield _cosines(subjects)
    for subject in subjects:
        yield _automated(subject, run)
    yield from map(_by_people, subjects)
    yield _strategies(subjects, run)
    yield _latency(subjects)
    yield _sample_statistics(subjects)
    yield _recalls(subjects)
    yield _generated(subjects, run)
    for strategy in ("chain_of_thought", "chain_of_verification"):
        rows = {s.name: _rates(s, run, f"plain{GOLD}") + _rates(s, run, strategy + GOLD) for s in subjects}
        yield PAPER.table(strategy, rows, missing=OPEN_QUESTIONS.format(systems=f"plain{GOLD},{strategy}{GOLD}"))


# -- counts -----------------------------------------------------------------------------------------------------------


def _counts(subjects: Sequence[Subject]) -> Table:
    """Return table 1: how many articles and questions there are, and how long they are."""
    sources = PAPER.printed("counts")
    rows = [
        (f"{subject.name}: {source}", cells)
        for subject in subjects
        for source, cells in zip(sources, _counted(subject), strict=True)
    ]
    printed = {f"{s.name}: {source}": values for s in subjects for source, values in sources.items()}
    return PAPER.table("counts", rows, printed)


def _counted(subject: Subject) -> Iterator[tuple[Cell, Cell, Cell]]:
    yield *_number_and_words(subject.documents), NOT_APPLICABLE
    yield _pairs(subject.from_documents)
    if subject.from_chats.found is None and subject.past_issues:
        yield *_number_and_words(subject.past_issues), Cell(missing=NO_REPLIES)
    else:
        yield _pairs(subject.from_chats)
    refusal = refusal_of(read_reply_rules(subject.spec.reply), subject.spec, reply_rules.OFF_TOPIC)
    yield *_number_and_words(subject.off_topic), Cell(count_words(refusal))


def _number_and_words(texts: Iterable[str]) -> tuple[Cell, Cell]:
    """Return how many texts there are, and their mean number of words."""
    counts = TextCount.of(texts)
    return Cell(counts.n), _mean(counts)


def _pairs(drafted: Tried[DraftedFile]) -> tuple[Cell, Cell, Cell]:
    if drafted.found is None:
        return (Cell(missing=drafted.why_not),) * 3
    counts = drafted.found.statistics
    return Cell(counts.questions.n), _mean(counts.questions), _mean(counts.replies)


def _mean(count: TextCount) -> Cell:
    return Cell.known(count.mean_words, "there is no text")


def _sample_statistics(subjects: Sequence[Subject]) -> Table:
    """Return table 7: unique documents, questions and answers with their mean length."""
    rows = {}
    for subject in subjects:
        if (drafted := subject.cases.found) is None:
            rows[subject.name] = [Cell(missing=subject.cases.why_not)] * 6
            continue
        questions, replies = (case.question for case in drafted.cases), (c.reply for c in drafted.cases if c.reply)
        texts = (subject.documents, questions, replies)
        rows[subject.name] = [cell for kind in texts for cell in _number_and_words(dict.fromkeys(kind))]
    return PAPER.table("samples", rows, missing=OPEN_QUESTIONS.format(systems="short_answer@1,short_answer@3"))


# -- retrieval --------------------------------------------------------------------------------------------------------


def _over_the_worst(subjects: Sequence[Subject]) -> Table:
    """Return table 2: recall in per cent over the worst encoder."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for subject in subjects:
        sizes = subject.retrievers.found.dimensions if subject.retrievers.found else {}
        above = Cell(missing=subject.retrievers.why_not or ONE_ENCODER)
        rows |= {f"{subject.name}: {encoder}": (Cell(size), above, above, above) for encoder, size in sizes.items()}
    return PAPER.table("encoders", rows, missing=OTHER_ENCODERS)


def _recalls(subjects: Sequence[Subject]) -> Table:
    """Return table 8: recall by encoder and search."""
    rows = {}
    for subject in subjects:
        report = subject.retrievers.found
        if report is None:
            rows[subject.name] = [Cell(missing=subject.retrievers.why_not)] * len(RECALLS)
            continue
        for system, body in report.results.systems.items():
            rows[f"{subject.name}: {system}"] = [Cell.of(body.metrics[recall]) for recall in RECALLS]
    printed = PAPER.printed("recall").items()
    theirs = {f"{data}: {system}": of for data, systems in printed for system, of in systems.items()}
    return PAPER.table("recall", rows, theirs, missing=OPEN_RETRIEVAL)


def _cosines(subjects: Sequence[Subject]) -> Table:
    """Return figure 4: how near the document is that is found first, of questions in and out of the domain."""
    rows: dict[str, list[Cell]] = {}
    printed, pictures, notes = {}, [], []
    for subject in subjects:
        report = subject.retrievers.found
        if report is None:
            rows[subject.name] = [Cell(missing=subject.retrievers.why_not)] * (len(DECILES) + 2)
            continue
        for encoder, kinds in report.cosines.items():
            best, name = best_threshold(kinds), f"{subject.name}: {encoder}"
            notes.append(f"{name}: {best:g} tells the two kinds best apart. ")
            pictures.append(cosine_picture(name, kinds, best))
            for kind, theirs in PAPER.printed("cosines").items():
                of_kind, row = kinds[kind], f"{name}, {kind.replace('_', ' ')}"
                deciles = [Cell(value) for value in of_kind.deciles] or [Cell(missing="there is no question")] * 9
                shares = [Cell.of(of_kind.at_least[f"{t:g}"], percent=True) for t in (THRESHOLD, best)]
                rows[row] = [*deciles, *shares]
                printed[row] = (*(None for _ in deciles), theirs)
    return PAPER.table("cosines", rows, printed, pictures=pictures, threshold=THRESHOLD, best="".join(notes))


def cosine_picture(title: str, cosines: Mapping[str, FirstCosines], best: float) -> str:
    """Return an SVG of shares of questions by cosine, 0 to 1, with our threshold and the paper's."""
    histograms = {kind.replace("_", " "): cosines[kind].histogram for kind in (IN_DOMAIN, OFF_TOPIC)}
    kinds = {kind: [count / (sum(counts) or 1) for count in counts] for kind, counts in histograms.items()}
    top = max((share for shares in kinds.values() for share in shares), default=0.0) or 1.0
    thresholds = {f"ours {best:g}": best, f"the paper's {THRESHOLD:g}": THRESHOLD}
    return picture("cosines", title=title, kinds=kinds, top=top, thresholds=thresholds)


# -- suggestions ------------------------------------------------------------------------------------------------------


def _automated(subject: Subject, run: PaperRun) -> Table:
    """Return table 3: the product beside the incumbent."""
    rows = {}
    for label, (metric, _) in PAPER.printed("automated").items():
        reason = subject.suggestions.why_not or _why_missing(label, run)
        ours, theirs = (_figure(subject, system, metric, reason) for system in (AUTOKB, INCUMBENT))
        if label == "AlignScore":
            reason = CITES_NOTHING
            ours = _figure(subject, AUTOKB, metric if run.has_judge else "consistency@1", NOT_JUDGED)
            theirs = Cell(missing=reason)
        by_people = _unlike_people(subject) if label == "AI-generated" else ()
        rows[label] = by_people or (ours, theirs, *_improvement(subject, metric, reason))
    notes = [*([OF_DOCUMENTS] if subject.from_chats.found is None else []), *([WRITES_TOO] if run.has_judge else [])]
    printed = {label: (None, None, theirs) for label, (_, theirs) in PAPER.printed("automated").items()}
    return PAPER.table("automated", rows, printed, name=subject.name, notes=notes)


def _unlike_people(subject: Subject) -> tuple[Cell, ...]:
    """Return the row of what no person could have written, by people on the sheets of the workspace; empty without."""
    after, before = _both(subject, "human_touch")
    if not after:
        return ()
    shares = (Cell.of(mean_interval([1 - mark for mark in marks]), percent=True) for marks in (after, before))
    return (*shares, Cell.of(paired_difference(after, before), percent=True), _p(after, before))


def _both(subject: Subject, figure: str) -> tuple[list[float], list[float]]:
    """Return what people gave ours and the incumbent, of the cases in which they judged both."""
    found = subject.by_people.found or {}
    return _paired(*(found.get(system, {}).get(figure, {}) for system in (AUTOKB, INCUMBENT)))


def _paired(ours: Mapping[str, float], theirs: Mapping[str, float]) -> tuple[list[float], list[float]]:
    both = [case for case in ours if case in theirs]
    return [ours[case] for case in both], [theirs[case] for case in both]


def _why_missing(label: str, run: PaperRun) -> str:
    known = {"Semantic similarity": ANOTHER_ENCODER, "AI-generated": SHEET}
    return known.get(label, UNMEASURED if run.has_judge else NOT_JUDGED)


def _figure(subject: Subject, system: str, metric: str, reason: str) -> Cell:
    """Return a system's mean in per cent, or why there is none."""
    report = subject.suggestions.found
    body = report.systems.get(system) if report else None
    found = body.metrics.get(metric, NOT_MEASURED) if body else NOT_MEASURED
    return Cell.of(found, percent=True, missing=subject.suggestions.why_not or reason)


def _improvement(subject: Subject, metric: str, reason: str) -> tuple[Cell, Cell]:
    """Return the points between the two, and p."""
    report = subject.suggestions.found
    for paired in report.differences if report else ():
        if (paired.difference.system, paired.difference.metric) == (AUTOKB, metric):
            p = Cell.known(paired.p_value, NO_SPREAD)
            return Cell.of(paired.difference.interval, percent=True), p
    return Cell(missing=reason), Cell(missing=reason)


def _by_people(subject: Subject) -> Table:
    """Return table 4: what people say of the two, on the sheets in the workspace's folder."""
    rows = {}
    for label, (figure, _) in PAPER.printed("by_people").items():
        after, before = _both(subject, figure)
        if after:
            over = Cell.of(relative_difference(after, before))
            figures = (*(Cell.of(mean_interval(v)) for v in (after, before)), over, _p(after, before))
        else:
            figures = (Cell(missing=subject.by_people.why_not or SHEET),) * 4
        rows[label] = (*figures, Cell(len(after)))
    printed = {label: (None, None, theirs) for label, (_, theirs) in PAPER.printed("by_people").items()}
    return PAPER.table("by_people", rows, printed, name=subject.name)


def _p(after: Sequence[float], before: Sequence[float]) -> Cell:
    return Cell.known(paired_t_test(after, before), NO_SPREAD)


def _strategies(subjects: Sequence[Subject], run: PaperRun) -> Table:
    """Return table 5: strategies in per cent over the plain one of as many passages."""
    rows, printed = {}, {}
    for subject in subjects:
        for label, (system, baseline, theirs) in PAPER.printed("strategies").items():
            row = f"{subject.name}: {label}"
            rows[row] = [cell for rate in RATES for cell in _relative(subject, run, system, baseline, rate)]
            printed[row] = [value for figure in theirs for value in (figure, None)]
    return PAPER.table("strategies", rows, printed, notes=[WRITES_TOO] if run.has_judge else [])


def _relative(subject: Subject, run: PaperRun, system: str, baseline: str, rate: str) -> tuple[Cell, Cell]:
    """Return per cent over the baseline, and p of the paired t-test."""
    report = subject.suggestions.found
    if report is None or not run.has_judge:
        return (Cell(missing=subject.suggestions.why_not or NOT_JUDGED),) * 2
    after, before = _paired(*(report.systems[name].per_query.get(rate, {}) for name in (system, baseline)))
    return Cell.of(relative_difference(after, before)), _p(after, before)


def _latency(subjects: Sequence[Subject]) -> Table:
    """Return table 6: how long a suggestion takes with and without ReAct."""
    rows, printed = {}, {}
    for subject in subjects:
        systems = subject.suggestions.found.systems if subject.suggestions.found else {}
        reason = subject.suggestions.why_not or NEEDS_MODEL
        for label, (system, theirs) in PAPER.printed("latency").items():
            seconds = systems[system].seconds.values() if system in systems else (None,) * len(theirs)
            rows[f"{subject.name}: {label}"] = [Cell.known(value, reason) for value in seconds]
            printed[f"{subject.name}: {label}"] = theirs
    return PAPER.table("latency", rows, printed)


def _generated(subjects: Sequence[Subject], run: PaperRun) -> Table:
    """Return table 9: how right the plain strategy is with one passage and three."""
    rows: dict[str, tuple[Cell, ...]] = {}
    printed: dict[str, Sequence[float]] = {}
    open_questions = Cell(missing=OPEN_QUESTIONS.format(systems="short_answer@1,short_answer@3"))
    for passages, theirs in PAPER.printed("generated").items():
        rows |= {f"k={passages}, {subject.name}": _rates(subject, run, f"plain@{passages}") for subject in subjects}
        rows |= {f"k={passages}, {name}": (open_questions,) * len(RATES) for name in theirs}
        printed |= {f"k={passages}, {name}": values for name, values in theirs.items()}
    return PAPER.table("generated", rows, printed)


def _rates(subject: Subject, run: PaperRun, system: str) -> tuple[Cell, ...]:
    reason = NO_GOLD if run.has_judge and system.endswith(GOLD) else NOT_JUDGED
    return tuple(_figure(subject, system, rate, reason) for rate in RATES)
