"""An index over parts of a knowledge base answers as the index over all of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from autokb.answering.ask import ask
from autokb.core.progress import silent
from autokb.core.ranking import best_first
from autokb.core.vectors import Vectors
from autokb.pipeline.embedding import EMBEDDINGS, FreeEncoder, embed_once, open_free_embedder, read_embedder_name
from autokb.pipeline.open_index import index_published
from autokb.pipeline.steps.passages import find_passages
from autokb.plugins.postgres.part_codecs import (
    read_counted,
    read_document,
    read_learnt,
    read_past,
    read_tree,
    store_counted,
    store_document,
    store_learnt,
    store_past,
    store_tree,
)
from autokb.plugins.postgres.parts import Counted, Numbers, Parts, PartsReader, pieces_as_array
from autokb.plugins.postgres.sliced import Slice, SliceReader
from autokb.retrieval.features import FEATURES
from autokb.retrieval.index import QuestionIndex, calibration_of, gate_of, names_of_values
from autokb.retrieval.recalibration import UNCHANGED
from autokb.stores.published import published_spec, read_published
from autokb.stores.workspace import open_workspace
from autokb.text.word_forms import Spelling

QUESTIONS = (
    "My left earbud has gone silnet, the right one is fine",
    "It does not pair with my Android phone any more",
    "How long does the battery last, and why does it drian so fast?",
    "The microphone is too quiet in calls on Windows",
    "how do i bake a pizza",
    "What does the red light mean?",
    "Lumo Over",
)


@dataclass(frozen=True)
class Taken:
    """One knowledge base as a whole and in parts."""

    whole: QuestionIndex
    parts: Parts
    reader: SliceReader
    counted: Counted
    spelling: Spelling


@pytest.fixture
def taken(_built_headphones: Path, tmp_path: Path) -> Iterator[Taken]:
    built_headphones = open_workspace(shutil.copytree(_built_headphones, tmp_path / "kb"))
    with built_headphones.file() as file:
        published = read_published(file)
        spec = published_spec(built_headphones, published)
        encoder = FreeEncoder(open_free_embedder(read_embedder_name("packaged")), file)

        def embed(texts: list[str]) -> Vectors:
            return embed_once(file, encoder, EMBEDDINGS, texts, partial(silent, EMBEDDINGS))[0]

        tokens = encoder.token_reader(spec.language)
        assert tokens is not None
        passages, _ = find_passages(file, list(published.kb.documents.values()), published.chunks, spec)
        parts = PartsReader(spec, embed, tokens.read).read(published, passages)
        parts = replace(parts, trees=iter(trees := list(parts.trees)))
        counted = Counted.sum(n for _, n in (*parts.documents.values(), *trees))
        numbers = Numbers(counted.chunks, counted.length, counted.candidates, pieces_as_array(counted.pieces))
        index_of = partial(
            QuestionIndex,
            spec=spec,
            encoder=encoder.name,
            gate=gate_of(published.settings, encoder.name),
            calibration=calibration_of(published.settings),
            recalibration=UNCHANGED,
            generation=published.generation,
            caution=built_headphones.settings.answer.caution,
            read_tokens=tokens.question,
            token_spans=tokens.spans,
        )
        reader = SliceReader(
            index_of=index_of,
            spec=spec,
            embed_questions=encoder.embed_questions,
            dimensions=encoder.dimensions,
            numbers=numbers,
            read_tokens=tokens.read,
        )
        spelling = Spelling.of((), spec.language, known=tokens.ordinary_words(), extra_words=names_of_values(spec))
        whole = index_published(built_headphones, published, file, encoder, embed)
        yield Taken(whole, parts, reader, counted, spelling)


def test_with_everything_in_it_a_slice_as_it_is_stored_answers_byte_for_byte_as_the_whole(taken: Taken) -> None:
    parts, dimensions = taken.parts, taken.reader.dimensions
    documents = {i: store_document(part) for i, (part, _) in parts.documents.items()}
    trees = {part.id: store_tree(part) for part, _ in parts.trees}
    past = [(part.issue.id, store_past(part)) for part in parts.past]
    everything = Slice(
        [read_document(i, one.body, one.vectors, dimensions) for i, one in sorted(documents.items())],
        [read_tree(i, one.body, one.vectors, dimensions) for i, one in sorted(trees.items())],
        [read_past(i, one.body, one.vectors, dimensions) for i, one in past],
        taken.counted.texts_with,
        read_learnt(store_learnt(parts.learnt), parts.learnt.own, parts.learnt.named),
    )
    sliced = taken.reader.index(everything, taken.spelling.with_words(taken.counted.words))
    for question in QUESTIONS:
        of_slice, of_whole = (
            json.dumps(replace(ask(index, question, explain=True), seconds=0).as_json())
            for index in (sliced, taken.whole)
        )
        assert of_slice == of_whole, question


def test_a_slice_without_the_other_documents_has_the_same_features_of_its_own(taken: Taken) -> None:
    question, parts = QUESTIONS[0], taken.parts
    whole = taken.whole.score(question)
    kept = [hit.id for hit in whole.documents.best(6)]
    trees = [part for part, _ in parts.trees if part.documents & set(kept)]
    few = Slice(
        [parts.documents[i][0] for i in sorted(kept)], trees, parts.past, taken.counted.texts_with, parts.learnt
    )
    sliced = taken.reader.index(few, taken.spelling.with_words(taken.counted.words))
    scored = sliced.score(question)
    rows = {one.solution.id: row for row, one in enumerate(taken.whole.candidates.rows)}
    assert 10 < len(scored.scores) < len(whole.scores) / 2
    theirs = whole.features[[rows[one.solution.id] for one in sliced.candidates.rows]]
    by_tokens = list(FEATURES).index("late_interaction")
    others = [n for n in range(len(FEATURES)) if n != by_tokens]
    assert scored.features[:, others] == pytest.approx(theirs[:, others], abs=1e-6)
    best = best_first(scored.scores, 10)  # which are read closely among all, too
    assert scored.features[best] == pytest.approx(theirs[best], abs=1e-6)
    assert sliced.nearness(scored) == pytest.approx(taken.whole.nearness(whole), abs=1e-6)


def test_what_is_counted_is_read_back_and_adds_up(taken: Taken) -> None:
    (_, one), (_, other), *_ = taken.parts.documents.values()
    both = Counted.sum((one, other))
    assert both.chunks == one.chunks + other.chunks
    assert both.minus(other).minus(one) == Counted(0, 0, {}, {}, 0, {})
    assert read_counted(store_counted(one)) == read_counted(store_counted(one))
    assert read_counted(store_counted(one)).minus(one) == Counted(0, 0, {}, {}, 0, {})
