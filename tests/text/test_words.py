"""One tokenisation: an index reads terms from it, a lexicon words with the gaps between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.text.stemming import stem
from autokb.text.words import content_words, normalized, split_words, terms


def test_terms_are_folded_stemmed_and_without_stop_words() -> None:
    assert terms("The Earbuds WON'T connect, and they aren't charging!") == ("earbud", "connect", "charg")


def test_a_code_with_a_hyphen_is_one_term_too_as_customers_write_it() -> None:
    assert terms("Error E-03") == ("error", "e", "03", "e03")
    assert terms("E03")[-1] == terms("E\u201103")[-1] == "e03"
    assert terms("2024-05-01") == ("2024", "05", "01")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Größe ändern", ("grösse", "ändern")),
        ("Привет мир", ("привет", "мир")),
        ("蓝牙耳机", ("蓝牙", "牙耳", "耳机")),
        ("充電中 LED", ("充電", "電中", "led")),
        ("충전이 안돼요", ("충전", "전이", "안돼", "돼요")),
        ("車", ("車",)),
        ("ﬁle Ｆｉｌｅ fi\u0301n", ("file", "file", "fín")),
        ("C++ and C# in notepad", ("c++", "c#", "notepad")),
    ],
)
def test_texts_of_every_script_have_terms(text: str, expected: tuple[str, ...]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("folder", "folders"),
        ("copies", "copy"),
        ("stopped", "stopping"),
        ("charge", "charging"),
        ("filter", "filtering"),
    ],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["status", "class", "this", "imap4", "été", "bus", "red"])
def test_words_that_only_look_inflected_stay(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("de", "kopfhörer", "kopfhörern"), ("de", "verbindung", "verbindungen"), ("fr", "écouteur", "écouteurs")],
)
def test_a_language_has_its_own_stemmer(language: str, one: str, other: str) -> None:
    assert stem(one, language) == stem(other, language)
    assert stem(one, "xx") == one  # nobody stems it


def test_half_a_surrogate_pair_is_no_error() -> None:
    assert stem("\ud800ed") == "\ud800ed"


def test_terms_of_german_are_stemmed_and_without_its_stop_words() -> None:
    text = "Die Kopfhörer verbinden sich nicht mit dem Handy."
    assert terms(text, "de") == terms("Kopfhörern: verbindet Handy!", "de")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't use the chargers: charge it again!", {"charg", "charger"}),
        ("Step 3 of the solution", set()),
        ("Windows 11 and win10, re-pair it", {"window", "win", "pair"}),
        ("Hello, thanks for your help", {"help"}),
        ("蓝牙耳机", {"蓝牙", "牙耳", "耳机"}),
    ],
)
def test_content_words_are_stems_of_what_is_named(text: str, expected: set[str]) -> None:
    assert content_words(text) == expected


def test_words_stand_at_their_places_with_the_gaps_between_them() -> None:
    text = "My iPad’s “app”: 3rd try, 手机!"
    words = split_words(text)
    assert words.raw == ("My", "iPad's", "app", "3rd", "try", "手", "机")
    assert words.folded[:2] == ("my", "ipad's")
    assert words.gaps == ("", " ", " “", "”: ", " ", ", ", "")
    assert [n for n in range(len(words.raw)) if words.breaks(n)] == [3]


@given(st.text(alphabet="aB1 '’-+#.,\n手ไ한é\u0301ﬁ™", max_size=60))
def test_words_and_gaps_lose_nothing_of_the_text(text: str) -> None:
    words, whole = split_words(text), normalized(text)
    end = 0
    for raw, gap, start in zip(words.raw, words.gaps, words.starts, strict=True):
        assert whole[end:start] == gap
        assert whole[start : start + len(raw)] == raw
        end = start + len(raw)
    assert not any(c.isalnum() for c in whole[end:])
