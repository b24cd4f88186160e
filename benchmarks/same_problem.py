"""Fits when two problems are the same one, on pairs of questions whose outcomes are known.

``python -m benchmarks.same_problem WORKSPACE...`` reads built workspaces (those that ``benchmarks.answers --keep`` made
of thunderbird and cashbook) and prints the weights of ``issues/same_problem.py``. Two questions are one problem where
the same document helped; each workspace counts the same. What helped the question nearest to each stands for the
outcomes known of its tree, for its own are what is to be found. The intercept is that of pairs which one subject of
the documents answers best, as trees have that are joined.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.document_names import DocumentNames
from autokb.issues.answering_sections import AnsweringSections
from autokb.issues.attribute_masking import problem_vectors
from autokb.issues.same_problem import Problem, similarity_threshold
from autokb.pipeline.stages import open_stages
from autokb.pipeline.steps.contexts import chunk_with_contexts
from autokb.pipeline.steps.passages import find_passages
from autokb.retrieval.index import past_issues
from autokb.stores.staged import staged_documents, staged_raw_issues
from autokb.stores.workspace import open_workspace

Floats = NDArray[np.float64]


def pairs(folder: Path) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return of all pairs of questions with outcomes what speaks for one problem, and whether they are one.

    The last says which pairs one subject of the documents answers best.
    """
    workspace = open_workspace(folder)
    with workspace.file() as file, open_stages(workspace, file) as stages:
        documents, raw = staged_documents(file), staged_raw_issues(file)
        chunks = chunk_with_contexts(stages, workspace, documents)
        passages, _ = find_passages(file, documents, chunks, workspace.spec)
        sections = AnsweringSections.of(passages, workspace.spec, stages.embed)
        texts = [r.full_text for r in raw]
        vectors = problem_vectors(texts, workspace.spec, stages.embed(texts), stages.embed)
    near = similarity_threshold(vectors)
    row = {r.id: n for n, r in enumerate(raw)}
    past = [p for p in past_issues(raw, DocumentNames(documents)) if p.documents]
    asked = vectors[[row[p.id] for p in past]]
    problems = [Problem(vector, sections.score_subjects(vector)) for vector in asked]
    helped = [frozenset(p.documents) for p in past]
    profiles = np.array([p.profile for p in problems])
    cosines, agreeing = asked @ asked.T, profiles @ profiles.T
    nearest = np.argsort(-(cosines - 2 * np.eye(len(past))), axis=1)[:, :2]

    def known_beside(one: int, other: int) -> frozenset[str]:
        beside = next(int(n) for n in nearest[one] if n != other)
        return helped[beside] if cosines[one, beside] >= near else frozenset()

    first, second = np.triu_indices(len(past), 1)
    outcomes = [agreement(known_beside(a, b), known_beside(b, a)) for a, b in zip(first, second, strict=True)]
    same = np.array([bool(helped[a] & helped[b]) for a, b in zip(first, second, strict=True)])
    best = profiles.argmax(axis=1)
    return (
        np.column_stack([cosines[first, second], agreeing[first, second], outcomes]),
        same,
        best[first] == best[second],
    )


def agreement(one: Collection[str], other: Collection[str]) -> float:
    """Return 1 where a document helped with both, -1 where others did, 0 where that is not known of both."""
    if not one or not other:
        return 0.0
    return 1.0 if set(one) & set(other) else -1.0


def fit(found: list[tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]]) -> dict[str, float]:
    """Return the weights, and the intercept of pairs that one subject answers best."""
    from scipy.optimize import brentq
    from sklearn.linear_model import LogisticRegression

    features = np.vstack([f for f, _, _ in found])
    same = np.concatenate([s for _, s, _ in found])
    equal = np.concatenate([np.full(len(s), len(features) / len(found) / len(s)) for _, s, _ in found])
    model: Any = LogisticRegression(C=1e6, max_iter=1_000).fit(features, same, sample_weight=equal)
    best = np.concatenate([b for _, _, b in found])
    rest, truth = features[best] @ model.coef_[0], same[best]
    share = np.concatenate([np.full(int(b.sum()), 1 / b.sum()) for _, _, b in found])
    intercept = brentq(lambda a: float((share * (1 / (1 + np.exp(-(rest + a))) - truth)).sum()), -20.0, 20.0)
    names = ("COSINE", "SECTIONS", "OUTCOMES")
    return {"INTERCEPT": float(intercept), **dict(zip(names, map(float, model.coef_[0]), strict=True))}


def main() -> None:
    """Print the weights."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("workspaces", nargs="+", type=Path)
    found = [pairs(folder) for folder in parser.parse_args().workspaces]
    for name, value in fit(found).items():
        print(f"{name:10} {value:6.2f}")


if __name__ == "__main__":
    main()
