"""Whether a question is about the tickets: the question's gate, fitted on the tickets' own titles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from autokb.core.domain import DomainSpec
from autokb.core.vectors import Vectors
from autokb.plugins.tickets.graph.index import TicketIndex
from autokb.retrieval.everyday_subjects import find_foreign_subject
from autokb.retrieval.gate import Gate, fit_gate
from autokb.retrieval.gate_fitting import (
    FEWEST_CASES,
    Cases,
    everyday_questions,
    find_own_subjects,
    fit_against,
    score_everyday,
    thinned,
)

ON_TOPIC_ODDS = 3.0  # three of four questions are taken to be on topic; a gate of tickets sees more that is not


def fit_ticket_gate(
    index: TicketIndex, encoder: str, spec: DomainSpec, embed: Callable[[Sequence[str]], Vectors]
) -> Gate:
    """Fit the gate: titles are on topic, each compared with the other tickets alone; everyday questions are not."""
    rows = thinned(range(len(index.chunks.chunks)))
    ids = [index.chunks.chunks[row] for row in rows]
    titles = [index.titles[index.rows[ticket]] for ticket in ids]
    subjects = find_own_subjects(spec, (), index.titles)

    def score(texts: Sequence[str], vectors: Vectors, own: Sequence[str] = ()) -> Cases:
        cases = np.zeros((len(texts), 4))  # nothing but tickets is known: no cosine to nodes or issues
        for n, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
            cosines = index.chunks.vectors.scores(vector)
            if own:
                cosines[index.pieces_of(own[n])] = -1.0
            unknown = index.chunks.words.unknown_share(text, rows[n : n + 1] if own else ())
            foreign = find_foreign_subject(text, subjects, spec.language) is not None
            cases[n] = cosines.max(initial=-1.0), 0.0, unknown, foreign
        return cases

    vectors, everyday = embed(titles), everyday_questions(spec.language)
    if everyday and len(titles) >= FEWEST_CASES:
        kinds = score_everyday(everyday, encoder, embed, score)
        known = tuple(sorted(subjects))
        fitted = fit_against(score(titles, vectors, ids), kinds, encoder, "titles", known, odds=ON_TOPIC_ODDS)
        if fitted:
            return fitted
    return fit_gate(encoder, vectors)
