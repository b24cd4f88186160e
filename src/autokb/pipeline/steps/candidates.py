"""Everything that can be shown, with its vectors and tokens: made in the build, so that no question waits for them."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.core.nouns import Passage
from autokb.core.vectors import TokenVectors
from autokb.pipeline.stages import Stages
from autokb.retrieval.candidates import Candidates, candidates_of, searched_texts
from autokb.retrieval.knowledge_index import KnowledgeIndex
from autokb.retrieval.search import ChunkIndex


def index_candidates(
    stages: Stages, language: str, knowledge: KnowledgeIndex, passages: Sequence[Passage], chunks: ChunkIndex
) -> tuple[Candidates, Sequence[TokenVectors] | None]:
    """Return what can be shown, and its tokens; None by an encoder that has none."""
    found = candidates_of(knowledge, passages)
    stored = candidates_of(knowledge, passages, withheld=True)
    reader = stages.encoder.token_reader(language)
    # Tokens first: the run of the encoder that gives them gives the vectors of whole texts, too.
    if reader is not None:
        reader.read([one.searched_text for one in stored])
    tokens = None if reader is None else reader.read([one.searched_text for one in found])
    texts = searched_texts(stored)
    vectors = dict(zip(texts, stages.embed(texts), strict=True))
    return Candidates.of(found, knowledge, vectors, chunks), tokens
