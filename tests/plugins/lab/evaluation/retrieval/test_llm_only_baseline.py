"""Documents ranked by what a model knows, with the arithmetic written out."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.plugins.lab.evaluation.retrieval.baselines import SolvedIssues, score_documents

ISSUES = np.array([[1.0, 0.0], [0.6, 0.8]], dtype=np.float32)
SOLUTIONS = (np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32), np.array([[0.0, 1.0]], dtype=np.float32))
DOCUMENTS = np.array([[0.8, 0.6], [0.0, 1.0]])


def test_a_document_scores_by_the_best_pair_of_an_issue_and_one_of_its_solutions() -> None:
    score = score_documents(SolvedIssues(ISSUES, SOLUTIONS), lambda vector: DOCUMENTS @ vector)
    # Document 0 is .8 near the one and .6 near the other solution of issue 0, document 1 is 0 and 1 near them; of the
    # solution of issue 1 they are .6 and 1 near.
    assert score(np.array([1.0, 0.0], dtype=np.float32)) == pytest.approx(
        [max(1 + 0.8, 0.6 + 0.6), max(1 + 1, 0.6 + 1)]
    )
    assert score(np.array([0.0, 1.0], dtype=np.float32)) == pytest.approx(
        [max(0 + 0.8, 0.8 + 0.6), max(0 + 1, 0.8 + 1)]
    )
