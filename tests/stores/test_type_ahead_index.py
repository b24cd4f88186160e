"""The index that is asked while somebody types."""

from __future__ import annotations

import pytest

from autokb.stores.type_ahead_index import TypeAheadIndex


def index_of(*texts: tuple[str, str], language: str = "en") -> TypeAheadIndex:
    index = TypeAheadIndex(language)
    index.add((n, *text) for n, text in enumerate(texts))
    return index


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("charg", [0, 1]),
        ("charging dock", [0]),
        ("dock charged", [0]),  # by the stem
        ("how do I charge the", [0, 1]),  # but for the last word, those of grammar do not count
        ("the", [0, 1]),
        ("cafe", [2]),
        ("CAFÉ", [2]),
        ("c++", [3]),
        ("isn't", [3]),
        ("充电", [4]),
        ("foo_b", [5]),
        ("dock pizza", []),
        ("", []),
        ('" OR * NEAR( : ^ -', []),
        ("\u0301", []),
    ],
)
def test_every_word_counts_whole_or_begun(query: str, found: list[int]) -> None:
    index = index_of(
        ("The dock", "It is charging"),
        ("Charge the phone", ""),
        ("Café", ""),
        ("C++", "It isn't C#"),
        ("无法充电", ""),
        ("", "foo_bar"),
    )
    assert sorted(index.find(query)) == found


def test_a_word_of_the_title_counts_more() -> None:
    index = index_of(("Battery", "the dock and other things"), ("Dock", "the battery and other things"))
    assert index.find("dock") == [1, 0] and index.find("battery") == [0, 1]


def test_what_is_removed_or_replaced_is_not_found() -> None:
    index = index_of(("dock", ""), ("dock cloth", ""))
    index.remove([0])
    assert index.find("dock") == [1]
    index.add([(7, "dock cloth robot", "")])
    assert sorted(index.find("clo")) == [1, 7]


def test_the_end_of_a_long_text_is_found() -> None:
    assert index_of(("", "word " * 50_000 + "needle")).find("needle") == [0]


def test_what_has_some_of_the_words_is_found_by_how_many() -> None:
    index = index_of(("Dock", "clean the contacts"), ("Dock", "charging"), ("Cloth", ""), ("Robot", "it charges"))
    assert index.find("charging dock cloth") == []
    assert index.find_partly("charging dock cloth") == [(1, 2), (2, 1), (0, 1), (3, 1)]
    assert index.find_partly("pizza") == index.find_partly("") == []


def test_a_number_is_found_whole() -> None:
    index = index_of(("stuck at 50 %", ""), ("500 charges", ""), ("S50 case", ""))
    assert index.find("50") == [0] and index.find("s5") == [2] and index.find("500") == [1]
