"""The tables of the response prediction paper, measured on workspaces: each stands where the paper has its company."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from autokb.core import reply_rules
from autokb.core.reply_rules import count_words, read_reply_rules
from autokb.evaluation.papers.cosine_picture import cosine_picture
from autokb.evaluation.papers.tables import NEEDS_PEOPLE, NOT_JUDGED, Cell, PaperTable
from autokb.evaluation.retrieval.retrievers import DECILES, IN_DOMAIN, OFF_TOPIC, RECALLS, best_threshold
from autokb.evaluation.statistics.bootstrap import NOT_MEASURED, Interval, mean_interval
from autokb.evaluation.statistics.experiment import paired_difference, paired_t_test, relative_difference
from autokb.evaluation.suggestions.cases import TextCount
from autokb.evaluation.suggestions.judging import RATES
from autokb.evaluation.suggestions.system_names import AUTOKB, GOLD, INCUMBENT
from autokb.studies.papers import PaperRun
from autokb.studies.papers.suggestion_figures import DraftedFile, Subject, Tried, measure_subjects
from autokb.suggesting.suggest import refusal_of

RATE_COLUMNS = ("accuracy %", "hallucination rate %", "missing rate %")
OPEN_SETS = ("SQUAD", "TriviaQA", "MS-MARCO")  # whose questions are no part of a workspace
THRESHOLD = 0.7  # cosine; the paper's, of its encoder
# What the paper prints, table by table.
COUNTS = {  # total, words of the article or query, words of the response
    "KB articles": (1205, 134.25, None),
    "In domain Q/A from KB articles": (4785, 10.7, 33.59),
    "In domain Q/A from previous history": (3000, 9.58, 28.81),
    "Out domain Q/A": (3660, 5.73, 5),
}
ENCODERS = {  # size, and per cent over USE
    "USE": (512, None, None, None),
    "SBERT": (768, 15.36, 9.42, 8.22),
    "Vertex AI": (768, 21.55, 13.87, 11.85),
}
AUTOMATED = {  # points between its system and the incumbent
    "Accuracy": ("accuracy", 10.15),
    "Hallucination": ("hallucination_rate", -4.76),
    "Missing rate": ("missing_rate", -5.43),
    "AlignScore": ("consistency_judged@1", 5.6),
    "Semantic similarity": ("semantic_similarity@1", 20.01),
    "AI-generated": ("human_touch", -40.17),
    "Likeness of words, tf-idf": ("tfidf_similarity@1", None),
    "Likeness of words, ROUGE-L": ("rouge_l@1", None),
}
BY_PEOPLE = {  # per cent over the incumbent
    "Contextual Relevance": ("relevance", 48.14),
    "Specificity": ("specificity", 97.97),
    "Completeness": ("completeness", 70.15),
    "Accuracy": ("accuracy", 45.69),
    "Hallucination Rate": ("hallucination_rate", -27.49),
    "Missing Rate": ("missing_rate", -70.02),
    "Preference": ("preferred", 200.61),
}
STRATEGIES = {  # name, K: our system, its baseline, per cent over the baseline
    "ReAct, K=1": ("react@1", "plain@1", (-2.13, 51.40, -34.38)),
    "ReAct, K=3": ("react@3", "plain@3", (7.08, -13.48, -19.38)),
    "CoVe, K=3": ("chain_of_verification@3", "plain@3", (-43.65, 27.43, 11.35)),
    "CoTP, K=3": ("chain_of_thought@3", "plain@3", (-3.45, 1.33, 1.98)),
}
LATENCY = {"reAct": ("react@3", (None, 4.0942, 6.2084)), "non-reAct": ("plain@3", (None, 0.8850, 1.1678))}
SAMPLES = {  # unique documents and their mean tokens, so of questions and answers
    "MS-MARCO": (4997, 58.80, 5000, 5.67, 4999, 14.37),
    "SQUAD": (5000, 94.21, 4994, 10.33, 4413, 2.59),
    "TriviaQA": (3530, 4321.4, 4087, 12.95, 3471, 1.67),
}
RECALL: dict[str, dict[str, tuple[float, ...]]] = {
    "SQUAD": {
        "USE, HNSW KNN": (0.4188, 0.5946, 0.6634, 0.7424),
        "SBERT, HNSW KNN": (0.6708, 0.8444, 0.8902, 0.9336),
        "Vertex AI, HNSW KNN": (0.6958, 0.8486, 0.8804, 0.911),
        "USE, ScaNN": (0.4282, 0.6116, 0.6834, 0.7666),
        "SBERT, ScaNN": (0.685, 0.8636, 0.913, 0.9584),
        "Vertex AI, ScaNN": (0.7156, 0.874, 0.908, 0.9414),
    },
    "TriviaQA": {
        "USE, HNSW KNN": (0.459, 0.6004, 0.6604, 0.7333),
        "SBERT, HNSW KNN": (0.793, 0.8691, 0.8921, 0.9171),
        "Vertex AI, HNSW KNN": (0.6423, 0.7487, 0.782, 0.8233),
        "USE, ScaNN": (0.4101, 0.6039, 0.6687, 0.7548),
        "SBERT, ScaNN": (0.7086, 0.8654, 0.8992, 0.9288),
        "Vertex AI, ScaNN": (0.5936, 0.759, 0.8038, 0.8537),
    },
    "MS-MARCO": {
        "USE, HNSW KNN": (0.5263, 0.6856, 0.7347, 0.784),
        "SBERT, HNSW KNN": (0.9128, 0.9798, 0.9878, 0.9925),
        "Vertex AI, HNSW KNN": (0.8194, 0.9241, 0.9425, 0.9577),
        "USE, ScaNN": (0.5347, 0.6996, 0.7518, 0.8035),
        "SBERT, ScaNN": (0.9132, 0.9816, 0.9896, 0.9944),
        "Vertex AI, ScaNN": (0.8296, 0.9376, 0.9581, 0.9738),
    },
}
GENERATED = {  # k and data: accuracy, hallucination rate, missing rate
    (1, "SQUAD"): (84.74, 8.36, 6.9),
    (1, "TriviaQA"): (58.48, 28.68, 12.8),
    (1, "MS-MARCO"): (89.06, 7.06, 3.86),
    (3, "SQUAD"): (91.32, 5.48, 3.2),
    (3, "TriviaQA"): (25.08, 67.41, 7.46),
    (3, "MS-MARCO"): (89.9, 6.93, 3.16),
}
GOLD_BASELINE = {"SQUAD": (98.14, 1.0, 0.86), "TriviaQA": (63.95, 22.85, 13.18), "MS-MARCO": (92.1, 4.64, 3.26)}
GOLD_STRATEGIES: dict[str, tuple[str, str, dict[str, tuple[float | None, ...]]]] = {
    "Table 10: chain of thought on the right documents": (
        "CoTP",
        "chain_of_thought",
        {
            "SQUAD": (94.58, 4.16, 1.9),
            "TriviaQA": (86.27, 6.45, 6.38),
            "MS-MARCO": (None, None, None),  # not legible in the copy at hand
        },
    ),
    "Table 11: chain of verification on the right documents": (
        "CoVe",
        "chain_of_verification",
        {"SQUAD": (95.96, 3.24, 0.8), "TriviaQA": (63.76, 23.83, 12.4), "MS-MARCO": (92.6, 5.54, 1.86)},
    ),
}

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
    for name in GOLD_STRATEGIES:
        yield _on_gold(name, subjects, run)


# -- counts -----------------------------------------------------------------------------------------------------------


def _counts(subjects: Sequence[Subject]) -> PaperTable:
    """Table 1: how many articles and questions there are, and how long they are."""
    rows, cells = [], []
    for subject in subjects:
        for (source, printed), ours in zip(COUNTS.items(), _counted(subject), strict=True):
            rows.append(f"{subject.name}: {source}")
            cells.append(tuple(_beside(cell, paper) for cell, paper in zip(ours, printed, strict=True)))
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
    return Cell(count.mean_words, missing=None if count.n else "there is no text")


def _sample_statistics(subjects: Sequence[Subject]) -> PaperTable:
    """Table 7: unique documents, questions and answers with their mean length."""
    columns = (
        *("unique documents", "words of a document"),
        *("unique questions", "words of a question", "unique answers", "words of an answer"),
    )
    rows = {subject.name: _unique(subject) for subject in subjects}
    missing = OPEN_QUESTIONS.format(systems="short_answer@1,short_answer@3")
    rows |= {name: tuple(Cell(paper=value, missing=missing) for value in values) for name, values in SAMPLES.items()}
    note = "The paper counts tokens, we count words between white space."
    return PaperTable("Table 7: the questions that are asked", tuple(rows), columns, tuple(rows.values()), note)


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
    rows |= {name: tuple(Cell(paper=v, missing=OTHER_ENCODERS) for v in values) for name, values in ENCODERS.items()}
    columns = ("embedding size", "R@1 %", "R@3 %", "R@5 %")
    note = (
        "The recalls of the workspace's own encoder are in table 8; ours is an exact search where the paper's is ScaNN."
    )
    return PaperTable("Table 2: encoders, per cent over the worst", tuple(rows), columns, tuple(rows.values()), note)


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
    for data, systems in RECALL.items():
        for system, values in systems.items():
            rows[f"{data}: {system}"] = tuple(Cell(paper=value, missing=OPEN_RETRIEVAL) for value in values)
    note = "Ours are the workspace's past issues with known documents, of which a question may have several."
    return PaperTable("Table 8: recall of documents", tuple(rows), RECALLS, tuple(rows.values()), note)


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
                ends = [Interval(share.value, share.low, share.high) for share in above]
                cells = (*deciles, Cell.of(ends[0], printed, percent=True), Cell.of(ends[1], percent=True))
                rows[f"{name}, {kind.replace('_', ' ')}"] = cells
    columns = (*(f"{part:.0%}" for part in DECILES), f"at least {THRESHOLD:g}, %", "at least ours, %")
    title = "Figure 4: cosine of question and first document, by tenths of the questions"
    note = " ".join((*notes, "A threshold belongs to its encoder."))
    return PaperTable(title, tuple(rows), columns, tuple(rows.values()), note, tuple(pictures))


# -- suggestions ------------------------------------------------------------------------------------------------------


def _automated(subject: Subject, run: PaperRun) -> PaperTable:
    """Table 3: the product beside the incumbent."""
    cells = []
    for label, (metric, printed) in AUTOMATED.items():
        reason = subject.suggestions.why_not or _why_missing(label, run)
        ours, theirs = (_figure(subject, system, metric, reason) for system in (AUTOKB, INCUMBENT))
        if label == "AlignScore":
            reason = CITES_NOTHING
            ours = _figure(subject, AUTOKB, metric if run.has_judge else "consistency@1", NOT_JUDGED)
            theirs = Cell(missing=reason)
        row = (ours, theirs, *_improvement(subject, metric, printed, reason))
        cells.append((_unlike_people(subject, printed) or row) if label == "AI-generated" else row)
    notes = (
        "Points between the two, per case; AlignScore offline is the share of words that what is cited bears out. "
        "AI-generated is what people say on a sheet that no person wrote; less of it is an improvement.",
        *((OF_DOCUMENTS,) if subject.from_chats.found is None else ()),
        *((WRITES_TOO,) if run.has_judge else ()),
    )
    columns = ("AutoKB %", "incumbent %", "improvement", P_VALUE)
    return PaperTable(
        f"Table 3: AutoKB over the incumbent, {subject.name}", tuple(AUTOMATED), columns, tuple(cells), " ".join(notes)
    )


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


def _figure(subject: Subject, system: str, metric: str, reason: str, paper: float | None = None) -> Cell:
    """Return a system's mean in per cent, or why there is none."""
    report = subject.suggestions.found
    body = report.systems.get(system) if report else None
    found = body.metrics.get(metric, NOT_MEASURED) if body else NOT_MEASURED
    if found.value is None:
        return Cell(paper=paper, missing=subject.suggestions.why_not or reason)
    return Cell.of(found, paper, percent=True)


def _improvement(subject: Subject, metric: str, paper: float | None, reason: str) -> tuple[Cell, Cell]:
    """Return the points between the two, and p."""
    report = subject.suggestions.found
    for paired in report.differences if report else ():
        if (paired.difference.system, paired.difference.metric) == (AUTOKB, metric):
            p = Cell(paired.p_value, missing=NO_SPREAD if paired.p_value is None else None)
            return Cell.of(paired.difference.interval, paper, percent=True), p
    return Cell(paper=paper, missing=reason), Cell(missing=reason)


def _by_people(subject: Subject) -> PaperTable:
    """Table 4: what people say of the two, on the sheets in the workspace's folder."""
    cells: list[tuple[Cell, ...]] = []
    for figure, printed in BY_PEOPLE.values():
        after, before = _both(subject, figure)
        if not after:
            missing = Cell(missing=subject.by_people.why_not or SHEET)
            cells.append((missing, missing, replace(missing, paper=printed), missing, Cell(0)))
            continue
        over = Cell.of(relative_difference(after, before), printed)
        cells.append((*(Cell.of(mean_interval(v)) for v in (after, before)), over, _p(after, before), Cell(len(after))))
    columns = ("AutoKB", "incumbent", "improvement %", P_VALUE, "cases")
    note = "Scores are means from 0 to 2, the others shares; a case counts by the mean of those who judged it."
    return PaperTable(
        f"Table 4: AutoKB over the incumbent, by people, {subject.name}", tuple(BY_PEOPLE), columns, tuple(cells), note
    )


def _p(after: Sequence[float], before: Sequence[float]) -> Cell:
    p = paired_t_test(after, before)
    return Cell(p, missing=NO_SPREAD if p is None else None)


def _strategies(subjects: Sequence[Subject], run: PaperRun) -> PaperTable:
    """Table 5: strategies in per cent over the plain one of as many passages."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for subject in subjects:
        for label, (system, baseline, printed) in STRATEGIES.items():
            pairs = (_relative(subject, run, system, baseline, *pair) for pair in zip(RATES, printed, strict=True))
            rows[f"{subject.name}: {label}"] = tuple(cell for pair in pairs for cell in pair)
    note = "Per cent over the plain strategy with as many passages." + (f" {WRITES_TOO}" if run.has_judge else "")
    columns = tuple(name for column in RATE_COLUMNS for name in (column, f"{column.removesuffix(' %')}, p"))
    return PaperTable("Table 5: strategies over the plain one", tuple(rows), columns, tuple(rows.values()), note)


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
        for label, (system, printed) in LATENCY.items():
            body = report.systems.get(system) if report else None
            seconds: Mapping[str, float | None] = body.seconds if body else dict.fromkeys(("p50", "p95", "p99"))
            reason = subject.suggestions.why_not or NEEDS_MODEL
            rows[f"{subject.name}: {label}"] = tuple(
                Cell(value, paper=paper, missing=reason if value is None else None)
                for value, paper in zip(seconds.values(), printed, strict=True)
            )
    note = (
        "In this process, one case after the other, up to a hundred; offline the plain strategy asks no model. The "
        "paper measured its service over 10,000 queries. Times differ from run to run, so the page leaves them out."
    )
    columns = ("p50 s", "p95 s", "p99 s")
    return PaperTable("Table 6: seconds to a suggestion", tuple(rows), columns, tuple(rows.values()), note, of_run=True)


def _generated(subjects: Sequence[Subject], run: PaperRun) -> PaperTable:
    """Table 9: how right the plain strategy is with one passage and three."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for passages in (1, 3):
        for subject in subjects:
            rows[f"k={passages}, {subject.name}"] = _rates(subject, run, f"plain@{passages}")
        missing = OPEN_QUESTIONS.format(systems="short_answer@1,short_answer@3")
        for name in OPEN_SETS:
            rows[f"k={passages}, {name}"] = tuple(Cell(paper=v, missing=missing) for v in GENERATED[passages, name])
    return PaperTable("Table 9: the plain strategy", tuple(rows), RATE_COLUMNS, tuple(rows.values()))


def _rates(subject: Subject, run: PaperRun, system: str) -> tuple[Cell, ...]:
    reason = NO_GOLD if run.has_judge and system.endswith(GOLD) else NOT_JUDGED
    return tuple(_figure(subject, system, rate, reason) for rate in RATES)


def _on_gold(title: str, subjects: Sequence[Subject], run: PaperRun) -> PaperTable:
    """Tables 10 and 11: a strategy beside the plain one, both from the documents that answer."""
    label, strategy, theirs = GOLD_STRATEGIES[title]
    missing = OPEN_QUESTIONS.format(systems=f"plain{GOLD},{strategy}{GOLD}")
    rows = {s.name: _rates(s, run, f"plain{GOLD}") + _rates(s, run, strategy + GOLD) for s in subjects}
    for name in OPEN_SETS:
        rows[name] = tuple(Cell(paper=value, missing=missing) for value in (*GOLD_BASELINE[name], *theirs[name]))
    columns = tuple(f"{of} {rate}" for of in ("baseline", label) for rate in RATE_COLUMNS)
    return PaperTable(title, tuple(rows), columns, tuple(rows.values()))


def _beside(cell: Cell, paper: float | None) -> Cell:
    return Cell(cell.value, paper=paper, missing=cell.missing)
