from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.chunking.boilerplate import phrases as furniture_words
from autokb.chunking.boilerplate.phrases import boilerplate_kind, is_credit

ANYWHERE = {kind: words for kind, words in furniture_words._KINDS.items() if words.anywhere}


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Please skip to the main content", "a link to another part of the page"),
        ("All cookies that you accept", "a cookie notice"),
        ("Our best stories in your inbox", "an invitation to subscribe"),
        ("TWEET", "sharing and social networks"),
        ("Facebook, Twitter, E-mail", "sharing and social networks"),
        ("Join us on any network", "sharing and social networks"),
        ("© the makers", "legal notices"),
        ("We may earn a small commission", "an advertisement"),
        ("Read more: lamps", "related pages"),
        ("12 Comments", "comments"),
        ("You must log in to reply", "comments"),
        ("Tell us what you think about this recipe?", "a question about the page"),
        ("Your letter to the editor", "comments"),
        ("Ask an expert", "ways to reach people"),
        ("Support us", "an appeal for support"),
        ("We think that you have an account; already a member", "an account"),
        ("Next page", "turning pages"),
        ("Cookies are baked for ten minutes", ""),
        ("The speaker plays what it is told to play", ""),
        ("A page about next steps", ""),
    ],
)
def test_short_texts_of_furniture_are_known_by_their_words(words: str, kind: str) -> None:
    assert boilerplate_kind(words, 8) == kind
    assert boilerplate_kind(words.upper(), 8) == kind
    assert boilerplate_kind(words, 46) == boilerplate_kind(words, 0) == ""


def test_letters_that_case_takes_for_others_count_as_these() -> None:
    assert boilerplate_kind("ſubſcribe", 1) == "an invitation to subscribe"
    assert boilerplate_kind("\u212aIDS: L\u0130KE TH\u0130S ART\u0131CLE?", 4) == "a question about the page"


@pytest.mark.parametrize("kind", ANYWHERE)
@given(data=st.data())
def test_whatever_is_found_anywhere_holds_a_hint(kind: str, data: st.DataObject) -> None:
    said = ANYWHERE[kind]
    text = data.draw(st.from_regex(re.compile(said.anywhere)))
    assert any(hint in text for hint in said.hints), text


def test_kinds_and_hints_are_written_in_small_letters() -> None:
    for words in furniture_words._KINDS.values():
        written = re.sub(r"\\[A-Z]", "", words.opening + words.anywhere) + "".join(words.hints)
        assert written == written.lower()


@pytest.mark.parametrize(
    ("words", "credit"),
    [("Photo: A. Maker", True), ("The lamp at night (Image: A. Maker)", True), ("The lamp (a photo)", False)],
)
def test_whose_picture_it_is(words: str, credit: bool) -> None:
    assert is_credit(words, 6) is credit
