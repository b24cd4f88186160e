"""What a customer might ask about the sections of the documents, where nobody has asked yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from autokb.core.ids import digest
from autokb.core.nouns import Document
from autokb.core.ranking import Scores
from autokb.heuristics.paraphrases.paraphrase import paraphrases
from autokb.retrieval.index import AskIndex
from autokb.text.markdown import Section, sections
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences

CHARACTERS = 150  # of a section's first sentence, about as long as a question
MOST_ASKED = 60  # headings and sentences, drawn by their hash; each takes a run of the encoder

SectionQuestion = tuple[str, Section, str]  # document id, the section, what is asked


def section_questions(document: Document, language: str) -> Iterator[SectionQuestion]:
    """Give for each section its heading with the one above, and its first sentence."""
    for section in sections(document.text):
        if section.headings:
            above = (document.title, *section.headings)[-2:]
            yield document.id, section, " ".join(dict.fromkeys(above)).strip()
        spans = sentences(document.text, section.start, section.own_end, language=language)[bool(section.headings) :]
        if spans and (first := plain_text(document.text[slice(*spans[0])])[:CHARACTERS].strip()):
            yield document.id, section, first


def ask_paraphrases(index: AskIndex, documents: Sequence[Document]) -> tuple[Scores, NDArray[np.bool_]]:
    """Ask the sections in other words: the score of the best document of each, and whether it holds the section.

    A language without words to exchange gives nothing.
    """
    language = index.spec.language
    known = [question for document in documents for question in section_questions(document, language)]
    asked = []
    for document, _, text in sorted(known, key=lambda question: digest(question[0], question[2]))[:MOST_ASKED]:
        _, reworded, moved = paraphrases(text, (), 1, language)
        asked += [(document, other) for other in (reworded or moved)]
    vectors = index.embed_questions([text for _, text in asked])
    found = [index.score(text, vector=vector).documents for (_, text), vector in zip(asked, vectors, strict=True)]
    scores = np.array([ranking.scores.max(initial=0.0) for ranking in found], dtype=np.float64)
    best = [ranking.ids[int(ranking.scores.argmax())] for ranking in found]
    return scores, np.array([is_best == d for is_best, (d, _) in zip(best, asked, strict=True)], dtype=np.bool_)
