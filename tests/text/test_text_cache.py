"""Results are kept by the length of their texts."""

from __future__ import annotations

from autokb.text.markdown import cached_by_text


def asked(most: int, texts: list[str]) -> list[str]:
    """Return the texts that were worked out."""
    worked: list[str] = []

    def work(text: str) -> int:
        worked.append(text)
        return len(text)

    result = cached_by_text(work, most)
    assert [result(text) for text in texts] == [len(text) for text in texts]
    return worked


def test_a_text_is_worked_out_once() -> None:
    assert asked(10, ["abc", "de", "abc", "de"]) == ["abc", "de"]


def test_what_was_asked_longest_ago_is_given_up_first() -> None:
    assert asked(10, ["aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"]) == ["aaaa", "bbbb", "cccc", "bbbb"]


def test_a_text_that_is_too_long_takes_the_place_of_no_other() -> None:
    assert asked(10, ["aaaa", "x" * 11, "x" * 11, "aaaa"]) == ["aaaa", "x" * 11, "x" * 11]


def test_the_empty_text_is_worked_out_once_too() -> None:
    assert asked(10, ["", ""]) == [""]
