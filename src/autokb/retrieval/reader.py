"""A stronger reader over the first candidates: one more number of a row, beside what the ranker made of it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from autokb.core.ranking import Scores, best_first
from autokb.core.settings import OFFLINE_MODEL
from autokb.llm.rerankers import Reranker, RerankError, checked_scores
from autokb.retrieval.candidates import Candidates

READ_FIRST = 20  # candidates that it reads; the right one is among them in .98 of the questions
MOST_CHARACTERS = 2_400  # of a text, about the 512 tokens that such models read
# Log-odds for each standard deviation of its logits over what it read. Two of them outweigh a lead of four, about the
# most that the ranker's first has; one outweighs a usual lead. Not measured: no reader is at hand offline.
WEIGHT = 2.0
LEVEL = 1e-6  # a standard deviation below which logits are level: less is the rounding of float32


@dataclass(frozen=True)
class ReaderRun:
    """What a reader did for one question: the ``seconds`` and USD it took, and why it counts nothing, if it does not.

    A ``cost`` of None is that of a model without a price; what the ledger answered costs nothing.
    """

    name: str
    seconds: float
    note: str | None = None
    cost: float | None = 0.0

    @property
    def decided_by(self) -> str:
        """Who decided what is shown: the reader, or ``offline`` where it failed."""
        return self.name if self.note is None else OFFLINE_MODEL

    def as_json(self) -> dict[str, Any]:
        """Return what an answer says of its reader: ``reader`` is who decided, ``reading`` how the reading went."""
        return {"reader": self.decided_by, "reading": asdict(self)}


def read_first(reranker: Reranker, question: str, candidates: Candidates, scores: Scores) -> tuple[Scores, ReaderRun]:
    """Return what a reader says of each row, to count ``WEIGHT`` times in its score, and how it went.

    It reads the ``READ_FIRST`` best; none of its values is less than nothing, so all other rows keep their order behind
    these. A reader that fails in any way says nothing of any.
    """
    rows = best_first(scores, READ_FIRST)
    values = np.zeros(len(scores))
    started = time.perf_counter()
    note = None
    try:
        # The section under its headings, which alone may name the matter.
        texts = [candidates.rows[row].searched_text[:MOST_CHARACTERS] for row in rows]
        logits = np.array(checked_scores(reranker.scores(question, texts), len(texts)))
        if len(rows) and (spread := logits.std()) >= LEVEL:
            values[rows] = (logits - logits.min()) / spread
    except RerankError as error:
        note = str(error)
    except Exception as error:  # whatever a model or a connection meets: the question is answered all the same
        note = f"the reranker failed ({type(error).__name__})."
    return values, ReaderRun(reranker.name, time.perf_counter() - started, note)
