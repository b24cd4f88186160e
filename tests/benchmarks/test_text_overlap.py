"""Metrics of texts against values worked out by hand; METEOR where WordNet is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

for _library in ("sacrebleu", "rouge_score", "nltk"):
    pytest.importorskip(_library, reason=f"{_library} is in the extra bench")

from benchmarks.text_overlap import Metric, bleu, find_metrics, rouge_l  # noqa: E402 - it imports the libraries

from autokb.plugins.lab.evaluation.suggestions.meteor import NO_WORDNET, WORDNET, load_meteor  # noqa: E402 - after the skip

REFERENCE = "the cat sat on the mat"


@pytest.fixture(scope="module")
def meteor() -> Metric:
    if not (WORDNET / "data.noun").is_file():
        pytest.skip(NO_WORDNET.format(WORDNET))
    return load_meteor()


@pytest.mark.parametrize("metric", [bleu, rouge_l])
def test_a_text_beside_itself_is_1_and_beside_another_0(metric: Metric) -> None:
    for text in (REFERENCE, "restart it"):  # the second has no n-grams of four words
        assert metric(text, text) == pytest.approx(1)
    assert metric("", REFERENCE) == 0
    assert metric("dogs bark", REFERENCE) == pytest.approx(0)


def test_bleu_is_the_mean_of_four_precisions() -> None:
    # "the cat sat on a mat": 5 of 6 words, 3 of 5 pairs, 2 of 4 triples, 1 of 3 runs of four; as long as the reference
    assert bleu("the cat sat on a mat", REFERENCE) == pytest.approx((5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4))


def test_rouge_l_is_the_f1_of_the_longest_common_subsequence() -> None:
    # "restart the server": all 3 of its words, 3 of the reference's 5
    assert rouge_l("restart the server", "Please restart the mail server.") == pytest.approx(2 * 1 * 0.6 / (1 + 0.6))


@pytest.mark.parametrize(
    ("answer", "reference", "value"),
    [
        ("mend the car", "mend the car", 1 - 0.5 * (1 / 3) ** 3),  # three matches in one chunk
        ("Mend the car.", "mend the car .", 1 - 0.5 * (1 / 4) ** 3),  # case does not count, the full stop is a token
        ("mended the cars", "mend the car", 1 - 0.5 * (1 / 3) ** 3),  # stems
        ("repair the car", "mend the car", 1 - 0.5 * (1 / 3) ** 3),  # a synonym
        ("paint the car", "mend the car", 2 / 3 * (1 - 0.5 * (1 / 2) ** 3)),  # no synonym: P and R are 2/3
        ("mend the", "mend the car now", 10 * 1 * 0.5 / (0.5 + 9 * 1) * (1 - 0.5 * (1 / 2) ** 3)),  # recall counts most
        ("car the mend", "mend the car", 1 - 0.5 * (3 / 3) ** 3),  # three chunks
        ("the automobile", "the car", 1 / 2 * (1 - 0.5 * (1 / 1) ** 3)),  # what nltk misses: its stem is no word
        ("", "mend the car", 0),
        ("sing", "mend the car", 0),
    ],
)
def test_meteor_matches_words_stems_and_synonyms(meteor: Metric, answer: str, reference: str, value: float) -> None:
    assert meteor(answer, reference) == pytest.approx(value)


@pytest.mark.slow
def test_all_three_are_found_where_wordnet_is(meteor: Metric) -> None:
    metrics, missing = find_metrics()
    assert list(metrics) == ["bleu", "rouge", "meteor"]
    assert missing == {}


def test_without_wordnet_meteor_is_left_out_and_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    metrics, missing = find_metrics(tmp_path)
    assert list(metrics) == ["bleu", "rouge"]
    assert missing == {"meteor": f"WordNet is not in {tmp_path}: apt-get install wordnet-base"}
