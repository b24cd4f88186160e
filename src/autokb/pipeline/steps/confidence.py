"""The confidence of a workspace, held against its own issues whose helpful document is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice

import numpy as np

from autokb.answering.present import Presentation
from autokb.answering.probability import LISTED, Shown, are_fitted, odds_of_first
from autokb.core.ids import canonical_json, digest
from autokb.core.nouns import Issue, Passage
from autokb.pipeline.stages import Stages, Work
from autokb.pipeline.steps.node_sections import SectionRanker
from autokb.retrieval.history import PastIssue
from autokb.retrieval.index import QuestionIndex
from autokb.retrieval.ranker import packaged_record
from autokb.retrieval.recalibration import (
    FEWEST,
    UNCHANGED,
    WHOLE,
    Recalibration,
    fit_recalibration,
    read_recalibration,
)
from autokb.retrieval.search import long_question_share

STAGE = "confidence"
VERSION = "1"  # raise it when the same texts give other numbers
MOST = 100  # issues that are asked, evenly spread over their ids
# Share of first sections that help among those of the right page, for whole messages: of 100 of a forum that were read
# strictly, 25 had a page first that a person had linked, and 3 of these were helped.
PAGE_HELPS = 0.12


def fit_confidence(
    stages: Stages, index: QuestionIndex, passages: Sequence[Passage], past: Sequence[PastIssue], texts: str
) -> Recalibration:
    """Ask past issues without what is known of them, and fit the confidence on whether a page that helped is first.

    ``texts`` is the hash of all texts of the build. Unchanged where too few have a known document, and by an encoder
    for which no confidence was fitted.
    """
    messages = [one for one in past if long_question_share(one.text, index.spec.language) >= WHOLE]
    if len(messages) < FEWEST or not are_fitted(index):
        return UNCHANGED
    asked = [messages[n] for n in np.linspace(0, len(messages) - 1, min(MOST, len(messages))).astype(int).tolist()]
    links = canonical_json([[one.id, list(one.documents)] for one in asked])
    key = digest(STAGE, VERSION, index.encoder, canonical_json(packaged_record()), texts, links)

    def fit(_nothing: None) -> str:
        nodes = [(Issue(one.id, one.text, None, {}), ()) for one in asked]
        ranker = SectionRanker.of(stages, index, passages, nodes)
        odds, right = [], []
        for one in asked:
            text, *also = ranker.readings[one.id]
            presentation = Presentation(ranker.index.score(text, also=also, with_history=False))
            ranked = presentation.fitting(presentation.ranked_rows())
            if choices := tuple(islice(ranked, LISTED)):
                odds.append(odds_of_first(Shown(ranker.index, presentation, choices)))
                right.append(PAGE_HELPS * (choices[0].document in one.documents))
        return json.dumps(fit_recalibration(np.array(odds), np.array(right)).as_json(), allow_nan=False)

    work = Work(fit, lambda _position: None, travels=False)  # one alone, and it embeds
    (found,) = stages.remember(STAGE, [key], [STAGE], work, lambda _n, text: read_recalibration(json.loads(text)))
    return found or UNCHANGED
