"""The words that the heuristics read of each language."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest

import autokb.heuristics
import autokb.plugins.tickets.heuristics
import autokb.retrieval.gate_fitting
import autokb.text
import autokb.text.lexicons
from autokb.core.domain import Attribute
from autokb.heuristics.attributes.extract import extract_attributes
from autokb.heuristics.grounding.support import unsupported
from autokb.heuristics.paraphrases.paraphrase import paraphrases
from autokb.heuristics.solutions.instructions import instructs, is_generic, is_navigation, is_question
from autokb.heuristics.solutions.material import materials
from autokb.heuristics.spec.draft import draft_spec
from autokb.heuristics.spec.proposal import DraftSpec
from autokb.heuristics.subject_words import subject_words
from autokb.heuristics.themes.naming import name_themes, read_terms
from autokb.heuristics.titles.issue_title import issue_title
from autokb.heuristics.titles.phrase_editing import without_attributes
from autokb.text.lexicons import WordLists, alternation, word_lists

for package in (autokb.heuristics, autokb.text, autokb.plugins.tickets.heuristics):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
KINDS = tuple(sorted(WordLists.__subclasses__(), key=lambda kind: kind.file))
SPEC = {
    "device": Attribute("device", "closed", ("Phone", "Laptop")),
    "age": Attribute("age", "closed", ("Child", "Adult")),
    "illness": Attribute("illness", "open", examples=("Asthma",)),
}
TEXT = "Hi, my Phone does not pair since 3 weeks. Thanks!"


def vars_of(lists: object) -> dict[str, object]:
    return {name: getattr(lists, name) for name in lists.__dataclass_fields__}  # type: ignore[attr-defined]


def test_every_file_has_its_class() -> None:
    folder = Path(autokb.text.lexicons.__path__[0])
    assert {path.stem for path in folder.rglob("heuristics/*.yaml")} == {kind.file for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_english_has_all_lists(kind: type) -> None:
    given = vars_of(word_lists(kind)).items()
    empty = [name for name, value in given if not value and not isinstance(value, bool)]
    assert empty == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "patterns" in vars_of(word_lists(kind))])
def test_other_languages_have_no_patterns_that_english_lacks(kind: type) -> None:
    assert vars_of(word_lists(kind, "de"))["patterns"].keys() <= vars_of(word_lists(kind))["patterns"].keys()  # type: ignore[attr-defined]


def test_a_phrase_in_a_pattern_is_found_as_it_is_written() -> None:
    assert alternation(("e-mail", "no longer")) == r"e\-mail|no longer"
    assert alternation(("gruss",)) == "gru(?:ss|ß)"  # folding has made ss of it
    assert alternation(()) == "(?!)"


@pytest.mark.parametrize("language", ["en", "de", "tr", "ja"])
def test_a_language_without_words_is_read_without_an_error(language: str) -> None:
    assert issue_title("", TEXT, "", language)
    assert extract_attributes(TEXT, "issue", SPEC, language)["device"] == ["Phone"]
    assert without_attributes("No sound on my Phone", SPEC, {"device"}, language) != ""
    assert subject_words("sound phone", language) == ["sound", "phone"]
    assert all(name_themes([[read_terms(text, language)] for text in ("no sound", "dead battery")], "", language))
    easy, _, hard = paraphrases(TEXT, (), 5, language)
    assert easy and hard
    assert not unsupported("Hold the key.", "Hold the key.", language=language)
    assert isinstance(
        draft_spec(DraftSpec("kettle", (TEXT, TEXT), (("Pairing", "Phone: pair it."),), language=language)).rules, tuple
    )
    assert materials("# Pairing\n\n1. Hold the key.\n2. Wait.\n", "Pairing", (), language)
    assert not is_navigation("Hold the key.", language)


def test_without_words_nothing_is_found() -> None:
    assert not instructs("Hold the key.", "ja") and instructs("Hold the key.")
    assert not is_question("Why is it loud", "ja") and is_question("Why is it loud")
    assert not is_generic("Steps", "ja") and is_generic("Steps")
    assert extract_attributes("my 3 year old has Asthma", "issue", SPEC, "ja") == {"illness": ["Asthma"]}
    assert extract_attributes("my 3 year old has Asthma", "issue", SPEC) == {"age": ["Child"], "illness": ["Asthma"]}
    assert paraphrases("The key", (), 5, "ja")[1] == ()
