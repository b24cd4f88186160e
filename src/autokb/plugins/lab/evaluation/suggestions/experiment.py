"""Every system suggests replies to every case, and each figure says how sure it is (response prediction paper, 4.2)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autokb.answering.suggest import Suggestion
from autokb.core.domain import ENGLISH
from autokb.core.nouns import Evidence
from autokb.core.reply_rules import count_words
from autokb.core.spending import NOTHING_SPENT, Spending
from autokb.core.tickets import TicketEvidence
from autokb.plugins.lab.evaluation.experiment import Difference, ModelUsage
from autokb.plugins.lab.evaluation.report import Record
from autokb.plugins.lab.evaluation.suggestions.cases import Case
from autokb.plugins.lab.evaluation.suggestions.judging import RATES, JudgedOffer, Verdict, mechanical_verdict
from autokb.plugins.lab.evaluation.suggestions.sheet import SheetFigures
from autokb.plugins.lab.evaluation.suggestions.text_metrics import (
    InverseFrequencies,
    distinctness,
    exact_match,
    rouge_l,
    supported_sentences,
    supported_share,
    token_f1,
)
from autokb.stats.bootstrap import NOT_MEASURED, Interval, mean_interval
from autokb.stats.differences import paired_difference, paired_t_test
from autokb.stats.samples import PERCENTILES, nearest_rank

SECONDS = "seconds"  # of a case: a figure of the run, which is in no difference, as another run has another one
MOST = 3  # suggestions that a person is shown, and that a figure ``@3`` looks at
Compare = Callable[[str, str], float]  # a reply and a person's: how alike they are
Cited = Evidence | TicketEvidence


@dataclass(frozen=True, slots=True)
class Offer:
    """What a system suggests for one case; ``refuses`` says that it offers no help.

    ``cites`` is false where it never names where its words are from. ``spending`` is what models were asked for it;
    where it ``fell_back``, a model failed and other words stood in.
    """

    suggestions: tuple[Suggestion, ...]
    refuses: bool
    seconds: float = 0.0
    spending: Spending = NOTHING_SPENT
    cites: bool = True
    fell_back: bool = False


System = Callable[[Case], Offer | None]  # None where the system cannot be asked: a case without documents
Offers = Mapping[str, Mapping[str, Offer]]  # by system and case


@dataclass(frozen=True, slots=True)
class Measures:
    """What figures are counted with: what is cited, rarity of words, and further comparisons by name.

    ``sources`` gives the texts that a place can be in (several sections of a ticket have one name), ``cited`` what
    readers see there: the quote, and what marks around and in it say in words.
    """

    sources: Callable[[Cited], Sequence[str]]
    weights: InverseFrequencies
    language: str = ENGLISH
    compare: Mapping[str, Compare] = field(default_factory=dict)
    cited: Callable[[Cited], str] = lambda place: place.quote

    @property
    def similarities(self) -> Mapping[str, Compare]:
        """All ways of saying how near a suggestion is to a person's reply, by the names of their figures."""
        return {"tfidf_similarity": self.weights.similarity, "rouge_l": rouge_l, **self.compare}


@dataclass(frozen=True, slots=True)
class SystemFigures(Record):
    """A system's metrics, the values of single cases, and how many cases were judged how.

    ``seconds`` are p50, p95 and p99 of the time to a suggestion (nearest rank), None without a case.
    """

    metrics: Mapping[str, Interval]
    per_query: Mapping[str, Mapping[str, float]]
    verdicts: Mapping[str, int]
    seconds: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class PairedDifference(Record):
    """A difference over the cases that both systems have a value of, with the p value of the paired t-test."""

    difference: Difference
    p_value: float | None
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionsReport(Record):
    """What ``evaluate suggestions`` answers; ``notes`` say what a person should know of the figures.

    ``cases`` are their statistics, and ``unresolved`` documents that the knowledge base lacks: nothing can cite them.
    """

    systems: Mapping[str, SystemFigures]
    differences: tuple[PairedDifference, ...]
    cases: Mapping[str, Any]
    judge: str | None = None
    sheet: SheetFigures | None = None
    notes: tuple[str, ...]
    usage: ModelUsage
    seconds: float


def ask_systems(
    systems: Mapping[str, System], cases: Sequence[Case], on_answer: Callable[[str], None] = lambda _system: None
) -> dict[str, dict[str, Offer]]:
    """Have every system suggest replies to every case; ``on_answer`` is told its name after each."""
    found: dict[str, dict[str, Offer]] = {name: {} for name in systems}
    for name, system in systems.items():
        for case in cases:
            started = time.perf_counter()
            offer = system(case)
            on_answer(name)
            if offer is None:
                continue
            seconds = offer.seconds or time.perf_counter() - started
            found[name][case.id] = replace(offer, seconds=seconds)
    return found


# Complex: values, verdicts and what was not measured are counted in one pass over a system's cases.
def measure_offers(
    offers: Offers, cases: Sequence[Case], measures: Measures, judged: Mapping[str, JudgedOffer] | None = None
) -> dict[str, SystemFigures]:
    """Return the figures of every system; ``judged`` are a model's verdicts by system, where a judge is wanted.

    Rates are shares of the judged cases. Where the judge gave no verdict although some cases need one they are not
    measured: refusals alone would be taken for all.
    """
    found = {}
    for name, of_case in offers.items():
        values: dict[str, dict[str, float]] = {}
        verdicts: dict[Verdict, int] = dict.fromkeys(("correct", "incorrect", "unsure", "not judged"), 0)
        of_judge = None if judged is None else judged[name]
        for case in cases:
            if (offer := of_case.get(case.id)) is None:
                continue
            row = case_figures(case, offer, measures)
            verdict, of_verdict = _judged_figures(case, offer, of_judge)
            row |= of_verdict
            verdicts[verdict] += 1
            for metric, value in row.items():
                if value is not None:
                    values.setdefault(metric, {})[case.id] = value
        intervals = {metric: mean_interval(list(of_metric.values())) for metric, of_metric in values.items()}
        if of_judge is not None and verdicts["not judged"] and not of_judge.verdicts:
            values = {metric: of_metric for metric, of_metric in values.items() if metric not in RATES}
            intervals |= dict.fromkeys(RATES, NOT_MEASURED)
        counts = {str(verdict): n for verdict, n in verdicts.items()}
        seconds = _percentiles(offer.seconds for offer in of_case.values())
        found[name] = SystemFigures(intervals, values, counts, seconds)
    return found


def _percentiles(seconds: Iterable[float]) -> dict[str, float | None]:
    ordered = sorted(seconds)
    return {f"p{part * 100:.0f}": nearest_rank(ordered, part) for part in PERCENTILES}


def _judged_figures(case: Case, offer: Offer, judged: JudgedOffer | None) -> tuple[Verdict, dict[str, float | None]]:
    """Return the verdict on a case, and the figures that follow from it where a judge is wanted."""
    verdict = mechanical_verdict(case.refuses, offer.refuses)
    if judged is None:
        return verdict, {}
    if verdict == "not judged":
        verdict = judged.verdicts.get(case.id, verdict)
    rates = {} if verdict == "not judged" else {rate: float(verdict == meant) for rate, meant in RATES.items()}
    return verdict, {**rates, "consistency_judged@1": judged.consistent.get(case.id)}


# Complex: one condition for each thing that a case may lack, and with it the figures that need it.
def case_figures(case: Case, offer: Offer, measures: Measures) -> dict[str, float | None]:
    """Return every figure of one case; None is what this case does not measure.

    Where a person replied, a system that offers nothing is 0 by the figures of coverage, documents and similarity, and
    is left out of what is said of the suggestions themselves.
    """
    shown = () if offer.refuses else offer.suggestions[:MOST]
    found: dict[str, float | None] = {}
    if case.refuses:
        found["refused"] = float(offer.refuses)
    else:
        found["answered"] = float(bool(shown))
        if offer.cites:
            found |= {
                "coverage@1": float(bool(shown and shown[0].evidence)),
                "coverage@3": float(any(one.evidence for one in shown)),
            }
        if offer.cites and case.documents:
            right = [any(source_of(e) in case.documents for e in one.evidence) for one in shown]
            found |= {"document_right@1": float(any(right[:1])), "document_right@3": float(any(right))}
        if case.reply:
            found |= _similarities(case.reply, shown, measures)
        if case.answers:
            given = shown[0].text if shown else ""
            for name, score in (("exact_match", exact_match), ("token_f1", token_f1)):
                found[name] = score(given, case.answers, measures.language)
    found |= _of_suggestions(shown, measures)
    found[SECONDS] = offer.seconds
    spent = offer.spending
    if spent != NOTHING_SPENT:
        found |= {
            "requests": float(spent.calls + spent.cached),
            "tokens": float(spent.tokens.input + spent.tokens.output),
        }
        found |= {"cost": spent.cost, "fallback": float(offer.fell_back)}
    return found


def _similarities(reply: str, shown: Sequence[Suggestion], measures: Measures) -> dict[str, float | None]:
    """Return how near the first suggestion and the nearest of three are to a person's reply, by each way."""
    found: dict[str, float | None] = {}
    for name, similarity in measures.similarities.items():
        values = [similarity(one.text, reply) for one in shown]
        found |= {
            f"{name}@1": values[0] if values else 0.0,
            f"{name}@3": max(values, default=0.0),
            f"{name}_answered@1": values[0] if values else None,
        }
    return found


# Complex: one comprehension for each figure of the same suggestions.
def _of_suggestions(shown: Sequence[Suggestion], measures: Measures) -> dict[str, float | None]:
    """Return what is said of the suggestions themselves: borne out by what they cite, short, different."""
    cited = [one for one in shown if one.evidence]
    language = measures.language
    places = [[measures.cited(e) for e in one.evidence] for one in cited]
    words = [supported_share(one.text, texts, language) for one, texts in zip(cited, places, strict=True)]
    whole = [supported_sentences(one.text, texts, language) for one, texts in zip(cited, places, strict=True)]
    quotes = [
        any(text[e.start : e.end] == e.quote for text in measures.sources(e)) for one in cited for e in one.evidence
    ]
    return {
        "consistency@1": words[0] if cited and cited[0] is shown[0] else None,
        "consistency@3": _mean(words),
        "consistent_sentences@3": _mean(whole),
        "quotes_verbatim": _mean(quotes),
        "words": _mean([count_words(one.text) for one in shown]),
        "suggestions": float(len(shown)) if shown else None,
        "distinctness": distinctness([one.text for one in shown], language),
    }


def source_of(place: Cited) -> str:
    """Return the id of the document or ticket that is cited."""
    return place.document if isinstance(place, Evidence) else place.ticket


def _mean(values: Sequence[float | None]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else None


def differences_to(figures: Mapping[str, SystemFigures], baseline: str) -> tuple[PairedDifference, ...]:
    """Return each metric of each other system minus the baseline's, over the cases that both have a value of."""
    found = []
    before = figures[baseline].per_query
    for name, system in figures.items():
        if name == baseline:
            continue
        for metric, values in system.per_query.items():
            cases = [case for case in values if case in before.get(metric, {})]
            if cases and metric != SECONDS:
                new, old = [values[c] for c in cases], [before[metric][c] for c in cases]
                difference = Difference(name, baseline, metric, paired_difference(new, old))
                found.append(PairedDifference(difference, paired_t_test(new, old), len(cases)))
    return tuple(found)
