"""The words of each language are read as what they are, and what a language lacks is named."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from autokb.text import lexicons
from autokb.text.lexicons import LanguageData, OtherSense, language_data, missing, missing_sentence


def test_every_kind_of_words_is_there_in_english() -> None:
    data = language_data("en")
    assert [f.name for f in fields(LanguageData) if getattr(data, f.name) in (frozenset(), (), {})] == []
    assert {"the", "don't", "dont"} <= data.stop_words
    assert data.greetings[4:6] == ("dear", "greetings")
    assert data.irregular_plurals["mouse"] == "mice"
    assert data.number_words["ninety"] == 90
    assert data.other_senses["cell"] == OtherSense(before=frozenset({"number", "numbers"}))


def test_german_has_what_small_talk_and_manuals_need() -> None:
    data = language_data("de")
    assert {"der", "und", "ausser"} <= data.stop_words  # folded: ß is ss
    assert "guten tag" in data.greetings
    assert {"nicht", "keine"} <= data.negations
    assert "warum" in data.question_words
    assert {"öffnen", "öffne", "drücken", "klicken"} <= data.imperative_verbs
    assert data.months["märz"] == 3
    assert "deshalb" in data.connectives and "diese" in data.anaphors and "falls" in data.optional_step_openings


def test_devices_are_known_in_every_language() -> None:
    for language in ("en", "de", "tr"):
        names = language_data(language).value_names
        assert "ubuntu" in names["linux"]
        assert {"oneplus", "galaxy tab"} <= set(names["android"])
    assert "thinkpad" in language_data("en").value_names["laptop"]


def test_what_a_language_lacks_is_said_in_one_sentence() -> None:
    assert missing("en") == () and missing_sentence("en") == ""
    assert "stop words" in missing("sv") and "stop words" not in missing("de")
    assert "value names" in missing("de")
    assert "stemmer" in missing("ja") and "stemmer" not in missing("tr")
    assert missing_sentence("tr").startswith("The domain's language is 'tr', for which these are not there yet: ")
    assert language_data("sv").stop_words == frozenset()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("stop_words: [the, a]", "no text"),
        ("stop_words: no", "quotation marks"),
        ("months: {may: fifth}", "wrong shape"),
        ("other_senses: {mac: {behind: address}}", "takes"),
        ("stopwords: the a", "no field"),
    ],
)
def test_an_entry_of_the_wrong_shape_is_an_error(
    text: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xx").mkdir()
    (tmp_path / "xx" / "words.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(lexicons, "files", lambda _package: tmp_path)
    with pytest.raises(ValueError, match=error):
        language_data("xx")
