from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from autokb.core.domain import Attribute, DomainSpec
from autokb.core.nouns import Chunk, Document, Issue
from autokb.core.vectors import Vectors
from autokb.issues.passages import document_passages
from autokb.pipeline.embedding import EmbedderName, open_free_embedder
from autokb.retrieval.candidates import Candidates, candidates_of, searched_texts
from autokb.retrieval.corpus import Corpus
from autokb.retrieval.gate import DEFAULT_THRESHOLD, Gate, WordWeights
from autokb.retrieval.gate_fitting import everyday_questions, fit_question_gate, off_topic_issues
from autokb.retrieval.history import build_history
from autokb.retrieval.index import QuestionIndex
from autokb.retrieval.knowledge_index import KnowledgeIndex, NodeIndex
from autokb.retrieval.ranker import packaged_ranker

ENCODER = "packaged"


def manual(pages: Mapping[str, str]) -> list[Document]:
    return [
        Document(f"{n:02}.md", heading, f"# {heading}\n\n{text}\n") for n, (heading, text) in enumerate(pages.items())
    ]


KITCHEN = manual(
    {
        "Rice is mushy": "Rinse the rice and use less water. Let it rest for ten minutes with the lid on.",
        "Pasta sticks together": "Use more water and stir pasta in the first minute.",
        "A sauce has split": "Whisk a spoon of hot water into the sauce, drop by drop, off the heat.",
        "Meat is tough or grey": "Take meat out of the fridge an hour before. Sear it in a very hot pan.",
        "Eggs do not peel": "Older eggs peel better. Put boiled eggs into cold water at once.",
        "Onions burn": "Turn the heat down and add salt, so that onions soften before they brown.",
        "Soup is too salty or too spicy": "Stretch the soup with unsalted stock, cream or potatoes.",
        "How long cooked food keeps": "Cooked chicken keeps for three days in the fridge.",
        "Fried potatoes go soggy": "Fry potatoes twice and do not cover the plate.",
        "Beans stay hard": "Soak beans overnight, and salt them at the end of cooking.",
        "Replace an ingredient": "Use coconut milk instead of cream, and salt instead of soy sauce.",
        "Dinner for many guests": "Cook a stew or a curry the day before and warm it slowly.",
        "Freeze and thaw food": "Thaw fish and meat in the fridge, and do not freeze it again.",
        "Vegetables lose their colour": "Boil vegetables for a short time and put them into ice water.",
    }
)
RADIO = manual(
    {
        "Pair two handsets": "Hold the channel key of both handsets until the antenna lamp blinks.",
        "The squelch hisses": "Raise the squelch level in the menu until the hiss stops.",
        "No range in the valley": "Radio waves do not pass hills; climb higher or use the repeater.",
        "The repeater does not answer": "Set the tone of the repeater on your handset.",
        "The push-to-talk key is stuck": "Clean the key with a dry brush.",
        "Handset battery does not charge": "Wipe the contacts of the cradle.",
        "Change the channel": "Turn the channel knob and wait for the beep.",
        "Scan all channels": "Press scan; the handset stops where somebody talks.",
        "The antenna is loose": "Screw the antenna of the radio in by hand, never with a tool.",
        "Lock the keys of the handset": "Hold the lock key for three seconds.",
        "Nobody hears me on the radio": "Speak into the microphone of the handset from a hand's width.",
        "The handset beeps": "A handset beeps when its battery is low or the channel is busy.",
    }
)
REPORTS = [
    f"{what} {where}"
    for what in (
        "My handset hisses all the time",
        "The repeater does not answer me",
        "I cannot pair the second handset",
        "The channel knob does nothing",
        "The push-to-talk key is stuck",
        "No range at all",
    )
    for where in ("on the mountain", "since yesterday", "after the rain", "in the valley", "with the new antenna")
]


Embed = Callable[[Sequence[str]], Vectors]
_vectors: dict[str, Vectors] = {}  # the list is embedded once for all tests


def embed(texts: Sequence[str]) -> Vectors:
    new = [text for text in dict.fromkeys(texts) if text not in _vectors]
    _vectors.update(zip(new, open_free_embedder(EmbedderName("packaged")).embed(new) if new else (), strict=True))
    return np.array([_vectors[text] for text in texts], dtype=np.float32).reshape(len(texts), 384)


def index_over(
    documents: Sequence[Document],
    trees: Sequence[Issue] = (),
    raw: dict[str, Vectors] | None = None,
    language: str = "en",
    attributes: Mapping[str, Attribute] | None = None,
) -> QuestionIndex:
    """Return an index over these documents, each one chunk, and trees of one node."""
    chunks = [Chunk(f"{d.id}#0", d.id, d.text, ((0, len(d.text)),)) for d in documents]
    corpus = Corpus.of({d.id: d for d in documents}, chunks, language)
    index = corpus.index(embed(corpus.window_texts()), embed(corpus.titles()))
    knowledge = KnowledgeIndex.of(trees, (), {})
    nodes = embed([knowledge.issues[i].text for i in knowledge.ids]) if trees else np.zeros((0, 384), np.float32)
    return QuestionIndex(
        spec=DomainSpec("test", language=language, attributes=attributes or {}),
        encoder=ENCODER,
        embed_questions=embed,
        nodes=NodeIndex.of(knowledge, nodes, raw or {}),
        candidates=Candidates.of((), knowledge, {}, index),
        chunks=index,
        history=build_history(index.documents, (), np.zeros((0, 384), np.float32), index.centroids(), language),
        ranker=packaged_ranker().without_history(),
        gate=Gate(DEFAULT_THRESHOLD, ENCODER),
        generation="0",
    )


def grown(reports: Sequence[str], copies: int = 1) -> tuple[list[Issue], dict[str, Vectors]]:
    """Return a tree for each report and the vectors of the reports, each as often as ``copies``."""
    raw = {f"r{n:03}-{c}": v for n, v in enumerate(embed(reports)) for c in range(copies)}
    trees = [
        Issue(f"i{n:03}", text, None, {}, raw_issues=tuple(f"r{n:03}-{c}" for c in range(copies)))
        for n, text in enumerate(reports)
    ]
    return trees, raw


def fit(
    index: QuestionIndex, reports: Sequence[str], documents: Sequence[Document], copies: int = 1, embed: Embed = embed
) -> Gate:
    """Fit a gate on these reports, each as often as ``copies``."""
    _, raw = grown(reports, copies)
    texts = dict(zip(raw, (text for text in reports for _ in range(copies)), strict=True))
    return fit_question_gate(index, raw, texts, documents, embed)


@pytest.fixture(scope="module")
def radio() -> QuestionIndex:
    trees, raw = grown(REPORTS)
    index = index_over(RADIO, trees, raw)
    return replace(index, gate=fit(index, REPORTS, RADIO))


def passes(index: QuestionIndex, text: str) -> bool:
    """Return whether a question is on topic by all that the fit weighs: its cosines, and its words."""
    scored, words = index.score(text), index.gate.words
    unknown = index.chunks.words.unknown_share(text)
    said = words.log_odds(text, unknown, index.spec.language) if words else 0.0
    return index.nearness(scored) + said >= 0


def test_the_packaged_list_has_many_kinds_of_trouble_and_no_question_twice() -> None:
    questions = everyday_questions("en")
    texts = [text for some in questions.values() for text in some]
    assert len(questions) >= 30 and len(texts) >= 400 and len(set(texts)) == len(texts)
    assert min(map(len, questions.values())) >= 10
    assert "how many grams is one cup of sugar?" in texts  # as written, not folded and not cut at commas


def test_issues_and_everyday_questions_make_a_gate(radio: QuestionIndex) -> None:
    gate = radio.gate
    assert gate.threshold is None and gate.coefficients is not None and gate.encoder == ENCODER
    assert gate.coefficients.documents >= 0 and gate.coefficients.issues >= 0
    assert "raw issues" in gate.source
    for text in ("squelch hiss", "my wife's handset wont pair :(", "the repeater is deaf. I tried it from two hills, "
                 "with both handsets and the long antenna, and all I ever get is a beep. What now?"):  # fmt: skip
        assert passes(radio, text), text
    for text in ("how long do I boil eggs", "my flight was cancelled, who pays the hotel?", "tell me a joke"):
        assert not passes(radio, text), text


def test_near_duplicates_among_the_issues_do_not_raise_the_gate(radio: QuestionIndex) -> None:
    trees, raw = grown(REPORTS, copies=4)
    copied = index_over(RADIO, trees, raw)
    assert fit(copied, REPORTS, RADIO, copies=4) == radio.gate


def test_issues_that_are_off_topic_themselves_are_left_out(radio: QuestionIndex) -> None:
    strangers = [
        "what is the weather in Lisbon",
        "one pizza with ham please",
        "my tax return is late",
        "sell my bitcoin",
    ]
    _, raw = grown([*REPORTS, *strangers])
    trees, _ = grown(REPORTS)
    index = index_over(RADIO, trees, raw)
    gate = fit(index, [*REPORTS, *strangers], RADIO)
    assert int(gate.source.split()[2]) < len(REPORTS) + len(strangers) - 1
    assert not passes(replace(index, gate=gate), "two pizzas with salami")


def test_without_issues_the_sections_stand_in(radio: QuestionIndex) -> None:
    index = index_over(RADIO)
    gate = fit(index, [], RADIO)
    assert gate.coefficients is not None and gate.coefficients.issues == 0.0 and "headings" in gate.source
    index = replace(index, gate=gate)
    assert passes(index, "handset hisses loudly") and not passes(index, "tell me a joke")


def test_where_nobody_has_reported_anything_the_nearest_section_stands_for_the_nearest_issue() -> None:
    bare = index_over(RADIO)
    chunks = [Chunk(f"{d.id}#0", d.id, d.text, ((0, len(d.text)),)) for d in RADIO]
    passages = [p for d, c in zip(RADIO, chunks, strict=True) for p in document_passages(d, [c], bare.spec)]
    knowledge = KnowledgeIndex.of((), (), {}, [p.solution for p in passages])
    rows = candidates_of(knowledge, passages)
    texts = searched_texts(rows)
    sections = Candidates.of(rows, knowledge, dict(zip(texts, embed(texts), strict=True)), bare.chunks)
    index = replace(bare, candidates=sections, nodes=replace(bare.nodes, knowledge=knowledge))
    index = replace(index, gate=fit(index, [], RADIO))
    assert index.gate.coefficients is not None and index.gate.coefficients.issues > 1.0
    assert passes(index, "handset hisses loudly") and not passes(index, "tell me a joke")
    assert not passes(replace(index, candidates=bare.candidates), "handset hisses loudly")  # no section is near
    trees, raw = grown(REPORTS)
    reported = index_over(RADIO, trees, raw)
    assert fit(replace(reported, candidates=sections), REPORTS, RADIO) == fit(reported, REPORTS, RADIO)


def test_a_kind_that_lies_near_the_documents_is_left_out_and_named() -> None:
    index = index_over(KITCHEN)
    gate = fit(index, [], KITCHEN)
    assert "cooking" in gate.left_out and len(gate.left_out) <= 4
    questions = everyday_questions("en")
    index = replace(index, gate=gate)
    assert sum(passes(index, text) for text in questions["cooking"]) >= 0.75 * len(questions["cooking"])
    blind = sum(passes(replace(index, gate=Gate(-1.0, ENCODER)), text) for text in questions["cars"])
    assert sum(passes(index, text) for text in questions["cars"]) <= 0.5 * blind


def counting(asked: list[str]) -> Callable[[Sequence[str]], Vectors]:
    return lambda texts: asked.extend(texts) or embed(texts)  # type: ignore[func-returns-value]


@pytest.mark.parametrize("language", ["de", "tr"])
def test_a_language_without_everyday_questions_has_the_gate_of_a_bare_cosine(language: str) -> None:
    trees, raw = grown(REPORTS)
    asked: list[str] = []
    index = index_over(RADIO, trees, raw, language)
    gate = fit(index, REPORTS, RADIO, embed=counting(asked))
    assert (
        gate.coefficients is None
        and gate.words is None
        and gate.threshold is not None
        and "low quantile" in gate.source
    )
    assert asked == []


def test_with_too_little_of_its_own_a_knowledge_base_keeps_the_default() -> None:
    page = Document("page.md", "Kettle", "# Kettle\n\nFill it to the line.\n")
    assert fit(index_over([page]), [], [page]).threshold == DEFAULT_THRESHOLD
    nothing = fit(index_over([]), [], [])
    assert nothing.threshold == DEFAULT_THRESHOLD and nothing.coefficients is None


def test_the_order_of_the_issues_changes_nothing(radio: QuestionIndex) -> None:
    trees, raw = grown(REPORTS)
    turned, texts = dict(reversed(raw.items())), dict(zip(raw, REPORTS, strict=True))
    assert fit_question_gate(index_over(RADIO, trees, raw), turned, texts, RADIO, embed) == radio.gate


# -- near the topic ---------------------------------------------------------------------------------------------------

NEAR = (
    "My Bose speaker hisses since yesterday",
    "The car radio crackles on the motorway",
    "How much is a new antenna for the handset?",
    "Walkie-talkies for children: which should I buy?",
    "Is there a job for a radio engineer at your company?",
)


def test_a_question_that_opens_with_a_foreign_subject_is_refused_however_near(radio: QuestionIndex) -> None:
    blind = replace(radio, gate=replace(radio.gate, words=None))
    assert sum(passes(blind, text) for text in NEAR) >= 3  # their cosines are those of questions on topic
    for text in NEAR:
        assert not passes(radio, text), text
        assert radio.foreign_subject(text) is not None and blind.foreign_subject(text) is None


def test_a_foreign_thing_that_comes_later_is_a_circumstance(radio: QuestionIndex) -> None:
    asked = "My handset hisses all the time when I hold it next to the television"
    assert passes(radio, asked) and radio.foreign_subject(asked) is None


def test_what_the_documents_the_domain_or_several_reports_name_is_no_foreign_subject() -> None:
    trees, raw = grown(REPORTS)
    bose = Attribute("maker", "closed", values=("Bose",), synonyms={"Bose": ("car radio",)})
    index = index_over(RADIO, trees, raw, attributes={"maker": bose})
    known = words_of(fit(index, REPORTS, RADIO)).known
    assert {"bose", "car radio", "radio"} <= set(known) and "walkie talkie" not in known  # a page says "radio"
    reports = [*REPORTS, *(f"My walkie-talkie {what}" for what in ("beeps at night", "lost its lid", "will not scan"))]
    assert "walkie talkie" in words_of(fit(index, reports, RADIO)).known
    twice_the_same = [*REPORTS, *["My walkie-talkie beeps at night"] * 3]
    assert "walkie talkie" not in words_of(fit(index, twice_the_same, RADIO)).known


def words_of(gate: Gate) -> WordWeights:
    assert gate.words is not None
    return gate.words


def test_words_count_against_a_question_and_never_for_it(radio: QuestionIndex) -> None:
    for gate in (radio.gate, fit(index_over(RADIO), [], RADIO), fit(index_over(KITCHEN), [], KITCHEN)):
        assert words_of(gate).unknown <= 0 and words_of(gate).foreign < -3


def test_raw_issues_that_the_gate_takes_to_be_off_topic_are_named(radio: QuestionIndex) -> None:
    strangers = ["one pizza with ham please", "my tax return is late", "sell my bitcoin"]
    trees, raw = grown([*REPORTS, *strangers])
    index = index_over(RADIO, trees, raw)
    index = replace(
        index, gate=fit_question_gate(index, raw, dict(zip(raw, [*REPORTS, *strangers], strict=True)), RADIO, embed)
    )
    named = off_topic_issues(index, raw)
    assert {f"r{len(REPORTS) + n:03}-0" for n in range(len(strangers))} <= named
    assert len(named) <= len(strangers) + 2
    assert off_topic_issues(replace(index, gate=Gate(DEFAULT_THRESHOLD, ENCODER)), raw) == frozenset()
