"""How near texts are, with the arithmetic written out."""

from __future__ import annotations

import math
import random

import pytest

from autokb.plugins.lab.evaluation.suggestions.text_metrics import (
    InverseFrequencies,
    bleu,
    distinctness,
    exact_match,
    rouge_l,
    supported_sentences,
    supported_share,
    token_f1,
)

DRY = "Dry the rain sensor with a cloth."


def test_words_that_the_evidence_lacks_are_not_borne_out() -> None:
    assert supported_share("Dry the sensor with a cloth.", [DRY]) == 1.0  # dry, sensor, cloth
    assert supported_share("Dry the sensor with a towel.", [DRY]) == pytest.approx(2 / 3)
    assert supported_share("Dry the sensor with a towel.", [DRY, "A towel is in the box."]) == 1.0
    assert supported_share("Set port 993.", ["Set port 143."]) == pytest.approx(2 / 3)  # set, port; not the number


def test_what_stands_there_verbatim_is_borne_out_whole() -> None:
    quote = "record it with a\nSky+ box"
    assert supported_share("Sky", [quote]) == 1.0  # an index takes Sky+ for another word
    assert supported_share("Sky dish", [quote]) == 0.0
    assert supported_sentences("Sky", [quote]) == 1.0
    assert supported_share("rec", [quote]) == 0.0  # a part of a word is none


def test_without_evidence_or_words_nothing_is_said() -> None:
    assert supported_share(DRY, []) is None
    assert supported_share("of the", [DRY]) is None
    assert supported_sentences(DRY, []) is None


def test_a_sentence_counts_whole() -> None:
    text = "Dry the rain sensor. Then call your dentist."
    assert supported_sentences(text, [DRY]) == 0.5
    assert supported_sentences("Dry the rain sensor.", [DRY]) == 1.0


def test_tfidf_cosine_weighs_rare_words() -> None:
    weights = InverseFrequencies(["robot sensor", "robot blade", "robot dock"])
    common, rare = math.log(4 / 4) + 1, math.log(4 / 2) + 1
    # robot + sensor beside robot + blade: only robot in common
    assert weights.similarity("robot sensor", "robot blade") == pytest.approx(common**2 / (common**2 + rare**2))
    assert weights.similarity("robot sensor", "the sensor of the robot") == pytest.approx(1.0)
    assert weights.similarity("robot", "blade") == 0.0
    assert weights.similarity("", "robot") == 0.0
    assert weights.similarity("unheard words", "unheard words") == pytest.approx(1.0)  # in no text: rarest


def test_tfidf_cosine_is_that_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    from autokb.text.words import terms

    texts = ["charge the robot robot", "robot blades cut grass", "the dock charges robots", "grass grows"]
    vectors = TfidfVectorizer(analyzer=terms).fit_transform(texts)
    expected = (vectors @ vectors.T).toarray()
    weights = InverseFrequencies(texts)
    for n, one in enumerate(texts):
        for m, other in enumerate(texts):
            assert weights.similarity(one, other) == pytest.approx(expected[n, m])


def test_rouge_l_is_the_f1_of_the_longest_common_subsequence() -> None:
    # police, the gunman of "police killed the gunman" beside "police kill the gunman": 3 of 4 and 4
    assert rouge_l("police kill the gunman", "Police killed the gunman!") == 2 * 3 / (4 + 4)
    assert rouge_l("the gunman kill police", "police killed the gunman") == 2 * 2 / (4 + 4)
    assert rouge_l("", "a b") == 0.0


def test_rouge_l_is_that_of_the_reference_library() -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL"], use_stemmer=False)
    rng = random.Random(3)
    words = "dry the rain sensor and start robot again".split()
    for _ in range(50):
        one, other = (" ".join(rng.choices(words, k=rng.randint(1, 15))) for _ in range(2))
        assert rouge_l(one, other) == pytest.approx(scorer.score(other, one)["rougeL"].fmeasure)


def test_bleu_is_the_mean_of_the_precisions_of_up_to_four_words() -> None:
    # five of six words, three of five pairs, one of four threes, and half a four of three
    expected = (5 / 6 * 3 / 5 * 1 / 4 * 0.5 / 3) ** (1 / 4)
    assert bleu("the cat lay on the mat", "the cat sat on the mat") == pytest.approx(expected)
    assert bleu("on the mat", "on the mat") == pytest.approx(1.0)
    assert bleu("the mat", "on the mat") == pytest.approx(math.exp(1 - 3 / 2))  # the brevity penalty
    assert bleu("", "a b") == bleu("x y", "a b") == 0.0


def test_bleu_is_that_of_the_reference_library() -> None:
    library = pytest.importorskip("sacrebleu.metrics").BLEU(effective_order=True)
    rng = random.Random(5)
    words = "dry the rain-sensor, don't start_it until 3.2.1, or 4-6 (see Ti.UI/app.js) again.".split()
    for _ in range(50):
        one, other = (" ".join(rng.choices(words, k=rng.randint(1, 15))) for _ in range(2))
        assert bleu(one, other) == pytest.approx(library.sentence_score(one, [other]).score / 100)


def test_distinctness_is_the_mean_over_pairs() -> None:
    same, other = "Clean the sensor glass.", "Charge the battery overnight."
    assert distinctness([same, same]) == 0.0
    assert distinctness([same, other]) == 1.0
    assert distinctness([same, same, other]) == pytest.approx(2 / 3)
    assert distinctness([same, "Clean the sensor glass and charge the battery."]) == 0.0  # the shorter one is in it
    assert distinctness([same]) is None


def test_a_short_answer_is_right_whatever_its_case_and_stop_words() -> None:
    assert exact_match("The lighthouse.", ["lighthouse"]) == 1.0
    assert exact_match("lighthouse keeper", ["tower", "lighthouse"]) == 0.0
    assert exact_match("The", ["the"]) == 1.0  # nothing but stop words: they count
    assert token_f1("lighthouse keeper", ["tower", "lighthouse"]) == pytest.approx(2 * 1 / (2 + 1))
    assert token_f1("blue", []) == 0.0
