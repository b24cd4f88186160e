"""Features of plug-ins, weighed on a workspace's own checks and linked issues; used only where they gain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autokb.core.checks import Check
from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json, digest
from autokb.core.plugins import plugins
from autokb.core.ranking import Scores, best_first
from autokb.core.results import Result
from autokb.pipeline.gate.checks import Headings, is_named
from autokb.pipeline.open_index import OpenIndex, open_index
from autokb.pipeline.own_features import FITTED, find_features
from autokb.retrieval.logistic import fit_logistic
from autokb.retrieval.own_features import OwnFeatures
from autokb.retrieval.read_question import read_values
from autokb.stores.checks import read_checks
from autokb.stores.published import read_published
from autokb.stores.workspace import Workspace

FOLDS = 5  # parts of the questions; each is ranked by weights of the others
FEWEST = 20  # questions; of fewer, two standard errors are larger than any gain
WRONG = 10  # candidates beside which the right one is compared, the best of each question
PULL, FIXED = 1.0, 1e6  # towards 0 for a feature, towards 1 for the score that it is added to
ERRORS = 2.0  # standard errors that a gain must be more than, as for our own features (CONTRIBUTING.md)


@dataclass(frozen=True, slots=True)
class FittedFeature(Result):
    """A feature: what it gains in mean reciprocal rank on left-out questions, and its weight where it is ``used``."""

    name: str
    gain: float
    standard_error: float
    used: bool
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class RankFit(Result):
    """What ``rank fit`` found and stored: of ``n`` questions, the mean reciprocal rank before and with what is used."""

    n: int
    before: float
    after: float
    features: tuple[FittedFeature, ...]


@dataclass(frozen=True, slots=True)
class _Case:
    """A question: the packaged score and the features of every row, and which rows are right."""

    fold: int
    scores: Scores
    features: NDArray[np.float64]
    right: NDArray[np.bool_]

    def reciprocal_rank(self, columns: Sequence[int], weights: Scores) -> float:
        """Return 1 / the place of the best right row; as in an answer, a row of the same score stands before it."""
        scores = self.scores + self.features[:, columns] @ weights
        return 1.0 / (1 + int((scores[~self.right] >= scores[self.right].max()).sum()))

    def pairs(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return by how much the best right row is ahead of the best wrong ones, in the score and in each feature."""
        table = np.column_stack([self.scores, self.features[:, columns]])
        wrong = best_first(np.where(self.right, -np.inf, self.scores), min(WRONG, int((~self.right).sum())))
        best: NDArray[np.float64] = table[np.argmax(np.where(self.right, self.scores, -np.inf))] - table[wrong]
        return best


def fit_features(workspace: Workspace) -> RankFit:
    """Weigh the features of all plug-ins and store what is used (BadInputError: no feature, or too few questions).

    Where a feature fails, nothing is stored (PluginError).

    One after the other is admitted by a paired gain of more than two standard errors over those before it.
    """
    own = find_features(workspace, {f"{one.name}.{name}": 0.0 for one in plugins() for name in one.features})
    if own is None:
        raise BadInputError("No plug-in that is installed brings a ranking feature; autokb plugins lists them.")
    with closing(open_index(workspace)) as opened:
        cases = list(_cases(opened, own))
    if len(cases) < FEWEST:
        raise BadInputError(
            f"{len(cases)} checks and linked issues name what is published, and {FEWEST} are needed; add checks with: "
            "autokb checks add"
        )
    columns: list[int] = []
    ranks = before = _left_out(cases, columns)
    found = []
    for column, name in enumerate(own.functions):
        gains = (with_it := _left_out(cases, [*columns, column])) - ranks
        gain, error = float(gains.mean()), float(gains.std(ddof=1)) / math.sqrt(len(cases))
        if used := gain > ERRORS * error:
            columns, ranks = [*columns, column], with_it
        found.append(FittedFeature(name, gain, error, used))
    weights = dict(zip(columns, _weights(cases, columns), strict=True))
    found = [replace(one, weight=float(weights.get(column, 0.0))) for column, one in enumerate(found)]
    with workspace.file() as file, file.transaction():
        file.note(FITTED, canonical_json({one.name: one.weight for one in found if one.used}))
        file.count_generation()
    return RankFit(len(cases), float(before.mean()), float(ranks.mean()), tuple(found))


def _questions(opened: OpenIndex) -> Iterator[tuple[Check, bool]]:
    """Give each question as a check, and whether what is known of past issues counts for it."""
    yield from ((check, True) for check in read_checks(opened.file) if check.names_a_place)
    past = opened.index.history.issues
    yield from ((Check(one.id, one.text, document=name), False) for one in past for name in one.documents[:1])


def _cases(opened: OpenIndex, own: OwnFeatures) -> Iterator[_Case]:
    """Give the questions that have a right row: checks, and past issues, whose own outcomes are not asked then."""
    index, published = replace(opened.index, own=None), read_published(opened.file)
    headings, rows = Headings(published.kb.documents), opened.index.candidates.rows
    for check, with_history in _questions(opened):
        stated = read_values(index.spec, {name: sorted(values) for name, values in check.attributes.items()})
        right = np.array([is_named(check, row.solution, headings) for row in rows], dtype=bool)
        if right.any() and not right.all():
            scored = index.score(check.text, stated, with_history=with_history)
            fold = int(digest(" ".join(check.text.casefold().split()))[:8], 16) % FOLDS
            yield _Case(fold, scored.scores, own.table(scored.read, scored.evidence, strict=True), right)


def _left_out(cases: Sequence[_Case], columns: Sequence[int]) -> Scores:
    """Return the reciprocal rank of each question by weights that were fitted on the other parts."""
    by_fold = [_weights([one for one in cases if one.fold != fold], columns) for fold in range(FOLDS)]
    return np.array([one.reciprocal_rank(columns, by_fold[one.fold]) for one in cases])


def _weights(cases: Sequence[_Case], columns: Sequence[int]) -> Scores:
    """Return the weights by which right rows come before wrong ones, a logistic regression on pairs of rows."""
    if not columns or not cases:
        return np.zeros(len(columns))
    pairs = [one.pairs(columns) for one in cases]
    rows, counts = np.concatenate(pairs), np.concatenate([np.full(len(one), 0.5 / len(one)) for one in pairs])
    labels = np.repeat([1.0, 0.0], len(rows))  # each pair both ways, so that no side is preferred
    fitted = fit_logistic(
        np.concatenate([rows, -rows]),
        labels,
        expected=[1.0, *[0.0] * len(columns)],
        pull=[FIXED, *[PULL] * len(columns)],
        counts=np.tile(counts, 2),
    )
    return fitted[1:-1]
