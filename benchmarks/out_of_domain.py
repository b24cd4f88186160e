"""What passes the gate of a Thunderbird knowledge base that is not about Thunderbird, at equal in-domain coverage.

In-domain are the later questions, which the knowledge base lacks: half of them (by hash) calibrate, the other half is
measured, as titles alone and as whole texts. Out-of-domain are small talk and the out-of-scope questions (``oos``) of
clinc150, halved likewise, and 220 near questions about other mail programs and products, reported apart. A gate that
was calibrated on one kind alone is measured on all of the other, which it never saw.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autokb.core.ranking import Scores
from autokb.pipeline.open_index import open_index
from autokb.retrieval.calibrated_gate import FEATURES
from autokb.retrieval.gate import Gate
from autokb.retrieval.gate_calibration import COVERAGE, GateCases, calibrate, least_passing
from autokb.retrieval.index import QuestionIndex
from autokb.stores.workspace import open_workspace
from benchmarks import thunderbird
from benchmarks.answers import make
from benchmarks.figures import LOCAL, RESULTS, Figure, Result
from benchmarks.retrieval import split
from benchmarks.running import folder

NEAR_FILE = Path(__file__).with_name("data") / "near_domain.jsonl"
KINDS = ("small_talk", "oos")
NEAR = "near"
FORMS = ("titles", "full")
POINT = 0.89  # in-domain coverage at which systems are compared
PAPER = {"coverage": 0.8896, "out_of_domain": 0.0141}  # response prediction, its own encoder, company and threshold
AIM, UNSEEN_AIM = 0.005, 0.015
OWN, SET = "own", f"set@{POINT:g}"  # names of thresholds that were chosen without the measured half
DATE = "2026-01-01T00:00:00+00:00"  # of calibrations that nobody keeps

System = Callable[[GateCases], Scores]


@dataclass(frozen=True)
class Halves:
    """The questions of one kind: those to calibrate on and those to measure."""

    calibrate: GateCases
    report: GateCases

    def everything(self) -> GateCases:
        """Return both halves, for a gate that saw neither."""
        return joined([self.calibrate, self.report])


def run(options: argparse.Namespace) -> Result:
    """Build the knowledge base, score all questions once, and measure each system at the same coverage."""
    with folder() as place:
        opened = open_index(open_workspace(make("thunderbird", place / "thunderbird")), calibrated=False)
        try:
            index = opened.index
            kinds = {name: _halves(index, texts) for name, texts in clinc150().items()}
            kinds[NEAR] = _halves(index, near_domain())
            figures, log_odds_of = _figures(index, {form: _halves(index, asked(form)) for form in FORMS}, kinds)
        finally:
            opened.close()
    draw(log_odds_of, (RESULTS if options.store else LOCAL) / "out_of_domain.png")
    return Result("out_of_domain", figures)


# -- questions --------------------------------------------------------------------------------------------------------


def asked(form: str) -> dict[str, str]:
    """Return the Thunderbird questions that the knowledge base lacks, by their ids, as titles or as whole texts."""
    later, _ = split(thunderbird.issues(), tuning=False)
    return {i["issue_id"]: i["title"] if form == "titles" else f"{i['title']}\n{i['text']}" for i in later}


def clinc150() -> dict[str, dict[str, str]]:
    """Return the small talk and the out-of-scope questions of clinc150, each text once."""
    path = Path(__file__).resolve().parents[2] / "shared" / "data" / "E_rps" / "clinc150" / "queries.jsonl.gz"
    if not path.exists():
        raise SystemExit("This benchmark needs ../shared/data/E_rps/clinc150 beside the repository.")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return {kind: {r["text"]: r["text"] for r in records if kind in (r["domain"], r["intent"])} for kind in KINDS}


def near_domain() -> dict[str, str]:
    """Return the questions that are near Thunderbird and not about it."""
    lines = NEAR_FILE.read_text(encoding="utf-8").split("\n")
    return {r["id"]: r["text"] for r in map(json.loads, filter(None, lines))}


def _halves(index: QuestionIndex, texts: Mapping[str, str]) -> Halves:
    """Divide questions by the hashes of their ids, and score them."""
    parts: tuple[list[str], list[str]] = [], []
    for name, text in texts.items():
        parts[hashlib.sha256(name.encode()).digest()[0] % 2].append(text)
    return Halves(*(GateCases.of(index, part) for part in parts))


def joined(parts: Sequence[GateCases]) -> GateCases:
    """Return the questions of several parts as one."""
    return GateCases(
        tuple(text for part in parts for text in part.texts),
        np.vstack([part.features for part in parts]),
        np.vstack([part.vectors for part in parts]),
    )


# -- systems ----------------------------------------------------------------------------------------------------------


def cosine_alone(cases: GateCases) -> Scores:
    """Score by the cosine to whatever is nearest: a window, a node or a historical issue."""
    return cases.cosines


def documents_alone(cases: GateCases) -> Scores:
    """Score by the cosine to the nearest window of a document."""
    found: Scores = cases.features[:, FEATURES.index("documents")]
    return found


def historical_issues_alone(index: QuestionIndex) -> System:
    """Score by the cosine to the nearest historical issue."""

    def score(cases: GateCases) -> Scores:
        found: Scores = (cases.vectors @ index.history.vectors.T).max(axis=1).astype(np.float64)
        return found

    return score


def as_built(gate: Gate) -> System:
    """Score by the log-odds of the gate that the build fitted."""
    coefficients, words = gate.coefficients, gate.words
    if coefficients is None or words is None:
        raise SystemExit("The build fitted no logistic gate for Thunderbird; this benchmark needs one.")
    weights = {
        "documents": coefficients.documents,
        "issues": coefficients.issues,
        "unknown": words.unknown,
        "foreign": words.foreign,
    }
    row = np.array([weights.get(name, 0.0) for name in FEATURES])

    def score(cases: GateCases) -> Scores:
        found: Scores = cases.features @ row + coefficients.intercept
        return found

    return score


def calibrated(
    index: QuestionIndex, in_domain: GateCases, others: Sequence[GateCases]
) -> tuple[System, dict[str, float]]:
    """Calibrate as the command does; return the log-odds that the gate gives, and thresholds among them.

    Its own, and that at which 89 % of the questions that it was calibrated on pass, each scored without it.
    """
    found = calibrate(index, in_domain, joined(others), DATE)
    gate = found.gate

    def score(cases: GateCases) -> Scores:
        found: Scores = cases.features @ np.array(gate.weights) + cases.vectors @ np.array(gate.vector)
        return found + gate.intercept

    return score, {OWN: log_odds(gate.threshold), SET: log_odds(least_passing(found.in_domain, POINT))}


def log_odds(probability: float) -> float:
    """Return the log-odds of a probability."""
    return float(np.log(probability / (1 - probability)))


# -- figures ----------------------------------------------------------------------------------------------------------


def _figures(
    index: QuestionIndex, in_domain: Mapping[str, Halves], kinds: Mapping[str, Halves]
) -> tuple[list[Figure], dict[str, dict[str, Scores]]]:
    """Return the figures, and the log-odds of the calibrated gate by form and kind."""
    figures = [Figure(f"paper.{name}", value) for name, value in PAPER.items()]
    drawn: dict[str, dict[str, Scores]] = {}
    for form, halves in in_domain.items():
        calibrate_on = {kind: kinds[kind].calibrate for kind in (*KINDS, NEAR)}
        seen = [calibrate_on[kind] for kind in KINDS]
        system, thresholds = calibrated(index, halves.calibrate, seen)
        built = as_built(index.gate)
        history = historical_issues_alone(index)
        # the thresholds that a team would set: those of bare cosines on the half to calibrate, that of the settings
        own: dict[str, tuple[System, dict[str, float]]] = {
            "cosine": (cosine_alone, {OWN: least_passing(cosine_alone(halves.calibrate), COVERAGE)}),
            "documents": (documents_alone, {OWN: least_passing(documents_alone(halves.calibrate), COVERAGE)}),
            "historical_issues": (history, {OWN: least_passing(history(halves.calibrate), COVERAGE)}),
            "as_built": (built, {OWN: log_odds(index.caution)}),
            "calibrated": (system, thresholds),
        }
        measured = {"out_of_domain": joined([kinds[kind].report for kind in KINDS])}
        measured |= {kind: kinds[kind].report for kind in KINDS} | {NEAR: kinds[NEAR].everything()}
        drawn[form] = {"in_domain": system(halves.report)}
        drawn[form] |= {kind: system(kinds[kind].report) for kind in (*KINDS, NEAR)}
        for name, (score, chosen) in own.items():
            aims = {"out_of_domain": AIM} if name == "calibrated" else {}
            figures += _measure(f"{form}.{name}", score, chosen, halves.report, measured, aims)
        for kind in KINDS:
            (other,) = set(KINDS) - {kind}
            score, chosen = calibrated(index, halves.calibrate, [calibrate_on[kind]])
            unseen = {f"unseen_{other}": kinds[other].everything()}
            aims = {f"unseen_{other}": UNSEEN_AIM}
            figures += _measure(f"{form}.on_{kind}", score, chosen, halves.report, unseen, aims)
        score, chosen = calibrated(index, halves.calibrate, [*seen, calibrate_on[NEAR]])
        with_near = {"out_of_domain": measured["out_of_domain"], NEAR: kinds[NEAR].report}
        figures += _measure(f"{form}.with_near", score, chosen, halves.report, with_near, {})
    return figures, drawn


def _measure(
    name: str,
    score: System,
    thresholds: Mapping[str, float],
    in_domain: GateCases,
    others: Mapping[str, GateCases],
    aims: Mapping[str, float],
) -> Iterator[Figure]:
    """Give what passes where 89 % of the measured questions do, and at thresholds that were chosen without these."""
    inside = score(in_domain)
    at = {f"@{POINT:g}": least_passing(inside, POINT), **{f".{t}": value for t, value in thresholds.items()}}
    for point, threshold in at.items():
        if not point.startswith("@"):
            aim = POINT if point == f".{SET}" and aims else None
            yield _share(f"{name}{point}.coverage", inside >= threshold, at_least=aim)
        for kind, cases in others.items():
            aim = None if point == f".{OWN}" else aims.get(kind)
            yield _share(f"{name}{point}.{kind}", score(cases) >= threshold, at_most=aim)


def _share(name: str, passing: Any, at_most: float | None = None, at_least: float | None = None) -> Figure:
    """Return a share with its 95 % interval by Clopper and Pearson, which has a width where nothing passes, too."""
    from scipy.stats import binomtest

    count, n = int(passing.sum()), len(passing)
    interval = binomtest(count, n).proportion_ci(0.95, method="exact")
    return Figure(name, count / n, f"{count} of {n} [{interval.low:.4f}, {interval.high:.4f}]", at_most, at_least)


def draw(log_odds_of: Mapping[str, Mapping[str, Scores]], path: Path) -> None:
    """Draw how the calibrated gate's log-odds are distributed, a row a form."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(len(log_odds_of), 1, figsize=(9, 7), sharex=True)
    for axis, (form, kinds) in zip(axes, log_odds_of.items(), strict=True):
        bins = np.linspace(*np.quantile(np.concatenate(list(kinds.values())), [0.001, 0.999]), 60)
        for kind, values in kinds.items():
            axis.hist(values, bins=bins, density=True, histtype="step", linewidth=1.5, label=f"{kind} ({len(values)})")
        axis.set_title(f"log-odds of the calibrated gate, {form}")
        axis.legend(fontsize=8)
        axis.grid(alpha=0.3)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
