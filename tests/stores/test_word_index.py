from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from autokb.stores.word_index import K1, B, CountedWords, WordIndex
from autokb.text.words import terms

TEXTS = (
    "Pair the earbuds with your phone over Bluetooth.",
    "Clean the ear tips with a dry cloth. Never wet the ear tips.",
    "Charging case: the light blinks while the case is charging.",
    "",
)


def test_a_script_without_spaces_is_searched() -> None:
    assert WordIndex.build(["充電できません", "音が出ない"]).scores("充電").argmax() == 0


def test_the_text_that_says_it_wins() -> None:
    index = WordIndex.build(TEXTS)
    assert index.scores("how do I clean the tips").argmax() == 1
    assert index.scores("case light blinking").argmax() == 2


def test_scores_equal_the_reference_implementation() -> None:
    import bm25s

    rng = np.random.default_rng(3)
    names = [f"w{n}" for n in range(60)]
    texts = [" ".join(rng.choice(names, size=rng.integers(3, 40))) for _ in range(80)]
    index = WordIndex.build(texts)
    ids = [[index.vocabulary[w] for w in terms(text)] for text in texts]
    reference = bm25s.BM25(k1=K1, b=B, method="lucene")
    reference.index((ids, dict(index.vocabulary)), show_progress=False)
    question = "w3 w7 w7 w59 unknown"
    known = [index.vocabulary[w] for w in terms(question) if w in index.vocabulary]
    # lucene's variant leaves out the constant factor k1 + 1
    assert index.scores(question) == pytest.approx(reference.get_scores_from_ids(known) * (K1 + 1), rel=1e-4)


def test_nothing_to_find_and_nothing_to_search() -> None:
    assert WordIndex.build(TEXTS).scores("zebra").tolist() == [0.0] * 4
    assert WordIndex.build(TEXTS).shares("").tolist() == [0.0] * 4
    assert WordIndex.build([]).scores("phone").tolist() == []
    assert WordIndex.build(["", "the of"]).shares("phone").tolist() == [0.0, 0.0]


def test_shares_stay_below_one_and_shrink_in_long_questions() -> None:
    index = WordIndex.build(TEXTS)
    short = index.shares("clean ear tips")
    long = index.shares("clean ear tips " + " ".join(f"story{n}" for n in range(40)))
    assert 0.3 < short.max() <= 1
    assert 0 < long.max() < 0.2 * short.max()


def test_the_unknown_share_is_that_of_words_which_no_text_has() -> None:
    index = WordIndex.build(TEXTS)
    assert index.unknown_share("clean the case") == 0.0 == index.unknown_share("") == index.unknown_share("the and")
    assert index.unknown_share("toaster dishwasher") == 1.0
    one, none = np.log(1 + 3.5 / 1.5), np.log(1 + 4.5 / 0.5)  # idf of a word in one of four texts, in none
    assert index.unknown_share("phone phone toaster") == pytest.approx(none / (one + none))
    assert index.unknown_share("phone toaster", without={1}) == index.unknown_share("phone toaster")
    assert index.unknown_share("phone toaster", without={0, 1}) == 1.0


def test_counted_over_some_of_the_texts_words_score_as_over_all() -> None:
    index = WordIndex.build(TEXTS)
    counts = [Counter(terms(text)) for text in TEXTS]
    texts_with = Counter(word for one in counts for word in one)
    some = CountedWords(counts[1:3], len(TEXTS), sum(one.total() for one in counts), texts_with)
    for question in ("clean the ear tips", "phone phone toaster", "", "toaster"):
        assert some.scores(question).tolist() == index.scores(question)[1:3].tolist()
        assert some.shares(question).tolist() == index.shares(question)[1:3].tolist()
        assert some.unknown_share(question) == index.unknown_share(question)
    assert "toaster" not in some.vocabulary
