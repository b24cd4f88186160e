"""The packaged vectors of the everyday questions are those of the packaged encoder, and of no other."""

from __future__ import annotations

import numpy as np

from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.retrieval.everyday_subjects import packaged_vectors
from autokb.retrieval.gate_fitting import everyday_questions

QUESTIONS = [question for asked in everyday_questions("en").values() for question in asked]


def test_they_are_what_the_packaged_encoder_gives() -> None:
    encoder = PackagedEmbedder()
    packaged = packaged_vectors(QUESTIONS, encoder.name)
    assert packaged is not None, "run python -m benchmarks.make_everyday_vectors"
    assert packaged.shape == (len(QUESTIONS), encoder.dimensions)
    some = list(range(0, len(QUESTIONS), 40))
    cosines = (packaged[some] * encoder.embed([QUESTIONS[n] for n in some])).sum(axis=1)
    assert np.all(cosines > 0.9999)


def test_another_encoder_or_another_list_has_none() -> None:
    assert packaged_vectors(QUESTIONS, "openai:another") is None
    assert packaged_vectors([*QUESTIONS[1:], "a new one"], PackagedEmbedder().name) is None
